"""How people were assigned to conditions, from the collected log of the marketplace's draw."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.models import DrawRecord, Study
from annotation.reports.report_rows import cells, condition_name
from metrics.report.row_records import AssignmentRow, DrawFacts, DrawnCondition

Kind = DrawRecord.Kind


def draw_facts(study: Study, rows: Sequence[AssignmentRow]) -> DrawFacts | None:
    """People by condition and stage; None where nothing was drawn. rows: every assignment that was submitted."""
    if study.arm_assignment != Study.ArmAssignment.DRAWN:
        return None
    last: dict[str, tuple[int, str]] = {}
    for person, place, kind in study.draws.order_by("number").values_list("person", "cell", "kind"):
        last[person] = (place, kind)
    if not last:
        return None
    conditions = []
    for cell in cells(study):
        kinds = [kind for place, kind in last.values() if place == cell.pk]
        analysed: dict[str, bool] = {}
        for row in rows:
            if row.condition == condition_name(cell):
                analysed[row.rater] = analysed.get(row.rater, False) or (row.kept and not row.withdrawn)
        left = kinds.count(Kind.LEFT)
        conditions.append(
            DrawnCondition(
                name=condition_name(cell) or cell.arm.training,
                drawn=len(kinds),
                left=left,
                inside=max(0, len(kinds) - left - len(analysed)),
                finished=len(analysed),
                excluded=sum(not counts for counts in analysed.values()),
            )
        )
    return DrawFacts(study.draw_seed, len(last), tuple(conditions))
