"""The name by which people who take part know a requester."""

from __future__ import annotations

from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.models import Requester

LONGEST = 100


def set_display_name(requester: Requester, name: str) -> None:
    """Let people read `name` as who asks. Raises InvalidParameterError when it is empty, too long or not printable."""
    plain = " ".join(name.split())
    if not plain or len(plain) > LONGEST or not plain.isprintable():
        raise InvalidParameterError(f"The name that participants see has 1 to {LONGEST} printable characters.")
    requester.display_name = plain
    requester.save(update_fields=["display_name"])
