"""A study's texts get their log-probabilities from a model, and HUSE comes out without a column made by hand."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Q

from annotation.collecting.collect import collect
from annotation.collecting.parse_submissions import read
from annotation.design.lay_out import design
from annotation.exceptions import DesignError, StateError
from annotation.models import AuditEvent, Likelihood, Scoring, Study
from annotation.mturk.client import Market
from annotation.outbox.worker import work
from annotation.publishing.publish import publish
from annotation.texts.log_probs.score_now import score_texts
from metrics.likelihood import Decoding, Layout, ModelCard, Pair, Scored
from metrics.likelihood.errors import ServerFailed
from tests.annotation.conftest import NOW
from tests.metrics.likelihood.tiny import WORDS, model, one_at_a_time, saved, texts

pytestmark = pytest.mark.django_db(transaction=True)


class Letters:
    """A backend that counts letters and may break off."""

    def __init__(self, *, fails_at: str = "", revision: str = "1") -> None:
        self.asked: list[Pair] = []
        self.fails_at = fails_at
        self.card = ModelCard("letters", revision, "letters", "float32", Decoding(0.7), Layout())

    def score(self, pairs: Sequence[Pair]) -> list[Scored]:
        if any(candidate == self.fails_at for _, candidate in pairs):
            raise ServerFailed("The server broke off.")
        self.asked += pairs
        return [Scored(-float(len(candidate)), 2) for _, candidate in pairs]


def imported(tmp_path: Path, n: int = 10, *, generators: Sequence[str] = ("tiny",), name: str = "new") -> Study:
    lines = ["id,text,source,generator,context,context_text,decoding"]
    for i, one in enumerate(texts(n, seed=1)):
        lines.append(f"r{i},{WORDS[i % 5]} {one},reference,,c{i},the {WORDS[i % len(WORDS)]} sat,")
    for name_of in generators:
        for i, one in enumerate(texts(n, seed=2)):
            lines.append(f"{name_of}{i},{one},model,{name_of},c{i},the {WORDS[i % len(WORDS)]} sat,sample t=0.7")
    path = tmp_path / "texts.csv"
    path.write_text("\n".join(lines) + "\n")
    call_command("import_texts", path, study=name, create=True, stdout=io.StringIO())
    return Study.objects.get(name=name)


def scored(study: Study, backend: Letters, **more: object) -> object:
    return score_texts(study, backend=backend, actor="ada", now=NOW, **more)


def rated(study: Study, market: Market, everybody_rates: Callable[..., None]) -> None:
    """Two people rate every text."""
    Study.objects.filter(pk=study.pk).update(raters_per_text=2, texts_per_hit=10, reward_cents=50)
    study.refresh_from_db()
    design(study, actor="ada", now=NOW)
    publish(study, actor="ada", now=NOW)
    work(Q(), market=market, clock=lambda: NOW)
    everybody_rates("ann")
    everybody_rates("bob", label="Somewhat typical")
    collect(study, market=market, now=NOW)
    read(study, now=NOW)


def test_a_study_without_log_probabilities_gets_them_and_its_huse(
    tmp_path: Path, market: Market, everybody_rates: Callable[..., None]
) -> None:
    study, folder = imported(tmp_path), saved(tmp_path / "model")
    call_command("score_texts", "new", model=str(folder), stdout=io.StringIO(), stderr=io.StringIO())
    row = Likelihood.objects.get(text__key="r3")
    whole, tokens = one_at_a_time(model("gpt2"), row.text.context.body, row.text.body)
    assert (row.length, row.length_unit, row.decoding) == (tokens, "model_token", "sample t=0.7")
    assert row.log_prob != pytest.approx(whole, abs=1e-3)  # annealed to t = 0.7
    rated(study, market, everybody_rates)
    call_command("report", "new", out=tmp_path / "report", stdout=io.StringIO(), stderr=io.StringIO())
    told = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))["generators"]["tiny"]
    assert told["modes"]["exact"]["huse"]["n"] == 20
    assert told["log_prob_decoding"] == "sample t=0.7"


def test_references_are_scored_under_each_generator(tmp_path: Path) -> None:
    study, backend = imported(tmp_path, 3, generators=("g", "h")), Letters()
    assert scored(study, backend, generator="g").scored == 6
    done = scored(study, Letters(revision="2"), generator="h")
    assert (done.scored, done.reused, Likelihood.objects.count()) == (6, 0, 12)


def test_the_same_again_scores_nothing(tmp_path: Path) -> None:
    study = imported(tmp_path, 3)
    scored(study, Letters())
    again = Letters()
    done = scored(study, again)
    assert (done.scored, done.reused, done.already_scored, again.asked) == (0, 0, 6, [])
    assert AuditEvent.objects.filter(verb="score_texts").count() == 1


def test_equal_content_in_another_study_is_not_scored_again(tmp_path: Path) -> None:
    scored(imported(tmp_path, 3), Letters())
    again = Letters()
    done = scored(imported(tmp_path, 3, name="copy"), again)
    assert (done.scored, done.reused, again.asked) == (0, 6, [])
    assert set(Likelihood.objects.values_list("scoring__revision", flat=True)) == {"1"}


def test_what_was_scored_before_a_failure_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotation.texts.log_probs.score_now.CHUNK", 2)
    study = imported(tmp_path, 4)
    last = study.texts.get(key="tiny3").body
    with pytest.raises(ServerFailed):
        scored(study, Letters(fails_at=last))
    before = Likelihood.objects.count()
    assert 0 < before < 8
    done = scored(study, Letters())
    assert (done.already_scored, done.scored) == (before, 8 - before)


def test_scores_of_two_models_are_not_mixed_unless_they_replace(tmp_path: Path) -> None:
    study = imported(tmp_path, 3)
    scored(study, Letters())
    with pytest.raises(StateError, match="6 texts have log-probabilities under tiny that were made otherwise"):
        scored(study, Letters(revision="2"))
    assert scored(study, Letters(revision="2"), replace=True).scored == 6
    assert Likelihood.objects.filter(scoring__revision="2").count() == Likelihood.objects.count() == 6


def test_what_stands_behind_a_score_is_stored(tmp_path: Path) -> None:
    study = imported(tmp_path, 2)
    scored(study, Letters())
    told = Scoring.objects.values("model", "revision", "tokenizer", "dtype", "decoding", "include_eos").get()
    assert list(told.values()) == ["letters", "1", "letters", "float32", "sample t=0.7", True]


@pytest.mark.parametrize(("name", "sentence"), [(None, "generators: g, h; say"), ("x", "no generator called 'x'")])
def test_the_generator_must_be_told_where_there_are_several(tmp_path: Path, name: str | None, sentence: str) -> None:
    study = imported(tmp_path, 2, generators=("g", "h"))
    with pytest.raises(DesignError, match=sentence):
        scored(study, Letters(), generator=name)


def test_the_command_says_faults_in_a_sentence(tmp_path: Path) -> None:
    imported(tmp_path, 2)
    with pytest.raises(CommandError, match="holds no model that can be read") as caught:
        call_command("score_texts", "new", model=str(tmp_path), stderr=io.StringIO())
    assert caught.value.returncode == 2
    assert not Likelihood.objects.exists()


def test_a_model_reads_the_texts_and_the_report_tells_of_them_by_source(
    tmp_path: Path, market: Market, everybody_rates: Callable[..., None]
) -> None:
    study, folder = imported(tmp_path), saved(tmp_path / "model")
    rated(study, market, everybody_rates)
    scores = tmp_path / "scores.json"
    call_command("score_by_model", "new", model=str(folder), out=scores, stdout=io.StringIO())
    report = {"out": tmp_path / "report", "format": "json", "attach": [scores]}
    call_command("report", "new", **report, stdout=io.StringIO())
    told = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    (section,) = [one for one in told["results"] if one["key"] == "automatic"]
    tables = {one["name"]: one for one in section["tables"]}
    assert {"automatic-sources", "automatic-ranks", "automatic-mauve", "automatic-texts"} <= set(tables)
    assert [row["source"] for row in tables["automatic-sources"]["rows"]] == ["references", "tiny"]
    assert study.audit.filter(verb="read_by_model").count() == 1
