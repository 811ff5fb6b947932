"""A simulated crowd as plain columns: what was shown, answered and timed, and who did what (the truth)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

HONEST = "honest"
BAD_KINDS = (
    "fast clicker",
    "slow clicker",
    "straight-liner",
    "reversed scale",
    "colluding pair",
    "two accounts",
    "tiring",
    "model-like",
)
GROUPS = ("terse", "dictating", "second language", "screen reader", "very slow", "very fast")


@dataclass(frozen=True)
class Crowd:
    """A study's work. People, assignments, answers (lines) and texts are numbered from 0.

    labels: size of the scale. texts: words of each. person, hit, accepted, seconds, device: (assignments,), seconds
    from accepting to submitting; accepted in seconds from the start; device -1 unknown. assignment, text, label,
    active: (lines,) in the order met, active in seconds (NaN: not measured). reasons: line, words, key presses, pastes.
    kind: (people,) HONEST or of BAD_KINDS. group: (people,) of GROUPS, "" none. partner: (people,) the other of a pair
    or the other account, -1 none. household: (people,) number of a shared device, -1 none.
    """

    labels: int
    texts: list[str]
    person: np.ndarray
    hit: np.ndarray
    accepted: np.ndarray
    seconds: np.ndarray
    device: np.ndarray
    assignment: np.ndarray
    text: np.ndarray
    label: np.ndarray
    active: np.ndarray
    reasons: list[tuple[int, str, int, int]]
    kind: np.ndarray
    group: np.ndarray
    partner: np.ndarray
    household: np.ndarray

    @property
    def bad(self) -> np.ndarray:
        """(assignments,) whether the work is bad."""
        return np.asarray(self.kind[self.person] != HONEST)
