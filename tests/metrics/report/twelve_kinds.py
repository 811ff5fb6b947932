"""Twelve kinds of study, each built once a process: every task, imported ones, unrated ones, files alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from metrics.report.build import build_report
from metrics.report.formats.html import html
from metrics.report.records import CrowdFacts, MoneyFacts, ReportInput, StudyFacts
from metrics.report.result import Report
from metrics.report.row_records import Attached
from tests.annotation.reports.round_trips import ESTIMATE
from tests.annotation.reports.round_trips import KINDS as DESIGNS
from tests.metrics.report.samples import NOW, study
from tests.metrics.report.test_layouts import error_labels, likert

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


KINDS: dict[str, Callable[[], ReportInput]] = {
    **{name: (lambda make=make: make(SEED)) for name, make in DESIGNS.items()},
    "likert": likert,
    "error labels": error_labels,
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
