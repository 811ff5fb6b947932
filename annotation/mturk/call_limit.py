"""A marketplace that hangs: a call and its repetitions end within half a minute, with a sentence."""

from __future__ import annotations

import threading
import time
from typing import Any

from botocore.exceptions import BotoCoreError

CONNECT_SECONDS, READ_SECONDS = 5, 12
# No repetition begins later: with the last pause (8 s) and the last answer (12 s) a call ends within 32 s, and where
# nothing comes back at all within 14 s.
REPEAT_SECONDS = 12.0


class NoAnswerError(BotoCoreError):
    """The marketplace has not answered for so long that the call is given up; botocore does not repeat it."""

    fmt = "it has not answered for {seconds} seconds"


class CallLimit:
    """Begins no repetition of a client's call REPEAT_SECONDS after its first try."""

    def __init__(self, client: Any) -> None:
        self._began = threading.local()
        client.meta.events.register("before-call", self._begin)
        client.meta.events.register("before-send", self._check)

    def _begin(self, **_: Any) -> None:
        self._began.at = time.monotonic()

    def _check(self, **_: Any) -> None:
        passed = time.monotonic() - self._began.at
        if passed >= REPEAT_SECONDS:
            raise NoAnswerError(seconds=round(passed))
