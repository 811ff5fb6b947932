"""The register of the console's places: the rail on the left, and the pages of a study in the order of the work.

`key` is the name of its address in `urls.py`; names that begin with `key-` belong to the same place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotation.models import Role


@dataclass(frozen=True, slots=True)
class Place:
    """A link of the rail or a page of a study. `min_role`: the smallest role that sees it. `more`: further keys.

    of_report: whether it shows something of a study that was loaded from a report, without texts and answers.
    """

    key: str
    label: Any
    min_role: Role = Role.VIEWER
    more: tuple[str, ...] = ()
    of_report: bool = False

    def holds(self, name: str) -> bool:
        """Whether the page of that address's name belongs here."""
        return any(name == key or name.startswith(f"{key}-") for key in (self.key, *self.more))


@dataclass(frozen=True, slots=True)
class Group:
    """Pages of a study that belong to one part of the work. One page alone needs no name of its own."""

    key: str
    label: Any
    places: tuple[Place, ...]


RAIL = (
    Place("studies", _("Studies")),
    Place("batches", _("Batches")),
    Place("everybody", _("Workers")),
    Place("findings", _("Results")),
    Place("compare", _("Compare")),
    Place("money", _("Money")),
    Place("activity", _("Activity")),
    Place("keys", _("Settings")),
)

GROUPS = (
    Group("overview", _("Overview"), (Place("overview", _("Overview"), of_report=True),)),
    Group(
        "set-up",
        _("Set up"),
        (
            Place("texts", _("Texts")),
            Place("design", _("Task")),
            Place("plan", _("Plan")),
            Place("ethics", _("Ethics")),
            Place("recruit", _("Recruit")),
            Place("preview", _("Preview")),
            Place("publish", _("Publish")),
        ),
    ),
    Group(
        "collect",
        _("Collect"),
        (
            Place("progress", _("Progress"), more=("running",)),
            Place("review-people", _("Review"), Role.REVIEWER, more=("review",)),
            Place("workers", _("Raters"), Role.REVIEWER),
        ),
    ),
    Group(
        "results",
        _("Results"),
        (
            Place("results", _("Results"), of_report=True),
            Place("quality", _("Quality")),
            Place("coding", _("Coding"), Role.REVIEWER),
            Place("exports", _("Exports"), of_report=True),
        ),
    ),
    Group(
        "settings",
        _("Settings"),
        (
            Place("people", _("Members"), of_report=True),
            Place("log", _("Log"), of_report=True),
            Place("manage", _("Manage"), of_report=True),
        ),
    ),
)

# Pages of those places that need a study's texts or answers all the same.
NEED_ROWS = ("results-nnd", "results-h", "results-missing", "exports-statements", "exports-scores", "exports-release")


# Where the help opens, by the name of an address or how it begins; the help's start page elsewhere.
HELP = {
    "studies": "first-study.html",
    "studies-gallery": "tasks/index.html",
    "studies-template": "tasks/index.html",
    "studies-import": "import.html",
    "studies-ratings": "import.html",
    "studies-nnd": "near-negative.html",
    "studies-h": "human-likelihood.html",
    "batches": "migrating.html",
    "findings": "guides/report-reader.html",
    "compare": "comparing.html",
    "money": "managing.html",
    "keys": "web-api.html",
    "keys-colleagues": "managing.html",
    "keys-operation": "operating.html",
    "keys-prolific": "prolific.html",
    "texts": "import.html",
    "texts-log-probs": "models.html",
    "design": "designing.html",
    "plan": "designing.html",
    "ethics": "ethics.html",
    "recruit": "link-study.html",
    "recruit-prolific": "prolific.html",
    "publish": "running.html",
    "publish-prolific": "prolific.html",
    "progress": "running.html",
    "running": "running.html",
    "review": "guides/reviewer.html",
    "workers": "judging.html",
    "workers-payouts": "managing.html",
    "workers-retention": "managing.html",
    "results": "guides/report-reader.html",
    "results-nnd": "near-negative.html",
    "results-h": "human-likelihood.html",
    "quality": "judging.html",
    "coding": "judging.html",
    "exports": "guides/report-reader.html",
    "people": "managing.html",
    "manage": "managing.html",
}


def help_page(name: str) -> str:
    """The page of the help for the address of that name: of the longest name in `HELP` with which it begins."""
    parts = name.split("-")
    starts = ("-".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((HELP[start] for start in starts if start in HELP), "index.html")


def needs_rows(name: str) -> bool:
    """Whether the page of that address's name has nothing to show of a study that was loaded from a report."""
    if name.startswith(NEED_ROWS):
        return True
    return not any(place.of_report and place.holds(name) for group in GROUPS for place in group.places)
