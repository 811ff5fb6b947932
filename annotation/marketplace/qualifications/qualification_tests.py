"""Qualification tests: a worker begins one, answers in time, and is graded or waits for the requester."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction

from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.models import QualificationRequest, QualificationType, TestAttempt, WorkerAccount
from annotation.marketplace.qualifications import requests as asking
from annotation.marketplace.questions import form_parser as reading
from annotation.marketplace.questions.answer_keys import read_key
from annotation.marketplace.questions.form_answers import Given, form_answers_xml


@transaction.atomic
def begin(found: QualificationType, *, worker: WorkerAccount, now: datetime) -> TestAttempt:
    """The attempt under way, or a new one whose time runs from now.

    Raises WorkRefusedError with a word of `asking.refusal`.
    """
    # Two tabs at the same moment begin one attempt.
    WorkerAccount.objects.select_for_update(no_key=True).get(pk=worker.pk)
    running = under_way(found, worker, now)
    if running is not None:
        return running
    if reason := asking.refusal(found, worker, now):
        raise WorkRefusedError(reason)
    return TestAttempt.objects.create(
        qualification_type=found,
        worker=worker,
        test=found.test,
        answer_key=found.answer_key,
        began_at=now,
        deadline=now + timedelta(seconds=found.test_seconds or 0),
    )


def under_way(found: QualificationType, worker: WorkerAccount, now: datetime) -> TestAttempt | None:
    """The attempt of `worker` that can still be handed in."""
    rows = TestAttempt.objects.filter(qualification_type=found, worker=worker, answered_at=None, deadline__gt=now)
    return rows.order_by("-pk").first()


@transaction.atomic
def hand_in(attempt: TestAttempt, given: Sequence[Given], *, now: datetime) -> QualificationRequest:
    """Record answers that break no rule, once: graded and granted by the key, or left to the requester.

    Raises WorkRefusedError: twice, late.
    """
    held = (
        TestAttempt.objects.select_for_update(of=("self",))
        .select_related("qualification_type", "worker")
        .get(pk=attempt.pk)
    )
    if held.answered_at is not None:
        raise WorkRefusedError("twice")
    if held.deadline <= now:
        raise WorkRefusedError("late")
    held.answered_at, held.answer = now, form_answers_xml(given)
    if held.answer_key:
        held.score = read_key(held.answer_key, reading.read(held.test)).score(given)
    held.save(update_fields=["answered_at", "answer", "score"])
    return _asked(held, now)


def _asked(held: TestAttempt, now: datetime) -> QualificationRequest:
    """The request that a test ends in: granted with the test's score, or waiting."""
    found, worker = held.qualification_type, held.worker
    made = QualificationRequest.objects.create(
        qualification_type=found, worker=worker, asked_at=now, test=held.test, answer=held.answer
    )
    if held.score is not None:
        asking.give(found, worker, value=held.score, now=now)
        asking.decide(made, state=QualificationRequest.State.GRANTED)
    return made
