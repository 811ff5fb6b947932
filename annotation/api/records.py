"""What goes in and out of the API."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from ninja import Field, Schema

from metrics.report.write import Format


class StudyOut(Schema):
    """A study as its members see it."""

    uuid: UUID
    name: str
    mode: str
    status: str
    task: str
    role: str
    created_at: datetime


class JobOut(Schema):
    """Long work. files: what it wrote, once it is done."""

    uuid: UUID
    kind: str
    state: str
    step: str
    done: int
    of: int
    problem: str
    files: list[str]

    @staticmethod
    def resolve_files(job: Any) -> list[str]:
        """Names of the files."""
        return list(job.outcome.get("files", []))


class ReportIn(Schema):
    """What report is wanted."""

    formats: list[Format] = Field(default=["html", "json", "csv"], min_length=1)
    seed: int = Field(default=0, ge=0)


class ComparisonIn(ReportIn):
    """Which studies are compared, in this order."""

    studies: list[UUID] = Field(min_length=2, max_length=40)


class StatementIn(Schema):
    """Words of a statement; "" takes it back."""

    body: str = Field(max_length=4000)


class LinkIn(Schema):
    """When a link ends by itself; null: never."""

    ends_at: datetime | None = None


class LinkOut(Schema):
    """A link to a report. address: shown once, when it is made."""

    id: int
    address: str


class Problem(Schema):
    """Why something was not done, in a sentence."""

    detail: str
