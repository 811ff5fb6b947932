"""Words for the question whether answers may be published, in the languages of the ethics pack."""

from __future__ import annotations

SHARING_QUESTIONS = {
    "en": "Optional: I agree that my answers are published under a random name.",
    "de": "Freiwillig: Ich bin einverstanden, dass meine Antworten unter einem zufälligen Namen veröffentlicht werden.",
    "es": "Opcional: acepto que mis respuestas se publiquen con un nombre al azar.",
}


def sharing_question(language: str) -> str:
    """What can be asked in a language; in English where there are no words in it."""
    return SHARING_QUESTIONS.get(language.split("-")[0].lower(), SHARING_QUESTIONS["en"])
