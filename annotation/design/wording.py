"""Every word a worker reads, as data of the study: defaults of our own, edited as JSON, versioned by digest.

A replication pastes a paper's exact text here. `{noun}`, `{nouns}` and `{a noun}` stand for what a text is called, and
`{context: ...}` holds words for texts that are shown with a context (see `nouns`). In an explanation of a practice
pair `{human}` and `{machine}` stand for the side on which that text is shown.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError

from annotation.design.criteria import Criterion, FollowUp
from annotation.design.nouns import fill_words, plural_of
from annotation.exceptions import DesignError

SCHEMA_VERSION = 1
MAX_TITLE_CHARS, MAX_DESCRIPTION_CHARS, MAX_KEYWORDS_CHARS = 128, 2000, 1000  # of the Requester API


@dataclass(frozen=True, slots=True)
class Practice:
    """A practice round: a text, which source wrote it, and why that could be told."""

    text: str
    source: str
    explanation: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class PracticePair:
    """Two texts from one prompt, one by a person and one by a machine, and why that could be told.

    explanation: names a text by `{human}` or `{machine}`, for which the page writes the side where it is shown. A pair
    whose explanation names a side in words of its own (`the second one`) is always shown in this order.
    """

    human: str
    machine: str
    explanation: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class Training:
    """What the arms of a study show before the task."""

    instructions: tuple[str, ...] = ()
    examples: tuple[Practice, ...] = ()
    comparison: tuple[PracticePair, ...] = ()


@dataclass(frozen=True, slots=True)
class Buttons:
    """The small words of a page. `{n}`, `{of}`: numbers; `{answer}`: a label; `{label}`: what to choose."""

    next: str = "Next"
    back: str = "Back"
    submit: str = "Submit"
    check: str = "Check my answer"
    progress: str = "{n} of {of} answered"
    step: str = "Step {n} of {of}"
    place: str = "{n} of {of}"
    meanings: str = "What the answers mean"
    preview: str = "This is a preview. Accept the work to answer."
    missing: str = "Something is still to be answered here. It is marked below."
    short: str = "Please write at least {n} characters."
    right: str = "Yes."
    wrong: str = "Not this time."
    truth_human: str = "A person wrote this one."
    truth_machine: str = "A machine wrote this one."
    truth_first: str = "A machine wrote the first one."
    truth_second: str = "A machine wrote the second one."
    which_machine: str = "Choose the one you think a machine wrote."
    practice: str = "Practice {n} of {of}"
    practice_intro: str = "Before you begin, try a few. These are for practice and do not count."
    before: str = "Before you begin"
    first: str = "First"
    second: str = "Second"
    attention: str = "To show that you are reading along, please choose “{label}” here."
    lost_word: str = "a lost word"


@dataclass(frozen=True)
class Wording:
    """All wordings of a study. kind: the task. consent: paragraphs of a first page (none: the market shows one).

    sharing: what a box on the first page agrees to, that answers are published ("": not asked).
    noun_with_article: what `{a noun}` stands for ("": in English `a` or `an` with the noun, else the noun alone).
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    kind: str
    title: str
    description: str
    keywords: str
    noun: str
    nouns: str
    heading: str
    intro: tuple[str, ...]
    criteria: tuple[Criterion, ...]
    follow_ups: tuple[FollowUp, ...] = ()
    unknown_markers: tuple[str, ...] = ("<UNK>", "<unk>", "UNKNOWN", "####")
    unknown_clause: str = (
        "A box ▢ marks a lost word. Read it as a rare word that fits; please do not mark {a noun} down for it."
    )
    consent: tuple[str, ...] = ()
    measured: str = (
        "While you work, this page notes how long you look at each {noun}, whether you leave the page, and how much "
        "you type or paste, never what you type elsewhere."
    )
    measure: bool = True
    training: Training = field(default_factory=Training)
    buttons: Buttons = field(default_factory=Buttons)
    language: str = "en"
    thanks: str = "That was all. Submit your answers. Thank you."
    noun_with_article: str = ""
    sharing: str = ""

    def fill_nouns(self, text: str, *, context: bool = False) -> str:
        """Fill the study's nouns into `text`. context: whether the text that it is about is shown with a context."""
        with_article = self.noun_with_article or ("" if self.language.lower().startswith("en") else self.noun)
        return fill_words(text, noun=self.noun, nouns=self.nouns, context=context, with_article=with_article)

    def digest(self) -> str:
        """SHA-256 of the wording, in hex: its version."""
        return hashlib.sha256(json.dumps(as_json(self), sort_keys=True, ensure_ascii=False).encode()).hexdigest()


_FORM = TypeAdapter(Wording)
# Judgments are averaged by these: exact numbers, also as fractions.
_NUMBER = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,9}|/[1-9][0-9]{0,8})?")


def as_json(wording: Wording) -> dict[str, Any]:
    """The wording as it is stored and edited."""
    document = {"schema_version": SCHEMA_VERSION, **json.loads(json.dumps(asdict(wording)))}
    # Wordings that do not ask keep the digest that they had before there was this question.
    return document if wording.sharing else {name: text for name, text in document.items() if name != "sharing"}


def from_json(document: Mapping[str, Any]) -> Wording:
    """Read what `as_json` wrote and a person may have edited. Raises DesignError naming the field and the rule."""
    if document.get("schema_version") != SCHEMA_VERSION:
        raise DesignError(f"schema_version is {SCHEMA_VERSION} in a wording of this version.")
    rest = {name: value for name, value in document.items() if name != "schema_version"}
    try:
        wording = _FORM.validate_json(json.dumps(rest), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole text"
        raise DesignError(f"Task text, {where}: {first['msg'].lower()}.").at(where) from None
    _check(wording)
    return wording


def _check(wording: Wording) -> None:
    limits = {"title": MAX_TITLE_CHARS, "description": MAX_DESCRIPTION_CHARS, "keywords": MAX_KEYWORDS_CHARS}
    for name, max_chars in limits.items():
        text = wording.fill_nouns(getattr(wording, name))
        if not text.strip() or len(text) > max_chars:
            raise DesignError(f"The {name} has 1 to {max_chars:,} characters; this one has {len(text):,}.").at(name)
    if not wording.criteria:
        raise DesignError("A task asks at least one question: criteria is empty.").at("criteria")
    names = [criterion.name for criterion in wording.criteria] + [follow_up.name for follow_up in wording.follow_ups]
    if twice := [name for name in names if names.count(name) > 1]:
        raise DesignError(f"The name {twice[0]} is used twice among criteria and follow_ups.")
    for criterion in wording.criteria:
        _check_scale(criterion)
    labels = {label for criterion in wording.criteria for label, _, _ in criterion.labels}
    for follow_up in wording.follow_ups:
        if odd := [label for label in follow_up.when if label not in labels]:
            raise DesignError(f"The follow-up {follow_up.name} waits for the label {odd[0]}, which no scale has.")
    if bad := [example.source for example in wording.training.examples if example.source not in ("human", "machine")]:
        raise DesignError(f"The source of a practice text is human or machine, not {bad[0]}.")


def _check_scale(criterion: Criterion) -> None:
    if len(criterion.labels) < 2:
        raise DesignError(f"The scale of {criterion.name} has at least two labels.").at("labels")
    for place, what in ((0, "label"), (1, "code")):
        values = [row[place] for row in criterion.labels]
        if len(set(values)) < len(values) or not all(values):
            raise DesignError(f"Every {what} of {criterion.name} is there, and there once.").at("labels")
    if odd := [code for _, code, _ in criterion.labels if not _NUMBER.fullmatch(code)]:
        problem = f"A code of {criterion.name} is a number such as 4, -1 or 0.5, not {odd[0]!r}."
        raise DesignError(problem).at("labels")


# What a text is called and asked in the settings of HUSE, in our own words with the paper's meaning.
SETTINGS: dict[str, dict[str, Any]] = {
    "headline": {
        "noun": "headline",
        "nouns": "headlines",
        "question": "How typical is this {noun}{context: for the article above}?",
        "fits": "{context: and true to the article}",
    },
    "story ending": {
        "noun": "ending",
        "nouns": "endings",
        "question": "How typical is this {noun}{context: for the story above}?",
        "fits": "{context: and follows from the story}",
    },
    "chit-chat reply": {
        "noun": "reply",
        "nouns": "replies",
        "question": "How typical is this {noun}{context: to what was said above}?",
        "fits": "{context: and answers what was said}",
    },
    "sentence": {
        "noun": "sentence",
        "nouns": "sentences",
        "question": "How typical is this {noun}?",
        "fits": " and makes sense on its own",
    },
}


# The same of texts that none of these settings is about.
_OTHER_SETTING = {
    "question": "How typical is this {noun}{context: for what is shown above}?",
    "fits": "{context:, fits what is shown above,} and makes sense",
}


def rename_texts(wording: Wording, noun: str, nouns: str = "") -> Wording:
    """The wording for texts that are called so. nouns: several of them; "" for the English plural.

    Words of a setting of HUSE, which speak of an article or a story, give way to those of the new name.
    """
    renamed = replace(wording, noun=noun, nouns=nouns or plural_of(noun))
    if noun == wording.noun:
        return renamed
    new = next((words for words in SETTINGS.values() if words["noun"] == noun), _OTHER_SETTING)
    old = [words for words in SETTINGS.values() if words["noun"] not in (noun, "sentence")]
    questions = {words["question"] for words in old}
    return replace(
        renamed,
        noun_with_article="",
        intro=tuple(_refit(text, [words["fits"] for words in old], new["fits"]) for text in wording.intro),
        criteria=tuple(
            replace(criterion, question=new["question"]) if criterion.question in questions else criterion
            for criterion in wording.criteria
        ),
    )


def _refit(text: str, old: list[str], new: str) -> str:
    for fits in old:
        text = text.replace(f"grammatical{fits}", f"grammatical{new}")
    return text
