"""The plan of a study and the work that follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q

from annotation.design.wording import from_json
from annotation.models import AuditEvent, Decision, Intent, Study, Submission


@dataclass(frozen=True, slots=True)
class Work:
    """What was decided about the work of a study, by whom it was done, and between which times it is offered."""

    submitted: int
    approved: int
    rejected: int
    unread: int
    workers: int
    problem: str
    published_at: datetime | None
    expires_at: datetime | None

    @property
    def to_review(self) -> int:
        return self.submitted - self.approved - self.rejected


def work(study: Study) -> Work:
    """Aggregates over assignments, never over judgments."""
    paid = Decision.objects.filter(submission__hit__study=study, matter=Decision.Matter.PAYMENT)
    verdicts = dict(paid.order_by().values_list("verdict").annotate(n=Count("pk")))
    counts = Submission.objects.filter(hit__study=study).aggregate(
        submitted=Count("pk"),
        unread=Count("pk", filter=Q(parse=None, raw_format="mturk-xml")),
        workers=Count("worker", distinct=True),
    )
    failed = study.intents.filter(state=Intent.State.FAILED).order_by("-pk").first()
    published = AuditEvent.objects.filter(study=study, verb="publish").order_by("number").first()
    return Work(
        **counts,
        approved=verdicts.get("approve", 0),
        rejected=verdicts.get("reject", 0),
        problem=failed.outcome if failed else "",
        published_at=published.at if published else None,
        expires_at=published.at + timedelta(seconds=study.lifetime_seconds) if published else None,
    )


@dataclass(frozen=True, slots=True)
class Order:
    """What publishing asks a marketplace for, in numbers and words. history: whether accounts are asked for one."""

    hits: int
    assignments: int
    rewards: tuple[int, ...]
    title: str
    requirements: tuple[str, ...]
    history: bool = False


def plan_of(study: Study) -> Order:
    """The order of the whole study."""
    hits = list(study.hits.select_related("cell__arm__study"))
    version = study.wordings.last()
    words = from_json(version.body) if version else None
    requirements = []
    if study.minimum_approved_hits:
        requirements.append(f"more than {study.minimum_approved_hits} approved HITs")
    if study.minimum_percent_approved:
        requirements.append(f"an approval rate above {study.minimum_percent_approved}%")
    if study.country:
        requirements.append(f"country {study.country}")
    if study.once:
        requirements.append("each person once, in one condition")
    return Order(
        hits=len(hits), assignments=sum(hit.max_assignments for hit in hits),
        rewards=tuple(sorted({hit.cell.reward_cents for hit in hits})),
        title=words.fill_nouns(words.title) if words else "",
        requirements=tuple(requirements),
        history=bool(study.minimum_approved_hits or study.minimum_percent_approved or study.country),
    )  # fmt: skip
