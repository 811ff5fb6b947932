"""How failures of calls to Prolific are read, and how amounts are kept apart."""

from __future__ import annotations

from datetime import timedelta

import httpx
import pytest

from annotation.marketplace.prolific.client import Client, ProlificError
from annotation.marketplace.prolific.records import Minor, SessionRecord, minor_of

ID = "64c00000000000000000abcd"


def failed(answer: httpx.Response | Exception) -> ProlificError:
    """The error of a call that is answered so."""

    def handle(request: httpx.Request) -> httpx.Response:
        if isinstance(answer, Exception):
            raise answer
        return answer

    with Client("t", transport=httpx.MockTransport(handle)) as client, pytest.raises(ProlificError) as error:
        client.get_study("64c00000000000000000ffff")
    return error.value


@pytest.mark.parametrize(
    ("answer", "later", "unanswered"),
    [
        (httpx.Response(400, json={"error": {"detail": {"reward": ["too low"]}}}), False, False),
        (httpx.Response(404, json={"error": {"title": "Not found"}}), False, False),
        (httpx.Response(409, text="no json"), False, False),
        (httpx.Response(429), True, False),
        (httpx.Response(502, text="<html>"), True, True),
        (httpx.Response(200, text="<html>"), True, True),
        (httpx.ConnectError("no route"), True, False),
        (httpx.ReadTimeout("slow"), True, True),
        (httpx.RemoteProtocolError("gone"), True, True),
    ],
)
def test_a_failure_says_whether_to_try_later_and_whether_it_may_have_worked(
    answer: httpx.Response | Exception, later: bool, unanswered: bool
) -> None:
    error = failed(answer)
    assert (error.later, error.unanswered) == (later, unanswered)


def test_the_wait_that_prolific_asks_for_is_read() -> None:
    assert failed(httpx.Response(429, headers={"Retry-After": "7"})).retry_after == timedelta(seconds=7)
    assert failed(httpx.Response(429, headers={"Retry-After": "soon"})).retry_after is None


def test_no_sentence_of_a_failure_holds_an_id() -> None:
    detail = {"submission_ids": [f"unknown: {ID}"]}
    error = failed(httpx.Response(400, json={"error": {"detail": detail}}))
    assert str(error) == "Prolific answered 400: submission_ids: unknown: ..."


@pytest.mark.parametrize("value", [1.5, -1, True, "3"])
def test_an_amount_is_whole_minor_units(value: object) -> None:
    with pytest.raises(TypeError):
        Minor(value)  # type: ignore[arg-type]


def test_an_amount_is_no_number() -> None:
    assert Minor(150).as_decimal("GBP") == "1.50"
    with pytest.raises(TypeError):
        Minor(150) + 1  # type: ignore[operator]
    with pytest.raises(ValueError, match="whole number"):
        minor_of(1.5)


def test_unknown_fields_of_a_submission_are_ignored_and_unknown_words_stay() -> None:
    row = SessionRecord.of({"id": ID, "status": "UNDER DISPUTE", "strata": {"sex": "f"}, "ip": "192.0.2.1", "new": 1})
    assert row.status == "UNDER DISPUTE"
    assert "192.0.2.1" not in str(row)
