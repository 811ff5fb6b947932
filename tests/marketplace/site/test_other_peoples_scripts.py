"""Scripts as others have written them for Mechanical Turk: their loops, the words they match, what they always pass.

The habits are those of recruiting libraries and of requesters' own scripts; the code is ours.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree

import pytest
from botocore.exceptions import ClientError

from tests.marketplace.question_samples import external_question, hit_parameters, html_question

ANSWERS = "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd}"
US = {"QualificationTypeId": "00000000000000000071", "Comparator": "EqualTo", "LocaleValues": [{"Country": "US"}]}
EXPERIENCED = {
    "QualificationTypeId": "000000000000000000L0",
    "Comparator": "GreaterThanOrEqualTo",
    "IntegerValues": [95],
}


def qualification(client: Any, name: str) -> str:
    """The type `name`: made, or, when it is there already, looked for in capitals and matched by its name."""
    try:
        made = client.create_qualification_type(
            Name=name, Description="who took part", Keywords="study, once", QualificationTypeStatus="Active"
        )
        return made["QualificationType"]["QualificationTypeId"]
    except ClientError as error:
        if "already created a QualificationType with this name" not in str(error):
            raise
    found = client.list_qualification_types(
        Query=name.upper(), MustBeRequestable=False, MustBeOwnedByCaller=True, MaxResults=2
    )["QualificationTypes"]
    return next(row["QualificationTypeId"] for row in found if row["Name"] == name)


def score(client: Any, type_id: str, worker_id: str) -> int | None:
    """The worker's score; None when never given or taken away, told apart from other errors by words."""
    try:
        given = client.get_qualification_score(QualificationTypeId=type_id, WorkerId=worker_id)["Qualification"]
    except ClientError as error:
        if "does not exist" in str(error) or "operation can be called with a status of: Granted" in str(error):
            return None
        raise
    return given["IntegerValue"]


def test_a_recruiter_counts_participations_by_a_qualification(lab, ann):
    first = qualification(lab.client, "Study of texts (2026)")
    assert qualification(lab.client, "Study of texts (2026)") == first
    for times in (1, 2, 3):
        before = score(lab.client, first, ann.worker_id)
        assert before == (times - 1 or None)
        lab.client.associate_qualification_with_worker(
            QualificationTypeId=first, WorkerId=ann.worker_id, IntegerValue=(before or 0) + 1, SendNotification=False
        )
    lab.client.disassociate_qualification_from_worker(
        QualificationTypeId=first, WorkerId=ann.worker_id, Reason="a mistake"
    )
    assert score(lab.client, first, ann.worker_id) is None


def test_a_recruiter_opens_extends_and_disables_a_study(lab, people):
    """Type first, then the HIT; token and annotation; ExpireAt 0 and DeleteHIT until it is gone."""
    type_id = lab.client.create_hit_type(
        Title="Rate texts", Description="Rate 25 texts", Keywords="text,rating", Reward="0.50",
        AssignmentDurationInSeconds=3600, AutoApprovalDelayInSeconds=172_800, QualificationRequirements=[EXPERIENCED],
    )["HITTypeId"]  # fmt: skip
    hit = lab.client.create_hit_with_hit_type(
        HITTypeId=type_id, MaxAssignments=1, LifetimeInSeconds=86_400, UniqueRequestToken="study-1",
        Question=external_question("https://lab.example.org/ad?mode=live&x=1"), RequesterAnnotation="study-1:recruit",
    )["HIT"]  # fmt: skip
    ann, bob = people(2)
    lab.client.approve_assignment(AssignmentId=ann.do(hit))
    lab.client.create_additional_assignments_for_hit(
        HITId=hit["HITId"], NumberOfAdditionalAssignments=2, UniqueRequestToken="study-1-more"
    )
    later = lab.look(hit)["Expiration"] + timedelta(hours=24)
    lab.client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=later)
    bob.take(hit)
    assert [row["HITId"] for row in own_hits(lab.client, "study-1:recruit")] == [hit["HITId"]]
    lab.client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    with pytest.raises(ClientError) as refused:
        lab.client.delete_hit(HITId=hit["HITId"])
    assert "currently in the state 'Unassignable'" in str(refused.value)


def own_hits(client: Any, annotation: str) -> list[dict]:
    """Page by hand until a page without token."""
    found: list[dict] = []
    answer = client.list_hits()
    while True:
        found += [row for row in answer["HITs"] if row.get("RequesterAnnotation") == annotation]
        if "NextToken" not in answer:
            return found
        answer = client.list_hits(NextToken=answer["NextToken"])


def test_a_client_that_takes_the_token_of_every_full_page_for_granted(lab):
    made = [lab.hit()["HITId"] for _ in range(7)]
    answer = lab.client.list_hits(MaxResults=3)
    seen: list[str] = []
    while len(answer["HITs"]) > 0:
        seen += [row["HITId"] for row in answer["HITs"]]
        answer = lab.client.list_hits(MaxResults=3, NextToken=answer["NextToken"])
    assert seen == made


def test_a_client_that_always_overrides_and_pays_a_bonus_by_token(lab, people):
    hit = lab.hit(MaxAssignments=2)
    ann, bob = people(2)
    good, bad = ann.do(hit), bob.do(hit)
    lab.client.approve_assignment(AssignmentId=good, OverrideRejection=True)
    lab.client.reject_assignment(AssignmentId=bad, RequesterFeedback="")
    lab.client.approve_assignment(AssignmentId=bad, RequesterFeedback="on second thoughts", OverrideRejection=True)
    paid = {
        "WorkerId": ann.worker_id,
        "AssignmentId": good,
        "BonusAmount": "0.20",
        "Reason": "quick",
        "UniqueRequestToken": "b",
    }
    lab.client.send_bonus(**paid)
    with pytest.raises(ClientError) as repeated:
        lab.client.send_bonus(**paid)
    assert repeated.value.response["Error"]["Code"] == "RequestError"
    assert {row["AssignmentStatus"] for row in lab.work(hit)} == {"Approved"}
    assert lab.client.list_bonus_payments(HITId=hit["HITId"])["NumResults"] == 1


def test_a_client_that_counts_what_waits_from_four_numbers(lab, people):
    ann, bob, cid = people(3)
    hit = lab.hit(MaxAssignments=5)
    lab.client.approve_assignment(AssignmentId=ann.do(hit))
    bob.do(hit)
    cid.take(hit)
    now = lab.look(hit)
    names = ("Available", "Pending", "Completed")
    waiting = now["MaxAssignments"] - sum(now[f"NumberOfAssignments{name}"] for name in names)
    pages = lab.client.get_paginator("list_assignments_for_hit").paginate(
        HITId=hit["HITId"], AssignmentStatuses=["Submitted"], PaginationConfig={"PageSize": 100}
    )
    assert waiting == sum(len(page["Assignments"]) for page in pages) == 1


@pytest.mark.parametrize("past", ["10000", 10_000, datetime(2015, 1, 1, tzinfo=UTC)])
def test_a_client_that_expires_by_some_time_long_ago_and_cleans_up(lab, ann, past):
    done = lab.hit()
    lab.client.approve_assignment(AssignmentId=ann.do(done))
    waiting = lab.hit(MaxAssignments=2)
    for page in lab.client.get_paginator("list_hits").paginate():
        for hit in page["HITs"]:
            if hit["HITStatus"] == "Assignable":
                lab.client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=past)
    for page in lab.client.get_paginator("list_reviewable_hits").paginate(PaginationConfig={"PageSize": 1}):
        for hit in page["HITs"]:
            lab.client.delete_hit(HITId=hit["HITId"])
    assert lab.client.list_hits()["HITs"] == []
    assert {lab.look(hit)["HITStatus"] for hit in (done, waiting)} == {"Disposed"}
    with pytest.raises(ClientError) as twice:
        lab.client.delete_hit(HITId=done["HITId"])
    assert "This HIT is currently in the state 'Disposed'" in twice.value.response["Error"]["Message"]


def test_a_batch_is_published_by_threads_and_found_again_after_lost_answers(lab):
    """The same tokens twice: the second time every answer names the HIT that exists."""
    rows = [hit_parameters(UniqueRequestToken=f"row-{row}", RequesterAnnotation=f"row-{row}") for row in range(12)]

    def published(given: dict) -> str:
        try:
            return lab.client.create_hit(**given)["HIT"]["HITId"]
        except lab.client.exceptions.RequestError as error:
            if error.response["TurkErrorCode"] != "AWS.MechanicalTurk.HitAlreadyExists":
                raise
            return error.response["Message"].split('"')[1]

    with ThreadPoolExecutor(4) as pool:
        first, again = list(pool.map(published, rows)), list(pool.map(published, rows))
    assert first == again
    assert len(set(first)) == len(rows) == lab.client.list_hits(MaxResults=100)["NumResults"]


def test_results_are_read_by_the_standard_library(lab, ann):
    hit = lab.hit(Question=html_question())
    ann.do(hit, [("rating", "4"), ("why", "a < b & c\r\nsecond line"), ("empty", ""), ("topic", "x"), ("topic", "y")])
    (row,) = lab.work(hit)
    answers = {
        answer.findtext(f"{ANSWERS}QuestionIdentifier"): answer.findtext(f"{ANSWERS}FreeText")
        for answer in ElementTree.fromstring(row["Answer"])
    }
    assert answers == {"rating": "4", "why": "a < b & c\nsecond line", "empty": "", "topic": "x|y"}
    assert row["SubmitTime"] - row["AcceptTime"] < timedelta(minutes=5)


def test_a_script_asks_for_places_and_experience_as_the_tutorials_do(lab, sign_in):
    hit = lab.hit(QualificationRequirements=[US, EXPERIENCED], Keywords="survey, quick")
    assert sign_in("de", locale="DE").accept(hit).status_code == 403
    assert sign_in("us", locale="US-CA").accept(hit).status_code == 200


def test_workers_are_told_and_blocked_by_id(lab, ann):
    lab.client.approve_assignment(AssignmentId=ann.do(lab.hit()))
    told = lab.client.notify_workers(Subject="Next part", MessageText="It is open.", WorkerIds=[ann.worker_id])
    assert told["NotifyWorkersFailureStatuses"] == []
    lab.client.create_worker_block(WorkerId=ann.worker_id, Reason="asked not to be invited")
    assert [row["WorkerId"] for row in lab.client.list_worker_blocks()["WorkerBlocks"]] == [ann.worker_id]
    lab.client.delete_worker_block(WorkerId=ann.worker_id, Reason="asked again")
    assert lab.client.list_worker_blocks()["WorkerBlocks"] == []
