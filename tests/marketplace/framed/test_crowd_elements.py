"""Crowd HTML elements in a real browser: the answers are those that Amazon's documentation prints, to the character.

The numbers are those of the acceptance cases in the specification of other people's projects.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import django.contrib.admin
import pytest
from botocore.exceptions import ClientError
from playwright.sync_api import Frame, expect

from annotation.marketplace.models import Submission
from tests.marketplace.framed.desk import Desk, fields, raw, state
from tests.marketplace.question_samples import html_question

HEAD = (
    "<!DOCTYPE html><html lang='en'><title>t</title>"
    "<script src='https://assets.crowd.aws/crowd-html-elements.js'></script>"
)


def at_work(lab, ann: Desk, body: str) -> Frame:
    return ann.accept(lab.hit(Question=html_question(f"{HEAD}<body>{body}")))


def submit(ann: Desk, frame: Frame) -> str:
    """Press the button, and return what was handed in."""
    frame.get_by_role("button", name="Submit").click()
    ann.recorded()
    assert list(fields()) == ["taskAnswers"]
    return str(fields()["taskAnswers"])


BOXES = """<crowd-form>
<crowd-checkbox name="image_attributes" value="blurry">Blurry</crowd-checkbox>
<crowd-checkbox name="image_attributes" value="dim">Dim</crowd-checkbox>
<crowd-checkbox name="image_attributes" value="exposed">Exposed</crowd-checkbox>
<crowd-checkbox name="Go" value="Green">Green</crowd-checkbox>
<crowd-checkbox name="Slow" value="Yellow">Yellow</crowd-checkbox>
<crowd-checkbox name="Stop" value="Red" checked="true">Red</crowd-checkbox>
<crowd-checkbox name="likeBirds">Birds</crowd-checkbox>
<crowd-toggle-button name="theToggler">Toggle</crowd-toggle-button></crowd-form>"""


def test_1_boxes_of_one_name_are_one_object(lab, ann: Desk) -> None:
    frame = at_work(lab, ann, BOXES)
    for name in ("Blurry", "Dim", "Birds"):
        frame.get_by_role("checkbox", name=name).check()
    frame.get_by_role("switch", name="Toggle").check()
    assert submit(ann, frame) == (
        '[{"image_attributes":{"blurry":true,"dim":true,"exposed":false},'
        '"Go":{"Green":false},"Slow":{"Yellow":false},"Stop":{"Red":true},'
        '"likeBirds":{"on":true},"theToggler":{"on":true}}]'
    )


RADIOS = """<crowd-form><crowd-radio-group><crowd-radio-button name="btn1" value="yes">Yes</crowd-radio-button>
<crowd-radio-button name="btn2" value="no">No</crowd-radio-button></crowd-radio-group>
<crowd-radio-group id="sizes"><crowd-radio-button name="size" value="s">Small</crowd-radio-button>
<crowd-radio-button name="size" value="m">Medium</crowd-radio-button>
<crowd-radio-button name="size" value="l">Large</crowd-radio-button></crowd-radio-group>
<crowd-radio-button name="lone" value="a">Alone A</crowd-radio-button>
<crowd-radio-button name="lone" value="b">Alone B</crowd-radio-button></crowd-form>"""


def test_2_each_radio_button_has_an_entry(lab, ann: Desk) -> None:
    entries = '[{"btn1":{"yes":%s},"btn2":{"no":%s},"size":{"s":%s,"m":%s,"l":%s},"lone":{"a":%s,"b":%s}}]'
    for chosen, ticked in (
        (["Yes", "Small", "Large", "Alone A", "Alone B"], (1, 0, 0, 0, 1, 1, 1)),
        (["Yes", "No"], (0, 1, 0, 0, 0, 0, 0)),
        ([], (0, 0, 0, 0, 0, 0, 0)),
    ):
        frame = at_work(lab, ann, RADIOS)
        for name in chosen:
            frame.get_by_role("radio", name=name).check()
        expected = entries % tuple("true" if each else "false" for each in ticked)
        assert submit(ann, frame) == expected
        Submission.objects.all().delete()


def test_3_text_is_handed_in_as_it_is_and_empty_inputs_are_absent(lab, ann: Desk) -> None:
    frame = at_work(
        lab,
        ann,
        "<crowd-form><crowd-input name='tag1' label='First'></crowd-input><crowd-input name='tag2' label='Second'>"
        "</crowd-input><crowd-input name='tag3' label='Third'></crowd-input>"
        "<crowd-text-area name='textInput1' label='Long'></crowd-text-area></crowd-form>",
    )
    frame.get_by_role("textbox", name="First").fill("blue")
    frame.get_by_role("textbox", name="Second").fill("red")
    text = 'a \U0001f600 "quoted" </script>\r\nnext'
    frame.evaluate("text => { document.querySelector('crowd-text-area').value = text; }", text)
    answer = json.loads(submit(ann, frame))
    assert answer == [{"tag1": "blue", "tag2": "red", "textInput1": text.replace("\r\n", "\n")}]


BIRDS = """<crowd-form><crowd-instructions link-text="View instructions" link-type="button">
<short-summary><p>Tell us about birds.</p></short-summary>
<detailed-instructions><h3>In detail</h3></detailed-instructions>
<positive-example><p>Parrots</p></positive-example><negative-example><p>Bats</p></negative-example></crowd-instructions>
<div><p>What is your favorite bird?</p>
<crowd-input name="favoriteBird" placeholder="example: parrot" required></crowd-input>
<p>Check this box if you like birds</p><crowd-checkbox name="likeBirds" checked="true" required></crowd-checkbox>
<p>On a scale of 1-10, how much do you like birds?</p>
<crowd-slider name="howMuch" min="1" max="10" step="1" pin="true" required></crowd-slider>
<p>Write a short essay</p>
<crowd-text-area name="essay" rows="4" placeholder="Lorem ipsum..." required></crowd-text-area>
</div></crowd-form>"""


def test_4_the_bird_survey_of_the_documentation_works(lab, ann: Desk) -> None:
    frame = at_work(lab, ann, BIRDS)
    frame.get_by_role("button", name="View instructions").click()
    for name, words in (
        ("Summary", "Tell us about birds."),
        ("Detailed Instructions", "In detail"),
        ("Examples", "Bats"),
    ):
        frame.get_by_role("tab", name=name).click()
        expect(frame.get_by_text(words)).to_be_visible()
    expect(frame.get_by_role("heading", name="Bad examples")).to_be_visible()
    frame.get_by_role("button", name="Close").click()
    frame.get_by_role("textbox", name="example: parrot").fill("wren")
    frame.get_by_role("slider").fill("7")
    frame.get_by_role("textbox", name="Lorem ipsum...").fill("They sing.")
    shown = frame.locator("body").inner_text()
    assert not [name for name in ("favoriteBird", "likeBirds", "howMuch") if name in shown]
    assert submit(ann, frame) == '[{"favoriteBird":"wren","likeBirds":{"on":true},"howMuch":7,"essay":"They sing."}]'


def test_5_classifiers_give_their_labels(lab, ann: Desk) -> None:
    frame = at_work(
        lab,
        ann,
        """<crowd-form><crowd-classifier name="mood" header="Mood" categories="['it&#39;s good', 'bad',]">
<classification-target>The text</classification-target></crowd-classifier>
<crowd-classifier-multi-select name="topics" header="Topics" categories='["label_a","label_b"]'
exclusion-category="{ text: 'None of them' }"></crowd-classifier-multi-select>
<crowd-image-classifier name="picture" header="Picture" src="" categories="[{label: 'cat'}, {label: 'dog'}]">
<worker-comment header="Why?">Say more</worker-comment></crowd-image-classifier>
<crowd-image-classifier name="other" header="Other" src="" categories="['x','y']">
</crowd-image-classifier><crowd-image-classifier-multi-select name="seen" header="Seen" src=""
categories="['sea','sky']" exclusion-category="{ text: 'Nothing' }">
</crowd-image-classifier-multi-select></crowd-form>""",
    )
    expect(frame.get_by_text("The text")).to_be_visible()
    frame.get_by_role("radio", name="it's good").check()
    frame.get_by_role("checkbox", name="label_a").check()
    frame.get_by_role("checkbox", name="None of them").check()
    expect(frame.get_by_role("checkbox", name="label_a")).not_to_be_checked()
    frame.get_by_role("checkbox", name="label_a").check()
    frame.get_by_role("checkbox", name="label_b").check()
    expect(frame.get_by_role("checkbox", name="None of them")).not_to_be_checked()
    frame.get_by_role("radio", name="dog").check()
    frame.get_by_role("radio", name="y", exact=True).check()
    frame.get_by_text("Add a comment").click()
    frame.get_by_role("textbox", name="Why?").fill("It barks.")
    frame.get_by_role("button", name="Submit").click()
    expect(frame.get_by_text("“Seen” needs a choice.")).to_be_visible()
    assert state() == "Accepted"
    frame.get_by_role("checkbox", name="sky").check()
    frame.get_by_role("checkbox", name="Nothing").check()  # alone: it excludes the others
    assert submit(ann, frame) == (
        '[{"mood":{"label":"it\'s good"},"topics":{"labels":["label_a","label_b"]},'
        '"picture":{"label":"dog","workerComment":"It barks."},"other":{"label":"y"},"seen":{"labels":["Nothing"]}}]'
    )


SPANS = """<crowd-entity-annotation name="myAnnotatedResult" header="Mark" text="\U0001f600 Ada met Bob."
labels="[{'label': 'person', 'shortDisplayName': 'per', 'fullDisplayName': 'Person'}, {'label': 'place'}]"
initial-value="[{label: 'person', startOffset: 10, endOffset: 13}]"></crowd-entity-annotation>
<script>document.addEventListener('all-crowd-elements-ready', () => {
const group = document.createElement('crowd-radio-group');
group.innerHTML = "<crowd-radio-button name='sure' value='yes'>Sure</crowd-radio-button>";
document.querySelector('crowd-entity-annotation').shadowRoot.querySelector('crowd-form').form.appendChild(group);
});</script>"""


def test_6_spans_count_characters_and_extra_questions_stand_beside(lab, ann: Desk) -> None:
    frame = at_work(lab, ann, SPANS)
    text = frame.get_by_label("The text. Select a part of it, then choose a label.")
    text.evaluate("field => field.setSelectionRange(3, 6)")  # "Ada", in UTF-16 units
    frame.get_by_role("button", name="Person").click()
    frame.get_by_role("radio", name="Sure").check()
    assert submit(ann, frame) == (
        '[{"myAnnotatedResult":{"entities":[{"endOffset":5,"label":"person","startOffset":2},'
        '{"endOffset":13,"label":"person","startOffset":10}]},"sure":{"yes":true}}]'
    )


def test_7_a_validator_of_the_wild_works(lab, ann: Desk) -> None:
    frame = at_work(
        lab,
        ann,
        """<div id="said"></div><crowd-form><crowd-radio-group>
<crowd-radio-button name="a" value="1">One</crowd-radio-button>
<crowd-radio-button name="a" value="2">Two</crowd-radio-button></crowd-radio-group>
<crowd-input name="why" label="Why"></crowd-input></crowd-form><script>
document.addEventListener('all-crowd-elements-ready', () => { document.querySelector('crowd-form').onsubmit = () => {
const group = document.querySelector('crowd-radio-group');
const chosen = [...Array(2).keys()].some(i => group.children[i].checked);
if (chosen && document.querySelector('crowd-input').value) return true;
document.getElementById('said').innerHTML = '<crowd-alert type="error">Choose one and say why.</crowd-alert>';
return false; }; });</script>""",
    )
    frame.get_by_role("button", name="Submit").click()
    expect(frame.get_by_text("Choose one and say why.")).to_be_visible()
    assert state() == "Accepted"
    frame.get_by_role("radio", name="Two").check()
    frame.get_by_role("textbox", name="Why").fill("so")
    assert submit(ann, frame) == '[{"a":{"1":false,"2":true},"why":"so"}]'


def test_8_each_handler_runs_once_and_a_double_click_hands_in_once(lab, ann: Desk) -> None:
    script = Path(django.contrib.admin.__file__).parent / "static/admin/js/vendor/jquery/jquery.min.js"
    ann.context.route("https://code.jquery.com/*", lambda route: route.fulfill(path=script))
    frame = at_work(
        lab,
        ann,
        """<script src="https://code.jquery.com/jquery-3.1.0.min.js"></script>
<script>window.n = {attribute: 0, property: 0, listener: 0, jquery: 0}</script>
<crowd-form onsubmit="n.attribute += 1"><crowd-input name="a" value="1"></crowd-input>
<input type="hidden" name="times" id="times"></crowd-form><script>
const form = document.querySelector('crowd-form');
form.addEventListener('submit', () => { n.listener += 1; });
$('crowd-form').on('submit', event => { n.jquery += 1; times.value = JSON.stringify(n);
if (n.jquery === 1) event.preventDefault(); });</script>""",
    )
    frame.get_by_role("button", name="Submit").click()
    assert frame.evaluate("n") == {"attribute": 1, "property": 0, "listener": 1, "jquery": 1}
    # A handler set as a property takes the place of the attribute, as in any form.
    frame.evaluate("() => { document.querySelector('crowd-form').onsubmit = () => { n.property += 1; }; }")
    frame.get_by_role("button", name="Submit").dblclick()
    ann.recorded()
    counts = json.loads(json.loads(fields()["taskAnswers"])[0]["times"])
    clicks = counts["property"]  # the second click may come after the task was handed in
    assert clicks in (1, 2)
    assert counts == {"attribute": 1, "property": clicks, "listener": 1 + clicks, "jquery": 1 + clicks}


def test_8_a_handler_may_prevent_wait_and_submit(lab, ann: Desk) -> None:
    frame = at_work(
        lab,
        ann,
        """<crowd-form><crowd-input name="a" value="1"></crowd-input><input type="hidden" name="late"></crowd-form>
<script>const form = document.querySelector('crowd-form'); let runs = 0;
form.onsubmit = async (event) => { event.preventDefault(); runs += 1; await new Promise(go => setTimeout(go, 50));
document.querySelector('[name=late]').value = 'set ' + runs; form.submit(); };</script>""",
    )
    assert submit(ann, frame) == '[{"a":"1","late":"set 1"}]'


def test_9_a_required_field_in_a_hidden_tab_is_shown(lab, ann: Desk) -> None:
    frame = at_work(
        lab,
        ann,
        """<crowd-form><crowd-tabs><crowd-tab header="One"><p>First</p></crowd-tab><crowd-tab header="Two">
<crowd-input name="secret_condition_3" label="Country" required></crowd-input></crowd-tab></crowd-tabs></crowd-form>""",
    )
    expect(frame.get_by_role("textbox", name="Country")).not_to_be_visible()
    frame.get_by_role("button", name="Submit").click()
    expect(frame.get_by_text("“Country” is required.")).to_be_visible()
    expect(frame.get_by_role("tab", name="Two")).to_have_attribute("aria-selected", "true")
    assert "secret_condition_3" not in frame.locator("body").inner_text()
    assert state() == "Accepted"
    frame.get_by_role("textbox", name="Country").fill("Peru")
    frame.get_by_role("tab", name="One").click()
    assert submit(ann, frame) == '[{"secret_condition_3":"Peru"}]'


def test_10_flattened_objects_are_a_field_for_each_leaf(lab, ann: Desk) -> None:
    frame = at_work(
        lab,
        ann,
        """<crowd-form answer-format="flatten-objects"><crowd-radio-group>
<crowd-radio-button name="gender" value="male">Male</crowd-radio-button>
<crowd-radio-button name="gender" value="female">Female</crowd-radio-button></crowd-radio-group>
<crowd-checkbox name="q.1">Box</crowd-checkbox><crowd-classifier name="category" header="C" categories="['x','y']">
</crowd-classifier><crowd-classifier-multi-select name="topics" header="T" categories="['a','b']">
</crowd-classifier-multi-select><crowd-input name="why" label="Why"></crowd-input></crowd-form>""",
    )
    for role, name in (("radio", "Female"), ("radio", "x"), ("checkbox", "b")):
        frame.get_by_role(role, name=name, exact=True).check()  # type: ignore[arg-type]
    frame.get_by_role("textbox", name="Why").fill("so")
    frame.get_by_role("button", name="Submit").click()
    ann.recorded()
    assert raw()[1:] == [
        ["gender.male", "false"],
        ["gender.female", "true"],
        ["q.1.on", "false"],
        ["category.label", "x"],
        ["topics.labels", '["b"]'],
        ["why", "so"],
    ]
    (assignment,) = lab.work(lab.client.list_hits()["HITs"][0])
    assert re.findall("<QuestionIdentifier>(.*?)<.*?<FreeText>(.*?)<", assignment["Answer"], re.DOTALL) == [
        ("gender.male", "false"),
        ("gender.female", "true"),
        ("q.1.on", "false"),
        ("category.label", "x"),
        ("topics.labels", '["b"]'),
        ("why", "so"),
    ]


REFUSED = (
    "bounding-box",
    "keypoint",
    "polygon",
    "line",
    "polyline",
    "semantic-segmentation",
    "instance-segmentation",
    "text-ranking",
    "question-answer-generation",
    "rekognition-detect-moderation-labels",
    "textract-analyze-document",
    "unheard-of",
)


def test_11_media_widgets_are_refused_when_the_hit_is_created(lab) -> None:
    for name in REFUSED:
        with pytest.raises(ClientError, match=f"uses <crowd-{name}>.*not supported"):
            lab.hit(Question=html_question(f"{HEAD}<body><crowd-form><crowd-{name}></crowd-{name}></crowd-form>"))
    comment = "<!-- <crowd-polygon> --><p>Text</p><script>'<crowd-polygon>'</script>"
    assert lab.hit(Question=html_question(f"{HEAD}<body>{comment}"))["HITId"]


def test_11_a_media_widget_that_a_script_adds_blocks_the_submission(lab, ann: Desk) -> None:
    frame = at_work(
        lab,
        ann,
        """<crowd-form><crowd-input name="a" label="A" value="1"></crowd-input><p id="place"></p></crowd-form><script>
setTimeout(() => { place.innerHTML = '<crowd-keypoint name="k"></crowd-keypoint>'; }, 100);</script>""",
    )
    message = frame.get_by_role("alert")
    expect(message).to_contain_text("cannot show “crowd-keypoint”")
    expect(message).to_contain_text("Please return it: that costs you nothing.")
    frame.get_by_role("button", name="Submit").click()
    expect(message).to_be_focused()
    frame.evaluate("document.querySelector('crowd-form').submit()")
    assert state() == "Accepted"
    assert Submission.objects.count() == 0


def test_12_elements_made_by_a_script_are_shown_checked_and_handed_in(lab, ann: Desk) -> None:
    frame = at_work(
        lab,
        ann,
        """<crowd-form><p id="here"></p></crowd-form><script>setTimeout(() => {
const input = document.createElement('crowd-input');
input.setAttribute('name', 'late'); input.setAttribute('label', 'Late'); input.required = true;
here.append(input); const box = document.createElement('crowd-checkbox'); box.setAttribute('name', 'moved');
box.append('Moved'); document.querySelector('crowd-form').append(box); }, 300)</script>""",
    )
    expect(frame.get_by_role("textbox", name="Late")).to_be_visible()
    frame.get_by_role("button", name="Submit").click()
    expect(frame.get_by_text("“Late” is required.")).to_be_visible()
    frame.get_by_role("textbox", name="Late").fill("here")
    frame.get_by_role("checkbox", name="Moved").check()
    assert json.loads(submit(ann, frame)) == [{"late": "here", "moved": {"on": True}}]


FIELDS = """<crowd-form>
<crowd-input name="zip" label="Zip" allowed-pattern="[0-9]" auto-validate error-message="Digits only"></crowd-input>
<crowd-input name="day" label="Day" type="date" value="2024-02-01"></crowd-input>
<crowd-input name="off" value="x" disabled label="Off"></crowd-input>
<crowd-input label="Nameless" value="q"></crowd-input>
<crowd-input name="both" placeholder="Place"></crowd-input>
<crowd-input name="both" value="second" label="B"></crowd-input>
<crowd-input name="confidence.high" value="1" label="C"></crowd-input>
<crowd-text-area name="area" label="Area" rows="2" max-rows="3" char-counter max-length="10"></crowd-text-area>
<input type="hidden" name="hidden" value="h"><select name="s" aria-label="S"><option>a<option selected>b</select>
<select multiple name="m" aria-label="M"><option selected>x<option>y<option selected>z</select>
<input type="radio" name="gender" value="male" aria-label="male">
<input type="radio" name="gender" value="female" aria-label="female">
<crowd-checkbox name="no" checked="false">No</crowd-checkbox>
<crowd-slider name="part" min="0" max="1" step="0.1" value="0.3"></crowd-slider>
<crowd-slider name="slider"></crowd-slider>
<crowd-toggle-button name="theToggler" checked invalid>T</crowd-toggle-button></crowd-form>"""


def test_every_text_element_gives_what_the_specification_says(lab, ann: Desk) -> None:
    frame = at_work(lab, ann, FIELDS)
    frame.get_by_role("textbox", name="Zip").press_sequentially("1a2b3")
    frame.get_by_role("textbox", name="Place").fill("first")
    frame.get_by_role("textbox", name="Area").press_sequentially("hello world")
    frame.get_by_role("radio", name="male", exact=True).check()
    assert submit(ann, frame) == (
        '[{"zip":"123","day":"2024-02-01","both":"first|second","confidence.high":"1","area":"hello worl","hidden":"h",'
        '"s":"b","m":["x","z"],"gender":{"male":true,"female":false},"no":{"on":false},"part":0.3,"slider":0,'
        '"theToggler":{"on":true}}]'
    )


LAYOUT = """<crowd-alert type="error" dismissible>Careful</crowd-alert><crowd-toast text="Toasted" opened></crowd-toast>
<crowd-form><p id="mark">M</p><crowd-badge for="mark" label="9" /><crowd-fab icon="image" label="L" title="Fab" />
<crowd-icon-button icon="search" /><iron-icon icon="heart" /><p>after elements that no parser closes</p>
<crowd-input name="a" label="A"></crowd-input><crowd-button form-action="reset">Clear</crowd-button>
<crowd-modal link-text="Open me"><p>Inside</p></crowd-modal></crowd-form>"""
BADGE = """() => { const mark = document.querySelector('#mark').getBoundingClientRect(),
badge = document.querySelector('crowd-badge').shadowRoot.querySelector('span').getBoundingClientRect();
return Math.abs(badge.top - mark.top) < 20 && badge.right <= innerWidth + 1 }"""


def test_layout_elements_stand_where_they_belong_and_copies_work(lab, ann: Desk) -> None:
    frame = at_work(lab, ann, LAYOUT)
    expect(frame.get_by_text("after elements that no parser closes")).to_be_visible()
    ann.page.wait_for_timeout(100)
    assert frame.evaluate(BADGE)
    frame.get_by_role("button", name="Dismiss").click()
    expect(frame.get_by_text("Careful")).not_to_be_visible()
    ann.page.wait_for_timeout(100)
    assert frame.evaluate(BADGE)  # what stood above it went
    field = frame.get_by_role("textbox", name="A")
    field.fill("x")
    frame.get_by_role("button", name="Clear").click()
    expect(field).to_have_value("")
    frame.get_by_text("Open me").click()
    expect(frame.get_by_text("Inside")).to_be_visible()
    ann.page.keyboard.press("Escape")
    expect(frame.get_by_text("Inside")).not_to_be_visible()
    frame.evaluate(
        """() => { const input = document.querySelector('crowd-input'), copy = input.cloneNode(true);
        copy.setAttribute('name', 'b'); input.after(copy); input.value = 'v'; copy.value = 'copied'; }"""
    )
    assert submit(ann, frame) == '[{"a":"v","b":"copied"}]'


def press(ann: Desk, *keys: str) -> None:
    for key in keys:
        ann.page.keyboard.press(key)


def test_13_by_keyboard_alone_on_a_phone(lab, ann: Desk) -> None:
    ann.page.set_viewport_size({"width": 360, "height": 740})
    frame = at_work(
        lab,
        ann,
        """<crowd-form><crowd-radio-group><crowd-radio-button name="btn1" value="yes">Yes</crowd-radio-button>
<crowd-radio-button name="btn2" value="no">No</crowd-radio-button></crowd-radio-group>
<crowd-classifier name="c" header="C" categories="['x','y']"></crowd-classifier>
<crowd-classifier-multi-select name="m" header="M" categories="['p','q']"></crowd-classifier-multi-select>
<crowd-image-classifier name="i" header="I" src="" categories="['cat','dog']"><worker-comment></worker-comment>
</crowd-image-classifier><crowd-tabs><crowd-tab header="One"><p>First</p></crowd-tab><crowd-tab header="Two">
<crowd-input name="country" label="Country" required></crowd-input></crowd-tab></crowd-tabs></crowd-form>""",
    )
    frame.get_by_role("radio", name="Yes").focus()
    # Yes, then No; x, then y; q; cat; a comment; the tabs; Submit.
    press(ann, "Space", "ArrowDown", "Tab", "Space", "ArrowDown", "Tab", "Tab", "Space", "Tab", "Space", "Tab", "Enter")
    press(ann, "Tab")
    ann.page.keyboard.type("It purrs.")
    press(ann, "Tab", "Tab", "Enter")
    expect(frame.get_by_text("“Country” is required.")).to_be_visible()
    expect(frame.get_by_role("textbox", name="Country")).to_be_focused()
    assert frame.evaluate(CUT_OFF) == []
    ann.page.keyboard.type("Peru")
    press(ann, "Tab", "Enter")
    ann.recorded()
    assert fields()["taskAnswers"] == (
        '[{"btn1":{"yes":false},"btn2":{"no":true},"c":{"label":"y"},"m":{"labels":["q"]},'
        '"i":{"label":"cat","workerComment":"It purrs."},"country":"Peru"}]'
    )


# What reaches beyond the right edge of the frame.
CUT_OFF = """() => [...document.querySelectorAll("*")].filter(e => e.getBoundingClientRect().right > innerWidth + 1)
.map(e => e.outerHTML)"""


def test_13_spans_by_keyboard_alone_on_a_phone(lab, ann: Desk) -> None:
    ann.page.set_viewport_size({"width": 360, "height": 740})
    frame = at_work(lab, ann, SPANS)
    frame.get_by_label("The text. Select a part of it, then choose a label.").focus()
    press(ann, "x", "Control+Home", *["Shift+ArrowRight"] * 2, "Tab", "Tab", "Enter")  # the face and a space: a place
    expect(frame.get_by_text("Added.")).to_be_visible()
    assert frame.evaluate(CUT_OFF) == []
    frame.get_by_label("Label of “Bob”").focus()
    press(ann, "ArrowDown", "Tab", "Shift+Tab", "Shift+Tab", "Enter")  # relabelled; the first is removed
    frame.get_by_role("button", name="Submit").press("Enter")
    ann.recorded()
    assert fields()["taskAnswers"] == (
        '[{"myAnnotatedResult":{"entities":[{"endOffset":13,"label":"place","startOffset":10}]},"sure":{"yes":false}}]'
    )
