"""What the marketplace counts of how requesters decide and pay, and what workers read of it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.marketplace.core import clock
from annotation.marketplace.models import Reply, RequesterRecord
from annotation.marketplace.monitoring.requester_records import count_if_due, count_records
from tests.marketplace.site.accounts import create_requester, create_worker, publish, record_work, sign_in
from tests.marketplace.site.test_requirements_shown import facts_on

pytestmark = [pytest.mark.django_db, pytest.mark.database]

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def decide(hit, name, *, submitted_ago, approved_after=None, rejected_after=None, answered=False):
    """Work of a new worker, submitted so long ago, approved and rejected so long after that."""
    submitted_at = clock.now() - submitted_ago
    state = "Approved" if approved_after is not None else "Rejected" if rejected_after is not None else "Submitted"
    held = record_work(
        hit,
        create_worker(name),
        accepted_at=submitted_at - HOUR,
        seconds=3600,
        state=state,
        approved_at=None if approved_after is None else submitted_at + approved_after,
        rejected_at=None if rejected_after is None else submitted_at + rejected_after,
    )
    if answered:
        Reply.objects.create(assignment=held, text="Why?", sent_at=submitted_at + rejected_after + HOUR)


@pytest.fixture
def busy():
    """A requester with 25 decisions in the last 90 days, and work that does not count.

    16 approved after 1 to 16 hours, 3 approved after a rejection (40, 50, 60 hours; 2 answered), 6 rejected (3
    answered). The median of 19 approvals is the tenth: 10 hours. 6 of 25 are 24%; 2 of 5 answers led to approval.
    """
    hit = publish(create_requester("busy lab"), "Rate", places=99)
    for hours in range(1, 17):
        decide(hit, f"a{hours}", submitted_ago=5 * DAY, approved_after=hours * HOUR)
    for number, hours in enumerate((40, 50, 60)):
        decide(
            hit,
            f"o{number}",
            submitted_ago=9 * DAY,
            rejected_after=2 * HOUR,
            approved_after=hours * HOUR,
            answered=number < 2,
        )
    for number in range(6):
        decide(hit, f"r{number}", submitted_ago=9 * DAY, rejected_after=HOUR, answered=number < 3)
    # Decided 91 days ago, and not decided at all.
    decide(hit, "old approval", submitted_ago=92 * DAY, approved_after=DAY)
    decide(hit, "old rejection", submitted_ago=92 * DAY, rejected_after=DAY, answered=True)
    decide(hit, "waits", submitted_ago=DAY)
    return hit


def test_the_record_of_a_requester_is_what_one_counts_by_hand(busy) -> None:
    few = publish(create_requester("small lab"), "Judge", places=9)
    for number, hours in enumerate((2, 5)):
        decide(few, f"few {number}", submitted_ago=3 * DAY, approved_after=hours * HOUR)
    publish(create_requester("new lab"), "Read")
    assert count_records(clock.now()) == 2
    counts = ("decided", "rejected", "reversed", "replies", "reversed_replies", "median_approval_seconds")
    rows = {str(row.requester): tuple(getattr(row, name) for name in counts) for row in RequesterRecord.objects.all()}
    # The median of two is their mean: 3.5 hours.
    assert rows == {"busy lab": (25, 6, 3, 5, 2, 36_000), "small lab": (2, 0, 0, 0, 0, 12_600)}


def test_it_is_counted_once_a_day_and_anew_when_decisions_leave_the_window(busy) -> None:
    now = clock.now()
    call_command("marketplace_sweep")
    assert RequesterRecord.objects.get().decided == 25
    assert count_if_due(now + timedelta(hours=23)) == 0
    # After 82 days the rejections of nine days ago are older than 90 days, the approvals after them are not.
    assert count_if_due(now + 82 * DAY) == 1
    row = RequesterRecord.objects.get()
    assert (row.decided, row.rejected, row.reversed) == (19, 0, 3)
    assert count_if_due(now + 400 * DAY) == 0
    assert not RequesterRecord.objects.exists()


@pytest.mark.usefixtures("worker_host")
def test_workers_read_the_record_where_there_are_enough_decisions(busy) -> None:
    small = publish(create_requester("small lab"), "Judge")
    count_records(clock.now())
    ann = sign_in(create_worker("ann"))
    shown = {
        busy: "24.0% of 25 decisions rejected, 3 rejections reversed, approval after 10 hours (median), "
        "2 of 5 answers to a rejection led to approval About these figures",
        small: "too few decisions to say About these figures",
    }
    for hit, words in shown.items():
        assert facts_on(ann.get(f"/hits/{hit.hit_id}/").text)["Requester’s record"] == words
        listed = facts_on(ann.get(f"/hits/?q={hit.hit_type.title}").text)
        in_list = "" if hit == small else words.removesuffix(" About these figures")
        assert listed.get("Requester’s record", "") == in_list
    page = ann.get("/hits/requesters/").text
    assert "in the last 90 days" in page
    assert "fewer than 20 decisions" in page


@pytest.mark.usefixtures("worker_host")
def test_the_list_takes_as_many_statements_for_many_requesters_as_for_few() -> None:
    ann, counts = sign_in(create_worker("ann")), []
    # Once a minute a process notes that it looks after what is due.
    ann.get("/hits/")
    for number in (2, 12):
        for turn in range(number):
            lab = create_requester(f"lab {number} {turn}")
            publish(lab, f"{number} {turn}")
            publish(lab, f"{number} {turn}", study=f"s{turn}", cell=f"s{turn}.a", keywords="assay:minutes=3")
            RequesterRecord.objects.create(
                requester=lab,
                computed_at=clock.now(),
                decided=30,
                rejected=3,
                reversed=0,
                replies=0,
                reversed_replies=0,
            )
        with CaptureQueriesContext(connection) as queries:
            page = ann.get("/hits/").text
        counts.append(len(queries))
        assert page.count("10.0% of 30 decisions rejected") == min(25, 2 * (number if number == 2 else 14))
    assert counts[0] == counts[1]
