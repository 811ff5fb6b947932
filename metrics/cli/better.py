"""`python -m metrics better RATINGS.csv`: which source is better, in one sentence, and the tables behind it."""

from __future__ import annotations

import argparse
from pathlib import Path
from textwrap import wrap

from metrics.cli.arguments import Commands, common_options
from metrics.cli.report import read_snapshot_file
from metrics.data.source_ratings import read_source_ratings, read_texts
from metrics.data.to_json import SCHEMA_VERSION, json_text
from metrics.errors import BadInput
from metrics.inference.distributions import check_level
from metrics.report.formats.json import section_json
from metrics.report.records import RatingRow, ReportInput, StudyFacts, TextRow
from metrics.report.row_records import ComparisonPlan, PlanFacts
from metrics.report.section import Section
from metrics.report.section_kind import Options
from metrics.report.sections import answer
from metrics.report.sections.source_comparisons import REFERENCES, declared_comparison
from metrics.tables.text import table_text

COMMAND_ORDER = 65  # in the help: after the measures of the four papers
WIDTH = 100
NOTHING = "no criterion has ratings of two sources"


def add(commands: Commands) -> None:
    """Add the command and its arguments."""
    command = commands.add_parser("better", help="which source is better: differences of ratings, with a verdict")
    command.add_argument(
        "ratings",
        type=Path,
        metavar="RATINGS.csv",
        help="columns item, rater, value [criterion], and source [context] without --texts; or a snapshot (.json)",
    )
    command.add_argument("--texts", type=Path, metavar="TEXTS.csv", help="columns id, source [generator, context]")
    command.add_argument(
        "--compare", nargs=2, metavar=("FIRST", "SECOND"), default=("", ""), help="the comparison declared before"
    )
    command.add_argument("--condition", default="", metavar="NAME", help="of several in the column condition")
    command.add_argument("--criterion", default="", help="the criterion declared before")
    command.add_argument("--margin", type=float, help="the difference, declared before, that still counts as none")
    command.add_argument(
        "--raters",
        choices=("new", "these"),
        default="",
        help="whom the intervals and tests are for, with new contexts: other raters (new), or these alone; the default "
        "is new, or what the plan of a snapshot declares",
    )
    common_options(command)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> str:
    """The text of the command. Raises MetricsError."""
    check_level(arguments.level)
    (kind,) = answer.SECTIONS
    report_input = _input(arguments)
    raters = arguments.raters or declared_comparison(report_input).raters
    section = kind.section(report_input, Options(level=arguments.level, these_raters=raters == "these"))
    if section is None:
        raise BadInput(NOTHING, where=arguments.ratings.name)
    if arguments.json:
        return json_text({"schema_version": SCHEMA_VERSION, "answer": section_json(section)})
    return table(section)


def table(section: Section) -> str:
    """The sentence, then the tables."""
    sentence = "\n".join(wrap(section.lead[0], WIDTH)).replace("−", "-")
    return "\n".join([f"{sentence}\n", *(table_text(each) for each in section.tables)])


def _input(arguments: argparse.Namespace) -> ReportInput:
    if arguments.ratings.suffix == ".json":
        if (
            arguments.texts
            or arguments.condition
            or arguments.criterion
            or arguments.margin is not None
            or any(arguments.compare)
        ):
            raise BadInput("a snapshot holds its texts and its plan: leave the other options out")
        return read_snapshot_file(arguments.ratings).report_input
    texts = read_texts(arguments.texts) if arguments.texts else None
    ratings, known = read_source_ratings(arguments.ratings, texts, condition=arguments.condition)
    study = StudyFacts(arguments.ratings.stem, "ratings", "", "text", (), "", "imported")
    rows = tuple(TextRow(name, text.source, text.generator, "", text.context) for name, text in known.items())
    judged = tuple(RatingRow(row.item, row.rater, "", row.value, criterion=row.criterion) for row in ratings)
    return ReportInput(study, (), rows, judged, plan=PlanFacts(comparison=_plan(arguments, known_names(rows))))


def known_names(rows: tuple[TextRow, ...]) -> set[str]:
    """Sources as the verdict names them."""
    return {row.generator or REFERENCES for row in rows}


def _plan(arguments: argparse.Namespace, names: set[str]) -> ComparisonPlan | None:
    """What the options declare. Raises BadInput."""
    first, second = arguments.compare
    if unknown := [name for name in (first, second) if name and name not in names]:
        raise BadInput(f"no text is of the source {unknown[0]!r}", column="--compare")
    if first and first == second:
        raise BadInput("a source is not compared with itself", column="--compare")
    if arguments.margin is not None and not 0 < arguments.margin < float("inf"):
        raise BadInput("a margin is a number above 0", column="--margin")
    plan = ComparisonPlan(arguments.criterion, first, second, arguments.margin)
    return None if plan == ComparisonPlan() else plan
