"""Reading single cells: each function gives a value, or notes which rule the cell breaks and gives None."""

from __future__ import annotations

import math
import re
import unicodedata
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.rows import Literal

MAX_TEXT = 100_000
MAX_KEY = 200
PLAUSIBLE_LOG_PROB = 1e-6  # a sum of rounded logarithms may end a little above 0
MAX_INTEGER = 2_147_483_647  # what a whole-number column of the database holds
MAX_BIG_INTEGER = 9_223_372_036_854_775_807
MAX_DIGITS = 30
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?\Z", re.ASCII)
NO_NUMBERS = {"nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"}
INTEGER = re.compile(r"[+-]?\d+(?:\.0+)?\Z", re.ASCII)
MANGLED = re.compile(r"\d(?:[.,]\d+)?[Ee]\+\d+\Z", re.ASCII)
MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
DATE_LIKE = re.compile(
    rf"(?:\d{{1,2}}-{MONTH}(?:-\d{{2,4}})?|{MONTH}-\d{{2,4}}|\d{{1,2}}/\d{{1,2}}/\d{{2,4}})\Z", re.ASCII
)
SHEET_ERRORS = frozenset({"#NAME?", "#REF!", "#VALUE!", "#DIV/0!", "#N/A", "#NUM!", "#NULL!", "#SPILL!", "#CALC!"})
MISSING_WORDS = frozenset({"nan", "none", "null", "n/a", "na", "<na>", "nat", "undefined"})
CONSTANTS = frozenset({"NaN", "Infinity", "-Infinity"})
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+\Z", re.ASCII)
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
# Letters of Unicode that leave the paper white: Hangul fillers and the Braille blank.
INKLESS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
# What UTF-8 letters become when they are read as Windows-1252, and the sign of letters that were lost.
BROKEN = re.compile("\ufffd|\u00c3[\u0080-\u00bf\u0152-\u0192\u2018-\u2122]|\u00e2\u20ac[\u0080-\u02dc\u2013-\u2122]")
# Ends of elements that the page is made of, beginnings of such as run, load or swallow, and ends of comment and CDATA.
MARKUP = re.compile(
    r"<!--|\]\]>|<!doctype|<\?xml|<[a-z][^<>]{0,300}\son[a-z]{3,20}\s*="
    r"|</(?:html|head|body|form|fieldset|legend|label|div|section|article|main|header|footer|p|blockquote|pre|textarea"
    r"|script|style|title|option|select|template|button|table|t[rdh]|thead|tbody|ul|ol|li|dl|dt|dd|span|h[1-6]|iframe"
    r"|object|svg|math|noscript|xmp|bdi|bdo|crowd-[a-z-]{1,30})(?:[\s/>]|\Z)"
    r"|<(?:script|style|iframe|frame|frameset|object|embed|applet|form|input|button|textarea|select|option|meta|link"
    r"|base|svg|math|img|video|audio|template|noscript|xmp|plaintext|title|html|head|body|crowd-[a-z-]{1,30})"
    r"(?:[\s/>]|\Z)",
    re.IGNORECASE,
)
CLOCK = re.compile(r"[A-Z][a-z]{2} ([A-Z][a-z]{2} \d{1,2} \d{2}:\d{2}:\d{2}) ([A-Z]{3,4}) (\d{4})\Z")
HOURS = {"UTC": 0, "GMT": 0, "PST": -8, "PDT": -7, "MST": -7, "MDT": -6, "CST": -6, "CDT": -5, "EST": -5, "EDT": -4}


def text_of(
    cell: str,
    row: int | None,
    field: str,
    findings: Findings,
    *,
    limit: int = MAX_TEXT,
    long: Code = Code.CELL_TOO_LONG,
    blank: tuple[Code, Code] = (Code.RULE, Code.RULE),
) -> str | None:
    """A text as written: not blank, not over `limit` characters, no control characters, no half characters.

    long, blank: the codes of a text over the limit, of an empty one and of one in which nothing can be seen.
    """
    if not has_ink(cell):
        rule = "must not be blank" if not cell or cell.isspace() else "must not be blank: it holds nothing to be seen"
        findings.problem(row, field, rule if cell else "must not be empty", blank[1] if cell else blank[0])
        return None
    if isinstance(cell, Literal) and cell in CONSTANTS:
        findings.problem(row, field, f"must be a text, not the constant {cell}", Code.WRONG_TYPE)
        return None
    return cell if _is_clean(cell, row, field, findings, limit, long) else None


def has_ink(cell: str) -> bool:
    """Whether anything in the cell can be seen: a letter, a number, a sign; no blanks, marks and zero-width signs."""
    return any(
        mark not in INKLESS and (mark.isalnum() or (unicodedata.category(mark)[0] in "LNPSC" and not _is_hidden(mark)))
        for mark in cell
    )


def _is_hidden(mark: str) -> bool:
    """Line breaks, formatting signs and unassigned places; control characters have a rule of their own."""
    return mark in "\t\n\r\x0b\x0c\x85" or unicodedata.category(mark) in {"Cf", "Cn"}


def optional_text(
    cell: str,
    row: int | None,
    field: str,
    findings: Findings,
    *,
    limit: int = MAX_TEXT,
    long: Code = Code.CELL_TOO_LONG,
) -> str:
    """As text_of, but "" where the cell is blank or breaks a rule (which is noted)."""
    if not cell or cell.isspace():
        return ""
    return (text_of(cell, row, field, findings, limit=limit, long=long) or "") if has_ink(cell) else ""


def _is_clean(cell: str, row: int | None, field: str, findings: Findings, limit: int, long: Code) -> bool:
    before = findings.total
    if len(cell) > limit:
        findings.problem(row, field, f"{len(cell)} characters; the limit is {limit}", long)
    match = CONTROL.search(cell)
    if match is not None:
        odd = match[0]
        if unicodedata.category(odd) == "Cs":
            rule, code = "half a character (a lone surrogate)", Code.LONE_SURROGATE
        else:
            rule, code = "a control character", Code.CONTROL_CHARACTER
        findings.problem(row, field, f"{rule}, U+{ord(odd):04X}", code)
    return findings.total == before


def plain_text(cell: str, row: int | None, field: str, findings: Findings) -> bool:
    """Whether a text for raters is free of markup and of spreadsheet errors; warn of garbled characters."""
    before = findings.total
    markup = MARKUP.search(cell)
    if markup is not None:
        rule = f"holds HTML that could break out of the page, {short(markup[0])} at character {markup.start() + 1}"
        findings.problem(row, field, rule, Code.MARKUP)
    if cell.strip() in SHEET_ERRORS:
        findings.problem(row, field, f"{cell.strip()!r} is a spreadsheet's error value", Code.SPREADSHEET_ERROR)
    if cell.strip().lower() in MISSING_WORDS:
        findings.warn(row, field, f"the text is the missing-value marker {cell.strip()!r}", Code.MISSING_WORD)
    if not cell.isascii() and (broken := BROKEN.search(cell)) is not None:
        rule = f"{broken[0]!r} at character {broken.start() + 1} looks like garbled characters (wrong encoding)"
        findings.warn(row, field, rule, Code.DAMAGED_LETTERS)
    return findings.total == before


def key_of(cell: str, row: int | None, field: str, findings: Findings, *, limit: int = MAX_KEY) -> str | None:
    """An id: not blank, at most `limit` characters, nothing invisible in it, not mangled by a spreadsheet."""
    key = text_of(cell.strip(), row, field, findings, limit=limit, blank=(Code.EMPTY_ID, Code.EMPTY_ID))
    if not key or (key.isascii() and key.isalnum() and not key[0].isdigit()):
        return key
    if MANGLED.match(key):
        findings.problem(row, field, f"{key!r} looks like an id that a spreadsheet has rounded", Code.MANGLED_ID)
        return None
    if key in SHEET_ERRORS or not key.strip("#"):
        findings.problem(row, field, f"{key!r} is what a spreadsheet writes for an error", Code.MANGLED_ID)
        return None
    if _holds_hidden(key, "id", row, field, findings):
        return None
    if DATE_LIKE.match(key):
        findings.warn(row, field, f"{key!r} looks like an id that a spreadsheet took for a date", Code.DATE_LIKE_ID)
    return key


def name_of(cell: str, row: int | None, field: str, findings: Findings, *, limit: int) -> str:
    """A name that may be absent, "" then: nothing invisible in it, which could turn its sentence round."""
    name = optional_text(cell, row, field, findings, limit=limit).strip()
    return "" if _holds_hidden(name, "name", row, field, findings) else name


def _holds_hidden(word: str, what: str, row: int | None, field: str, findings: Findings) -> bool:
    hidden = next((mark for mark in word if unicodedata.category(mark) in {"Cf", "Zl", "Zp"} or mark in "\t\r\n"), None)
    if hidden is None:
        return False
    rule = f"the {what} {word!r} holds an invisible character, U+{ord(hidden):04X}"
    findings.problem(row, field, rule, Code.INVISIBLE_IN_ID)
    return True


def log_prob_of(cell: str, row: int | None, field: str, findings: Findings) -> float | None:
    """A natural log-probability in [-inf, 0]; a rounding error of 1e-6 above 0 is taken."""
    written = cell.strip()
    if not NUMBER.match(written) and written.lower() not in NO_NUMBERS:
        hint = "; write a decimal point" if DECIMAL_COMMA.match(written) else ""
        hint = "; write its minus as a hyphen (-)" if NUMBER.match(written.replace("\u2212", "-")) else hint
        findings.problem(row, field, f"{short(cell)} is not a number{hint}", Code.LOG_P_NOT_A_NUMBER)
        return None
    value = float(written)
    if math.isnan(value):
        findings.problem(row, field, "must be a number or -inf, not NaN", Code.LOG_P_NAN)
    elif value == math.inf:
        findings.problem(row, field, "must be a number or -inf, not +inf", Code.LOG_P_INFINITE)
    elif value > PLAUSIBLE_LOG_PROB:
        rule = f"a log-probability is 0 or less, not {short(written)[1:-1]}"
        findings.problem(row, field, rule, Code.LOG_P_ABOVE_ZERO)
    else:
        return value
    return None


def integer_of(
    cell: str,
    row: int | None,
    field: str,
    findings: Findings,
    *,
    minimum: int,
    maximum: int = MAX_INTEGER,
    odd: Code = Code.RULE,
    below: Code = Code.RULE,
) -> int | None:
    """A whole number from `least` to `most`. odd, below: the codes of no whole number, and of one under `least`."""
    written = cell.strip()
    if not INTEGER.match(written):
        findings.problem(row, field, f"must be a whole number, not {short(cell)}", odd)
    elif len(written) > MAX_DIGITS or int(written.partition(".")[0]) > maximum:
        if written.startswith("-"):
            findings.problem(row, field, f"must be {minimum} or more, not {short(cell)}", below)
        else:
            findings.problem(row, field, f"must be {maximum} or less, not {short(cell)}", Code.NUMBER_TOO_LARGE)
    elif int(written.partition(".")[0]) < minimum:
        findings.problem(row, field, f"must be {minimum} or more, not {written}", below)
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
    if len(written) > MAX_DIGITS or abs(value.adjusted()) > MAX_DIGITS:
        findings.problem(row, field, f"must be written in at most {MAX_DIGITS} digits, not {short(cell)}")
        return None
    return value


def cents_of(cell: str, row: int | None, field: str, findings: Findings) -> int | None:
    """Dollars such as $1.00, in cents."""
    value = decimal_of(cell.strip().removeprefix("$"), row, field, findings)
    if value is None:
        return None
    cents = value * 100
    if not 0 <= cents <= MAX_INTEGER or cents != cents.to_integral_value():
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
        moment = datetime.fromisoformat(cell.strip())
    except KeyError:
        findings.problem(row, field, f"the time zone {parts[2] if parts else ''!r} is not one we know")
        return None
    except ValueError:
        findings.problem(row, field, f"{short(cell)} is not a time such as 'Thu Nov 08 14:13:25 PST 2018'")
        return None
    if moment.tzinfo is None:
        findings.problem(row, field, f"{short(cell)} gives no time zone")
        return None
    return moment.astimezone(UTC)


def short(cell: str) -> str:
    """The cell in quotation marks, for a message: its beginning where it is long."""
    return repr(str(cell)) if len(cell) <= 60 else f"{cell[:60]!r}..."


def whitespace_tokens(text: str) -> int:
    """How many blank-separated words a text has; at least 1."""
    return max(1, len(text.split()))


def single_blank_tokens(text: str) -> int:
    """len(text.split(' ')), as the original HUSE code counts: two blanks in a row make an empty word."""
    return len(text.split(" "))
