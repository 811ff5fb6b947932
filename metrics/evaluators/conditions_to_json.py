"""Comparisons of conditions as JSON-ready values: every number with n, interval, settings, flags, signature."""

from __future__ import annotations

from typing import Any

from metrics.data.to_json import estimate_json
from metrics.evaluators.conditions import ConditionComparison
from metrics.inference.anova import Anova
from metrics.inference.equivalence import Equivalence
from metrics.inference.mixed_model import MixedModel
from metrics.types import Estimate


def comparison_json(comparison: ConditionComparison) -> dict[str, Any]:
    """`anova` (its value is F), then by pair `tukey_kramer`, `difference`, `cohens_d`, `hedges_g`, `smallest_effect`,
    and `tost` by condition and pair."""
    by_pair = {f"{pair.a} - {pair.b}": pair for pair in comparison.pairs}
    return {
        "anova": estimate_json(anova_estimate(comparison.anova)),
        "tukey_kramer": {f"{pair.a} - {pair.b}": estimate_json(pair.difference) for pair in comparison.tukey},
        **{
            name: {pair: estimate_json(getattr(entry, name)) for pair, entry in by_pair.items()}
            for name in ("difference", "cohens_d", "hedges_g", "smallest_effect")
        },
        "tost": {name: estimate_json(tost_estimate(entry)) for name, entry in comparison.equivalence.items()},
        "family": {
            "name": comparison.family.name,
            "hypotheses": list(comparison.family.hypotheses),
            "alpha": comparison.family.alpha,
        },
        "left_out": list(comparison.left_out),
        "flags": list(comparison.flags),
    }


def mixed_json(model: MixedModel) -> dict[str, Any]:
    """Effects as estimates; variances and standard errors by name; what the reader must know."""
    return {
        "effects": {name: estimate_json(estimate) for name, estimate in model.effects.items()},
        "standard_errors": dict(model.standard_errors),
        "variances": dict(model.variances),
        "flags": list(model.flags),
        "note": model.note,
    }


def anova_estimate(anova: Anova) -> Estimate:
    """F as an estimate; df, p and eta squared are its settings."""
    settings = {
        "df_between": anova.df_between,
        "df_within": anova.df_within,
        "p": anova.p,
        "eta_squared": anova.eta_squared,
        "groups": len(anova.groups),
    }
    return Estimate(anova.f, anova.n, None, settings, anova.flags, anova.signature)


def tost_estimate(test: Equivalence) -> Estimate:
    """The mean or difference with its interval at 1 - 2 alpha; both t, p, the verdict and the margin are settings."""
    settings = {
        "t_low": test.t_low,
        "t_high": test.t_high,
        "df": test.df,
        "p": test.p,
        "equivalent": test.equivalent,
        "margin_low": test.margin.low,
        "margin_high": test.margin.high,
        "margin_declared": test.margin.declared,
        "alpha": test.alpha,
    }
    return Estimate(test.value, test.n, test.interval, settings, test.flags, test.signature)
