"""What a check before publishing found, kept with the state of the study that it looked at."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from django.db.models import Count, Max, Sum

from annotation.models import Arm, AuditEvent, Hit, Job, Study

# An older check is made again: what a page needs beside the study (its address, the account) changes unseen.
FRESH = timedelta(hours=24)
# Deeds after which a check still holds. Any other, a new one included, makes it stale.
HARMLESS = ("enrol", "state", "share", "revoke_share", "export", "export_comparison", "unblind")
# Columns of a study that its design does not consist of.
NOT_DESIGN = {"id", "name", "status", "reserved_cents", "spent_cents", "warned_at", "created_at"}


OF_ACCOUNTS = frozenset({"nobody_enters"})


@dataclass(frozen=True, slots=True)
class Finding:
    """error: publishing would fail or harm; warning: a person should know.

    Errors of the rules in `OF_ACCOUNTS` hold for a study that is open to accounts; they do not stop one that is open
    to invited people only.
    """

    level: Literal["error", "warning"]
    rule: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Preflight:
    """What was found, and the most that publishing can cost (rewards, fees, in cents)."""

    findings: tuple[Finding, ...]
    hits: int
    assignments: int
    reward_cents: int
    fee_cents: int

    @property
    def total_cents(self) -> int:
        return self.reward_cents + self.fee_cents

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.level == "error")

    @property
    def errors_for_invited(self) -> tuple[Finding, ...]:
        """Those that also stop a study that is open to invited people only."""
        return tuple(error for error in self.errors if error.rule not in OF_ACCOUNTS)

    def stopping(self, *, by_invitation: bool) -> tuple[Finding, ...]:
        """The errors that stop publishing to these people."""
        return self.errors_for_invited if by_invitation else self.errors

    @property
    def warnings(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.level == "warning")

    def as_json(self) -> dict[str, Any]:
        """As a job keeps it."""
        return asdict(self)


def from_json(document: Mapping[str, Any]) -> Preflight:
    """What `as_json` made."""
    findings = tuple(Finding(**finding) for finding in document["findings"])
    return Preflight(
        findings, document["hits"], document["assignments"], document["reward_cents"], document["fee_cents"]
    )


def state_of(study: Study, *, endpoint: str) -> dict[str, str]:
    """What a check is asked with: the endpoint, and a digest of everything in the study that it would look at.

    Two checks with the same look at the same design, words, texts and HITs.
    """
    values = Study.objects.filter(pk=study.pk).values().get()
    hits = Hit.objects.filter(study=study)
    deeds = AuditEvent.objects.filter(study=study).exclude(verb__in=HARMLESS)
    inputs = [
        {name: value for name, value in values.items() if name not in NOT_DESIGN},
        study.wordings.order_by("-version").values_list("version", "digest").first(),
        list(Arm.objects.filter(study=study).order_by("pk").values_list("training", "reward_cents")),
        hits.aggregate(count=Count("pk"), last=Max("pk"), places=Sum("max_assignments"), words=Max("wording")),
        study.texts.judged().aggregate(count=Count("pk"), last=Max("pk")),
        deeds.aggregate(last=Max("number")),
    ]
    digest = hashlib.sha256(json.dumps(inputs, sort_keys=True, default=str).encode()).hexdigest()
    return {"endpoint": endpoint, "state": digest}


def latest(study: Study, *, endpoint: str, now: datetime) -> Job | None:
    """The latest check of the study as it is now, under way or ended; None where it must be checked (again)."""
    state = state_of(study, endpoint=endpoint)
    checks = study.jobs.filter(kind=Job.Kind.PREFLIGHT, created_at__gte=now - FRESH).order_by("-created_at", "-pk")
    return next((job for job in checks[:20] if job.settings == state), None)


def passed(study: Study, *, endpoint: str, now: datetime) -> Preflight | None:
    """What that check found; None unless it came to an end."""
    job = latest(study, endpoint=endpoint, now=now)
    return from_json(job.outcome) if job and job.state == Job.State.DONE else None
