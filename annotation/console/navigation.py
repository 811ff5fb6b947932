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
NEED_ROWS = ("results-nnd", "results-h", "results-missing", "exports-statements", "exports-scores")


def needs_rows(name: str) -> bool:
    """Whether the page of that address's name has nothing to show of a study that was loaded from a report."""
    if name.startswith(NEED_ROWS):
        return True
    return not any(place.of_report and place.holds(name) for group in GROUPS for place in group.places)
