"""A whole study on Prolific, from the token to the booked fees, through the marketplace and its stand-in."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from annotation import ledger
from annotation.accounts.models import User
from annotation.console.urls import urlpatterns
from annotation.models import AuditEvent, Submission
from annotation.mturk import prolific
from annotation.recruiting.publish_prolific import change_recruitment, settle_costs
from annotation.review import reject
from annotation.review.approve import approve
from annotation.review.prolific_work import ask_to_return, category_for
from tests.annotation.api.conftest import Caller
from tests.annotation.console.test_review import addresses
from tests.annotation.recruiting.prolific_recruitment import Recruitment
from tests.annotation.recruiting.test_prolific import LONG

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


def test_people_return_time_out_enter_wrong_codes_and_the_books_agree(
    recruitment: Recruitment, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    recruitment.begin(places=3)
    stub, study, market = recruitment.stub, recruitment.study, recruitment.market
    recruitment.arrive(1)
    stub.return_place(1)
    recruitment.arrive(2)
    stub.time_out(2)
    recruitment.run()
    # Both places are free again, there and here.
    recruitment.finish(3)
    recruitment.finish(4)
    recruitment.finish(5, code="WRONG")
    recruitment.run()
    known = prolific.get_study(market, recruitment.channel)
    assert known.counts == {"AWAITING REVIEW": 3, "RETURNED": 1, "TIMED-OUT": 1}
    rows = prolific.list_submissions(market, recruitment.channel)
    assert sorted(row.path for row in rows) == ["", "", "completed", "completed", "unknown code"]

    ada, ben = (User.objects.create_user(name) for name in ("ada", "ben"))
    works = Submission.objects.filter(hit__study=study).order_by("pk")
    assert len(works) == 3
    refused = next(row for row in rows if row.path == "unknown code").assignment_ids[0]
    submission = works.get(market_id=refused)
    ask_to_return(study, submission, reason="The code is not of this study.", **recruitment.by())
    category = category_for(study, submission, market, "BAD_CODE")
    reject.propose_rejection(study, submission, reason=LONG, category=category, actor=ada, now=timezone.now())
    reject.confirm_rejection(study, submission, actor=ben, now=timezone.now(), beyond_guard=True)
    approve(study, works.exclude(pk=submission.pk), actor=ada, now=timezone.now())
    study.intents.update(not_before=None)
    recruitment.run()
    change_recruitment(study, recruitment.channel, "stop", **recruitment.by())
    recruitment.run()

    facts = stub.read_facts()
    assert facts["statuses"] == {"RETURNED": 1, "TIMED-OUT": 1, "APPROVED": 2, "REJECTED": 1}
    (there,) = facts["studies"]
    done = prolific.get_study(market, recruitment.channel)
    assert (done.status, done.waiting, done.unknown_batches) == ("completed", (), ())
    assert (done.paid_minor, done.fees_minor) == (
        there["paid_rewards"]["amount"],
        there["paid_rewards"]["fees"] + there["paid_rewards"]["vat"],
    )
    settle_costs(study, recruitment.channel, **recruitment.by())
    sums = ledger.sums(study)
    assert sums.agree
    assert sums.spent == there["paid_rewards"]["total_amount"]
    assert not shown_ids(recruitment, submission.market_id, caplog.text, tmp_path)
    # Every request had the documented shape.
    assert {entry["status"] for entry in stub.read_requests()} <= {200, 201, 202}


def test_late_hooks_undo_nothing_that_was_read_decided_and_booked(recruitment: Recruitment, settings: Any) -> None:
    settings.PROLIFIC_HOOKS = True
    stub, study = recruitment.stub, recruitment.study
    recruitment.begin(places=2)
    stub.change_settings(hooks="held", hook_copies=2)
    recruitment.finish(1)
    recruitment.finish(2)
    recruitment.run()
    works = Submission.objects.filter(hit__study=study)
    approve(study, works, actor=User.objects.create_user("ada"), now=timezone.now())
    study.intents.update(not_before=None)
    recruitment.run()
    before = (
        ledger.sums(study),
        [row.decision for row in prolific.list_submissions(recruitment.market, recruitment.channel)],
    )
    assert before[1] == ["approved"] * 2
    # What was ACTIVE an hour ago is said now, twice and in the wrong order; some of it too late to be believed.
    for age in (0, 3600):
        stub.change_settings(hook_age_seconds=age)
        assert stub.release_hooks("reversed") + stub.retry_hooks() >= 0
    recruitment.run()
    rows = prolific.list_submissions(recruitment.market, recruitment.channel)
    assert (ledger.sums(study), [row.decision for row in rows]) == before
    assert works.count() == 2
    assert stub.read_facts()["statuses"] == {"APPROVED": 2}
    assert stub.read_facts()["studies"][0]["paid_rewards"]["amount"] == before[0].spent == 2 * study.reward_cents


def shown_ids(recruitment: Recruitment, assignment: str, logged: str, folder: Path) -> list[str]:
    """Ids of Prolific's people and sessions in pages, answers of the API, the report, the audit log, other logs."""
    user = User.objects.create_superuser("root")
    client, study, channel = Client(), recruitment.study, recruitment.channel
    client.force_login(user)
    caller = Caller("olga", study, "owner")
    pages = addresses(study, urlpatterns, channel_id=channel, assignment=assignment)
    answers = {name: client.get(place) for name, place in pages.items()}
    assert {name for name, answer in answers.items() if answer.status_code == 200} >= PAGES
    texts = [answer.getvalue().decode() if answer.streaming else answer.content.decode() for answer in answers.values()]
    call_command("report", study.name, "--out", str(folder), "--format", "html,json,csv,latex", stdout=StringIO())
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 3
    texts += [path.read_text(encoding="utf-8", errors="replace") for path in files]
    base = f"/studies/{study.uuid}/channels/{channel}"
    paths = (base, f"{base}/people", f"{base}/prolific", f"{base}/prolific/submissions", f"/studies/{study.uuid}/log")
    texts += [caller("get", path).content.decode() for path in paths]
    texts += [str(facts) for facts in AuditEvent.objects.values_list("facts", flat=True)]
    rows = recruitment.stub.read_facts()["submissions"]
    ids = [row[name] for row in rows for name in ("id", "participant_id")]
    assert len(ids) == 10
    return [key for key in [*ids, recruitment.stub.token] if any(key in text for text in [*texts, logged])]


# Among all pages of the console, those in which Prolific's people are met.
PAGES = {
    "keys-prolific",
    "log",
    "progress",
    "publish-prolific",
    "publish-prolific-places",
    "recruit-channel",
    "recruit-prolific",
    "recruit-prolific-filters",
    "review",
    "review-assignment",
    "workers",
    "workers-page",
    "workers-retention",
}
