"""Write a public release as a folder: snapshot, report, data card, licence, metadata, and how to redo the numbers."""

from __future__ import annotations

import csv
import hashlib
import io
import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metrics.errors import BadInput
from metrics.report.build import report_of
from metrics.report.formats import ro_crate
from metrics.report.formats.json import numbers
from metrics.report.formats.write import USUAL, write_report
from metrics.report.release.croissant import NAME as CROISSANT
from metrics.report.release.croissant import croissant_metadata
from metrics.report.release.look import ScanFinding, rare_combinations, scan_files
from metrics.report.release.public import PublicRelease, ReleaseChoices
from metrics.report.result import Report
from metrics.report.snapshot import Snapshot
from metrics.report.wording import plural
from metrics.version import __version__

SNAPSHOT, REPORT, DAYS = "snapshot.json", "report", "days.csv"
README, CARD, LICENCE, SUMS = "README.md", "DATACARD.md", "LICENSE.txt", "SHA256SUMS"
# Rows have another order, so that sums and fits differ in their last digits.
TOLERANCE = 1e-6
# Parts of the numbers that belong to the look, not to the study.
OF_THE_LOOK = ("created", "missing", "reproducibility", "warnings", "datasheet", "study", "methods", "completeness")


@dataclass(frozen=True, slots=True)
class Bundle:
    """A written release. differing: paths of numbers that are not those of the study's own report."""

    folder: Path
    sha256: str
    differing: tuple[str, ...]
    findings: tuple[ScanFinding, ...]


def write_bundle(release: PublicRelease, original: Snapshot, choices: ReleaseChoices, folder: Path) -> Bundle:
    """Write the folder, all of it or nothing. Its report is what `python -m metrics report snapshot.json` writes.

    Raises BadInput where the folder exists or cannot be written, or where a file contains what may lead to a person.
    """
    if folder.exists():
        raise BadInput("the folder exists already: name another", where=str(folder))
    report = report_of(release.snapshot)
    differing = differing_numbers(report_of(original), report)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".release-") as place:
            draft = Path(place) / "bundle"
            files = _write_files(release, choices, report, differing, draft)
            findings = scan_files(files, release.snapshot.report_input)
            if findings:
                first = findings[0]
                raise BadInput(f"{first.file} contains {first.excerpt!r} ({first.kind}); nothing was written")
            Path(draft).replace(folder)
    except OSError as error:
        raise BadInput(f"the release cannot be written ({error.strerror})", where=str(folder)) from None
    return Bundle(folder, hashlib.sha256(files[SUMS]).hexdigest(), differing, findings)


def _write_files(
    release: PublicRelease, choices: ReleaseChoices, report: Report, differing: Sequence[str], folder: Path
) -> dict[str, bytes]:
    now = release.snapshot.header.created_at
    write_report(report, folder / REPORT, now=now, formats=USUAL)
    files = {f"{REPORT}/{path.name}": path.read_bytes() for path in sorted((folder / REPORT).iterdir())}
    files |= {
        SNAPSHOT: release.snapshot.document(),
        LICENCE: f"{choices.licence}\n".encode(),
        CARD: _data_card(release, choices).encode(),
        README: _readme(release, differing).encode(),
    }
    if release.days:
        files[DAYS] = release.days_csv().encode()
    name = f"{release.snapshot.header.study} (public release {release.snapshot.header.number})"
    description = f"Human evaluation of texts by {plural(release.raters, 'rater')}. {choices.consent}"
    hashes = {path: (len(content), hashlib.sha256(content).hexdigest()) for path, content in files.items()}
    tables = {path: content for path, content in files.items() if path.endswith(".csv")}
    files[CROISSANT] = croissant_metadata(
        name, description, licence=choices.licence, now=now, hashes=hashes, tables=tables, meanings=_meanings(tables)
    )
    hashes[CROISSANT] = (len(files[CROISSANT]), hashlib.sha256(files[CROISSANT]).hexdigest())
    files[ro_crate.METADATA] = ro_crate.metadata(ro_crate.About(name, description, choices.licence), hashes, now=now)
    files[SUMS] = "".join(f"{hashlib.sha256(files[path]).hexdigest()}  {path}\n" for path in sorted(files)).encode()
    for path, content in files.items():
        (folder / path).write_bytes(content)
    return files


def _meanings(tables: Mapping[str, bytes]) -> dict[tuple[str, str], str]:
    """Of (file, column), as the report's own dictionary says."""
    content = tables.get(f"{REPORT}/dictionary.csv", b"")
    rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    return {(row[0], row[1]): row[2] for row in rows if len(row) > 2}


def differing_numbers(original: Report, public: Report) -> tuple[str, ...]:
    """Paths of numbers in report.json that differ by more than rounding (1e-6 of their size)."""
    now = public.snapshot.created_at if public.snapshot else None
    if now is None:
        raise BadInput("the report is of no snapshot")
    before, after = (dict(_leaves(numbers(report, now=now))) for report in (original, public))
    paths = [path for path in (*before, *(path for path in after if path not in before)) if _is_study_number(path)]
    return tuple(path for path in paths if not _same(before.get(path), after.get(path)))


def _is_study_number(path: str) -> bool:
    return path.split(".")[0].split("[")[0] not in OF_THE_LOOK


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for name, member in value.items():
            yield from _leaves(member, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list | tuple):
        for place, member in enumerate(value):
            yield from _leaves(member, f"{path}[{place}]")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def _same(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is after
    return before == after or math.isclose(before, after, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _readme(release: PublicRelease, differing: Sequence[str]) -> str:
    header = release.snapshot.header
    lines = [
        f"# {header.study}: public release {header.number}",
        "",
        f"- `{SNAPSHOT}`: everything that the results are computed from. SHA-256 of its content:",
        f"  `{header.content_sha256}`.",
        f"- `{REPORT}/`: the report, its numbers (`report.json`) and tables (CSV; `dictionary.csv` explains columns).",
        *([f"- `{DAYS}`: submissions per day since the first one."] if release.days else []),
        f"- `{CARD}`: where the data come from and what was removed. `{LICENCE}`: the licence.",
        f"- `{CROISSANT}`, `{ro_crate.METADATA}`: metadata for programs. `{SUMS}`: checksums.",
        "",
        "## Redo every number",
        "",
        "```",
        f"pip install textassay[fast]=={__version__}",
        f"python -m textassay.metrics report {SNAPSHOT} --out redone",
        f"diff -r redone {REPORT}",
        "```",
        "",
        "The two folders are equal byte for byte. On another kind of processor the last digits of fitted numbers",
        "(mixed models) can differ, as linear algebra is computed in another order there.",
        "",
        "## Numbers that differ from the study's own report",
        "",
    ]
    if not differing:
        lines.append("None: each number is that of the study's own report (to 6 digits), ends of intervals included.")
    else:
        why = (
            "because raters who did not agree to share are not in it"
            if release.withheld
            else "because comments are withheld"
        )
        lines += [f"{len(differing)} numbers of `report.json` differ, {why}:", ""]
        lines += [f"- `{path}`" for path in differing]
    return "\n".join(lines) + "\n"


def _data_card(release: PublicRelease, choices: ReleaseChoices) -> str:
    data = release.snapshot.report_input
    rare = rare_combinations(data.assignments, max_raters=1)
    withheld = {0: "none", 1: "1 rater"}.get(release.withheld, f"{release.withheld} raters")
    facts = [
        ("Question", data.study.aim or data.study.question),
        ("Task", data.study.task),
        ("Data", "simulated raters" if data.study.mode == "rehearsal" else "ratings by people"),
        ("Raters", f"{release.raters}; did not agree to share: {withheld}"),
        ("Texts", str(len(data.texts))),
        ("Ratings", str(len(data.ratings))),
        ("Consent to sharing", choices.consent),
        ("Ethics", data.crowd.ethics or "not stated"),
        ("Language of the texts", data.language or "not stated"),
        ("Licence", choices.licence),
        ("Contact", data.statement("contact") or "not stated"),
        ("Pseudonyms", "drawn at random for this release; no other release has the same"),
        ("Times", "days only; times and durations of single tasks are removed"),
        (
            "Comments",
            f"{release.comments} released after a person read them, each under a pseudonym of its own; "
            f"{release.comments_withheld} withheld",
        ),
        ("Rare combinations", f"Raters who are the only one with their combination of columns: {len(rare)}"),
        ("Not suited for", "finding out who the raters are; conclusions about single raters"),
    ]
    rows = [f"| {name} | {' '.join(text.split()).replace('|', '/')} |" for name, text in facts]
    return "\n".join([f"# Data card: {release.snapshot.header.study}", "", "| | |", "|---|---|", *rows, ""])
