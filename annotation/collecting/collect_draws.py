"""Collect the log by which the marketplace assigned people to conditions."""

from __future__ import annotations

import logging

from django.db import transaction
from django.db.models import Max

from annotation.hits.cell_keys import cell_key, draw_tag
from annotation.models import Cell, DrawRecord, Study
from annotation.models.worker import look_up_hash
from annotation.mturk.client import Market
from annotation.workers.draws import can_draw

log = logging.getLogger(__name__)


def collect_draws(study: Study, *, market: Market) -> int:
    """Store the lines of the log that are new, without anybody's id; how many. Safe to run twice, and twice at once."""
    drawn = Study.objects.filter(pk=study.pk, arm_assignment=Study.ArmAssignment.DRAWN)
    if not can_draw(market.provider) or not drawn.exists():
        return 0
    seed, draws = market.draws(draw_tag(study), after=_last_number(study))
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        if seed:
            Study.objects.filter(pk=study.pk).update(draw_seed=seed)
        cells = {cell_key(study, pk): pk for pk in Cell.objects.filter(arm__study=study).values_list("pk", flat=True)}
        last = _last_number(study)
        fresh = [seen for seen in draws if seen.number > last]
        if unknown := {seen.cell for seen in fresh} - cells.keys():
            # HITs of somebody else under the same tag: their people are not this study's.
            log.warning("%s: the marketplace's log names %s other cells", study, len(unknown))
        DrawRecord.objects.bulk_create(
            DrawRecord(
                study=study,
                number=seen.number,
                kind=seen.kind,
                person=look_up_hash(market.provider, seen.worker_id)[:16],
                cell_id=cells[seen.cell],
                at=seen.at,
            )
            for seen in fresh
            if seen.cell in cells
        )
    return len(fresh)


def _last_number(study: Study) -> int:
    return study.draws.aggregate(last=Max("number"))["last"] or 0
