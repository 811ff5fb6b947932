"""Kinds of study, each built once a process: every task, imported ones, unrated ones, files alone."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from metrics.data.answer_types import AnswerType
from metrics.report.build import build_report
from metrics.report.formats.html import html
from metrics.report.records import CrowdFacts, MoneyFacts, RatingRow, ReportInput, ScaleLabel, StudyFacts
from metrics.report.result import Report
from metrics.report.row_records import Attached
from tests.annotation.reports.round_trips import ESTIMATE
from tests.annotation.reports.round_trips import KINDS as DESIGNS
from tests.metrics.report.samples import MONEY, NOW, STUDY, study
from tests.metrics.report.test_layouts import error_labels, likert, texts

SEED, K = 3, 5
LONG = "a-very-long-name-of-a-generator/with_parts.and-no-space" + "x" * 40
RATE = {**ESTIMATE, "interval": {"low": 0.4, "high": 0.6, "level": 0.95, "method": "wilson"}}
NEAR_NEGATIVE = {"model": "tiny", "overall": RATE, "by_category": {"grammar": RATE, "repetition": RATE}}
BARE = StudyFacts("bare", "typicality ratings", "", "text", (), "", "imported")


def _unrated() -> ReportInput:
    given = study({"t=0.7": (0.4, 0.6)}, texts=8, raters=3)
    facts = [
        replace(one, items=tuple(replace(item, hj=None, ratings=0) for item in one.items)) for one in given.generators
    ]
    return replace(given, ratings=(), generators=tuple(facts), money=MoneyFacts(), crowd=CrowdFacts())


def _near_negative() -> ReportInput:
    given = DESIGNS["bare"](SEED)
    files = (Attached("nnd", "n.json", "0" * 64, NEAR_NEGATIVE),)
    return replace(given, attached=files, generators=(), ratings=())


def _answered(
    task: str, criteria: dict[str, tuple[AnswerType, dict[str, int]]], *, choice: bool = False
) -> ReportInput:
    """Five raters answer each criterion of every text at random. choice: one text of each context, else a label."""
    rng, rows = random.Random(task), []
    for at in range(12):
        for rater in range(5):
            chosen = rng.choice(("r", "m"))
            for side in ("r", "m"):
                for criterion, (_, scale) in criteria.items():
                    label = list(scale)[side != chosen] if choice else rng.choice(list(scale))
                    unit = (f"w{rater}", label, scale[label], f"HIT {at // 6}", at % 6 + 1, rater != 4, criterion)
                    rows.append(RatingRow(f"{side}{at}", *unit))
    first = next(iter(criteria.values()))[1]
    facts = replace(
        STUDY,
        task=task,
        scale=tuple(ScaleLabel(name, code) for name, code in first.items()),
        coding="as shown",
        answers=tuple((name, str(answer)) for name, (answer, _) in criteria.items()),
    )
    return ReportInput(facts, (), texts(), tuple(rows), MONEY)


AGREEMENT = {f"{degree} of {at}": at for at, degree in enumerate(("Bad", "Poor", "Fair", "Good", "Very good"), 1)}
ERRORS = {"No error": 0, "Disfluent": 1, "Off target": 2}
HUNDRED = {str(code): code for code in range(0, 101, 10)}

KINDS: dict[str, Callable[[], ReportInput]] = {
    **{name: (lambda make=make: make(SEED)) for name, make in DESIGNS.items()},
    "likert": likert,
    "error labels": error_labels,
    "which machine": lambda: _answered(
        "which_machine",
        {"which_machine": (AnswerType.CHOSEN_TEXT, {"A machine wrote it": 1, "A person wrote it": 0})},
        choice=True,
    ),
    "direct assessment": lambda: _answered("direct_assessment", {"quality": (AnswerType.NUMBER, HUNDRED)}),
    "documents": lambda: _answered(
        "document_rating", dict.fromkeys(("quality_of_the_document", "coherence"), (AnswerType.ORDINAL, AGREEMENT))
    ),
    "severity": lambda: _answered(
        "error_labels",
        {"error": (AnswerType.SINGLE_LABEL, ERRORS), "severity": (AnswerType.ORDINAL, AGREEMENT)},
    ),
    "one generator of a long name": lambda: study({LONG: (0.4, 0.6)}, texts=12, raters=6),
    "unrated": _unrated,
    "near-negative": _near_negative,
    "nothing but texts": lambda: replace(_unrated(), study=BARE, generators=()),
}


@cache
def report_of(name: str) -> Report:
    """The report of a kind."""
    return build_report(KINDS[name](), k=K)


@cache
def page_of(name: str) -> str:
    """Its page."""
    return html(report_of(name), now=NOW)
