"""What the console says the intervals of results are for."""

from __future__ import annotations

from annotation.reports.measures import Measure, _measure, interval_targets

TEXTS = "expectation over new texts"
RATERS = "expectation over new texts and other raters"


def measure(name: str, target: str, low: float | None = 0.4) -> Measure:
    return Measure("t=1.0", name, 0.5, low, 0.6, 200, "", target)


def test_measures_with_one_target_stand_together_and_those_without_are_left_out() -> None:
    found = [measure("HUSE", TEXTS), measure("HUSE-Q", TEXTS), measure("HUSE", TEXTS), measure("HUSE-D", RATERS)]
    nothing = [measure("Accuracy", ""), measure("HUSE", "of no interval", None)]
    assert interval_targets([*found, *nothing]) == [("HUSE, HUSE-Q", TEXTS), ("HUSE-D", RATERS)]


def test_the_target_is_the_one_stored_with_the_interval() -> None:
    stored = {"value": 0.5, "n": 200, "interval": {"low": 0.4, "high": 0.6, "target": TEXTS}}
    named = {"subject": "t=1.0", "title": "HUSE"}
    assert _measure("huse", {**named, **stored}).target == TEXTS
    assert _measure("huse", {**named, "value": None, "n": 200, "interval": None}).target == ""
