"""The researcher's pages: full, empty, failing, printing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from playwright.sync_api import Page

from tests.screenshots.shots import Shot

Act = Callable[[Page], object]

# Addresses below /console/, by the name of their pictures; {...} are ids of the world that is photographed.
FULL = {
    "studies": "",
    "new": "new/",
    "gallery": "tasks/",
    "gallery-template": "tasks/summeval/",
    "import": "import/",
    "compare": "compare/",
    "activity": "activity/",
    "help": "help/",
    "everybody": "workers/",
    "findings": "results/",
    "money": "money/",
    "settings": "settings/",
    "settings-factor": "settings/second-factor/",
    "settings-sessions": "settings/sessions/",
    "settings-accounts": "settings/accounts/",
    "settings-operation": "settings/operation/",
    "overview": "studies/{study}/",
    "settings-colleagues": "settings/colleagues/",
    "payouts-across": "money/payouts/",
    "retention-across": "workers/retention/",
    "data-protection": "workers/data-protection/",
    "release": "studies/{study}/exports/release/",
    "payouts": "studies/{owing}/payouts/",
    "payouts-unpaid": "studies/{owing}/payouts/?unpaid=1",
    "payouts-file": "studies/{owing}/payouts/{payout_file}/",
    "retention": "studies/{owing}/retention/",
    "retention-closed": "studies/{retained}/retention/",
    "studies-found": "?q=st&state=draft&order=name",
    "studies-none-found": "?q=nothing",
    "manage": "studies/{study}/manage/",
    "texts": "studies/{study}/texts/",
    "texts-large": "studies/{large}/texts/?page=37",
    "texts-add": "studies/{chosen}/texts/add/",
    "texts-columns": "studies/{chosen}/texts/add/{job_look_texts}/",
    "texts-select": "studies/{chosen}/texts/select/",
    "design": "studies/{chosen}/design/",
    "design-laid-out": "studies/{planned}/design/",
    "design-trainings": "studies/{waiting}/design/",
    "design-published": "studies/{study}/design/",
    "training": "studies/{waiting}/design/training/",
    "training-empty": "studies/{chosen}/design/training/",
    "training-published": "studies/{evaluated}/design/training/",
    "training-import": "studies/{chosen}/design/training/import/",
    "training-add-paragraph": "studies/{waiting}/design/training/instructions/add/",
    "training-add-example": "studies/{waiting}/design/training/examples/add/",
    "training-edit-pair": "studies/{waiting}/design/training/comparison/1/",
    "training-preview": "studies/{waiting}/design/training/comparison/preview/",
    "wording-trained": "studies/{waiting}/design/wording/",
    "wording-upload": "studies/{chosen}/design/wording/upload/",
    "wording": "studies/{chosen}/design/wording/",
    "preview": "studies/{planned}/preview/",
    "preview-desk": "studies/{waiting}/preview/?hit=2&width=desk",
    "plan": "studies/{planned}/plan/",
    "ethics": "studies/{planned}/ethics/",
    "ethics-de": "studies/{study}/ethics/de/",
    "plan-sealed": "studies/{study}/plan/",
    "publish": "studies/{planned}/publish/",
    "publish-stuck": "studies/{waiting}/publish/",
    "publish-out": "studies/{study}/publish/",
    "recruit": "studies/{planned}/recruit/",
    "recruit-channels": "studies/{waiting}/recruit/?all=1",
    "recruit-new": "studies/{planned}/recruit/new/link/",
    "recruit-channel": "studies/{waiting}/recruit/{link_channel}/",
    "recruit-list": "studies/{chosen}/recruit/{list_channel}/",
    "recruit-edit": "studies/{waiting}/recruit/{link_channel}/edit/",
    "recruit-texts": "studies/{chosen}/recruit/{list_channel}/texts/",
    "recruit-prolific": "studies/{chosen}/recruit/{prolific_channel}/",
    "recruit-prolific-draft": "studies/{chosen}/recruit/{prolific_channel}/prolific/",
    "recruit-prolific-filters": "studies/{chosen}/recruit/{prolific_channel}/prolific/filters/",
    "recruit-prolific-filter": "studies/{chosen}/recruit/{prolific_channel}/prolific/filters/?filter=handedness",
    "publish-prolific": "studies/{chosen}/recruit/{prolific_channel}/prolific/publish/",
    "publish-prolific-places": "studies/{chosen}/recruit/{prolific_channel}/prolific/places/",
    "settings-prolific": "settings/prolific/",
    "publish-name": "studies/{planned}/publish/name/",
    "progress": "studies/{underway}/progress/",
    "approve-all": "studies/{judged}/progress/approve-all/",
    "progress-finished": "studies/{study}/progress/",
    "running": "studies/{underway}/progress/",
    "running-differences": "studies/{underway}/running/compare/",
    "running-failed": "studies/{judged}/progress/",
    "progress-failed": "studies/{judged}/progress/",
    "running-unknown": "studies/{judged}/running/compare/",
    "wages": "studies/{underway}/running/wages/",
    "review-people": "studies/{judged}/review/people/",
    "review-person": "studies/{judged}/review/people/{worker}/",
    "review": "studies/{judged}/review/",
    "review-done": "studies/{study}/review/",
    "review-answered": "studies/{judged}/review/?state=answered",
    "assignment": "studies/{judged}/review/{assignment}/",
    "assignment-answered": "studies/{judged}/review/{answered}/",
    "quality": "studies/{judged}/quality/",
    "quality-rules": "studies/{judged}/quality/rules/",
    "quality-outcome": "studies/{judged}/quality/left-out/",
    "workers": "studies/{judged}/workers/",
    "worker": "studies/{judged}/workers/{worker}/",
    "coding": "studies/{judged}/coding/",
    "results": "studies/{study}/results/",
    "results-partial": "studies/{judged}/results/",
    "results-evaluators": "studies/{evaluated}/results/",
    "results-blind": "studies/{underway}/results/",
    "exclusions": "studies/{judged}/results/exclusions/",
    "nnd": "near-negative/",
    "nnd-tests": "near-negative/{job_nnd_tests}/",
    "nnd-result": "near-negative/{job_nnd_run}/",
    "nnd-study": "studies/{judged}/results/near-negative/",
    "h": "human-likelihood/",
    "h-result": "human-likelihood/{job_h_score}/",
    "h-study": "studies/{judged}/results/human-likelihood/",
    "log-probs": "studies/{chosen}/texts/log-probs/",
    "exports": "studies/{study}/exports/",
    "statements": "studies/{study}/exports/statements/",
    "scores": "studies/{study}/exports/scores/",
    "scores-attached": "studies/{judged}/exports/scores/",
    "components": "components/",
    "workers-import": "workers/import/",
    "batches": "batches/",
    "batch-new": "batches/new/",
    "batch": "batches/{batch}/",
    "batch-hits": "batches/hits/",
    "no-study": "studies/00000000-0000-0000-0000-000000000001/",
    "form-alone": "studies/{study}/progress/approve/",
    "people": "studies/{judged}/people/",
    "log": "studies/{study}/log/",
    "ratings-import": "import/ratings/",
    "ratings-columns": "import/ratings/{job_look_ratings}/",
    "job-report": "jobs/{job_report}/",
    "job-comparison": "jobs/{job_comparison}/",
    "job-sound": "jobs/{job_sound}/",
    "job-faulty": "jobs/{job_faulty}/",
    "job-failed": "jobs/{job_failed}/",
    "job-open": "jobs/{job_open}/",
    "job-stuck": "jobs/{job_stuck}/",
    "sharing": "jobs/{job_report}/links/",
    "sharing-comparison": "jobs/{job_comparison}/links/",
}
# Of a draft that has nothing in it.
EMPTY = (
    "", "texts/", "texts/select/", "design/", "preview/", "publish/", "progress/", "running/compare/",
    "running/wages/", "manage/", "review/", "quality/", "quality/left-out/", "workers/", "coding/", "results/",
    "results/exclusions/", "exports/", "people/", "log/",
    "payouts/", "retention/",
)  # fmt: skip
# Of somebody who has no study yet.
NEWCOMER = ("", "batches/", "compare/", "activity/", "workers/", "results/", "money/", "settings/")
# Of somebody who is not signed in.
STRANGER = {
    "sign-in": "sign-in/",
    "enter": "enter/{entrance}/",
    "refused": "enter/nothing/",
    "join": "join/{member_link}/",
    "join-refused": "join/nothing/",
}
PRINTED = (
    "overview", "texts", "wages", "assignment", "quality", "results", "results-evaluators", "exclusions", "log",
    "money",
)  # fmt: skip


def _settled(page: Page) -> None:
    page.wait_for_load_state("networkidle")


def _printed(page: Page) -> None:
    _settled(page)
    page.emulate_media(media="print")


def _pressed(name: str, page: Page) -> None:
    _settled(page)
    page.locator("main").get_by_role("button", name=name).first.click()
    page.wait_for_load_state("networkidle")


def _filled(label: str, value: str, button: str, page: Page) -> None:
    page.locator("main").get_by_label(label).first.fill(value)
    _pressed(button, page)


def _chosen(page: Page) -> None:
    """Three assignments are about to be approved."""
    for box in page.locator("input[name=chosen]").all()[:3]:
        box.check()
    _pressed("exclude", page)


def _ticked(page: Page) -> None:
    """Codes that exclude each other."""
    for label in ("grammar", "null"):
        page.get_by_label(label).first.check()
    _pressed("Save codes and continue", page)


# What is pressed before the picture is taken: pages that no address leads to.
PRESSED: dict[str, tuple[str, Act]] = {
    "sign-in-failed": ("sign-in/", partial(_pressed, "Sign in")),
    "new-failed": ("new/", partial(_pressed, "Create study")),
    "import-failed": ("import/", partial(_pressed, "Import batch")),
    "compare-failed": ("compare/", partial(_pressed, "Compare")),
    "training-import-failed": ("studies/{chosen}/design/training/import/", partial(_pressed, "Import items")),
    "texts-add-failed": ("studies/{chosen}/texts/add/", partial(_pressed, "Check file")),
    "texts-select-tried": (
        "studies/{chosen}/texts/select/",
        partial(_filled, "Exclude individual texts", "ref-000 = about our own town", "Preview selection"),
    ),
    "design-failed": ("studies/{chosen}/design/", partial(_filled, "Raters per text", "0", "Save design")),
    "publish-failed": ("studies/{planned}/publish/", partial(_filled, "Study name", "wrong", "Publish")),
    "scores-failed": ("studies/{study}/exports/scores/", partial(_pressed, "Attach file")),
    "manage-failed": ("studies/{study}/manage/", partial(_filled, "Name of the copy", "no name!", "Duplicate study")),
    "people-link": ("studies/{judged}/people/", partial(_pressed, "Create invitation link")),
    "join-failed": ("join/{member_link}/", partial(_pressed, "Create account")),
    "retention-failed": ("studies/{retained}/retention/", partial(_pressed, "Delete IDs now")),
    "people-failed": ("studies/{judged}/people/", partial(_filled, "User name", "nobody", "Save role")),
    "coding-failed": ("studies/{judged}/coding/", _ticked),
    "settings-failed": ("settings/", partial(_pressed, "Change password")),
    "quality-failed": ("studies/{judged}/quality/", partial(_pressed, "Lock these rules")),
    "worker-failed": ("studies/{judged}/workers/{worker}/", partial(_pressed, "Block")),
    "review-bulk": ("studies/{judged}/review/", _chosen),
}


def _called(path: str) -> str:
    return path.strip("/").replace("/", "-")


def _shot(name: str, path: str, who: str, act: Act = _settled) -> Shot:
    return Shot(f"console-{name}", lambda world: world.at(path), who, act)


SHOTS = [
    _shot("second-factor", "second-factor/", "half"),
    *(_shot(name, path, "owner") for name, path in FULL.items()),
    *(_shot(f"{_called(path) or 'overview'}-empty", f"studies/{{draft}}/{path}", "owner") for path in EMPTY),
    *(_shot(f"{_called(path) or 'studies'}-newcomer", path, "newcomer") for path in NEWCOMER),
    *(_shot(name, path, "") for name, path in STRANGER.items()),
    *(
        _shot(name, path, "" if name.startswith(("sign-in", "join")) else "owner", act)
        for name, (path, act) in PRESSED.items()
    ),
    *(_shot(f"{name}-printed", FULL[name], "owner", _printed) for name in PRINTED),
]
