"""Every HIT template with every training that it can have, as files: a worker sees them in a frame."""

from __future__ import annotations

from collections.abc import Callable

from annotation.design.kinds import BUILT_IN, HUMAN_OR_MACHINE, default_wording
from annotation.design.task_kind import TaskKind
from tests.screenshots.shots import Shot, World

BODIES = (
    "Museum reopens after a decade of repairs and one long argument about the roof",
    "<UNK> wins the regional final with a goal in extra time",
    "Council to vote on the harbour plan on Thursday, again",
)
PAGES = [(kind, "none") for kind in BUILT_IN]
PAGES += [(HUMAN_OR_MACHINE, arm) for arm in ("instructions", "examples", "comparison")]


def _written(kind: TaskKind, arm: str) -> Callable[[World], str]:
    def address(world: World) -> str:
        from annotation.hits.render import ShownLine, ShownText, hit_page

        pair = ShownText(BODIES[1]) if kind.in_pairs else None
        lines = [ShownLine(at, ShownText(body), pair) for at, body in enumerate(BODIES)]
        path = world.folder / f"hit-{kind.name}-{arm}.html"
        path.write_text(
            hit_page(default_wording(kind.name, noun="headline"), lines, arm=arm, shuffle=False), encoding="utf-8"
        )
        return path.as_uri()

    return address


SHOTS = [Shot(f"hit-{kind.name.replace('_', '-')}-{arm}", _written(kind, arm)) for kind, arm in PAGES]
