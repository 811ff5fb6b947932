"""A study by the API alone, from a file to decisions, on the marketplace beside it."""

from __future__ import annotations

from typing import Any

import pytest
from django.db.models import Q
from django.utils import timezone

from annotation import settings as conf
from annotation.jobs.run import run_due
from annotation.models import Study
from annotation.mturk.client import Market
from annotation.outbox.worker import work
from tests.annotation.api.conftest import Caller, fault
from tests.annotation.conftest import told
from tests.annotation.console.factories import BROKEN, SOUND


@pytest.fixture
def caller(db: None) -> Caller:
    return Caller("ada")


@pytest.fixture
def draft(caller: Caller) -> str:
    """The address of a draft with 20 texts."""
    made = caller("post", "/studies", {"name": "mine", "noun": "headline"}).json()
    at = f"/studies/{made['uuid']}"
    job = caller.upload(f"{at}/texts", SOUND).json()
    run_due()
    assert caller("get", f"/jobs/{job['uuid']}").json()["outcome"]["texts"] == 20
    caller("post", f"/jobs/{job['uuid']}/confirm")
    run_due()
    return at


@pytest.mark.database
@pytest.mark.django_db
def test_a_file_with_faults_is_told_by_row_field_and_rule_and_adds_nothing(caller: Caller) -> None:
    at = f"/studies/{caller('post', '/studies', {'name': 'mine'}).json()['uuid']}"
    job = caller.upload(f"{at}/texts", BROKEN).json()
    run_due()
    found = caller("get", f"/jobs/{job['uuid']}").json()
    assert (found["state"], found["outcome"]["total_problems"]) == ("done", 2)
    assert {"row", "field", "rule"} <= set(found["outcome"]["problems"][0])
    assert caller("get", f"{at}/texts").json()["count"] == 0
    assert fault(caller.upload(f"{at}/texts", SOUND, columns="nonsense")) == (422, "input", ["columns"])
    viewer = Caller("vera", Study.objects.get(name="mine"), "viewer")
    assert viewer.upload(f"{at}/texts", SOUND).status_code == 403
    assert Caller("stan").upload(f"{at}/texts", SOUND).status_code == 404


@pytest.mark.database
@pytest.mark.django_db
def test_texts_are_listed_found_and_chosen(caller: Caller, draft: str) -> None:
    assert caller("get", f"{draft}/texts?words=harbour&side=reference&limit=3").json()["count"] == 10
    rules = {"steps": [{"rule": "exclude", "texts": {"r0": "about our own town"}}]}
    tried = caller("post", f"{draft}/selection", rules).json()
    assert (tried["kept"], tried["number"]) == (19, None)
    assert caller("get", f"{draft}/texts?state=left_out").json()["count"] == 0
    assert caller("post", f"{draft}/selection", {**rules, "dry_run": False}).json()["number"] == 1
    assert caller("get", f"{draft}/texts?state=left_out").json()["items"][0]["key"] == "r0"
    assert caller("get", f"{draft}/selection").json()["number"] == 1


@pytest.mark.database
@pytest.mark.django_db
def test_a_design_is_read_priced_changed_and_laid_out(
    caller: Caller, draft: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = {"raters_per_text": 3, "texts_per_hit": 20, "reward_cents": 200, "country": "", "budget_cents": 580}
    # 1 HIT x 3 places x $2.00, and no fee: $6.00, which the budget misses by 20 cents.
    tried = caller("post", f"{draft}/price", changes).json()
    assert (tried["hits"], tried["total_cents"], tried["missing_cents"]) == (1, 600, 20)
    assert caller("get", f"{draft}/design").json()["settings"]["raters_per_text"] == 20
    told_now = caller("patch", f"{draft}/design", {**changes, "budget_cents": None}).json()
    assert (told_now["settings"]["raters_per_text"], told_now["settings"]["budget_cents"]) == (3, None)
    assert caller("get", f"{draft}/price").json()["total_cents"] == 600
    assert caller("get", f"{draft}/precision").status_code == 202
    run_due()
    expected = caller("get", f"{draft}/precision").json()
    assert expected["huse"] > 0
    assert expected["reach"]["over"] == 0
    stated = {"text": 0, "slope": 0, "severity": 0, "noise": 1}
    asked = {"decision": "ratings", "difference": 0.4, "raters": [5], "spreads": stated, "budget_cents": 100}
    plan = caller("post", f"{draft}/plan", asked).json()
    # Independent ratings, se sqrt(2 / 5 / contexts): .4 at 80 % needs 20 by z, 3 or 4 more by t of 14 degrees.
    assert plan["reaching"][0]["contexts"] == pytest.approx(23, abs=1)
    assert plan["missing"] == plan["reaching"][0]["cents"] - 100
    assert fault(caller("post", f"{draft}/plan", {"decision": "ratings"})) == (409, "design", [])
    assert fault(caller("patch", f"{draft}/design", {"texts_per_hit": 0})) == (422, "input", ["texts_per_hit"])
    assert fault(caller("patch", f"{draft}/design", {"margin_points": 5})) == (409, "design", ["margin_points"])
    cells = {"arms": [{"training": "none", "reward_cents": 200}], "cells": [{"training": "none", "generator": "x"}]}
    assert fault(caller("put", f"{draft}/cells", cells))[:2] == (409, "design")
    wording = caller("get", f"{draft}/wording").json()
    assert caller("put", f"{draft}/wording", {**wording["body"], "heading": "How usual?"}).json()["version"] == 2
    assert fault(caller("put", f"{draft}/wording", {**wording["body"], "intro": "one"})) == (409, "design", ["intro"])
    laid_out = caller("post", f"{draft}/layout").json()
    assert (laid_out["hits"], laid_out["assignments"], laid_out["total_cents"]) == (1, 3, 600)
    assert fault(caller("patch", f"{draft}/design", {"seed": 9})) == (409, "state", ["seed"])
    assert caller("delete", f"{draft}/layout").status_code == 204
    assert caller("get", f"{draft}/layout").json()["count"] == 0
    monkeypatch.setattr("annotation.design.lay_out.MAX_TEXTS_AT_ONCE", 1)
    asked = caller("post", f"{draft}/layout")
    assert (asked.status_code, asked.json()["kind"], asked.json()["state"]) == (202, "lay_out", "waiting")
    assert caller("post", f"/jobs/{asked.json()['uuid']}/cancel").json()["problem"].startswith("Canceled by")
    again = caller("post", f"{draft}/layout").json()
    run_due()
    assert caller("get", f"/jobs/{again['uuid']}").json()["outcome"] == {"hits": 1, "places": 3}


@pytest.mark.django_db(transaction=True)
def test_publishing_takes_the_sum_typed_and_the_study_is_watched_and_ended(
    caller: Caller, draft: str, site: str, settings: Any
) -> None:
    settings.MTURK_ENDPOINT_URL = f"{site}/mturk/"
    key = told("create_requester", "lab", "--balance", "100.00")
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = key["access_key"], key["secret_key"]
    caller("patch", f"{draft}/design", {"raters_per_text": 3, "reward_cents": 200})
    caller("post", f"{draft}/layout")
    assert fault(caller("get", f"{draft}/preflight"))[:2] == (409, "state")
    assert caller("post", f"{draft}/preflight").status_code == 202
    run_due()
    cost = caller("get", f"{draft}/preflight").json()["total_cents"]
    assert fault(caller("post", f"{draft}/publish", {"confirm_cents": cost - 1})) == (409, "budget", ["confirm_cents"])
    assert caller("get", f"{draft}/progress").json()["status"] == "draft"
    done = caller("post", f"{draft}/publish", {"confirm_cents": cost})
    assert (done.status_code, done.json()["intended"], done.json()["reserved_cents"]) == (202, 1, cost)
    work(Q(), market=Market(conf.endpoint()), clock=timezone.now)
    seen = caller("get", f"{draft}/progress").json()
    assert (seen["status"], seen["published"], seen["places"], seen["reserved_cents"]) == ("published", 1, 3, cost)
    assert caller("get", f"{draft}/comparison").json()["differences"] == []
    assert caller("post", f"{draft}/acts/pause").json() == {"status": "paused", "done": {"hits": 1}}
    assert fault(caller("post", f"{draft}/acts/pause"))[:2] == (409, "state")
    assert caller("post", f"{draft}/acts/resume").json()["status"] == "published"
    assert caller("post", f"{draft}/acts/expire").json()["status"] == "ending"
    verbs = list(Study.objects.get().audit.order_by("number").values_list("verb", "actor"))
    assert {actor for _, actor in verbs} == {"ada"}
    assert [verb for verb, _ in verbs][-4:] == ["publish", "pause", "resume", "expire"]
