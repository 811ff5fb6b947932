"""Many pairs: each content once, contexts together, resumable; and choices by rounded scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import BadInput
from metrics.likelihood import Decoding, FileStore, Layout, ModelCard, Pair, Scored, score_all
from metrics.likelihood.errors import ServerFailed
from metrics.likelihood.packing import Job, Shape, best_share, build_batches
from metrics.likelihood.scoring import chunks
from metrics.likelihood.screening import screen_choices, screen_pairs

PAIRS = [(f"context {i // 3}", f"candidate {i}") for i in range(12)]


class Counting:
    """A backend that counts letters, notes what it was asked, and may break off."""

    def __init__(self, *, fails_at: str = "", scale: float = 1.0) -> None:
        self.asked: list[Pair] = []
        self.fails_at, self.scale = fails_at, scale
        self.card = ModelCard("letters", "1", "letters", "float32", Decoding(), Layout())

    def score(self, pairs: Sequence[Pair]) -> list[Scored]:
        if any(self.fails_at and candidate == self.fails_at for _, candidate in pairs):
            raise ServerFailed("The server broke off.")
        self.asked += pairs
        return [Scored(-self.scale * len(candidate), len(context) or 1) for context, candidate in pairs]


def test_equal_content_is_scored_once_and_answers_stand_in_order() -> None:
    backend = Counting()
    scores = score_all(backend, [*PAIRS, *PAIRS[::-1]])
    assert len(backend.asked) == 12
    assert scores == [*Counting().score(PAIRS), *Counting().score(PAIRS[::-1])]


def test_a_run_that_breaks_off_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    with pytest.raises(ServerFailed):
        score_all(Counting(fails_at="candidate 11"), PAIRS, store=FileStore(path), chunk=3)
    again = Counting()
    scores = score_all(again, PAIRS, store=FileStore(path), chunk=3)
    assert len(again.asked) == 3
    assert scores == Counting().score(PAIRS)


def test_a_torn_last_line_costs_that_score_only(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    score_all(Counting(), PAIRS, store=FileStore(path))
    path.write_text(path.read_text()[:-9])
    again = Counting()
    score_all(again, PAIRS, store=FileStore(path))
    assert len(again.asked) == 1
    assert len(FileStore(path).scores) == 12


def test_another_model_does_not_find_the_scores_of_the_first(tmp_path: Path) -> None:
    store, other = FileStore(tmp_path / "scores.jsonl"), Counting()
    score_all(Counting(), PAIRS, store=store)
    other.card = ModelCard("letters", "2", "letters", "float32", Decoding(), Layout())
    score_all(other, PAIRS, store=store)
    assert len(other.asked) == 12


def test_minus_infinity_survives_the_file(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "scores.jsonl")
    store.keep({"a": Scored(float("-inf"), 3)})
    assert FileStore(store.path).known(["a"]) == {"a": Scored(float("-inf"), 3)}


def test_progress_ends_at_the_whole() -> None:
    seen: list[tuple[int, int]] = []
    score_all(Counting(), PAIRS, progress=lambda done, of: seen.append((done, of)), chunk=3)
    assert (seen[0], seen[-1]) == ((0, 12), (12, 12))
    assert seen == sorted(seen)


@given(st.lists(st.tuples(st.sampled_from(["", "a", "bb"]), st.text(max_size=2)), unique=True), st.integers(1, 9))
def test_chunks_hold_every_pair_once(pairs: list[Pair], size: int) -> None:
    parts = list(chunks(pairs, size))
    assert sorted(pair for part in parts for pair in part) == sorted(pairs)


JOBS = st.lists(
    st.builds(
        Job,
        st.sampled_from([(1,), (1, 2, 3, 4, 5), (2, 2, 2)]),
        st.lists(st.integers(0, 9), min_size=1, max_size=12).map(tuple),
    ),
    max_size=25,
)


@given(JOBS, st.integers(8, 60), st.booleans())
def test_batches_hold_every_job_once_within_the_budget(jobs: list[Job], budget: int, share: bool) -> None:
    shape = Shape(budget=budget, room=budget, width=32, share=share)
    found = list(build_batches(jobs, shape))
    assert sorted(number for batch in found for row in batch for number in row.members) == list(range(len(jobs)))
    for batch in found:
        assert len(batch) == 1 or len(batch) * max(row.length for row in batch) <= budget
        assert all(jobs[number].prefix == row.prefix for row in batch for number in row.members)


def test_a_long_context_is_shared_by_more_candidates_than_a_short_one() -> None:
    shape = Shape(budget=4096, room=4096, width=768)
    assert best_share(400, 40, 8, shape) == 8
    assert best_share(1, 40, 64, shape) <= 2


def test_close_choices_are_decided_by_exact_scores() -> None:
    rough, fine = [-1.0, -1.02, -1.5], [-1.03, -1.02, -1.5]
    found = screen_choices(
        [(0, 1), (0, 2)], lambda at: [rough[i] for i in at], lambda at: [fine[i] for i in at], count=3
    )
    assert found.above == (False, True)
    assert (found.rechecked, found.changed) == (1, 1)


@given(st.lists(st.floats(-5, 0), min_size=4, max_size=12), st.randoms(use_true_random=False))
def test_screening_decides_as_exact_scores_do_while_errors_are_within_the_bound(exact: list[float], dice) -> None:
    rough = [value + dice.uniform(-0.029, 0.029) for value in exact]
    choices = [(i, j) for i in range(len(exact)) for j in range(len(exact)) if i != j]
    found = screen_choices(
        choices, lambda at: [rough[i] for i in at], lambda at: [exact[i] for i in at], count=len(exact)
    )
    assert list(found.above) == [exact[a] > exact[b] for a, b in choices]


def test_two_backends_screen_pairs_of_texts() -> None:
    choices = [(PAIRS[0], PAIRS[9]), (PAIRS[0], PAIRS[11])]
    found = screen_pairs(choices, Counting(), Counting(scale=2.0))
    # 11 letters against 12 over 9 tokens each: a difference of 1/9 is above the margin.
    assert found.above == (False, True)
    with pytest.raises(BadInput, match="margin"):
        screen_choices([], list, list, count=0, margin=-1)
