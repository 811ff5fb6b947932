"""A worker with an account in Django's test client, and groups of HITs written straight to the database."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from django.test import Client
from django.utils import timezone

from annotation.accounts.models import User
from annotation.marketplace.core import clock
from annotation.marketplace.models import Assignment, Hit, HitType, QualificationType, Requester, WorkerAccount
from annotation.marketplace.workers import sessions
from annotation.marketplace.workers.open_accounts import Record, open_worker
from tests.marketplace.question_samples import html_question


def create_worker(name: str, **facts: object) -> WorkerAccount:
    worker = open_worker(name, worker_id=None, record=Record(), now=clock.now())
    WorkerAccount.objects.filter(pk=worker.pk).update(**facts)
    worker.refresh_from_db()
    return worker


def sign_in(worker: WorkerAccount) -> Client:
    client = Client(SERVER_NAME="site.example")
    client.cookies[sessions.COOKIE] = sessions.open_session(worker, now=timezone.now())
    return client


def create_requester(name: str = "lab") -> Requester:
    user, _ = User.objects.get_or_create(username=name)
    requester, _ = Requester.objects.get_or_create(user=user, defaults={"created_at": clock.now()})
    return requester


def create_qualification(requester: Requester, name: str, **facts: object) -> QualificationType:
    usual = {"description": "-", "status": "Active", "created_at": clock.now()}
    return QualificationType.objects.create(requester=requester, name=name, **(usual | facts))


def publish(requester: Requester, title: str, *, places: int = 5, **facts: object) -> Hit:
    """One open HIT of a type of its own."""
    now = clock.now()
    usual = {"description": "Read it.", "reward_cents": 50, "assignment_seconds": 600, "auto_approval_seconds": 60}
    hit_type = HitType.objects.create(
        requester=requester, title=title, digest=uuid.uuid4().hex, created_at=now, **(usual | facts)
    )
    later = now + timedelta(days=1)
    return Hit.objects.create(
        requester=requester,
        hit_type=hit_type,
        kind="HTMLQuestion",
        question=html_question("<p>Read.</p>"),
        max_assignments=places,
        created_at=now,
        expiration=later,
        due_at=later,
    )


def record_work(
    hit: Hit, worker: WorkerAccount, *, accepted_at: datetime, seconds: float, **facts: object
) -> Assignment:
    """A submitted assignment, `seconds` after it was accepted; more of it by `facts`."""
    submitted_at = accepted_at + timedelta(seconds=seconds)
    usual = {"state": "Submitted", "submitted_at": submitted_at, "auto_approval_at": submitted_at + timedelta(days=30)}
    return Assignment.objects.create(
        hit=hit, worker=worker, accepted_at=accepted_at, deadline=submitted_at + timedelta(hours=1), **(usual | facts)
    )
