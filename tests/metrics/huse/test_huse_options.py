"""`python -m metrics huse --permutation --curves --sensitivity`: what they add, and only where asked for."""

from __future__ import annotations

import json

import pytest

from metrics import evaluate_rated
from metrics.__main__ import main
from metrics.huse.curves import replicate_curve
from metrics.huse.permutation_test import permutation_test
from metrics.huse.sensitivity import sensitivity_table
from tests.metrics.factories import batch_items, batch_ratings, rated_study

KEYS = {"value", "n", "interval", "settings", "flags", "signature"}


@pytest.fixture
def run(tmp_path, capsys):
    """Runs the command on items and ratings; gives the exit code, stdout and stderr."""

    def go(items, ratings=None, *options: str, hit=None) -> tuple[int, str, str]:
        more = ",hit" if hit else ""
        lines = [f"id,log_prob,length,source,context{more}" + (",hj" if ratings is None else "")]
        for item in items:
            cells = [item.id, item.log_prob, item.length, item.source, item.context or "none"]
            cells += [hit(item)] if hit else []
            lines.append(",".join(map(str, [*cells, *([float(item.hj)] if ratings is None else [])])))
        (tmp_path / "items.csv").write_text("\n".join(lines), encoding="utf-8")
        extra = []
        if ratings is not None:
            rows = ["item,rater,value", *(f"{r.item},{r.rater},{r.value}" for r in ratings)]
            (tmp_path / "ratings.csv").write_text("\n".join(rows), encoding="utf-8")
            extra = ["--ratings", str(tmp_path / "ratings.csv")]
        code = main(["huse", str(tmp_path / "items.csv"), *extra, *options])
        return (code, *capsys.readouterr())

    return go


def test_nothing_is_added_that_was_not_asked_for(run):
    items, ratings = rated_study()
    assert set(json.loads(run(items, ratings, "--json")[1])) == {"schema_version", "modes"}


def test_all_of_it_as_json(run):
    items, ratings = rated_study()
    code, out, err = run(items, ratings, "--json", "--permutation", "99", "--curves", "--sensitivity", "--seed", "5")
    found = json.loads(out)
    assert (code, err) == (0, "")
    tested = permutation_test(items, permutations=99, seed=5)
    assert set(found["permutation_p"]) == {"huse", "huse_q", "log_prob_only"}
    assert found["permutation_p"]["huse"]["value"] == tested.p
    assert found["permutation_p"]["huse"]["settings"]["scheme"] == "within contexts"
    assert set(found["curves"]) == {"ratings", "texts"}
    curve = replicate_curve(items, ratings, seed=5)
    assert [found["curves"]["ratings"]["huse"][str(p.at)]["value"] for p in curve.points] == [
        p.huse.mean for p in curve.points
    ]
    table = sensitivity_table(items)
    assert found["sensitivity"]["by_k"]["k = 5"]["huse"]["value"] == next(
        row.result.huse.value for row in table.by_k if row.choice == "k = 5"
    )
    for number in (
        found["permutation_p"]["huse_q"],
        found["curves"]["texts"]["huse_q"]["60"],
        found["sensitivity"]["by_tie"]["equal votes: half"]["huse"],
    ):
        assert set(number) == KEYS


def test_all_of_it_as_text(run):
    items, ratings = rated_study()
    _, out, _ = run(items, ratings, "--permutation", "19", "--curves", "--sensitivity")
    assert "19 permutations of labels within contexts" in out
    assert "HUSE = " in out  # the fit of the replicate curve
    assert "total log p, not per unit of length" in out
    assert "Too few items for k = 75, 99." in out


@pytest.mark.parametrize("apart", [False, True])
def test_with_ratings_the_intervals_know_who_rated_what(run, apart):
    items, ratings = rated_study(apart=apart)
    found = json.loads(run(items, ratings, "--json", "--seed", "4")[1])["modes"]["exact"]["huse"]
    expected = evaluate_rated(items, ratings, ["exact"], seed=4)["exact"].huse
    assert (found["value"], found["interval"]["low"]) == (expected.value, expected.interval.low)
    assert ("raters_differ_by_source" in found["flags"]) is apart
    assert found["interval"]["method"].endswith("of raters") is apart


def test_without_ratings_there_is_the_curve_over_texts_alone(run):
    items, _ = rated_study()
    assert set(json.loads(run(items, None, "--json", "--curves")[1])["curves"]) == {"texts"}


def test_hits_of_one_source_are_told(run):
    items, ratings = rated_study()
    _, out, _ = run(items, ratings, "--json", "--permutation", "19", hit=lambda item: f"H-{item.source}")
    told = json.loads(out)["permutation_p"]["huse"]
    assert "one_source_hits" in told["flags"]
    assert told["settings"]["note"]


@pytest.mark.parametrize("times", ["0", "-3", "x"])
def test_odd_numbers_of_permutations_are_refused_in_a_sentence(run, capsys, times):
    items, _ = rated_study()
    try:
        code, out, err = run(items, None, f"--permutation={times}")
    except SystemExit as stop:
        code, (out, err) = stop.code, capsys.readouterr()
    assert (code, out, err.count("\n")) == (2, "", 1)


@pytest.mark.needs_data
def test_the_released_study_from_files(run, data_dir):
    # Corrected table: 10 ratings 0.591 (sd 0.055 over 400 draws), 50 texts 0.604 (sd 0.139).
    items, ratings = batch_items(data_dir, 20), batch_ratings(data_dir)
    # Contexts are given by number, as their texts hold commas; one occurs twice on each side.
    from dataclasses import replace

    numbers = {item.context: str(i) for i, item in enumerate(items)}
    items = [replace(item, context=numbers[item.context]) for item in items]
    found = json.loads(run(items, ratings, "--json", "--curves", "--mode", "exact")[1])["curves"]
    assert found["ratings"]["huse"]["10"]["value"] == pytest.approx(0.591225, abs=4 * 0.055 / 20 * 2**0.5)
    assert found["texts"]["huse"]["50"]["value"] == pytest.approx(0.604, abs=4 * 0.139 / 20 * 2**0.5)
    assert found["ratings"]["fit"]["huse"]["a"] == pytest.approx(0.477, abs=0.02)
