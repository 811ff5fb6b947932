"""`python -m metrics report SNAPSHOT.json --out DIR`: the report of a snapshot, byte for byte that of the console."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from metrics.cli.arguments import Commands, common_options
from metrics.errors import BadInput
from metrics.figures.images import NoBrowser
from metrics.report.build import report_of
from metrics.report.formats.plain_text import table
from metrics.report.formats.write import USUAL, Format, check_formats, write_report
from metrics.report.prose.warnings import MISSING
from metrics.report.sections import registry
from metrics.report.snapshot import Snapshot, read_snapshot

COMMAND_ORDER = 80  # in the help
DEFAULT_LEVEL = 0.95
IN_SNAPSHOT = "as in the command that the snapshot names"
RATERS_HELP = (
    "whom intervals are for where both exist: other raters (new), or these alone "
    f"({IN_SNAPSHOT}, else as declared, else new)"
)
# Options of the command that made the first report of a snapshot, which this one repeats where nobody names others.
STORED = {"seed": r"\d+", "level": r"0?\.\d+", "raters": "new|these"}


def add(commands: Commands) -> None:
    """Add the command and its arguments."""
    report = commands.add_parser("report", help="the report of a study's snapshot, without a database")
    report.add_argument("snapshot", type=Path, metavar="SNAPSHOT.json", help="as the console and manage.py report give")
    report.add_argument("--k", type=int, default=16, help="neighbors (16)")
    report.add_argument(
        "--format", default=",".join(USUAL), metavar="LIST", help=f"separated by commas ({','.join(USUAL)})"
    )
    report.add_argument("--raters", choices=("new", "these"), default="", help=RATERS_HELP)
    report.add_argument("--chromium", type=Path, metavar="PATH", help="browser for PDF and pictures of pages")
    report.add_argument("--no-sandbox", action="store_true", help="for a browser that runs as root, in a container")
    report.add_argument(
        "--section", action="append", default=[], metavar="MODULE:NAME", help="a section of another package; repeatable"
    )
    common_options(report, seed="every draw", level=DEFAULT_LEVEL, stored=IN_SNAPSHOT)
    report.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> str:
    """Write the files; the text is the table of the results. Raises MetricsError."""
    folder, arguments.out = arguments.out, None
    if folder is None:
        raise BadInput("the report needs a folder: add --out DIR")
    formats: Sequence[Format] = tuple(arguments.format.split(","))
    kinds = registry.in_order(
        (*registry.installed(), *(kind for path in arguments.section for kind in registry.load(path)))
    )
    snapshot = read_snapshot_file(arguments.snapshot)
    at = snapshot.header.created_at
    check_formats(formats, now=at)
    options, waiting = {"k": arguments.k, **_options(arguments, snapshot.header.command or "")}, [snapshot]
    del snapshot  # so that its bytes are dropped once they are read
    report = report_of(waiting.pop(), **options, kinds=kinds)
    try:
        paths = write_report(
            report,
            folder,
            now=at,
            formats=formats,
            chromium=arguments.chromium,
            sandbox=not arguments.no_sandbox,
        )
    except NoBrowser as error:
        raise BadInput(str(error)) from None
    except OSError as error:
        raise BadInput(f"the report cannot be written ({error.strerror})", where=str(folder)) from None
    missing = "".join(f"Warning: {warn.sentence}\n" for warn in report.warnings if warn.kind == MISSING)
    return table(report) + missing + "\n".join(map(str, paths)) + "\n"


def _options(arguments: argparse.Namespace, command: str) -> dict[str, Any]:
    """Seed, level and raters as named, else as in the command that the snapshot names, else those of every report."""
    stored = {name: re.findall(rf" --{name} ({value})(?= |$)", command) for name, value in STORED.items()}
    seed, level, raters = ((values or [""])[-1] for values in stored.values())
    return {
        "seed": int(seed or 0) if arguments.seed is None else arguments.seed,
        "level": float(level or DEFAULT_LEVEL) if arguments.level is None else arguments.level,
        "raters": arguments.raters or raters,
    }


def read_snapshot_file(path: Path) -> Snapshot:
    """The snapshot of a file. Raises BadInput."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadInput(f"the file cannot be read ({error.strerror})", where=str(path)) from None
    return read_snapshot(content)
