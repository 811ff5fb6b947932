"""The five kinds of task, and what each asks of a text: its scale, its criterion, what follows an answer."""

from __future__ import annotations

from dataclasses import dataclass

Labels = tuple[tuple[str, str, str], ...]  # label, code, gloss

TYPICALITY = "typicality"
HUMAN_OR_MACHINE = "human_or_machine"
LIKERT = "likert"
ERROR_LABELS = "error_labels"
PAIRWISE = "pairwise"
KINDS = (TYPICALITY, HUMAN_OR_MACHINE, LIKERT, ERROR_LABELS, PAIRWISE)


@dataclass(frozen=True, slots=True)
class Criterion:
    """One question about a text, answered on a scale. many: several labels may be chosen."""

    name: str
    question: str
    scale: str
    labels: Labels
    many: bool = False


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A text asked for after an answer. when: the labels that call for it (none: always)."""

    name: str
    text: str
    when: tuple[str, ...] = ()
    least_characters: int = 0
    required: bool = True


# Clark et al. 2021, section 2.1, word for word: the first one after "Definitely human-written", the second one after
# the other labels.
CLARK_FOLLOW_UPS = {
    "reason": "Why did you select this rating?",
    "change": "What would you change to make it seem more human-like?",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A label of a scale as the page shows it."""

    label: str
    gloss: str


# HUSE (Hashimoto et al. 2019), Appendix A.3: the labels are terms of the field; codes 0-5 as printed there.
# The glosses are ours.
TYPICALITY_LABELS: Labels = (
    ("Very Typical", "5", "You would expect to come across this all the time."),
    ("Typical", "4", "You would often come across something like this."),
    ("Average", "3", "It would not surprise you, but you would see it less often than a typical one."),
    ("Specific", "2", "It is right, but only in a very particular setting."),
    ("Rare", "1", "It could be right somewhere, but you would be surprised to see it."),
    ("Invalid", "0", "It is not a valid one: clearly false, off the subject, or not grammatical."),
)

# Clark et al. 2021, section 2.1; codes as there (1 and 2 are read as human, 3 and 4 as machine).
HUMAN_OR_MACHINE_LABELS: Labels = (
    ("Definitely human-written", "1", ""),
    ("Possibly human-written", "2", ""),
    ("Possibly machine-generated", "3", ""),
    ("Definitely machine-generated", "4", ""),
)

AGREEMENT_LABELS: Labels = (
    ("Strongly disagree", "1", ""),
    ("Disagree", "2", ""),
    ("Neither agree nor disagree", "3", ""),
    ("Agree", "4", ""),
    ("Strongly agree", "5", ""),
)

# Laban et al. 2022, section 3.1: the categories of Quiz Design; the glosses are ours.
ERROR_LABELS_OF_QUESTIONS: Labels = (
    ("No Error", "0", "It does what it should."),
    ("Disfluent", "1", "It reads badly: broken grammar, repetition, words that do not belong."),
    ("Off Target", "2", "It is sound, but does not answer to what was asked for."),
    ("Wrong Context", "3", "It does not fit the text it belongs to, or says something false about it."),
)

PREFERENCE_LABELS: Labels = (
    ("The first", "1", ""),
    ("No difference", "0", ""),
    ("The second", "-1", ""),
)
