"""Reads of a design: its versions and its cells."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import cast

from django.db.models import Count

from annotation import ledger
from annotation.models import Hit, Study
from metrics.data.arm_assignment import ArmAssignment


def arm_assignment(study: Study) -> ArmAssignment | None:
    """How raters come to their arm; None where it is not known."""
    return cast(ArmAssignment, study.arm_assignment) if study.arm_assignment else None


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a study's words. hits: that hold it. differs: parts in which it is not like the words in use."""

    number: int
    created_at: datetime
    hits: int
    in_use: bool
    differs: tuple[str, ...]


def versions(study: Study) -> list[Version]:
    """The study's words, version by version, the latest first: that one is in use."""
    stored = list(study.wordings.order_by("-version").annotate(held=Count("hits")))
    now = stored[0].body if stored else {}
    return [
        Version(
            wording.version, wording.created_at, wording.held, at == 0,
            tuple(name for name in {**now, **wording.body} if now.get(name) != wording.body.get(name)),
        )
        for at, wording in enumerate(stored)
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class CellLine:
    """A cell as laid out: its HITs, its places, and what they cost at most."""

    name: str
    hits: int
    assignments: int
    reward_cents: int
    cents: int


def laid_out(study: Study) -> list[CellLine]:
    """The study's cells with the HITs they have."""
    hits_by_cell: dict[int, list[Hit]] = {}
    for hit in study.hits.select_related("cell__arm__study", "cell__generator").order_by("slot"):
        hits_by_cell.setdefault(hit.cell_id, []).append(hit)
    lines = []
    for hits in hits_by_cell.values():
        cell = hits[0].cell
        cents = sum(hit.max_assignments * ledger.place_cost(hit).total for hit in hits)
        places = sum(hit.max_assignments for hit in hits)
        lines.append(CellLine(str(cell), len(hits), places, cell.reward_cents, cents))
    return lines
