"""A crowd of 60 honest people, 16 of whom write otherwise than most: nobody is excluded for how they write.

Four are terse, four dictate (the whole explanation arrives in one input event, without a key), four paste from their
own notes, four write German on an English study. All read: their labels follow the texts, with noise, at a reader's
pace. The crowd is written from this description; nothing here looks into a filter.
"""

from __future__ import annotations

import numpy as np
import pytest

from annotation.quality.filters import BY_KIND, DEFAULTS, FILTERS, NAMED_SETS
from annotation.quality.measure import measure_work
from annotation.quality.rules import Rule
from annotation.quality.work_table import Work
from tests.annotation.quality.factories import Shown, work

HITS, TEXTS, PEOPLE = 3, 5, 60
STYLES = ("terse", "dictated", "from notes", "German")
# Filters of the specification that look only at how somebody writes.
HOW_THEY_WRITE = {"F14", "F16", "F19", "F20"}
NOUNS = [
    "mayor", "river", "market", "storm", "school", "train", "farmer", "museum", "harbour", "team", "court", "doctor",
    "bridge", "factory", "garden",
]  # fmt: skip
BODIES = [f"the {noun} of the old town was the talk of all papers on a grey monday in late march" for noun in NOUNS]
TERSE = ("looks fine", "odd", "fine", "too neat")
OPENINGS = ("I think", "To me", "My feeling is that", "It seems that", "I would say")
CLAIMS = ("this could be from a paper", "the order of the words is wrong", "a person would not say it like that",
          "it is just what you read in the news", "the day and the month are at odds")  # fmt: skip
GERMAN = (
    "Der Satz klingt wie aus einer Zeitung, besonders wegen {}",
    "So schreibt niemand, finde ich, vor allem {} nicht",
    "Die Wortfolge wirkt auf mich holprig, etwa bei {}",
    "Das liest sich ganz natürlich, auch {} passt gut",
)


def style_of(person: int) -> str:
    return STYLES[person // 4] if person < 16 else "plain"


def explanation(person: int, text: int) -> str:
    noun, at = NOUNS[text], person + text
    if style_of(person) == "terse":
        return TERSE[at % len(TERSE)]
    if style_of(person) == "German":
        return f"{GERMAN[at % len(GERMAN)].format(noun)} (Nummer {person}, {text})."
    return f"{OPENINGS[at % 5]} {CLAIMS[(at // 5) % 5]}, and the {noun} is why; I gave it a {person}.{text} in my mind."


def shown(person: int, text: int, draws: np.random.Generator) -> Shown:
    said, way = explanation(person, text), style_of(person)
    keys = {"dictated": 0, "from notes": 2}.get(way, len(said) + 3)
    reading = len(BODIES[text].split()) / 238 * 60
    return Shown(
        text,
        label=int(np.clip(round(text % 6 + draws.normal(0, 1)), 0, 5)),
        words=len(BODIES[text].split()),
        ms=1000 * (reading + 2) * float(np.exp(draws.normal(0, 0.3))),
        keys=float(keys),
        pastes=1.0 if way == "from notes" else 0.0,
        reason=said,
    )


@pytest.fixture(scope="module")
def crowd() -> Work:
    """Each person does one HIT of five texts; twenty people do each HIT."""
    draws = np.random.default_rng(17)
    sheets = [range(hit * TEXTS, hit * TEXTS + TEXTS) for hit in range(HITS)]
    return work([[shown(one, text, draws) for text in sheets[one % HITS]] for one in range(PEOPLE)], bodies=BODIES)


def excluded_by(crowd: Work, rules: list[Rule]) -> set[int]:
    """The people for whom a rule of these holds."""
    found = measure_work(crowd)
    findings = [
        {kind: [float(one.value[i]), None, None, int(one.n[i])] for kind, one in found.measured.items() if one.n[i]}
        for i in range(PEOPLE)
    ]
    return {i for i, told in enumerate(findings) if any(rule.holds(told, frozenset()) for rule in rules)}


def test_nobody_is_excluded_by_default_for_how_they_write(crowd: Work) -> None:
    assert excluded_by(crowd, [Rule(kind) for kind in DEFAULTS]) == set()
    assert excluded_by(crowd, [Rule(kind) for kind in NAMED_SETS["default"].kinds]) == set()


def test_the_papers_rules_would_exclude_all_sixteen_and_raise_flags_for_them_by_default(crowd: Work) -> None:
    """So the crowd is one that the filters do hit: the test above does not pass for want of evidence."""
    assert excluded_by(crowd, [Rule(kind) for kind in NAMED_SETS["papers"].kinds]) == set(range(16))
    found = measure_work(crowd)
    flagged = {
        i for one in FILTERS if one.flags and one.id in HOW_THEY_WRITE for i in np.flatnonzero(found.raised[one.kind])
    }
    assert flagged == set(range(16))


def test_the_named_sets_differ_by_the_filters_on_how_somebody_writes() -> None:
    """Before, the specification's defaults held these four; the papers' set keeps them, and nothing else differs."""
    default, papers = (set(NAMED_SETS[name].kinds) for name in ("default", "papers"))
    assert default < papers
    assert {BY_KIND[kind].id for kind in papers - default} == HOW_THEY_WRITE
    assert {BY_KIND[kind].id for kind in papers} == {"F4", "F8", "F14", "F15", "F16", "F19", "F20", "F24"}
