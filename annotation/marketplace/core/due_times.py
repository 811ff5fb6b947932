"""The market's time and the earliest moment at which time alone changes something: what every door asks first.

Both come as further columns of a statement that the door needs anyway, so that they cost no way to the database.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import IntegerField, QuerySet, Subquery

from annotation.marketplace.core import clock
from annotation.marketplace.models import Assignment, ClockOffset, Hit

# The names of the columns, in the order that `moment` takes their values.
COLUMNS = ("clock_seconds", "due_hit", "due_work")


@dataclass(frozen=True)
class Moment:
    """The market's time `now`, and the earliest of all due moments."""

    now: datetime
    due: datetime | None

    @property
    def anything_due(self) -> bool:
        return self.due is not None and self.due <= self.now


def columns() -> dict[str, Subquery]:
    """What to annotate a query set with."""
    offset: Subquery[Any] = Subquery(ClockOffset.objects.filter(pk=1).values("seconds"), output_field=IntegerField())
    return dict(zip(COLUMNS, (offset, Subquery(earliest(Hit)), Subquery(earliest(Assignment))), strict=True))


def moment(seconds: int | None, *due: datetime | None) -> Moment:
    """What the values of `columns` say."""
    return Moment(clock.moved_by(seconds or 0), min((each for each in due if each), default=None))


def moment_of(row: Any) -> Moment:
    """The moment that an instance with `columns` was read at."""
    return moment(*(getattr(row, name) for name in COLUMNS))


def earliest(model: type[Hit] | type[Assignment]) -> QuerySet[Any, Any]:
    """The smallest `due_at`: the first entry of an index that holds those only.

    Never "is there a row due by now": for a value it does not know yet PostgreSQL expects a third of the rows, and
    reads a whole table to find none.
    """
    return model._default_manager.filter(due_at__isnull=False).order_by("due_at").values("due_at")[:1]
