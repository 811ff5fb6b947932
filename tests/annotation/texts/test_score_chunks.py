"""Several workers share the scoring of a study; whatever happens to one of them, each text is scored into it once."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Q

from annotation.exceptions import StateError
from annotation.jobs.celery_tasks import held_model
from annotation.models import Likelihood, ScoringChunk, ScoringJob, Study
from annotation.texts.log_probs import worker as loop
from annotation.texts.log_probs.enqueue import Planned, plan_scoring
from annotation.texts.log_probs.score_now import score_texts
from annotation.texts.log_probs.store import ScoringProgress, scoring_progress
from annotation.texts.log_probs.worker import LEASE, ChunksScored, score_chunks
from metrics.likelihood import LogProbs, Pair, Scored
from metrics.likelihood.errors import TextTooLong
from metrics.likelihood.opening import Opening
from tests.annotation.conftest import NOW
from tests.annotation.texts.test_score_texts import Letters, imported
from tests.metrics.likelihood.tiny import model, one_at_a_time, saved

pytestmark = [pytest.mark.django_db, pytest.mark.database]


class Time:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


def planned(study: Study, size: int = 4, *, replace: bool = False) -> Planned:
    return plan_scoring(study, opening=Opening("letters"), actor="ada", now=NOW, size=size, replace=replace)


def worked(backend: LogProbs, clock: Callable[[], datetime] = lambda: NOW, **more: int) -> ChunksScored:
    return score_chunks(Q(), open_backend=lambda opening: backend, clock=clock, **more)


def progress(study: Study) -> ScoringProgress:
    (found,) = scoring_progress(study)
    return found


def test_chunks_taken_in_turn_by_two_workers_cover_every_text_once(tmp_path: Path) -> None:
    study = imported(tmp_path, 6)
    assert (planned(study).texts, ScoringChunk.objects.count()) == (12, 3)
    ann, bob = Letters(), Letters()
    while worked(ann, max_chunks=1).open:
        worked(bob, max_chunks=1)
    asked = [*ann.asked, *bob.asked]
    assert ann.asked
    assert bob.asked
    assert len(asked) == len(set(asked)) == Likelihood.objects.count() == 12
    assert (progress(study).scored, progress(study).done) == (12, 3)


def test_the_scores_are_those_of_scoring_at_once(tmp_path: Path) -> None:
    study, other = imported(tmp_path, 5), imported(tmp_path, 5, name="other")
    planned(study)
    worked(Letters())
    Likelihood.objects.filter(text__study=study).update(content_hash="")
    score_texts(other, backend=Letters(), actor="ada", now=NOW)
    both = [
        list(Likelihood.objects.filter(text__study=one).order_by("text").values_list("log_prob", "length", "decoding"))
        for one in (study, other)
    ]
    assert both[0] == both[1]


def test_a_worker_that_died_leaves_what_it_kept_and_its_chunk_to_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "PART", 2)
    study, clock = imported(tmp_path, 4), Time()
    planned(study, 100)

    class Dies(Letters):
        def score(self, pairs: Sequence[Pair]) -> list[Scored]:
            if self.asked:
                raise KeyboardInterrupt
            return super().score(pairs)

    first = Dies()
    with pytest.raises(KeyboardInterrupt):
        worked(first, clock)
    assert 0 < Likelihood.objects.count() < 8
    second = Letters()
    assert worked(second, clock).open == 1
    assert second.asked == []
    clock.now += LEASE + timedelta(seconds=1)
    worked(second, clock)
    assert set(first.asked).isdisjoint(second.asked)
    assert Likelihood.objects.count() == 8 == progress(study).scored


def test_a_worker_that_was_taken_for_dead_writes_nothing_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "PART", 2)
    study, clock = imported(tmp_path, 4), Time()
    planned(study, 100)
    second = Letters()

    class Slow(Letters):
        def score(self, pairs: Sequence[Pair]) -> list[Scored]:
            found = super().score(pairs)
            clock.now += LEASE + timedelta(seconds=1)
            worked(second, clock)
            return [Scored(-99.0, 9) for _ in found]

    done = worked(Slow(), clock)
    assert (done.done, done.open) == (0, 0)
    assert len(second.asked) == Likelihood.objects.count() == 8
    assert not Likelihood.objects.filter(log_prob=-99).exists()


def test_a_server_that_drops_is_asked_again_later_and_nothing_scored_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "PART", 2)
    study, clock = imported(tmp_path, 4), Time()
    planned(study, 100)
    drops = Letters(fails_at=study.texts.get(key="tiny3").body)
    done = worked(drops, clock)
    assert (done.put_off, done.open, done.next_in) == (1, 1, 2.0)
    assert len(drops.asked) == Likelihood.objects.count()
    assert progress(study).sentences == {"The server broke off.": 1}
    clock.now += timedelta(seconds=3)
    again = Letters()
    assert worked(again, clock).done == 1
    assert len(drops.asked) + len(again.asked) == 8 == Likelihood.objects.count()
    assert progress(study).sentences == {}


def test_a_server_that_never_answers_is_given_up_in_a_sentence(tmp_path: Path) -> None:
    study, clock = imported(tmp_path, 2), Time()
    planned(study)
    drops = Letters(fails_at=study.texts.get(key="tiny0").body)
    for _ in range(loop.MAX_ATTEMPTS):
        worked(drops, clock)
        clock.now += timedelta(minutes=1)
    assert (progress(study).failed, progress(study).waiting) == (1, 0)
    with pytest.raises(CommandError) as caught:
        call_command("scoring_status", "new", stdout=(out := io.StringIO()))
    assert caught.value.returncode == 1
    assert "1 chunks: The server broke off." in out.getvalue()


def test_texts_that_kill_every_worker_are_given_up(tmp_path: Path) -> None:
    study, clock = imported(tmp_path, 2), Time()
    planned(study)

    class Dies(Letters):
        def score(self, pairs: Sequence[Pair]) -> list[Scored]:
            raise KeyboardInterrupt

    for _ in range(loop.MAX_ATTEMPTS):
        with pytest.raises(KeyboardInterrupt):
            worked(Dies(), clock)
        clock.now += LEASE + timedelta(seconds=1)
    assert worked(Letters(), clock).open == 0
    assert progress(study).sentences == {"Given up: 5 workers took these texts and stopped without a result.": 1}


def test_a_text_that_cannot_be_scored_fails_its_chunk_only(tmp_path: Path) -> None:
    study = imported(tmp_path, 4)
    planned(study, 2)
    long = study.texts.get(key="tiny3").body

    class Window(Letters):
        def score(self, pairs: Sequence[Pair]) -> list[Scored]:
            if any(one == long for _, one in pairs):
                raise TextTooLong("The text", tokens=70, window=64)
            return super().score(pairs)

    done = worked(Window())
    assert (done.done, done.failed, Likelihood.objects.count()) == (3, 1, 6)
    assert list(progress(study).sentences) == [
        "The text takes 70 tokens and the model's window is 64; nothing was cut."
    ]
    planned(study, 100)
    worked(Letters())
    assert [(one.scored, one.already_scored) for one in scoring_progress(study)] == [(6, 0), (2, 6)]


def test_two_scorings_of_one_generator_do_not_run_side_by_side(tmp_path: Path) -> None:
    study = imported(tmp_path, 2)
    planned(study)
    with pytest.raises(StateError, match="on the queue already"):
        planned(study)


def test_scores_made_otherwise_are_not_mixed_in_unless_they_are_replaced(tmp_path: Path) -> None:
    study = imported(tmp_path, 2)
    score_texts(study, backend=Letters(), actor="ada", now=NOW)
    planned(study)
    assert worked(Letters(revision="2")).failed == 1
    assert "two kinds cannot share a scale" in next(iter(progress(study).sentences))
    planned(study, replace=True)
    worked(Letters(revision="2"))
    assert set(Likelihood.objects.values_list("scoring__revision", flat=True)) == {"2"}


def test_the_work_command_is_the_loop_without_a_broker_and_opens_the_model_once(
    tmp_path: Path, settings: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, folder = imported(tmp_path, 3), saved(tmp_path / "model")
    settings.CELERY_BROKER_URL = ""
    opened = []
    real = Opening.open
    monkeypatch.setattr(Opening, "open", lambda self: opened.append(self) or real(self))
    monkeypatch.setattr("annotation.texts.log_probs.enqueue.CHUNK", 2)
    held_model.cache_clear()
    call_command(
        "score_texts", "new", model=str(folder), temperature=1.0, background=True, stdout=(told := io.StringIO())
    )
    assert "6 texts to score under tiny" in told.getvalue()
    assert ScoringJob.objects.get().opening["model"] == str(folder.resolve())
    call_command("work", only="scoring", stdout=io.StringIO(), stderr=io.StringIO())
    assert len(opened) == 1
    for row in Likelihood.objects.select_related("text__context"):
        whole, tokens = one_at_a_time(model("gpt2"), row.text.context.body, row.text.body)
        assert (row.log_prob, row.length) == (pytest.approx(whole, abs=1e-4), tokens)
    call_command("scoring_status", "new", stdout=(told := io.StringIO()))
    assert "6 of 6 texts (6 scored" in told.getvalue()
    assert progress(study).sentences == {}


def test_an_error_of_the_model_is_a_sentence_of_the_work_command(tmp_path: Path) -> None:
    study = imported(tmp_path, 2)
    plan_scoring(study, opening=Opening(str(tmp_path / "nowhere")), actor="ada", now=NOW)
    with pytest.raises(CommandError) as caught:
        call_command("work", only="scoring", stdout=io.StringIO(), stderr=io.StringIO())
    assert caught.value.returncode == 1
    assert "is not on this machine, and downloading was not allowed" in next(iter(progress(study).sentences))
