"""The register of the console's places: the rail on the left, and the tabs of a study. A page joins by one line here.

`key` is the name of its address in `urls.py`; names that begin with `key-` belong to the same place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotation.models import Role


@dataclass(frozen=True, slots=True)
class Place:
    """A link of the rail or a tab. `least`: the smallest role that sees it."""

    key: str
    label: Any
    min_role: Role = Role.VIEWER

    def holds(self, name: str) -> bool:
        """Whether the page of that address's name belongs here."""
        return name == self.key or name.startswith(f"{self.key}-")


RAIL = (
    Place("studies", _("Studies")),
    Place("everybody", _("Workers")),
    Place("findings", _("Results")),
    Place("compare", _("Compare")),
    Place("money", _("Money")),
    Place("activity", _("Activity")),
    Place("keys", _("Settings")),
)

TABS = (
    Place("overview", _("Overview")),
    Place("texts", _("Texts")),
    Place("design", _("Design")),
    Place("preview", _("Preview")),
    Place("recruit", _("Recruit")),
    Place("publish", _("Publish")),
    Place("progress", _("Progress")),
    Place("running", _("Running")),
    Place("review", _("Review"), Role.REVIEWER),
    Place("quality", _("Quality")),
    Place("workers", _("Workers"), Role.REVIEWER),
    Place("coding", _("Coding"), Role.REVIEWER),
    Place("results", _("Results")),
    Place("exports", _("Exports")),
    Place("people", _("Members")),
    Place("log", _("Log")),
)
