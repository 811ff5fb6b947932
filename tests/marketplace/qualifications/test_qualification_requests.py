"""Workers ask for qualifications, requesters decide."""

from __future__ import annotations

import pytest

from annotation.marketplace.models import QualificationRequest
from tests.marketplace.people import Lab, Person, reason
from tests.marketplace.qualifications.test_qualifications import make

pytestmark = pytest.mark.database


def ask(worker: Person, type_id: str) -> str:
    """The word on the page that follows."""
    return reason(worker.post(f"/hits/qualifications/{type_id}/", f"/hits/qualifications/{type_id}/ask/"))


def waiting(lab: Lab, **given: object) -> list[dict]:
    return lab.client.list_qualification_requests(**given)["QualificationRequests"]


def test_a_preview_leads_to_the_qualification_that_is_lacking(lab, ann):
    type_id = make(lab)
    hit = lab.hit(QualificationRequirements=[{"QualificationTypeId": type_id, "Comparator": "Exists"}])
    assert f'href="/hits/qualifications/{type_id}/"' in ann.get(f"/hits/{hit['HITId']}/").text
    assert ask(ann, type_id) == "waiting"
    (row,) = waiting(lab)
    assert (row["WorkerId"], row["QualificationTypeId"]) == (ann.worker_id, type_id)
    lab.client.accept_qualification_request(QualificationRequestId=row["QualificationRequestId"], IntegerValue=7)
    score = lab.client.get_qualification_score(QualificationTypeId=type_id, WorkerId=ann.worker_id)
    assert score["Qualification"]["IntegerValue"] == 7
    assert ann.accept(hit).status_code == 200
    assert ask(ann, type_id) == "granted"


def test_a_request_is_decided_once(lab, ann):
    ask(ann, make(lab))
    given = {"QualificationRequestId": waiting(lab)[0]["QualificationRequestId"]}
    lab.client.reject_qualification_request(**given, Reason="not now")
    for operation in ("accept_qualification_request", "reject_qualification_request"):
        assert lab.refused(operation, **given)[0] == "InvalidQualificationRequestState"
    assert waiting(lab) == []


def test_who_was_declined_asks_again_after_the_delay_only(lab, ann, pass_time):
    once, later = make(lab, "once"), make(lab, "later", RetryDelayInSeconds=60)
    for type_id in (once, later):
        ask(ann, type_id)
    for row in waiting(lab):
        lab.client.reject_qualification_request(QualificationRequestId=row["QualificationRequestId"])
    assert [ask(ann, once), ask(ann, later)] == ["asked", "asked"]
    pass_time(61)
    assert [ask(ann, once), ask(ann, later)] == ["asked", "waiting"]
    assert len(waiting(lab)) == 1


def test_an_automatic_type_is_granted_at_once(lab, ann):
    type_id = make(lab, AutoGranted=True, AutoGrantedValue=5)
    assert lab.client.get_qualification_type(QualificationTypeId=type_id)["QualificationType"]["AutoGrantedValue"] == 5
    assert ask(ann, type_id) == "granted"
    score = lab.client.get_qualification_score(QualificationTypeId=type_id, WorkerId=ann.worker_id)
    assert score["Qualification"]["IntegerValue"] == 5
    assert waiting(lab) == []


def test_requests_are_listed_by_type_page_and_owner(lab, people, open_lab):
    first, second = make(lab, "first"), make(lab, "second")
    for worker in people(2):
        ask(worker, first)
        ask(worker, second)
    assert len(waiting(lab)) == 4
    assert {row["QualificationTypeId"] for row in waiting(lab, QualificationTypeId=second)} == {second}
    pages = lab.client.get_paginator("list_qualification_requests").paginate(PaginationConfig={"PageSize": 3})
    assert [page["NumResults"] for page in pages] == [3, 1, 0]
    assert waiting(open_lab("other")) == []


def test_an_unknown_and_a_foreign_request_are_refused(lab, ann, open_lab):
    ask(ann, make(lab))
    given = {"QualificationRequestId": waiting(lab)[0]["QualificationRequestId"]}
    other = open_lab("other")
    assert other.refused("accept_qualification_request", **given)[0] == "PermissionDeniedException"
    unknown = {"QualificationRequestId": "no such request"}
    assert lab.refused("reject_qualification_request", **unknown)[0] == "QualificationRequestDoesNotExist"
    assert QualificationRequest.objects.get().state == "Pending"


def test_inactive_and_self_granting_types_cannot_be_asked_for(lab, ann):
    inactive = make(lab, "inactive", QualificationTypeStatus="Inactive")
    once = make(lab, "once", Keywords="study, assay:once")
    assert ann.get(f"/hits/qualifications/{inactive}/").status_code == 404
    assert ask(ann, once) == "not-requestable"
    listed = lab.client.list_qualification_types(MustBeRequestable=True, MustBeOwnedByCaller=True)
    assert [row["QualificationTypeId"] for row in listed["QualificationTypes"]] == [inactive]
