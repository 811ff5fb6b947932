"""How values are written for people: numbers, money, times, estimates, and missing values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from metrics.data.currency import plain_amount
from metrics.data.number_format import DASH as DASH
from metrics.data.number_format import estimate as estimate
from metrics.data.number_format import interval as interval
from metrics.data.number_format import number as number
from metrics.data.number_format import p_value as p_value
from metrics.data.number_format import plural as plural
from metrics.data.number_format import share as share
from metrics.tables.shown import name_criterion as name_criterion

NOT_RECORDED = "not recorded"
# Names of methods as files and results have them, and as a sentence does.
METHODS = {"bootstrap": "the bootstrap", "half-samples": "half-samples of contexts"}
BEGINNINGS = {"wilson": "Wilson's method", "Wilson": "Wilson's method", "t": "Student's t"}


def bind_values(sentence: str) -> str:
    """The sentence with its intervals, p, n, sums of money and durations each on one line, by no-break spaces."""
    bound = re.sub(r"(\S) (\[[^\],]+,) ", "\\1\u00a0\\2\u00a0", sentence)
    bound = re.sub(r"(\d min) (\d+ s)\b", "\\1\u00a0\\2", bound)
    bound = re.sub(r"\b([np]) ([=<]) (?=[\d.])", "\\1\u00a0\\2\u00a0", bound)
    return re.sub(r"(?<=\d) (?=(?:[A-Z]{3}|min|s)\b)", "\u00a0", bound)


def name_method(method: str) -> str:
    """The name of a method of intervals as a sentence has it: `Wilson's method, for new texts`."""
    first = re.split(r"[ ,(]", method, maxsplit=1)[0]
    return METHODS.get(method) or f"{BEGINNINGS.get(first, first)}{method.removeprefix(first)}"


def describe_range(low: int, high: int) -> str:
    """One number, or both ends of a range of numbers: `4`, `4 to 9`."""
    return str(low) if low == high else f"{low} to {high}"


def quote(name: str) -> str:
    """A name that people chose, set off from the words of a sentence."""
    return f"“{name}”"


def join_names(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def describe_days(first: datetime, last: datetime) -> str:
    """One day, or both ends of several: `3 November 2026`, `3 November 2026 to 4 November 2026`."""
    days = [f"{when.day} {when:%B %Y}" for when in (first, last)]
    return " to ".join(dict.fromkeys(days))


def money(cents: int | None, currency: str = "USD") -> str:
    """`160.00 USD` or `16000 JPY`, from whole minor units of the currency."""
    if cents is None:
        return NOT_RECORDED
    sign = "−" if cents < 0 else ""
    return f"{sign}{plain_amount(abs(cents), currency)} {currency}"


def duration(seconds: float | None) -> str:
    """`13 min 24 s`."""
    if seconds is None:
        return NOT_RECORDED
    rounded = round(seconds)
    if rounded < 60:
        return f"{rounded} s"
    return f"{rounded // 60} min {rounded % 60:02d} s"


def moment(when: datetime | None) -> str:
    """`Tuesday, 3 November 2026, 14:05 UTC`: weekdays matter to a reviewer. Of midnight the day: a public release has
    no times."""
    if when is None:
        return NOT_RECORDED
    if (when.hour, when.minute, when.second) == (0, 0, 0):
        return f"{when:%A}, {when.day} {when:%B %Y}"
    return f"{when:%A}, {when.day} {when:%B %Y, %H:%M} {when.tzname() or ''}".strip()


def known(value: object) -> str:
    """Any recorded fact as text; "not recorded" for None and for nothing at all."""
    return NOT_RECORDED if value is None or value in ("", ()) else str(value)
