"""The way of a person who came by a link, page by page: nothing to choose from, one thing to do, a code at the end."""

from __future__ import annotations

import re

import pytest
from django.template.loader import render_to_string
from django.utils import translation
from lxml import html

from annotation.marketplace.invitations.offer import PayOffer
from annotation.marketplace.models import Assignment, Draw, Participant, WorkerAccount
from tests.marketplace.channels.guests import KEYWORDS, TAG, Guest, channel, tasks, written
from tests.marketplace.draws.studies import Study
from tests.marketplace.people import reason
from tests.marketplace.qualifications.test_once import study as once_study


def seen(page):
    """What a person reads of a page: its text without scripts and hidden words."""
    tree = html.fromstring(page.content)
    for node in tree.xpath("//script | //style | //*[@hidden] | //noscript"):
        node.drop_tree()
    return " ".join(tree.text_content().split())


def primary(page):
    """The buttons and links of the page that are filled with colour."""
    found = html.fromstring(page.content).xpath("//*[contains(concat(' ', @class, ' '), ' button ')]")
    return [
        " ".join(one.text_content().split())
        for one in found
        if "quiet" not in one.get("class") and one.tag != "noscript"
    ]


@pytest.mark.database
def test_from_the_link_one_press_leads_into_the_task(lab, guest, tmp_path):
    tasks(lab, 3)
    visitor = guest()
    page = visitor.press(channel("class", "--consent", written(tmp_path, "a.txt", "Terms")))
    assert page.url.path.startswith("/hits/work/")
    assert "Task 1 of 3" in seen(page)
    assert Assignment.objects.get().state == "Accepted"


def test_after_each_task_comes_the_next_and_after_the_last_the_code(lab, guest):
    tasks(lab, 2)
    bob = guest().enter(channel())
    for number in (1, 2):
        page = bob.get("/hits/")
        assert f"Task {number} of 2" in seen(page)
        (held,) = Assignment.objects.filter(state="Accepted")
        bob.hand_in(bob.take({"HITId": held.hit.hit_id}))
        page = bob.get(f"/hits/work/{held.assignment_id}/done/")
        if number == 1:
            assert (reason(page), primary(page)) == ("next", ["Start task 2 of 2"])
            assert bob.post(f"/hits/work/{held.assignment_id}/done/", "/hits/start/").url.path.startswith("/hits/work/")
    assert page.url.path == "/hits/end/"


def test_starting_twice_at_the_same_moment_takes_one_task(lab, guest):
    tasks(lab, 2)
    bob = guest().enter(channel())
    first, second = (bob.post("/hits/start/", "/hits/start/").url.path for _ in range(2))
    assert first == second
    assert Assignment.objects.count() == 1


def test_no_page_of_the_way_shows_a_list_an_id_or_words_of_accounts(lab, guest, tmp_path):
    tasks(lab, 2)
    link = channel("class", "--consent", written(tmp_path, "a.txt", "Terms"))
    visitor = guest()
    pages = [visitor.browser.get(link)]
    bob = visitor.enter(link)
    (held,) = Assignment.objects.all()
    work = f"/hits/work/{held.assignment_id}/"
    addresses = [
        "/hits/",
        work,
        "/hits/stop/",
        "/hits/device/",
        "/hits/your-data/",
        "/hits/messages/",
        f"{work}return/",
    ]
    pages += [bob.get(address) for address in addresses]
    bob.hand_in(bob.take({"HITId": held.hit.hit_id}))
    pages += [bob.get(address) for address in (f"{work}done/", "/hits/", "/hits/stop/", "/hits/your-data/")]
    pages += [bob.post("/hits/stop/", "/hits/stop/"), visitor.browser.get(link), bob.get("/hits/language/")]
    for page in pages:
        words = seen(page)
        assert not re.search(r"\b[A3][A-Z0-9]{12,}\b", words), page.url
        assert not re.search(r"\b(group|account|worker|sign(ed)? (in|out)|search|all tasks)\b", words, re.I), page.url
        assert not html.fromstring(page.content).xpath("//nav | //input[@type='search']"), page.url
        assert len(primary(page)) <= 1, page.url


def test_who_has_submitted_and_stops_gets_the_code_and_the_open_task_is_returned(lab, guest):
    tasks(lab, 3)
    bob = guest().enter(channel())
    bob.do({"HITId": bob.offers()[0]})
    bob.post("/hits/start/", "/hits/start/")
    page = bob.get("/hits/stop/")
    assert "You have submitted 1 task" in seen(page)
    end = bob.post("/hits/stop/", "/hits/stop/")
    assert end.url.path == "/hits/end/"
    assert Participant.objects.get().code in end.text
    assert sorted(Assignment.objects.values_list("state", flat=True)) == ["Returned", "Submitted"]


def test_who_stops_before_submitting_has_no_code_and_may_come_back(lab, guest):
    (hit,) = tasks(lab, 1, MaxAssignments=1)
    link = channel()
    visitor = guest()
    bob = visitor.enter(link)
    assert "there is no completion code" in seen(bob.get("/hits/stop/"))
    page = bob.post("/hits/stop/", "/hits/stop/")
    assert reason(page) == "stopped"
    assert Participant.objects.get().finished_at is None
    assert lab.places(hit)[:2] == ("Assignable", 1)
    assert visitor.browser.get(link).url.path == "/hits/"
    assert bob.post("/hits/", "/hits/start/").url.path.startswith("/hits/work/")


def test_who_returned_the_one_task_of_a_study_may_come_back_to_it(lab, guest):
    once_study(lab, 1, MaxAssignments=9, Keywords=KEYWORDS)
    link = channel()
    visitor = guest()
    visitor.enter(link).post("/hits/stop/", "/hits/stop/")
    bob = visitor.enter(link)
    assert bob.post("/hits/", "/hits/start/").url.path.startswith("/hits/work/")


def test_whose_session_has_ended_goes_on_by_one_button_without_an_account(lab, guest):
    tasks(lab)
    visitor = guest()
    bob = visitor.enter(channel())
    before = bob.get("/hits/").url.path
    visitor.browser.cookies.delete("assay_worker")
    page = bob.get(before)
    assert (reason(page), primary(page)) == ("continue-study", ["Continue the study"])
    assert "What you submitted is recorded" in seen(page)
    assert bob.post("/hits/continue-study/", "/hits/continue-study/").url.path == before


def test_the_personal_address_leads_another_device_to_the_same_task_once(lab, guest):
    tasks(lab, 2)
    bob = guest().enter(channel())
    page = bob.post("/hits/device/", "/hits/device/")
    (address,) = html.fromstring(page.content).xpath("//input[@id='address']/@value")
    assert "<svg" in page.text
    assert address.rstrip("/").rpartition("/")[2] not in bob.get("/hits/device/").text
    telephone, thief = guest(), guest()
    assert reason(telephone.browser.get(address)) == "resume"
    assert reason(thief.browser.get(address)) == "resume"
    went_on = go_on(telephone, address)
    assert went_on.url.path == bob.get("/hits/").url.path
    assert reason(thief.browser.get(address)) == "resume-unknown"
    assert reason(telephone.browser.get(address)) == "resume"
    assert (WorkerAccount.objects.count(), Assignment.objects.count()) == (1, 1)


def test_a_second_personal_address_ends_the_first(lab, guest):
    tasks(lab, 1)
    bob = guest().enter(channel())
    first, second = (
        html.fromstring(bob.post("/hits/device/", "/hits/device/").content).xpath("//input[@id='address']/@value")[0]
        for _ in range(2)
    )
    other = guest()
    assert (reason(other.browser.get(first)), reason(other.browser.get(second))) == ("resume-unknown", "resume")


def drawn(lab, **more: object) -> Study:
    """The study in two cells, whose minutes are stated."""
    return Study.publish(lab, cells=2, tag=TAG, Keywords=f"{KEYWORDS}, assay:minutes=10", **more)


def test_equal_pay_is_told_at_the_door_and_leads_straight_into_the_drawn_task(lab, guest):
    drawn(lab, Reward="2.00")
    visitor, link = guest(), channel()
    words = seen(visitor.browser.get(link))
    assert "about 10 minutes (estimated by the people who run the study)" in words
    assert "$2.00 ($12.00 per hour)" in words
    assert visitor.press(link).url.path.startswith("/hits/work/")
    assert Draw.objects.get().counted


def test_different_pay_is_told_after_the_draw_and_before_the_start(lab, guest):
    pay = {"a": "1.00", "b": "3.00"}
    published = drawn(lab, Reward=lambda letter: pay[letter])
    visitor, link = guest(), channel()
    words = seen(visitor.browser.get(link))
    assert "shown to you before you start" in words
    assert "$" not in words
    bob = visitor.enter(link)
    page = bob.get("/hits/")
    assert reason(page) == "your-pay"
    own = pay[published.cell(bob)]
    assert f"${own} (${6 * float(own):.2f} per hour)" in seen(page)
    assert not any(f"${other}" in page.text for other in pay.values() if other != own)
    (held,) = Assignment.objects.all()
    refused = bob.post(str(page.url).removeprefix(bob.origin), f"/hits/work/{held.assignment_id}/return/")
    assert reason(refused) == "next"
    assert not Draw.objects.get().counted
    cell = published.cell(bob)
    bob.post("/hits/", "/hits/start/")
    assert (published.cell(bob), Draw.objects.get().counted) == (cell, True)


def test_minutes_that_differ_are_told_as_a_range_at_the_door(lab, guest):
    minutes = {"a": 4, "b": 9}
    words = {
        letter: f"{KEYWORDS}, assay:minutes={number}, assay:cell={TAG}.{letter}" for letter, number in minutes.items()
    }
    for letter, reward in (("a", "1.00"), ("b", "3.00")):
        lab.hit(MaxAssignments=2, Title="Rate", Reward=reward, Keywords=words[letter])
    link = channel("class", "--pays", "voucher", "--pay-words", "a voucher of 5 euros")
    door = seen(guest().browser.get(link))
    assert "about 4 to 9 minutes (estimated by the people who run the study)" in door
    assert "a voucher of 5 euros" in door


def test_different_pay_without_a_draw_is_read_before_each_task(lab, guest):
    for reward in ("1.00", "3.00"):
        tasks(lab, 1, Reward=reward, Keywords=f"{KEYWORDS}, assay:minutes=10")
    visitor, link = guest(), channel()
    assert "shown to you before you start" in seen(visitor.browser.get(link))
    page = visitor.press(link)
    assert (page.url.path, Assignment.objects.count()) == ("/hits/", 0)
    (pay,) = re.findall(r"Next task: \$(\d\.\d\d) for about 10 minutes", seen(page))
    assert "Minutes: estimated by the people who run the study." in seen(page)
    bob = visitor.enter(link)
    bob.post("/hits/", "/hits/start/")
    assert f"{Assignment.objects.get().shown_reward_cents / 100:.2f}" == pay


@pytest.mark.parametrize(
    ("language", "measured", "estimated"),
    [
        ("en", "at least half of the last 23 submissions took no longer", "estimated by the people who run the study"),
        (
            "de",
            "bei mindestens der Hälfte der letzten 23 Abgaben hat es nicht länger gedauert",
            "von den Verantwortlichen der Studie geschätzt",
        ),
        (
            "es",
            "al menos la mitad de los últimos 23 envíos no requirió más tiempo",
            "estimado por las personas responsables del estudio",
        ),
    ],
)
def test_minutes_say_whether_they_are_measured_or_estimated(language, measured, estimated):
    for people, words in ((23, measured), (0, estimated)):
        offer = PayOffer("", 5, 100, people=people)
        with translation.override(language):
            text = render_to_string("marketplace/minutes.html", {"offer": offer, "channel": True})
        assert re.search(r"5 min.*\((.*)\)", re.sub("<.*?>", "", text), re.IGNORECASE)[1] == words


def test_the_pay_of_several_tasks_is_said_to_be_for_one(lab, guest):
    tasks(lab, 2, Reward="1.00")
    assert "$1.00 per task" in seen(guest().browser.get(channel()))


def test_a_voucher_is_the_same_for_everybody_whatever_the_arms_pay(lab, guest):
    pay = {"a": "1.00", "b": "3.00"}
    drawn(lab, Reward=lambda letter: pay[letter])
    visitor, link = guest(), channel("class", "--pays", "voucher", "--pay-words", "a voucher of 5 euros")
    assert "a voucher of 5 euros" in seen(visitor.browser.get(link))
    assert visitor.press(link).url.path.startswith("/hits/work/")


def go_on(visitor: Guest, address: str):
    visitor.browser.get(address)
    return visitor.browser.post(address, data={"csrfmiddlewaretoken": visitor.browser.cookies["csrftoken"]})
