"""A study is repeated from its snapshot: the same tasks for other people, the same people, or anchors only."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.accounts.models import User
from annotation.design.lay_out import design
from annotation.exceptions import DesignError, StateError
from annotation.hits.mturk_request import hit_order
from annotation.importing.import_report import import_report
from annotation.jobs.run import run_due
from annotation.models import Cell, Membership, Role, Study, Submission, WorkerIdentity
from annotation.outbox.effects.hits import _took_part
from annotation.readers.report_file import read_report
from annotation.reports import replicate_study
from annotation.reports.replicate_study import _choose_texts, replicate
from annotation.reports.take_snapshot import stored_snapshot, take
from tests.annotation.api.conftest import Caller, fault
from tests.metrics.report.samples import study as sample
from tests.report_checker.studies import Draw, decide, draw, rehearse, work
from tests.report_checker.world import NOW

pytestmark = pytest.mark.django_db

SEEDS = {"typicality": 0, "evaluators": 36}  # every submission of both was approved
LATER = NOW + timedelta(days=60)


@dataclass
class Recorder:
    """A marketplace that notes who was given a qualification."""

    url: str = "https://market.example/"
    provider: str = "mturk"
    given: list[tuple[str, str, int]] = field(default_factory=list)

    def took_part_mark(self, name: str) -> str:
        return f"3TYPE {name}"

    def grant(self, type_id: str, worker_id: str, value: int) -> None:
        self.given.append((type_id, worker_id, value))


def drawn_of(kind: str) -> Draw:
    return replace(draw(SEEDS[kind]), texts=10, generators=("alpha", "beta"), contexts=True, raters=5, per_hit=5)


def looked_at(kind: str) -> Study:
    study = rehearse(drawn_of(kind))
    take(study, actor="ada", reason="report", now=NOW)
    return study


def repeat(study: Study, name: str = "again", **how: object) -> Study:
    return replicate(study, name, actor="ada", now=LATER, **how).study


@pytest.mark.database
@pytest.mark.parametrize("kind", SEEDS)
def test_the_repetition_has_the_tasks_of_the_snapshot(kind: str) -> None:
    study = looked_at(kind)
    again = repeat(study, seed=9)
    assert (again.mode, again.status, again.seed, again.task) == ("rehearsal", "draft", 9, study.task)
    assert again.wordings.last().digest == study.wordings.last().digest
    same = ("raters_per_text", "texts_per_hit", "evaluators_per_cell", "reward_cents", "currency", "checks_per_hit")
    assert [getattr(again, name) for name in same] == [getattr(study, name) for name in same]
    texts = [set(one.texts.values_list("key", "body", "generator__name", "context__key")) for one in (study, again)]
    assert texts[0] == texts[1]
    cells = [
        set(Cell.objects.filter(arm__study=one).values_list("arm__training", "arm__reward_cents"))
        for one in (study, again)
    ]
    assert cells[0] == cells[1]
    assert again.replication.original == study
    assert again.replication.content_sha256 == study.snapshots.get().content_sha256


@pytest.mark.database
def test_anothers_snapshot_is_repeated_and_compared_in_one_report(tmp_path: Path) -> None:
    """From a file alone: loaded, repeated, worked on by others, compared."""
    study = looked_at("typicality")
    (tmp_path / "snapshot.json").write_bytes(stored_snapshot(study, 1).document())
    theirs = import_report(read_report(tmp_path / "snapshot.json"), name="theirs", actor="ada", now=LATER)
    ours = repeat(theirs, "ours")
    design(ours, actor="ada", now=LATER)
    Study.objects.filter(pk=ours.pk).update(status="closed")
    ours.refresh_from_db()
    drawn, rng = replace(drawn_of("typicality"), seed=500), random.Random(1)
    work(ours, drawn, rng)
    decide(ours, drawn, rng)
    call_command("report", "theirs", "ours", out=tmp_path / "both", format="json,csv")
    compared = json.loads((tmp_path / "both" / "comparison.json").read_text(encoding="utf-8"))
    (section,) = [one for one in compared["results"] if one["key"] == "reproduction"]
    tables = {table["name"]: table for table in section["tables"]}
    assert len(tables["reproduction-sets"]["rows"]) == 1
    measures = {row["what"] for row in tables["reproduction-scores"]["rows"]}
    assert measures == {"mean typicality, from the lowest label", "HUSE", "HUSE-Q", "HUSE-D"}
    assert any("(CV*) of 9 scores that the studies share" in sentence for sentence in compared["verdicts"])


def test_anchors_are_drawn_by_the_seed() -> None:
    study = looked_at("typicality")
    again, twin = repeat(study, anchors=3, seed=4), repeat(study, "twin", anchors=3, seed=4)
    keys = set(again.texts.values_list("key", flat=True))
    # A context has a text of each of three sources.
    assert (len(keys), again.texts.values("context").distinct().count()) == (9, 3)
    assert set(twin.texts.values_list("key", flat=True)) == keys
    with pytest.raises(DesignError, match="1 to 10 contexts of the original, not 31"):
        repeat(study, "more", anchors=31)
    assert not Study.objects.filter(name="more").exists()


def test_an_anchor_is_a_whole_context() -> None:
    given = sample({"a": (0.5, 0.5), "b": (0.2, 0.2)}, texts=6, raters=3)
    chosen = _choose_texts(given, 2, 1)
    contexts = {text.context_id for text in given.texts if text.id in chosen}
    assert len(contexts) == 2
    assert chosen == {text.id for text in given.texts if text.context_id in contexts}
    assert len(chosen) == 6


@pytest.mark.parametrize(("people", "comparator"), [("others", "DoesNotExist"), ("same", "Exists")])
def test_who_took_part_is_kept_out_or_alone_let_in(people: str, comparator: str) -> None:
    study = looked_at("typicality")
    again = repeat(study, people=people)
    design(again, actor="ada", now=LATER)
    market = Recorder()
    requirement = _took_part(again, market)
    assert requirement.comparator == comparator
    order = hit_order(again.hits.get(slot=0), token="t", original=requirement)
    assert requirement in order.requirements
    workers = Submission.objects.filter(hit__study=study).values("worker")
    ids = set(WorkerIdentity.objects.filter(worker__in=workers).values_list("external_id", flat=True))
    assert {worker for _, worker, _ in market.given} == ids
    assert _took_part(again, market) == requirement
    assert len(market.given) == len(ids), "the mark is given once"
    assert _took_part(study, market) is None


def test_what_cannot_be_repeated_says_why(tmp_path: Path) -> None:
    study = looked_at("typicality")
    (tmp_path / "snapshot.json").write_bytes(stored_snapshot(study, 1).document())
    theirs = import_report(read_report(tmp_path / "snapshot.json"), name="theirs", actor="ada", now=LATER)
    with pytest.raises(StateError, match="a snapshot has pseudonyms only"):
        repeat(theirs, people="others")
    with pytest.raises(StateError, match="has no snapshot yet: look at its results first"):
        repeat(rehearse(replace(drawn_of("typicality"), seed=501)))
    Study.objects.filter(pk=study.pk).update(status="published")
    study.refresh_from_db()
    with pytest.raises(StateError, match="Close the study"):
        repeat(study, people="same")
    with pytest.raises(CommandError, match="invalid choice"):
        call_command("replicate", study.name, "again", "--people", "nobody")
    assert not Study.objects.filter(name="again").exists()


def test_the_page_creates_the_repetition_by_a_job_where_the_snapshot_is_large(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, user = looked_at("typicality"), User.objects.create_user("ada")
    Membership.objects.create(study=original, user=user, role=Role.OWNER)
    client.force_login(user)
    form = {"repeat_name": "again", "people": "anyone", "anchors": ""}
    answer = client.post(reverse("console:manage-repeat", args=[original.uuid]), form)
    again = Study.objects.get(name="again")
    assert answer["Location"] == reverse("console:overview", args=[again.uuid])
    assert again.texts.count() == 30
    error = client.post(reverse("console:manage-repeat", args=[original.uuid]), {**form, "anchors": "99"})
    assert error.status_code == 422
    monkeypatch.setattr(replicate_study, "MAX_BYTES_AT_ONCE", 0)
    large = {"repeat_name": "large", "people": "others", "anchors": "4"}
    address = client.post(reverse("console:manage-repeat", args=[original.uuid]), large)["Location"]
    assert client.post(reverse("console:manage-repeat", args=[original.uuid]), large)["Location"] == address
    run_due()
    repeated = Study.objects.get(name="large")
    assert (repeated.replication.people, repeated.replication.anchors) == ("others", 4)
    # A context has a text of each of three sources.
    assert "Study created, with 12 texts of the 30 in the snapshot. You own it." in client.get(address).content.decode()
    assert repeated.texts.count() == 12


def test_a_program_creates_the_repetition() -> None:
    original = looked_at("typicality")
    reviewer, viewer = Caller("ada", original, Role.REVIEWER), Caller("eve", original, Role.VIEWER)
    path, body = f"/studies/{original.uuid}/repetitions", {"name": "again", "people": "others", "anchors": 4, "seed": 7}
    assert viewer("post", path, body).status_code == 403
    answer = reviewer("post", path, body)
    again = Study.objects.get(name="again")
    assert (answer.status_code, answer.json()["texts"], answer.json()["of"]) == (201, again.texts.count(), 30)
    assert (answer.json()["study"]["name"], again.seed) == ("again", 7)
    assert (again.replication.people, again.replication.anchors) == ("others", 4)
    status, _, fields = fault(reviewer("post", path, {**body, "name": "more", "anchors": 99}))
    assert (status, fields) == (409, ["anchors"])
