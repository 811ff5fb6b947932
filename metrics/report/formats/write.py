"""Put a report on disk in the formats asked for, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeVar

from metrics.errors import BadInput
from metrics.figures.images import NoBrowser
from metrics.report.formats import figures, html_to_text, pdf, ro_crate
from metrics.report.formats.checklists import checklist_files
from metrics.report.formats.csv import csv_files
from metrics.report.formats.draft import Draft, DraftFile, drafting, publish
from metrics.report.formats.html import html
from metrics.report.formats.json import payload
from metrics.report.formats.json_schema import document_schema
from metrics.report.formats.latex import FIGURES, latex
from metrics.report.formats.paper_latex import paper_files
from metrics.report.json_pieces import INDENTED, blocks_of
from metrics.report.paper.page import compose_page
from metrics.report.prose import bibliography
from metrics.report.result import Report

T = TypeVar("T")
Format = Literal["html", "json", "csv", "pdf", "latex", "zip"]
FORMATS: tuple[Format, ...] = ("html", "json", "csv", "pdf", "latex", "zip")
USUAL: tuple[Format, ...] = ("html", "json", "csv")
BY_FORMAT: dict[str, Format] = {
    "report.html": "html",
    "report.pdf": "pdf",
    "report.json": "json",
    "report.schema.json": "json",
}


@dataclass(frozen=True, slots=True)
class Written:
    """Paths of the files of a report, and the SHA-256 of each file of data by its name, whether it was asked for."""

    paths: list[Path]
    data_hashes: Mapping[str, str]


def write_report(
    report: Report,
    out_dir: Path,
    *,
    now: datetime,
    formats: Sequence[Format] = USUAL,
    chromium: Path | None = None,
    sandbox: bool = True,
) -> list[Path]:
    """Write every file of the formats into a folder, all of them or none.

    Equal reports give equal bytes apart from the date. A reader never meets half a file.

    Args:
        report: as `build_report` gives it.
        out_dir: the folder; created if absent.
        now: the date printed in the files, with its time zone.
        formats: `html`, `json`, `csv`, `pdf`, `latex` (the paper page in pieces, the
            long report, both checklists); `zip` holds all others that can be created.
        chromium: path of a Chromium, which prints PDF and pictures; None: PDF raises NoBrowser, LaTeX has no figures.
        sandbox: whether Chromium runs in its sandbox.

    Returns:
        Paths of the files.

    Raises:
        BadInput: an unknown format, or a date without a time zone.
        NoBrowser: PDF without a Chromium.
        OSError: the folder cannot be written.

    Source:
        HEDS 3.0 (Belz and Thomson, arXiv 2412.07940) for the datasheet.

    Example:
        >>> from datetime import UTC, datetime
        >>> from pathlib import Path
        >>> from metrics import build_report, write_report
        >>> from metrics.report.records import RatingRow, ReportInput, ScaleLabel, StudyFacts, TextRow
        >>> scale = (ScaleLabel("Poor", 0, ""), ScaleLabel("Good", 1, ""))
        >>> study = StudyFacts("demo", "ratings", "How good is it?", "text", scale, "0 to 1", "imported")
        >>> texts = tuple(TextRow(f"t{i}", "reference", None, f"Text number {i}.") for i in range(2))
        >>> report_input = ReportInput(study, (), texts)
        >>> now = datetime(2026, 1, 1, tzinfo=UTC)
        >>> paths = write_report(build_report(report_input), Path("report"), now=now, formats=["json"])
        >>> sorted(path.name for path in paths)
        ['references.bib', 'report.json', 'report.schema.json']
    """
    return write_with_hashes(report, out_dir, now=now, formats=formats, chromium=chromium, sandbox=sandbox).paths


def write_with_hashes(
    report: Report,
    out_dir: Path,
    *,
    now: datetime,
    formats: Sequence[Format] = USUAL,
    chromium: Path | None = None,
    sandbox: bool = True,
) -> Written:
    """As `write_report`, with the hashes of the data."""
    check_formats(formats, now=now)
    with drafting(out_dir) as draft:
        data = {name: draft.add(name, blocks_of(content)) for name, content in csv_files(report).items()}
        files = _draft_files(report, draft, data, now=now, formats=formats, browser=_Browser(chromium, sandbox))
        paths = publish(files.values(), out_dir)
    return Written(paths, {name: file.sha256 for name, file in data.items()})


def write_with_fallback(
    make: Callable[[Sequence[Format], Path | None], T], formats: Sequence[Format], chromium: Path | None
) -> tuple[T, str]:
    """Write by `make(formats, chromium)`; where no browser can, all but PDF without one, and a sentence that says so.

    Raises NoBrowser where nothing but PDF is asked for.
    """
    try:
        return make(formats, chromium), ""
    except NoBrowser as error:
        rest = [name for name in formats if name != "pdf"]
        if not rest:
            raise
        return make(rest, None), f"Output that needs a browser was skipped. {error}"


def check_formats(formats: Sequence[str], *, now: datetime) -> None:
    """Raise BadInput for a date without a zone, a format that there is not, and none at all."""
    if now.tzinfo is None:
        raise BadInput("the date of a report carries a time zone", column="now")
    strange = [name for name in formats if name not in FORMATS]
    if strange or not formats:
        raise BadInput(f"a format is one of {', '.join(FORMATS)}", column="formats")


def write_files(out_dir: Path, contents: Mapping[str, bytes]) -> list[Path]:
    """Write the files, all or none of them; the folder is made if absent."""
    with drafting(out_dir) as draft:
        return publish([draft.add(name, content) for name, content in contents.items()], out_dir)


@dataclass(frozen=True, slots=True)
class _Browser:
    """A Chromium, and whether it runs in its sandbox."""

    path: Path | None
    sandbox: bool


def _draft_files(
    report: Report,
    draft: Draft,
    data: Mapping[str, DraftFile],
    *,
    now: datetime,
    formats: Sequence[Format],
    browser: _Browser,
) -> dict[str, DraftFile]:
    """Every file of the formats by its name. Raises NoBrowser where PDF is asked for without a Chromium."""
    every = "zip" in formats
    included_formats = {*formats, *(USUAL if every else ()), *(("latex",) if every else ())}
    if every and browser.path is not None:
        included_formats.add("pdf")
    files: dict[str, DraftFile] = {}
    for name, content in _pages(report, data, included_formats, now=now, browser=browser):
        files[name] = draft.add(name, content)
    if "json" in included_formats:
        files["report.json"] = draft.add("report.json", json_blocks(payload(report, now=now, lazy_tables=True)))
        files["report.schema.json"] = draft.add("report.schema.json", as_json(document_schema()))
    if "csv" in included_formats:
        files |= data
    if "latex" in included_formats:
        for name, content in _latex(report, now=now, chromium=browser.path, sandbox=browser.sandbox).items():
            files[name] = draft.add(name, content)
    files["references.bib"] = draft.add("references.bib", bibliography.bibtex(report).encode())
    if every:
        about = ro_crate.About(f"Human evaluation {report.input.study.name}", _abstract(report), report.input.licence)
        archived = ro_crate.build_archive(draft, about, files, now=now)
        files = {name: file for name, file in files.items() if is_requested(name, formats, data, BY_FORMAT)}
        files[ro_crate.NAME] = archived
    return files


def _pages(
    report: Report, data: Mapping[str, DraftFile], formats: Container[str], *, now: datetime, browser: _Browser
) -> Iterator[tuple[str, bytes]]:
    if "html" not in formats and "pdf" not in formats:
        return
    hashes = {name: file.sha256 for name, file in data.items()}
    pictures = html_to_text.take_pictures(report.input.pages, browser.path, sandbox=browser.sandbox)
    page = html(report, now=now, hashes=hashes, pictures=pictures)
    if "html" in formats:
        yield "report.html", page.encode()
    if "pdf" in formats:
        at = now.astimezone(UTC)
        yield "report.pdf", pdf.print_page(page, chromium=browser.path, now=at, sandbox=browser.sandbox)


def _abstract(report: Report) -> str:
    """The verdicts, and which data they are of."""
    header, verdicts = report.snapshot, " ".join(report.verdicts)
    return f"{verdicts} Snapshot {header.number}, SHA-256 {header.content_sha256}." if header else verdicts


def is_requested(name: str, formats: Sequence[Format], data: Container[str], pages: Mapping[str, Format]) -> bool:
    """Return whether a file of the zip is also written alone. data: names of the CSV files; pages: formats by name."""
    return ("csv" if name in data else pages.get(name, "latex")) in formats


def _latex(report: Report, *, now: datetime, chromium: Path | None, sandbox: bool) -> dict[str, bytes]:
    charts = figures.charts(report)
    drawn = chromium is not None and bool(charts)
    page = compose_page(report, charts)
    pieces = paper_files(page, name=report.input.study.name, charts=charts, has_figures=drawn)
    contents = {name: text.encode() for name, text in {**pieces, **checklist_files(report)}.items()}
    contents["study.tex"] = latex(report, has_figures=drawn).encode()
    if drawn:
        at = now.astimezone(UTC)
        contents[FIGURES] = pdf.print_figures(charts, chromium=chromium, now=at, sandbox=sandbox)
    return contents


def as_json(document: object) -> bytes:
    """JSON as the files hold it: UTF-8, indented by one, no NaN. Ends with LF."""
    return b"".join(json_blocks(document))


def json_blocks(document: object) -> Iterator[bytes]:
    """The same, in blocks; tables may be `metrics.report.record_codec.RowTable`s."""
    yield from blocks_of(INDENTED.pieces(document))
    yield b"\n"
