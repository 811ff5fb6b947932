"""Further facts: conditions, each assignment, what raters wrote, the pages, the plan, numbers from files.

As in `records`: frozen, without any framework, None for what was not recorded, raters by pseudonym only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from metrics.data.currency import plain_amount
from metrics.report.data_file import DataColumn
from metrics.tables.delimited import safe
from metrics.types import Setting

AttachedKind = Literal["nnd", "automatic", "scores"]
CodebookName = Literal["comments", "criteria"]
YES = {True: "yes", False: "no"}
# All pairs of generators of a criterion, all pairs of sources (the references too), or the main comparison alone.
Tests = Literal["", "generators", "sources", "main"]
WhichRaters = Literal["", "new", "these"]


@dataclass(frozen=True, slots=True)
class ConditionFacts:
    """One condition of the design (a training, a domain, a generator; "" where the design does not split by it).

    planned: evaluators wanted. workers, submitted, returned, excluded: people and assignments. median_seconds: of an
    assignment.
    """

    name: str
    training: str = ""
    domain: str = ""
    generator: str = ""
    planned: int | None = None
    workers: int | None = None
    submitted: int | None = None
    returned: int | None = None
    excluded: int | None = None
    reward_cents: int | None = None
    median_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class DrawnCondition:
    """People of one condition by stage. drawn: assigned to it. left: gone with nothing submitted, and not come back.

    inside: neither left nor finished. finished: submitted something. excluded: of these, none of whose work counts.
    """

    name: str
    drawn: int
    left: int
    inside: int
    finished: int
    excluded: int


@dataclass(frozen=True, slots=True)
class DrawFacts:
    """How people were assigned to conditions when they entered, as the marketplace's log of the draw says.

    seed: of the random numbers that break ties. draws: people who were assigned.
    """

    seed: str
    draws: int
    conditions: tuple[DrawnCondition, ...]


@dataclass(frozen=True, slots=True)
class AssignmentRow:
    """One assignment under a number that Assay assigned; ids of a marketplace are not included.

    seconds: active time where the page measured it, else from accepting to submitting. payment: `approved`,
    `rejected` or "". reward_cents: what it pays when it is approved, in minor units of `currency` (ISO 4217).
    kept: not excluded from the analysis. reason: why it is. flags: quality rules that it met. withdrawn: its answers
    were erased at the worker's request. checks, checks_failed: attention checks answered, and failed. None: not known.
    """

    id: str
    rater: str
    hit: str | None = None
    condition: str = ""
    submitted_at: datetime | None = None
    seconds: int | None = None
    payment: str = ""
    kept: bool = True
    reason: str = ""
    flags: tuple[str, ...] = ()
    reward_cents: int | None = None
    currency: str = ""
    withdrawn: bool | None = None
    checks: int | None = None
    checks_failed: int | None = None


WITHDRAWN = "withdrawn by the worker"


def _has_reward(row: AssignmentRow) -> bool:
    """Amount and currency are both left empty where the reward is not known."""
    return row.reward_cents is not None and bool(row.currency)


ASSIGNMENT_COLUMNS: tuple[DataColumn[AssignmentRow], ...] = (
    DataColumn("assignment", "a number that Assay assigned", lambda row: safe(row.id)),
    DataColumn("rater", "pseudonym of the rater", lambda row: safe(row.rater)),
    DataColumn("hit", "the task", lambda row: safe(row.hit)),
    DataColumn("condition", "the condition of the design", lambda row: safe(row.condition)),
    DataColumn(
        "submitted_at",
        "when it was submitted",
        lambda row: row.submitted_at.isoformat() if row.submitted_at else "",
        "ISO 8601",
    ),
    DataColumn(
        "seconds",
        "active time where the page measured it, else from accepting to submitting",
        lambda row: "" if row.seconds is None else str(row.seconds),
        "seconds",
    ),
    DataColumn("payment", "approved, rejected or empty", lambda row: row.payment),
    DataColumn("kept", "yes: part of the analysis", lambda row: YES[row.kept and not row.withdrawn]),
    DataColumn("reason", "why it is not", lambda row: WITHDRAWN if row.withdrawn else safe(row.reason)),
    DataColumn(
        "reward",
        "what the task pays when it is approved, as the currency writes it: 1.25 in euros, 150 in yen",
        lambda row: plain_amount(row.reward_cents or 0, row.currency) if _has_reward(row) else "",
        "the currency of the next column",
    ),
    DataColumn(
        "currency", "currency of the reward", lambda row: safe(row.currency) if _has_reward(row) else "", "ISO 4217"
    ),
    DataColumn(
        "attention_checks",
        "attention checks that were answered; empty where it is not known",
        lambda row: "" if row.checks is None else str(row.checks),
    ),
    DataColumn(
        "attention_checks_failed",
        "of these, answered otherwise than asked",
        lambda row: "" if row.checks_failed is None else str(row.checks_failed),
    ),
)
# Rows are an assignment with one of its flags.
FLAG_COLUMNS: tuple[DataColumn[tuple[AssignmentRow, str]], ...] = (
    DataColumn("assignment", "a number that Assay assigned", lambda row: safe(row[0].id)),
    DataColumn("rater", "pseudonym of the rater", lambda row: safe(row[0].rater)),
    DataColumn("flag", "the quality rule it met", lambda row: safe(row[1])),
)


@dataclass(frozen=True, slots=True)
class RuleFacts:
    """A rule of exclusion, in force or not, and the assignments (`AssignmentRow`s by id) that it excludes.

    alone: not among the study's own rules, so that it is joined with no other.
    """

    name: str
    assignments: tuple[str, ...]
    alone: bool = False


@dataclass(frozen=True, slots=True)
class CommentRow:
    """What a rater wrote about a text. question: the name of what was asked."""

    text: str
    rater: str
    question: str
    body: str
    kept: bool = True


COMMENT_COLUMNS: tuple[DataColumn[CommentRow], ...] = (
    DataColumn("item", "the text", lambda row: safe(row.text)),
    DataColumn("rater", "pseudonym of the rater", lambda row: safe(row.rater)),
    DataColumn("question", "what was asked for", lambda row: safe(row.question)),
    DataColumn("comment", "what the rater wrote", lambda row: safe(row.body)),
    DataColumn("kept", "yes: part of the analysis", lambda row: YES[row.kept]),
)


@dataclass(frozen=True, slots=True)
class CodeRow:
    """The codes that one coder gave one comment (`CommentRow`s by text, rater and question).

    codebook: `comments` (what it says), or `criteria` (what a person judges of the work by it).
    """

    text: str
    rater: str
    question: str
    coder: str
    codes: tuple[str, ...]
    codebook: CodebookName = "comments"


# Rows are a record with one of its codes.
CODE_COLUMNS: tuple[DataColumn[tuple[CodeRow, str]], ...] = (
    DataColumn("item", "the text of the comment", lambda row: safe(row[0].text)),
    DataColumn("rater", "pseudonym of its rater", lambda row: safe(row[0].rater)),
    DataColumn("question", "what was asked for", lambda row: safe(row[0].question)),
    DataColumn("coder", "who coded it", lambda row: safe(row[0].coder)),
    DataColumn("code", "one code", lambda row: safe(row[1])),
    DataColumn(
        "codebook",
        "comments: what the comment says; criteria: what is judged of the work by it",
        lambda row: row[0].codebook,
    ),
)
# Rows are a codebook's name, a category and one of its codes.
CODEBOOK_COLUMNS: tuple[DataColumn[tuple[str, str, str]], ...] = (
    DataColumn("codebook", "comments or criteria", lambda row: row[0]),
    DataColumn("category", "what the code belongs to", lambda row: safe(row[1])),
    DataColumn("code", "one code, as coders choose it", lambda row: safe(row[2])),
)


@dataclass(frozen=True, slots=True)
class PageFacts:
    """A page as raters saw it: name (for a file), title, and the whole HTML."""

    name: str
    title: str
    html: str


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """What was declared of the study's main comparison; "" and None: not declared.

    criterion: what is compared. first, second: generators, or `references`. margin: how far apart they may be and count
    as equivalent, in points of the scale (shares for human or machine, log odds for preferences). family: which
    comparisons are tested together, see `Tests`. raters: whom intervals are for where both exist, `new` raters or
    `these`; "" is new ones.
    """

    criterion: str = ""
    first: str = ""
    second: str = ""
    margin: float | None = None
    family: Tests = ""
    raters: WhichRaters = ""


@dataclass(frozen=True, slots=True)
class PlanAmendment:
    """A change of a sealed plan. submissions: how many were collected before it."""

    sealed_at: datetime
    reason: str
    submissions: int
    sha256: str


@dataclass(frozen=True, slots=True)
class SealedPlanFacts:
    """The plan as it was sealed: when, its SHA-256, how many submissions were in, what was planned, and amendments.

    items: (name of the item, words of the plan). rules: exclusion rules, None: none were locked; applied_rules: those
    in force at this look. texts, conditions: counts. raters_per_text or people (in each condition): the size, None for
    the other. stop_width: of the 95% interval of each text's mean; None: the study ends when every text has its raters.
    """

    sealed_at: datetime
    sha256: str
    submissions: int
    items: tuple[tuple[str, str], ...] = ()
    rules: tuple[str, ...] | None = None
    applied_rules: tuple[str, ...] | None = None
    texts: int | None = None
    conditions: int | None = None
    raters_per_text: int | None = None
    people: int | None = None
    stop_width: float | None = None
    comparison: ComparisonPlan | None = None
    amendments: tuple[PlanAmendment, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """What was planned before the data: sentences, when and where it was registered, its SHA-256, deviations.

    margin_points: percentage points around 50% of right answers that count as chance, for tests of equivalence.
    text: the plan itself as JSON, byte for byte what `sha256` is the digest of. comparison: None: none declared.
    sealed: the version that the first answer or a person sealed; None: none.
    """

    sentences: tuple[str, ...] = ()
    registered_at: datetime | None = None
    registered_where: str | None = None
    sha256: str | None = None
    deviations: tuple[str, ...] | None = None
    power: str | None = None
    margin_points: int | None = None
    text: str | None = None
    comparison: ComparisonPlan | None = None
    sealed: SealedPlanFacts | None = None

    @property
    def name(self) -> str:
        """`the plan of 3 November 2026`, by the day (UTC) of the log; `the plan` where that is not known."""
        at = self.registered_at.astimezone(UTC) if self.registered_at else None
        return f"the plan of {at.day} {at:%B %Y}" if at else "the plan"

    @property
    def is_logged(self) -> bool:
        """Whether a log has it from before the data, so that it cannot be stated otherwise."""
        return self.sha256 is not None or self.registered_at is not None


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """What another study needs to give people the same tasks.

    wording: the task text with its training items, as JSON. design: (name, value) of the settings of the design. arms:
    (training, reward in minor units). cells: (training, domain, generator), "" where the design does not split by it.
    domains: (text, domain) of the texts that have one.
    """

    wording: str
    design: tuple[tuple[str, Setting], ...]
    arms: tuple[tuple[str, int], ...]
    cells: tuple[tuple[str, str, str], ...]
    domains: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Attached:
    """Numbers computed elsewhere: the file's name, SHA-256 and content, what made them, and who brought them when.

    kind: `nnd` and `automatic` of `python -m metrics nnd run --json` and `hscore --json`; `scores` of a table, whose
    document is `{"scores": {measure: {text id: number}}}`.
    """

    kind: AttachedKind
    name: str
    sha256: str
    document: Mapping[str, Any]
    model: str = ""
    version: str = ""
    actor: str = ""
    attached_at: datetime | None = None
