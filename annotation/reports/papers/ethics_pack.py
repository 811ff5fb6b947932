"""The ethics pack of a study: information sheet, consent and debrief, from facts; what is not known is asked for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from babel.dates import format_date
from babel.numbers import format_currency

from annotation import settings
from annotation.exceptions import StateError
from annotation.models import Study
from annotation.reports.papers.document import PaperDocument, PaperPart
from annotation.reports.papers.pack_facts import PackFacts, check_language, facts_of
from annotation.reports.papers.pack_texts import (
    ANSWER_KEYS,
    DOCUMENTS,
    OPTIONAL,
    PLACES,
    QUESTIONS,
    SHARING_WITHOUT_DESCRIPTION,
    SHARING_WITHOUT_QUESTION,
    STORED_ELSEWHERE,
    TEXTS,
    VERSION,
    PackText,
)
from annotation.reports.papers.reading_level import ReadingLevel, reading_level
from metrics.data.currency import minor_digits
from metrics.figures.images import NoBrowser
from metrics.report.formats.pdf import print_page

FORMATS = ("docx", "pdf", "md", "json")
TITLES = {"en": "Ethics pack", "de": "Unterlagen für die Ethikkommission", "es": "Documentos para el comité de ética"}
LEVELS = {
    "en": "Reading level of the {document}: LIX {lix:.0f} ({band}), {words} words.",
    "de": "Lesbarkeit ({document}): LIX {lix:.0f} ({band}), {words} Wörter.",
    "es": "Legibilidad ({document}): LIX {lix:.0f} ({band}), {words} palabras.",
}
BANDS = {
    "de": {
        "very easy": "sehr leicht",
        "easy": "leicht",
        "medium": "mittel",
        "hard": "schwer",
        "very hard": "sehr schwer",
    },
    "es": {"very easy": "muy fácil", "easy": "fácil", "medium": "media", "hard": "difícil", "very hard": "muy difícil"},
}
MISSING = {"en": "Still missing", "de": "Noch offen", "es": "Falta todavía"}
NOTES = {
    "en": ("Study {name}, as stored on {at} UTC. Texts: version {version}.", "SHA-256 of the sentences: {sha256}"),
    "de": ("Studie {name}, Daten vom {at} UTC. Texte: Version {version}.", "SHA-256 der Sätze: {sha256}"),
    "es": ("Estudio {name}, a fecha de {at} UTC. Textos: versión {version}.", "SHA-256 de las frases: {sha256}"),
}


@dataclass(frozen=True, slots=True)
class PackSentence:
    """A sentence of the pack, with the template and the facts that it states."""

    key: str
    place: str
    text: str
    facts: tuple[str, ...]
    as_item: bool

    @property
    def document(self) -> str:
        return PLACES[self.place][0]


@dataclass(frozen=True, slots=True)
class EthicsPack:
    """What a board and participants read. gaps: what a person must still enter."""

    study: str
    language: str
    at: datetime
    sentences: tuple[PackSentence, ...]
    gaps: tuple[str, ...]

    @property
    def sha256(self) -> str:
        """Of the sentences: two packs of the same text have the same."""
        lines = [[sentence.key, sentence.text] for sentence in self.sentences]
        return hashlib.sha256(json.dumps([VERSION, self.language, lines], ensure_ascii=False).encode()).hexdigest()

    def levels(self) -> dict[str, ReadingLevel]:
        """The reading level of each document that has words."""
        levels = {}
        for document in DOCUMENTS:
            text = "\n".join(sentence.text for sentence in self.sentences if sentence.document == document)
            if (level := reading_level(text)) is not None:
                levels[document] = level
        return levels

    def paper(self) -> PaperDocument:
        """The pack as one document."""
        return PaperDocument(
            title=f"{TITLES[self.language]}: {self.study}",
            language=self.language,
            at=self.at,
            notes=tuple(self._notes()),
            parts=tuple(self._parts()),
        )

    def _notes(self) -> Iterator[str]:
        values = {
            "name": self.study,
            "at": f"{self.at.astimezone(UTC):%Y-%m-%d %H:%M}",
            "version": VERSION,
            "sha256": self.sha256,
        }
        yield from (note.format(**values) for note in NOTES[self.language])
        for document, level in self.levels().items():
            yield LEVELS[self.language].format(
                document=DOCUMENTS[document][self.language],
                lix=level.lix,
                band=BANDS.get(self.language, {}).get(level.band, level.band),
                words=level.words,
            )

    def _parts(self) -> Iterator[PaperPart]:
        if self.gaps:
            yield PaperPart(MISSING[self.language], items=self.gaps)
        for document, titles in DOCUMENTS.items():
            yield PaperPart(titles[self.language], starts_page=True)
            for place, (of, headings) in PLACES.items():
                mine = [sentence for sentence in self.sentences if sentence.place == place]
                if of == document and mine:
                    prose = tuple(sentence.text for sentence in mine if not sentence.as_item)
                    items = tuple(sentence.text for sentence in mine if sentence.as_item)
                    yield PaperPart(headings[self.language], prose, items, level=3)

    def json(self) -> bytes:
        """The pack for programs: each sentence with its facts."""
        content = {
            "schema": "assay-ethics-pack",
            "schema_version": 1,
            "study": self.study,
            "language": self.language,
            "texts_version": VERSION,
            "created_at": self.at.astimezone(UTC).isoformat(timespec="seconds"),
            "sha256": self.sha256,
            "reading_level": {
                document: {"lix": round(level.lix, 1), "band": level.band} for document, level in self.levels().items()
            },
            "sentences": [
                {"document": line.document, "key": line.key, "text": line.text, "facts": list(line.facts)}
                for line in self.sentences
            ],
            "to_answer": list(self.gaps),
        }
        return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()


def ethics_pack(study: Study, language: str, *, now: datetime) -> EthicsPack:
    """The pack of a study in a language. Raises StateError for one without texts."""
    facts = facts_of(study, check_language(language))
    return EthicsPack(study.name, language, now, sentences_of(facts, language), gaps_of(facts))


def pack_file(study: Study, language: str, file_format: str, *, now: datetime) -> bytes:
    """The pack as `docx`, `pdf`, `md` or `json`. Raises StateError, too where no browser prints."""
    if file_format not in FORMATS:
        raise StateError(f"There is no format {file_format}; there are {', '.join(FORMATS)}.").at("format")
    pack = ethics_pack(study, language, now=now)
    if file_format == "json":
        return pack.json()
    paper = pack.paper()
    if file_format == "docx":
        return paper.docx()
    if file_format == "md":
        return paper.markdown().encode()
    try:
        return print_page(paper.html(), chromium=settings.chromium(), sandbox=settings.sandbox(), now=now)
    except NoBrowser as error:
        raise StateError(str(error)) from None


def value_of(facts: PackFacts, path: str) -> Any:
    """What a path names; None where it is not known."""
    head, _, key = path.partition(".")
    return facts.answers.get(key) or None if head == "answers" else getattr(facts, head)


def sentences_of(facts: PackFacts, language: str) -> tuple[PackSentence, ...]:
    """The sentences whose facts are all known."""
    values = _values(facts, language)
    return tuple(
        PackSentence(text.key, text.place, text.words[language].format(**values), text.facts, text.as_item)
        for text in TEXTS
        if _applies(text, facts)
    )


def _applies(text: PackText, facts: PackFacts) -> bool:
    if not all(_holds(condition, facts) for condition in text.only_if):
        return False
    return all(value_of(facts, path) not in (None, "", False) for path in text.facts)


def _holds(condition: str, facts: PackFacts) -> bool:
    """Whether a fact is there and true (`path`) or is a number (`path=1`); with `!` before it, whether it is not."""
    path, _, number = condition.removeprefix("!").partition("=")
    value = value_of(facts, path)
    return (value == int(number) if number else bool(value)) is not condition.startswith("!")


def _values(facts: PackFacts, language: str) -> dict[str, Any]:
    def money(cents: int | None) -> str:
        if cents is None:
            return ""
        digits = minor_digits(facts.currency)
        return format_currency(Decimal(cents).scaleb(-digits), facts.currency, locale=language)

    low, high = facts.reward_range or (None, None)
    return {
        **{key: facts.answers.get(key, "") for key in ANSWER_KEYS},
        "texts": facts.texts_per_task,
        "pairs": facts.pairs_per_task,
        "minutes": facts.minutes,
        "allowed": facts.allowed_minutes,
        "checks": facts.checks,
        "reward": money(facts.reward_cents),
        "low": money(low),
        "high": money(high),
        "hourly": money(facts.hourly_cents),
        "approval_days": facts.approval_days,
        "device_days": facts.device_days,
        "until": format_date(facts.retain_until, "long", locale=language) if facts.retain_until else "",
        "contact": facts.contact,
        "ethics": facts.ethics,
        "version": facts.sheet_version,
        "question": facts.sharing_question,
    }


def gaps_of(facts: PackFacts) -> tuple[str, ...]:
    """What is still to be entered, and where."""
    open_items = [
        f"{label}. {hint}" for key, label, hint in QUESTIONS if key not in OPTIONAL and not facts.answers.get(key)
    ]
    has_pay = facts.volunteers or facts.reward_cents is not None or facts.reward_range is not None
    known = {
        "contact": facts.contact,
        "ethics": facts.ethics,
        "retain_until": facts.retain_until,
        "reward_cents": has_pay,
    }
    if facts.sharing_question and not facts.answers.get("sharing"):
        open_items.append(SHARING_WITHOUT_DESCRIPTION)
    if facts.answers.get("sharing") and not facts.sharing_question:
        open_items.append(SHARING_WITHOUT_QUESTION)
    return (*open_items, *(words for key, words in STORED_ELSEWHERE.items() if not known[key]))
