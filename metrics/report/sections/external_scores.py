"""Numbers that were computed elsewhere and handed over as files; of these, the near-negative tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from metrics.data.sentence import plain
from metrics.errors import BadInput
from metrics.figures import pass_rates
from metrics.figures.chart import Chart
from metrics.figures.curves import chart
from metrics.nnd.curves import CurvePoint
from metrics.pages.curves import panels
from metrics.report.records import ReportInput
from metrics.report.row_records import Attached, AttachedKind
from metrics.report.section import Reference, Section
from metrics.report.section_kind import Options, written
from metrics.report.wording import name_criterion
from metrics.tables.record import Column, Row, Table
from metrics.types import Estimate, Interval

NND = "Near-negative distinction"
ALL_TESTS = "all tests"
VERIFICATION = "Verification against other metrics"


LABAN = Reference(
    "laban2022nnd",
    "inproceedings",
    (
        ("author", "Laban, Philippe and Wu, Chien-Sheng and Liu, Wenhao and Xiong, Caiming"),
        ("title", "Near-Negative Distinction: Giving a Second Life to Human Evaluation Datasets"),
        ("booktitle", "Proceedings of EMNLP 2022"),
        ("year", "2022"),
    ),
)


def kind_of(document: Mapping[str, Any]) -> AttachedKind:
    """What it is, by the keys of the document. Raises BadInput."""
    if "models" in document or "overall" in document or "metrics" in document:
        return "nnd"
    if "mean_fp" in document:
        return "automatic"
    if "scores" in document:
        return "scores"
    raise BadInput(
        "the file is neither of `python -m metrics nnd run --json` or `nnd verify --json` nor of `hscore --json`"
    )


def list_files(attached: Sequence[Attached]) -> str:
    """Where numbers come from, in a sentence."""
    return "From " + "; ".join(_file_origin(file) for file in attached) + "."


def _file_origin(file: Attached) -> str:
    model = f"by {file.model}{', version ' + file.version if file.version else ''}" if file.model else ""
    at = file.attached_at
    day = f" on {at.day} {at:%B %Y}" if at else ""
    brought = f"attached{' by ' + file.actor if file.actor else ''}{day}" if file.actor or at else ""
    return f"{file.name} ({'; '.join(part for part in (model, brought, f'SHA-256 {file.sha256}') if part)})"


def estimate_of(value: Any, where: str) -> Estimate:
    """An estimate as `metrics.data.to_json` writes it, read back. Raises BadInput."""
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
    for file in attached:
        for model in _models(file):
            rows += _rates(file.name, model)
    original = list(
        dict.fromkeys(str(row[0]) for row in rows if cast(Estimate, row[2]).settings.get("ties") == "second")
    )
    columns = (
        Column("model", "Model"),
        Column("category", "Category of the worse text", "name"),
        Column("rate", "Pass rate", "share_estimate", n="n", digits=1),
        Column("passed", "Passed", "count"),
        Column("ties", "Equal" if original else "Equal (failed)", "count"),
        Column("contexts", "Contexts", "count"),
        Column("n", "Tests", "count"),
    )
    equality = "equality fails"
    if original:
        equality = f"for {', '.join(original)}, equality chooses the text listed second, as in the original code"
    title = plain("Near-negative tests: pass rates, the share of tests with the higher likelihood for the better text.")
    yield Table("nnd", title, columns, tuple(rows), (f"Equal likelihoods: {equality}.",))


def _models(file: Attached) -> list[Mapping[str, Any]]:
    document = file.document
    models = document.get("models", [document])
    return list(models.values()) if isinstance(models, Mapping) else list(models)


def overall_rates(file: Attached) -> Iterator[tuple[Mapping[str, Any], Estimate]]:
    """Each model of a file of near-negative tests with its rate over all tests. Raises BadInput."""
    for model in _models(file):
        yield model, next(cast(Estimate, row[2]) for row in _rates(file.name, model))


def _rates(file: str, model: Mapping[str, Any]) -> Iterator[Row]:
    try:
        named = {ALL_TESTS: model["overall"], **model["by_category"]}
    except KeyError as error:
        raise BadInput(f"pass rates need {error}", where=file) from None
    for category, rate in named.items():
        estimate = estimate_of(rate, file)
        counts = [rate.get(key) for key in ("passed", "ties", "contexts")]
        yield (str(model.get("model", "")), category, estimate, *counts, estimate.n)


def _compared(attached: Sequence[Attached]) -> Iterator[Table]:
    """McNemar's test and the difference of each two models that took the same tests."""
    rows: list[Row] = []
    for file in attached:
        for pair in file.document.get("comparisons") or ():
            try:
                difference = estimate_of(pair["difference"], file.name)
                counts = [int(pair[key]) for key in ("only_first", "only_second", "both", "neither")]
                rows.append((pair["first"], pair["second"], difference, pair["mcnemar_p"], *counts, difference.n))
            except (KeyError, TypeError, ValueError):
                raise BadInput("a comparison of two models has another shape", where=file.name) from None
    columns = (
        Column("first", "First"),
        Column("second", "less second"),
        Column("difference", "Difference of pass rates", "share_estimate", n="n", digits=1, points=True),
        Column("p", "McNemar's p", "p"),
        Column("only_first", "Only first passed", "count"),
        Column("only_second", "Only second passed", "count"),
        Column("both", "Both", "count"),
        Column("neither", "Neither", "count"),
        Column("n", "Tests", "count"),
    )
    title = plain("Models on the same tests: McNemar's p for independent tests, intervals over contexts.")
    if rows:
        yield Table("nnd-differences", title, columns, tuple(rows))


def _reversed(attached: Sequence[Attached]) -> Iterator[Table]:
    """Categories on which two models change places."""
    rows: list[Row] = []
    for file in attached:
        for pair in file.document.get("reversals") or ():
            try:
                overall, difference = (estimate_of(pair[key], file.name) for key in ("overall", "difference"))
                rows.append((pair["first"], pair["second"], pair["category"], overall, difference, difference.n))
            except (KeyError, TypeError):
                raise BadInput("a reversal of two models has another shape", where=file.name) from None
    columns = (
        Column("first", "First"),
        Column("second", "less second"),
        Column("category", "Category of the worse text", "name"),
        Column("overall", "Difference on all tests", "share_estimate", digits=1, points=True),
        Column("difference", "Difference on the category", "share_estimate", n="n", digits=1, points=True),
        Column("n", "Tests of the category", "count"),
    )
    if rows:
        title = plain("Reversals: differences of two models on a category, of the opposite sign to that on all tests.")
        yield Table("nnd-reversals", title, columns, tuple(rows))


def _verified(attached: Sequence[Attached]) -> Iterator[Table]:
    """How the order of systems by pass rate agrees with that by people, where a file says so."""
    rows: list[Row] = []
    for file in attached:
        for metric, verification in (file.document.get("metrics") or {}).items():
            tau = verification["kendall_tau"]
            gaps = [
                estimate_of(verification[key], file.name) for key in ("gap_correlation", "gap_correlation_as_printed")
            ]
            rows.append((str(metric), estimate_of(tau, file.name), tau["p"], *gaps, len(verification["systems"])))
    columns = (
        Column("metric", "Metric"),
        Column("tau", "Kendall's τ with people", "estimate", n="n"),
        Column("p", "p", "p"),
        Column("gap", "Gap correlation, both orientations", "estimate", n="n"),
        Column("printed", "as the paper's code orders", "estimate", n="n"),
        Column("n", "Systems", "count"),
    )
    if rows:
        yield Table(
            "nnd-verification", plain("Ranks of systems by metric against ranks by people."), columns, tuple(rows)
        )


def _nnd_charts(attached: Sequence[Attached]) -> tuple[Chart, ...]:
    """Pass rates by category, models side by side; over size or step where the file has a curve."""
    rates = [row for file in attached for model in _models(file) for row in _rates(file.name, model)]
    # A single category holds every test: its bars would repeat those of all tests.
    categories = {str(row[1]) for row in rates} - {ALL_TESTS}
    shown = [row for row in rates if len(categories) > 1 or row[1] == ALL_TESTS]
    bars = [pass_rates.Rate(str(row[0]), name_criterion(str(row[1])), cast(Estimate, row[2])) for row in shown]
    # No figure of one point: the table has it.
    charts = [pass_rates.chart(bars)] if sum(bar.rate.value is not None for bar in bars) > 1 else []
    for file in attached:
        points = [CurvePoint(**point) for point in file.document.get("curve") or ()]
        if any(point.value is not None for point in points):
            drawn = panels(points)
            charts += [chart(panel) for panel in drawn if any(len(series.places) > 1 for series in panel.series)]
    return tuple(charts)


def gather(report_input: ReportInput) -> tuple[Attached, ...] | None:
    """None where no file holds near-negative tests."""
    return tuple(file for file in report_input.attached if file.kind == "nnd") or None


def write(attached: Sequence[Attached], options: Options) -> Section:
    """The near-negative tests of the files. Raises BadInput for a file of another shape."""
    options.announce("near-negative tests")
    rated = [file for file in attached if "metrics" not in file.document]
    tables = (*(_nnd(rated) if rated else ()), *_compared(rated), *_reversed(rated), *_verified(attached))
    absent = [] if any(table.name == "nnd-verification" for table in tables) else [VERIFICATION]
    return Section(
        key="nnd",
        title=NND,
        lead=(list_files(attached),),
        tables=tables,
        charts=_nnd_charts(rated),
        missing=tuple((part, "") for part in absent),
        references=(LABAN,),
    )


SECTIONS = (written("nnd", NND, 110, gather, write),)
