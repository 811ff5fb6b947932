"""Numbers that were computed elsewhere and handed over as files: near-negative tests, automatic scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from metrics.errors import BadInput
from metrics.report.particulars import Attached, AttachedKind
from metrics.report.section import Section
from metrics.tables.record import Column, Row, Table
from metrics.types import Estimate, Interval

NND = "Near-negative distinction"
AUTOMATIC = "Automatic scores"


def sections(attached: Sequence[Attached]) -> Iterator[Section]:
    """One for the near-negative tests, one for the automatic scores. Raises BadInput for a file of another shape."""
    nnd = [one for one in attached if one.kind == "nnd"]
    scores = [one for one in attached if one.kind == "automatic"]
    if nnd:
        yield Section("nnd", NND, (_files(nnd),), tuple(_nnd(nnd)))
    if scores:
        yield Section("automatic", AUTOMATIC, (_files(scores),), (_automatic(scores),))


def kind_of(document: Mapping[str, Any]) -> AttachedKind:
    """`nnd` or `automatic`, by the keys of the document. Raises BadInput."""
    if "models" in document or "overall" in document:
        return "nnd"
    if "mean_fp" in document:
        return "automatic"
    raise BadInput("the file is neither of `python -m metrics nnd run --json` nor of `hscore --json`")


def _files(attached: Sequence[Attached]) -> str:
    return "From " + ", ".join(f"{one.name} (SHA-256 {one.sha256})" for one in attached) + "."


def estimate_of(value: Any, where: str) -> Estimate:
    """An estimate as `metrics.serialise` writes it, read back. Raises BadInput."""
    try:
        span = value["interval"]
        interval = None if span is None else Interval(**span)
        return Estimate(
            value["value"], value["n"], interval, dict(value["settings"]), tuple(value["flags"]), value["signature"]
        )
    except (TypeError, KeyError):
        raise BadInput("an estimate with value, n and interval was expected", where=where) from None


def _nnd(attached: Sequence[Attached]) -> Iterator[Table]:
    rows: list[Row] = []
    for one in attached:
        for model in _models(one):
            rows += _rates(one.name, model)
    columns = (
        Column("model", "Model"),
        Column("category", "Category of the worse text"),
        Column("rate", "Pass rate", "share_estimate", n="n", digits=1),
        Column("passed", "Passed", "count"),
        Column("ties", "Equal (failed)", "count"),
        Column("contexts", "Contexts", "count"),
        Column("n", "Tests", "count"),
    )
    title = "Near-negative tests: how often a model gives the better text the higher likelihood; equality fails."
    yield Table("nnd", title, columns, tuple(rows))


def _models(one: Attached) -> list[Mapping[str, Any]]:
    document = one.document
    models = document.get("models", [document])
    return list(models.values()) if isinstance(models, Mapping) else list(models)


def _rates(file: str, model: Mapping[str, Any]) -> Iterator[Row]:
    try:
        named = {"all tests": model["overall"], **model["by_category"]}
    except KeyError as error:
        raise BadInput(f"pass rates need {error}", where=file) from None
    for category, rate in named.items():
        found = estimate_of(rate, file)
        counts = [rate.get(key) for key in ("passed", "ties", "contexts")]
        yield (str(model.get("model", "")), category, found, *counts, found.n)


def _automatic(attached: Sequence[Attached]) -> Table:
    rows: list[Row] = []
    for one in attached:
        backend = one.document.get("backend") or {}
        named = str(backend.get("model") or one.name)
        shares = [estimate_of(one.document[key], one.name) for key in ("h", "u", "m", "mean_fp")]
        limits = one.document.get("thresholds") or {}
        told = ", ".join(f"{key} {value}" for key, value in limits.items())
        rows.append((named, *shares, told, shares[0].n))
    columns = (
        Column("backend", "Backend"),
        Column("h", "Human-like", "share_estimate", n="n", digits=1),
        Column("u", "Undecided", "share_estimate", n="n", digits=1),
        Column("m", "Machine-like", "share_estimate", n="n", digits=1),
        Column("mean_fp", "Mean Fp", "estimate", n="n", digits=3),
        Column("thresholds", "Thresholds"),
        Column("n", "Texts", "count"),
    )
    title = "Automatic human-likelihood by the share of probability that the actual tokens take (frac(p))."
    return Table("automatic", title, columns, tuple(rows))
