"""What every effect works with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from annotation.mturk.client import Market

# A marketplace forgets a UniqueRequestToken after 24 hours; from here on we look before we call.
TOKEN_LIFE = timedelta(hours=23)


@dataclass(frozen=True, slots=True)
class Context:
    """The market, our clock, where events shall be told (a queue; "" for nowhere), and the first call of the token."""

    market: Market
    clock: Callable[[], datetime]
    queue: str = ""
    called_before: datetime | None = None

    @property
    def token_forgotten(self) -> bool:
        """Whether the token may have worked once and would work again: the marketplace must be asked first."""
        return self.called_before is not None and self.market.now() - self.called_before > TOKEN_LIFE
