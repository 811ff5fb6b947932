"""Amounts and currencies as requesters send them."""

from __future__ import annotations

import re

from annotation.marketplace.cents import DOLLARS, cents, currencies
from annotation.marketplace.errors import InvalidParameterError

KEYWORD = re.compile(r"(?:^|[\s,])assay:currency=([^\s,]*)", re.IGNORECASE)


def amount_of(text: str, currency: str, *, member: str) -> int:
    """Minor units of an amount. Raises InvalidParameterError naming the member, for a fraction of yen."""
    try:
        return cents(text, currency)
    except ValueError as error:
        raise InvalidParameterError(f"{member} {error}.") from None


def currency_of(keywords: str) -> str:
    """The currency of the keyword assay:currency=CODE; dollars without one. Raises InvalidParameterError."""
    codes = {code.upper() for code in KEYWORD.findall(keywords)}
    if len(codes) > 1:
        raise InvalidParameterError(f"Keywords: one currency only, not {', '.join(sorted(codes))[:60]}.")
    for code in codes:
        if code not in currencies():
            raise InvalidParameterError(
                f"Keywords: assay:currency must be an ISO 4217 code in use with at most two decimals, such as EUR; "
                f"it is {code[:20]!r}."
            )
        return code
    return DOLLARS
