"""Read what the queue of people and a person's card show: who waits for a decision, why, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, Count, Exists, IntegerField, Max, Min, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce

from annotation import ledger
from annotation.accounts.models import User
from annotation.models import Decision, Device, PersonEvidence, Rejection, Study, Submission, Worker
from annotation.quality.people import main_reason
from annotation.review import assignment, queue
from metrics.worker_models.ways_of_working import CAREFUL, WAYS

UNKNOWN = 0.5  # the suspicion of work that no check has looked at


@dataclass(frozen=True, slots=True)
class WaitingPerson:
    """A worker with submissions that wait for a decision. due: the first auto-approval; band: 0 is the most urgent.

    suspicion: in [0, 1], for sorting. chance: of bad work, None where nothing was measured. reason: the main evidence.
    """

    worker: Worker
    submissions: int
    due: datetime | None
    band: int
    suspicion: float
    chance: float | None
    reason: str
    assignments: tuple[Submission, ...]

    @property
    def pseudonym(self) -> str:
        return self.worker.pseudonym


def waiting_people(study: Study, *, now: datetime) -> QuerySet[Submission, dict[str, Any]]:
    """Workers (as `worker`) whose submissions wait for a first decision: the most urgent band first, in each the
    likeliest bad work. Each with n, first, band and suspicion. Work whose rejection is proposed waits for another
    reviewer and is not counted."""
    late = queue.study_delay(study)
    edges = [When(first__lte=now + band - late, then=Value(at)) for at, band in enumerate(queue.BANDS)]
    rows = _undecided(study).values("worker")
    counted = rows.annotate(
        n=Count("pk"), first=Min("submitted_at"), likely=Coalesce(Max("evidence__suspicion"), UNKNOWN)
    )
    banded = counted.annotate(band=Case(*edges, default=Value(len(queue.BANDS)), output_field=IntegerField()))
    ordered: QuerySet[Submission, dict[str, Any]] = banded.order_by("band", "-likely", "worker")  # type: ignore[assignment]
    return ordered


def count_waiting_people(study: Study) -> int:
    """How many rows `waiting_people` has, without what orders them."""
    return _undecided(study).values("worker").distinct().count()


def _undecided(study: Study) -> QuerySet[Submission]:
    # As anti-joins: of an outer join without a match PostgreSQL expects few rows, and looks up each of the many.
    decided = Exists(queue.payments().filter(submission=OuterRef("pk")))
    proposed = Exists(Rejection.objects.filter(submission=OuterRef("pk")))
    return Submission.objects.filter(~decided, ~proposed, hit__study=study).order_by()


def people_rows(study: Study, rows: Sequence[dict[str, Any]]) -> list[WaitingPerson]:
    """These rows of `waiting_people`, with what is measured of each person and their waiting submissions."""
    pks = [row["worker"] for row in rows]
    workers = Worker.objects.in_bulk(pks)
    evidence = {row.worker_id: row for row in PersonEvidence.objects.filter(study=study, worker__in=pks)}
    names = _other_names(evidence.values())
    waiting: dict[int, list[Submission]] = {}
    open_ones = Submission.objects.filter(hit__study=study, worker__in=pks, rejection=None)
    undecided = open_ones.exclude(pk__in=queue.payments().filter(submission__worker__in=pks).values("submission"))
    for submission in undecided.defer("raw").order_by("submitted_at", "pk"):
        waiting.setdefault(submission.worker_id, []).append(submission)
    delay = queue.study_delay(study)
    return [_waiting_person(row, workers, evidence, names, waiting=waiting, delay=delay) for row in rows]


def _waiting_person(
    row: dict[str, Any],
    workers: dict[int, Worker],
    evidence: dict[int, PersonEvidence],
    names: dict[int, str],
    *,
    waiting: dict[int, list[Submission]],
    delay: timedelta,
) -> WaitingPerson:
    measured = evidence.get(row["worker"])
    return WaitingPerson(
        worker=workers[row["worker"]],
        submissions=row["n"],
        due=row["first"] and row["first"] + delay,
        band=row["band"],
        suspicion=row["likely"],
        chance=measured.chance if measured else None,
        reason=_reason(measured, names) if measured else "",
        assignments=tuple(waiting.get(row["worker"], ())),
    )


def _other_names(evidence: Any) -> dict[int, str]:
    others = {alike["worker"] for row in evidence for alike in row.details.get("alike", ())}
    return dict(Worker.objects.filter(pk__in=others).values_list("pk", "pseudonym"))


def _reason(measured: PersonEvidence, names: dict[int, str]) -> str:
    alike = measured.details.get("alike") or [{}]
    other = names.get(alike[0].get("worker"), "–")
    return main_reason(measured.kind, measured.log_odds, measured.details, other=other)


@dataclass(frozen=True, slots=True)
class AlikePerson:
    """Somebody who answers like the person beyond chance, or shares a device. shared, same, expected: texts; None where
    only the device is shared."""

    pseudonym: str
    shared: int | None
    same: int | None
    expected: float | None
    same_device: bool


@dataclass(frozen=True, slots=True)
class PersonCard:
    """All that a reviewer sees of one person in a study.

    waiting: submissions without a decision; cents: what paying them costs, fees included. details: as stored by the
    checks (labels, positions). None: nothing was measured.
    """

    worker: Worker
    evidence: PersonEvidence | None
    reason: str
    work: tuple[Submission, ...]
    waiting: tuple[Submission, ...]
    cents: int
    alike: tuple[AlikePerson, ...]

    @property
    def details(self) -> dict[str, Any]:
        return self.evidence.details if self.evidence else {}

    @property
    def reason_to_exclude(self) -> str:
        """The main reason, where it speaks for bad work: that answers look careful is no reason to exclude them."""
        return self.reason if self.evidence and self.evidence.kind != WAYS[CAREFUL] else ""


def person_card(study: Study, worker: Worker) -> PersonCard:
    """Read everything about one person, in a fixed number of queries."""
    measured = PersonEvidence.objects.filter(study=study, worker=worker).first()
    names = _other_names([measured] if measured else [])
    work = Submission.objects.filter(hit__study=study, worker=worker).select_related(
        "hit__cell__arm__study", "evidence", "rejection__proposed_by"
    )
    rows = tuple(work.defer("raw").prefetch_related("flags", "decisions").order_by("submitted_at", "pk"))
    waiting = tuple(row for row in rows if not _paid(row) and not hasattr(row, "rejection"))
    return PersonCard(
        worker,
        measured,
        _reason(measured, names) if measured else "",
        rows,
        waiting,
        sum(ledger.place_cost(row.hit).total for row in waiting),
        tuple(_alike(study, worker, measured, names)),
    )


def _paid(submission: Submission) -> bool:
    return any(decision.matter == Decision.Matter.PAYMENT for decision in submission.decisions.all())


def _alike(study: Study, worker: Worker, measured: PersonEvidence | None, names: dict[int, str]) -> list[AlikePerson]:
    """Who answers alike, the surest first; then who only shares a device."""
    mine = Device.objects.filter(submission__hit__study=study, submission__worker=worker).values("code")
    on_device = Device.objects.filter(submission__hit__study=study, code__in=mine).exclude(submission__worker=worker)
    device = dict(on_device.values_list("submission__worker", "submission__worker__pseudonym").distinct())
    rows = [
        AlikePerson(
            names.get(alike["worker"], "–"), alike["shared"], alike["same"], alike["expected"], alike["same_device"]
        )
        for alike in (measured.details.get("alike", ()) if measured else ())
    ]
    listed = {row.pseudonym for row in rows}
    return rows + [AlikePerson(name, None, None, None, True) for name in sorted(device.values()) if name not in listed]


def next_person(study: Study, worker: Worker | None, *, now: datetime, before: dict[str, Any] | None) -> str | None:
    """The pseudonym of the next in the queue after the place `before` (a row of `waiting_people`), or of the first."""
    rows = waiting_people(study, now=now)
    following = None
    if before is not None:
        later = Q(band__gt=before["band"]) | Q(band=before["band"], likely__lt=before["likely"])
        later |= Q(band=before["band"], likely=before["likely"], worker__gt=before["worker"])
        following = rows.filter(later).first()
    row = following or rows.exclude(worker=worker.pk if worker else None).first()
    return Worker.objects.get(pk=row["worker"]).pseudonym if row else None


def place_of(study: Study, worker: Worker, *, now: datetime) -> dict[str, Any] | None:
    """The person's row of the queue; None where nothing of theirs waits."""
    return waiting_people(study, now=now).filter(worker=worker.pk).first()


@dataclass(frozen=True, slots=True)
class LastAction:
    """The visitor's latest decision about a person that can be undone. until: None for a proposal, which can be
    withdrawn until another reviewer confirms it. submissions: primary keys."""

    worker: Worker
    proposal: bool
    until: datetime | None
    submissions: tuple[int, ...]


def last_action(study: Study, user: User, *, now: datetime) -> LastAction | None:
    """Return the latest of the visitor's decisions and proposals, with all submissions that it concerned."""
    decided = assignment.latest_undoable(study, user, now=now)
    proposed = (
        Rejection.objects.filter(submission__hit__study=study, proposed_by=user, seconded_by=None)
        .select_related("submission__worker")
        .order_by("-proposed_at", "-pk")
        .first()
    )
    payments = Decision.objects.filter(matter=Decision.Matter.PAYMENT)
    decision = payments.filter(submission=decided.submission).first() if decided else None
    if proposed is not None and (decision is None or proposed.proposed_at > decision.at):
        worker = proposed.submission.worker
        rows = Rejection.objects.filter(
            submission__hit__study=study, submission__worker=worker, proposed_at=proposed.proposed_at, seconded_by=None
        )
        return LastAction(worker, True, None, tuple(rows.values_list("submission_id", flat=True)))
    if decided is None or decision is None:
        return None
    worker = decided.submission.worker
    together = Decision.objects.filter(
        submission__worker=worker,
        submission__hit__study=study,
        matter=Decision.Matter.PAYMENT,
        actor=user,
        at=decision.at,
    )
    return LastAction(worker, False, decided.until, tuple(together.values_list("submission_id", flat=True)))
