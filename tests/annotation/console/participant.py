"""A person who comes by a link and works as people do: reads what is shown, chooses by its words, presses what it says.

It knows no field by its name and nothing of how answers are stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from playwright.sync_api import Frame, Locator, Page, expect

THINKS = "I chose this because of the words about the boat, which I read twice with care."
MAX_STEPS = 60
MAX_TABS = 80
TASK = "**/hits/work/**"
END = "**/hits/end/"


@dataclass
class Participant:
    """Somebody with a browser. keyboard: without a mouse; agree: the first button in their language.

    read: what the pages of the task said, as far as this person went.
    """

    page: Page
    keyboard: bool = False
    agree: str = "I agree and start"
    read: list[str] = field(default_factory=list)

    def enter(self, link: str) -> None:
        """Open the link and agree, up to the first task."""
        self.page.goto(link)
        self.press(self.page.get_by_role("button", name=self.agree, exact=True))
        self.begin()

    def begin(self) -> None:
        """From the page that says what the assigned condition pays, where there is one, to the task."""
        self.page.wait_for_url(TASK)
        if self.page.url.endswith("/pay/"):
            self.press(self.page.locator("main").get_by_role("button").first)
            self.page.wait_for_url(lambda address: not address.endswith("/pay/"))

    def finish(self) -> str:
        """Do the task up to its end; the code that is shown then."""
        for _step in range(MAX_STEPS):
            if self.step():
                break
        self.page.wait_for_url(END)
        return self.page.locator(".code").first.inner_text()

    def step(self) -> bool:
        """Answer what is in view and go on; whether that was the last step."""
        frame = self.task()
        for question in frame.locator(".choices:visible").all():
            if not question.locator("input:checked").count():
                self.choose(question, machine=self.reads_machine(frame))
        for box in frame.locator("textarea:visible").all():
            self.write(box)
        reveal = frame.get_by_role("button", name="Check my answer")
        if reveal.count() and reveal.is_visible():
            self.press(reveal)
            expect(frame.get_by_role("status").filter(visible=True).first).to_be_visible()
        last = self.is_last(frame)
        self.press(frame.locator("button:visible").last)
        return last

    def is_last(self, frame: Frame) -> bool:
        """Whether the button in view submits the task."""
        return frame.locator("button:visible").last.get_attribute("type") != "button"

    def task(self) -> Frame:
        element = self.page.wait_for_selector("iframe")
        frame = element.content_frame() if element else None
        assert frame
        frame.wait_for_selector("button:visible")
        self.read.append(frame.locator("body").inner_text())
        return frame

    def reads_machine(self, frame: Frame) -> bool:
        """Whether the text in view reads as the generators of these studies write."""
        seen = frame.locator(".text:visible")
        return any("is a boat" in text for text in seen.all_inner_texts())

    def choose(self, question: Locator, *, machine: bool) -> None:
        """The last answer for a machine's text, the first for another."""
        answers = question.locator("label:visible")
        if not self.keyboard:
            (answers.last if machine else answers.first).click()
            return
        self.reach(question.locator("input").first)
        self.page.keyboard.press("ArrowUp" if machine else "Space")

    def write(self, box: Locator) -> None:
        if box.input_value():
            return
        if self.keyboard:
            self.reach(box)
            self.page.keyboard.type(THINKS)
        else:
            box.fill(THINKS)

    def press(self, button: Locator) -> None:
        if self.keyboard:
            self.reach(button)
            self.page.keyboard.press("Enter")
        else:
            button.click()

    def reach(self, target: Locator) -> None:
        """Press Tab until the target has the focus."""
        for _tab in range(MAX_TABS):
            if target.evaluate("it => it === document.activeElement && document.hasFocus()"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"the keyboard does not reach {target}")

    def follow(self, name: str) -> None:
        """An entry of the menu of the task."""
        self.page.locator(".menu > summary").first.click()
        self.page.get_by_role("link", name=name).click()


def decline(who: Participant, link: str) -> str:
    who.page.goto(link)
    who.press(who.page.get_by_role("button", name="No, thanks"))
    expect(who.page.get_by_role("button", name=who.agree)).to_have_count(0)
    return ""


def give_back(who: Participant, link: str) -> str:
    """Stop before anything is submitted, after two pages of the task where it has more."""
    who.enter(link)
    for _step in range(2):
        if not who.is_last(who.task()):
            who.step()
    who.follow("Stop and get your code")
    who.press(who.page.get_by_role("button", name="Stop without a code"))
    expect(who.page.get_by_role("button", name="Stop without a code")).to_have_count(0)
    return ""


def work(who: Participant, link: str) -> str:
    who.enter(link)
    return who.finish()


def come_twice(who: Participant, link: str) -> str:
    code = work(who, link)
    who.page.goto(link)
    expect(who.page.get_by_role("heading", level=1)).to_have_text("You have already taken part")
    expect(who.page.locator("main")).to_contain_text(code)
    return code


def change_device(who: Participant, link: str, other: Participant) -> str:
    """Begin here, finish on the other device, by the address that this one shows."""
    who.enter(link)
    who.follow("Continue on another device")
    who.press(who.page.get_by_role("button", name="Show my personal address"))
    other.page.goto(who.page.locator("#address").input_value())
    other.press(other.page.locator("main").get_by_role("button").first)
    other.begin()
    return other.finish()
