"""Pages: a token with every page that holds something, also the last, then one empty page without (as Amazon did).

A token is the signed position after which the next page starts, bound to the requester, the operation and its filters.
Pages are found by index, so a later page costs no more than the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Generic, TypeVar

from django.core import signing
from django.db.models import Model, Q, QuerySet
from django.utils.crypto import salted_hmac

from annotation.marketplace.core.prepared_sql import Prepared
from annotation.marketplace.errors import InvalidParameterError

USUAL_SIZE = 10
SALT = "marketplace.paging"

Row = TypeVar("Row", bound=Model)


class Listing(Generic[Row]):
    """A list that is asked for often: the SQL of its first pages is kept (see `prepared`), by their size.

    `build` makes the rows from texts and whole numbers (`kinds`), without order; `keys` are the ordering fields.
    """

    def __init__(self, build: Callable[..., QuerySet[Row]], *kinds: type[str] | type[int], keys: Sequence[str]) -> None:
        self.rows = build
        self._first = cache(lambda size: Prepared(lambda *values: build(*values).order_by(*keys)[:size], *kinds))

    def of(self, *values: str | int) -> Listed[Row]:
        """The list for `values`."""
        return Listed(self, values)

    def first(self, size: int, *values: str | int) -> list[Row]:
        """The first `size` rows of the list for `values`."""
        return self._first(size)(*values)


@dataclass(frozen=True)
class Listed(Generic[Row]):
    """A listing with its values."""

    listing: Listing[Row]
    values: tuple[str | int, ...]

    def rows(self) -> QuerySet[Row]:
        return self.listing.rows(*self.values)

    def first(self, size: int) -> list[Row]:
        return self.listing.first(size, *self.values)


def page(
    rows: QuerySet[Row] | Listed[Row],
    parameters: dict[str, Any],
    *,
    keys: Sequence[str],
    scope: Sequence[Any],
    member: str,
    shape: Callable[[Row], dict[str, Any]],
) -> dict[str, Any]:
    """One page of `rows` as an operation's result: NumResults, the list under `member`, NextToken unless empty.

    `keys` are the ordering fields (the last one unique), `scope` what the token belongs to.
    Raises InvalidParameterError when NextToken is not one of this list.
    """
    bound, size, token = _fingerprint(scope), parameters.get("MaxResults", USUAL_SIZE), parameters.get("NextToken")
    if isinstance(rows, Listed) and not token:
        page_rows = rows.first(size)
    else:
        every = rows.rows() if isinstance(rows, Listed) else rows
        behind = every.filter(_after(keys, _position(token, bound))) if token else every
        page_rows = list(behind.order_by(*keys)[:size])
    following = signing.dumps([bound, _place(page_rows[-1], keys)], salt=SALT) if page_rows else None
    return {"NumResults": len(page_rows), member: [shape(row) for row in page_rows], "NextToken": following}


def _fingerprint(scope: Sequence[Any]) -> str:
    return salted_hmac(SALT, repr(list(scope))).hexdigest()[:16]


def _place(row: Model, keys: Sequence[str]) -> list[Any]:
    values = [getattr(row, key) for key in keys]
    return [value.isoformat() if isinstance(value, datetime) else value for value in values]


def _position(token: str, bound: str) -> list[Any]:
    try:
        fingerprint, place = signing.loads(token, salt=SALT)
    except (signing.BadSignature, ValueError):
        raise InvalidParameterError("NextToken is not a token that this operation has given.") from None
    if fingerprint != bound:
        raise InvalidParameterError("NextToken belongs to another list (operation, filters or requester differ).")
    return list(place)


def _after(keys: Sequence[str], place: Sequence[Any]) -> Q:
    """Rows behind `place` in the order of `keys` (one or two)."""
    if len(keys) == 1:
        return Q(**{f"{keys[0]}__gt": place[0]})
    first, second = keys
    tie = Q(**{first: place[0], f"{second}__gt": place[1]})
    return Q(**{f"{first}__gte": place[0]}) & (Q(**{f"{first}__gt": place[0]}) | tie)
