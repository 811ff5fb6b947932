"""Each audit of a fault run can fail: a planted fault is found under its own name, and the run fails for it."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F, Model, Q

from annotation import ledger as books
from annotation.accounts.models import User
from annotation.collecting.collect import collect
from annotation.collecting.parse_submissions import read
from annotation.marketplace import models as theirs
from annotation.models import Intent, Parse, Study, Submission
from annotation.mturk.client import Market
from annotation.outbox.worker import work
from annotation.publishing.end import close, expire_now
from annotation.publishing.publish import publish
from annotation.review import reject
from annotation.review.approve import approve
from annotation.review.block import block
from annotation.review.notify import notify
from annotation.workers import participation
from tests.annotation.conftest import NOW
from tests.faults import kill_points as points
from tests.faults.findings import Findings, findings
from tests.faults.verdict import Run, faults_of

BUDGET = 4 * (60 + 12)


def _again(row: Model, **changes: Any) -> None:
    """The row once more, under a key of its own."""
    row.pk = None
    for name, value in changes.items():
        setattr(row, name, value)
    row.save(force_insert=True)


def _second_hit(study: Study) -> None:
    _again(theirs.Hit.objects.get(annotation=study.intents.filter(kind="create_hit")[0].key), hit_id="AGAIN")


def _hit_that_nobody_made(study: Study) -> None:
    Intent.of(study, Intent.Kind.CREATE_HIT, 10**6, slot="none").save()


def _submission_under_another_id(study: Study) -> None:
    theirs.Assignment.objects.filter(pk=theirs.Assignment.objects.all()[0].pk).update(assignment_id="ANOTHER")


def _other_answer(study: Study) -> None:
    theirs.Submission.objects.update(answer=F("raw"))


def _not_read(study: Study) -> None:
    Parse.objects.filter(pk=Parse.objects.all()[0].pk).update(problem="No label of the scale for text 1 of 4.")


def _second_payment(study: Study) -> None:
    rows = theirs.LedgerEntry.objects.filter(purpose="reward", account="house")
    _again(rows[0], posting=uuid.uuid4(), account="outside")


def _no_payment(study: Study) -> None:
    one = Submission.objects.filter(hit__study=study)[0]
    theirs.LedgerEntry.objects.filter(assignment__assignment_id=one.market_id, purpose="reward").delete()


def _second_bonus(study: Study) -> None:
    _again(theirs.BonusPayment.objects.all()[0])


def _no_bonus(study: Study) -> None:
    theirs.BonusPayment.objects.all()[0].delete()


def _forgotten_refusal(study: Study) -> None:
    theirs.Assignment.objects.update(rejected_at=None)


def _mark_that_stays(study: Study) -> None:
    theirs.QualificationGrant.objects.update(status="Revoked")


def _lost_notice(study: Study) -> None:
    theirs.WorkerMessage.objects.all()[0].delete()


def _no_block(study: Study) -> None:
    theirs.WorkerBlock.objects.all().delete()


def _smaller_budget(study: Study) -> None:
    Study.objects.update(budget_cents=None)


def _cent_more(study: Study) -> None:
    Study.objects.update(budget_cents=F("budget_cents") + 1, spent_cents=F("spent_cents") + 1)


def _cent_set_aside(study: Study) -> None:
    Study.objects.update(budget_cents=F("budget_cents") + 1, reserved_cents=1)


def _dearer_row(study: Study) -> None:
    study.ledger.filter(kind="fee").update(cents=F("cents") + 1)


def _cheaper_row_of_the_market(study: Study) -> None:
    theirs.LedgerEntry.objects.filter(Q(purpose="reward"), account="worker").update(amount_cents=F("amount_cents") - 1)


PLANTED: dict[str, Callable[[Study], None]] = {
    "duplicate_hits": _second_hit,
    "lost_hits": _hit_that_nobody_made,
    "lost_submissions": _submission_under_another_id,
    "altered_answers": _other_answer,
    "unread_submissions": _not_read,
    "double_payments": _second_payment,
    "unpaid_approvals": _no_payment,
    "double_bonuses": _second_bonus,
    "unpaid_bonuses": _no_bonus,
    "refusals_that_differ": _forgotten_refusal,
    "qualifications_that_differ": _mark_that_stays,
    "lost_notices": _lost_notice,
    "blocks_that_differ": _no_block,
    "budget_overruns": _smaller_budget,
    "cents_that_differ": _cent_more,
    "cents_still_set_aside": _cent_set_aside,
    "faults_of_the_log": _dearer_row,
    "faults_of_the_market_s_books": _cheaper_row_of_the_market,
}


def lived(study: Study, market: Market, everybody_rates: Callable[..., None]) -> None:
    """A study's whole life, a bonus for everybody in it, without any fault."""

    def go() -> None:
        work(Q(study=study), market=market, clock=lambda: NOW)

    Study.objects.filter(pk=study.pk).update(budget_cents=BUDGET)
    publish(study, actor="ada", now=NOW)
    go()
    everybody_rates("bea", "cy")
    collect(study, market=market, now=NOW)
    read(study, now=NOW)
    mine = Submission.objects.filter(hit__study=study)
    refused = mine.order_by("pk")[0]
    ada, bob = (User.objects.create_user(name) for name in ("ada", "bob"))
    reject.propose_rejection(study, refused, reason="Handed in without reading.", actor=ada, now=NOW)
    reject.confirm_rejection(study, refused, actor=bob, now=NOW, window=timedelta(0))
    go()
    reject.reverse_rejection(study, refused, reason="It had been read.", actor=ada, now=NOW)
    participation.grant_passes(study, mine.select_related("worker"), market.once_pass("took part"))
    approve(study, mine, actor=None, now=NOW)
    books.promise_bonuses(study, [(one, 10) for one in mine], occasion="thanks", reason="Thank you.", now=NOW)
    go()
    notify(study, subject="Thank you", text="Your ratings are in use.", actor="ada", now=NOW)
    block(study, refused.worker, reason="Pastes what others wrote.", actor="ada", now=NOW)
    go()
    expire_now(study, actor="ada", now=NOW)
    go()
    collect(study, market=market, now=NOW)
    close(study, actor="ada", now=NOW)
    go()


@pytest.mark.django_db(transaction=True)
@pytest.mark.database
@pytest.mark.usefixtures("mturk_fees")
def test_each_planted_fault_is_found_under_its_name(
    study: Study, market: Market, everybody_rates: Callable[..., None]
) -> None:
    lived(study, market, everybody_rates)
    assert findings(study).clean
    assert set(PLANTED) == set(Findings.__dataclass_fields__)
    from django.db import transaction

    for name, plant in PLANTED.items():
        with transaction.atomic():
            plant(study)
            assert getattr(findings(study), name) > 0, name
            transaction.set_rollback(True)
    assert findings(study).clean


def a_run(**changes: Any) -> Run:
    return Run("SQLite", 1, Counter(dict.fromkeys(points.ALL, 7)), found=Counter({"lost hits": 0}), **changes)


def test_a_run_that_met_every_point_and_found_nothing_passes() -> None:
    assert faults_of([a_run()], kills=200) == []


def test_a_run_fails_for_what_it_found() -> None:
    run = a_run()
    run.found["double payments"] = 2
    assert faults_of([run], kills=200) == ["SQLite: 2 double payments."]


def test_a_run_fails_for_a_point_at_which_nothing_was_killed() -> None:
    met, run = a_run(), a_run()
    del run.kills["a row taken"]
    assert faults_of([met, run], kills=200) == ["SQLite: no process was killed at the point: a row taken."]


def test_a_run_fails_that_looked_at_nothing_or_killed_too_few() -> None:
    run = a_run()
    run.studies = 0
    assert faults_of([run], kills=1000) == [
        "SQLite: no study was looked at.",
        f"{7 * len(points.ALL)} processes were killed, not 1000.",
    ]
