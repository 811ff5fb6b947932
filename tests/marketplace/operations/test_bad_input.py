"""Bad input over the real wire: the documented error for each, nothing recorded changed, nobody else's list broken."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from botocore.model import Shape
from django.apps import apps

from annotation.marketplace.aws_protocol.service_model import OPERATIONS
from tests.marketplace.qualifications.test_qualifications import make
from tests.marketplace.question_samples import external_question, hit_parameters, html_question

LONG = "x" * 100_000
UNSUPPORTED = {"GetFileUploadURL"}
DEEP = json.loads("[" * 600 + "]" * 600)
# By JSON type: what a member of that type is not, or not so.
ODD: dict[str, list[Any]] = {
    "text": ["", "a\x00b", "\ud800", "a\udfff", LONG, "]]>\x1b\x07"],
    "number": [0, -1, 2**31, 2**63, 10**40, 1.5],
    "truth": [True, False],
    "list": [[], [None], [[]], [{}], DEEP],
    "object": [{}, {"a": 1}, {"HITId": {}}],
}
KINDS = {
    "string": "text", "integer": "number", "long": "number", "boolean": "truth", "list": "list", "structure": "object",
}  # fmt: skip


@pytest.fixture
def ids(lab, ann) -> dict[str, str]:
    """Everything that a call can name, of one requester."""
    qualification = make(lab)
    hit = lab.hit(MaxAssignments=3)
    work = ann.do(hit)
    ann.post(f"/hits/qualifications/{qualification}/", f"/hits/qualifications/{qualification}/ask/")
    request = lab.client.list_qualification_requests()["QualificationRequests"][0]["QualificationRequestId"]
    return {
        "HITId": hit["HITId"], "HITTypeId": hit["HITTypeId"], "AssignmentId": work, "WorkerId": ann.worker_id,
        "QualificationTypeId": qualification, "QualificationRequestId": request,
    }  # fmt: skip


@pytest.fixture
def post(lab) -> Iterator[Any]:
    """post(body, operation): status and document of a signed call over one connection."""
    with httpx.Client(trust_env=False, timeout=60) as site:

        def posted(body: bytes, operation: str, *, chunked: bool = False) -> tuple[int, dict[str, Any]]:
            headers = dict(lab.signed(body, operation=operation).headers.items())
            answer = site.post(lab.url, content=iter([body]) if chunked else body, headers=headers)
            assert answer.headers["content-type"] == "application/x-amz-json-1.1"
            return answer.status_code, answer.json()

        yield posted


def stored() -> dict[str, list[dict]]:
    models = apps.get_app_config("marketplace").get_models()
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in models}


def good(operation: str, ids: dict[str, str]) -> dict[str, Any]:
    """Every member of an operation with a value of its type: real ids, and texts that may stand anywhere."""
    return {name: _value(name, shape, ids) for name, shape in OPERATIONS[operation].input_shape.members.items()}


def _value(name: str, shape: Shape, ids: dict[str, str]) -> Any:
    given = {**ids, **hit_parameters(), "BonusAmount": "0.10", "WorkerIds": [ids["WorkerId"]]}
    if name in given:
        return given[name]
    if shape.type_name == "structure":
        return {inner: _value(inner, member, ids) for inner, member in shape.members.items()}
    if shape.type_name == "list":
        return [_value("", shape.member, ids)]
    if shape.type_name == "string":
        return shape.enum[0] if shape.enum else "DE"
    return {"integer": 1, "long": 60, "boolean": False}.get(shape.type_name, 0)


def places(shape: Shape, value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Every place in `value` with the kind of its type, the members of lists and structures included."""
    if path:
        yield path, KINDS.get(shape.type_name, "time")
    if shape.type_name == "structure":
        for name, inner in value.items():
            yield from places(shape.members[name], inner, (*path, name))
    elif shape.type_name == "list":
        yield from places(shape.member, value[0], (*path, 0))


def with_odd(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    """`value` with `odd` at `path`."""
    if not path:
        return odd
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[path[0]] = with_odd(value[path[0]], path[1:], odd)
    return copied


# The wire refuses it before a table is touched: asked of one kind of database.
@pytest.mark.long
def test_a_member_of_another_type_is_refused_everywhere(ids, post):
    before = stored()
    for operation in sorted(OPERATIONS):
        given = good(operation, ids)
        for path, kind in places(OPERATIONS[operation].input_shape, given):
            fitting = {kind, "number", "text"} if kind == "time" else {kind}
            for other in ODD.keys() - fitting:
                body = json.dumps(with_odd(given, path, ODD[other][-1])).encode()
                status, answer = post(body, operation)
                assert (status, answer["__type"]) == (400, "ParameterValidationError"), (operation, path, other, answer)
                assert len(answer["Message"]) < 2_100
    assert stored() == before


@pytest.mark.long
@pytest.mark.database
def test_texts_that_cannot_be_stored_are_refused_everywhere(ids, post):
    before = stored()
    for operation in sorted(OPERATIONS):
        given = good(operation, ids)
        for path, kind in places(OPERATIONS[operation].input_shape, given):
            for text in ("a\x00b", "\ud800", "a\udfff") if kind in {"text", "time"} else ():
                status, answer = post(json.dumps(with_odd(given, path, text)).encode(), operation)
                assert (status, answer["__type"]) == (400, "ParameterValidationError"), (operation, path, answer)
    assert stored() == before


@pytest.mark.long
@pytest.mark.database
def test_odd_values_of_the_right_type_are_never_a_failure(ids, post):
    """Alone, each in a call that is otherwise right; some are taken, none is a 500, and every list still answers."""
    before = None
    for operation in sorted(OPERATIONS):
        given = {name: value for name, value in good(operation, ids).items() if value is not None}
        needed = OPERATIONS[operation].input_shape.required_members
        for path, kind in places(OPERATIONS[operation].input_shape, given):
            least = {name: given[name] for name in {*needed, path[0]}}
            for odd in [*ODD.get(kind, ()), *(ODD["number"] + ODD["text"] + ["1e999"] if kind == "time" else ())]:
                before = stored() if odd == "" and before is None else before
                status, answer = post(json.dumps(with_odd(least, path, odd)).encode(), operation)
                assert status in {200, 400}, (operation, path, odd, answer)
                if status == 200:
                    before = None
                    continue
                assert answer["__type"] in {"ParameterValidationError", "RequestError"}, answer
                if odd == "":
                    after = stored()
                    # Of all calls since it was last looked at, as each was refused.
                    assert before == after, (operation, path, odd)
                    before = after
    for operation in ("ListHITs", "ListReviewableHITs", "ListWorkerBlocks", "ListQualificationRequests"):
        assert post(b"{}", operation)[0] == 200


BODIES = [
    b"{", b"}", b"nul", b"\xff\xfe\x00", b'{"MaxResults": 1', b'{"a": "\xe2\x82"}', b"[]", b'"{}"', b"1", b"null",
    b'{"MaxResults": NaN}', b'{"MaxResults": Infinity}', b'{"MaxResults": -Infinity}', b"{" * 50_000,
    b'{"a":' * 100_000 + b"1" + b"}" * 100_000, b'{"MaxResults": ' + b"9" * 5_000 + b"}", b"{'MaxResults': 1}",
    b'{"MaxResults": 01}', b'{"MaxResults": 1,}', b'{"\\ud800": ', b'{"a": "\x01"}',
]  # fmt: skip


@pytest.mark.parametrize("chunked", [False, True])
def test_bodies_that_are_no_json_object_are_refused(post, chunked):
    for body in BODIES:
        status, answer = post(body, "ListHITs", chunked=chunked)
        assert (status, answer["__type"]) == (400, "SerializationException"), body[:80]


@pytest.mark.parametrize("depth", [10, 100, 900, 980, 995, 2_000])
def test_a_value_nested_deeply_is_refused(post, depth):
    for value in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        status, answer = post(f'{{"MaxResults": {value}}}'.encode(), "ListHITs")
        assert status == 400
        assert answer["__type"] in {"ParameterValidationError", "SerializationException"}


@pytest.mark.database
def test_the_last_of_two_equal_names_counts_as_json_readers_have_it(post):
    assert post(b'{"MaxResults": "x", "MaxResults": 1}', "ListHITs")[0] == 200
    assert post(b'{"MaxResults": 1, "MaxResults": "x"}', "ListHITs")[0] == 400


@pytest.mark.database
def test_a_body_in_pieces_without_its_length_is_read(post):
    assert post(b'{"MaxResults": 1}', "ListHITs", chunked=True) == (200, {"NumResults": 0, "HITs": []})


@pytest.mark.database
def test_an_oversize_body_in_pieces_is_refused(post):
    status, answer = post(b'{"Question": "' + b"x" * 2_200_000 + b'"}', "CreateHIT", chunked=True)
    assert (status, answer["__type"]) == (413, "RequestEntityTooLargeException")


@pytest.mark.database
@pytest.mark.parametrize(
    ("moment", "status"),
    [
        (1e308, 400), (-1e308, 400), (10**30, 400), (-(10**30), 400), (253402300800, 400), (253402300799, 400),
        (-62135596801, 400), (-62135596800, 200), (-1, 200), (0, 200), (-0.0, 200), (1e-320, 200), ("0", 200),
        ("-1", 200), ("9" * 400, 400), ("0001-01-01T00:00:00+23:59", 400), ("9999-12-31T23:59:59-23:59", 400),
        ("2015-01-01", 200), ("", 400), ("\u0661", 400), ("NaN", 400), ("inf", 400), ("1_0", 400),
    ],
)  # fmt: skip
def test_moments_at_the_ends_of_time(lab, post, moment, status):
    hit = lab.hit()
    body = json.dumps({"HITId": hit["HITId"], "ExpireAt": moment}).encode()
    assert post(body, "UpdateExpirationForHIT")[0] == status
    assert lab.look(hit)["HITStatus"] == ("Reviewable" if status == 200 else "Assignable")


BOMB = '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>'
FILE = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'
REFUSED_QUESTIONS = [
    BOMB + html_question(),
    BOMB + html_question().replace("<![CDATA[", "&c;<![CDATA["),
    FILE + external_question("https://example.org/&b;").replace("&amp;b;", "&b;"),
    '<!DOCTYPE a SYSTEM "http://127.0.0.1:1/evil.dtd">' + html_question(),
    html_question("<p>a]]>b</p>"),
    html_question("<p>\x07</p>"),
    html_question("<p>\ufffe</p>"),
    html_question().replace("<![CDATA[", "&#0;<![CDATA["),
    html_question().replace("<![CDATA[", "&#xD800;<![CDATA["),
    html_question().replace("<![CDATA[", "&nbsp;<![CDATA["),
    html_question("<!-- nothing to see -->"),
    html_question("x" * 70_000),
    html_question("\U0001f600" * 17_000),
    html_question(height="9" * 400),
    html_question(height="-1"),
    html_question(height="\u0661"),
    "<" * 60_000,
    "<a>" * 20_000,
    "<a>" * 9_000 + "</a>" * 9_000,
    html_question()[:-1],
    html_question() * 2,
    external_question("https://user:pass@example.org/"),
    external_question("https://[::1/"),
    external_question("https://example.org:99999/"),
    external_question("javascript:alert(1)"),
    external_question("https://example.org/?assignmentId=x"),
]


@pytest.mark.database
def test_hostile_questions_are_refused_and_leave_nothing(lab, post):
    before = stored()
    for question in REFUSED_QUESTIONS:
        status, answer = post(json.dumps(hit_parameters(Question=question)).encode(), "CreateHIT")
        assert (status, answer["__type"]) == (400, "ParameterValidationError"), question[:200]
        assert len(answer["Message"]) < 2_100
    after = stored()
    assert {name: rows for name, rows in after.items() if rows != before[name]} == {}


@pytest.mark.database
def test_odd_questions_that_are_right_break_nothing(lab, post, ann):
    odd = [
        html_question("<div>" * 12_000 + "deep"),
        html_question("<p " + "a=1 " * 12_000 + ">wide</p>"),
        html_question("<table>" * 9_000),
        html_question("<p>&" + "lt;&" * 9_000 + "</p>"),
        html_question("<script>while(1);</script><p>\u202e\U0001f4a9</p>"),
        html_question("<p>]]]]><![CDATA[></p>"),
        html_question("<p>plain</p>"),
    ]
    made = [lab.hit(Question=question, MaxAssignments=2) for question in odd]
    listed = lab.client.list_hits(MaxResults=100)["HITs"]
    assert [row["Question"] for row in listed] == odd
    assert ann.get("/hits/").status_code == 200
    assert {ann.get(f"/hits/{hit['HITId']}/").status_code for hit in made} == {200}


@pytest.mark.database
@pytest.mark.parametrize("forged", ["3" + "X" * 29, "3" * 64, "A", "0"])
def test_forged_ids_name_nothing(ids, post, forged):
    before = stored()
    for operation in sorted(OPERATIONS):
        given = good(operation, ids)
        for name in ids.keys() & given.keys() if operation not in UNSUPPORTED else ():
            least = {key: given[key] for key in {*OPERATIONS[operation].input_shape.required_members, name}}
            value = "A" + forged if name == "WorkerId" else forged
            status, answer = post(json.dumps(least | {name: value[:64]}).encode(), operation)
            assert (status, answer["__type"]) == (400, "RequestError"), (operation, name, answer)
            assert "DoesNotExist" in answer["TurkErrorCode"] or "InvalidParameterValue" in answer["TurkErrorCode"]
    assert stored() == before
