from __future__ import annotations

import numpy as np

from annotation.rehearsal.world import validity
from annotation.rehearsal.world.truths import load


def test_a_small_run_writes_truths_that_load_and_a_page_that_says_how_it_was_made(tmp_path, capsys):
    truths, page = tmp_path / "truths.json", tmp_path / "docs" / "validity.md"
    small = ["--studies", "6", "--coverage", "4", "--processes", "1"]
    validity.main([*small, "--truths", str(truths), "--page", str(page)])
    stored = load(truths)
    assert (stored.studies, stored.coverage_studies, stored.texts_per_source) == (6, 4, 1000)
    assert "Expectations: 6 studies. Intervals: 4 others" in page.read_text(encoding="utf-8")
    assert "6 studies" in capsys.readouterr().out


def test_intervals_are_judged_on_studies_of_their_own():
    expectation, coverage = validity.plan(8000, 2000)
    assert sum(chunk.studies for chunk in expectation) == 8000
    assert sum(chunk.studies for chunk in coverage) == 2000
    assert not {chunk.seed for chunk in expectation} & {chunk.seed for chunk in coverage}


def test_the_same_chunk_gives_the_same_numbers_again():
    chunk = validity.Chunk(seed=5, studies=2, intervals=True)
    first, second = validity.work(chunk), validity.work(chunk)
    assert (first.estimates == second.estimates).all()
    assert (first.sds == second.sds).all()
    assert np.isfinite(first.sds).all()
