"""The page of a HIT in a real browser, and its answers read back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import BrowserContext, Page

from annotation.design.item_order import order, order_of_groups, second_first
from annotation.design.kinds import BUILT_IN, default_wording, kind_called
from annotation.design.wording import Practice, PracticePair, Training, Wording
from annotation.hits.parse_answers import agrees_to_share, changed_sides, order_shown, read_line, read_practice
from annotation.hits.render import Arm, ShownLine, ShownText, hit_page
from tests.browsing import PHONE, faults

HOSTILE = "</p></form><script>document.title = 'broken'</script> & <b> \" ' `"
Open = Callable[..., Page]


def wording(kind: str) -> Wording:
    training = Training(
        ("Look for repetition.",),
        (Practice("One.", "human", "Plain."), Practice("Two.", "machine", "Says nothing.")),
        (PracticePair("A person wrote this.", "A machine wrote this.", "See {machine}, not {human}."),),
    )
    return replace(default_wording(kind, noun="story", nouns="stories"), training=training)


@pytest.fixture
def opened(browsing: BrowserContext, tmp_path: Path) -> Open:
    """Opens a HIT of `lines` as an accepted assignment A1; what it submits is kept, not sent.

    Where all texts are on one page, it is open there: behind what is read first.
    """

    def show(
        kind: str, *, lines: int = 3, arm: Arm = "none", body: str = "Text {n}.", seed: int = 4, sharing: str = ""
    ) -> Page:
        shown = [
            ShownLine(
                i,
                ShownText(body.replace("{n}", str(i))),
                ShownText(f"Other {i}.") if kind == "pairwise" else None,
                group=str(i // 3) if kind_called(kind).keeps_contexts else "",
            )
            for i in range(lines)
        ]
        path = tmp_path / "hit.html"
        path.write_text(hit_page(replace(wording(kind), sharing=sharing), shown, arm=arm, seed=seed), encoding="utf-8")
        page = browsing.new_page()
        page.route("https://market.example/**", lambda route: route.fulfill(body="recorded"))
        page.goto(f"{path.as_uri()}?assignmentId=A1&turkSubmitTo=https://market.example")
        if not kind_called(kind).stepwise:
            page.locator("#next").click()
        return page

    return show


def submitted(page: Page) -> dict[str, str]:
    """What the form sends when its last button is pressed."""
    with page.expect_request("https://market.example/mturk/externalSubmit") as sent:
        page.locator("#send").press("Enter")
    return dict(parse_qsl(sent.value.post_data or "", keep_blank_values=True))


def test_each_worker_meets_the_texts_in_the_order_that_the_seed_gives(opened: Open) -> None:
    page = opened("typicality", lines=9)
    shown = [int(line.get_attribute("data-position") or "") for line in page.locator(".line").all()]
    assert shown == order(9, seed=4, assignment="A1")
    assert shown != list(range(9))
    assert page.locator("legend").all_inner_texts() == [f"{n} of 9" for n in range(1, 10)]


def test_the_parts_of_a_document_keep_their_order_and_documents_are_shuffled(opened: Open) -> None:
    page = opened("document_rating", lines=9)
    shown = [int(line.get_attribute("data-position") or "") for line in page.locator(".line").all()]
    groups = [str(at // 3) for at in range(9)]
    assert shown == order_of_groups(groups, in_order=True, seed=4, assignment="A1")
    assert shown != list(range(9))


def test_typicality_is_answered_by_keyboard_alone(opened: Open) -> None:
    page = opened("typicality", lines=3)
    page.locator(".line input[type=radio]").first.focus()
    for key in ("1", "Enter", "2", "Enter", "6", "Enter"):
        page.keyboard.press(key)
    answers = submitted(page)
    met = order_shown(answers, 3)
    assert met == order(3, seed=4, assignment="A1")
    labels = [read_line(answers, position, wording("typicality")).labels["typicality"] for position in met]
    assert labels == [("Very Typical",), ("Typical",), ("Invalid",)]


def test_what_is_read_first_comes_before_every_text_and_can_be_read_again(opened: Open) -> None:
    page = opened("typicality", lines=2)
    words = wording("typicality").fill_nouns(wording("typicality").intro[0])
    assert page.locator(".text:visible").count() == 2
    assert page.get_by_text(words).locator("visible=true").count() == 0
    page.locator("#again > summary").click()
    assert page.get_by_text(words).locator("visible=true").count() == 1
    page.locator("#back").click()
    assert page.get_by_text(words).locator("visible=true").count() == 1
    assert page.locator(".text:visible").count() == 0


def test_the_box_about_sharing_is_there_once_and_empty_until_somebody_ticks_it(opened: Open) -> None:
    page = opened("typicality", lines=1, sharing="Optional: I agree that my answers are published.")
    page.locator("#again > summary").click()
    assert page.locator("[name=share]").count() == 1  # what can be read again has no second box
    page.get_by_label("Very Typical").check()
    page.locator("#back").click()
    box = page.get_by_label("Optional: I agree that my answers are published.")
    box.press("Enter")  # goes on, and neither ticks nor submits
    assert page.evaluate("document.activeElement.id") == "next"
    assert not box.is_checked()
    box.press("Space")
    page.locator("#next").click()
    assert agrees_to_share(submitted(page))


def test_a_text_without_an_answer_is_pointed_at_and_nothing_is_sent(opened: Open) -> None:
    page = opened("typicality", lines=2)
    page.locator("#send").click()
    assert page.locator("#problem").is_visible()
    assert page.locator("[data-missing]").count() == 2
    assert page.url.startswith("file:")


def test_the_follow_up_depends_on_the_answer_and_has_a_least_length(opened: Open) -> None:
    page = opened("human_or_machine", lines=1)
    page.locator("#next").click()
    page.get_by_label("Definitely human-written").check()
    assert page.locator("textarea:visible").count() == 1
    assert page.get_by_label("What makes you sure of that?").is_visible()
    page.get_by_label("Possibly machine-generated").check()
    assert page.get_by_label("What would have to change").is_visible()
    page.get_by_label("What would have to change").fill("short")
    page.locator("#next").click()
    assert page.get_by_text("Please write at least 10 characters.").is_visible()
    page.get_by_label("What would have to change").fill("It would have to make sense.")
    page.locator("#next").click()
    answer = read_line(submitted(page), 0, wording("human_or_machine"))
    assert answer.labels == {"human_or_machine": ("Possibly machine-generated",)}
    assert answer.remarks == {"change": "It would have to make sense."}
    assert answer.active_ms is not None


def test_an_answer_that_the_browser_put_back_calls_for_its_reason(opened: Open) -> None:
    """Browsers that restore a form tick its choices and tell the page of none."""
    page = opened("human_or_machine", lines=2)
    tick = "for (const one of document.querySelectorAll('.line input[type=radio]')) one.checked = true;"
    page.evaluate(f"() => {{ {tick} dispatchEvent(new PageTransitionEvent('pageshow')); }}")
    page.locator("#next").click()
    reason = page.locator("textarea:visible")
    reason.fill("It would have to make sense.")
    page.locator("#next").click()
    page.evaluate(
        "for (const one of document.querySelectorAll('.follow')) one.hidden = one.children[1].disabled = true"
    )
    page.locator("#next").click()
    assert page.get_by_text("Please write at least 10 characters.").is_visible()
    assert reason.is_visible()
    reason.fill("It would have to hang together.")
    page.locator("#next").click()
    answers = submitted(page)
    assert sorted(read_line(answers, place, wording("human_or_machine")).remarks.popitem()[1] for place in (0, 1)) == [
        "It would have to hang together.",
        "It would have to make sense.",
    ]


@pytest.mark.parametrize(
    ("words", "unanswered"),
    [("", ("why",)), ("It is.", ("why",)), ("It is \U0001f600\U0001f600.\r\n", ()), (None, ("why",))],
)
def test_a_rating_without_its_required_reason_is_not_taken_for_complete(words: str | None, unanswered: tuple) -> None:
    """Ten characters are asked for; a smiling face is two of them, as in the browser that counts them."""
    given = {"rating-0": "Definitely human-written"} | ({} if words is None else {"why-0": words})
    answer = read_line(given, 0, wording("human_or_machine"))
    assert (answer.unanswered, answer.missing) == (unanswered, ())
    assert answer.labels == {"human_or_machine": ("Definitely human-written",)}


def test_a_reason_that_was_not_called_for_is_not_missed() -> None:
    answer = read_line(
        {"rating-0": "Possibly human-written", "change-0": "More facts."}, 0, wording("human_or_machine")
    )
    assert answer.unanswered == ()
    assert read_line({}, 0, wording("human_or_machine")).unanswered == ()


def test_typing_pasting_and_leaving_are_counted_where_the_study_measures(opened: Open) -> None:
    page = opened("human_or_machine", lines=1)
    page.locator("#next").click()
    page.get_by_label("Definitely human-written").check()
    page.locator("textarea:visible").press_sequentially("Sounds like a person")
    page.evaluate("document.querySelector('textarea').dispatchEvent(new Event('paste', {bubbles: true}))")
    page.locator("#next").click()
    answer = read_line(submitted(page), 0, wording("human_or_machine"))
    assert (answer.keystrokes, answer.pastes) == (20, 1)


def test_a_study_that_does_not_measure_has_no_fields_for_it() -> None:
    page = hit_page(replace(wording("typicality"), measure=False), [ShownLine(0, ShownText("One."))])
    assert "active-ms" not in page
    assert "how long you look" not in page


def test_examples_reveal_the_answer_after_each_guess_and_keep_the_guess(opened: Open) -> None:
    page = opened("human_or_machine", lines=1, arm="examples")
    page.locator("#next").click()
    page.locator("#next").click()
    assert page.locator("#problem").is_visible()
    page.get_by_label("Definitely machine-generated").locator("visible=true").check()
    page.get_by_role("button", name="Check my answer").locator("visible=true").click()
    assert page.get_by_text("Not this time. A person wrote this one.").is_visible()
    page.locator("#next").click()
    page.get_by_label("Possibly machine-generated").locator("visible=true").check()
    page.get_by_role("button", name="Check my answer").locator("visible=true").click()
    assert page.get_by_text("Yes. A machine wrote this one.").is_visible()
    page.locator("#next").click()
    page.get_by_label("Possibly human-written").locator("visible=true").check()
    page.locator("textarea:visible").fill("Nothing at all, I think.")
    page.locator("#next").click()
    guesses = read_practice(submitted(page), wording("human_or_machine"), "examples")
    assert [(one.number, one.right) for one in guesses] == [(0, False), (1, True)]


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_sides_of_pairs_are_random_told_and_read_back(opened: Open, seed: int) -> None:
    page = opened("pairwise", lines=2, seed=seed)
    page.locator("#next").click()
    for _ in range(2):
        heads = page.locator(".pair:visible .text").all_inner_texts()
        choice = "The first" if heads[0].startswith("Text") else "The second"
        page.get_by_label(choice, exact=True).locator("visible=true").check()
        page.locator("#next").click()
    answers = submitted(page)
    changed = changed_sides(answers)
    assert changed == [str(i) for i in range(2) if second_first(i, seed=seed, assignment="A1")]
    for i in range(2):
        found = read_line(answers, i, wording("pairwise"), sides_changed=str(i) in changed)
        assert found.labels["preference"] == ("The first",)


@pytest.mark.parametrize("seed", [3, 4])
def test_comparison_practice_knows_which_side_the_machine_was_on(opened: Open, seed: int) -> None:
    page = opened("human_or_machine", lines=1, arm="comparison", seed=seed)
    page.locator("#next").click()
    machine_first = page.locator(".pair:visible .text").first.inner_text().startswith("A machine")
    assert machine_first == second_first("practice-0", seed=seed, assignment="A1") == (seed == 3)
    page.get_by_label("First" if machine_first else "Second", exact=True).locator("visible=true").check()
    page.get_by_role("button", name="Check my answer").locator("visible=true").click()
    assert page.get_by_text("Yes.").is_visible()
    sides = ("First", "Second") if machine_first else ("Second", "First")
    assert page.get_by_text("See “{}”, not “{}”.".format(*sides)).is_visible()


def test_a_practice_pair_keeps_its_sides_where_its_explanation_names_one_in_its_own_words() -> None:
    """Shuffled, the page would say the opposite of the truth; `practice-1` names no side and is shuffled."""
    pairs = (PracticePair("A.", "B.", "The second one repeats itself."), PracticePair("C.", "D.", "See {machine}."))
    words = replace(wording("human_or_machine"), training=Training(comparison=pairs))
    page = hit_page(words, [ShownLine(0, ShownText("One."))], arm="comparison")
    assert re.findall(r'data-pair="([^"]*)"', page) == ["practice-1"]


def test_hostile_and_foreign_texts_stay_texts(opened: Open) -> None:
    for body in (HOSTILE, "نص عربي قصير", "日本語の文", "x" * 5000):
        page = opened("typicality", lines=1, body=body)
        assert page.title() != "broken"
        assert page.locator(".text").inner_text() == body
        page.close()


def test_lost_words_are_boxes_and_are_explained(opened: Open) -> None:
    page = opened("typicality", lines=1, body="Talks on <UNK> resume, UNKNOWN.")
    assert page.locator(".text").inner_text() == "Talks on ▢ resume, ▢."
    page.locator("#again > summary").click()
    assert page.get_by_text("A box ▢ marks a lost word.").locator("visible=true").count() == 1


@pytest.mark.parametrize("kind", [kind.name for kind in BUILT_IN])
@pytest.mark.parametrize("narrow", [False, True])
def test_nothing_serious_stands_in_anybodys_way(opened: Open, kind: str, narrow: bool) -> None:
    page = opened(kind, sharing="I agree that my answers are published.")
    if narrow:
        page.set_viewport_size(PHONE)
    # At the end of the page no choice is half behind the bar at its foot, which axe takes for a target too small.
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    assert faults(page) == []
    if page.locator("#next").is_visible():
        page.locator("#next").click()
        assert faults(page) == []
    page.emulate_media(color_scheme="dark")
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("arm", ["instructions", "examples", "comparison"])
def test_training_pages_have_nothing_serious_either(opened: Open, arm: Arm) -> None:
    page = opened("human_or_machine", arm=arm)
    page.locator("#next").click()
    assert faults(page) == []


def test_a_preview_can_be_looked_through_but_not_sent(browsing: BrowserContext, tmp_path: Path) -> None:
    path = tmp_path / "hit.html"
    path.write_text(hit_page(wording("human_or_machine"), [ShownLine(0, ShownText("One."))], seed=1), encoding="utf-8")
    page = browsing.new_page()
    page.goto(f"{path.as_uri()}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")
    page.locator("#next").click()
    page.locator("#next").click()
    assert page.locator("#send").is_disabled()
    assert page.get_by_text("This is a preview.").is_visible()


def test_setup_cannot_end_its_script() -> None:
    odd = replace(wording("typicality"), buttons=replace(wording("typicality").buttons, progress="</script><b>"))
    page = hit_page(odd, [ShownLine(0, ShownText("One."))])
    assert page.count("</script>") == 2
    assert json.dumps("</script>") not in page


def test_huses_25_texts_fit_a_question_with_room_for_200_characters_each() -> None:
    """A question holds 65,535 bytes."""
    shown = [ShownLine(i, ShownText("word " * 40, "context " * 25)) for i in range(25)]
    assert len(hit_page(wording("typicality"), shown).encode()) < 65_000
