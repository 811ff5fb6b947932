"""A study at Prolific: from the draft to a paid crowd, against the stand-in."""

from __future__ import annotations

import pytest

from tests.marketplace.prolific.crowd import REASON, Crowd

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


def test_a_study_is_published_followed_decided_and_paid(crowd: Crowd) -> None:
    channel = crowd.publish()
    assert crowd.read(channel)["Status"] == "active"
    for number in (1, 2):
        crowd.finish(number)
    crowd.run()
    works = [row["AssignmentIds"] for row in crowd.submissions(channel)]
    assert [len(each) for each in works] == [1, 1]
    crowd.lab.client.approve_assignment(AssignmentId=works[0][0])
    crowd.service.reject_prolific_work(AssignmentId=works[1][0], RequesterFeedback=REASON, Category="LOW_EFFORT")
    crowd.run()
    assert [row["Decision"] for row in crowd.submissions(channel)] == ["approved", "rejected"]
    (study,) = crowd.stub.read_facts()["studies"]
    assert study["paid_rewards"]["amount"] == crowd.read(channel)["PaidMinor"] == 100
