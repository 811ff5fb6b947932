"""Whether the marketplace draws the cells of a study's people, and what its log says."""

from __future__ import annotations

from annotation.models import Hit, Study
from annotation.mturk.client import ASSAY_PROVIDERS, Market

DRAWN = Study.ArmAssignment.DRAWN


def can_draw(provider: str) -> bool:
    """Whether a marketplace assigns people to cells; another one shows each cell as a task of its own."""
    return provider in ASSAY_PROVIDERS


def has_cells(study: Study) -> bool:
    """Whether the tasks of `study` are in two cells or more."""
    return study.hits.order_by().values("cell").distinct().count() > 1


def settle_arm_assignment(study: Study, market: Market) -> bool:
    """Decide with the first HIT, and so for all of them, whether people are assigned to cells; whether they are.

    Cells that are published one after another (waves) are open one at a time: nothing is drawn between them.
    """
    if not can_draw(market.provider) or not has_cells(study):
        return False
    rows = Study.objects.filter(pk=study.pk, arm_assignment=Study.ArmAssignment.CHOSEN)
    if not is_published(study):
        rows.update(arm_assignment=DRAWN)
    return Study.objects.filter(pk=study.pk, arm_assignment=DRAWN).exists()


def is_published(study: Study) -> bool:
    """Whether the marketplace has any HIT of `study`."""
    return Hit.objects.filter(study=study).exclude(market_id=None).exists()
