"""What a person may see of a study whose cells are drawn: their own cell once they have one."""

from __future__ import annotations

from django.db.models import Q

from annotation.marketplace.core.prepared_sql import Prepared
from annotation.marketplace.models import Draw

_DRAWS = Prepared(
    lambda worker: Draw.objects.filter(worker=worker).values_list("requester_id", "study", "cell").order_by("pk"), int
)


def cells_by_study(worker: int) -> dict[tuple[int, str], str]:
    """The cells that a worker was assigned to, by requester (primary key) and study."""
    return {(requester, study): cell for requester, study, cell in _DRAWS(worker)}


def hits_of_other_cells(worker: int) -> Q | None:
    """The HITs that `worker` may not see: those of other cells of the studies they were drawn for; None for none."""
    hidden: Q | None = None
    for (requester, study), cell in cells_by_study(worker).items():
        other = Q(requester=requester, hit_type__study=study) & ~Q(hit_type__cell=cell)
        hidden = other if hidden is None else hidden | other
    return hidden
