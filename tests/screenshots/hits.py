"""Every HIT template with every training that it can have, as files: a worker sees them in a frame."""

from __future__ import annotations

from collections.abc import Callable

from annotation.design import task_types as tasks
from tests.screenshots.shots import Shot, World

BODIES = (
    "Museum reopens after a decade of repairs and one long argument about the roof",
    "<UNK> wins the regional final with a goal in extra time",
    "Council to vote on the harbour plan on Thursday, again",
)
PAGES = [
    (task, "none")
    for task in (tasks.TYPICALITY, tasks.HUMAN_OR_MACHINE, tasks.LIKERT, tasks.ERROR_LABELS, tasks.PAIRWISE)
]
PAGES += [(tasks.HUMAN_OR_MACHINE, arm) for arm in ("instructions", "examples", "comparison")]


def _written(task: str, arm: str) -> Callable[[World], str]:
    def address(world: World) -> str:
        from annotation.design.wording import default_wording
        from annotation.hits.render import ShownLine, ShownText, hit_page

        pair = ShownText(BODIES[1]) if task == tasks.PAIRWISE else None
        lines = [ShownLine(at, ShownText(body), pair) for at, body in enumerate(BODIES)]
        path = world.folder / f"hit-{task}-{arm}.html"
        path.write_text(
            hit_page(default_wording(task, noun="headline"), lines, arm=arm, shuffle=False), encoding="utf-8"
        )
        return path.as_uri()

    return address


SHOTS = [Shot(f"hit-{task.replace('_', '-')}-{arm}", _written(task, arm)) for task, arm in PAGES]
