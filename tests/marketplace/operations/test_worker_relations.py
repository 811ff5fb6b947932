"""Messages and blocks (cases 65, 66 and 75)."""

from __future__ import annotations

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend

from annotation.marketplace.core import clock
from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.models import WorkerMessage
from annotation.marketplace.workers.open_accounts import Record, open_worker
from tests.marketplace.people import reason

pytestmark = pytest.mark.database

LETTER = {"Subject": "About your work", "MessageText": "Thank you <b>very</b> much."}


@pytest.fixture
def known(lab, sign_in):
    """A worker with an address whose work `lab` has approved."""
    ann = sign_in("ann", email="ann@example.org")
    lab.client.approve_assignment(AssignmentId=ann.do(lab.hit()))
    return ann


def test_messages_reach_those_who_worked_for_the_requester(lab, known, sign_in):
    bob = sign_in("bob", email="bob@example.org")
    bob.do(lab.hit())
    answer = lab.client.notify_workers(WorkerIds=[known.worker_id, bob.worker_id, "ANOBODY"], **LETTER)
    failures = answer["NotifyWorkersFailureStatuses"]
    assert [(row["WorkerId"], row["NotifyWorkersFailureCode"]) for row in failures] == [
        (bob.worker_id, "HardFailure"),
        ("ANOBODY", "HardFailure"),
    ]
    assert failures[0]["NotifyWorkersFailureMessage"].startswith("Cannot send a notification to a worker who has not")
    assert [letter.to for letter in mail.outbox] == [["ann@example.org"]]
    assert "Thank you &lt;b&gt;very&lt;/b&gt; much." in known.get("/hits/messages/").text
    assert "About your work" not in bob.get("/hits/messages/").text


def test_a_worker_of_another_requester_is_not_written_to(known, open_lab):
    other = open_lab("other")
    answer = other.client.notify_workers(WorkerIds=[known.worker_id], **LETTER)
    assert len(answer["NotifyWorkersFailureStatuses"]) == 1
    assert WorkerMessage.objects.count() == 0


def test_a_subject_of_two_lines_is_one_header(lab, known):
    lab.client.notify_workers(WorkerIds=[known.worker_id], Subject="one\r\nBcc: all@example.org", MessageText="t")
    assert mail.outbox[0].subject == "one Bcc: all@example.org"
    assert mail.outbox[0].bcc == []


def test_a_dead_mail_server_loses_no_message(lab, known, monkeypatch):
    def dead(self: object, messages: object) -> int:
        raise ConnectionRefusedError("nobody answers")

    monkeypatch.setattr(EmailBackend, "send_messages", dead)
    assert lab.client.notify_workers(WorkerIds=[known.worker_id], **LETTER)["NotifyWorkersFailureStatuses"] == []
    assert list(WorkerMessage.objects.values_list("subject", "mailed")) == [("About your work", False)]


@pytest.mark.parametrize(
    "changes",
    [
        {"WorkerIds": [f"A{number}" for number in range(101)]},
        {"Subject": "x" * 201},
        {"MessageText": "x" * 4_097},
        {"WorkerIds": ["not an id"]},
    ],
)
def test_messages_have_limits(lab, changes):
    assert lab.refused("notify_workers", **{"WorkerIds": ["A1"], **LETTER, **changes})[0] == "ParameterValidationError"


def test_a_blocked_worker_is_refused_until_the_block_is_lifted(lab, ann, open_lab):
    hit, foreign = lab.hit(), open_lab("other").hit()
    lab.client.create_worker_block(WorkerId=ann.worker_id, Reason="copies")
    answer = ann.accept(hit)
    assert (answer.status_code, reason(answer)) == (403, "blocked")
    assert "copies" not in answer.text
    assert ann.offers() == [foreign["HITId"]]
    for _ in range(2):
        lab.client.delete_worker_block(WorkerId=ann.worker_id)
    assert ann.accept(hit).status_code == 200


def test_blocks_are_listed_to_their_requester_and_made_once(lab, people, open_lab):
    workers = people(3)
    for why in ("first", "second"):
        for worker in workers:
            lab.client.create_worker_block(WorkerId=worker.worker_id, Reason=why)
    pages = list(lab.client.get_paginator("list_worker_blocks").paginate(PaginationConfig={"PageSize": 2}))
    assert [page["NumResults"] for page in pages] == [2, 1, 0]
    rows = [row for page in pages for row in page["WorkerBlocks"]]
    assert [(row["WorkerId"], row["Reason"]) for row in rows] == [(worker.worker_id, "second") for worker in workers]
    assert open_lab("other").client.list_worker_blocks()["NumResults"] == 0


def test_a_block_names_a_worker_and_a_reason(lab, ann):
    assert lab.refused("create_worker_block", WorkerId="ANOBODY", Reason="r")[0] == "InvalidParameterValue"
    assert lab.refused("create_worker_block", WorkerId=ann.worker_id, Reason=" ")[0] == "ParameterValidationError"


def test_work_under_way_may_be_finished_by_who_was_blocked_since(lab, ann):
    task = ann.take(lab.hit())
    lab.client.create_worker_block(WorkerId=ann.worker_id, Reason="r")
    assert reason(ann.hand_in(task)) == "recorded"


@pytest.mark.parametrize(
    ("record", "sentence"), [({"email": "nowhere"}, "not a valid email"), ({"payee": "a\nb"}, "printable")]
)
def test_a_worker_can_be_reached_as_told(transactional_db, record, sentence):
    with pytest.raises(InvalidParameterError, match=sentence):
        open_worker("bob", worker_id=None, record=Record(**record), now=clock.now())


def test_no_hit_has_review_policies(lab):
    hit = lab.hit()
    found = lab.client.list_review_policy_results_for_hit(HITId=hit["HITId"], PolicyLevels=["HIT"])
    assert found["HITReviewReport"] == {"ReviewResults": [], "ReviewActions": []}
    assert "AssignmentReviewReport" not in found


def test_files_cannot_be_fetched(lab, ann):
    work = ann.do(lab.hit())
    refused = lab.refused("get_file_upload_url", AssignmentId=work, QuestionIdentifier="q")
    assert refused[0] == "OperationNotSupported"
    assert "GetFileUploadURL" in refused[1]
