"""Qualification tests: a worker begins one, answers in time, and is graded or waits for the requester."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction

from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.models import QualificationRequest, QualificationType, TestAttempt, WorkerAccount
from annotation.marketplace.qualifications import requests
from annotation.marketplace.questions import form_parser
from annotation.marketplace.questions.answer_keys import read_key
from annotation.marketplace.questions.form_answers import EnteredAnswer, form_answers_xml


@transaction.atomic
def begin(qualification_type: QualificationType, *, worker: WorkerAccount, now: datetime) -> TestAttempt:
    """The attempt under way, or a new one whose time runs from now.

    Raises WorkRefusedError with a word of `asking.refusal`.
    """
    # Two tabs at the same moment begin one attempt.
    WorkerAccount.objects.select_for_update(no_key=True).get(pk=worker.pk)
    running = under_way(qualification_type, worker, now)
    if running is not None:
        return running
    if reason := requests.refusal(qualification_type, worker, now):
        raise WorkRefusedError(reason)
    return TestAttempt.objects.create(
        qualification_type=qualification_type,
        worker=worker,
        test=qualification_type.test,
        answer_key=qualification_type.answer_key,
        began_at=now,
        deadline=now + timedelta(seconds=qualification_type.test_seconds or 0),
    )


def under_way(qualification_type: QualificationType, worker: WorkerAccount, now: datetime) -> TestAttempt | None:
    """The attempt of `worker` that can still be handed in."""
    rows = TestAttempt.objects.filter(
        qualification_type=qualification_type, worker=worker, answered_at=None, deadline__gt=now
    )
    return rows.order_by("-pk").first()


@transaction.atomic
def submit(attempt: TestAttempt, answers: Sequence[EnteredAnswer], *, now: datetime) -> QualificationRequest:
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
    held.answered_at, held.answer = now, form_answers_xml(answers)
    if held.answer_key:
        held.score = read_key(held.answer_key, form_parser.read(held.test)).score(answers)
    held.save(update_fields=["answered_at", "answer", "score"])
    return _create_request(held, now)


def _create_request(held: TestAttempt, now: datetime) -> QualificationRequest:
    """The request that a test ends in: granted with the test's score, or waiting."""
    qualification_type, worker = held.qualification_type, held.worker
    request = QualificationRequest.objects.create(
        qualification_type=qualification_type, worker=worker, asked_at=now, test=held.test, answer=held.answer
    )
    if held.score is not None:
        requests.give(qualification_type, worker, value=held.score, now=now)
        requests.decide(request, state=QualificationRequest.State.GRANTED)
    return request
