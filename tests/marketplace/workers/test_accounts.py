"""Accounts that workers open and keep themselves, over HTTP; mails are kept in a box."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta

import httpx
import pytest
from django.core import mail
from django.utils import timezone
from lxml import html

from annotation.marketplace.core.rate_limits import Limit, TooOftenError, take
from annotation.marketplace.models import OneTimeLink, Registration, Throttle, WorkerAccount, WorkerSession
from annotation.marketplace.workers import registration as membership
from annotation.marketplace.workers.sessions import COOKIE
from tests.marketplace.people import reason

PASSWORD = "a horse on the bridge"
NEW = {"called": "Ann", "email": "ann@example.org", "password": PASSWORD, "terms": "on"}


class Browser:
    """A browser that fills in forms."""

    def __init__(self, site: httpx.Client) -> None:
        self.site = site

    def get(self, path: str) -> httpx.Response:
        return self.site.get(path)

    def fill(self, path: str, **fields: str) -> httpx.Response:
        """Fill in the last form of the page and send it."""
        form = html.fromstring(self.get(path).content).forms[-1]
        return self.site.post(form.action or path, data=dict(form.form_values()) | fields)

    @property
    def signed_in(self) -> bool:
        return self.site.get("/hits/account/").url.path == "/hits/account/"


@pytest.fixture
def browsers(site: str) -> Iterator[Callable[[], Browser]]:
    """Opens browsers, each with its own cookies."""
    with ExitStack() as stack:
        yield lambda **settings: Browser(
            stack.enter_context(httpx.Client(base_url=site, trust_env=False, follow_redirects=True, **settings))
        )


@pytest.fixture
def browser(browsers) -> Browser:
    return browsers()


def mailed(to: str = "ann@example.org") -> str:
    """The path of the link in the last mail to an address."""
    text = next(letter.body for letter in reversed(mail.outbox) if letter.to == [to])
    return re.search(r"http://[^/]+(/hits/\S+)", text)[1]


@pytest.fixture
def ann(browser: Browser) -> Browser:
    """A browser in which Ann has registered and is signed in."""
    browser.fill("/hits/register/", **NEW)
    browser.fill(mailed())
    return browser


@pytest.mark.database
def test_who_registers_answers_a_mail_and_is_signed_in(browser):
    answer = browser.fill("/hits/register/", **NEW)
    assert reason(answer) == "mailed"
    assert not WorkerAccount.objects.exists()
    assert reason(browser.fill(mailed())) == "welcome"
    worker = WorkerAccount.objects.get()
    assert (worker.called, worker.email, worker.terms_version != "") == ("Ann", "ann@example.org", True)
    assert worker.worker_id in browser.get("/hits/account/").text


@pytest.mark.database
def test_looking_at_the_mailed_link_makes_no_account_and_it_works_once(browser, browsers):
    browser.fill("/hits/register/", **NEW)
    link = mailed()
    assert reason(browser.get(link)) == "finish"
    assert not WorkerAccount.objects.exists()
    browser.fill(link)
    assert reason(browsers().get(link)) == "link"


def test_neither_passwords_nor_links_are_stored_readably(ann):
    worker = WorkerAccount.objects.get()
    assert PASSWORD not in worker.password
    ann.fill("/hits/forgotten/", email=worker.email)
    assert not OneTimeLink.objects.filter(token_hash__in=mailed().split("/")).exists()


def test_an_old_registration_cannot_be_finished(browser):
    browser.fill("/hits/register/", **NEW)
    Registration.objects.update(expires_at=timezone.now())
    assert reason(browser.get(mailed())) == "link"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"email": "nonsense"}, "Enter a valid email address."),
        ({"password": "short"}, "too short"),
        ({"password": "password1234"}, "too common"),
        ({"password": "ann@example.org"}, "too similar"),
        ({"called": ""}, "This field is required."),
        ({"called": "a\x00b"}, "Null characters are not allowed."),
    ],
)
def test_a_form_with_an_error_says_so_on_top_and_beside_the_field(browser, change, sentence):
    answer = browser.fill("/hits/register/", **(NEW | change))
    page = html.fromstring(answer.content)
    assert answer.status_code == 422
    assert page.findtext(".//title").startswith("Error:")
    assert sentence in page.xpath("string(//*[@role='alert'])")
    field = page.get_element_by_id(f"id_{next(iter(change))}")
    assert field.get("aria-invalid") == "true"
    said = [page.get_element_by_id(name).text_content() for name in field.get("aria-describedby").split()]
    assert any(sentence in text for text in said)
    assert mail.outbox == []


def test_the_terms_must_be_accepted(browser):
    page = browser.get("/hits/register/")
    form = html.fromstring(page.content).forms[-1]
    given = {key: value for key, value in (dict(form.form_values()) | NEW).items() if key != "terms"}
    assert "if you agree" in browser.site.post("/hits/register/", data=given).text


def test_registration_can_be_closed(browser, settings):
    settings.WORKER_REGISTRATION = False
    assert reason(browser.get("/hits/register/")) == "closed"
    assert "/hits/register/" not in browser.get("/hits/sign-in/").text


def test_one_signs_in_by_address_or_worker_id_and_goes_on_where_one_wanted_to(ann, browsers):
    worker = WorkerAccount.objects.get()
    for who in ("Ann@Example.org", worker.worker_id.lower()):
        other = browsers()
        page = other.get("/hits/history/")
        assert reason(page) == "sign-in"
        form = html.fromstring(page.content).forms[-1]
        answer = other.site.post(form.action, data=dict(form.form_values()) | {"who": who, "password": PASSWORD})
        assert answer.url.path == "/hits/history/"


@pytest.mark.parametrize("goal", ["https://example.org/", "//example.org", "/admin/", "/hits/\\@example.org\r\nX: y"])
def test_signing_in_leads_to_no_other_site(ann, browsers, goal):
    other = browsers()
    token = html.fromstring(other.get("/hits/sign-in/").content).forms[-1].fields["csrfmiddlewaretoken"]
    given = {"csrfmiddlewaretoken": token, "who": NEW["email"], "password": PASSWORD, "next": goal}
    answer = other.site.post("/hits/sign-in/", data=given, follow_redirects=False)
    assert answer.status_code == 302
    assert httpx.URL(answer.headers["location"]).host in {"", other.site.base_url.host}
    assert answer.headers["location"].startswith("/hits/")


def test_signing_in_begins_a_new_session_and_ends_the_one_before(ann):
    before = (ann.site.cookies[COOKIE], ann.site.cookies["csrftoken"])
    ann.fill("/hits/sign-in/", who=NEW["email"], password=PASSWORD)
    after = (ann.site.cookies[COOKIE], ann.site.cookies["csrftoken"])
    assert before[0] != after[0]
    assert before[1] != after[1]
    assert WorkerSession.objects.count() == 1


def test_cookies_are_out_of_reach_of_scripts_and_secure_where_the_site_is(ann, browsers, settings):
    settings.WORKER_ORIGIN = settings.WORKER_ORIGIN.replace("http:", "https:")
    other = browsers()
    form = html.fromstring(other.get("/hits/sign-in/").content).forms[-1]
    given = dict(form.form_values()) | {"who": NEW["email"], "password": PASSWORD}
    answer = other.site.post("/hits/sign-in/", data=given, follow_redirects=False)
    cookies = {line.split("=")[0]: line for line in answer.headers.get_list("set-cookie")}
    assert {"HttpOnly", "Secure", "SameSite=Lax"} <= set(cookies[COOKIE].split("; "))
    assert {"HttpOnly", "SameSite=Lax"} <= set(cookies["csrftoken"].split("; "))


def wrong(browser: Browser, **given: str) -> tuple[int, str]:
    """Status and words of an attempt to sign in that fails, without the token of the form and what was given."""
    answer = browser.fill("/hits/sign-in/", **({"who": NEW["email"], "password": "no"} | given))
    words = re.sub(r'value="[^"]*"', "", answer.text)
    return answer.status_code, words


def test_a_wrong_password_and_an_unknown_address_answer_alike(ann, browsers):
    other = browsers()
    assert wrong(other)[0] == 401
    assert wrong(other) == wrong(other, who="eve@example.org") == wrong(other, who="A" + 13 * "0")
    WorkerAccount.objects.update(active=False)
    assert wrong(other, password=PASSWORD) == wrong(other)


@pytest.mark.parametrize("path", ["register", "forgotten", "sign-in/link"])
def test_nobody_learns_from_the_page_whether_an_address_has_an_account(ann, browsers, path):
    said = []
    for email in ("ann@example.org", "eve@example.org"):
        mail.outbox.clear()
        answer = browsers().fill(f"/hits/{path}/", **(NEW | {"email": email}))
        said.append((answer.status_code, answer.text.replace(email, "")))
        assert [letter.to for letter in mail.outbox] == [[email]]
    assert said[0] == said[1]


def test_who_registers_again_is_told_by_mail_and_nothing_changes(ann, browsers):
    browsers().fill("/hits/register/", **(NEW | {"email": "ANN@example.org", "password": "another long one"}))
    assert "have an account" in mail.outbox[-1].subject
    assert mailed() == "/hits/sign-in/"
    assert not Registration.objects.exists()


def test_two_registrations_of_one_address_make_one_account(browser, browsers):
    browser.fill("/hits/register/", **NEW)
    first = mailed()
    browser.fill("/hits/register/", **(NEW | {"email": "ANN@Example.org"}))
    second = mailed()
    browser.fill(second)
    assert reason(browsers().get(first)) == "link"
    assert WorkerAccount.objects.count() == 1


def test_a_mailed_link_signs_in_once_and_for_an_hour(ann, browsers):
    other = browsers()
    other.fill("/hits/sign-in/link/", email="ann@example.org")
    link = mailed()
    OneTimeLink.objects.update(expires_at=timezone.now() + timedelta(minutes=1))
    other.fill(link)
    assert other.signed_in
    assert reason(browsers().get(link)) == "link"


def test_a_forgotten_password_is_replaced_by_mail_and_all_other_browsers_are_signed_out(ann, browsers):
    other = browsers()
    other.fill("/hits/forgotten/", email="ann@example.org")
    link = mailed()
    assert other.fill(link, password="short").status_code == 422
    other.fill(link, password="another long one")
    assert other.signed_in
    assert not ann.signed_in
    assert reason(other.get(link)) == "link"
    assert wrong(browsers(), password=PASSWORD)[0] == 401
    assert browsers().fill("/hits/sign-in/", who=NEW["email"], password="another long one").url.path == "/hits/"


def test_an_address_given_by_an_operator_is_confirmed_by_following_its_mail(site, browsers):
    WorkerAccount.objects.create(name="bob", email="bob@example.org", created_at=timezone.now())
    browsers().fill("/hits/sign-in/link/", email="bob@example.org")
    assert WorkerAccount.objects.get().email_confirmed_at is None
    browsers().fill(mailed("bob@example.org"))
    assert WorkerAccount.objects.get().email_confirmed_at is not None


def test_an_address_changes_when_the_mail_sent_there_is_answered(ann):
    answer = ann.fill("/hits/account/address/", email="new@example.org", old="wrong")
    assert "This is not your password." in answer.text
    ann.fill("/hits/account/address/", email="new@example.org", old=PASSWORD)
    assert WorkerAccount.objects.get().email == "ann@example.org"
    ann.fill(mailed("new@example.org"))
    assert WorkerAccount.objects.get().email == "new@example.org"
    assert mail.outbox[-1].to == ["ann@example.org"]
    assert "http" not in mail.outbox[-1].body


def test_an_address_of_somebody_else_cannot_be_taken(ann, browsers):
    other = browsers()
    other.fill("/hits/register/", **(NEW | {"email": "bob@example.org"}))
    other.fill(mailed("bob@example.org"))
    before = len(mail.outbox)
    answer = other.fill("/hits/account/address/", email="ann@example.org", old=PASSWORD)
    assert reason(answer) == "mailed"
    assert "have an account" in mail.outbox[before].subject
    assert WorkerAccount.objects.filter(email="ann@example.org").count() == 1


def test_a_changed_password_signs_other_browsers_out_and_is_told_by_mail(ann, browsers):
    other = browsers()
    other.fill("/hits/sign-in/", who=NEW["email"], password=PASSWORD)
    page = ann.fill("/hits/account/password/", old=PASSWORD, password="another long one")
    assert "Your password is changed" in page.text
    assert ann.signed_in
    assert not other.signed_in
    assert mail.outbox[-1].subject == "Your account was changed"
    assert "another long one" not in mail.outbox[-1].body


def test_who_came_by_a_link_chooses_a_first_password(sign_in, browsers):
    person = sign_in("bob")
    browser = Browser(person.site)
    browser.site.base_url = person.origin
    browser.fill("/hits/account/password/", password=PASSWORD)
    assert browsers().fill("/hits/sign-in/", who=person.worker_id, password=PASSWORD).url.path == "/hits/"


def test_signing_out_everywhere_leaves_this_browser(ann, browsers):
    other = browsers()
    other.fill("/hits/sign-in/", who=NEW["email"], password=PASSWORD)
    ann.fill("/hits/sign-in/link/", email=NEW["email"])
    link = mailed()
    form = next(
        form for form in html.fromstring(ann.get("/hits/account/").content).forms if "everywhere" in (form.action or "")
    )
    ann.site.post(form.action, data=dict(form.form_values()))
    assert (ann.signed_in, other.signed_in) == (True, False)
    assert reason(browsers().get(link)) == "link"


def test_preferences_are_kept(ann):
    ann.fill("/hits/account/", called="Ann B.", payee="IBAN 1", auto_accept="on")
    worker = WorkerAccount.objects.get()
    assert (worker.called, worker.payee, worker.auto_accept) == ("Ann B.", "IBAN 1", True)
    assert ann.fill("/hits/account/", payee="a\nb\x07").status_code == 422


def test_tries_to_sign_in_are_limited_by_account_and_address_until_time_has_passed(ann, browsers):
    other = browsers()
    for _ in range(membership.SIGN_IN_PAIR.max_tries):
        assert wrong(other)[0] == 401
    answer = other.fill("/hits/sign-in/", who=NEW["email"], password=PASSWORD)
    assert (answer.status_code, reason(answer)) == (429, "too-often")
    assert 0 < int(answer.headers["retry-after"]) <= 15 * 60
    assert wrong(other, who="eve@example.org")[0] == 401
    Throttle.objects.update(until=timezone.now())
    assert other.fill("/hits/sign-in/", who=NEW["email"], password=PASSWORD).url.path == "/hits/"


def test_the_limit_runs_by_the_real_clock(ann, browsers, pass_time):
    other = browsers()
    for _ in range(membership.SIGN_IN_PAIR.max_tries):
        wrong(other)
    pass_time(86_400)
    assert wrong(other)[0] == 429


@pytest.mark.django_db
def test_a_limit_begun_by_a_clock_that_is_set_back_by_an_hour_refuses_nobody_for_an_hour():
    limit, now = Limit("tries", 1, timedelta(minutes=10)), timezone.now()
    take(limit, "ann", now=now + timedelta(hours=1))
    take(limit, "ann", now=now)
    with pytest.raises(TooOftenError) as refused:
        take(limit, "ann", now=now)
    assert refused.value.minutes == 10


def test_who_gets_in_is_forgiven_the_tries_before(ann, browsers):
    other = browsers()
    for _ in range(3):
        for _ in range(membership.SIGN_IN_PAIR.max_tries - 1):
            assert wrong(other)[0] == 401
        assert other.fill("/hits/sign-in/", who=NEW["email"], password=PASSWORD).url.path == "/hits/"


def test_mails_to_one_address_are_limited(browsers, site):
    other = browsers()
    for _ in range(membership.MAIL_TO.max_tries):
        assert reason(other.fill("/hits/forgotten/", email="eve@example.org")) == "mailed"
    for path in ("forgotten", "register", "sign-in/link"):
        answer = other.fill(f"/hits/{path}/", **(NEW | {"email": "EVE@example.org"}))
        assert (answer.status_code, reason(answer)) == (429, "too-often")
    assert len(mail.outbox) == membership.MAIL_TO.max_tries


def test_a_mail_server_that_is_down_is_said_and_nothing_is_kept(browser, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    answer = browser.fill("/hits/register/", **NEW)
    assert (answer.status_code, reason(answer)) == (503, "mail")
    assert not Registration.objects.exists()


@pytest.mark.parametrize(
    "path", ["sign-in/", "sign-in/link/", "forgotten/", "register/", "account/", "account/password/", "account/delete/"]
)
def test_every_form_needs_its_token(ann, path):
    assert ann.site.post(f"/hits/{path}", data=NEW | {"who": NEW["email"]}).status_code == 403
