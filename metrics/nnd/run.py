"""Models take near-negative tests: pass rates, differences between models, and where a category reverses them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from metrics.data.to_json import SCHEMA_VERSION, estimate_json
from metrics.likelihood import LogProbs, Pair, Scored, Store, score_all
from metrics.likelihood.scoring import Progress
from metrics.nnd.administer import Administered, Ties, administer_tests
from metrics.nnd.compare import Comparison, compare_models
from metrics.nnd.curves import CurvePoint
from metrics.nnd.documents import comparison_json, curves_json, outcomes_json, rates_json
from metrics.nnd.rates import PassRates, pass_rates
from metrics.nnd.records import TestSet
from metrics.types import Estimate


@dataclass(frozen=True, slots=True)
class Reversal:
    """A category on which two models change places.

    overall: pass rate of `first` less that of `second` on all tests both took; category_difference: on the tests of
    `category`. The two have opposite signs.
    """

    first: str
    second: str
    category: str
    overall: Estimate
    category_difference: Estimate


@dataclass(frozen=True)
class Findings:
    """All that one run found, models in the order given."""

    administered: list[Administered]
    rates: list[PassRates]
    comparisons: list[Comparison]
    curve: list[CurvePoint]
    reversals: list[Reversal]


def administer_by_model(
    tests: TestSet,
    backend: LogProbs,
    *,
    model: str,
    ties: Ties = "fail",
    store: Store | None = None,
    progress: Progress | None = None,
) -> Administered:
    """The tests as taken by a model; scores are kept in the store as they come. Raises the errors of `score_all`."""

    def scores(pairs: Sequence[Pair]) -> Sequence[Scored]:
        return score_all(backend, pairs, store=store, progress=progress)

    return administer_tests(tests, scores, model=model, ties=ties, scored_by=backend.card.signature)


def summarise_models(
    administered: Sequence[Administered], *, level: float = 0.95, draws: int = 2000, seed: int = 0
) -> Findings:
    """Pass rates of each model, each two compared, and the categories on which they change places.

    Raises BadInput, and InsufficientData where two models share no test.
    """
    listed = list(administered)
    rates = [pass_rates(model, level=level, draws=draws, seed=seed) for model in listed]
    pairs = list(itertools.combinations(listed, 2))
    comparisons = [compare_models(a, b, level=level, draws=draws, seed=seed) for a, b in pairs]
    reversals = [
        reversal
        for (a, b), comparison in zip(pairs, comparisons, strict=True)
        for reversal in find_reversals(a, b, comparison, level=level, draws=draws, seed=seed)
    ]
    return Findings(listed, rates, comparisons, [], reversals)


def find_reversals(
    first: Administered, second: Administered, comparison: Comparison, *, level: float, draws: int, seed: int
) -> list[Reversal]:
    """Categories whose difference has the sign opposite to the difference on all tests; none where that is 0."""
    overall = comparison.difference
    reversals = []
    for category in first.tests.by_category:
        mine, theirs = (_only(model, category) for model in (first, second))
        if not mine.outcomes or not theirs.outcomes:
            continue
        difference = compare_models(mine, theirs, level=level, draws=draws, seed=seed).difference
        if (difference.value or 0.0) * (overall.value or 0.0) < 0:
            reversals.append(Reversal(first.model, second.model, category, overall, difference))
    return reversals


def _only(administered: Administered, category: str) -> Administered:
    outcomes = tuple(outcome for outcome in administered.outcomes if category in outcome.test.categories)
    return replace(administered, outcomes=outcomes)


def findings_json(findings: Findings, *, outcomes: bool = False) -> dict[str, Any]:
    """The output of `nnd run --json`; outcomes: every test with both likelihoods."""
    models = []
    for model_tests, rates in zip(findings.administered, findings.rates, strict=True):
        scored_by = {"scored_by": model_tests.scored_by or None}
        models.append(
            {**rates_json(rates), **scored_by, **({"outcomes": outcomes_json(model_tests)} if outcomes else {})}
        )
    return {
        "schema_version": SCHEMA_VERSION,
        "models": models,
        "comparisons": [comparison_json(comparison) for comparison in findings.comparisons],
        "reversals": [_reversal_json(reversal) for reversal in findings.reversals],
        "curve": curves_json(findings.curve),
    }


def _reversal_json(reversal: Reversal) -> dict[str, Any]:
    return {
        "first": reversal.first,
        "second": reversal.second,
        "category": reversal.category,
        "overall": estimate_json(reversal.overall),
        "difference": estimate_json(reversal.category_difference),
    }
