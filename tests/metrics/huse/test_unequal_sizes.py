"""HUSE with more texts of one source: in exact mode each neighbour's vote weighs 1 / size of its source."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metrics import Item, evaluate
from metrics.data.items import check_items
from metrics.huse.batch import line_values
from metrics.huse.classifier import HJ, LOG_PROB, Classifier
from metrics.huse.curves import replicate_curve, size_curve
from metrics.huse.decision_surface import classify, reference_share
from metrics.huse.neighbors_1d import Votes
from metrics.huse.permutation_test import permutation_test
from metrics.huse.sensitivity import sensitivity_table
from metrics.huse.subsampling import huse_arrays, split_texts, subsample_sd
from metrics.types import MODEL, REFERENCE
from tests.metrics.factories import items, rated_study, summary_items
from tests.metrics.huse.test_huse import EXAMPLE_B
from tests.metrics.plain import fraction_twice_error

# Sums of ratings, by hand: references, model texts, and HUSE-Q with k = 3 by the weighed vote and by the raw one.
SEPARABLE = ((30, 31), (10, 12, 14, 16, 18, 20), Fraction(0), Fraction(1))
OVERLAPPING = ((30, 34), (10, 20, 28, 32, 36, 12), Fraction(2, 3), Fraction(3, 2))
VOTES = ((1, 2), (1, 2), (0, 3), (1, 3), (2, 1), (2, 2), (2, 1), (0, 3))  # references, model texts; of OVERLAPPING
# Mean HUSE by one feature, two normals d apart, k = 16, from 600 studies each (specification, 5.5).
ONE_FEATURE = {
    (100, 100): {0: 1.012, 1: 0.658, 2: 0.328},
    (60, 140): {0: 1.022, 1: 0.660, 2: 0.342},
    (25, 75): {0: 1.032, 1: 0.680, 2: 0.348},
}
MEASURES = ("huse", "huse_q", "huse_d", "log_prob_only")
KEPT = Path(__file__).parents[2] / "benchmarks" / "simulation_studies" / "kept" / "validity.json"


def judged(reference: tuple[int, ...], model: tuple[int, ...]) -> list[Item]:
    """Texts with these sums of ratings and one log p, which tells nothing."""
    return items([(hj, -1.0) for hj in reference], [(hj, -1.0) for hj in model])


def unequal(n_ref: int = 20, n_model: int = 60, seed: int = 0) -> list[Item]:
    """Texts of a study with a clear difference, more of the model's, without contexts."""
    study, _ = rated_study(max(n_ref, n_model), seed=seed, shift=1.0)
    references, models = ([item for item in study if item.source == source] for source in (REFERENCE, MODEL))
    return [replace(item, context=None) for item in (*references[:n_ref], *models[:n_model])]


def arrays(study: list[Item]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Whole numbers proportional to HJ, log p a unit, is-reference."""
    table = check_items(study, k=3)
    return table.hj_integers, table.q, table.z


@pytest.mark.parametrize(("reference", "model", "weighed", "raw"), [SEPARABLE, OVERLAPPING])
def test_the_hand_examples_hold_in_both_modes(reference, model, weighed, raw):
    found = evaluate(judged(reference, model), k=3, draws=0)
    assert found["exact"].huse_q.value == pytest.approx(float(weighed), abs=1e-12)
    assert found["paper"].huse_q.value == pytest.approx(float(raw), abs=1e-12)


def test_each_text_gets_the_vote_worked_out_by_hand():
    reference, model, *_ = OVERLAPPING
    found = classify(judged(reference, model), k=3)
    predicted = "".join("R" if one.predicted == REFERENCE else "M" for one in found)
    assert predicted == "RRMRRRRM"
    shares = [r * 6 / (r * 6 + m * 2) for r, m in VOTES]
    assert [one.share for one in found] == pytest.approx(shares, abs=1e-12)


@pytest.mark.parametrize(("reference", "model", "weighed", "raw"), [SEPARABLE, OVERLAPPING])
def test_simulation_and_permutation_vote_as_the_hand_examples_do(reference, model, weighed, raw):
    study = judged(reference, model)
    sums, q, z = arrays(study)
    assert huse_arrays(sums, q, z, 3)[1] == pytest.approx(float(weighed), abs=1e-12)
    assert permutation_test(study, "huse_q", k=3, permutations=9).value == pytest.approx(float(weighed), abs=1e-12)


def test_a_clearly_worse_model_is_not_hidden_by_its_number_of_texts():
    # 20 references and 80 model texts 1.1 points worse: the raw vote gives 1.01 and books the loss as diversity.
    rng = np.random.default_rng(4)
    quality = []
    for _ in range(20):
        hj = np.clip(np.rint(10 * (rng.normal(size=100) + np.where(np.arange(100) < 20, 3.6, 2.5))), 0, 50)
        quality.append(huse_arrays(hj.astype(np.int64), rng.normal(size=100), np.arange(100) < 20)[1])
    assert 0.55 < np.mean(quality) < 0.75


def test_no_sizes_without_the_held_out_text():
    # Those would decide each raw tie of equal sources for the text's own source: 1/2 in the second hand example.
    reference, model, weighed, _ = OVERLAPPING
    assert evaluate(judged(reference, model), ["exact"], k=3, draws=0)["exact"].huse_q.value != 0.5
    assert weighed == Fraction(2, 3)


def fixtures() -> dict[str, list[Item]]:
    """Studies with as many references as model texts, of every kind that the tests of HUSE use."""
    lattice = [(hj % 4, -1.0 - hj % 3) for hj in range(24)]
    endless = [(hj % 5, -np.inf if hj % 6 == 0 else -1.0 - hj % 4) for hj in range(24)]
    return {
        "example b": EXAMPLE_B,
        "rated": rated_study(30)[0],
        "clear": rated_study(20, seed=2, shift=2.0)[0],
        "lattice": items(lattice, [(hj + 1, q) for hj, q in lattice]),
        "minus infinity": items(endless, [(hj + 1, q) for hj, q in endless]),
    }


def assert_both_votes_agree(study: list[Item], k: int) -> None:
    for features in ([HJ], [LOG_PROB], [HJ, LOG_PROB]):
        classifier = Classifier(check_items(study, k=k), "exact", k)
        votes = classifier.votes(features)
        assert np.sign(votes.weighed(*classifier.sizes)).tolist() == np.sign(votes.balance).tolist()
        assert votes.share(*classifier.sizes).tolist() == votes.share().tolist()
    sums, q, z = arrays(study)
    one, two = (subsample_sd(sums, q, z, np.random.default_rng(1), 20, k=k, weighed=w) for w in (True, False))
    assert one == two


@pytest.mark.parametrize("name", fixtures())
def test_equal_sizes_vote_as_the_raw_majority_does(name):
    assert_both_votes_agree(fixtures()[name], 3)


@pytest.mark.needs_data
def test_the_released_study_votes_as_the_raw_majority_does(data_dir):
    assert_both_votes_agree(summary_items(data_dir), 16)


LEVELS = st.lists(st.integers(0, 6), min_size=2, max_size=9)
LOGS = st.integers(1, 5)


@st.composite
def two_sources(draw):
    """Small studies on a lattice, so that distances and votes often tie."""
    study = []
    for source in (REFERENCE, MODEL):
        for i, hj in enumerate(draw(LEVELS)):
            study.append(Item(f"{source}{i}", source, Fraction(hj), -float(draw(LOGS)), 1))
    return study


@settings(deadline=None, max_examples=60)
@given(two_sources(), st.integers(1, 3), st.sampled_from(["reference", "half", "model"]))
def test_votes_are_those_of_rational_arithmetic(study, k, tie):
    features = [[item.hj for item in study], [Fraction(item.log_prob) for item in study]]
    is_reference = [item.source == REFERENCE for item in study]
    found = evaluate(study, ["exact"], k=k, vote_tie=tie, draws=0)["exact"]
    both, quality = (fraction_twice_error(own, is_reference, k, tie) for own in (features, features[:1]))
    assert (found.huse.value, found.huse_q.value) == (float(both), float(quality))


@settings(deadline=None, max_examples=40)
@given(two_sources(), st.randoms(use_true_random=False), st.integers(1, 9), st.integers(-5, 5))
def test_scale_shift_and_order_change_nothing(study, random, unit, zero):
    before = evaluate(study, ["exact"], k=3, draws=0)["exact"]
    changed = [replace(item, hj=item.hj * unit + zero, log_prob=item.log_prob * 2) for item in study]
    random.shuffle(changed)
    after = evaluate(changed, ["exact"], k=3, draws=0)["exact"]
    assert [getattr(after, name).value for name in MEASURES] == [getattr(before, name).value for name in MEASURES]


@settings(deadline=None, max_examples=60)
@given(two_sources())
def test_swapped_labels_change_nothing_but_equal_votes(study):
    other = {REFERENCE: MODEL, MODEL: REFERENCE}
    swapped = [replace(item, source=other[item.source]) for item in study]
    before, after = (evaluate(one, ["exact"], k=3, draws=0)["exact"].huse for one in (study, swapped))
    assume(not before.settings.get("tied_votes"))
    assert after.value == before.value


def test_the_vote_is_a_whole_number_where_floats_would_round():
    # 1 of 3 against 2 of 6, a hundred million times as large: equal, which quotients of floats need not find.
    n_ref, n_model = 3 * 10**8 + 3, 6 * 10**8 + 6
    votes = Votes(np.array([-(10**8) - 1]), np.array([3 * 10**8 + 3]))
    assert votes.weighed(n_ref, n_model).tolist() == [0]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("sizes", ONE_FEATURE)
def test_one_feature_gives_the_values_of_the_specification(sizes, compiled, monkeypatch):
    from metrics.compiled import switch as module

    if not compiled:
        monkeypatch.setitem(module._state, "kernels", None)
        monkeypatch.setitem(module._state, "tried", True)
    else:
        module.load_kernels()
    for d, expected in ONE_FEATURE[sizes].items():
        assert one_feature(d, *sizes, studies=400).mean() == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize(("references", "models"), [(60, 140), (25, 75)])
def test_more_texts_of_one_source_agree_with_the_smaller_size_on_both_sides(references, models, d):
    more, equal = one_feature(d, references, models, 2000), one_feature(d, references, references, 2000)
    assert more.mean() == pytest.approx(equal.mean(), abs=0.03)


def one_feature(d: float, references: int, models: int, studies: int) -> np.ndarray:
    """HUSE of studies in which the model's texts lie d below the references on one feature."""
    z = np.arange(references + models) < references
    x = np.random.default_rng([7, references, models]).normal(size=(studies, len(z))) - d * ~z
    return line_values(x, np.broadcast_to(np.where(z, 1.0, -1.0), x.shape), 16, 1)


def test_both_forms_of_the_loops_agree_with_more_texts_of_one_source(monkeypatch):
    from metrics.compiled import switch as module

    sums, q, z = arrays(unequal())
    found = []
    for kernels in (False, True):
        if kernels:
            monkeypatch.undo()
            module.load_kernels()
        else:
            monkeypatch.setitem(module._state, "kernels", None)
            monkeypatch.setitem(module._state, "tried", True)
        found.append(subsample_sd(sums, q, z, np.random.default_rng(1), 40))
    assert found[0] == found[1]


def test_half_samples_take_half_of_each_source():
    z = np.arange(200) < 60
    chosen = split_texts(z, None, np.random.default_rng(0), 20)
    assert set(chosen[:, z].sum(axis=1).tolist()) == {30}
    assert set(chosen[:, ~z].sum(axis=1).tolist()) == {70}


def test_half_samples_vote_by_the_sizes_of_the_half():
    study = unequal(10, 30)
    sums, q, z = arrays(study)
    halves = split_texts(z, None, np.random.default_rng(3), 10)
    values = []
    for chosen in halves:
        hj = [Fraction(int(value)) for value in sums[chosen]]
        values.append(float(fraction_twice_error([hj], z[chosen].tolist(), 3)))  # 4 / sqrt(2) neighbours
    first, second = np.split(np.array(values), 2)
    expected = np.sqrt(0.5 * ((first - second) ** 2).mean() / 2)
    found = subsample_sd(sums, q, z, np.random.default_rng(3), 20, k=4)
    assert found.huse_q == pytest.approx(expected, abs=1e-12)


def test_curves_end_at_the_value_of_exact_mode():
    study, ratings = rated_study(40, shift=1.0)
    some = [replace(item, context=None) for item in study if item.source == MODEL or int(item.id[1:]) < 15]
    value = evaluate(some, ["exact"], draws=0)["exact"].huse.value
    own = [rating for rating in ratings if rating.item in {item.id for item in some}]
    assert replicate_curve(some, own, draws=2).points[-1].huse.mean == pytest.approx(value, abs=1e-12)
    assert size_curve(some, draws=2).points[-1].huse.mean == pytest.approx(value, abs=1e-12)


def test_the_decision_surface_weighs_votes_as_the_classifier_does():
    study = unequal(10, 30)
    hj, q = [3.0, 4.5], [-2.0, -4.0]
    raw = reference_share(study, hj, q, "paper", k=5)
    weighed = reference_share(study, hj, q, "exact", k=5)
    # Without a distance tied, both see the same neighbours: p = 30 r / (30 r + 10 m).
    assert weighed.ravel().tolist() == pytest.approx((30 * raw / (30 * raw + 10 * (1 - raw))).ravel().tolist())
    assert (weighed > raw).any()


def test_paper_mode_says_that_its_vote_is_outnumbered_and_keeps_it():
    found = evaluate(unequal(), draws=0)
    assert "vote_unbalanced" in found["paper"].huse_q.flags
    assert "vote_unbalanced" not in found["exact"].huse_q.flags
    assert "unbalanced" in found["exact"].huse_q.flags
    equal = evaluate(rated_study(20)[0], draws=0)
    assert not {"vote_unbalanced", "unbalanced"} & {flag for one in equal.values() for flag in one.huse_q.flags}


@pytest.mark.parametrize(("references", "flagged"), [(16, True), (17, False)])
def test_no_more_texts_of_one_source_than_neighbours_are_flagged(references, flagged):
    for study in (unequal(references, 60), unequal(60, references)):
        assert ("few_of_one_source" in evaluate(study, ["exact"], draws=0)["exact"].huse.flags) is flagged


def test_equal_sizes_have_a_row_of_their_own_beside_the_headline():
    found = sensitivity_table(unequal(), ks=())
    row = found.equal_sizes
    assert row is not None
    assert row in found.rows
    assert "200 subsamples" in row.choice
    assert "20 texts of each source" in row.choice
    # 20 + 20 of the study: near the balanced value of all, far from the raw one.
    assert row.result.huse_q.value == pytest.approx(found.default.huse_q.value, abs=0.15)
    assert row.result.huse_q.n == 40
    assert row.result.huse_d.value == pytest.approx(1 + row.result.huse.value - row.result.huse_q.value)
    assert not {"unbalanced", "few_of_one_source"} & set(row.result.huse.flags)
    assert sensitivity_table(rated_study(20)[0], ks=()).equal_sizes is None


def test_the_measured_studies_agree_with_those_of_the_smaller_size():
    # 2,000 studies a world and 4,000 for its expectation: `make truth`, docs/validity.md.
    kept = json.loads(KEPT.read_text(encoding="utf-8"))

    def expected(world: str) -> np.ndarray:
        counts = kept[f"huse {world} target"]["counts"]
        assert counts["studies"] == 4000
        return np.array(counts["sums"]) / counts["studies"]

    assert expected("60 and 140 texts") == pytest.approx(expected("60 and 60 texts"), abs=0.03)
    # HUSE falls with the number of texts: with 25 and 75 it lies between the equal sizes that are as few and as many.
    few, many, found = (expected(f"{sizes} texts") for sizes in ("25 and 25", "50 and 50", "25 and 75"))
    assert found[1:] == pytest.approx(few[1:], abs=0.03)
    assert many[0] < found[0] < few[0]
