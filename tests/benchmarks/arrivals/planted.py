"""Wrong draws, put in the place of the right one to see them found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from annotation.marketplace.assignments import enter_study, expire_due
from annotation.marketplace.draws import counts
from annotation.marketplace.models import Draw

Patch = Callable[[Any, str, Any], None]


def forgets_returns(patch: Patch) -> None:
    """Who returns, or lets the time run out, stays counted."""
    patch(counts, "leave_if_idle", lambda *_, **__: False)


def takes_the_first(patch: Patch) -> None:
    """Of tied cells always the first is taken."""
    right = counts.choose_cell

    def first(*args: Any, **options: Any) -> Any:
        choice = right(*args, **options)
        return replace(choice, cell=choice.tied[0])

    patch(counts, "choose_cell", first)


def counts_stale_sessions(patch: Patch) -> None:
    """Whose time is over counts until the next sweep."""
    patch(expire_due, "catch_up", lambda now: 0)


def forgets_the_cell(patch: Patch) -> None:
    """Who comes back is drawn a second time."""
    right = counts.draw_of

    def forgotten(requester: int, study: str, worker: int) -> Any:
        known = right(requester, study, worker)
        if known is None or known.counted:
            return known
        Draw.objects.filter(pk=known.pk).delete()
        return None

    patch(enter_study.counts, "draw_of", forgotten)


def draws_blindly(patch: Patch) -> None:
    """Any cell with a place is taken, however full."""
    right = counts.choose_cell
    patch(counts, "choose_cell", lambda seen, eligible, **options: right({}, eligible, **options))


MISPLACED = "0 arrivals put into a cell that was not among the least filled"
# Each with a rule that it breaks.
PLANTED: tuple[tuple[Callable[[Patch], None], str], ...] = (
    (forgets_returns, MISPLACED),
    (takes_the_first, "ties are uniform, by who came"),
    (counts_stale_sessions, MISPLACED),
    (forgets_the_cell, "0 people who came back to another cell"),
    (draws_blindly, MISPLACED),
)
