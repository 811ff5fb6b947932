"""The web API: a token, the permissions and verbs of the console; a report asked for, fetched, shared, unshared."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from annotation.accounts.models import ApiToken
from annotation.jobs.run import run_due
from annotation.models import Membership, Study
from tests.annotation.api.conftest import NOW, Caller, fault
from tests.annotation.importing import batches

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(tmp_path: Path) -> Study:
    call_command("import_batch", batches.written(tmp_path / "batch.csv", batches.rows()), study="small")
    return Study.objects.get(name="small")


@pytest.fixture
def owner(study: Study) -> Caller:
    return Caller("olga", study, "owner")


@pytest.mark.database
def test_without_a_token_and_with_a_revoked_one_nothing_is_told(study: Study, owner: Caller) -> None:
    assert Client().get("/api/v1/studies").status_code == 401
    assert owner("get", "/studies").json()["items"][0]["name"] == "small"
    owner.row.revoke(now=NOW)
    assert owner("get", "/studies").status_code == 401


@pytest.mark.database
def test_of_the_token_only_a_digest_is_kept(owner: Caller) -> None:
    assert owner.token not in json.dumps(list(ApiToken.objects.values_list("digest", "name")))


@pytest.mark.database
def test_a_stranger_sees_no_study_and_a_viewer_changes_none(study: Study, owner: Caller) -> None:
    stranger, viewer = Caller("stan"), Caller("vera")
    Membership.objects.create(study=study, user=viewer.user, role="viewer")
    assert stranger("get", "/studies").json() == {"items": [], "count": 0}
    for path in (f"/studies/{study.uuid}", f"/studies/{study.uuid}/results"):
        assert stranger("get", path).status_code == 404
    assert viewer("get", f"/studies/{study.uuid}").json()["role"] == "viewer"
    assert viewer("put", f"/studies/{study.uuid}/statements/ethics", {"body": "x"}).status_code == 403


@pytest.mark.database
def test_a_statement_is_stored_under_the_callers_name_and_a_strange_one_refused(study: Study, owner: Caller) -> None:
    assert owner("put", f"/studies/{study.uuid}/statements/ethics", {"body": "Board 7."}).status_code == 204
    assert study.audit.get(verb="state").actor == "olga"
    refused = owner("put", f"/studies/{study.uuid}/statements/weather", {"body": "fine"})
    assert (refused.status_code, refused.json()["detail"][:22]) == (409, "There is no statement ")


@pytest.mark.database
@pytest.mark.parametrize("spelt", ["a\\u0000b", "a\\ud800b", "a\\udc00"])
def test_characters_that_no_database_holds_are_refused_by_field(study: Study, owner: Caller, spelt: str) -> None:
    sent = {"data": f'{{"body": "{spelt}"}}', "content_type": "application/json", "headers": owner.headers}
    answer = Client().put(f"/api/v1/studies/{study.uuid}/statements/ethics", **sent)
    assert fault(answer) == (422, "input", ["body"])
    assert not study.audit.filter(verb="state").exists()


@pytest.mark.database
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_however_it_is_encoded_or_called_such_a_body_is_refused(study: Study, owner: Caller, encoding: str) -> None:
    body = '{"body": "half of \ud83d"}'.encode(encoding, "surrogatepass")
    sent = {"data": body, "content_type": "text/plain", "headers": owner.headers}
    assert fault(Client().put(f"/api/v1/studies/{study.uuid}/statements/ethics", **sent)) == (422, "input", ["body"])


@pytest.mark.database
def test_a_form_with_a_nul_is_refused_by_field(owner: Caller) -> None:
    assert fault(owner.upload("/imports/batch", "a,b", study="ab\0c")) == (422, "input", ["study"])


@pytest.mark.database
def test_a_backslash_before_such_a_spelling_and_a_whole_pair_are_text(study: Study, owner: Caller) -> None:
    body = '{"body": "\\\\u0000 is not \\ud83d\\ude00"}'
    sent = {"data": body, "content_type": "application/json", "headers": owner.headers}
    assert Client().put(f"/api/v1/studies/{study.uuid}/statements/ethics", **sent).status_code == 204
    assert study.audit.get(verb="state")


@pytest.mark.database
def test_a_place_in_a_list_beyond_all_counting_is_refused_and_one_beyond_its_end_is_empty(study, owner) -> None:
    assert fault(owner("get", "/studies?offset=99999999999999999999")) == (422, "input", ["offset"])
    assert owner("get", "/studies?offset=9007199254740992").json()["items"] == []


@pytest.mark.database
def test_a_report_is_asked_for_fetched_shared_and_unshared(study: Study, owner: Caller) -> None:
    asked = owner("post", f"/studies/{study.uuid}/reports", {"formats": ["html", "json"], "seed": 3, "raters": "these"})
    job = asked.json()
    assert (asked.status_code, job["state"]) == (202, "waiting")
    assert owner("post", f"/jobs/{job['uuid']}/links", {}).status_code == 409
    assert run_due() == 1
    done = owner("get", f"/jobs/{job['uuid']}").json()
    assert done["state"] == "done", done["problem"]
    assert "report.json" in done["files"]
    told = json.loads(b"".join(owner("get", f"/jobs/{job['uuid']}/files/report.json")))
    assert owner("get", f"/studies/{study.uuid}/results").json()["generators"] == told["generators"]
    assert told["reproducibility"]["raters"] == "these"
    assert told["reproducibility"]["command"].endswith("--seed 3 --raters these")
    assert owner("get", f"/jobs/{job['uuid']}/files/..%2Fbatch.csv").status_code == 404
    link = owner("post", f"/jobs/{job['uuid']}/links", {}).json()
    shared = Client().get(link["address"])
    assert shared.status_code == 200
    assert shared.headers["Content-Security-Policy"].startswith("sandbox allow-scripts; default-src 'none'")
    assert b"evaluation report" in shared.content
    assert owner("delete", f"/links/{link['id']}").status_code == 204
    assert Client().get(link["address"]).status_code == 404


@pytest.mark.database
def test_a_link_ends_when_it_was_said_to(study: Study, owner: Caller) -> None:
    job = owner("post", f"/studies/{study.uuid}/reports", {"formats": ["html"]}).json()
    run_due()
    past = (timezone.now() - timedelta(hours=1)).isoformat()
    assert owner("post", f"/jobs/{job['uuid']}/links", {"ends_at": past}).status_code == 409


@pytest.mark.database
def test_studies_are_compared_for_their_reviewer_and_for_nobody_else(
    study: Study, owner: Caller, tmp_path: Path
) -> None:
    call_command("import_batch", batches.written(tmp_path / "two.csv", batches.rows(workers=7)), study="large")
    other = Study.objects.get(name="large")
    asked = {"studies": [str(study.uuid), str(other.uuid)], "formats": ["json", "html"]}
    assert owner("post", "/comparisons", asked).status_code == 404
    member = Membership.objects.create(study=other, user=owner.user, role="viewer")
    assert owner("post", "/comparisons", asked).status_code == 403
    Membership.objects.filter(pk=member.pk).update(role="editor")
    job = owner("post", "/comparisons", asked).json()
    run_due()
    done = owner("get", f"/jobs/{job['uuid']}").json()
    assert done["state"] == "done", done["problem"]
    assert {"comparison.json", "comparison.html"} <= set(done["files"])
    link = owner("post", f"/jobs/{job['uuid']}/links", {}).json()
    assert Client().get(link["address"]).status_code == 200
    stranger = Caller("stan")
    assert stranger("get", f"/jobs/{job['uuid']}").status_code == 404
    assert stranger("delete", f"/links/{link['id']}").status_code == 404


@pytest.mark.database
def test_results_that_nobody_looked_at_take_a_reviewer_who_confirms_and_are_noted(study: Study, owner: Caller) -> None:
    Study.objects.filter(pk=study.pk).update(mode="rehearsal")
    viewer = Caller("vera")
    Membership.objects.create(study=study, user=viewer.user, role="viewer")
    assert viewer("get", f"/studies/{study.uuid}/results").status_code == 409
    assert viewer("post", f"/studies/{study.uuid}/reports", {}).status_code == 403
    assert fault(owner("post", f"/studies/{study.uuid}/reports", {})) == (409, "state", ["unblind"])
    assert not study.audit.filter(verb="unblind").exists()
    assert not study.jobs.exists()
    assert owner("post", f"/studies/{study.uuid}/reports", {"unblind": True}).status_code == 202
    run_due()
    assert study.audit.get(verb="unblind").actor == "olga"


def test_the_document_names_every_operation_and_how_to_sign(db) -> None:
    told = Client().get("/api/v1/openapi.json").json()
    assert {"/api/v1/studies", "/api/v1/jobs/{job}", "/api/v1/links/{link}"} <= set(told["paths"])
    assert all(one["security"] for path in told["paths"].values() for one in path.values())
    assert all(one["summary"] for path in told["paths"].values() for one in path.values())


def test_the_document_beside_the_code_is_the_one_that_is_served(db) -> None:
    kept = json.loads((Path(__file__).parents[3] / "docs" / "openapi.json").read_text(encoding="utf-8"))
    assert kept == Client().get("/api/v1/openapi.json").json(), "run `python docs/make_openapi.py`"


@pytest.mark.database
def test_refusals_are_problem_documents_that_name_the_field(study: Study, owner: Caller) -> None:
    assert fault(Client().get("/api/v1/studies")) == (401, "sign-in", [])
    assert fault(owner("get", f"/studies/{study.uuid}x")) == (422, "input", ["study"])
    assert fault(owner("post", "/studies", {"name": "small"})) == (409, "state", ["name"])
    assert fault(owner("post", "/studies", {"name": "a b"})) == (409, "design", ["name"])
    assert fault(owner("post", "/studies", {"name": "x", "mode": "imported"})) == (422, "input", ["mode"])
    assert fault(owner("post", "/studies", {"name": "x", "preset": "none"})) == (422, "input", ["preset"])
    assert fault(owner("get", "/studies?limit=1000")) == (422, "input", ["limit"])


@pytest.mark.database
def test_a_missing_file_and_a_field_called_body_are_named(study: Study, owner: Caller) -> None:
    at = f"/studies/{study.uuid}"
    assert fault(owner("put", f"{at}/statements/ethics", {"body": "x" * 4001})) == (422, "input", ["body"])
    assert fault(owner("put", f"{at}/statements/ethics", {})) == (422, "input", ["body"])
    assert fault(owner("post", "/imports/batch")) == (422, "input", ["file", "name"])
    assert fault(owner("put", f"{at}/cells", {"arms": [{"training": "x"}], "cells": []}))[2][0] == "arms.0.training"
    assert fault(owner("put", f"{at}/wording", ["x"])) == (422, "input", [""])


def test_what_no_operation_answers_to_is_told_as_a_problem_too(owner: Caller) -> None:
    assert fault(owner("get", "/nothing/here")) == (404, "absent", [])
    assert fault(Client().post("/api/v1/studies", b'{"a":', "application/json", headers=owner.headers))[0] == 400


def test_the_document_says_by_which_media_type_problems_come(db) -> None:
    told = Client().get("/api/v1/openapi.json").json()
    answers = [one["responses"] for path in told["paths"].values() for one in path.values()]
    assert {kind for each in answers for kind in each["404"]["content"]} == {"application/problem+json"}
    assert all("application/problem+json" in each["400"]["content"] for each in answers)


@pytest.mark.database
def test_a_stopping_rule_of_more_raters_than_a_database_holds_is_refused_by_its_field(
    study: Study, owner: Caller
) -> None:
    for far in (2**31, 2**63, 10**30):
        rule = {"width": 1, "most": far}
        assert fault(owner("put", f"/studies/{study.uuid}/stopping-rule", rule)) == (422, "input", ["most"])


@pytest.mark.database
def test_lists_come_in_pages(owner: Caller) -> None:
    for name in "abc":
        assert owner("post", "/studies", {"name": name}).status_code == 201
    told = owner("get", "/studies?limit=2&offset=1").json()
    assert ([one["name"] for one in told["items"]], told["count"]) == (["b", "a"], 4)


@pytest.mark.database
def test_tokens_and_keys_are_made_shown_once_and_revoked(owner: Caller) -> None:
    made = owner("post", "/tokens", {"name": "nightly"}).json()
    assert ApiToken.objects.user_of(made["token"]) == owner.user
    assert made["token"] not in owner("get", "/tokens").content.decode()
    assert owner("delete", f"/tokens/{made['id']}").status_code == 204
    assert ApiToken.objects.user_of(made["token"]) is None
    key = owner("post", "/keys").json()
    assert len(key["secret_access_key"]) == 40
    assert key["secret_access_key"] not in owner("get", "/keys").content.decode()
    assert Caller("other")("delete", f"/keys/{key['key_id']}").status_code == 404
    assert owner("delete", f"/keys/{key['key_id']}").status_code == 204
    assert owner("get", "/keys").json()["items"][0]["revoked_at"]
