"""One pass over everything that is due at Prolific: read, follow, decide, carry out, pay."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.marketplace.errors import RequestRefusedError
from annotation.marketplace.models import ProlificAccount, ProlificAction, ProlificStudy
from annotation.marketplace.prolific import actions, decide, pay, publish, sync
from annotation.marketplace.prolific.accounts import open_client
from annotation.marketplace.prolific.answers import TOO_MANY, ProlificError
from annotation.marketplace.prolific.client import Client
from annotation.marketplace.prolific.follow import follow_study
from annotation.marketplace.prolific.hooks import subscribe

log = logging.getLogger(__name__)
Kind = ProlificAction.Kind
State = ProlificStudy.State
MAX_ROUNDS = 4


def run_due(*, now: datetime) -> int:
    """Look after every study at Prolific of which something is due; how many. One that fails stops no other."""
    studies = list(_due_studies(now))
    for study in studies:
        try:
            run_study(study, now=now)
        except ProlificError as error:
            _note_failure(study, error, now=now)
        except RequestRefusedError as refusal:
            _note_failure(study, ProlificError(refusal.message, later=True), now=now)
        except Exception:
            # An internal error of one study: the others go on.
            log.exception("The Prolific study %s was not looked after", study.key)
            _note_failure(study, ProlificError("An internal error; see the log.", later=True), now=now)
    return len(studies)


def _due_studies(now: datetime) -> QuerySet[ProlificStudy]:
    waiting = ProlificAction.objects.filter(study=OuterRef("pk"), state=ProlificAction.State.WAITING, due_at__lte=now)
    connected = ProlificAccount.objects.filter(requester=OuterRef("channel__requester")).exclude(token_sealed="")
    rows = ProlificStudy.objects.exclude(state=State.DRAFT).filter(Exists(connected), channel__purged_at=None)
    return rows.filter(Q(sync_due_at__lte=now) | Exists(waiting)).select_related("channel__requester").order_by("pk")


def run_study(study: ProlificStudy, *, now: datetime) -> None:
    """Read where that is due, then do what follows from what is known. Raises ProlificError where reading failed."""
    account = ProlificAccount.objects.get(requester=study.channel.requester)
    with open_client(account) as client:
        for _ in range(MAX_ROUNDS):
            if study.state == State.PUBLISHED and study.sync_due_at is not None and study.sync_due_at <= now:
                sync.read_study(study, client, now=now)
                follow_study(study, now=now)
            _pay(study, client, now=now)
            decide.queue_decisions(study, now=now)
            # What was changed at Prolific is read again at once, and may lead to more.
            if not _carry_out(study, account, client, now=now):
                return
            study.refresh_from_db()


def _pay(study: ProlificStudy, client: Client, *, now: datetime) -> None:
    if study.prolific_id:
        pay.queue_bonuses(study, now=now)
        pay.work_on_batch(study, client, now=now)


def _carry_out(study: ProlificStudy, account: ProlificAccount, client: Client, *, now: datetime) -> int:
    """Do what is due; how much was done."""
    done = 0
    rows = ProlificAction.objects.filter(study=study, state=ProlificAction.State.WAITING, due_at__lte=now)
    for action in rows.select_related("submission", "study").order_by("pk"):
        if action.submission is not None:
            action.submission.study = action.study
        if not actions.take(action, now=now):
            continue
        try:
            _do(action, account, client, now=now)
        except ProlificError as error:
            actions.note_failure(action, error, now=now)
            if error.status == TOO_MANY:
                # Prolific counts all calls of an account: the next pass goes on.
                break
        else:
            actions.finish(action, now=now)
            done += 1
    if done:
        ProlificStudy.objects.filter(pk=study.pk, state=State.PUBLISHED).update(sync_due_at=now)
    return done


def _do(action: ProlificAction, account: ProlificAccount, client: Client, *, now: datetime) -> None:
    study = action.study
    if action.submission_id is not None:
        decide.carry_out(action, client)
    elif action.kind == Kind.CREATE:
        publish.create(study, client, now=now)
    elif action.kind == Kind.PUBLISH:
        publish.publish(study, client, now=now)
        subscribe(account, study.workspace_id, client)
    elif action.kind == Kind.PLACES:
        publish.add_places(study, client, now=now)
    else:
        publish.change(study, action.kind, client, now=now)


def _note_failure(study: ProlificStudy, error: ProlificError, *, now: datetime) -> None:
    wait = max(error.retry_after or timedelta(0), timedelta(seconds=settings.PROLIFIC_POLL_SECONDS))
    ProlificStudy.objects.filter(pk=study.pk).update(sync_error=str(error), sync_due_at=now + wait)
