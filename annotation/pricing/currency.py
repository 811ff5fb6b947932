"""Amounts of a study's currency: whole minor units inside, read and written as the currency writes them.

A study has one currency (ISO 4217). Fields named `..._cents` hold its minor units: cents of dollars and euros, yen,
thousandths of a dinar. Nothing is ever converted, and amounts of different currencies are never added.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache

from babel import Locale
from babel.core import get_global
from babel.numbers import NumberPattern, get_currency_name, get_currency_symbol, parse_pattern

from annotation.exceptions import DesignError
from metrics.data.currency import minor_digits, plain_amount

__all__ = [
    "DEFAULT_CURRENCY",
    "USUAL_CURRENCIES",
    "check_currency",
    "currency_choices",
    "currency_label",
    "format_money",
    "is_currency",
    "minor_digits",
    "parse_amount",
    "plain_amount",
]

DEFAULT_CURRENCY = "USD"
USUAL_CURRENCIES = ("USD", "EUR", "GBP", "CHF", "JPY", "CAD", "AUD")
MAX_AMOUNT = 10**12
_NUMBER = re.compile(r"(?P<whole>[0-9]+)(?:\.(?P<part>[0-9]*))?", re.ASCII)
_NAMED = re.compile(r"(?P<number>.*?)\s*(?P<code>[A-Za-z]{3})", re.ASCII)
_LOCALE = "en_US"


class AmountError(DesignError):
    """An amount or a currency cannot be read; the sentence names the rule."""


@cache
def _current() -> frozenset[str]:
    """The currencies that are legal tender somewhere."""
    rows = [row for rows in get_global("territory_currencies").values() for row in rows]
    return frozenset(code for code, _, end, tender in rows if tender and end is None)


def is_currency(code: str) -> bool:
    """Whether `code` is the ISO 4217 code of a currency in use, in capital letters."""
    return code in _current()


def check_currency(code: str) -> str:
    """The code in capital letters. Raises AmountError for what is no currency in use."""
    upper = code.strip().upper()
    if is_currency(upper) and minor_digits(upper) > 2:
        raise AmountError(
            f"{upper} has {minor_digits(upper)} decimals. Amounts of the Requester API have at most two, so studies "
            "cannot pay in it."
        ).at("currency")
    if not is_currency(upper):
        raise AmountError(
            f"{code.strip()[:20]!r} is not a currency in use. Use its three-letter ISO 4217 code, such as USD, EUR or "
            "JPY."
        ).at("currency")
    return upper


@cache
def currency_choices() -> list[tuple[str, str]]:
    """Codes with their English names, the usual ones first."""
    others = sorted(code for code in _current() - set(USUAL_CURRENCIES) if minor_digits(code) <= 2)
    codes = [*USUAL_CURRENCIES, *others]
    return [(code, f"{code} ({get_currency_name(code, locale=_LOCALE)})") for code in codes]


def currency_label(currency: str) -> str:
    """What stands in the label of a field for an amount: $ for dollars, else the code."""
    return "$" if currency == DEFAULT_CURRENCY else currency


def example(currency: str) -> str:
    """An amount as the currency is written.

    >>> example("EUR"), example("JPY")
    ('1.25', '150')
    """
    digits = minor_digits(currency)
    return f"1.25{'0' * (digits - 2)}" if digits else "150"


def parse_amount(text: str, currency: str) -> int:
    """Minor units of an amount such as 1.25 (150 in yen); the code of the currency may follow it.

    Raises AmountError naming the rule: not a number, more decimals than the currency has, another currency.
    """
    shown = text.strip()[:40]
    number = shown
    if (named := _NAMED.fullmatch(shown)) and any(letter.isdigit() for letter in shown):
        number = named["number"]
        if (code := named["code"].upper()) != currency:
            raise AmountError(f"{shown} is in {code}. The amounts of this study are in {currency}; none is converted.")
    match = _NUMBER.fullmatch(number)
    if match is None:
        raise AmountError(
            f"{shown!r} is not an amount of {currency}. Write digits without separators, such as {example(currency)}."
        )
    digits, part = minor_digits(currency), match["part"] or ""
    if len(part) > digits:
        rule = f"at most {digits} decimals" if digits else "no decimals"
        raise AmountError(f"{number} is not an amount of {currency}, which has {rule}. Write {example(currency)}.")
    minor = int(match["whole"] + part.ljust(digits, "0"))
    if minor > MAX_AMOUNT:
        raise AmountError(f"{shown} is more than {plain_amount(MAX_AMOUNT, currency)} {currency}.")
    return minor


def format_money(minor: int | None, currency: str) -> str:
    """Write minor units as people read them in English: $1,234.50, €1.25, ¥150; a dash where there are none.

    >>> [format_money(1250, code) for code in ("USD", "EUR", "JPY", "KWD")]
    ['$12.50', '€12.50', '¥1,250', 'KWD\\xa01.250']
    """
    if minor is None:
        return "–"
    symbol = get_currency_symbol(currency, locale=_LOCALE)
    digits = minor_digits(currency)
    number = _pattern(digits).apply(Decimal(abs(minor)).scaleb(-digits), Locale.parse(_LOCALE))
    space = "\N{NO-BREAK SPACE}" if symbol[-1].isalpha() else ""
    return f"{'−' if minor < 0 else ''}{symbol}{space}{number}"


@cache
def _pattern(digits: int) -> NumberPattern:
    return parse_pattern(f"#,##0.{'0' * digits}" if digits else "#,##0")
