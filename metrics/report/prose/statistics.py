"""What a methods section says of agreement, of intervals and of the plan, from the results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC

from metrics.data.answer_types import AnswerType
from metrics.data.number_format import estimate
from metrics.data.sentence import Sentence, template
from metrics.report.records import ReportInput
from metrics.report.result import GeneratorReport
from metrics.report.section import Section
from metrics.report.sections.rating_scales import intervals_over
from metrics.report.wording import name_criterion, name_method, plural
from metrics.tables.huse import interval_targets
from metrics.tables.record import Table
from metrics.types import Estimate, Interval

AGREEMENT = template(
    "statistics.agreement",
    "Krippendorff's α was {values}.",
    "ratings.value",
    "ratings.kept",
    "ratings.criterion",
    "study.task",
)
TARGET = template("statistics.targets", "Intervals of HUSE are for the {targets}.", "results.generators")
MEANS = template(
    "statistics.means",
    "Ratings were averaged by text; {intervals}differences are paired by context where contexts are recorded.",
    "ratings.criterion",
    "options.level",
    "options.these_raters",
)
SHARES = template(
    "statistics.shares",
    "Shares of labels have {level:g}% intervals {over}.",
    "ratings.text",
    "options.level",
    "options.these_raters",
)
CHOSEN = template(
    "statistics.chosen",
    "How often a text of each source was chosen has {level:g}% intervals {over}.",
    "ratings.text",
    "options.level",
    "options.these_raters",
)
PREFERENCES = template(
    "statistics.preferences",
    "Preferences count ties as half{intervals}.",
    "ratings.partner",
    "options.level",
    "options.these_raters",
)
FILES = template(
    "statistics.files",
    "The numbers of {files} have {level}% intervals by {methods}.",
    "attached.name",
    "attached.document",
)
PLAN = template(
    "statistics.plan",
    "The plan was {ways}{deviations}.",
    "plan.registered_at",
    "plan.registered_where",
    "plan.sha256",
    "plan.deviations",
    "study.collected_from",
)
STATED = template(
    "statistics.stated-plan",
    "Planned, as the researchers state: {plan}; deviations: {deviations}.",
    "plan.sentences",
    "plan.deviations",
)
DIGITS = 12  # of a SHA-256 in a sentence; the appendix has all
OF_A_SCALE, OF_LABELS = "ordinal", "nominal"
OF_A_CHOICE = "nominal, each text as chosen or not"


def sentences(
    report_input: ReportInput, generators: Sequence[GeneratorReport], sections: Sequence[Section], *, level: float
) -> tuple[Sentence, ...]:
    """Agreement, what intervals are of, and what was planned before; what is not known is not said."""
    tables = {table.name: table for section in sections for table in section.tables}
    return (
        *_agreement(report_input, tables.get("agreement"), tables.get("evaluators")),
        *_intervals(generators, tables, 100 * level),
        *(_intervals_of_files(report_input, tables) if not report_input.ratings else ()),
        *state_plan(report_input),
    )


def _agreement(report_input: ReportInput, ratings: Table | None, evaluators: Table | None) -> Iterator[Sentence]:
    """Alpha over all texts, by criterion where there are several, each at its own level of measurement."""
    by_level = {
        level: dict(_alphas(ratings, ("criterion",), f"alpha_{level}", "texts")) for level in (OF_A_SCALE, OF_LABELS)
    }
    measured = dict.fromkeys(name for alphas in by_level.values() for name in alphas)
    levels = {name: OF_LABELS if report_input.answer_of(name).is_nominal else OF_A_SCALE for name in measured}
    values = {name: by_level[level][name] for name, level in levels.items() if name in by_level[level]}
    if not values:
        values = dict(_alphas(evaluators, (), "alpha_ordinal", "model", "domain", "training"))
        levels = dict.fromkeys(values, OF_A_SCALE)
    if values:
        names = {name: f" for {name_criterion(name)}" if len(values) > 1 else "" for name in values}
        levels |= {name: OF_A_CHOICE for name in values if report_input.answer_of(name) is AnswerType.CHOSEN_TEXT}
        stated = {levels[name] for name in values}
        ends = {name: f" ({levels[name]})" if len(stated) > 1 else "" for name in values}
        words = "; ".join(f"{estimate(value)}{names[name]}{ends[name]}" for name, value in values.items())
        yield AGREEMENT.fill(values=words if len(stated) > 1 else f"{words} ({stated.pop()})")


def _alphas(table: Table | None, names: Sequence[str], key: str, *everything: str) -> Iterator[tuple[str, Estimate]]:
    """The alphas of the rows that are of all texts and conditions, by their name."""
    for row in table.rows if table else ():
        cells = {column.key: cell for column, cell in zip(table.columns, row, strict=True)} if table else {}
        value = cells.get(key)
        if (
            isinstance(value, Estimate)
            and value.value is not None
            and all(cells.get(name, "all") == "all" for name in everything)
        ):
            yield " ".join(str(cells[name]) for name in names), value


def _intervals(generators: Sequence[GeneratorReport], tables: dict[str, Table], percent: float) -> Iterator[Sentence]:
    targets = interval_targets(generator.modes["exact"] for generator in generators)
    if targets:
        yield TARGET.fill(targets="; or the ".join(targets))
    if "scales" in tables:
        over = _over(tables["scales"], "mean")
        means = (
            f"means of sources have {percent:g}% intervals {over}, not cut at the ends of the scale; " if over else ""
        )
        yield MEANS.fill(intervals=means)
    if "labels" in tables and (over := _over(tables["labels"], "share")):
        yield SHARES.fill(level=percent, over=over)
    if stated := _over_all(tables, "chosen"):
        yield CHOSEN.fill(level=percent, over=stated)
    if any(name.startswith("preferences-") for name in tables):
        stated = _over_all(tables, "preferences", "preferred")
        yield PREFERENCES.fill(intervals=f" and have {percent:g}% intervals {stated}" if stated else "")


def _intervals_of_files(report_input: ReportInput, tables: dict[str, Table]) -> Iterator[Sentence]:
    """By what method, and for what, numbers of files have intervals, where they are the results of the study."""
    for kind in ("nnd", "automatic"):
        cells = [cell for row in tables[kind].rows for cell in row] if kind in tables else []
        known = [cell.interval for cell in cells if isinstance(cell, Estimate) and cell.interval is not None]
        if known:
            levels = sorted({interval.level for interval in known})
            yield FILES.fill(
                files=", ".join(file.name for file in report_input.attached if file.kind == kind),
                level="% and ".join(f"{100 * each:g}" for each in levels),
                methods="; ".join(dict.fromkeys(map(_method, known))),
            )


def _method(interval: Interval) -> str:
    method = name_method(interval.method)
    return f"{method} ({interval.target})" if interval.target else method


def _over_all(tables: dict[str, Table], name: str, key: str = "") -> str:
    """What the intervals of the tables of each criterion are over; "" where they have none."""
    of_criteria = [table for each, table in tables.items() if each.startswith(f"{name}-")]
    return " or ".join(sorted({over for table in of_criteria if (over := _over(table, key or name))}))


def _over(table: Table, key: str) -> str:
    """What the intervals of a column are over; "" where it has none."""
    at = [column.key for column in table.columns].index(key)
    cells = (row[at] for row in table.rows)
    return intervals_over(cell for cell in cells if isinstance(cell, Estimate))


def state_plan(report_input: ReportInput) -> Iterator[Sentence]:
    """When and where the plan was registered, else what is stated of it, and what differs; nothing where none is."""
    plan = report_input.plan
    if plan is None:
        return
    ways = []
    if plan.registered_at is not None:
        at = plan.registered_at.astimezone(UTC)
        first = report_input.study.collected_from
        # Both are whole seconds. It is logged before any HIT is created, so in the same second it came first too.
        when = "before" if first and plan.registered_at <= first else "after"
        order = f", {when} the first submission" if first else ""
        ways.append(f"stored in the log on {at.day} {at:%B %Y}{order}")
    if plan.sha256:
        digest = f"SHA-256 {plan.sha256[:DIGITS]}…"
        ways = [f"{ways[0]} ({digest})"] if ways else [f"stored with {digest}"]
    if plan.registered_where:
        ways.append(f"registered at {plan.registered_where.rstrip('.')}")
    if not ways:
        if plan.sentences:
            stated = " ".join(plan.sentences).rstrip(".")
            differs = "not stated" if plan.deviations is None else "; ".join(plan.deviations).rstrip(".") or "none"
            yield STATED.fill(plan=stated, deviations=differs)
        return
    deviations = ""
    if plan.deviations is not None:
        count = plural(len(plan.deviations), "deviation")
        deviations = f"; {count}: {'; '.join(plan.deviations).rstrip('.')}" if plan.deviations else "; no deviation"
    yield PLAN.fill(ways="; ".join(ways), deviations=deviations)
