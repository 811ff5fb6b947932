"""Survey links: a survey elsewhere opens in a tab that works, and only by the worker's own click on our page."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from annotation.marketplace.site.content_security import SANDBOX
from tests.marketplace.framed.desk import Desk, fields
from tests.marketplace.question_samples import external_question, html_question

HEAD = "<!DOCTYPE html><html lang='en'><title>t</title><body>"
# As the template "Survey Link" has it, with the form that its requester site put around it.
TEMPLATE = """<section><a class="dont-break-out" id="link" href="{survey}/s" target="_blank">{survey}/s</a></section>
<form id="mturk_form" method="post" action="https://www.mturk.com/mturk/externalSubmit">
<input type="text" id="surveycode" name="surveycode" placeholder="e.g. 123456" aria-label="Survey code" required>
<button id="submitButton">Submit</button></form>
<script>const query = new URLSearchParams(location.search), worker = query.get('workerId');
if (!worker || query.get('assignmentId') === 'ASSIGNMENT_ID_NOT_AVAILABLE') link.hidden = true;
else link.href += '?workerId=' + worker;</script>"""

PAGES = {
    "/s": "<!DOCTYPE html><title>survey</title><script>localStorage.setItem('a', 'stored')</script><h1>Survey</h1>",
    # As psiTurk's sample does it: the ad opens the study, whose last page loads the ad again.
    "/ad": "<!DOCTYPE html><title>ad</title><p id=n></p><button onclick=\"window.open('/done')\">Begin</button>"
    "<script>document.getElementById('n').textContent = performance.getEntriesByType('navigation')[0].type</script>",
    "/done": "<!DOCTYPE html><title>done</title><script>window.opener.location.reload()</script>",
}


@pytest.fixture
def survey() -> Iterator[str]:
    """A survey on a host of its own, which sets a cookie, uses storage and wants no window near it."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = PAGES.get(self.path.partition("?")[0], PAGES["/s"]).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            if self.path.startswith("/s"):
                self.send_header("Set-Cookie", "survey=1")
                self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.3", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.3:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join(timeout=10)


def bar(ann: Desk):
    return ann.page.locator("#way-out")


def opened(ann: Desk) -> Page:
    with ann.context.expect_page() as tab:
        bar(ann).get_by_role("link").click()
    tab.value.wait_for_load_state()
    return tab.value


def test_14_a_survey_opens_in_a_tab_of_its_own_origin_and_its_code_is_handed_in(lab, ann: Desk, survey: str) -> None:
    hit = lab.hit(Question=html_question(HEAD + TEMPLATE.replace("{survey}", survey)))
    ann.page.goto(f"/hits/{hit['HITId']}/")
    expect(ann.frame().get_by_role("link")).to_have_count(0)  # hidden in the preview
    frame = ann.accept(hit)
    frame.get_by_label("Survey code").fill("42-XYZ")
    frame.get_by_role("link").click()
    expect(bar(ann)).to_contain_text(survey.removeprefix("http://"))
    expect(bar(ann).get_by_text("The address contains your worker ID.")).to_be_visible()
    assert len(ann.context.pages) == 1
    tab = opened(ann)
    assert tab.url == f"{survey}/s?workerId={ann.worker_id}"
    assert tab.evaluate("[origin, opener, localStorage.getItem('a'), document.cookie]") == [
        survey,
        None,
        "stored",
        "survey=1",
    ]
    expect(frame.get_by_label("Survey code")).to_have_value("42-XYZ")
    frame.get_by_role("button", name="Submit").click()
    ann.recorded()
    assert fields()["surveycode"] == "42-XYZ"


def test_15_no_link_takes_the_place_of_the_task(lab, ann: Desk, survey: str) -> None:
    page = f"""<p>The task</p><a href="{survey}/plain">Plain</a>
<button onclick="window.open('{survey}/window')">Window</button>
<crowd-form><crowd-button href="{survey}/crowd">Crowd</crowd-button></crowd-form>
<a href="#here">Here</a><p id="here">H</p>"""
    frame = ann.accept(lab.hit(Question=html_question(HEAD + page)))
    for role, name in (("link", "Plain"), ("button", "Window"), ("link", "Crowd")):
        frame.get_by_role(role, name=name).click()  # type: ignore[arg-type]
        expect(bar(ann)).to_contain_text(f"{survey}/{name.lower()}")
        expect(bar(ann).get_by_text("The address contains your worker ID.")).to_be_hidden()
        expect(frame.get_by_text("The task")).to_be_visible()
        ann.page.wait_for_timeout(1_050)  # a second wish within a second is not shown
    frame.get_by_role("link", name="Here").click()
    assert frame.evaluate("location.hash") == "#here"
    assert len(ann.context.pages) == 1


def test_16_wishes_of_a_hostile_task_open_nothing(lab, ann: Desk, survey: str, site: str) -> None:
    frame = ann.accept(lab.hit(Question=html_question(HEAD + "<input aria-label='Typed'>")))
    frame.get_by_label("Typed").click()
    port = site.rpartition(":")[2]
    for wish in (
        f"{site}/hits/",
        f"http://localhost:{port}/console/",
        "http://127.0.0.1:1/",
        "http://127.1/",
        "http://2130706433/",
        f"http://user@{survey.removeprefix('http://')}/",
        "javascript:alert(1)",
        f"{survey}/{'x' * 3000}",
    ):
        frame.evaluate("wish => { open(wish); }", wish)
        ann.page.wait_for_timeout(50)
        expect(bar(ann)).to_be_hidden()
    frame.evaluate(f"() => {{ for (let n = 0; n < 100; n += 1) open('{survey}/' + n); }}")
    expect(bar(ann)).to_contain_text(f"{survey}/0")
    expect(frame.get_by_label("Typed")).to_be_focused()
    assert len(ann.context.pages) == 1
    assert SANDBOX == "allow-scripts allow-forms allow-popups allow-modals allow-downloads"


def test_17_an_external_page_opens_a_popup_that_reloads_it(lab, ann: Desk, survey: str) -> None:
    frame = ann.accept_outside(lab.hit(Question=external_question(f"{survey}/ad")))
    expect(frame.get_by_text("navigate")).to_be_visible()
    with ann.context.expect_page():
        frame.get_by_role("button", name="Begin").click()
    expect(frame.get_by_text("reload")).to_be_visible()
