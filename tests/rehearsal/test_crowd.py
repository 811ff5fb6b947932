"""Who of a simulated crowd comes first, on a machine that is busy elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from annotation.rehearsal.crowd import crowd
from annotation.rehearsal.crowd.browser import RefusedError, Sheet


@pytest.mark.parametrize("refused", [(), ("slow",), ("a", "d")])
def test_members_accept_in_the_order_listed_however_long_signing_in_takes(
    monkeypatch: pytest.MonkeyPatch, refused: tuple[str, ...]
) -> None:
    accepted: list[str] = []

    class Visit:
        """A visit whose sign-in and first page take the slow member longer than the others' whole work."""

        def __init__(self, name: str) -> None:
            self.name = name
            time.sleep(0.2 if name == "slow" else 0)

        def __enter__(self) -> Visit:
            return self

        def __exit__(self, *_: object) -> None: ...

        def accept(self, offer: str, *, wait: Callable[[], object]) -> Sheet:
            if self.name in refused:
                raise RefusedError("There is no place.")
            wait()
            accepted.append(self.name)
            return Sheet(offer, (), ())

        def hand_in(self, *_: Any) -> None: ...

    monkeypatch.setattr(crowd, "Browser", Visit)
    names = ["slow", "a", "b", "c", "d", "e"]
    places = [(crowd.Member(name, lambda _: ()), ["/hits/1/"]) for name in names]
    day = crowd.work_through(places, threads=3, max_hits=1, in_order=True)
    assert accepted == [name for name in names if name not in refused]
    assert (day.handed_in, day.refused) == (6 - len(refused), len(refused))
