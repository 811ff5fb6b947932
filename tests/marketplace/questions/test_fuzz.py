"""Whatever is sent to the wire and to the form's door: a documented answer, never a failure."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.model import Shape
from django.test import RequestFactory
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.marketplace.aws_protocol import views
from annotation.marketplace.aws_protocol.callers import caller_by
from annotation.marketplace.aws_protocol.service_model import OPERATIONS
from annotation.marketplace.models import Submission
from annotation.marketplace.money.balance_check import check_balances
from annotation.marketplace.site import submit as submits
from tests.marketplace.question_samples import external_question, html_question

QUICK = settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
ANSWERS = {200, 400, 403, 413}
TEXTS = st.one_of(
    st.text(st.characters(codec=None, exclude_categories=()), max_size=20),
    st.sampled_from(["]]>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "\x00", "\ud800", "\x1b[0m", "' OR 1=1 --"]),
    st.sampled_from(["0.10", "5.", "1" * 400, "2030-01-01", "9" * 30, "x" * 100_000, "a " * 2_000]),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
NUMBERS = st.one_of(st.integers(-1, 101), st.integers(), st.sampled_from([30, 600, 2**31, -(2**63), 10**40]))


def values(shape: Shape, ids: dict[str, str], name: str = "") -> st.SearchStrategy[Any]:
    """Values of a shape, now and then something else altogether."""
    return st.integers(0, 15).flatmap(lambda die: JSON if die == 0 else _fitting(shape, ids, name))


def _fitting(shape: Shape, ids: dict[str, str], name: str) -> st.SearchStrategy[Any]:
    if shape.type_name == "structure":
        members = {key: values(member, ids, key) for key, member in shape.members.items()}
        needed = {key: members.pop(key) for key in shape.required_members}
        return st.fixed_dictionaries(needed, optional=members)
    if shape.type_name == "list":
        return st.lists(values(shape.member, ids, name), max_size=3)
    if shape.type_name == "boolean":
        return st.booleans()
    if shape.type_name in {"integer", "long"}:
        return NUMBERS
    if shape.type_name == "timestamp":
        return NUMBERS | st.floats() | TEXTS
    known = [ids[key] for key in ids if key == name]
    return st.sampled_from(known) if known else st.sampled_from(shape.enum) if shape.enum else TEXTS


@pytest.fixture
def ids(lab, ann, monkeypatch) -> dict[str, str]:
    """Real ids, so that operations are reached; the caller's signature is taken as read."""
    monkeypatch.setattr(views.signature, "verified", lambda request, body: caller_by(lab.key))
    made = lab.client.create_qualification_type(Name="n", Description="d", QualificationTypeStatus="Active")
    hit = lab.hit(MaxAssignments=3)
    return {
        "HITId": hit["HITId"],
        "HITTypeId": hit["HITTypeId"],
        "AssignmentId": ann.do(hit),
        "WorkerId": ann.worker_id,
        "WorkerIds": ann.worker_id,
        "QualificationTypeId": made["QualificationType"]["QualificationTypeId"],
        "Question": html_question(),
        "Reward": "0.10",
        "BonusAmount": "0.10",
    }


def call(body: bytes, operation: str) -> None:
    request = RequestFactory().post(
        reverse("wire:endpoint"),
        data=body,
        content_type="application/x-amz-json-1.1",
        headers={"X-Amz-Target": f"MTurkRequesterServiceV20170117.{operation}"},
    )
    answer = views.endpoint(request)
    assert answer.status_code in ANSWERS, (operation, body, answer.content)
    assert isinstance(json.loads(answer.content), dict)


@pytest.mark.parametrize("operation", sorted(OPERATIONS))
def test_an_operation_answers_whatever_its_parameters_are(ids, operation):
    @settings(QUICK, max_examples=25)
    @given(values(OPERATIONS[operation].input_shape, ids))
    def answered(parameters: Any) -> None:
        call(json.dumps(parameters).encode(), operation)

    answered()
    assert check_balances().faults == ()


def test_any_bytes_and_any_target_are_answered(ids):
    @QUICK
    @given(st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()), st.text(max_size=30))
    def answered(body: bytes, target: str) -> None:
        call(body, target)
        call(body, "ListHITs")

    answered()


QUESTIONS = st.one_of(
    TEXTS,
    TEXTS.map(lambda text: html_question(f"<p>{text}</p>")),
    st.tuples(TEXTS, TEXTS).map(lambda pair: html_question(pair[0], height=pair[1])),
    TEXTS.map(lambda text: external_question(f"https://example.org/{text}")),
    st.integers(0, len(html_question())).map(lambda cut: html_question()[:cut]),
)


def test_any_question_is_taken_or_refused(ids):
    @QUICK
    @given(QUESTIONS)
    def answered(question: str) -> None:
        made = {"Title": "t", "Description": "d", "Reward": "0.10", "LifetimeInSeconds": 60}
        made |= {"AssignmentDurationInSeconds": 60, "Question": question}
        call(json.dumps(made).encode(), "CreateHIT")

    answered()
    call(b'{"MaxResults": 100}', "ListHITs")


def test_any_form_is_recorded_or_refused(ids, site):
    origin = site.removeprefix("http://")

    @QUICK
    @given(st.binary(max_size=300), st.sampled_from(["application/x-www-form-urlencoded", "multipart/form-data", "x"]))
    def answered(body: bytes, kind: str) -> None:
        for head in (b"", b"assignmentId=", f"assignmentId={ids['AssignmentId']}&".encode()):
            request = RequestFactory().post("/hits/mturk/externalSubmit", head + body, content_type=kind)
            request.META["HTTP_HOST"] = origin
            assert submits.external_submit(request).status_code in {400, 404, 409}

    answered()
    assert Submission.objects.count() == 1
