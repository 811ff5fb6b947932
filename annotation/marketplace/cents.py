"""Money: integer cents inside, text such as "0.10" on the wire."""

from __future__ import annotations

from decimal import Decimal

# No single amount on the wire may exceed this (one million dollars); it keeps sums far inside 64 bits.
LARGEST_CENTS = 100_000_000


def cents(text: str) -> int:
    """Whole cents of an amount that has passed the CurrencyAmount pattern ("5", "5.", "0.1", "0.10")."""
    return int(Decimal(text) * 100)


def dollars(amount: int) -> str:
    """`amount` cents as the wire writes it: dollars with two decimals."""
    return f"{Decimal(amount) / 100:.2f}"
