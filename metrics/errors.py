"""Named errors. Each message is one sentence that names the ids, the rows or the rule."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path

SHOWN = 5
_PACKAGE = str(Path(__file__).parent)


def join_names(names: Iterable[str]) -> str:
    """Join names for a sentence, the first few only: `a, b, c and 12 more`."""
    listed = list(names)
    text = ", ".join(listed[:SHOWN])
    return f"{text} and {len(listed) - SHOWN} more" if len(listed) > SHOWN else text


class MetricsError(ValueError):
    """Base of every error that this package raises for its input.

    Example:
        >>> from metrics import MetricsError, cohen_kappa
        >>> try:
        ...     cohen_kappa(["yes"], ["yes", "no"])
        ... except MetricsError as error:
        ...     print(type(error).__name__)
        BadInput
    """

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the caller's own lines and the sentence, not ours in between. IPython asks for it by
        this name; its own frames come first, up to the one that runs the cell."""
        frames = traceback.extract_tb(self.__traceback__)
        cell = max((at for at, frame in enumerate(frames) if frame.name == "run_code"), default=-1)
        theirs = [frame for frame in frames[cell + 1 :] if not frame.filename.startswith(_PACKAGE)]
        return [*"".join(traceback.format_list(theirs)).splitlines(), f"{type(self).__name__}: {self}"]


class BadInput(MetricsError):  # noqa: N818 - the name is the specification's
    """A value breaks a rule. Carries `row` (file line, or None), `column` and `rule`."""

    def __init__(self, rule: str, *, row: int | None = None, column: str | None = None, where: str = "") -> None:
        self.rule, self.row, self.column = rule, row, column
        place = [part for part in (where, f"row {row}" if row else "", f"column {column}" if column else "") if part]
        super().__init__(f"{', '.join(place)}: {rule}." if place else f"{rule}.")


class InsufficientData(MetricsError):  # noqa: N818 - the name is the specification's
    """Too few items, ratings or contexts for the measure asked for."""


class SingleSource(MetricsError):  # noqa: N818 - the name is the specification's
    """All items come from one source, so no two sources can be compared."""


class DegenerateInput(MetricsError):  # noqa: N818 - the name is the specification's
    """The data define no answer (for example, distributions of different lengths)."""


class MissingHJ(MetricsError):  # noqa: N818 - the name is the specification's
    """Items without any rating where each must have one. Carries `ids`."""

    def __init__(self, ids: Iterable[str]) -> None:
        self.ids = tuple(ids)
        items = "item" if len(self.ids) == 1 else "items"
        super().__init__(f"No rating is left for {len(self.ids)} {items}: {join_names(self.ids)}.")


class MissingLogProb(MetricsError):  # noqa: N818 - the name is the specification's
    """Items without a log-probability where each must have one. Carries `ids`."""

    def __init__(self, ids: Iterable[str]) -> None:
        self.ids = tuple(ids)
        super().__init__(
            "HUSE needs a log-probability for every item, and "
            f"{len(self.ids)} {'item has' if len(self.ids) == 1 else 'items have'} none: "
            f"{join_names(self.ids)}."
        )


# What lacks something is said in words; other filters have names that their users know.
WITHOUT = {
    "missing_hj": "without any rating",
    "drop_pair": "in contexts without a rating or a log-probability of each text",
}


def nothing_left(what: str, removed: Mapping[str, int] | None) -> InsufficientData:
    """Say that filters left nothing, and name the one that removed the most (ties: the first by name)."""
    counts = {name: count for name, count in (removed or {}).items() if count > 0}
    if not counts:
        return InsufficientData(f"No {what} is left to compute from.")
    worst = min(counts, key=lambda name: (-counts[name], name))
    if worst in WITHOUT:
        return InsufficientData(f"No {what} is left: {counts[worst]} {WITHOUT[worst]}.")
    return InsufficientData(f"No {what} is left: the filter {worst!r} removed the most ({counts[worst]}).")
