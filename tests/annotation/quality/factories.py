"""Work written down line by line, for filters to look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.quality.work_table import ITEM_ROLES, Lines, Reasons, Work

NAN = float("nan")
SCALE = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)


@dataclass(frozen=True)
class Shown:
    """One text in an assignment."""

    text: int
    label: int = -1
    role: str = "item"
    known: int = -1
    words: int = 10
    ms: float = NAN
    pastes: float = NAN
    keys: float = NAN
    reason: str = ""


def work(
    assignments: Sequence[Sequence[Shown]],
    *,
    workers: Sequence[int] | None = None,
    bodies: Sequence[str] = (),
    **given: object,
) -> Work:
    """Assignments as lists of texts shown; the rest as arrays by name."""
    n = len(assignments)
    lines = [(a, one) for a, shown in enumerate(assignments) for one in shown]
    texts = max((one.text for _, one in lines), default=-1) + 1

    def whole(name: str, other: int = 0) -> np.ndarray:
        return np.array(given.get(name, [other] * n), dtype=np.int64)

    def column(values: list[float], kind: type = np.int64) -> np.ndarray:
        return np.array(values, dtype=kind)

    shown = [one for _, one in lines]
    told = [(i, one.reason) for i, one in enumerate(shown) if one.reason]
    return Work(
        worker=np.array(range(n) if workers is None else workers, dtype=np.int64),
        cell=whole("cell"),
        work_seconds=np.array(given.get("work_seconds", [NAN] * n), dtype=np.float64),
        unanswered=whole("unanswered"),
        checks=whole("checks"),
        checks_passed=whole("checks_passed"),
        practice=whole("practice"),
        practice_right=whole("practice_right"),
        device=whole("device", -1),
        lines=Lines(
            assignment=column([a for a, _ in lines]),
            text=column([one.text for one in shown]),
            label=column([one.label for one in shown]),
            code=column([SCALE[one.label] if one.label >= 0 else NAN for one in shown], np.float64),
            role=column([ITEM_ROLES[one.role] for one in shown]),
            known=column([one.known for one in shown]),
            words=column([one.words for one in shown]),
            active_ms=column([one.ms for one in shown], np.float64),
            pastes=column([one.pastes for one in shown], np.float64),
            keystrokes=column([one.keys for one in shown], np.float64),
        ),
        reasons=Reasons(column([i for i, _ in told]), [body for _, body in told]),
        bodies=list(bodies) or ["a text"] * texts,
        codes=SCALE,
        language=str(given.get("language", "en")),
    )


def rated(*rows: Sequence[int], **given: object) -> Work:
    """Assignments that give these labels to texts 0, 1, 2 ..."""
    return work([[Shown(text, label) for text, label in enumerate(row)] for row in rows], **given)
