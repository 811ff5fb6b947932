"""Every way in which a task's form can be sent reaches the worker page, and nothing else is taken for an answer."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from annotation.marketplace.models import Submission
from tests.marketplace.framed.desk import Desk, fields, raw, state
from tests.marketplace.question_samples import html_question

HEAD = "<!DOCTYPE html><html lang='en'><title>t</title>"
MTURK = "https://www.mturk.com/mturk/externalSubmit"


def at_work(lab, ann: Desk, page: str):
    return ann.accept(lab.hit(Question=html_question(HEAD + page)))


@pytest.mark.parametrize(
    ("page", "act", "expected"),
    [
        ("<form><input name=a value=1><button>Go</button></form>", "", [["a", "1"]]),
        (f"<form method=get action={MTURK}><input name=a value=1><button>Go</button></form>", "", [["a", "1"]]),
        (f"<form action={MTURK}><input name=a value=1></form>", "document.forms[0].submit()", [["a", "1"]]),
        (f"<form action={MTURK}><input name=a value=1></form>", "document.forms[0].requestSubmit()", [["a", "1"]]),
        (
            f"<form action=/far><input name=a value=1><button formaction={MTURK} name=b value=2>Go</button></form>",
            "",
            [["a", "1"], ["b", "2"]],
        ),
        (
            f"<form id=x action={MTURK}><input name=submit value=s></form><form id=y action={MTURK}>"
            "<input name=z value=9></form><input form=x name=out value=side>",
            "HTMLFormElement.prototype.submit.call(document.getElementById('x'))",
            [["submit", "s"], ["out", "side"]],
        ),
        (
            f"<form enctype=multipart/form-data action={MTURK}><input type=file name=f>"
            "<textarea name=t>\nä\n</textarea>"
            "<select multiple name=s><option selected>1<option selected>2</select><button>Go</button></form>",
            "",
            [["f", ""], ["t", "ä\n"], ["s", "1"], ["s", "2"]],
        ),
        (
            "<form onsubmit='this.a.value=2'><input name=a value=1><button>Go</button></form>",
            "",
            [["a", "2"]],
        ),
        ("<p>no form</p>", "window.assay.submit([['a', 'of its own']])", [["a", "of its own"]]),
    ],
    ids=["no action", "get", "submit()", "requestSubmit()", "formaction", "two forms", "controls", "onsubmit", "api"],
)
def test_a_form_is_handed_in(lab, ann: Desk, page: str, act: str, expected: list) -> None:
    frame = at_work(lab, ann, page)
    if act:
        frame.evaluate(f"() => {{ {act} }}")
    else:
        frame.get_by_role("button", name="Go").click()
    ann.recorded()
    assert raw()[1:] == expected


@pytest.mark.parametrize(
    "page",
    [
        "<form onsubmit='return false'><input name=a><button>Go</button></form>",
        "<form><input name=a required><button>Go</button></form>",
        "<form><button>Go</button></form><script>addEventListener('submit', e => e.preventDefault())</script>",
        "<dialog open><form method=dialog><button>Go</button></form></dialog>",
    ],
    ids=["inline", "required", "late listener", "dialog"],
)
def test_what_the_task_holds_back_is_not_handed_in(lab, ann: Desk, page: str) -> None:
    frame = at_work(lab, ann, page)
    frame.get_by_role("button", name="Go").click()
    ann.page.wait_for_timeout(700)
    assert state() == "Accepted"
    expect(ann.page.locator("iframe#task")).to_be_visible()


def test_amazons_sample_with_its_own_script_works(lab, ann: Desk) -> None:
    frame = at_work(
        lab,
        ann,
        f"<form method=post id=mturk_form action={MTURK}><input type=hidden id=assignmentId name=assignmentId>"
        "<textarea name=weather></textarea><input type=submit id=submitButton value=Submit></form>"
        "<script>turkSetAssignmentID()</script>",
    )
    frame.locator("textarea").fill("rain")
    frame.get_by_role("button", name="Submit").click()
    ann.recorded()
    assert fields() == {"weather": "rain"}


CROWD = """<script src="https://assets.crowd.aws/crowd-html-elements.js"></script><crowd-form>
<crowd-input name="country" label="Country"></crowd-input>
<crowd-text-area name="weather" label="Weather"></crowd-text-area>
<crowd-checkbox name="image" value="blurry" checked>Blurry</crowd-checkbox>
<crowd-checkbox name="image" value="dim">Dim</crowd-checkbox>
<crowd-checkbox name="image" value="exposed">Exposed</crowd-checkbox>
<crowd-checkbox name="likeBirds">I like birds</crowd-checkbox>
<crowd-toggle-button name="theToggler">Toggle</crowd-toggle-button>
<crowd-radio-group><crowd-radio-button name="btn1" value="yes" checked>Yes</crowd-radio-button>
<crowd-radio-button name="btn2" value="no">No</crowd-radio-button></crowd-radio-group>
<crowd-radio-group><crowd-radio-button name="confidence.high">High</crowd-radio-button>
<crowd-radio-button name="confidence.low">Low</crowd-radio-button></crowd-radio-group>
<crowd-radio-group><crowd-radio-button name="size" value="10">Ten</crowd-radio-button>
<crowd-radio-button name="size" value="9">Nine</crowd-radio-button></crowd-radio-group>
<crowd-radio-button name="lone" value="a">Alone A</crowd-radio-button>
<crowd-radio-button name="lone" value="b">Alone B</crowd-radio-button>
<label><input type="radio" name="gender" value="male"> male</label>
<label><input type="radio" name="gender" value="female"> female</label>
<label><input type="checkbox" name="seen" value="cat"> cat</label>
<label><input type="checkbox" name="seen" value="dog"> dog</label>
<input name="note" value="first"><input name="note" value="second"><input name="off" value="x" disabled>
<crowd-slider name="warmth" label="Warmth" min="0" max="10" value="4"></crowd-slider>
<crowd-classifier name="mood" categories="['Good', 'Bad']" header="Which mood?"></crowd-classifier>
<textarea name="plain">as ever</textarea>{more}</crowd-form>"""


@pytest.mark.parametrize("more", ["", '<crowd-button form-action="submit">Submit</crowd-button>'])
def test_a_crowd_form_hands_in_one_field_of_json(lab, ann: Desk, more: str) -> None:
    frame = at_work(lab, ann, CROWD.replace("{more}", more))
    frame.get_by_label("Country").fill("United States")
    frame.get_by_label("Weather").fill("sun & rain")
    for label in ("Dim", "I like birds", "Toggle", "No", "Nine", "Alone A", "Alone B", "female", "dog"):
        frame.get_by_label(label, exact=True).check()
    frame.get_by_role("group", name="Which mood?").get_by_label("Bad").check()
    frame.get_by_role("button", name="Submit").click()
    ann.recorded()
    assert list(fields()) == ["taskAnswers"]
    # As pairs, in the order of the document.
    assert json.loads(fields()["taskAnswers"], object_pairs_hook=list) == [
        [
            ("country", "United States"),
            ("weather", "sun & rain"),
            ("image", [("blurry", True), ("dim", True), ("exposed", False)]),
            ("likeBirds", [("on", True)]),
            ("theToggler", [("on", True)]),
            ("btn1", [("yes", False)]),
            ("btn2", [("no", True)]),
            ("confidence.high", [("on", False)]),
            ("confidence.low", [("on", False)]),
            ("size", [("10", False), ("9", True)]),
            ("lone", [("a", True), ("b", True)]),
            ("gender", [("male", False), ("female", True)]),
            ("seen", [("cat", False), ("dog", True)]),
            ("note", "first|second"),
            ("warmth", 4),
            ("mood", [("label", "Bad")]),
            ("plain", "as ever"),
        ]
    ]


def test_a_task_with_elements_that_cannot_be_drawn_hands_nothing_in(lab, ann: Desk) -> None:
    """Neither by its button nor by a script, whether the element was there from the start or is added later."""
    frame = at_work(lab, ann, "<crowd-form id=f><crowd-checkbox name=c checked>C</crowd-checkbox></crowd-form>")
    frame.evaluate("() => f.querySelector('form').append(document.createElement('crowd-bounding-box'))")
    message = frame.get_by_text("This site cannot show “crowd-bounding-box”")
    expect(message).to_be_visible()
    expect(message).to_contain_text("return it: that costs you nothing")
    expect(message).not_to_be_focused()
    frame.get_by_role("button", name="Submit").click()
    expect(message).to_be_focused()
    frame.evaluate("() => { f.submit(); f.querySelector('form').submit(); }")
    # Had anything been handed in, it would have come before this answer does, and counted.
    frame.evaluate("() => f.querySelector('crowd-bounding-box').remove()")
    frame.evaluate(
        "() => f.querySelector('form').insertAdjacentHTML('beforeend', '<crowd-checkbox name=late checked>')"
    )
    frame.get_by_role("button", name="Submit").click()
    ann.recorded()
    assert json.loads(fields()["taskAnswers"]) == [{"c": {"on": True}, "late": {"on": True}}]


def test_a_task_that_submits_without_end_is_recorded_once(lab, ann: Desk) -> None:
    page = HEAD + "<script>setInterval(() => assay.submit([['a', 'x'.repeat(1000)]]), 1)</script>"
    hit = lab.hit(Question=html_question(page))
    ann.page.goto(f"/hits/{hit['HITId']}/")
    ann.page.get_by_role("button", name="Accept this task").click()
    ann.recorded()
    assert Submission.objects.count() == 1


def test_answers_that_are_too_large_are_told_so(lab, ann: Desk) -> None:
    frame = at_work(lab, ann, "<p>large</p>")
    frame.evaluate("() => assay.submit([['a', 'x'.repeat(3100000)]])")
    expect(ann.page.get_by_role("alert")).to_contain_text("too large")
    assert state() == "Accepted"


@pytest.mark.parametrize("form", ["<form>", "<form data-assay-draft>"])
def test_a_draft_is_there_after_a_reload_and_on_another_device(lab, sit_down, form: str) -> None:
    page = (
        f"{form}<label>Text <textarea name=t></textarea></label><label><input type=checkbox name=c value=1> c1</label>"
        "<label><input type=checkbox name=c value=2> c2</label>"
        "<label>Pick <select name=s><option>a<option>b</select></label><button>Go</button></form>"
    )
    ann = sit_down("ann")
    frame = ann.accept(lab.hit(Question=html_question(HEAD + page)))
    frame.get_by_label("Text").fill("so far")
    frame.get_by_label("c2").check()
    # What was written first may be kept by a request of its own: the one that carries the choice is awaited.
    with ann.page.expect_response(lambda kept: '["s","b"]' in (kept.request.post_data or "")):
        frame.get_by_label("Pick").select_option("b")
    ann.page.reload()
    for desk in (ann, sit_down("ann")):
        desk.page.goto(ann.page.url)
        frame = desk.frame()
        assert frame.get_by_label("Text").input_value() == "so far"
        assert frame.get_by_label("Pick").input_value() == "b"
        assert (frame.get_by_label("c1").is_checked(), frame.get_by_label("c2").is_checked()) == (False, True)


def test_a_draft_of_its_own_is_given_back_to_the_task(lab, ann: Desk) -> None:
    page = "<p id=o></p><script>document.addEventListener('assay:draft', e => o.textContent = e.detail.step)</script>"
    frame = at_work(lab, ann, page)
    with ann.page.expect_response("**/draft?*"):
        frame.evaluate("() => assay.saveDraft({step: 'seven'})")
    ann.page.reload()
    expect(ann.frame().locator("#o")).to_have_text("seven")


def test_nothing_is_kept_of_a_task_that_wants_no_drafts(lab, ann: Desk) -> None:
    frame = at_work(lab, ann, "<form data-assay-draft=off><label>Text <input name=t></label></form>")
    frame.get_by_label("Text").fill("so far")
    ann.page.wait_for_timeout(3200)
    ann.page.reload()
    assert ann.frame().get_by_label("Text").input_value() == ""
