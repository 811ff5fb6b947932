"""Whoever cannot take part reads why, with their own value, before any text to agree to."""

from __future__ import annotations

import pytest
from lxml import html

from annotation.marketplace.models import Consent, Participant, WorkerAccount
from tests.marketplace.channels.guests import channel, tasks, told, written
from tests.marketplace.people import reason

SECRET = "Conditions of the study"
MORE_THAN_50 = {
    "QualificationTypeId": "00000000000000000040",
    "Comparator": "GreaterThan",
    "IntegerValues": [50],
}
IN_THE_US = {
    "QualificationTypeId": "00000000000000000071",
    "Comparator": "EqualTo",
    "LocaleValues": [{"Country": "US"}],
}
ABOVE_95 = {
    "QualificationTypeId": "000000000000000000L0",
    "Comparator": "GreaterThan",
    "IntegerValues": [95],
}


@pytest.fixture
def consent(lab, tmp_path):
    """A text of the lab that accounts must agree to before a look at any HIT."""
    told("texts", "--requester", "lab", "--consent", written(tmp_path, "consent.txt", SECRET))


def refusal(page):
    """The word of a page on which nobody was asked to agree to anything."""
    assert SECRET not in page.text
    assert Consent.objects.count() == 0
    return reason(page)


def test_an_account_reads_the_requirement_and_its_own_value_before_the_consent(lab, consent, sign_in):
    hit = lab.hit(QualificationRequirements=[MORE_THAN_50, IN_THE_US, ABOVE_95])
    ann = sign_in("ann", approved=120, percent=60, locale="DE")
    WorkerAccount.objects.filter(worker_id=ann.worker_id).update(approved_count=12, rejected_count=8)
    for path in (f"/hits/{hit['HITId']}/", f"/hits/consent/{hit['HITId']}/"):
        page = ann.get(path)
        assert refusal(page) == "unqualified"
        assert "Requires more than 50 approved tasks; you have 12." in page.text
        assert "Open to people in US only; you have stated DE." in page.text
        assert "Requires an approval rate above 95%; yours is 60%." in page.text


@pytest.mark.database
def test_the_list_says_the_same_beside_each_task(lab, sign_in):
    lab.hit(QualificationRequirements=[MORE_THAN_50, IN_THE_US])
    page = sign_in("ann", approved=12).get("/hits/").text
    assert "Requires more than 50 approved tasks; you have 12." in page
    assert "you have not stated where you live" in page
    assert "/hits/account/" in page.partition("you have not stated where you live")[2][:200]


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("de", "Verlangt mehr als 50 angenommene Aufgaben; Sie haben 12."),
        ("es", "Requiere más de 50 tareas aprobadas; usted tiene 12."),
    ],
)
def test_the_reason_is_said_in_the_language_of_the_page(lab, sign_in, language, sentence):
    lab.hit(QualificationRequirements=[MORE_THAN_50])
    ann = sign_in("ann", approved=12)
    ann.site.headers["Accept-Language"] = language
    assert sentence in ann.get("/hits/").text


def test_a_task_that_is_over_full_done_or_blocked_says_so_before_the_consent(lab, consent, ann, sign_in, pass_time):
    done, full, over = (lab.hit(MaxAssignments=1, LifetimeInSeconds=life) for life in (7200, 7200, 60))
    for who, hit in ((ann, done), (sign_in("bob"), full)):
        agree(who, hit)
        who.do(hit)
    Consent.objects.all().delete()
    pass_time(61)
    assert refusal(ann.get(f"/hits/consent/{done['HITId']}/")) == "held"
    assert refusal(ann.get(f"/hits/{over['HITId']}/")) == "closed"
    cem = sign_in("cem")
    assert refusal(cem.get(f"/hits/{full['HITId']}/")) == "full"
    lab.client.create_worker_block(WorkerId=cem.worker_id, Reason="-")
    assert refusal(cem.get(f"/hits/{lab.hit()['HITId']}/")) == "blocked"


def agree(person, hit):
    page = person.get(f"/hits/{hit['HITId']}/")
    assert SECRET in page.text
    form = next(form for form in html.fromstring(page.content).forms if "version" in form.fields)
    person.site.post(str(page.url), data=dict(form.form_values()))


def test_a_link_to_work_that_nobody_new_may_do_says_so_before_the_consent(lab, guest, tmp_path):
    made = lab.client.create_qualification_type(Name="Reading test", Description="-", QualificationTypeStatus="Active")
    needed = {"QualificationTypeId": made["QualificationType"]["QualificationTypeId"], "Comparator": "Exists"}
    tasks(lab, QualificationRequirements=[needed, MORE_THAN_50])
    link = channel("class", "--consent", written(tmp_path, "consent.txt", SECRET))
    page = guest().browser.get(link)
    assert refusal(page) == "unqualified"
    assert "Requires the qualification “Reading test”; you do not have it." in page.text
    assert "approved task" not in page.text
    assert "/begin/" not in page.text


def test_when_each_arm_is_full_nobody_is_asked_to_agree(lab, guest, tmp_path):
    """Two arms are two HIT types; they fill one after the other."""
    arms = [tasks(lab, 1, MaxAssignments=1, Reward=pay)[0] for pay in ("1.00", "2.00")]
    link = channel("class", "--consent", written(tmp_path, "consent.txt", SECRET))
    for _ in arms:
        person = guest().enter(link)
        person.do({"HITId": person.offers()[0]})
    Consent.objects.all().delete()
    assert refusal(guest().browser.get(link)) == "full"


def test_nobody_is_asked_to_agree_again_when_no_work_is_left_for_them(lab, guest, tmp_path):
    (hit,) = tasks(lab, 1, MaxAssignments=1)
    link = channel("class", "--consent", written(tmp_path, "consent.txt", "First"))
    early, quick = guest(), guest()
    ann = early.enter(link)
    ann.give_back(ann.take(hit))
    quick.enter(link).do(hit)
    told("change", "class", "--consent", written(tmp_path, "other.txt", SECRET))
    Consent.objects.all().delete()
    assert refusal(early.browser.get(link)) == "full"


def test_a_closed_way_in_for_accounts_is_told_apart_from_an_invitation(lab, ann, tmp_path):
    (hit,) = tasks(lab, 1)
    assert reason(ann.get(f"/hits/{hit['HITId']}/")) == "uninvited"
    told("create", "all", "--requester", "lab", "--study", "spring", "--kind", "accounts")
    told("close", "all")
    assert reason(ann.get(f"/hits/{hit['HITId']}/")) == "closed"


def test_a_panel_is_told_of_a_missing_id_and_of_an_end_before_the_consent(lab, guest, tmp_path):
    tasks(lab)
    words = written(tmp_path, "consent.txt", SECRET)
    link = channel("panel", "--id-parameter", "PROLIFIC_PID", "--consent", words)
    assert refusal(guest().browser.get(link)) == "needs-id"
    told("close", "panel")
    page = guest().browser.get(f"{link}?PROLIFIC_PID=5f3a")
    assert refusal(page) == "closed"
    assert "return the study there" in page.text
    assert Participant.objects.count() == 0
