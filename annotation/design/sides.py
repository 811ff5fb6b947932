"""Whether an explanation of a practice pair says in words of its own on which side a text is, and how it reads."""

from __future__ import annotations

import re

from annotation.design.wording import Buttons, PracticePair, Wording

# Also where such a word means something else ("at first glance"): then the pair keeps its order, which does no harm.
SIDES = {
    "en": ("first", "second", "left", "right", "former", "latter"),
    "de": (
        "erste",
        "ersten",
        "erster",
        "erstes",
        "zweite",
        "zweiten",
        "zweiter",
        "zweites",
        "linke",
        "linken",
        "linker",
        "linkes",
        "links",
        "rechte",
        "rechten",
        "rechter",
        "rechtes",
        "rechts",
        "ersterer",
        "erstere",
        "letzterer",
        "letztere",
    ),
    "es": (
        "primero",
        "primera",
        "primer",
        "segundo",
        "segunda",
        "izquierdo",
        "izquierda",
        "derecho",
        "derecha",
    ),
    "fr": ("premier", "première", "second", "seconde", "deuxième", "gauche", "droite"),
}


def side_words(explanation: str, buttons: Buttons, *, language: str = "en") -> tuple[str, ...]:
    """The words of the explanation that name a side otherwise than by `{human}` and `{machine}`, as they occur."""
    words = {*SIDES["en"], *SIDES.get(language.split("-")[0].lower(), ()), buttons.first.lower()}
    named = "|".join(re.escape(word) for word in sorted(words | {buttons.second.lower()}) if word)
    return tuple(dict.fromkeys(re.findall(rf"(?<!\w)(?:{named})(?!\w)", explanation.lower())))


def names_a_side(explanation: str, buttons: Buttons, *, language: str = "en") -> bool:
    """Whether it names a side otherwise than by `{human}` and `{machine}`, so that the sides must stay as written."""
    return bool(side_words(explanation, buttons, language=language))


def explanation_shown(pair: PracticePair, wording: Wording, *, human_first: bool) -> str:
    """The explanation as participants read it who see the person's text on that side."""
    first, second = (f"“{side}”" for side in (wording.buttons.first, wording.buttons.second))
    human, machine = (first, second) if human_first else (second, first)
    text = wording.fill_nouns(pair.explanation, context=bool(pair.context))
    return text.replace("{human}", human).replace("{machine}", machine)
