"""Find studies in a long list: by words, status and mode, in a chosen order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from annotation.models import Membership, Study

MAX_LETTERS = 200
ARCHIVED = "archived"
# Key in the address, label, columns. The last column makes the order of equal rows the same on every page.
ORDERS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "newest": (_("Newest first"), ("-created_at", "-pk")),
    "oldest": (_("Oldest first"), ("created_at", "pk")),
    "name": (_("Name"), ("name",)),
    "spent": (_("Most spent first"), ("-spent_cents", "-pk")),
}
STATES: dict[str, Any] = {
    "": _("All but archived"),
    Study.Status.DRAFT.value: _("Draft"),
    Study.Status.PUBLISHED.value: _("Published"),
    Study.Status.PAUSED.value: _("Paused"),
    Study.Status.ENDING.value: _("Ending"),
    Study.Status.CLOSED.value: _("Closed"),
    ARCHIVED: _("Archived"),
}
MODES: dict[str, Any] = {
    "": _("All modes"),
    Study.Mode.REHEARSAL.value: _("Rehearsal"),
    Study.Mode.LIVE.value: _("Live"),
    Study.Mode.IMPORTED.value: _("Imported"),
}


@dataclass(frozen=True, slots=True)
class StudySearch:
    """What somebody looks for. words: each must occur in the name, the question or the name of a member."""

    words: str = ""
    state: str = ""
    mode: str = ""
    order: str = "newest"

    @classmethod
    def of(cls, query: Mapping[str, Any]) -> StudySearch:
        """Read the search from an address; a value that does not exist counts as none."""
        values = {name: str(query.get(name, "")) for name in ("q", "state", "mode", "order")}
        return cls(
            words=values["q"].replace("\x00", "").strip()[:MAX_LETTERS],
            state=values["state"] if values["state"] in STATES else "",
            mode=values["mode"] if values["mode"] in MODES else "",
            order=values["order"] if values["order"] in ORDERS else "newest",
        )

    @property
    def narrows(self) -> bool:
        """Whether anything but the order is chosen."""
        return bool(self.words or self.state or self.mode)


def find_studies(studies: QuerySet[Study], search: StudySearch) -> QuerySet[Study]:
    """Return those of `studies` that the search is about, in its order. Archived ones only where it says so."""
    rows = studies.filter(archived_at__isnull=search.state != ARCHIVED)
    if search.state and search.state != ARCHIVED:
        rows = rows.filter(status=search.state)
    if search.mode:
        rows = rows.filter(mode=search.mode)
    for word in search.words.split():
        member = Membership.objects.filter(study=OuterRef("pk"), user__username__icontains=word)
        rows = rows.filter(Q(name__icontains=word) | Q(question__icontains=word) | Exists(member))
    return rows.order_by(*ORDERS[search.order][1])
