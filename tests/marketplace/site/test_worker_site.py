"""The worker's pages, over HTTP and without script."""

from __future__ import annotations

import re

import httpx
import pytest
from django.utils import timezone

from annotation.marketplace.core import clock
from annotation.marketplace.models import Assignment, OneTimeLink
from annotation.marketplace.workers.open_accounts import Record, open_worker
from annotation.marketplace.workers.sessions import COOKIE, LINK_LIFE, new_link
from tests.marketplace.people import enter, reason, task_on

HIT = r'data-hit="(3[A-Z0-9]{29})"'


@pytest.fixture
def link(site):
    """A sign-in link that nobody has used."""
    worker = open_worker("eve", worker_id=None, record=Record(), now=clock.now())
    return new_link(worker, now=timezone.now())


@pytest.fixture
def browser():
    with httpx.Client(trust_env=False, follow_redirects=True) as site:
        yield site


def test_a_link_signs_in_once(link, browser):
    assert enter(browser, link).url.path == "/hits/"
    browser.cookies.clear()
    answer = browser.get(link)
    assert (answer.status_code, reason(answer)) == (403, "link")


def test_a_link_checker_does_not_spend_a_link(link, browser):
    browser.head(link)
    for _ in range(2):
        assert COOKIE not in browser.get(link).cookies
    assert enter(browser, link).url.path == "/hits/"


def test_an_old_link_and_a_made_up_one_are_refused(link, browser, site):
    OneTimeLink.objects.update(expires_at=timezone.now() - LINK_LIFE)
    assert reason(browser.get(link)) == "link"
    assert reason(browser.get(f"{site}/hits/enter/made-up/")) == "link"


def test_neither_link_nor_session_is_stored_readably(link, browser):
    enter(browser, link)
    token = browser.cookies[COOKIE]
    assert not OneTimeLink.objects.filter(token_hash__in=[link.split("/")[-2]]).exists()
    assert OneTimeLink.objects.get().worker.sessions.get().token_hash != token


def test_the_session_cookie_is_out_of_reach_of_scripts(link):
    with httpx.Client(trust_env=False) as browser:
        answer = enter(browser, link)
        cookie = next(line for line in answer.headers.get_list("set-cookie") if line.startswith(COOKIE))
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Path=/hits/" in cookie


def test_pages_ask_strangers_to_sign_in(lab, browser, site):
    hit = lab.hit()["HITId"]
    for path in ("/hits/", f"/hits/{hit}/", f"/hits/work/{hit}/"):
        answer = browser.get(site + path)
        assert (answer.status_code, reason(answer)) == (401, "sign-in")


def test_signing_out_ends_the_session(ann, site):
    cookie = ann.site.cookies[COOKIE]
    ann.post("/hits/", "/hits/sign-out/")
    answer = httpx.get(f"{site}/hits/", cookies={COOKIE: cookie}, trust_env=False)
    assert answer.status_code == 302


def test_forms_need_their_csrf_token(lab, ann):
    hit = lab.hit()
    answer = ann.site.post(f"{ann.origin}/hits/{hit['HITId']}/accept/")
    assert answer.status_code == 403
    assert not Assignment.objects.exists()


def test_a_worker_finds_previews_accepts_and_hands_in(lab, ann):
    hit = lab.hit(Title="Rate & judge", Reward="1.25")
    assert ann.offers() == [hit["HITId"]]
    preview = ann.get(f"/hits/{hit['HITId']}/")
    assert "Rate &amp; judge" in preview.text
    assert "$1.25" in preview.text
    assert task_on(preview).fields["assignmentId"] == "ASSIGNMENT_ID_NOT_AVAILABLE"
    task = ann.take(hit)
    assert reason(ann.hand_in(task)) == "recorded"
    done = ann.get(f"/hits/work/{task.id}/")
    assert done.url.path == f"/hits/work/{task.id}/done/"
    assert "Thank you" in done.text
    assert "$1.25" in done.text
    assert ann.offers() == []


def test_pay_and_time_left_are_on_the_page_of_the_task(lab, ann):
    task = ann.take(lab.hit(Reward="1.25", AssignmentDurationInSeconds=600))
    page = ann.get(task.page).text
    assert "$1.25" in page
    assert 'id="left" data-seconds="600"' in page or 'id="left" data-seconds="599"' in page


def test_what_is_being_worked_on_heads_the_list(lab, ann):
    task = ann.take(lab.hit())
    assert f'href="/hits/work/{task.id}/"' in ann.get("/hits/").text
    assert ann.offers() == []


def test_before_handing_in_the_last_page_leads_back(lab, ann):
    task = ann.take(lab.hit())
    page = ann.get(f"/hits/work/{task.id}/done/").text
    assert f'href="/hits/work/{task.id}/"' in page


def test_the_last_page_offers_the_next_task_of_the_kind(lab, ann):
    first, second = lab.hit(), lab.hit()
    lab.hit(Title="Something else")
    task = ann.do(first)
    assert f'href="/hits/{second["HITId"]}/"' in ann.get(f"/hits/work/{task}/done/").text


def test_feedback_is_shown_to_the_worker(lab, ann):
    work = ann.do(lab.hit())
    lab.client.reject_assignment(AssignmentId=work, RequesterFeedback="Too <short>")
    page = ann.get(f"/hits/work/{work}/done/").text
    assert "Too &lt;short&gt;" in page


@pytest.mark.database
def test_a_task_is_accepted_once(lab, ann):
    hit = lab.hit(MaxAssignments=3)
    ann.take(hit)
    answer = ann.accept(hit)
    assert (answer.status_code, reason(answer)) == (409, "held")
    assert lab.places(hit) == ("Assignable", 2, 1, 0)


def test_a_returned_task_can_be_taken_again(lab, ann):
    hit = lab.hit()
    task = ann.take(hit)
    assert ann.give_back(task).url.path == "/hits/"
    assert reason(ann.hand_in(task)) == "returned"
    assert ann.take(hit).id != task.id


@pytest.mark.database
def test_a_full_and_a_closed_task_say_so(lab, sign_in):
    ann, bob = sign_in("ann"), sign_in("bob")
    hit = lab.hit()
    ann.take(hit)
    assert reason(bob.accept(hit)) == "full"
    lab.client.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    assert reason(bob.accept(hit)) == "closed"


def test_the_work_of_others_is_out_of_sight(lab, sign_in):
    task = sign_in("ann").take(lab.hit())
    bob = sign_in("bob")
    for path in ("", "state/", "done/"):
        assert bob.get(f"/hits/work/{task.id}/{path}").status_code == 404


def test_the_state_of_a_task_is_told_to_its_page(lab, ann):
    task = ann.take(lab.hit())
    assert ann.get(f"/hits/work/{task.id}/state/").json() == {"state": "Accepted"}
    ann.hand_in(task)
    assert ann.get(f"/hits/work/{task.id}/state/").json() == {"state": "Submitted"}


@pytest.mark.database
def test_equal_hits_are_one_line_of_the_list_and_a_page_of_their_own(lab, ann):
    made = [lab.hit()["HITId"] for _ in range(30)]
    other = lab.hit(Title="Something else")["HITId"]
    page = ann.get("/hits/").text
    listed = re.findall(HIT, page)
    assert listed[0] == other
    assert listed[1] in made
    assert len(listed) == 2
    assert "30 tasks of this kind" in page
    group = re.search("/hits/groups/3[A-Z0-9]{29}/", page)[0]
    first = re.findall(HIT, ann.get(group).text)
    assert first == made[:4:-1]
    assert re.findall(HIT, ann.get(f"{group}?after={first[-1]}").text) == made[4::-1]
    assert ann.get(f"{group}?after=%00'").status_code == 200


APPROVED = {"QualificationTypeId": "00000000000000000040", "Comparator": "GreaterThan", "IntegerValues": [50]}


@pytest.mark.parametrize(
    ("guard", "listed", "previewed"),
    [("Accept", True, 200), ("PreviewAndAccept", True, 403), ("DiscoverPreviewAndAccept", False, 403)],
)
def test_an_unmet_requirement_guards_what_it_says(lab, ann, guard, listed, previewed):
    hit = lab.hit(QualificationRequirements=[APPROVED | {"ActionsGuarded": guard}])
    assert (hit["HITId"] in ann.offers()) is listed
    page = ann.get(f"/hits/{hit['HITId']}/")
    assert page.status_code == previewed
    assert "/accept/" not in page.text
    answer = ann.accept(hit)
    assert (answer.status_code, reason(answer)) == (403, "unqualified")


@pytest.mark.database
def test_the_presets_requirements_are_met_by_a_worker_with_a_record(lab, sign_in):
    percent = {"QualificationTypeId": "000000000000000000L0", "Comparator": "GreaterThan", "IntegerValues": [95]}
    place = {"QualificationTypeId": "00000000000000000071", "Comparator": "EqualTo"}
    rows = [APPROVED, percent, place | {"LocaleValues": [{"Country": "US"}]}]
    hit = lab.hit(QualificationRequirements=rows, MaxAssignments=5)
    good = sign_in("good", approved=1000, percent=96, locale="US-CA")
    assert good.accept(hit).status_code == 200
    for name, record in {
        "new": {"locale": "US"},
        "poor": {"approved": 1000, "percent": 95, "locale": "US"},
        "abroad": {"approved": 1000, "percent": 99, "locale": "DE"},
    }.items():
        assert reason(sign_in(name, **record).accept(hit)) == "unqualified"


def test_approved_work_counts_towards_requirements(lab, ann):
    rows = [APPROVED | {"IntegerValues": [0]}]
    hit = lab.hit(QualificationRequirements=rows)
    assert reason(ann.accept(hit)) == "unqualified"
    lab.client.approve_assignment(AssignmentId=ann.do(lab.hit()))
    assert ann.accept(hit).status_code == 200


def test_pages_are_on_the_workers_host_only(lab, ann, port):
    hit = lab.hit()
    elsewhere = f"http://localhost:{port}"
    answer = httpx.get(f"{elsewhere}/hits/", trust_env=False)
    assert (answer.status_code, answer.headers["location"]) == (302, f"{ann.origin}/hits/")
    assert httpx.post(f"{elsewhere}/hits/mturk/externalSubmit", trust_env=False).status_code == 404
    assert httpx.post(f"{elsewhere}/hits/{hit['HITId']}/accept/", trust_env=False).status_code in {403, 404}


def test_pages_load_nothing_from_elsewhere(lab, ann):
    page = ann.get("/hits/")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "http" not in page.text.split("</head>")[0]
    for path in ("worker.css", "worker.js"):
        assert ann.get(f"/static/marketplace/{path}").status_code == 200
