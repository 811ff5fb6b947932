"""The researcher's pages."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.screenshots.shots import Shot

DRAFT_PLACES = [
    "texts",
    "texts/add",
    "texts/select",
    "design",
    "design/wording",
    "preview",
    "publish",
    "progress",
    "results",
    "exports",
]
STUDY_PLACES = ["texts", "design", "preview", "publish", "progress", "results", "exports", "people", "log"]


def _nothing_filled_in(page: Page) -> None:
    page.get_by_role("button", name="Sign in").click()


def _settled(page: Page) -> None:
    page.wait_for_load_state("networkidle")


def _named(path: str) -> str:
    return path.replace("/", "-")


# Addresses below /console/, by the name of their pictures; {...} are ids of the world that is photographed.
FULL = {
    "everybody": "workers/",
    "findings": "results/",
    "money": "money/",
    "settings": "settings/",
    "review-full": "studies/{judged}/review/",
    "assignment": "studies/{judged}/review/{assignment}/",
    "workers-full": "studies/{judged}/workers/",
    "worker": "studies/{judged}/workers/{worker}/",
    "quality-full": "studies/{judged}/quality/",
    "coding-full": "studies/{judged}/coding/",
    "wages": "studies/{study}/running/wages/",
    "job-failed": "jobs/{failed}/",
    "texts-large": "studies/{large}/texts/?page=37",
}
EMPTY = {"everybody": "workers/", "findings": "results/", "money": "money/", "settings": "settings/"}
PRINTED = {"results": "studies/{study}/results/", "log": "studies/{study}/log/", "texts": "studies/{study}/texts/"}


def _printed(page: Page) -> None:
    page.emulate_media(media="print")


SHOTS = [
    *(
        Shot(f"console-{name}", lambda world, path=path: world.at(path), "owner", _settled)
        for name, path in FULL.items()
    ),
    *(
        Shot(f"console-{name}-empty", lambda world, path=path: world.at(path), "newcomer")
        for name, path in EMPTY.items()
    ),
    *(
        Shot(f"console-{name}-printed", lambda world, path=path: world.at(path), "owner", _printed)
        for name, path in PRINTED.items()
    ),
    Shot("console-sign-in", lambda world: f"{world.origin}/console/sign-in/"),
    Shot("console-sign-in-failed", lambda world: f"{world.origin}/console/sign-in/", act=_nothing_filled_in),
    Shot("console-refused", lambda world: f"{world.origin}/console/enter/nothing/"),
    Shot("console-studies", lambda world: f"{world.origin}/console/", "owner"),
    Shot("console-studies-empty", lambda world: f"{world.origin}/console/", "newcomer"),
    Shot("console-new", lambda world: f"{world.origin}/console/new/", "owner"),
    Shot("console-import", lambda world: f"{world.origin}/console/import/", "owner"),
    Shot("console-activity", lambda world: f"{world.origin}/console/activity/", "owner"),
    Shot("console-compare", lambda world: f"{world.origin}/console/compare/", "owner"),
    Shot("console-compare-empty", lambda world: f"{world.origin}/console/compare/", "newcomer"),
    Shot("console-overview", lambda world: world.of_study(), "owner"),
    Shot("console-overview-empty", lambda world: world.of_draft(), "owner"),
    *(
        Shot(f"console-{_named(path)}", lambda world, path=path: world.of_study(f"{path}/"), "owner", _settled)
        for path in STUDY_PLACES
    ),
    *(
        Shot(f"console-{_named(path)}-empty", lambda world, path=path: world.of_draft(f"{path}/"), "owner", _settled)
        for path in DRAFT_PLACES
    ),
    Shot("console-running", lambda world: world.of_study("running/"), "owner"),
    Shot("console-running-empty", lambda world: world.of_draft("running/"), "owner"),
    Shot("console-review", lambda world: world.of_study("review/"), "owner"),
    Shot("console-review-empty", lambda world: world.of_draft("review/"), "owner"),
    Shot("console-quality", lambda world: world.of_study("quality/"), "owner"),
    Shot("console-workers", lambda world: world.of_study("workers/"), "owner"),
    Shot("console-workers-empty", lambda world: world.of_draft("workers/"), "owner"),
    Shot("console-coding", lambda world: world.of_study("coding/"), "owner"),
]
