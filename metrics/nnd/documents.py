"""Sets of tests and what came of them as JSON-ready values, and sets of tests read back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any

from metrics.data.json_files import Record, read_object
from metrics.data.to_json import SCHEMA_VERSION, estimate_json, interval_json
from metrics.errors import BadInput
from metrics.nnd.administer import Administered, Outcome
from metrics.nnd.compare import Comparison
from metrics.nnd.curves import CurvePoint
from metrics.nnd.rates import PassRate, PassRates
from metrics.nnd.records import Candidate, NndTest, TestSet
from metrics.nnd.verify import Verified
from metrics.types import Setting

KIND = "nnd_tests"


def tests_json(tests: TestSet) -> dict[str, Any]:
    """The output of `nnd build --json`: total, counts by category, what was excluded and why, then the tests.

    `nnd run` reads it back. Texts of contexts are listed once, candidates by id, tests name candidates.
    """
    parts = {test.high.part for test in tests.tests}
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": KIND,
        "source": tests.source,
        "settings": dict(tests.settings),
        "flags": list(tests.flags),
        "total": len(tests),
        "by_category": tests.by_category,
        "by_combination": tests.by_combination,
        "better_first": sum(test.high_first for test in tests.tests),
        "contexts_read": tests.contexts,
        "candidates_read": tests.candidates,
        "skipped": dict(tests.skipped),
        "contexts": {test.context_id: test.high.context for test in tests.tests},
        "candidates": [
            _candidate_json(candidate)
            for candidate in {(c.part, c.id): c for test in tests.tests for c in (test.high, test.low)}.values()
        ],
        "tests": [_test_json(test, named=len(parts) > 1) for test in tests.tests],
    }


def _candidate_json(candidate: Candidate) -> dict[str, Any]:
    values = {
        "id": candidate.id,
        "context_id": candidate.context_id,
        "text": candidate.text,
        "label": candidate.label,
        "quality": None if candidate.quality is None else str(candidate.quality),
        "marks": list(candidate.marks),
        "part": candidate.part,
        "system": candidate.system,
    }
    return {key: value for key, value in values.items() if value not in (None, "", []) or key == "text"}


def _test_json(test: NndTest, named: bool) -> dict[str, Any]:
    values = {"high": test.high.id, "low": test.low.id, "high_first": test.high_first}
    return {**values, "part": test.high.part} if named else values


def read_tests(path: Path) -> TestSet:
    """Tests from the output of `nnd build --json`. Raises BadInput."""
    document = read_object(path)
    if document.values.get("kind") != KIND or document.values.get("schema_version") != SCHEMA_VERSION:
        raise BadInput(f"the file is not a set of tests ({KIND}, version {SCHEMA_VERSION})", where=path.name)
    contexts = document.record("contexts").values
    candidates: dict[tuple[str, str], Candidate] = {}
    for place, record in enumerate(document.records("candidates"), start=1):
        candidate = _candidate(Record(path.name, place, record.values), contexts)
        if (candidate.part, candidate.id) in candidates:
            raise document.error("candidates", f"duplicate candidate {candidate.id!r}")
        candidates[candidate.part, candidate.id] = candidate
    single = next(iter(candidates))[0] if len({part for part, _ in candidates}) == 1 else None
    tests = [
        _test(Record(path.name, place, record.values), candidates, single)
        for place, record in enumerate(document.records("tests"), start=1)
    ]
    if not tests:
        raise BadInput("the file holds no test", where=path.name, column="tests")
    return TestSet(
        tuple(tests),
        document.text("source"),
        int(document.number("contexts_read")),
        int(document.number("candidates_read")),
        {name: int(count) for name, count in document.record("skipped").values.items() if isinstance(count, int)},
        _settings(document),
        tuple(str(flag) for flag in document.sequence("flags")),
    )


def _settings(document: Record) -> dict[str, Setting]:
    values = document.record("settings").values
    return {name: value for name, value in values.items() if value is None or isinstance(value, str | int | float)}


def _candidate(record: Record, contexts: Any) -> Candidate:
    context_id = record.text("context_id")
    context = contexts.get(context_id)
    if context is not None and not isinstance(context, str):
        raise record.error("context_id", "the context is not a text")
    text = None if record.get("text") is None else record.text("text", blank=True)
    marks = tuple(str(mark) for mark in record.sequence("marks")) if "marks" in record.values else ()
    quality = None
    if "quality" in record.values:
        try:
            quality = Fraction(record.text("quality"))
        except (ValueError, ZeroDivisionError):
            raise record.error("quality", "a number was expected") from None
    return Candidate(
        record.text("id"),
        context_id,
        context,
        text,
        record.text("label"),
        quality,
        marks,
        str(record.values.get("part", "")),
        str(record.values.get("system", "")),
    )


def _test(record: Record, candidates: dict[tuple[str, str], Candidate], single: str | None) -> NndTest:
    part = single if single is not None else str(record.values.get("part", ""))
    pair = []
    for key in ("high", "low"):
        candidate = candidates.get((part, record.text(key)))
        if candidate is None:
            raise record.error(key, f"test {record.row} names a candidate that is not there")
        pair.append(candidate)
    high, low = pair
    if high.context_id != low.context_id:
        raise record.error("low", f"the candidates of test {record.row} have different contexts")
    first = record.get("high_first")
    if not isinstance(first, bool):
        raise record.error("high_first", "true or false was expected")
    return NndTest(high, low, first)


def rates_json(rates: PassRates) -> dict[str, Any]:
    """Pass rates of one model: overall, by category, and by combination where tests carry several categories."""
    several = any(" + " in name for name in rates.by_combination)
    return {
        "model": rates.model,
        "overall": rate_json(rates.overall),
        "by_category": {name: rate_json(rate) for name, rate in rates.by_category.items()},
        "by_combination": {name: rate_json(rate) for name, rate in rates.by_combination.items()} if several else None,
        "tests_left_out": rates.left_out,
        "candidates_without_score": list(rates.missing),
    }


def rate_json(rate: PassRate) -> dict[str, Any]:
    """An estimate with counts, and Wilson's interval besides the headline one."""
    counts = {"passed": rate.passed, "failed": rate.failed, "ties": rate.ties, "contexts": rate.contexts}
    other_intervals = {"wilson": rate.wilson, "bootstrap": rate.bootstrap}
    intervals = {name: interval_json(interval, rate.estimate.signature) for name, interval in other_intervals.items()}
    return {**estimate_json(rate.estimate), **counts, **intervals}


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """McNemar's table and p, and the difference of pass rates."""
    table = comparison.mcnemar
    return {
        "first": comparison.first,
        "second": comparison.second,
        "both": comparison.both,
        "only_first": table.only_first,
        "only_second": table.only_second,
        "neither": comparison.neither,
        "mcnemar_p": table.p,
        "difference": estimate_json(comparison.difference),
    }


def verified_json(verified: Verified) -> dict[str, Any]:
    """Tau and both gap correlations of one metric."""
    tau = verified.tau
    return {
        "systems": list(verified.systems),
        "kendall_tau": {**estimate_json(tau.estimate), "p": tau.p, "p_method": tau.p_method},
        "gap_correlation": estimate_json(verified.gap),
        "gap_correlation_as_printed": estimate_json(verified.gap_as_printed),
    }


def curves_json(points: Sequence[CurvePoint]) -> list[dict[str, Any]]:
    """One object a point."""
    return [asdict(point) for point in points]


def outcomes_json(administered: Administered) -> list[dict[str, Any]]:
    """Every test taken, with both likelihoods; null where a likelihood is -inf."""
    return [_outcome_json(outcome) for outcome in administered.outcomes]


def _outcome_json(outcome: Outcome) -> dict[str, Any]:
    return {
        "context_id": outcome.test.context_id,
        "high": outcome.test.high.id,
        "low": outcome.test.low.id,
        "categories": list(outcome.test.categories),
        "log_likelihood_high": outcome.high if math.isfinite(outcome.high) else None,
        "log_likelihood_low": outcome.low if math.isfinite(outcome.low) else None,
        "passed": outcome.passed,
        "tied": outcome.tied,
    }
