"""What belongs around HUSE as JSON-ready values: permutation tests, curves, sensitivity."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from metrics.data.to_json import estimate_json, result_json
from metrics.huse.curves import Curve, Extrapolation, Spread
from metrics.huse.permutation_test import PermutationTest
from metrics.huse.sensitivity import Sensitivity, SensitivityRow
from metrics.types import Estimate


def permutation_estimate(test: PermutationTest) -> Estimate:
    """The p-value as an estimate; what was tested and how are its settings."""
    settings = {
        "measure": test.measure,
        "measured": test.value,
        "mid_p": test.mid_p,
        "permutations": test.permutations,
        "scheme": test.scheme,
        "null_mean": test.null_mean,
        "null_sd": test.null_sd,
        "note": test.note or None,
        **test.settings,
    }
    return Estimate(test.p, test.n, None, settings, test.flags, test.signature)


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


def sensitivity_json(table: Sensitivity) -> dict[str, Any]:
    """The default and each row by its choice, as the four measures; values of k that there were too few items for."""

    def rows(entries: Iterable[SensitivityRow]) -> dict[str, Any]:
        return {entry.choice: result_json(entry.result) for entry in entries}

    return {
        "default": result_json(table.default),
        "by_tie": rows(table.by_tie),
        "by_length": rows([table.unnormalised]),
        "by_size": rows([table.equal_sizes] if table.equal_sizes else []),
        "by_k": rows(table.by_k),
        "left_out_k": list(table.left_out),
        "signature": table.signature,
    }
