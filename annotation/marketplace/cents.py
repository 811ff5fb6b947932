"""Money: whole minor units of one currency inside, decimal text on the wire.

Fields and parameters named cents hold minor units (cents of dollars and euros, whole yen). On the wire an amount is
written in the currency's own decimals: "1.25" for euros, "150" for yen. In dollars it is as Mechanical Turk wrote it.
"""

from __future__ import annotations

from decimal import Decimal
from functools import cache

from babel import Locale
from babel.core import UnknownLocaleError, get_global
from babel.numbers import get_currency_symbol, parse_pattern

# No single amount on the wire may exceed this (one million dollars); it keeps sums far inside 64 bits.
LARGEST_CENTS = 100_000_000
DOLLARS = "USD"
# Currencies without minor units by ISO 4217. The API's amounts have two decimals at most, so those with three or four
# cannot be paid here.
WITHOUT_DECIMALS = frozenset(
    [
        "BIF",
        "CLP",
        "DJF",
        "GNF",
        "ISK",
        "JPY",
        "KMF",
        "KRW",
        "PYG",
        "RWF",
        "UGX",
        "UYI",
        "VND",
        "VUV",
        "XAF",
        "XOF",
        "XPF",
    ]
)
TOO_FINE = frozenset(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND", "CLF", "UYW"])


@cache
def currencies() -> frozenset[str]:
    """The ISO 4217 codes of currencies in use that amounts can be written in here."""
    rows = [row for rows in get_global("territory_currencies").values() for row in rows]
    return frozenset(code for code, _, end, tender in rows if tender and end is None) - TOO_FINE


def decimals(currency: str) -> int:
    """How many decimals an amount of the currency has."""
    return 0 if currency in WITHOUT_DECIMALS else 2


def cents(text: str, currency: str = DOLLARS) -> int:
    """Minor units of an amount that has passed the CurrencyAmount pattern ("5", "5.", "0.1", "0.10").

    Raises ValueError for a fraction of a currency that has none.
    """
    minor = Decimal(text).scaleb(decimals(currency))
    if minor != int(minor):
        raise ValueError(f"must be a whole number of {currency}, such as 150; it is {text:.20}")
    return int(minor)


def dollars(amount: int, currency: str = DOLLARS) -> str:
    """`amount` minor units as the wire writes them: in the currency's own decimals."""
    digits = decimals(currency)
    return f"{Decimal(amount).scaleb(-digits):.{digits}f}"


def format_money(amount: int, currency: str, language: str = "en") -> str:
    """`amount` minor units as people read them: $1.00, 1,25 € in German, ¥150. Dollars are written alike everywhere."""
    if currency == DOLLARS:
        return f"${dollars(amount)}"
    return _written(amount, currency, language or "en")


@cache
def _locale(language: str) -> Locale:
    try:
        return Locale.parse(language.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        return Locale.parse("en")


def _written(amount: int, currency: str, language: str) -> str:
    locale, digits = _locale(language), decimals(currency)
    pattern = parse_pattern(locale.currency_formats["standard"].pattern)
    pattern.frac_prec = (digits, digits)
    text = pattern.apply(Decimal(amount).scaleb(-digits), locale, currency=currency, currency_digits=False)
    symbol = get_currency_symbol(currency, locale=locale)
    if symbol[-1:].isalpha() and text.startswith(symbol):
        return f"{symbol}\N{NO-BREAK SPACE}{text.removeprefix(symbol)}"
    return text
