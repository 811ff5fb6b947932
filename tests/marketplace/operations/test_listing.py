"""Lists and their pages (specification 1.6)."""

from __future__ import annotations

import pytest

from tests.marketplace.question_samples import hit_parameters

pytestmark = pytest.mark.database


def pages(lab, operation, **parameters):
    return list(lab.client.get_paginator(operation).paginate(**parameters))


def test_pages_hold_10_10_5_0_and_every_full_one_a_token(lab):
    made = [lab.hit()["HITId"] for _ in range(25)]
    found = pages(lab, "list_hits", PaginationConfig={"PageSize": 10})
    assert [page["NumResults"] for page in found] == [10, 10, 5, 0]
    assert ["NextToken" in page for page in found] == [True, True, True, False]
    assert [hit["HITId"] for page in found for hit in page["HITs"]] == made


def test_a_page_holds_ten_unless_told(lab):
    for _ in range(11):
        lab.hit()
    assert lab.client.list_hits()["NumResults"] == 10
    assert lab.client.list_hits(MaxResults=100)["NumResults"] == 11


def test_an_empty_list_has_no_token(lab):
    assert "NextToken" not in lab.client.list_hits()


def test_a_token_serves_its_own_list_only(lab, open_lab):
    hit = lab.hit()
    lab.client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    token = lab.client.list_hits()["NextToken"]
    other = open_lab("other")
    assert lab.refused("list_reviewable_hits", NextToken=token)[0] == "ParameterValidationError"
    assert other.refused("list_hits", NextToken=token)[0] == "ParameterValidationError"
    assert lab.refused("list_hits", NextToken=token + "x")[0] == "ParameterValidationError"


def test_hits_made_meanwhile_come_at_the_end(lab):
    first = [lab.hit()["HITId"] for _ in range(2)]
    page = lab.client.list_hits(MaxResults=2)
    third = lab.hit()["HITId"]
    following = lab.client.list_hits(MaxResults=2, NextToken=page["NextToken"])
    assert [hit["HITId"] for hit in page["HITs"]] == first
    assert [hit["HITId"] for hit in following["HITs"]] == [third]


def test_reviewable_hits_are_filtered_by_status_and_type(lab):
    kept, moved = lab.hit(), lab.hit(Title="Another type")
    open_one = lab.hit()
    for hit in (kept, moved):
        lab.client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    lab.client.update_hit_review_status(HITId=moved["HITId"])

    def found(**filters):
        return [hit["HITId"] for hit in lab.client.list_reviewable_hits(**filters)["HITs"]]

    assert found() == found(Status="Reviewable") == [kept["HITId"]]
    assert found(Status="Reviewing") == found(Status="Reviewing", HITTypeId=moved["HITTypeId"]) == [moved["HITId"]]
    assert found(HITTypeId=moved["HITTypeId"]) == []
    assert open_one["HITId"] not in found(HITTypeId=open_one["HITTypeId"])


def test_assignments_come_in_the_order_of_submission_by_pages(lab, people):
    workers = people(5)
    hit = lab.hit(MaxAssignments=5)
    tasks = [worker.take(hit) for worker in workers]
    for worker, task in reversed(list(zip(workers, tasks, strict=True))):
        worker.hand_in(task)
    found = pages(lab, "list_assignments_for_hit", HITId=hit["HITId"], PaginationConfig={"PageSize": 2})
    assert [page["NumResults"] for page in found] == [2, 2, 1, 0]
    listed = [row["AssignmentId"] for page in found for row in page["Assignments"]]
    assert listed == [task.id for task in reversed(tasks)]


def test_assignments_are_filtered_by_status_and_never_shown_before_submission(lab, people):
    workers = people(4)
    hit = lab.hit(MaxAssignments=4)
    workers[0].take(hit)
    waiting, good, bad = (worker.do(hit) for worker in workers[1:])
    lab.client.approve_assignment(AssignmentId=good)
    lab.client.reject_assignment(AssignmentId=bad, RequesterFeedback="no")
    assert {row["AssignmentId"] for row in lab.work(hit)} == {waiting, good, bad}
    assert [row["AssignmentId"] for row in lab.work(hit, "Submitted")] == [waiting]
    assert {row["AssignmentId"] for row in lab.work(hit, "Approved", "Rejected")} == {good, bad}


def test_one_odd_hit_does_not_break_a_list(lab):
    lab.hit(Title="\x01 ]]> <script> \u202e 🙂")
    lab.client.create_hit(**hit_parameters())
    assert lab.client.list_hits()["NumResults"] == 2
