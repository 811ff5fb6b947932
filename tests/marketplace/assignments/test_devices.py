"""assay:device: whether two accounts use one browser, told to the requester who asks and to nobody else."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.marketplace.assignments.device_codes import code_of, is_requested
from annotation.marketplace.models import AssignmentDevice
from annotation.marketplace.retention import forget
from annotation.mturk.answer_xml import read_answers, without_device

pytestmark = pytest.mark.database
ASKED = {"Keywords": "texts, Assay:Device", "MaxAssignments": 5}


def codes(lab, hit) -> dict[str, str]:
    """The code of each worker's device, as the requester is told."""
    return {one["WorkerId"]: without_device(one["Answer"])[1] for one in lab.work(hit)}


def on_the_device_of(one, other) -> None:
    """`other` signs in in the browser of `one`."""
    other.site.cookies.set("assay_device", one.site.cookies["assay_device"])


def test_two_accounts_in_one_browser_share_a_code_and_another_browser_has_another(lab, ann, sign_in):
    hit = lab.hit(**ASKED)
    ann.hand_in(ann.take(hit))
    bob, cid = sign_in("bob"), sign_in("cid")
    on_the_device_of(ann, bob)
    for one in (bob, cid):
        one.hand_in(one.take(hit))
    found = codes(lab, hit)
    assert found[ann.worker_id] == found[bob.worker_id] != found[cid.worker_id]
    assert all(re.fullmatch("[0-9a-f]{16}", code) for code in found.values())


def test_the_code_is_no_answer(lab, ann):
    hit = lab.hit(**ASKED)
    ann.hand_in(ann.take(hit))
    (work,) = lab.work(hit)
    plain, code = without_device(work["Answer"])
    assert "assay:device" not in read_answers(plain)
    assert code not in plain


def test_who_does_not_ask_is_told_nothing_and_no_cookie_is_set(lab, ann):
    hit = lab.hit(MaxAssignments=5)
    ann.hand_in(ann.take(hit))
    assert codes(lab, hit) == {ann.worker_id: ""}
    assert "assay_device" not in ann.site.cookies
    assert not AssignmentDevice.objects.exists()


def test_the_worker_is_told_before_accepting(lab, ann):
    words = "Your device and this task"
    assert words in ann.get(f"/hits/{lab.hit(**ASKED)['HITId']}/").text
    assert words not in ann.get(f"/hits/{lab.hit(MaxAssignments=5)['HITId']}/").text


def test_codes_are_forgotten_after_their_days(lab, ann, settings):
    hit = lab.hit(**ASKED)
    ann.hand_in(ann.take(hit))
    AssignmentDevice.objects.update(noted_at=timezone.now() - timedelta(days=settings.DEVICE_CODE_DAYS, minutes=1))
    forget(now=timezone.now(), market=timezone.now())
    assert codes(lab, hit) == {ann.worker_id: ""}


def test_two_requesters_have_two_codes_of_one_device():
    assert code_of(1, "a" * 32) != code_of(2, "a" * 32)


@pytest.mark.parametrize("switched", [True, False])
def test_the_site_can_do_without(settings, switched):
    settings.DEVICE_CODES = switched
    assert is_requested("texts, assay:device") is switched
    assert not is_requested("texts, assay:devices")
