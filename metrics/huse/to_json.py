"""What belongs around HUSE as JSON-ready values: permutation tests, curves, sensitivity."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from metrics.data.to_json import estimate_json, result_json
from metrics.huse.curves import Curve, Extrapolation, Spread
from metrics.huse.permutation_test import PermutationTest
from metrics.huse.sensitivity import Sensitivity, SensitivityRow
from metrics.types import Estimate


def permutation_estimate(found: PermutationTest) -> Estimate:
    """The p-value as an estimate; what was tested and how are its settings."""
    settings = {
        "measure": found.measure,
        "measured": found.value,
        "mid_p": found.mid_p,
        "permutations": found.permutations,
        "scheme": found.scheme,
        "null_mean": found.null_mean,
        "null_sd": found.null_sd,
        "note": found.note or None,
        **found.settings,
    }
    return Estimate(found.p, found.n, None, settings, found.flags, found.signature)


def permutations_json(tests: Iterable[PermutationTest]) -> dict[str, Any]:
    """One p-value a measure."""
    return {test.measure: estimate_json(permutation_estimate(test)) for test in tests}


def curve_json(curve: Curve) -> dict[str, Any]:
    """`huse` and `huse_q` by number of ratings or of texts: means over draws with the band of the draws, and the fits
    (replicate curve only)."""
    rows = {name: {str(p.at): _point(curve, p.at, getattr(p, name)) for p in curve.points} for name in MEASURES}
    fits = {"huse": _fit(curve.fit), "huse_q": _fit(curve.fit_q)}
    return {"over": curve.over, **rows, "fit": fits, "note": curve.note, "flags": list(curve.flags)}


MEASURES = ("huse", "huse_q")


def _point(curve: Curve, at: int, spread: Spread) -> dict[str, Any]:
    band = spread.band(curve.band)
    settings = {**curve.settings, curve.over: at, "sd_of_draws": spread.sd}
    return estimate_json(Estimate(spread.mean, curve.n, band, settings, curve.flags, curve.signature))


def _fit(fit: Extrapolation | None) -> dict[str, Any] | None:
    if fit is None:
        return None
    return {"a": fit.a, "b": fit.b, "from_at": fit.from_at, "points": fit.points, "note": fit.note}


def sensitivity_json(found: Sensitivity) -> dict[str, Any]:
    """The default and each row by its choice, as the four measures; values of k that there were too few items for."""

    def rows(entries: Iterable[SensitivityRow]) -> dict[str, Any]:
        return {entry.choice: result_json(entry.result) for entry in entries}

    return {
        "default": result_json(found.default),
        "by_tie": rows(found.by_tie),
        "by_length": rows([found.unnormalised]),
        "by_size": rows([found.equal_sizes] if found.equal_sizes else []),
        "by_k": rows(found.by_k),
        "left_out_k": list(found.left_out),
        "signature": found.signature,
    }
