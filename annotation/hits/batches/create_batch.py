"""A draft batch from a template and a table: everything is checked, and all of it is stored or nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.db import transaction

from annotation.accounts.models import User
from annotation.exceptions import DesignError, MarketError, QuestionError
from annotation.hits.batches.template import page_of, variables
from annotation.models import Batch, BatchEvent, BatchHit
from annotation.mturk.client import Market
from annotation.mturk.question_xml import html_question
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.rows import Row
from annotation.readers.tabular import read_table

MAX_ROWS = 20_000
YEAR, MONTH = 365 * 24 * 3600, 30 * 24 * 3600
# What a marketplace takes: characters, cents, places, seconds.
LIMITS = {
    "name": (1, 100),
    "title": (1, 128),
    "description": (1, 2000),
    "keywords": (0, 1000),
    "reward_cents": (0, 10_000_000),
    "max_assignments": (1, 10_000),
    "assignment_seconds": (30, YEAR),
    "lifetime_seconds": (30, YEAR),
    "auto_approval_seconds": (0, MONTH),
}


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """The properties of a batch's HITs. Reward in US cents, times in seconds. literal: names to leave as written."""

    name: str
    title: str
    description: str
    keywords: str
    reward_cents: int
    max_assignments: int
    assignment_seconds: int
    lifetime_seconds: int
    auto_approval_seconds: int
    literal: tuple[str, ...] = ()


def create_batch(
    template: str, table: Path, plan: BatchPlan, *, owner: User, now: datetime, market: Market | None = None
) -> Batch:
    """Store a draft. Raises DesignError (field template) and FileProblems, and stores nothing then.

    market: is asked whether it takes the page of the first row.
    """
    columns, rows = check_batch(template, table, plan, market=market)
    values = {name: getattr(plan, name) for name in BatchPlan.__dataclass_fields__}
    with transaction.atomic():
        batch = Batch.objects.create(
            **values | {"literal": list(plan.literal)},
            owner=owner,
            template=template,
            columns=list(columns),
            created_at=now,
        )
        BatchHit.objects.bulk_create(
            (
                BatchHit(batch=batch, position=at, line=row.line, cells=dict(row.cells), token=_token(batch, at))
                for at, row in enumerate(rows)
            ),
            batch_size=500,
        )
        facts = {"rows": len(rows), "reward_cents": plan.reward_cents, "assignments": plan.max_assignments}
        BatchEvent.objects.record(batch, "create_batch", actor=owner.get_username(), now=now, **facts)
    return batch


def check_batch(
    template: str, table: Path, plan: BatchPlan, *, market: Market | None = None
) -> tuple[tuple[str, ...], list[Row]]:
    """The table's columns and rows, if all can be published as `create_batch` says; stores nothing."""
    _check_plan(plan)
    columns, rows = _read_rows(table)
    _check_variables(template, columns, plan.literal)
    _check_pages(template, rows, plan.title, Findings(table))
    if market is not None:
        _check_with_market(page_of(template, rows[0].cells, title=plan.title), market)
    return columns, rows


def _check_plan(plan: BatchPlan) -> None:
    for field, (minimum, maximum) in LIMITS.items():
        value = getattr(plan, field)
        size = len(value) if isinstance(value, str) else value
        if not minimum <= size <= maximum:
            what = f"{size:,} characters" if isinstance(value, str) else f"{value:,}"
            raise DesignError(f"{field.replace('_', ' ').capitalize()}: {minimum:,} to {maximum:,}, not {what}.").at(
                field
            )


def _check_with_market(page: str, market: Market) -> None:
    """What the marketplace does not take is said now. One that cannot be reached says so when it is published."""
    try:
        market.check_question(html_question(page))
    except MarketError as error:
        if error.permanent:
            raise DesignError(str(error)).at("template") from error


def _token(batch: Batch, position: int) -> str:
    return hashlib.sha256(f"{batch.uuid}:{position}".encode()).hexdigest()


def _read_rows(table: Path) -> tuple[tuple[str, ...], list[Row]]:
    findings = Findings(table)
    opened = read_table(table, findings)
    if not opened.fields:
        raise findings.stop(1, "", "a batch is made from a CSV with a header", Code.NO_ROWS)
    names = {name: _plain(name) for name in opened.fields}
    rows: list[Row] = []
    for row in opened.rows:
        if len(rows) == MAX_ROWS:
            raise findings.stop(row.line, "", f"a batch has at most {MAX_ROWS:,} rows; publish the rest as another")
        rows.append(Row(row.line, {names[name]: cell for name, cell in row.cells.items()}))
    if not rows:
        findings.problem(None, "", "there is a header and no rows", Code.NO_ROWS)
    findings.raise_if_any()
    return tuple(names.values()), rows


def _plain(header: str) -> str:
    """A column's name; headers may be written as the variable itself."""
    return header[2:-1] if header.startswith("${") and header.endswith("}") else header


def _check_variables(template: str, columns: Collection[str], literal: Collection[str]) -> None:
    named = variables(template)
    missing: dict[str, list[str]] = {}
    for variable in named:
        if variable.name not in columns and variable.name not in literal:
            missing.setdefault(variable.name, []).append(str(variable.line))
    if missing:
        each = "; ".join(f"${{{name}}} (line {', '.join(lines)})" for name, lines in missing.items())
        raise DesignError(
            f"The table has no column for {each}. Upper and lower case count. Add the column, or name it under "
            "“Leave as written” where a script uses it."
        ).at("template")
    if not {variable.name for variable in named} & set(columns):
        raise DesignError("The template names no column of the table, so all HITs would be alike.").at("template")


def _check_pages(template: str, rows: Sequence[Row], title: str, findings: Findings) -> None:
    """Every row's page is made and wrapped as a question."""
    for row in rows:
        try:
            html_question(page_of(template, row.cells, title=title))
        except (QuestionError, ValueError) as error:
            sentence = str(error).removesuffix(" Put fewer texts in a HIT.").rstrip(".")
            findings.problem(row.line, _largest(row.cells), sentence[:1].lower() + sentence[1:])
    findings.raise_if_any()


def _largest(cells: Mapping[str, str]) -> str:
    return max(cells, key=lambda name: len(cells[name]))
