"""Comparisons of conditions as JSON-ready values: every number with n, interval, settings, flags, signature."""

from __future__ import annotations

from typing import Any

from metrics.data.to_json import estimate_json
from metrics.evaluators.conditions import ConditionComparison
from metrics.inference.anova import Anova
from metrics.inference.equivalence import Equivalence
from metrics.inference.mixed_model import MixedModel
from metrics.types import Estimate


def comparison_json(found: ConditionComparison) -> dict[str, Any]:
    """`anova` (its value is F), then by pair `tukey_kramer`, `difference`, `cohens_d`, `hedges_g`, `smallest_effect`,
    and `tost` by condition and pair."""
    by_pair = {f"{pair.a} - {pair.b}": pair for pair in found.pairs}
    return {
        "anova": estimate_json(anova_estimate(found.anova)),
        "tukey_kramer": {f"{pair.a} - {pair.b}": estimate_json(pair.difference) for pair in found.tukey},
        **{
            name: {pair: estimate_json(getattr(entry, name)) for pair, entry in by_pair.items()}
            for name in ("difference", "cohens_d", "hedges_g", "smallest_effect")
        },
        "tost": {name: estimate_json(tost_estimate(entry)) for name, entry in found.equivalence.items()},
        "family": {
            "name": found.family.name,
            "hypotheses": list(found.family.hypotheses),
            "alpha": found.family.alpha,
        },
        "left_out": list(found.left_out),
        "flags": list(found.flags),
    }


def mixed_json(found: MixedModel) -> dict[str, Any]:
    """Effects as estimates; variances and standard errors by name; what the reader must know."""
    return {
        "effects": {name: estimate_json(estimate) for name, estimate in found.effects.items()},
        "standard_errors": dict(found.standard_errors),
        "variances": dict(found.variances),
        "flags": list(found.flags),
        "note": found.note,
    }


def anova_estimate(found: Anova) -> Estimate:
    """F as an estimate; df, p and eta squared are its settings."""
    settings = {
        "df_between": found.df_between,
        "df_within": found.df_within,
        "p": found.p,
        "eta_squared": found.eta_squared,
        "groups": len(found.groups),
    }
    return Estimate(found.f, found.n, None, settings, found.flags, found.signature)


def tost_estimate(found: Equivalence) -> Estimate:
    """The mean or difference with its interval at 1 - 2 alpha; both t, p, the verdict and the margin are settings."""
    settings = {
        "t_low": found.t_low,
        "t_high": found.t_high,
        "df": found.df,
        "p": found.p,
        "equivalent": found.equivalent,
        "margin_low": found.margin.low,
        "margin_high": found.margin.high,
        "margin_declared": found.margin.declared,
        "alpha": found.alpha,
    }
    return Estimate(found.value, found.n, found.interval, settings, found.flags, found.signature)
