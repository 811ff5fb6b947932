"""How numbers and intervals are written for people: a true minus sign, and a dash where there is none."""

from __future__ import annotations

from metrics.types import Estimate, Interval

DASH = "–"
SPACE = "\u00a0"  # at which no line ends
SMALLEST_P = 0.001


def number(value: float | None, digits: int = 2) -> str:
    """Format a number with `digits` decimals and a true minus sign; a dash for None."""
    if value is None:
        return DASH
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.{digits}f}"
    return (text[1:] if text.startswith("-") and not text.strip("-0.") else text).replace("-", "−")


def interval(value: Interval | None, digits: int = 2) -> str:
    """`[0.41, 0.65]`, or a dash."""
    return f"[{number(value.low, digits)}, {number(value.high, digits)}]" if value else DASH


def estimate(value: Estimate, digits: int = 2) -> str:
    """`0.53 [0.41, 0.65]`; the value alone where no interval is defined."""
    shown = number(value.value, digits)
    return f"{shown} {interval(value.interval, digits)}" if value.interval else shown


def p_value(p: float | None) -> str:
    """`p = .030`, `p < .001`, or `p not defined`: for sentences, without a line's end between p and its number."""
    if p is None:
        return "p not defined"
    if p < SMALLEST_P:
        return f"p{SPACE}<{SPACE}.001"
    return f"p{SPACE}={SPACE}{p:.3f}".replace("0.", ".")


def plural(count: int, singular: str, many: str | None = None) -> str:
    """`1 text`, `2 texts`."""
    return f"{count} {singular if count == 1 else many or singular + 's'}"
