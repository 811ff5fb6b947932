"""A study at Prolific whose work loop dies at every named point, once before and once after it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from annotation.marketplace.models import ProlificBonusLine, ProlificSubmission
from tests.marketplace.channels.guests import tasks
from tests.marketplace.prolific.crowd import REASON, Crowd

PROLIFIC = "annotation.marketplace.prolific"
CALLS = (
    "find_group",
    "create_group",
    "find_study",
    "create_study",
    "transition_study",
    "get_study",
    "list_submissions",
    "transition_submission",
    "get_submission",
    "create_bonuses",
    "pay_bonuses",
)
POINTS = (
    *(f"client:Client.{name}" for name in CALLS),
    "publish:_store_created",
    "publish:_store_status",
    "sync:_store_rows",
    "actions:take",
    "actions:finish",
    "pay:_store_batch",
    "pay:_note_sent",
    "pay:_note_answer",
)


class DeathError(BaseException):
    """The process ends here: nothing catches it, and open transactions are rolled back."""


def die_at(point: str, when: str, deaths: set[tuple[str, str]], patch: pytest.MonkeyPatch) -> None:
    """Have the first call of a point end the process, before or after it."""
    module, _, path = point.partition(":")
    holder: Any = import_module(f"{PROLIFIC}.{module}")
    *parents, name = path.split(".")
    for parent in parents:
        holder = getattr(holder, parent)
    called: Callable[..., Any] = getattr(holder, name)

    def fatal(*args: Any, **kwargs: Any) -> Any:
        if when == "after":
            result = called(*args, **kwargs)
        if (point, when) not in deaths:
            deaths.add((point, when))
            raise DeathError(point)
        return result if when == "after" else called(*args, **kwargs)

    patch.setattr(holder, name, fatal)


@pytest.mark.long
@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_a_study_whose_loop_dies_everywhere_is_neither_doubled_nor_lost(
    crowd: Crowd, monkeypatch: pytest.MonkeyPatch
) -> None:
    deaths: set[tuple[str, str]] = set()
    for point in POINTS:
        for when in ("before", "after"):
            die_at(point, when, deaths, monkeypatch)
    minutes = [0]

    def work() -> None:
        """Passes of the loop until one does not die."""
        while True:
            minutes[0] += 10
            try:
                return crowd.run(minutes[0])
            except DeathError:
                continue

    tasks(crowd.lab, 1, Reward="1.00")
    channel = crowd.draft()["ChannelId"]
    crowd.request(channel)
    work()
    for number in range(1, 5):
        crowd.finish(number)
    work()
    rows = crowd.submissions(channel)
    for row in rows[:3]:
        (work_id,) = row["AssignmentIds"]
        crowd.lab.client.approve_assignment(AssignmentId=work_id)
        worker = crowd.lab.client.get_assignment(AssignmentId=work_id)["Assignment"]["WorkerId"]
        crowd.lab.client.send_bonus(AssignmentId=work_id, WorkerId=worker, BonusAmount="0.50", Reason="Long texts")
    crowd.service.reject_prolific_work(
        AssignmentId=rows[3]["AssignmentIds"][0], RequesterFeedback=REASON, Category="LOW_EFFORT"
    )
    for _ in range(6):
        work()
        for batch in crowd.read(channel)["UnknownBatches"]:
            crowd.service.settle_prolific_bonus_batch(ChannelId=channel, BatchId=batch["BatchId"], Outcome="not-paid")
    facts = crowd.stub.read_facts()
    assert deaths == {(point, when) for point in POINTS for when in ("before", "after")}
    assert (len(facts["studies"]), len(facts["groups"]), facts["doubled_payments"]) == (1, 1, 0)
    assert [row["bonus_payments"] for row in facts["submissions"]] == [[50], [50], [50], []]
    assert facts["statuses"] == {"APPROVED": 3, "REJECTED": 1}
    assert ProlificSubmission.objects.count() == 4
    assert ProlificBonusLine.objects.count() == 3
    read, (study,) = crowd.read(channel), facts["studies"]
    assert read["PaidMinor"] == study["paid_rewards"]["amount"] == 300
    assert read["BonusPaidMinor"] == study["paid_bonuses"]["amount"] == 150
    assert (read["Waiting"], read["UnknownBatches"]) == ([], [])
