"""The sealed plan, and what was done: each planned number next to the one of this report, and every amendment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from metrics.data.sentence import Sentence, plain, template
from metrics.report.records import ReportInput
from metrics.report.row_records import ComparisonPlan, SealedPlanFacts
from metrics.report.section_kind import Options, SectionKind
from metrics.report.wording import describe_range, plural
from metrics.tables.record import Column, Row, Table

DIGITS = 12
SEALED = template(
    "planned.sealed",
    "The plan was sealed on {day}, {when} (SHA-256 {digest}…).",
    "plan.sealed.sealed_at",
    "plan.sealed.submissions",
    "plan.sealed.sha256",
)
AMENDED = template(
    "planned.amended",
    "It was amended {times} when {submissions} in.",
    "plan.sealed.amendments",
)
UNAMENDED = template("planned.unamended", "It was not amended.", "plan.sealed.amendments")
DIFFERS = template(
    "planned.differs",
    "Of {compared} planned items that can be compared, these are not as in this report: {names}.",
    "plan.sealed.texts",
    "plan.sealed.conditions",
    "plan.sealed.raters_per_text",
    "plan.sealed.people",
    "plan.sealed.rules",
    "plan.sealed.applied_rules",
    "plan.sealed.comparison",
)
SAME = template(
    "planned.same",
    "All {compared} planned items that can be compared are as in this report.",
    "plan.sealed.texts",
    "plan.sealed.conditions",
    "plan.sealed.raters_per_text",
    "plan.sealed.people",
    "plan.sealed.rules",
    "plan.sealed.applied_rules",
    "plan.sealed.comparison",
)
PLANNED_NOTE = (
    "Planned: as sealed, before amendments. Done: counted in this report. The rows do not judge whether a difference "
    "matters. Hypotheses and analyses are compared by a reader."
)
UNKNOWN = "not recorded"


@dataclass(frozen=True, slots=True)
class Pair:
    """A planned value next to what was done. same: None where a program cannot compare them."""

    name: str
    planned: str
    done: str
    same: bool | None


@dataclass(frozen=True, slots=True)
class PlannedDone:
    """The facts of the plan, and its pairs."""

    plan: SealedPlanFacts
    pairs: tuple[Pair, ...]


def gather(report_input: ReportInput) -> PlannedDone | None:
    """None where no plan was sealed."""
    sealed = report_input.plan.sealed if report_input.plan else None
    return None if sealed is None else PlannedDone(sealed, tuple(_pairs(sealed, report_input)))


def _pairs(plan: SealedPlanFacts, report_input: ReportInput) -> Iterator[Pair]:
    if plan.texts is not None:
        yield _numbers("Texts", plan.texts, len(report_input.texts))
    if plan.conditions is not None and report_input.conditions:
        yield _numbers("Conditions", plan.conditions, len(report_input.conditions))
    if plan.raters_per_text is not None:
        yield _ratings(plan.raters_per_text, report_input)
    if plan.people is not None:
        yield _people(plan.people, report_input)
    yield _rules(plan)
    yield _comparison(plan.comparison, report_input.plan.comparison if report_input.plan else None)
    width = plan.stop_width
    yield Pair(
        "End of collection",
        "each text has its raters" if width is None else f"95% interval of each text's mean at most {width:g} wide",
        str(dict(report_input.settings).get("status", UNKNOWN)),
        None,
    )


def _numbers(name: str, planned: int, done: int) -> Pair:
    return Pair(name, str(planned), str(done), planned == done)


def _ratings(planned: int, report_input: ReportInput) -> Pair:
    """Included ratings of a text on the criterion of which it has most."""
    counts = Counter((row.text, row.criterion) for row in report_input.ratings if row.kept)
    by_text: dict[str, int] = {text.id: 0 for text in report_input.texts}
    for (text, _), number in counts.items():
        by_text[text] = max(number, by_text.get(text, 0))
    low, high = min(by_text.values(), default=0), max(by_text.values(), default=0)
    return Pair("Raters per text", str(planned), describe_range(low, high), low == high == planned)


def _people(planned: int, report_input: ReportInput) -> Pair:
    alone = [report_input.raters] if report_input.has_single_condition else []
    counts = [condition.workers for condition in report_input.conditions] or alone
    done = [count for count in counts if count is not None]
    if not done:
        return Pair("People per condition", str(planned), UNKNOWN, None)
    low, high = min(done), max(done)
    return Pair("People per condition", str(planned), describe_range(low, high), low == high == planned)


def _rules(plan: SealedPlanFacts) -> Pair:
    same = sorted(plan.rules or ()) == sorted(plan.applied_rules or ())
    return Pair("Exclusion rules", _names(plan.rules), _names(plan.applied_rules), same)


def _names(names: tuple[str, ...] | None) -> str:
    return ", ".join(sorted(names)) if names else "none"


def _comparison(planned: ComparisonPlan | None, done: ComparisonPlan | None) -> Pair:
    return Pair("Main comparison", _compared(planned), _compared(done), planned == done)


def _compared(plan: ComparisonPlan | None) -> str:
    if plan is None:
        return "none declared"
    parts = [f"{plan.first} against {plan.second}" if plan.first else "", plan.criterion]
    parts.append("" if plan.margin is None else f"margin {plan.margin:g}")
    parts.append(f"family: {plan.family}" if plan.family else "")
    return ", ".join(part for part in parts if part)


def compute(facts: PlannedDone, options: Options) -> PlannedDone:
    """Nothing is left to compute."""
    options.announce("plan")
    return facts


def sentences(result: PlannedDone) -> list[Sentence]:
    """When it was sealed, whether it was amended, and how many numbers differ."""
    plan, compared = result.plan, [pair for pair in result.pairs if pair.same is not None]
    before = "before the first answer"
    when = before if not plan.submissions else f"when {_work(plan.submissions)} in"
    lines = [SEALED.fill(day=_day(plan.sealed_at), when=when, digest=plan.sha256[:DIGITS])]
    if plan.amendments:
        times = "once," if len(plan.amendments) == 1 else f"{len(plan.amendments)} times, the last time"
        lines.append(AMENDED.fill(times=times, submissions=_work(plan.amendments[-1].submissions)))
    else:
        lines.append(UNAMENDED.fill())
    names = [pair.name.lower() for pair in compared if not pair.same]
    if names:
        lines.append(DIFFERS.fill(compared=len(compared), names=", ".join(names)))
    elif compared:
        lines.append(SAME.fill(compared=len(compared)))
    return lines


def _work(submissions: int) -> str:
    return f"{plural(submissions, 'submission')} {'was' if submissions == 1 else 'were'}"


def _day(at: datetime) -> str:
    day = at.astimezone(UTC)
    return f"{day.day} {day:%B %Y}"


def tables(result: PlannedDone) -> list[Table]:
    """Planned and done; the words of the plan; amendments."""
    verdicts = {True: "yes", False: "no", None: "not compared"}
    pairs: tuple[Row, ...] = tuple((pair.name, pair.planned, pair.done, verdicts[pair.same]) for pair in result.pairs)
    columns = (Column("item", "Item"), Column("planned", "Planned"), Column("done", "Done"), Column("same", "Same"))
    shown = [Table("planned-done", plain("Planned and done."), columns, pairs, (PLANNED_NOTE,))]
    if result.plan.items:
        words = (Column("item", "Item"), Column("words", "Words of the plan"))
        shown.append(Table("planned-words", plain("The plan in words, as sealed."), words, result.plan.items))
    if result.plan.amendments:
        rows: tuple[Row, ...] = tuple(
            (_day(each.sealed_at), each.submissions, each.reason, each.sha256[:DIGITS])
            for each in result.plan.amendments
        )
        heads = (
            Column("day", "Day"),
            Column("submissions", "Submissions before", "count"),
            Column("reason", "Reason"),
            Column("sha256", "SHA-256"),
        )
        shown.append(Table("planned-amendments", plain("Amendments of the plan."), heads, rows))
    return shown


SECTIONS = (
    SectionKind(
        key="planned",
        title="Planned and done",
        order=15,
        gather=gather,
        compute=compute,
        tables=tables,
        sentences=sentences,
    ),
)
