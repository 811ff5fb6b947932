"""The life of a HIT, with real workers on its pages (specification 2.3)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import call_command

from tests.marketplace.people import reason

pytestmark = pytest.mark.database


def test_a_hit_of_five_goes_through_amazons_own_table(lab, people):
    workers = people(5)
    hit = lab.hit(MaxAssignments=5)
    assert lab.places(hit) == ("Assignable", 5, 0, 0)
    tasks = [worker.take(hit) for worker in workers[:3]]
    assert lab.places(hit) == ("Assignable", 2, 3, 0)
    tasks += [worker.take(hit) for worker in workers[3:]]
    for worker, task in zip(workers[:2], tasks[:2], strict=True):
        worker.hand_in(task)
    assert lab.places(hit) == ("Unassignable", 0, 3, 0)
    workers[2].give_back(tasks[2])
    assert lab.places(hit) == ("Assignable", 1, 2, 0)
    tasks[2] = workers[2].take(hit)
    for worker, task in zip(workers[2:], tasks[2:], strict=True):
        worker.hand_in(task)
    assert lab.places(hit) == ("Reviewable", 0, 0, 0)
    for task in tasks[:3]:
        lab.client.approve_assignment(AssignmentId=task.id)
    assert lab.places(hit) == ("Reviewable", 0, 0, 3)
    for task in tasks[3:]:
        lab.client.approve_assignment(AssignmentId=task.id)
    assert lab.places(hit) == ("Reviewable", 0, 0, 5)


def test_counters_tell_waiting_work_from_decided_work(lab, people):
    first, second, third = people(3)
    hit = lab.hit(MaxAssignments=4)
    first.do(hit)
    lab.client.approve_assignment(AssignmentId=second.do(hit))
    third.take(hit)
    assert lab.places(hit) == ("Assignable", 1, 1, 1)


@pytest.mark.parametrize("moment", [0, datetime(2015, 1, 1, tzinfo=UTC), datetime(2015, 1, 1)])  # noqa: DTZ001
def test_a_past_expiration_expires_an_empty_hit_at_once(lab, moment):
    hit = lab.hit(MaxAssignments=3)
    lab.client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=moment)
    assert lab.places(hit) == ("Reviewable", 0, 0, 0)


def test_who_is_inside_an_expired_hit_may_still_hand_in(lab, ann):
    hit = lab.hit(MaxAssignments=3)
    task = ann.take(hit)
    lab.client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    assert lab.places(hit) == ("Unassignable", 0, 1, 0)
    assert reason(ann.hand_in(task)) == "recorded"
    assert lab.places(hit) == ("Reviewable", 0, 0, 0)


def test_a_place_returned_after_expiry_is_gone(lab, ann):
    hit = lab.hit(MaxAssignments=3)
    task = ann.take(hit)
    lab.client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    ann.give_back(task)
    assert lab.places(hit) == ("Reviewable", 0, 0, 0)


def test_a_later_expiration_opens_an_expired_hit_again(lab):
    hit = lab.hit(MaxAssignments=3)
    lab.client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    later = datetime.now(UTC) + timedelta(hours=2)
    lab.client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=later)
    assert lab.places(hit) == ("Assignable", 3, 0, 0)
    assert abs(lab.look(hit)["Expiration"] - later) < timedelta(seconds=1)


def test_a_lifetime_is_not_shortened_to_a_time_ahead(lab):
    hit = lab.hit(LifetimeInSeconds=86_400)
    sooner = datetime.now(UTC) + timedelta(hours=2)
    code, message = lab.refused("update_expiration_for_hit", HITId=hit["HITId"], ExpireAt=sooner)
    assert code == "InvalidParameterValue"
    assert "cannot shorten" in message


def test_a_lifetime_elapses_by_itself(lab, pass_time):
    hit = lab.hit(LifetimeInSeconds=3600)
    pass_time(3599)
    assert lab.places(hit)[0] == "Assignable"
    pass_time(2)
    assert lab.places(hit) == ("Reviewable", 0, 0, 0)


def test_work_not_handed_in_is_abandoned_and_its_place_free_again(lab, ann, pass_time):
    hit = lab.hit(AssignmentDurationInSeconds=60)
    task = ann.take(hit)
    pass_time(61)
    assert lab.places(hit) == ("Assignable", 1, 0, 0)
    assert reason(ann.hand_in(task)) == "late"
    assert lab.work(hit) == []
    assert ann.take(hit).id != task.id


def test_more_assignments_open_a_reviewable_hit_again(lab, people):
    hit = lab.hit(MaxAssignments=10)
    for worker in people(10):
        worker.do(hit)
    assert lab.places(hit)[0] == "Reviewable"
    lab.client.create_additional_assignments_for_hit(HITId=hit["HITId"], NumberOfAdditionalAssignments=5)
    assert lab.places(hit) == ("Assignable", 5, 0, 0)


def test_a_hit_made_with_nine_cannot_have_ten(lab):
    hit = lab.hit(MaxAssignments=9)
    code, _ = lab.refused("create_additional_assignments_for_hit", HITId=hit["HITId"], NumberOfAdditionalAssignments=1)
    assert code == "InvalidMaximumAssignmentsIncrease"
    assert lab.look(hit)["MaxAssignments"] == 9


def test_additional_assignments_with_one_token_are_added_once(lab):
    hit = lab.hit(MaxAssignments=2)
    more = {"HITId": hit["HITId"], "NumberOfAdditionalAssignments": 3, "UniqueRequestToken": "more"}
    request = lab.client.create_additional_assignments_for_hit(**more)["ResponseMetadata"]["RequestId"]
    _, message = lab.refused("create_additional_assignments_for_hit", **more)
    assert request in message
    assert lab.look(hit)["MaxAssignments"] == 5


def test_only_a_reviewable_hit_is_deleted(lab, ann):
    hit = lab.hit()
    code, message = lab.refused("delete_hit", HITId=hit["HITId"])
    assert code == "InvalidHITState"
    assert (
        "currently in the state 'Assignable'. This operation can be called with a status of: Reviewing, Reviewable"
        in message
    )
    ann.take(hit)
    assert "'Unassignable'" in lab.refused("delete_hit", HITId=hit["HITId"])[1]


def test_undecided_work_keeps_a_hit_from_deletion(lab, ann):
    hit = lab.hit()
    work = ann.do(hit)
    assert lab.refused("delete_hit", HITId=hit["HITId"])[0] == "InvalidHITState"
    lab.client.reject_assignment(AssignmentId=work, RequesterFeedback="")
    lab.client.delete_hit(HITId=hit["HITId"])
    assert lab.look(hit)["HITStatus"] == "Disposed"
    assert lab.client.list_hits()["HITs"] == []


def test_a_deleted_hit_stays_deleted(lab):
    hit = lab.hit()
    lab.client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    lab.client.delete_hit(HITId=hit["HITId"])
    assert "currently in the state 'Disposed'" in lab.refused("delete_hit", HITId=hit["HITId"])[1]
    assert lab.refused("update_expiration_for_hit", HITId=hit["HITId"], ExpireAt=0)[0] == "InvalidHITState"


def test_review_status_goes_forward_and_back_once(lab):
    hit = lab.hit()
    step = {"HITId": hit["HITId"]}
    assert lab.refused("update_hit_review_status", **step)[0] == "InvalidHITState"
    lab.client.update_expiration_for_hit(**step, ExpireAt=0)
    lab.client.update_hit_review_status(**step)
    assert lab.look(hit)["HITStatus"] == "Reviewing"
    assert lab.refused("update_hit_review_status", **step)[0] == "InvalidHITState"
    lab.client.update_hit_review_status(**step, Revert=True)
    assert lab.look(hit)["HITStatus"] == "Reviewable"
    assert lab.refused("update_hit_review_status", **step, Revert=True)[0] == "InvalidHITState"


def test_a_hit_is_disposed_of_120_days_after_it_became_reviewable(lab, pass_time):
    hit = lab.hit(LifetimeInSeconds=3600)
    pass_time(3600 + 120 * 86_400 - 60)
    assert lab.look(hit)["HITStatus"] == "Reviewable"
    pass_time(120)
    assert lab.look(hit)["HITStatus"] == "Disposed"


def test_a_clock_set_back_opens_what_it_had_expired(lab, pass_time):
    hit = lab.hit(LifetimeInSeconds=3600)
    pass_time(7200)
    assert lab.look(hit)["HITStatus"] == "Reviewable"
    call_command("marketplace_clock", "0", stdout=StringIO())
    assert lab.look(hit)["HITStatus"] == "Assignable"


def test_the_type_of_a_hit_can_change_and_its_reward_with_it(lab, ann):
    hit = lab.hit(Reward="0.50")
    work = ann.do(hit)
    better = lab.client.create_hit_type(
        Title="Better paid", Description="d", Reward="1.00", AssignmentDurationInSeconds=600
    )["HITTypeId"]
    lab.client.update_hit_type_of_hit(HITId=hit["HITId"], HITTypeId=better)
    assert lab.look(hit)["Reward"] == "1.00"
    lab.client.approve_assignment(AssignmentId=work)
    assert lab.balance() == "9998.80"
