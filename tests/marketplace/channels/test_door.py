"""The door of an invitation link."""

from __future__ import annotations

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import httpx
import pytest
from lxml import html

from annotation.marketplace.core import clock
from annotation.marketplace.models import (
    Assignment,
    Consent,
    Link,
    Participant,
    ParticipantIdentity,
    Refusal,
    WorkerAccount,
)
from annotation.marketplace.site.invitations import MISSES
from tests.marketplace.channels.guests import KEYWORDS, Guest, channel, tasks, told, written
from tests.marketplace.people import reason
from tests.marketplace.qualifications.test_once import study as once_study


def personal(number: int) -> list[str]:
    told("create", "personal", "--requester", "lab", "--study", "spring", "--no-link")
    return told("link", "personal", "--single", str(number))["links"]


def code_on(page: httpx.Response) -> str:
    found = re.search(r'class="code"[^>]*>([0-9A-Z-]+)<', page.text)
    assert found
    return found[1]


def test_a_guest_does_two_tasks_and_gets_a_code_that_can_be_verified(lab, guest):
    first, second = tasks(lab)
    link = channel()
    ann = guest().enter(link)
    assert set(ann.offers()) == {first["HITId"], second["HITId"]}
    ann.do(first)
    assert ann.get("/hits/end/").url.path != "/hits/end/"
    task = ann.take(second)
    ann.hand_in(task)
    end = ann.get(f"/hits/work/{task.id}/done/")
    assert (end.url.path, reason(end)) == ("/hits/end/", "end")
    verified = told("verify", code_on(end).lower().replace("-", " "))
    assert (verified["valid"], verified["handed_in"], verified["study"]) == (True, 2, "spring")
    assert reason(ann.site.get(link)) == "already"
    assert code_on(ann.site.get(link)) == code_on(end)


def test_looking_at_a_link_brings_nobody_in(lab, guest):
    tasks(lab)
    link = channel()
    visitor = guest()
    assert visitor.browser.head(link).status_code == 200
    assert visitor.open(link) == "welcome"
    assert (Participant.objects.count(), WorkerAccount.objects.count()) == (0, 0)


def test_the_same_browser_goes_on_where_it_stopped(lab, guest):
    tasks(lab)
    link = channel()
    visitor = guest()
    ann = visitor.enter(link)
    assert visitor.browser.get(link).url.path.startswith("/hits/work/")
    visitor.browser.cookies.delete("assay_worker")
    assert visitor.open(link) == "back"
    assert visitor.enter(link).worker_id == ann.worker_id
    assert Participant.objects.count() == 1


@pytest.mark.database
def test_an_external_id_is_the_same_person_in_every_browser(lab, guest):
    tasks(lab)
    link = channel("panel", "--id-parameter", "PROLIFIC_PID", "--id-parameter", "participant")
    ann = guest().enter(f"{link}?PROLIFIC_PID=5f3a")
    assert guest().enter(f"{link}?participant=5f3a").worker_id == ann.worker_id
    assert guest().enter(f"{link}?participant=77aa").worker_id != ann.worker_id
    assert set(ParticipantIdentity.objects.values_list("external_id", flat=True)) == {"5f3a", "77aa"}


def test_a_panel_link_without_its_id_says_so(lab, guest):
    tasks(lab)
    link = channel("panel", "--id-parameter", "participant")
    assert guest().open(link) == "needs-id"
    assert guest().open(f"{link}?participant=") == "needs-id"
    assert guest().open(f"{link}?participant={'x' * 201}") == "odd-id"
    assert guest().open(f"{link}?participant=a%00b") == "odd-id"
    optional = told("link", "panel", "--id-parameter", "participant", "--id-optional")["links"][0]
    assert guest().open(optional) == "welcome"


def test_a_personal_link_is_the_same_person_on_every_device(lab, guest):
    tasks(lab)
    (link,) = personal(1)
    first, second = guest(), guest()
    assert (first.open(link), second.open(link)) == ("welcome", "welcome")
    ann = first.enter(link)
    assert second.open(link) == "back"
    again = second.enter(link)
    assert (again.worker_id, again.get("/hits/").url.path) == (ann.worker_id, ann.get("/hits/").url.path)
    assert Assignment.objects.count() == 1


@pytest.mark.database
def test_thirty_who_use_a_personal_link_at_once_are_one_person_with_one_task(lab, guest):
    tasks(lab)
    (link,) = personal(1)
    assert Counter(_all_press(link, [guest() for _ in range(30)])) == {"in": 30}
    counts = Participant.objects.count(), WorkerAccount.objects.count(), Assignment.objects.count()
    assert counts == (1, 1, 1)


@pytest.mark.database
def test_the_same_external_id_twenty_times_at_once_is_one_worker(lab, guest):
    tasks(lab)
    link = channel("panel", "--id-parameter", "participant")
    assert Counter(_all_press(f"{link}?participant=5f3a", [guest() for _ in range(20)])) == {"in": 20}
    assert (Participant.objects.count(), WorkerAccount.objects.count()) == (1, 1)


@pytest.mark.database
def test_no_more_people_than_places_get_in_at_once(lab, guest):
    tasks(lab)
    link = channel("small", "--people", "4")
    assert Counter(_all_press(link, [guest() for _ in range(12)])) == {"in": 4, "full": 8}


def _all_press(link: str, guests: list[Guest]) -> list[str]:
    together = Barrier(len(guests))

    def press(one: Guest) -> str:
        one.open(link)
        fields = {"csrfmiddlewaretoken": one.browser.cookies["csrftoken"], "external_id": link.rpartition("=")[2]}
        together.wait(timeout=60)
        answer = one.browser.post(f"{link.partition('?')[0]}begin/", data=fields)
        return "in" if answer.url.path.startswith("/hits/work/") else reason(answer)

    with ThreadPoolExecutor(len(guests)) as pool:
        return list(pool.map(press, guests))


def test_doors_that_are_not_open_say_why_before_anything_else(lab, guest, tmp_path, pass_time):
    words = written(tmp_path, "consent.txt", "Secret conditions")
    assert guest().open(channel("early", "--consent", words)) == "not-yet"
    tasks(lab, MaxAssignments=1)
    later = (clock.now().year + 2, "01-01")
    assert guest().open(channel("later", "--opens", "-".join(map(str, later)))) == "not-yet"
    link = channel("now", "--consent", words)
    told("close", "now")
    page = guest().browser.get(link)
    assert (page.status_code, reason(page)) == (410, "closed")
    assert "Secret" not in page.text
    full = channel("full")
    ann = guest().enter(full)
    for hit in ann.offers():
        ann.take({"HITId": hit})
    assert guest().open(full) == "full"
    pass_time(90_000)
    assert guest().open(full) == "closed"


def test_an_unknown_link_tells_nothing_and_guessing_is_slowed_down(site, guest):
    visitor = guest()
    assert [visitor.open(f"{site}/hits/in/{name}/") for name in ("a", "b" * 43, "%00", "é")] == ["unknown"] * 4
    for number in range(MISSES.max_tries):
        visitor.open(f"{site}/hits/in/guess{number}/")
    assert visitor.browser.get(f"{site}/hits/in/c/").status_code == 429


def test_tokens_are_not_stored_and_links_are_shown_once(lab):
    tasks(lab)
    link = channel()
    token = link.rstrip("/").rpartition("/")[2]
    assert not Link.objects.filter(token_hash=token).exists()
    assert token not in str(told("list"))


def test_consent_comes_first_is_versioned_and_is_asked_again_when_it_changes(lab, guest, tmp_path):
    tasks(lab)
    link = channel("class", "--consent", written(tmp_path, "a.txt", "You may stop <any> time.\n\nNo risk."))
    visitor = guest()
    page = visitor.browser.get(link)
    assert "You may stop &lt;any&gt; time." in page.text
    ann = visitor.enter(link)
    first = Consent.objects.get()
    assert (first.worker.worker_id, first.channel.name) == (ann.worker_id, "class")
    (held,) = Assignment.objects.all()
    ann.hand_in(ann.take({"HITId": held.hit.hit_id}))
    told("change", "class", "--consent", written(tmp_path, "b.txt", "We also record times."))
    assert visitor.open(link) == "back"
    asked = ann.post("/hits/", "/hits/start/")
    assert reason(asked) == "consent"
    assert Assignment.objects.count() == 1
    form = dict(html.fromstring(asked.content).forms[0].form_values())
    page = ann.site.post(str(asked.url), data=form)
    assert page.url.path.startswith("/hits/work/")
    assert (Consent.objects.count(), Assignment.objects.count()) == (2, 2)


def test_agreeing_to_an_old_text_is_not_agreeing(lab, guest, tmp_path):
    tasks(lab)
    link = channel("class", "--consent", written(tmp_path, "a.txt", "Old"))
    visitor = guest()
    visitor.browser.get(link)
    fields = {"csrfmiddlewaretoken": visitor.browser.cookies["csrftoken"], "version": "0" * 64}
    answer = visitor.browser.post(f"{link}begin/", data=fields)
    assert reason(answer) == "consent"
    assert (Consent.objects.count(), WorkerAccount.objects.count()) == (0, 0)


def test_who_declines_leaves_no_trace_but_a_day(lab, guest, tmp_path):
    tasks(lab)
    link = channel("class", "--consent", written(tmp_path, "a.txt", "Terms"), "--id-parameter", "participant")
    assert reason(guest().press(f"{link}?participant=5f3a", "decline")) == "declined"
    refusal = Refusal.objects.get()
    assert (refusal.channel.name, refusal.wording.text) == ("class", "Terms")
    assert (Participant.objects.count(), ParticipantIdentity.objects.count(), WorkerAccount.objects.count()) == (
        0,
        0,
        0,
    )


def test_who_has_taken_part_with_an_account_is_told_so(lab, ann, guest):
    _, (hit,) = once_study(lab, 1, MaxAssignments=9, Keywords=KEYWORDS)
    told("create", "open", "--requester", "lab", "--study", "spring", "--kind", "accounts")
    link = channel()
    task = ann.take(hit)
    assert Guest(ann.site).open(link) == "unqualified"
    assert "You have already taken part." in ann.site.get(link).text
    ann.hand_in(task)
    assert Guest(ann.site).open(link) == "already"


def test_a_guest_who_holds_the_study_s_qualification_has_taken_part(lab, guest):
    type_id, _ = once_study(lab, 2, MaxAssignments=9, Keywords=KEYWORDS)
    link = channel()
    visitor = guest()
    bob = visitor.enter(link)
    bob.do({"HITId": bob.offers()[0]})
    lab.client.associate_qualification_with_worker(
        QualificationTypeId=type_id, WorkerId=bob.worker_id, SendNotification=False
    )
    assert visitor.open(link) == "already"


def test_one_hit_of_a_study_that_takes_everybody_once_is_the_last(lab, guest):
    _, (first, second) = once_study(lab, 2, MaxAssignments=9, Keywords=KEYWORDS)
    bob = guest().enter(channel())
    (held,) = Assignment.objects.all()
    other = second if held.hit.hit_id == first["HITId"] else first
    bob.do({"HITId": held.hit.hit_id})
    assert bob.get("/hits/").url.path == "/hits/end/"
    assert reason(bob.accept(other)) == "unqualified"


@pytest.mark.database
def test_one_person_one_study_whatever_the_channel(lab, guest):
    tasks(lab, 1)
    first, second = channel("a", "--id-parameter", "id"), channel("b", "--id-parameter", "id")
    bob = guest().enter(f"{first}?id=7")
    bob.do({"HITId": bob.offers()[0]})
    assert bob.get("/hits/").url.path == "/hits/end/"
    assert guest().open(f"{second}?id=7") == "already"
    assert guest().open(f"{second}?id=8") == "welcome"
