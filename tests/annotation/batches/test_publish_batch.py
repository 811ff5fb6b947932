"""A batch is published once, whatever breaks off in between (case 19), and its results and reviews are the requester
site's (cases 21 and 22)."""

from __future__ import annotations

import csv
import io
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pandas as pd  # type: ignore[import-untyped]
import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from annotation.accounts.models import User
from annotation.exceptions import BudgetError, ChangedError, DesignError, MarketError, StateError
from annotation.hits.batches.publish_batch import cancel_batch, end_tasks, publish_batch
from annotation.hits.batches.queries import log_of, progress_of, works_of
from annotation.hits.batches.results_file import file_names, write_results
from annotation.hits.batches.review_file import apply_review, plan_review
from annotation.models import Batch, BatchEvent, Judgment
from annotation.models.audit import first_broken
from annotation.mturk.client import Market
from annotation.mturk.records import SubmittedWork
from tests.annotation.batches.conftest import PLAN
from tests.marketplace.people import Person

pytestmark = pytest.mark.database
ROWS = 300
ROOT = Path(__file__).resolve().parents[3]
FIELDS = 12
# As the requester site wrote them, up to the columns of the batch itself.
HEADER = """
HITId HITTypeId Title Description Keywords Reward CreationTime MaxAssignments RequesterAnnotation
AssignmentDurationInSeconds AutoApprovalDelayInSeconds Expiration NumberOfSimilarHITs LifetimeInSeconds
AssignmentId WorkerId AssignmentStatus AcceptTime SubmitTime AutoApprovalTime ApprovalTime RejectionTime
RequesterFeedback WorkTimeInSeconds LifetimeApprovalRate Last30DaysApprovalRate Last7DaysApprovalRate
"""


def silent(_step: str, _done: int, _of: int) -> None:
    pass


def publish(batch: Batch, market: Market) -> int:
    return publish_batch(batch, market=market, clock=timezone.now, tell=silent, actor="olga")


# A program of its own, which is killed (SIGKILL) at a point of tests.faults when it comes there for the nth time.
DOOMED = """
import sys, django
django.setup()
from django.db import connection
from tests.faults.kill_points import doom
connection.settings_dict["NAME"] = sys.argv[1]
doom(sys.argv[2], int(sys.argv[3]))
from django.core.management import ManagementUtility
from django.conf import settings
settings.MTURK_ENDPOINT_URL, settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = sys.argv[4:7]
ManagementUtility(["manage.py", *sys.argv[7:]]).execute()
"""


@pytest.mark.long
def test_19_publishing_that_is_killed_goes_on_and_makes_each_hit_once(
    olga: User, market: Market, draft: Callable[..., Batch], settings: Any
) -> None:
    table = "x\n" + "".join(f"{at}\n" for at in range(ROWS))
    batch = draft(olga, "<p>${x}</p>", table, replace(PLAN, reward_cents=1, max_assignments=1))
    # The marketplace has the HIT; its id was not stored.
    point = ["after the call that creates a HIT", str(ROWS // 2)]
    endpoint = [settings.MTURK_ENDPOINT_URL, settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY]
    command = ["batches", "publish", str(batch.number), "--yes", "--as", "olga"]
    name = str(connection.settings_dict["NAME"])
    killed = subprocess.run(
        [sys.executable, "-c", DOOMED, name, *point, *endpoint, *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert batch.hits.exclude(market_id="").count() == ROWS // 2 - 1
    assert publish(batch, market) == ROWS
    seen = list(market.hits())
    assert len(seen) == ROWS
    assert {hit.market_id for hit in seen} == set(batch.hits.values_list("market_id", flat=True))
    assert len({hit.type_id for hit in seen}) == 1
    (annotation,) = {hit.annotation for hit in seen}
    match = re.fullmatch(r"BatchId:(\d+);OriginalHitTemplateId:\d+;", annotation)
    assert match
    assert int(match[1]) == batch.number
    batch.refresh_from_db()
    assert batch.state == Batch.State.PUBLISHED
    with pytest.raises(StateError):
        publish(batch, market)
    log = list(reversed(log_of(batch)))
    assert [(event.verb, event.facts.get("tasks")) for event in log] == [
        ("create_batch", None),
        ("publish_batch", ROWS),
        ("publish_batch", ROWS // 2 + 1),
    ]
    assert first_broken(log) is None
    with pytest.raises(DatabaseError, match="immutable"), transaction.atomic():
        BatchEvent.objects.filter(pk=log[1].pk).update(actor="nobody")


def test_a_batch_that_is_canceled_while_it_is_published_has_no_open_task_left(
    olga: User, market: Market, draft: Callable[..., Batch], monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = draft(olga, "<p>${x}</p>", "x\n1\n2\n3\n4\n", replace(PLAN, reward_cents=1, max_assignments=1))
    create, calls = Market.create_hit, []

    def canceled_meanwhile(self: Market, order: Any) -> str:
        calls.append(order)
        if len(calls) == 2:  # the marketplace stops answering in the middle of canceling
            assert cancel_batch(Batch.objects.get(), actor="olga", now=timezone.now())
            with mock.patch.object(Market, "expire", side_effect=MarketError("No answer.")), pytest.raises(MarketError):
                end_tasks(Batch.objects.get(), market=self, tell=silent)
        return create(self, order)

    monkeypatch.setattr(Market, "create_hit", canceled_meanwhile)
    with pytest.raises(StateError, match="canceled while it was being published"):
        publish(batch, market)
    open_hits = [hit for hit in market.hits() if not hit.over]
    assert (len(calls), len(open_hits)) == (2, 1)  # the first, of which canceling broke off
    assert end_tasks(Batch.objects.get(), market=market, tell=silent) == 2
    assert all(hit.over for hit in market.hits())
    with pytest.raises(StateError):
        publish(batch, market)


def test_nothing_is_published_without_the_money_or_with_a_page_that_the_marketplace_refuses(
    olga: User, market: Market, draft: Callable[..., Batch]
) -> None:
    dear = draft(olga, "<p>${x}</p>", "x\n1\n2\n", replace(PLAN, reward_cents=30_000))
    with pytest.raises(BudgetError, match=r"holds \$1,000.00, and the batch costs \$1,200.00") as refused:
        publish(dear, market)
    assert refused.value.missing_cents == 20_000
    polygon = "<crowd-form><p>${x}</p>\n<crowd-polygon></crowd-polygon></crowd-form>"
    with pytest.raises(DesignError, match=r"<crowd-polygon> \(line 2\)") as at_upload:
        draft(olga, polygon, "x\n1\n2\n", market=market)
    assert (at_upload.value.field, Batch.objects.count()) == ("template", 1)
    media = draft(olga, polygon, "x\n1\n2\n")
    with pytest.raises(MarketError, match=r"Row 2: .*<crowd-polygon> \(line 2\).*not supported"):
        publish(media, market)
    assert list(market.hits()) == []
    assert set(Batch.objects.values_list("state", flat=True)) == {"draft"}
    assert not cancel_batch(media, actor="olga", now=timezone.now())
    assert Batch.objects.get() == dear
    assert list(log_of(media).values_list("verb", flat=True)) == ["delete_draft", "publish_batch", "create_batch"]


@pytest.fixture
def rated(
    olga: User, market: Market, draft: Callable[..., Batch], worker: Callable[[str], Person]
) -> Callable[[], list[Any]]:
    """Two HITs in the columns of HUSE with twelve fields, each done by two workers; gives the works of the batch."""
    names = [f"{name}{at}" for at in range(FIELDS) for name in ("CTX", "TYPE", "OUT", "LOGP")]
    lines = [
        [
            cell
            for at in range(FIELDS)
            for cell in (f"context {at}", "SUM" if (row + at) % 2 else "HUMAN_SUM", f"text {row} {at}", f"-{at + 1}.5")
        ]
        for row in range(2)
    ]
    table = io.StringIO()
    csv.writer(table).writerows([names, *lines])
    template = "<form>" + "".join(f"<p>${{OUT{at}}} <input name='{at}'></p>" for at in range(FIELDS)) + "</form>"
    batch = draft(olga, template, table.getvalue())
    publish(batch, market)
    for name, label in (("ann", "Typical"), ("bob", "=Rare")):
        person = worker(name)
        for row in batch.hits.all():
            fields = [(str(at), label.lstrip("=") if at else "Rare") for at in range(FIELDS)]
            note = [("note", "=1+1")] if name == "bob" else []
            person.do({"HITId": row.market_id}, [*fields, *note])
    return lambda: list(works_of(batch, market, silent))


def test_21_results_have_the_columns_of_the_requester_site_and_come_in_again(
    rated: Callable[[], list[Any]], tmp_path: Path
) -> None:
    batch = Batch.objects.get()
    assert write_results(batch, rated(), tmp_path, now=timezone.now(), actor="olga") == 4
    plain, guarded = (tmp_path / name for name in file_names(batch))
    assert plain.name == f"Batch_{batch.number}_batch_results.csv"
    text = plain.read_text(encoding="utf-8")
    header, *rows = csv.reader(io.StringIO(text))
    inputs = [f"Input.{name}{at}" for at in range(FIELDS) for name in ("CTX", "TYPE", "OUT", "LOGP")]
    answers = [
        "Answer.0",
        "Answer.1",
        "Answer.10",
        "Answer.11",
        *(f"Answer.{at}" for at in range(2, 10)),
        "Answer.note",
    ]
    assert header == [*HEADER.split(), *inputs, *answers, "Approve", "Reject"]
    assert "\r" not in text
    assert all(line.startswith('"') for line in text.splitlines())
    first = dict(zip(header, rows[0], strict=True))
    assert int(first["WorkTimeInSeconds"]) >= 0
    assert first["Reward"] == "$1.00"
    assert first["LifetimeApprovalRate"] == "0% (0/0)"
    assert re.fullmatch(r"[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d P[SD]T \d{4}", first["SubmitTime"])
    assert (first["NumberOfSimilarHITs"], first["ApprovalTime"], first["Approve"]) == ("", "", "")
    frame = pd.read_csv(plain)
    assert list(frame.columns) == header
    assert sorted(frame["Answer.note"].dropna()) == ["=1+1", "=1+1"]
    assert sorted(pd.read_csv(guarded)["Answer.note"].dropna()) == ["'=1+1", "'=1+1"]
    call_command("import_batch", str(plain), study="again", stdout=io.StringIO())
    assert Judgment.objects.count() == 4 * FIELDS


def test_22_a_reviewed_file_decides_what_it_says_and_names_the_rest(
    rated: Callable[[], list[Any]], market: Market, tmp_path: Path
) -> None:
    batch = Batch.objects.get()
    ids = [work.assignment_id for each in rated() for work in each.work]
    before = market.balance_cents()
    path = tmp_path / "reviewed.csv"

    def review(*rows: tuple[str, str, str]) -> Any:
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([("AssignmentId", "Approve", "Reject"), *rows])
        return plan_review(path, rated())

    plan = review(
        (ids[0], "X", ""),
        (ids[1], "x", ""),
        (ids[2], "", "No words at all."),
        (ids[3], "X", "Both"),
        ("3UNKNOWN", "X", ""),
        (ids[3], "", ""),
        (ids[0], "x", ""),
        (ids[3], "yes", ""),
    )
    assert plan.counts() == (2, 1)
    assert plan.reject == ((ids[2], "No words at all."),)
    assert [row for row, _ in plan.problems] == [5, 6, 8, 9]
    assert "both filled" in plan.problems[0][1]
    assert "3UNKNOWN" in plan.problems[1][1]
    by: Any = {"market": market, "tell": silent, "actor": "olga", "now": timezone.now()}
    with pytest.raises(ChangedError):
        apply_review(batch, plan, confirmed=(1, 1), **by)
    assert market.balance_cents() == before
    apply_review(batch, plan, confirmed=(2, 1), **by)
    states = {work.assignment_id: (work.status, work.feedback) for each in rated() for work in each.work}
    assert states == {
        ids[0]: ("Approved", ""),
        ids[1]: ("Approved", ""),
        ids[2]: ("Rejected", "No words at all."),
        ids[3]: ("Submitted", ""),
    }
    # What was held for the rejected assignment comes back: a dollar, on a marketplace without fees.
    assert market.balance_cents() == before + 100
    again = review((ids[0], "X", ""), (ids[2], "", "No."), (ids[1], "", "Late"))
    assert (again.settled, again.counts()) == (2, (0, 0))
    assert again.problems == ((4, "the assignment was approved before."),)
    counts = progress_of(batch, market)
    assert (counts.hits, counts.open, counts.submitted, counts.decided) == (2, 0, 1, 3)
    assert write_results(batch, rated(), tmp_path, now=timezone.now(), actor="olga") == 4
    text = (tmp_path / file_names(batch)[0]).read_text()
    rates = {row["WorkerId"]: row["LifetimeApprovalRate"] for row in csv.DictReader(io.StringIO(text))}
    assert sorted(rates.values()) == ["100% (1/1)", "50% (1/2)"]
    # The marketplace's clock was set back by an hour after work was accepted.
    back = [replace(each, work=tuple(_accepted_later(work) for work in each.work)) for each in rated()]
    write_results(batch, back, tmp_path, now=timezone.now(), actor="olga")
    text = (tmp_path / file_names(batch)[0]).read_text()
    assert {row["WorkTimeInSeconds"] for row in csv.DictReader(io.StringIO(text))} == {""}


def _accepted_later(work: SubmittedWork) -> SubmittedWork:
    return replace(work, accepted_at=work.submitted_at + timedelta(hours=1))
