"""Currencies and their minor units by ISO 4217, as at 2026: which amounts exist in a currency."""

from __future__ import annotations

# What ISO 4217 lists with other minor units than hundredths. The data that format amounts (CLDR) round some currencies
# more coarsely, such as RSD and AFN, and are no source for this.
OTHER_DIGITS = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}
_DIGITS = {code: digits for digits, codes in OTHER_DIGITS.items() for code in codes.split()}


def minor_digits(currency: str) -> int:
    """How many decimals an amount of the currency has.

    >>> [minor_digits(code) for code in ("USD", "JPY", "KWD")]
    [2, 0, 3]
    """
    return _DIGITS.get(currency, 2)


def plain_amount(minor: int, currency: str) -> str:
    """Write minor units as a decimal number in the currency's decimals, without separators.

    >>> [plain_amount(150, code) for code in ("EUR", "JPY", "KWD")]
    ['1.50', '150', '0.150']
    """
    digits = minor_digits(currency)
    sign, digits_text = ("-" if minor < 0 else ""), str(abs(minor)).rjust(digits + 1, "0")
    return f"{sign}{digits_text[:-digits]}.{digits_text[-digits:]}" if digits else f"{sign}{digits_text}"
