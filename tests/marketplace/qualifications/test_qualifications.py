"""Requesters' own qualifications (cases 48, 67 to 70)."""

from __future__ import annotations

import pytest

from tests.marketplace.people import reason
from tests.marketplace.question_samples import hit_parameters

pytestmark = pytest.mark.database


def make(lab, name: str = "took part", **changes: object) -> str:
    given = {"Name": name, "Description": "d", "QualificationTypeStatus": "Active"} | changes
    return lab.client.create_qualification_type(**given)["QualificationType"]["QualificationTypeId"]


def test_a_name_is_taken_once_by_a_requester(lab, open_lab):
    first = make(lab)
    code, message = lab.refused(
        "create_qualification_type", Name="took part", Description="d", QualificationTypeStatus="Active"
    )
    assert code == "QualificationTypeAlreadyExists"
    assert message.startswith("You have already created a QualificationType with this name.")
    assert make(open_lab("other")) != first
    lab.client.delete_qualification_type(QualificationTypeId=first)
    assert make(lab) != first


def test_scores_are_given_changed_and_taken_away(lab, ann):
    pair = {"QualificationTypeId": make(lab), "WorkerId": ann.worker_id}
    code, message = lab.refused("get_qualification_score", **pair)
    assert code == "QualificationDoesNotExist"
    assert "does not exist" in message
    for value in (7, 9):
        lab.client.associate_qualification_with_worker(**pair, IntegerValue=value, SendNotification=False)
        found = lab.client.get_qualification_score(**pair)["Qualification"]
        assert (found["IntegerValue"], found["Status"]) == (value, "Granted")
    lab.client.disassociate_qualification_from_worker(**pair)
    assert "status of: Granted" in lab.refused("get_qualification_score", **pair)[1]
    lab.client.associate_qualification_with_worker(**pair)
    assert lab.client.get_qualification_score(**pair)["Qualification"]["IntegerValue"] == 1


def test_an_unknown_worker_cannot_be_qualified(lab):
    refused = lab.refused("associate_qualification_with_worker", QualificationTypeId=make(lab), WorkerId="ANOBODY")
    assert refused[0] == "InvalidParameterValue"


def test_holders_are_listed_by_status_and_page(lab, people):
    type_id = make(lab)
    workers = people(3)
    for worker in workers:
        lab.client.associate_qualification_with_worker(QualificationTypeId=type_id, WorkerId=worker.worker_id)
    lab.client.disassociate_qualification_from_worker(QualificationTypeId=type_id, WorkerId=workers[0].worker_id)
    paginator = lab.client.get_paginator("list_workers_with_qualification_type")
    pages = list(paginator.paginate(QualificationTypeId=type_id, PaginationConfig={"PageSize": 1}))
    assert [page["NumResults"] for page in pages] == [1, 1, 0]
    revoked = lab.client.list_workers_with_qualification_type(QualificationTypeId=type_id, Status="Revoked")
    assert [row["WorkerId"] for row in revoked["Qualifications"]] == [workers[0].worker_id]


def test_types_are_found_by_words_and_owner(lab, open_lab):
    mine, hidden = make(lab, "Study ALPHA"), make(lab, "other", QualificationTypeStatus="Inactive")
    foreign = make(open_lab("other"), "study beta")

    def found(**given: object) -> list[str]:
        rows = lab.client.list_qualification_types(MustBeRequestable=False, **given)["QualificationTypes"]
        return [row["QualificationTypeId"] for row in rows]

    assert found() == [mine, hidden, foreign]
    assert found(Query="STUDY") == [mine, foreign]
    assert found(MustBeOwnedByCaller=True) == [mine, hidden]


def test_another_requesters_type_may_be_asked_for_but_not_touched(lab, open_lab, ann):
    foreign = make(open_lab("other"))
    assert lab.client.get_qualification_type(QualificationTypeId=foreign)["QualificationType"]["Name"] == "took part"
    pair = {"QualificationTypeId": foreign, "WorkerId": ann.worker_id}
    for operation in ("associate_qualification_with_worker", "get_qualification_score"):
        assert lab.refused(operation, **pair)[0] == "PermissionDeniedException"
    assert lab.refused("delete_qualification_type", QualificationTypeId=foreign)[0] == "PermissionDeniedException"


def test_a_type_is_updated_but_not_renamed(lab):
    type_id = make(lab)
    lab.client.update_qualification_type(
        QualificationTypeId=type_id, Description="new", QualificationTypeStatus="Inactive"
    )
    found = lab.client.get_qualification_type(QualificationTypeId=type_id)["QualificationType"]
    assert (found["Name"], found["Description"], found["QualificationTypeStatus"]) == ("took part", "new", "Inactive")


def test_system_types_are_known_by_name(lab):
    found = lab.client.get_qualification_type(QualificationTypeId="00000000000000000071")["QualificationType"]
    assert (found["Name"], found["IsRequestable"]) == ("Worker_Locale", False)


def test_a_test_without_its_duration_is_refused(lab):
    given = {"Name": "n", "Description": "d", "QualificationTypeStatus": "Active", "Test": "<QuestionForm/>"}
    assert lab.refused("create_qualification_type", **given)[0] == "ParameterValidationError"


@pytest.mark.parametrize(
    ("comparator", "values", "before", "after"),
    [("DoesNotExist", {}, 200, "unqualified"), ("NotEqualTo", {"IntegerValues": [1]}, "unqualified", 200)],
)
def test_who_lacks_a_qualification_meets_its_absence_only(lab, ann, comparator, values, before, after):
    type_id = make(lab)
    row = {"QualificationTypeId": type_id, "Comparator": comparator, **values}

    def outcome() -> object:
        answer = ann.accept(lab.hit(QualificationRequirements=[row]))
        return reason(answer) or answer.status_code

    assert outcome() == before
    lab.client.associate_qualification_with_worker(QualificationTypeId=type_id, WorkerId=ann.worker_id, IntegerValue=2)
    assert outcome() == after


def test_hits_that_ask_for_a_type_are_listed(lab):
    type_id = make(lab)
    row = {"QualificationTypeId": type_id, "Comparator": "Exists"}
    hit = lab.hit(QualificationRequirements=[row])
    lab.hit()
    listed = lab.client.list_hits_for_qualification_type(QualificationTypeId=type_id)["HITs"]
    assert [found["HITId"] for found in listed] == [hit["HITId"]]


def test_a_deleted_type_can_no_longer_be_asked_for(lab):
    type_id = make(lab)
    lab.client.delete_qualification_type(QualificationTypeId=type_id)
    row = {"QualificationTypeId": type_id, "Comparator": "Exists"}
    refused = lab.refused("create_hit", **hit_parameters(QualificationRequirements=[row]))
    assert refused[0] == "QualificationTypeDoesNotExist"
