"""How commands format and write their results."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from metrics.errors import BadInput
from metrics.types import Estimate


def format_cell(estimate: Estimate) -> str:
    """`0.530 [0.371, 0.689]`, without brackets where there is no interval, `none` where there is no value."""
    if estimate.value is None:
        return "none"
    if estimate.interval is None:
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.interval.low:.3f}, {estimate.interval.high:.3f}]"


def flags_line(estimates: Iterable[Estimate]) -> list[str]:
    """One line naming every flag of these estimates, or none."""
    flags = {flag for estimate in estimates for flag in estimate.flags}
    return ["flags: " + ", ".join(sorted(flags))] if flags else []


def write_text(text: str, out: Path | None) -> None:
    """Write to the file, or to the screen where there is none. Raises BadInput where the file cannot be written."""
    if out is None:
        sys.stdout.write(text)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"the file cannot be written ({error.strerror})", where=str(out)) from None
