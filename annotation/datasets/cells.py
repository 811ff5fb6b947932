"""Reading single cells: each function gives a value, or notes which rule the cell breaks and gives None."""

from __future__ import annotations

import math
import re
import unicodedata
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

from annotation.datasets.problems import Findings

MAX_TEXT = 100_000
MAX_KEY = 200
PLAUSIBLE_LOG_PROB = 1e-6  # a sum of rounded logarithms may end a little above 0
MOST = 2_147_483_647  # what a whole-number column of the database holds
MOST_COUNT = 9_223_372_036_854_775_807
MOST_DIGITS = 30
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?\Z", re.ASCII)
NO_NUMBERS = {"nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"}
WHOLE = re.compile(r"[+-]?\d+(?:\.0+)?\Z", re.ASCII)
MANGLED = re.compile(r"\d(?:[.,]\d+)?E\+\d+\Z")
CLOCK = re.compile(r"[A-Z][a-z]{2} ([A-Z][a-z]{2} \d{1,2} \d{2}:\d{2}:\d{2}) ([A-Z]{3,4}) (\d{4})\Z")
HOURS = {"UTC": 0, "GMT": 0, "PST": -8, "PDT": -7, "MST": -7, "MDT": -6, "CST": -6, "CDT": -5, "EST": -5, "EDT": -4}


def text_of(cell: str, row: int | None, field: str, findings: Findings, *, limit: int = MAX_TEXT) -> str | None:
    """A text as written: not blank, not over `limit` characters, no control characters, no half characters."""
    if not cell.strip():
        findings.problem(row, field, "must not be blank" if cell else "must not be empty")
        return None
    return cell if _is_clean(cell, row, field, findings, limit) else None


def optional_text(cell: str, row: int | None, field: str, findings: Findings, *, limit: int = MAX_TEXT) -> str:
    """As text_of, but "" where the cell is blank or breaks a rule (which is noted)."""
    return (text_of(cell, row, field, findings, limit=limit) or "") if cell.strip() else ""


def _is_clean(cell: str, row: int | None, field: str, findings: Findings, limit: int) -> bool:
    before = findings.total
    if len(cell) > limit:
        findings.problem(row, field, f"{len(cell)} characters; the limit is {limit}")
    if not cell.isprintable():
        odd = next((mark for mark in cell if unicodedata.category(mark) in {"Cc", "Cs"} and mark not in "\n\r\t"), None)
        if odd is not None:
            kind = "half a character (a lone surrogate)" if unicodedata.category(odd) == "Cs" else "a control character"
            findings.problem(row, field, f"{kind}, U+{ord(odd):04X}")
    return findings.total == before


def key_of(cell: str, row: int | None, field: str, findings: Findings, *, limit: int = MAX_KEY) -> str | None:
    """An id: not blank, at most `limit` characters, not turned into a rounded number by a spreadsheet."""
    key = text_of(cell.strip(), row, field, findings, limit=limit)
    if key and MANGLED.match(key):
        findings.problem(row, field, f"{key!r} looks like an id that a spreadsheet has rounded")
        return None
    return key


def log_prob_of(cell: str, row: int | None, field: str, findings: Findings) -> float | None:
    """A natural log-probability in [-inf, 0]; a rounding error of 1e-6 above 0 is taken."""
    written = cell.strip()
    if not NUMBER.match(written) and written.lower() not in NO_NUMBERS:
        findings.problem(row, field, f"{short(cell)} is not a number")
        return None
    value = float(written)
    if math.isnan(value):
        findings.problem(row, field, "must be a number or -inf, not NaN")
    elif value == math.inf:
        findings.problem(row, field, "must be a number or -inf, not +inf")
    elif value > PLAUSIBLE_LOG_PROB:
        findings.problem(row, field, f"a log-probability is 0 or less, not {written}")
    else:
        return value
    return None


def whole_of(cell: str, row: int | None, field: str, findings: Findings, *, least: int, most: int = MOST) -> int | None:
    """A whole number from `least` to `most`."""
    written = cell.strip()
    if not WHOLE.match(written):
        findings.problem(row, field, f"must be a whole number, not {short(cell)}")
    elif len(written) > MOST_DIGITS or int(written.partition(".")[0]) > most:
        findings.problem(row, field, f"must be {most} or less, not {short(cell)}")
    elif int(written.partition(".")[0]) < least:
        findings.problem(row, field, f"must be {least} or more, not {written}")
    else:
        return int(written.partition(".")[0])
    return None


def decimal_of(cell: str, row: int | None, field: str, findings: Findings) -> Decimal | None:
    """A decimal exactly as written, of at most 30 digits."""
    written = cell.strip()
    if not NUMBER.match(written):
        findings.problem(row, field, f"{short(cell)} is not a number")
        return None
    value = Decimal(written)
    if len(written) > MOST_DIGITS or abs(value.adjusted()) > MOST_DIGITS:
        findings.problem(row, field, f"must be written in at most {MOST_DIGITS} digits, not {short(cell)}")
        return None
    return value


def cents_of(cell: str, row: int | None, field: str, findings: Findings) -> int | None:
    """Dollars such as $1.00, in cents."""
    value = decimal_of(cell.strip().removeprefix("$"), row, field, findings)
    if value is None:
        return None
    cents = value * 100
    if not 0 <= cents <= MOST or cents != cents.to_integral_value():
        findings.problem(row, field, f"must be whole cents of 0 or more, not {short(cell)}")
        return None
    return int(cents)


def time_of(cell: str, row: int | None, field: str, findings: Findings) -> datetime | None:
    """A time such as `Thu Nov 08 14:13:25 PST 2018` or ISO 8601 with an offset, as aware UTC."""
    parts = CLOCK.match(cell.strip())
    try:
        if parts:
            zone = timezone(timedelta(hours=HOURS[parts[2]]))
            naive = datetime.strptime(f"{parts[1]} {parts[3]}", "%b %d %H:%M:%S %Y")  # noqa: DTZ007
            return naive.replace(tzinfo=zone).astimezone(UTC)
        found = datetime.fromisoformat(cell.strip())
    except KeyError:
        findings.problem(row, field, f"the time zone {parts[2] if parts else ''!r} is not one we know")
        return None
    except ValueError:
        findings.problem(row, field, f"{short(cell)} is not a time such as 'Thu Nov 08 14:13:25 PST 2018'")
        return None
    if found.tzinfo is None:
        findings.problem(row, field, f"{short(cell)} gives no time zone")
        return None
    return found.astimezone(UTC)


def short(cell: str) -> str:
    """The cell in quotation marks, for a message: its beginning where it is long."""
    return repr(cell) if len(cell) <= 60 else f"{cell[:60]!r}..."


def whitespace_tokens(text: str) -> int:
    """How many blank-separated words a text has; at least 1."""
    return max(1, len(text.split()))


def single_blank_tokens(text: str) -> int:
    """len(text.split(' ')), as the original HUSE code counts: two blanks in a row make an empty word."""
    return len(text.split(" "))
