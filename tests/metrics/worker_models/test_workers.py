"""Dawid-Skene, one-coin Dawid-Skene and MACE: examples, planted raters, the released data, degenerate inputs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metrics import Item, evaluate
from metrics.errors import BadInput, InsufficientData
from metrics.worker_models.dawid_skene import dawid_skene
from metrics.worker_models.mace import mace
from metrics.worker_models.votes import against_majority, read_votes
from tests.metrics.factories import batch_items
from tests.metrics.raters import batch_ratings

TABLE = [[1, 1, 1], [1, 1, 0], [0, 0, 0], [0, 0, 1], [1, 1, 0], [0, 0, 0]]
CELLS = [(i, w, v) for i, row in enumerate(TABLE) for w, v in enumerate(row)]
COLUMNS = tuple(zip(*CELLS, strict=True))
MODELS = {
    "dawid_skene": dawid_skene,
    "one_coin": lambda *columns: dawid_skene(*columns, symmetric_errors=True),
    "mace": lambda *columns: mace(*columns, starts=2),
}
MANY = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 4), st.sampled_from("abc")), min_size=1, unique_by=lambda t: t[:2]
)


def planted(seed: int, items: int = 400, raters: int = 30, each: int = 5):
    """item, rater, label, truth and the raters' true accuracies, from .4 to .95, over three labels."""
    rng = np.random.default_rng(seed)
    truth, accuracy = rng.integers(0, 3, items), np.linspace(0.4, 0.95, raters)
    item = np.repeat(np.arange(items), each)
    rater = np.concatenate([rng.permutation(raters)[:each] for _ in range(items)])
    wrong = (truth[item] + rng.integers(1, 3, len(item))) % 3
    return item, rater, np.where(rng.random(len(item)) < accuracy[rater], truth[item], wrong), truth, accuracy


def plain_dawid_skene(cells, labels, steps):
    """EM from the majority, rating by rating, without smoothing."""
    items, raters = sorted({c[0] for c in cells}), sorted({c[1] for c in cells})
    posterior = {i: {k: sum(c[0] == i and c[2] == k for c in cells) for k in labels} for i in items}
    posterior = {i: {k: v / sum(row.values()) for k, v in row.items()} for i, row in posterior.items()}
    for _ in range(steps):
        prior = {k: sum(posterior[i][k] for i in items) / len(items) for k in labels}
        count = {
            (r, g, k): max(sum(posterior[i][k] for i, q, v in cells if (q, v) == (r, g)), 1e-10)
            for r in raters
            for g in labels
            for k in labels
        }
        chance = {(r, g, k): count[r, g, k] / sum(count[r, h, k] for h in labels) for r, g, k in count}
        for i in items:
            row = {k: prior[k] * np.prod([chance[r, g, k] for j, r, g in cells if j == i]) for k in labels}
            posterior[i] = {k: v / sum(row.values()) for k, v in row.items()}
    return np.array([[posterior[i][k] for k in labels] for i in items])


def test_the_example_finds_the_labels_and_who_gives_them():
    found = dawid_skene(*COLUMNS)
    assert found.posterior[:, 1] == pytest.approx([1, 1, 0, 0, 1, 0], abs=1e-3)
    assert found.errors[:2].round(2).tolist() == [np.eye(2).tolist()] * 2
    # Rater 3 is right on two of three items that are 0 and on one of three that are 1.
    assert found.errors[2].diagonal() == pytest.approx([2 / 3, 1 / 3], abs=0.01)


@pytest.mark.parametrize("steps", [1, 3, 10])
def test_without_smoothing_it_is_the_plain_algorithm_step_by_step(steps):
    cells = [(i, r, v) for i, r, v in zip(*planted(1, 12, 6, 4)[:3], strict=True)]
    found = dawid_skene(*zip(*cells, strict=True), smoothing=0, iterations=steps, tolerance=0)
    order = np.argsort(found.items)
    assert found.posterior[order] == pytest.approx(plain_dawid_skene(cells, [0, 1, 2], found.iterations), abs=1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_planted_raters_are_ranked_and_the_labels_beat_the_majority(name):
    item, rater, label, truth, accuracy = planted(2)
    found = MODELS[name](item, rater, label)
    assert np.corrcoef(found.competence[np.argsort(found.raters)], accuracy)[0, 1] > 0.85
    counts = np.zeros((400, 3))
    np.add.at(counts, (item, label), 1)
    majority = (counts.argmax(axis=1) == truth).mean()
    assert (np.array(found.likeliest())[np.argsort(found.items)] == truth).mean() > majority


def test_the_one_coin_competence_is_the_planted_accuracy():
    item, rater, label, _, accuracy = planted(3, items=3000)
    found = dawid_skene(item, rater, label, symmetric_errors=True)
    assert found.competence[np.argsort(found.raters)] == pytest.approx(accuracy, abs=0.08)


def test_the_log_likelihood_never_falls():
    columns = planted(4, 60, 10, 4)[:3]
    seen = [dawid_skene(*columns, smoothing=0, iterations=n, tolerance=0).log_likelihood for n in range(1, 12)]
    assert (np.diff(seen) > -1e-8).all()


@settings(deadline=None, max_examples=40)
@given(MANY, st.sampled_from(list(MODELS)), st.randoms())
def test_rows_sum_to_one_and_order_and_names_do_not_matter(cells, name, random):
    found = MODELS[name](*zip(*cells, strict=True))
    assert found.posterior.sum(axis=1) == pytest.approx(1)
    assert np.isfinite(found.posterior).all()
    assert ((found.competence >= 0) & (found.competence <= 1)).all()
    if name == "mace":
        return  # its random start goes by the order of raters
    shuffled = [(f"text {i}", f"worker {9 - r}", v) for i, r, v in cells]
    random.shuffle(shuffled)
    other = MODELS[name](*zip(*shuffled, strict=True))
    at = [other.items.index(f"text {i}") for i in found.items]
    assert other.posterior[at] == pytest.approx(found.posterior, abs=1e-6)


def test_the_same_seed_gives_the_same_mace():
    columns = planted(5, 50, 8, 4)[:3]
    assert (mace(*columns, seed=1).posterior == mace(*columns, seed=1).posterior).all()


def test_labels_that_changed_places_are_seen_by_their_distance_from_the_majority():
    votes = read_votes(*COLUMNS)
    found = dawid_skene(*COLUMNS).posterior
    assert not against_majority(votes, found)
    assert against_majority(votes, found[:, ::-1])


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    ("columns", "flags"),
    [
        (([1, 2, 3], ["a"] * 3, [0, 1, 1]), {"nothing_shared"}),
        (([1, 2, 3], ["a", "b", "c"], [0, 0, 0]), {"nothing_shared", "one_label"}),
        (([1, 1, 2, 2], ["a", "b", "a", "b"], [7, 7, 7, 7]), {"one_label"}),
        (([1, 1, 2, 2], ["a", "b", "c", "d"], [0, 0, 1, 1]), {"separate_groups"}),
        (([1, 1, 2, 2, 3, 3], ["a", "b", "c", "d", "b", "c"], [0, 0, 1, 1, 1, 1]), set()),
    ],
)
def test_competence_that_rests_on_nothing_is_flagged(name, columns, flags):
    assert set(MODELS[name](*columns).flags) - {"not_converged"} == flags


def test_numeric_labels_beyond_two_are_flagged_as_unordered():
    assert "order_ignored" in dawid_skene([1, 1, 2], [1, 2, 1], [1, 2, 3]).flags
    assert "order_ignored" not in dawid_skene([1, 1, 2], [1, 2, 1], ["x", "y", "z"]).flags


def test_too_few_iterations_are_flagged():
    assert "not_converged" in dawid_skene(*planted(6, 50, 8, 4)[:3], iterations=1).flags


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "columns", [([1], [1], ["a"]), ([1, 2, 3], [1, 1, 1], ["a", "b", "a"]), ([1, 1], [1, 2], ["a", "a"])]
)
def test_one_item_one_rater_or_one_label_have_an_answer(name, columns):
    found = MODELS[name](*columns)
    assert found.likeliest() == list(dict(zip(columns[0], columns[2], strict=True)).values())


@pytest.mark.parametrize("name", MODELS)
def test_nothing_is_refused(name):
    with pytest.raises(InsufficientData):
        MODELS[name]([], [], [])


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (([1, 1], [1, 1], [0, 1]), "once"),
        (([1, 1], [1, 2], [0, "x"]), "one kind"),
        (([1, 1], [1, 2], [0.0, float("nan")]), "not a number"),
        (([1, 1], [1], [0, 1]), "2, 1 and 2"),
    ],
)
def test_odd_labels_are_refused(columns, said):
    with pytest.raises(BadInput, match=said):
        dawid_skene(*columns)


def test_odd_settings_and_an_expectation_of_words_are_refused():
    with pytest.raises(BadInput):
        dawid_skene(*COLUMNS, smoothing=-1)
    with pytest.raises(BadInput):
        mace(*COLUMNS, starts=0)
    with pytest.raises(BadInput, match="numbers"):
        dawid_skene([1], [1], ["a"]).expectation()


def huse(data_dir, consensus, hj):
    """HUSE, HUSE-Q and HUSE-D in paper mode with this HJ for each item."""
    by_item = dict(zip(consensus.items, hj, strict=True))
    items = [
        Item(item.id, item.source, Fraction(float(by_item[item.id])), item.log_prob, item.length, exact=False)
        for item in batch_items(data_dir, 20)
    ]
    found = evaluate(items, ["paper"], draws=0)["paper"]
    return [found.huse.value, found.huse_q.value, found.huse_d.value]


@pytest.mark.needs_data
def test_dawid_skene_on_the_released_typicality_ratings(data_dir):
    found = dawid_skene(*batch_ratings(data_dir), smoothing=0)
    assert found.iterations == 8
    assert huse(data_dir, found, found.expectation()) == pytest.approx([0.65, 0.68, 0.97], abs=1e-9)
    assert huse(data_dir, found, found.likeliest()) == pytest.approx([0.65, 0.70, 0.95], abs=1e-9)
    assert "order_ignored" in found.flags


@pytest.mark.needs_data
def test_one_coin_dawid_skene_on_the_released_typicality_ratings(data_dir):
    found = dawid_skene(*batch_ratings(data_dir), smoothing=0, symmetric_errors=True, iterations=30, tolerance=0)
    assert huse(data_dir, found, found.expectation()) == pytest.approx([0.50, 0.43, 1.07], abs=1e-9)


@pytest.mark.needs_data
def test_mace_on_the_released_typicality_ratings(data_dir):
    # crowd-kit 1.4.2 agrees (to 1e-14 in the posterior, from one start) where workers and labels are named in the
    # order in which they first occur; with other names it mixes their rows up, and its figures change with the order.
    found = mace(*batch_ratings(data_dir))
    assert huse(data_dir, found, found.expectation()) == pytest.approx([0.58, 0.60, 0.98], abs=1e-9)


@pytest.mark.parametrize("name", ["one_coin", "dawid_skene"])
def test_intervals_of_competence_hold_the_planted_accuracy_as_often_as_they_say(name):
    held = []
    for seed in range(12):
        item, rater, label, _, accuracy = planted(seed, items=600)
        found = MODELS[name](item, rater, label)
        order = np.argsort(found.raters)
        held.append((found.competence_low[order] <= accuracy) & (accuracy <= found.competence_high[order]))
    assert np.mean(held) == pytest.approx(0.90, abs=0.05)


@pytest.mark.parametrize(("labels", "each"), [(2, 6), (2, 20), (6, 6)])
def test_intervals_of_mace_hold_the_planted_chance_to_know_as_often_as_they_say(labels, each):
    """Raters know the label or guess among all alike: with two labels a guess is right as often as not, so a right
    answer tells little of whether it was known."""
    held = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        truth, knows = rng.integers(0, labels, 120), np.linspace(0.1, 0.9, 20)
        item = np.repeat(np.arange(120), each)
        rater = np.concatenate([rng.permutation(20)[:each] for _ in range(120)])
        label = np.where(rng.random(len(item)) < knows[rater], truth[item], rng.integers(0, labels, len(item)))
        found = mace(item, rater, label, starts=2)
        order = np.argsort(found.raters)
        held.append((found.competence_low[order] <= knows) & (knows <= found.competence_high[order]))
    assert np.mean(held) == pytest.approx(0.90, abs=0.05)


def test_an_interval_of_competence_is_that_of_a_beta_distribution_where_all_labels_are_known():
    # Four raters agree on every item but the fourth, who is wrong on 3 of 20: Jeffreys' interval of 17 in 20.
    cells = [(i, r, int(i % 2 if r < 3 or i >= 3 else 1 - i % 2)) for i in range(20) for r in range(4)]
    found = dawid_skene(*zip(*cells, strict=True), symmetric_errors=True, smoothing=0)
    assert found.competence[3] == pytest.approx(0.85, abs=1e-6)
    ends = found.competence_low[3], found.competence_high[3]
    assert ends == pytest.approx(tuple(stats.beta(17.5, 3.5).ppf([0.05, 0.95])), abs=1e-3)


@given(MANY)
@settings(max_examples=30)
def test_an_interval_of_competence_holds_its_estimate_and_lies_between_0_and_1(cells):
    for model in MODELS.values():
        found = model(*zip(*cells, strict=True))
        ends = np.array([found.competence_low, found.competence, found.competence_high])
        assert (np.diff(ends, axis=0) >= 0).all()
        assert (ends >= 0).all()
        assert (ends <= 1).all()
