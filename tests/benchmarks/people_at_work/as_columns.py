"""A simulated crowd as the columns that Assay's model of people and its checks look at."""

from __future__ import annotations

import numpy as np

from annotation.quality.work_table import ITEM, Lines, Reasons, Work
from tests.benchmarks.people_at_work.records import Crowd


def work_of(crowd: Crowd) -> Work:
    """The crowd's work, as it would be read from the database."""
    n, m = len(crowd.person), len(crowd.text)
    zero, words = np.zeros(n, dtype=np.int64), np.array([len(text.split()) for text in crowd.texts])
    pastes, keys = np.full(m, np.nan), np.full(m, np.nan)
    for line, _body, pressed, pasted in crowd.reasons:
        keys[line], pastes[line] = pressed, pasted
    lines = Lines(
        assignment=crowd.assignment.astype(np.int64),
        text=crowd.text.astype(np.int64),
        label=crowd.label.astype(np.int64),
        code=crowd.label.astype(float),
        role=np.full(m, ITEM),
        known=np.full(m, -1),
        words=words[crowd.text],
        active_ms=1000 * crowd.active,
        pastes=pastes,
        keystrokes=keys,
    )
    reasons = Reasons(np.array([line for line, *_ in crowd.reasons]), [body for _, body, *_ in crowd.reasons])
    return Work(
        worker=crowd.person.astype(np.int64),
        cell=zero,
        work_seconds=crowd.seconds,
        unanswered=zero,
        checks=zero,
        checks_passed=zero,
        practice=zero,
        practice_right=zero,
        device=crowd.device.astype(np.int64),
        lines=lines,
        reasons=reasons,
        bodies=crowd.texts,
        codes=[float(code) for code in range(crowd.labels)],
    )
