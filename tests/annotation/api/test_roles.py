"""Each operation for each role: strangers find nothing, too small a role is refused, the others are not."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import pytest
from django.test import Client

from annotation.models import Job, Role, ShareLink, Study, Submission, Worker
from tests.annotation.api.conftest import NOW, Caller, fault
from tests.annotation.review.factories import make

pytestmark = pytest.mark.django_db


class Op(NamedTuple):
    """An operation on a study: the smallest role that may, and a body that can be read."""

    method: str
    path: str
    least: str
    body: Any = None
    outside: bool = False  # it asks the marketplace, which is not there


V, R, E, O = Role.VIEWER, Role.REVIEWER, Role.EDITOR, Role.OWNER  # noqa: E741
S, A, W = "/studies/{study}", "/studies/{study}/assignments/{assignment}", "/studies/{study}/workers/{pseudonym}"
C = f"{S}/channels"
P = f"{C}/{{channel}}/prolific"
REASON = {"reason": "A sentence that says what is wrong with it."}
PARAGRAPH = {"training": "instructions", "text": "Read to the end."}
OPERATIONS = [
    Op("get", S, V),
    Op("get", f"{S}/log", V),
    Op("get", f"{S}/people", V),
    Op("put", f"{S}/people/{{username}}", O, {"role": "viewer"}),
    Op("delete", f"{S}/people/{{username}}", O),
    Op("post", f"{S}/copies", V, {"name": "copied"}),
    Op("post", f"{S}/repetitions", R, {"name": "repeated"}),
    Op("put", f"{S}/name", O, {"name": "called-otherwise"}),
    Op("put", f"{S}/archive", O),
    Op("delete", f"{S}/archive", O),
    Op("get", f"{S}/payouts", O, outside=True),
    Op("post", f"{S}/payouts", O, {"currency": "USD"}, outside=True),
    Op("put", f"{S}/payouts/{{file_id}}/sent", O, {"people": 1, "amount_minor": 1}, outside=True),
    Op("delete", f"{S}/payouts/{{file_id}}/sent", O, outside=True),
    Op("delete", f"{S}/payouts/{{file_id}}", O, outside=True),
    Op("get", f"{S}/retention", R),
    Op("put", f"{S}/retention", O, {"retain_until": "2099-01-01T00:00:00Z"}),
    Op("delete", f"{S}/retention", O, {"workers": 2, "identities": 0}),
    Op("post", f"{S}/releases", O, {"licence": "CC0-1.0", "consent": "Asked before the task."}),
    Op("get", f"{S}/registration", V),
    Op("patch", f"{S}/registration", E, {"answers": {"hypotheses": "A is better."}}),
    Op("post", f"{S}/registration/seal", E),
    Op("get", f"{S}/registration/{{form}}.{{file_format}}", V),
    Op("get", f"{S}/ethics/{{language}}", V),
    Op("patch", f"{S}/ethics/{{language}}", E, {"answers": {"risks": "None."}}),
    Op("get", f"{S}/ethics/{{language}}/files/{{file_format}}", V),
    Op("get", f"{S}/invitations", V),
    Op("post", f"{S}/invitations", O, {"role": "viewer"}),
    Op("delete", f"{S}/invitations/{{number}}", O),
    Op("get", C, E, outside=True),
    Op("post", C, E, {"kind": "link"}, outside=True),
    Op("get", f"{C}/{{channel}}", E, outside=True),
    Op("patch", f"{C}/{{channel}}", E, {}, outside=True),
    *(Op("post", f"{C}/{{channel}}/{deed}", E, outside=True) for deed in ("close", "reopen")),
    Op("get", f"{C}/{{channel}}/people", E, outside=True),
    Op("post", f"{C}/{{channel}}/people", E, {"people": [{"email": "ann@example.org"}]}, outside=True),
    Op("post", f"{C}/{{channel}}/people/{{person}}/link", E, outside=True),
    Op("post", f"{C}/{{channel}}/mail", E, {}, outside=True),
    Op("get", P, E, outside=True),
    Op("patch", P, E, {}, outside=True),
    *(Op("get", f"{P}/{part}", E, outside=True) for part in ("filters", "quote", "submissions")),
    Op("post", f"{P}/eligible", E, {"filters": []}, outside=True),
    Op("post", f"{P}/publish", O, {"total_minor": 1}, outside=True),
    Op("post", f"{P}/places", O, {"places": 1}, outside=True),
    Op("post", f"{P}/costs", O, outside=True),
    Op("post", f"{P}/bonuses/{{batch}}", O, {"outcome": "paid"}, outside=True),
    *(Op("post", f"{P}/recruitment/{deed}", E, outside=True) for deed in ("pause", "start", "stop", "retry")),
    Op("get", f"{S}/statements", V),
    Op("put", f"{S}/statements/{{key}}", E, {"body": "x"}),
    Op("get", f"{S}/jobs", V),
    Op("get", "/jobs/{job}", V),
    Op("get", "/jobs/{job}/files/{name}", V),
    Op("post", "/jobs/{job}/confirm", E),
    Op("post", "/jobs/{job}/links", E, {}),
    Op("get", f"{S}/links", E),
    Op("delete", "/links/{link}", E),
    Op("get", f"{S}/texts", V),
    Op("get", f"{S}/selection", V),
    Op("post", f"{S}/selection", E, {"steps": [{"rule": "duplicates"}]}),
    Op("get", f"{S}/design", V),
    Op("patch", f"{S}/design", E, {}),
    Op("put", f"{S}/cells", E, {"arms": [{"training": "none", "reward_cents": 1}], "cells": [{"training": "none"}]}),
    Op("get", f"{S}/wording", V),
    Op("put", f"{S}/wording", E, {}),
    Op("get", f"{S}/training-items", V),
    Op("post", f"{S}/training-items", E, {"item": PARAGRAPH}),
    Op("put", f"{S}/training-items", E, {"items": [PARAGRAPH]}),
    Op("put", f"{S}/training-items/{{number}}", E, {"item": PARAGRAPH}),
    Op("post", f"{S}/training-items/{{training}}/{{number}}/move", E, {"to": 1}),
    Op("delete", f"{S}/training-items/{{training}}/{{number}}", E),
    Op("get", f"{S}/price", V),
    Op("post", f"{S}/price", E, {}),
    Op("get", f"{S}/precision", V),
    Op("post", f"{S}/plan", V, {"decision": "ratings", "difference": 0.3}),
    Op("get", f"{S}/layout", V),
    Op("post", f"{S}/layout", E),
    Op("delete", f"{S}/layout", E),
    Op("get", f"{S}/preflight", V),
    Op("post", f"{S}/preflight", E),
    Op("post", f"{S}/publish", O, {"confirm_cents": 1}),
    Op("get", f"{S}/progress", V),
    Op("get", f"{S}/effects", V),
    *(Op("post", f"{S}/acts/{act}", E) for act in ("pause", "close", "top-up", "retry", "drop", "go-on")),
    Op("put", f"{S}/stopping-rule", E, {"width": 1, "most": 99}),
    Op("put", f"{S}/keep-topped-up", E, {"on": False}),
    Op("get", f"{S}/pay", V),
    Op("post", f"{S}/pay", O, {}),
    Op("post", "/jobs/{job}/cancel", E),
    Op("get", f"{S}/comparison", V, outside=True),
    Op("post", f"{S}/comparison/adopt", E, outside=True),
    Op("post", f"{S}/comparison/write-off", E, outside=True),
    Op("post", f"{S}/comparison/ghosts", E, {"market_id": "x"}),
    Op("post", f"{S}/crowd", E),
    Op("get", f"{S}/review", R),
    Op("get", f"{S}/review/people", R),
    Op("post", f"{S}/review/people/{{pseudonym}}/decision", R, {"action": "keep"}),
    Op("post", f"{S}/review/people/undo", R),
    Op("get", A, R),
    Op("post", f"{A}/approve", R, {}),
    Op("post", f"{A}/undo", R),
    Op("post", f"{A}/proposal", R, REASON),
    Op("delete", f"{A}/proposal", R),
    Op("post", f"{A}/return-request", R, REASON),
    Op("post", f"{A}/second", R, {}),
    Op("post", f"{A}/overturn", R, REASON),
    Op("post", f"{A}/uphold", R),
    Op("post", f"{A}/replies", R, {"body": "x"}),
    Op("put", f"{A}/exclusion", R, REASON),
    Op("delete", f"{A}/exclusion", R),
    Op("post", f"{S}/approvals", R, {}),
    Op("get", f"{S}/workers", R),
    Op("get", W, R),
    Op("put", f"{W}/hold", E, {**REASON, "until": "2099-01-01"}),
    Op("delete", f"{W}/hold", E),
    Op("put", f"{W}/block", O, {"reason": "Pastes the text as the reason."}),
    Op("delete", f"{W}/block", O),
    Op("post", f"{S}/notices", E, {"subject": "x", "text": "x"}),
    Op("get", f"{S}/quality", V),
    Op("post", f"{S}/quality/measure", E),
    Op("post", f"{S}/quality/detect", E, {"threshold": 2.0}),
    Op("get", f"{S}/rules", V),
    Op("post", f"{S}/rules", E, {"name": "x", "rules": []}),
    Op("post", f"{S}/rules/{{number}}/apply", E),
    Op("post", f"{S}/unblind", R),
    Op("get", f"{S}/coding", R),
    Op("put", f"{S}/coding/{{purpose}}", E, {"lines": "form: grammar"}),
    Op("put", f"{S}/coding/{{purpose}}/{{remark}}", R, {}),
    Op("put", f"{S}/coding/{{purpose}}/{{remark}}/settled", R, {}),
    Op("get", f"{S}/scores", V),
    Op("delete", f"{S}/scores/{{number}}", E),
    Op("get", f"{S}/results", V),
    Op("post", f"{S}/near-negative-tests", R, {}),
    Op("post", "/jobs/{job}/near-negative-runs", R, {"models": ["assay-tiny"]}),
    Op("post", f"{S}/human-likelihood", R, {}),
    Op("get", f"{S}/log-probabilities", V),
    Op("post", f"{S}/log-probabilities", E, {"generator": "tiny"}),
    Op("post", "/jobs/{job}/save", E),
    Op("post", f"{S}/reports", R, {}),
]
# These are of the caller alone, or take a file; who may upload is tested with the texts.
OF_ONESELF = {
    "/me",
    "/tokens",
    "/tokens/{token}",
    "/keys",
    "/keys/{key_id}",
    "/presets",
    "/filters",
    "/activity",
    "/models",
}
POSTED = {"/imports/batch", "/comparisons", "/near-negative-tests", "/human-likelihood"}
# Of the installation: for who administers it.
OF_OPERATORS = {"/prolific", "/prolific/project", "/workers"}
# Of batches, which are of their owner: tests/annotation/batches/test_doors.py.
DEEDS = ("", "/log", "/rows/{number}", "/publish", "/results", "/reviews", "/reviews/{job}/apply")
OF_BATCHES = {"/batches", *(f"/batches/{{batch}}{deed}" for deed in DEEDS)}
APART = {*OF_BATCHES, *OF_ONESELF, "/studies", *POSTED, *OF_OPERATORS}


@pytest.fixture
def study(db: None) -> Study:
    return make(workers=2, hits=1, texts=4)


@pytest.fixture
def places(study: Study) -> dict[str, object]:
    """What stands in the braces of a path."""
    job = Job.objects.create(study=study, kind="report", created_at=NOW)
    link = ShareLink.objects.create(job=job, digest="x", made_at=NOW)
    work = Submission.objects.filter(hit__study=study).first()
    return {
        "study": study.uuid, "job": job.uuid, "link": link.pk, "assignment": work.market_id, "name": "report.html",
        "pseudonym": Worker.objects.first().pseudonym, "username": "somebody", "key": "ethics", "number": 1,
        "purpose": "comments", "remark": 1, "training": "instructions",
        "form": "osf", "file_format": "md", "language": "de",
        "file_id": "3F", "channel": "x", "person": "x", "batch": "b",
    }  # fmt: skip


@pytest.mark.usefixtures("called_once")
@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: f"{op.method} {op.path}")
def test_who_may(study: Study, places: dict[str, object], op: Op) -> None:
    path = op.path.format(**places)
    assert fault(Client().generic(op.method.upper(), f"/api/v1{path}")) == (401, "sign-in", [])
    hidden = fault(Caller("stranger")(op.method, path, op.body))
    assert hidden[:2] == (404, "absent")
    order = [V, R, E, O]
    for role in order:
        if role != op.least and order.index(role) < order.index(op.least):
            assert fault(Caller(role, study, role)(op.method, path, op.body))[:2] == (403, "role")
    if not op.outside:
        answer = Caller(op.least, study, op.least)(op.method, path, op.body)
        assert answer.status_code not in {401, 403, 422}, answer.content
        assert b"no such study" not in answer.content


def test_every_operation_of_the_document_is_listed_here(db: None) -> None:
    told = Client().get("/api/v1/openapi.json").json()["paths"]
    known = {(one.method, re.sub(r"/acts/[a-z-]+$", "/acts/{act}", one.path)) for one in OPERATIONS}
    known = {(method, re.sub(r"/recruitment/[a-z]+$", "/recruitment/{deed}", path)) for method, path in known}
    known |= {("post", "/studies/{study}/texts"), ("post", "/studies/{study}/scores")}
    served = {(method, path.removeprefix("/api/v1")) for path, ways in told.items() for method in ways}
    assert {one for one in served if one[1] not in APART} == known


@pytest.mark.parametrize("path", sorted(one for one in APART if "{" not in one and one not in POSTED | OF_OPERATORS))
def test_what_is_of_the_caller_needs_a_token(path: str) -> None:
    assert fault(Client().get(f"/api/v1{path}")) == (401, "sign-in", [])
    assert Caller("anybody")("get", path).status_code == 200


def test_only_who_administers_the_installation_sees_the_account_of_prolific(db: None) -> None:
    assert fault(Client().get("/api/v1/prolific")) == (401, "sign-in", [])
    caller = Caller("anybody")
    for method, body in (("get", None), ("put", {"token": "a-token"}), ("delete", None)):
        assert caller(method, "/prolific", body).status_code == 403
