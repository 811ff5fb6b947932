"""How failures of calls to Prolific are read, and how amounts are kept apart."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import get_args

import httpx
import pytest

from annotation.marketplace.prolific.answers import ProlificError
from annotation.marketplace.prolific.client import Client
from annotation.marketplace.prolific.decide import CATEGORIES
from annotation.marketplace.prolific.records import (
    BonusLine,
    CostRecord,
    Minor,
    SessionRecord,
    StudyRecord,
    minor_of,
    word_of,
)
from annotation.mturk.prolific import CATEGORIES as OF_REQUESTER
from annotation.rehearsal.prolific_stub.request_shapes import REJECTION_CATEGORIES

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
    assert failed(httpx.Response(429, headers={"Retry-After": "0.5"})).retry_after == timedelta(seconds=0.5)
    moment = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    wait = failed(httpx.Response(429, headers={"Retry-After": moment})).retry_after
    assert wait is not None
    assert timedelta(seconds=60) < wait <= timedelta(seconds=90)
    for header in ("soon", "nan", "inf"):
        assert failed(httpx.Response(429, headers={"Retry-After": header})).retry_after is None


def test_no_sentence_of_a_failure_holds_an_id() -> None:
    detail = {"submission_ids": [f"unknown: {ID}"]}
    error = failed(httpx.Response(400, json={"error": {"detail": detail}}))
    assert str(error) == "Prolific answered 400: submission_ids: unknown: ..."


@pytest.mark.parametrize("key", ["P-0017", "3f1c2a9e-1111-4c2b-9f00-2d7b6a5e4c3d"])
def test_ids_of_another_form_are_in_no_sentence_either(key: str) -> None:
    answer = httpx.Response(400, json={"error": {"detail": [f"no such person: {key}"]}})
    with Client("t", transport=httpx.MockTransport(lambda _request: answer)) as client:
        with pytest.raises(ProlificError) as of_bonus:
            client.create_bonuses("s1", [BonusLine(key, Minor(150))], "GBP")
        with pytest.raises(ProlificError) as of_submission:
            client.get_submission(key)
    assert [str(error.value) for error in (of_bonus, of_submission)] == [
        "Prolific answered 400: no such person: ..."
    ] * 2


ROWS = [{"id": f"s{number}", "status": "ACTIVE", "participant_id": f"p{number}"} for number in range(7)]


def in_pages(form: str, size: int) -> list[str]:
    """The sessions that are read of a list of seven, which is answered in pages of `size` in this form."""

    def handle(request: httpx.Request) -> httpx.Response:
        first = (int(request.url.params["page"]) - 1) * size
        rows = ROWS[first : first + size]
        more = first + size < len(ROWS)
        if form == "links":
            following = {"href": "https://api.prolific.com/next" if more else None}
            return httpx.Response(200, json={"results": rows, "_links": {"next": following}})
        if form == "next":
            return httpx.Response(
                200, json={"results": rows, "next": "https://api.prolific.com/next" if more else None}
            )
        if form == "count":
            return httpx.Response(200, json={"results": rows, "meta": {"count": len(ROWS)}})
        if form == "missing" and not rows:
            return httpx.Response(404, json={"detail": "Invalid page."})
        if form == "all":
            return httpx.Response(200, json={"results": ROWS})
        return httpx.Response(200, json=ROWS if form == "bare" else {"results": rows})

    with Client("t", transport=httpx.MockTransport(handle)) as client:
        return [row.session_id for row in client.list_submissions("study")]


@pytest.mark.parametrize("form", ["links", "next", "count", "empty", "missing", "bare", "all"])
@pytest.mark.parametrize("size", [3, 7, 100])
def test_a_list_is_read_to_its_end_in_whatever_form_it_comes(form: str, size: int) -> None:
    assert in_pages(form, size) == [row["id"] for row in ROWS]


@pytest.mark.parametrize(
    ("document", "amount", "fees"),
    [
        (
            {"rewards": {"amount": 300, "fees": 100, "vat": 20}, "bonuses": {"amount": 50, "fees": 17, "vat": 3}},
            350,
            140,
        ),
        ({"rewards": {"amount": 300, "total_amount": 420}}, 300, 120),
        ({"amount": 300, "fees": 100, "vat": 20}, 300, 120),
        ({"rewards": 300, "total_cost": 420}, 300, 120),
    ],
)
def test_what_a_study_has_cost_is_read_in_several_forms(document: dict[str, object], amount: int, fees: int) -> None:
    assert CostRecord.of(document) == CostRecord(Minor(amount), Minor(fees))


@pytest.mark.parametrize("document", [{}, {"rewards": 300}, {"total": 420}, {"rewards": {"amount": 300}}])
def test_a_cost_that_cannot_be_read_is_not_taken_for_nothing(document: dict[str, object]) -> None:
    assert CostRecord.of(document) == CostRecord(None, None)


def test_the_categories_of_rejections_are_those_that_the_public_documents_name() -> None:
    # The stand-in has them from the documents; it imports nothing of the project.
    assert set(CATEGORIES) == set(get_args(REJECTION_CATEGORIES)) == set(OF_REQUESTER)


@pytest.mark.parametrize("word", ["AWAITING REVIEW", "AWAITING_REVIEW", "awaiting-review", "AwaitingReview"])
def test_a_status_is_known_however_its_words_are_joined(word: str) -> None:
    assert word_of(word) == "AWAITING REVIEW"


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


def test_unknown_fields_are_named_without_what_says_who_somebody_is_and_unknown_words_stay() -> None:
    row = SessionRecord.of({"id": ID, "status": "UNDER DISPUTE", "strata": {"sex": "f"}, "ip": "192.0.2.1", "new": 1})
    assert row.status == "UNDER DISPUTE"
    assert "192.0.2.1" not in str(row)
    assert row.unknown == {"new"}
    study = StudyRecord.of({"id": ID, "status": "ACTIVE", "owner": {"person": ID, "n": 2}})
    assert study.unknown == {"owner": '{"person": "...", "n": 2}'}
