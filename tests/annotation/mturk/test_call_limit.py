"""A marketplace that takes a call and never answers."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from annotation.exceptions import MarketError
from annotation.mturk import call_limit
from annotation.mturk import client as market_client
from annotation.mturk.client import Market
from annotation.mturk.records import Endpoint


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that accepts connections and says nothing."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(50)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"


def test_a_call_without_an_answer_ends_with_a_sentence(silent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(market_client, "READ_SECONDS", 0.2)
    monkeypatch.setattr(call_limit, "REPEAT_SECONDS", 0.2)
    market = Market(Endpoint(silent, "key", "secret"))
    with pytest.raises(MarketError, match="could not be reached: it has not answered for") as refused:
        market.balance_cents()
    assert not refused.value.permanent


def test_the_longest_call_ends_within_half_a_minute() -> None:
    hanging = call_limit.REPEAT_SECONDS + call_limit.READ_SECONDS
    assert hanging <= 24
    assert market_client.READ_SECONDS == call_limit.READ_SECONDS


def test_the_limit_counts_from_the_first_try_of_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    handlers: dict[str, Callable[[], None]] = {}
    events = SimpleNamespace(register=handlers.__setitem__)
    times = iter([0.0, 11.9, 12.1, 20.0, 20.0])
    monkeypatch.setattr(call_limit.time, "monotonic", lambda: next(times))
    call_limit.CallLimit(SimpleNamespace(meta=SimpleNamespace(events=events)))
    handlers["before-call"]()
    handlers["before-send"]()
    with pytest.raises(call_limit.NoAnswerError):
        handlers["before-send"]()
    handlers["before-call"]()
    handlers["before-send"]()
