"""assay:once: one person, once, across the HITs of a study."""

from __future__ import annotations

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from annotation.marketplace.models import Assignment, QualificationGrant
from tests.marketplace.channels.guests import told
from tests.marketplace.people import reason
from tests.marketplace.qualifications.test_qualifications import make
from tests.marketplace.question_samples import hit_parameters

PARALLEL = 20
PAGE = Path(__file__).resolve().parents[3] / "docs/marketplace.md"


def study(lab, hits: int, **changes: object) -> tuple[str, list[dict]]:
    """A qualification of the study and HITs that ask for its absence."""
    type_id = make(lab, Keywords="study, Assay:Once")
    absent = {
        "QualificationTypeId": type_id,
        "Comparator": "DoesNotExist",
        "ActionsGuarded": "DiscoverPreviewAndAccept",
    }
    return type_id, [lab.hit(QualificationRequirements=[absent], **changes) for _ in range(hits)]


def test_who_accepts_one_hit_of_a_study_finds_no_other(lab, ann, sign_in):
    type_id, (first, second) = study(lab, 2, MaxAssignments=2)
    task = ann.take(first)
    score = lab.client.get_qualification_score(QualificationTypeId=type_id, WorkerId=ann.worker_id)
    assert score["Qualification"]["IntegerValue"] == 1
    assert ann.offers() == []
    assert reason(ann.accept(second)) == "unqualified"
    assert reason(ann.hand_in(task)) == "recorded"
    assert sign_in("bob").accept(second).status_code == 200


def test_the_lines_of_the_page_let_each_person_take_one_hit_of_a_study(lab, ann):
    (lines,) = re.findall(r"```python\n(.+?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names = {"client": lab.client, "hit": hit_parameters()}
    exec(lines, names)
    exec(lines[lines.index("client.create_hit(") :], names)
    first, _ = ann.offers()
    ann.take({"HITId": first})
    assert ann.offers() == []


def test_who_may_take_no_more_of_a_study_is_not_offered_the_next_task(lab, ann):
    _, (first, _) = study(lab, 2, MaxAssignments=2)
    task = ann.take(first)
    ann.hand_in(task)
    assert "Accept the next task" not in ann.get(f"/hits/work/{task.id}/done/").text


@pytest.mark.database
def test_who_returned_all_of_a_study_may_come_back_to_it_and_to_no_other_of_the_group(lab, ann):
    type_id, (first,) = study(lab, 1, Keywords="assay:study=spring")
    absent = {"QualificationTypeId": type_id, "Comparator": "DoesNotExist"}
    other = lab.hit(QualificationRequirements=[absent], Keywords="assay:study=autumn")
    for name in ("spring", "autumn"):
        told("create", name, "--requester", "lab", "--study", name, "--kind", "accounts")
    ann.give_back(ann.take(first))
    refused = ann.accept(other)
    assert reason(refused) == "series"
    assert f"/hits/{first['HITId']}/" in refused.text
    assert ann.take(first)


@pytest.mark.parametrize("revoked", [False, True])
@pytest.mark.database
def test_twenty_acceptances_at_once_take_one_place_of_a_study(lab, ann, revoked):
    type_id, hits = study(lab, PARALLEL)
    if revoked:
        pair = {"QualificationTypeId": type_id, "WorkerId": ann.worker_id}
        lab.client.associate_qualification_with_worker(**pair)
        lab.client.disassociate_qualification_from_worker(**pair)
    ann.get(f"/hits/{hits[0]['HITId']}/")
    fields = {"csrfmiddlewaretoken": ann.site.cookies["csrftoken"]}

    def accept(hit: dict) -> str:
        with httpx.Client(trust_env=False, cookies=ann.site.cookies) as tab:
            answer = tab.post(f"{ann.origin}/hits/{hit['HITId']}/accept/", data=fields, timeout=60)
        return "accepted" if answer.status_code == 302 else reason(answer)

    with ThreadPoolExecutor(PARALLEL) as pool:
        assert Counter(pool.map(accept, hits)) == {"accepted": 1, "unqualified": PARALLEL - 1}
    assert Assignment.objects.count() == 1
    assert QualificationGrant.objects.get().status == "Granted"


def test_a_return_does_not_open_the_study_again_but_the_requester_can(lab, ann):
    type_id, (first, second) = study(lab, 2)
    ann.give_back(ann.take(first))
    assert reason(ann.accept(second)) == "unqualified"
    lab.client.disassociate_qualification_from_worker(QualificationTypeId=type_id, WorkerId=ann.worker_id)
    assert ann.accept(second).status_code == 200


def test_a_refused_acceptance_grants_nothing(lab, sign_in):
    _, (hit,) = study(lab, 1)
    sign_in("ann").take(hit)
    bob = sign_in("bob")
    assert reason(bob.accept(hit)) == "full"
    assert QualificationGrant.objects.filter(worker__worker_id=bob.worker_id).count() == 0


def test_types_of_others_and_without_the_keyword_are_not_granted(lab, ann, open_lab):
    foreign = make(open_lab("other"), Keywords="assay:once")
    plain = make(lab, Keywords="assay:once-upon-a-time")
    rows = [{"QualificationTypeId": name, "Comparator": "DoesNotExist"} for name in (foreign, plain)]
    assert ann.accept(lab.hit(QualificationRequirements=rows)).status_code == 200
    assert QualificationGrant.objects.count() == 0
