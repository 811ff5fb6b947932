"""The worker site: of strangers, of somebody who has done nothing yet, of somebody at work, of a guest."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.screenshots.shots import Shot

# Addresses below /hits/, by the name of their pictures.
STRANGER = {
    "sign-in": "sign-in/",
    "ask-link": "sign-in/link/",
    "forgotten": "forgotten/",
    "register": "register/",
    "finish": "register/{finish}/",
    "reset": "reset/{reset}/",
    "terms": "terms/",
    "gone": "gone/",
    "link-refused": "enter/nothing/",
    "invitation": "in/{invitation}/?participant=1",
    "invitation-unknown": "in/nothing/",
    "invitation-cut": "in/",
    "address-unknown": "in/device/nothing/",
    "withdraw": "withdraw/",
}
EMPTY = ("", "?q=zebra", "history/", "earnings/", "qualifications/", "messages/", "your-data/", "welcome/")
FULL = {
    "tasks": "",
    "history": "history/",
    "earnings": "earnings/",
    "qualifications": "qualifications/",
    "requester-records": "requesters/",
    "messages": "messages/",
    "account": "account/",
    "password": "account/password/",
    "address": "account/address/",
    "take-address": "account/address/{new_address}/",
    "close": "account/delete/",
    "your-data": "your-data/",
    "group": "groups/{group}/",
    "preview": "{hit}/",
    "preview-closed-to-us": "{closed_hit}/",
    "study": "{undrawn}/",
    "your-pay": "work/{drawn}/pay/",
    "work": "work/{held}/",
    "return": "work/{held}/return/",
    "done-approved": "work/{approved}/done/",
    "done-rejected": "work/{rejected}/done/",
    "done-submitted": "work/{submitted}/done/",
    "qualification": "qualifications/{qualification}/",
    "qualification-to-take": "qualifications/{to_take}/",
    "test": "tests/{attempt}/",
}
GUEST = {"end": "end/", "guest-data": "your-data/"}
ASKED = {"guest-next": "", "consent": "consent/{invited_hit}/"}
INSIDE = {"guest-continue-study": "continue-study/", "guest-work": "", "guest-stop": "stop/", "guest-device": "device/"}
FAILED = {"sign-in": "Sign in", "register": "Register", "forgotten": "Send the mail"}


def _settled(page: Page) -> None:
    page.wait_for_load_state("networkidle")
    for frame in page.frames[1:]:
        frame.wait_for_load_state("networkidle")
        frame.locator("body").wait_for()


def _pressed(button: str, page: Page) -> None:
    page.get_by_role("button", name=button).click()
    _settled(page)


def _shot(name: str, path: str, who: str = "") -> Shot:
    return Shot(f"worker-{name}", lambda world: world.at_work(path), who, _settled)


SHOTS = [
    *(_shot(name, path) for name, path in STRANGER.items()),
    *(_shot(f"{path.strip('/?').replace('q=zebra', 'search') or 'tasks'}-empty", path, "beginner") for path in EMPTY),
    *(_shot(name, path, "worker") for name, path in FULL.items()),
    *(_shot(name, path, "guest") for name, path in GUEST.items()),
    *(_shot(name, path, "asked") for name, path in ASKED.items()),
    *(_shot(name, path, "inside") for name, path in INSIDE.items()),
    Shot("worker-guest-address", lambda world: world.at_work("device/"), "inside",
         lambda page: _pressed("Show my personal address", page)),
    *(
        Shot(f"worker-{name}-failed", lambda world, name=name: world.at_work(STRANGER[name]),
             act=lambda page, button=button: _pressed(button, page))
        for name, button in FAILED.items()
    ),
]  # fmt: skip
