"""Automatic scores of human-likeness that were computed elsewhere and handed over as files of `hscore --json`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metrics.data.sentence import plain
from metrics.errors import BadInput
from metrics.report.records import ReportInput, TextRow
from metrics.report.row_records import Attached
from metrics.report.section import Reference, Section
from metrics.report.section_kind import Options, written
from metrics.report.sections import by_source, external_scores, named_scores
from metrics.report.sections.external_scores import estimate_of, list_files
from metrics.tables.record import Column, Row, Table

KEY, TITLE = "automatic", "Automatic scores"
PARTS = {"automatic-calibration": "Calibration of the thresholds", "automatic-people": "Agreement with people"}
BUCKETS = ("top_10", "top_100", "top_1000", "beyond")  # of ranks, as `by_source.RANKS` names them


CANO = Reference(
    "cano2020human",
    "article",
    (
        ("author", "{\\c{C}}ano, Erion and Bojar, Ond{\\v{r}}ej"),
        ("title", "Human or Machine: Automating Human Likeliness Evaluation of {NLG} Texts"),
        ("journal", "arXiv preprint arXiv:2006.03189"),
        ("year", "2020"),
    ),
)


def gather(report_input: ReportInput) -> ReportInput | None:
    """None without a file of automatic scores."""
    return report_input if any(file.kind in ("automatic", "scores") for file in report_input.attached) else None


def write(report_input: ReportInput, options: Options) -> Section:
    """Of all files, then by source of the study's texts. Raises BadInput for a file of another shape."""
    level, seed = options.level, options.seed
    options.announce("automatic scores")
    read = [file for file in report_input.attached if file.kind == "automatic"]
    tables, missing = list(_tables(read)) if read else [], list[tuple[str, str]]()
    named = {table.name for table in tables}
    missing += [(words, "") for name, words in PARTS.items() if read and name not in named]
    results = [by_source.compute_file_result(file, report_input.texts, level=level, seed=seed) for file in read]
    for result in results:
        tables[-1:-1], missing = result.tables, missing + list(result.missing)
    brought = [file for file in report_input.attached if file.kind == "scores"]
    tables += named_scores.tables(brought, report_input.texts, level=level)
    charts = tuple(chart for result in results for chart in result.charts)
    return Section(KEY, TITLE, _led((*read, *brought)), tuple(tables), charts, tuple(missing), references=(CANO,))


def tables_of(files: Sequence[Attached]) -> list[Table]:
    """The tables of automatic scores without any study. Raises BadInput for a file of another shape."""
    return list(_tables(files))


def check_file(file: Attached, texts: Sequence[TextRow]) -> None:
    """Raise BadInput where no report could tell what the file holds."""
    try:
        if file.kind == "nnd":
            external_scores.write([file], Options())
        elif file.kind == "automatic":
            list(_tables([file]))
            by_source.compute_file_result(file, texts, level=0.95, seed=0)
        else:
            list(named_scores.tables([file], texts, level=0.95))
    except BadInput:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise BadInput("the file has not the shape that `python -m metrics` writes", where=file.name) from None


def _led(scores: Sequence[Attached]) -> tuple[str, ...]:
    """Where the numbers come from, and a warning before verdicts whose threshold was made up."""
    loose = [file.name for file in scores if uncalibrated(file)]
    warning = (
        f"Uncalibrated: {', '.join(loose)}. The threshold rests on no text of known origin; read Fp, not verdicts."
    )
    return (list_files(scores), *((warning,) if loose else ()))


def uncalibrated(file: Attached) -> bool:
    """Whether automatic scores rest on a threshold that was not calibrated on texts of known origin."""
    return file.kind == "automatic" and not (file.document.get("thresholds") or {}).get("calibrated", False)


def name_backend(file: Attached) -> str:
    """The model that gave the scores; the file where it names none."""
    return str((file.document.get("backend") or {}).get("model") or file.name)


def list_texts(file: Attached) -> list[str]:
    """The texts that a file of scores of texts has, by their names in it."""
    scores = file.document.get("scores") or {}
    named = [text for values in scores.values() for text in values] if file.kind == "scores" else []
    return list(dict.fromkeys(named or (file.document.get("texts") or () if file.kind == "automatic" else ())))


def _automatic(files: Sequence[Attached]) -> Table:
    rows: list[Row] = []
    for file in files:
        named = name_backend(file)
        shares = [estimate_of(file.document[key], file.name) for key in ("h", "u", "m", "mean_fp")]
        rows.append((named, *shares, _describe_thresholds(file), shares[0].n))
    columns = (
        Column("backend", "Backend"),
        Column("h", "Human-like", "share_estimate", n="n", digits=1),
        Column("u", "Undecided", "share_estimate", n="n", digits=1),
        Column("m", "Machine-like", "share_estimate", n="n", digits=1),
        Column("mean_fp", "Mean Fp", "estimate", n="n", digits=3),
        Column("thresholds", "Thresholds"),
        Column("n", "Texts", "count"),
    )
    title = plain("Automatic human-likelihood by the share of probability of the actual tokens (frac(p)).")
    return Table("automatic", title, columns, tuple(rows))


def _describe_thresholds(file: Attached) -> str | None:
    """Below which Fp a text is human-like and from which it is machine-like, and whether they were calibrated."""
    thresholds = file.document.get("thresholds") or {}
    low, high = thresholds.get("low"), thresholds.get("high")
    if low is None or high is None:
        return None
    between = f"Fp {low:.4g}" if low == high else f"Fp {low:.4g} and {high:.4g}, undecided between"
    return f"{between}; {'not calibrated' if uncalibrated(file) else 'calibrated'}"


def _tables(files: Sequence[Attached]) -> Iterator[Table]:
    yield _automatic(files)
    yield from _estimates(
        files, "calibration", "automatic-calibration", plain("Thresholds against texts of known origin.")
    )
    yield from _estimates(files, "people", "automatic-people", plain("Automatic verdicts against those of people."))
    yield from _tokens(files)


ESTIMATES = {
    "auc": "Area under the curve",
    "youden_j": "Youden's J",
    "held_out": "Right on held-out texts",
    "agreement": "Agreement",
    "kappa": "Cohen's κ",
    "correlation": "Correlation of Fp and people",
}


def _estimates(files: Sequence[Attached], part: str, name: str, title: str) -> Iterator[Table]:
    """The estimates of a part of the document, a row each."""
    rows: list[Row] = []
    for file in files:
        estimates = file.document.get(part) or {}
        for key, words in ESTIMATES.items():
            if estimates.get(key) is not None:
                value = estimate_of(estimates[key], file.name)
                rows.append((file.name, words, value, value.n))
    columns = (
        Column("file", "File"),
        Column("measure", "Measure"),
        Column("value", "Value", "estimate", n="n"),
        Column("n", "Texts", "count"),
    )
    if rows:
        yield Table(name, title, columns, tuple(rows))


def _tokens(files: Sequence[Attached]) -> Iterator[Table]:
    """GLTR's view in numbers: how many tokens of each text lie among the model's likeliest."""
    rows: list[Row] = []
    for file in files:
        for text, record in (file.document.get("texts") or {}).items():
            try:
                buckets = [int(count) for count in record["buckets"]]
                rest = (
                    float(record["mean_rank"]),
                    record["mean_entropy"],
                    record["distinct_2"],
                    int(record["longest_repeat"]),
                )
                verdict = by_source.VERDICTS.get(record["verdict"], str(record["verdict"]))
                rows.append((str(text), verdict, float(record["fp"]), *buckets[:4], *rest, int(record["n"])))
            except (KeyError, TypeError, ValueError):
                raise BadInput("a text has another shape than hscore's", where=f"{file.name}, text {text}") from None
    columns = (
        Column("text", "Text"),
        Column("verdict", "Verdict"),
        Column("fp", "Fp", "number", digits=3),
        *(Column(key, rank.capitalize(), "count") for key, rank in zip(BUCKETS, by_source.RANKS, strict=True)),
        Column("mean_rank", "Mean rank", "number", digits=1),
        Column("entropy", "Mean entropy, nats", "number"),
        Column("distinct_2", "Distinct pairs of words", "number"),
        Column("longest_repeat", "Longest repeat, words", "count"),
        Column("n", "Tokens", "count"),
    )
    title = plain("Tokens of each text by their rank under the model, in the four ranges of GLTR.")
    speak = "High Fp, low ranks and low entropy speak for a machine; repetition can fool them."
    note = "The command python -m metrics hscore --page shows the same token by token."
    if rows:
        yield Table("automatic-texts", title, columns, tuple(rows), (speak, note))


SECTIONS = (written(KEY, TITLE, 120, gather, write),)
