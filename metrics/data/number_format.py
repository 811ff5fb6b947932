"""How numbers and intervals are written for people: a true minus sign, and a dash where there is none."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from metrics.types import Estimate, Interval

DASH = "–"
SPACE = "\u00a0"  # at which no line ends
SMALLEST_P = 0.001
NOISE = 12  # decimals beyond which two ways to compute one value may differ
LARGEST = 1e15  # from which on a number has no decimals


def number(value: float | None, digits: int = 2) -> str:
    """Format a number with `digits` decimals and a true minus sign; a dash for None."""
    if value is None:
        return DASH
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else "−∞"
    text = fixed(value, digits)
    return (text[1:] if text.startswith("-") and not text.strip("-0.") else text).replace("-", "−")


def fixed(value: float, digits: int) -> str:
    """The value with `digits` decimals, a half rounded away from 0 however it was computed: 1.005 is 1.01."""
    if not abs(value) < LARGEST:
        return f"{value:.{digits}f}"
    exact = Decimal(f"{value:.{max(NOISE, digits)}f}")
    return f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):f}"


def share(value: float | None, span: Interval | None = None, digits: int = 1) -> str:
    """A share in [0, 1] as a percentage, with its interval where it has one: `53.5% [47.2, 59.8]`."""
    ends = f" [{number(100 * span.low, digits)}, {number(100 * span.high, digits)}]" if span else ""
    return DASH if value is None else f"{number(100 * value, digits)}%{ends}"


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
    return f"p{SPACE}={SPACE}{fixed(p, 3)}".replace("0.", ".")


def plural(count: int, singular: str, many: str | None = None) -> str:
    """`1 text`, `2 texts`."""
    return f"{count} {singular if count == 1 else many or singular + 's'}"
