"""A table of the package's public functions: what to fuzz each with, and what must not matter to it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from metrics import Estimate, Item, Rating
from metrics.agreement.intraclass import intraclass_correlations
from metrics.agreement.kappa import cohen_kappa, fleiss_kappa
from metrics.agreement.krippendorff import alpha_arrays, krippendorff_alpha
from metrics.data.evaluator_judgments import by_condition, check_judgments
from metrics.data.human_judgment import human_judgments, sum_ratings
from metrics.data.to_json import estimate_json, modes_json, record_json, result_json
from metrics.evaluators.accuracy import evaluator_accuracies, item_accuracies, measure_accuracy
from metrics.evaluators.comment_codes import code_table, coder_agreement
from metrics.evaluators.conditions import compare_conditions, mixed_accuracy
from metrics.evaluators.evaluate import evaluate_judgments
from metrics.evaluators.exclusion_sensitivity import evaluator_exclusions
from metrics.evaluators.to_json import evaluation_json
from metrics.generation import overlap
from metrics.huse.curves import replicate_curve, size_curve
from metrics.huse.decision_surface import classify, reference_share
from metrics.huse.estimate import evaluate, huse_q_only
from metrics.huse.examples import find_examples
from metrics.huse.exclusion_sensitivity import exclusion_sensitivity
from metrics.huse.model_differences import compare_models
from metrics.huse.permutation_test import permutation_test
from metrics.huse.quality_diversity import dominance_region
from metrics.huse.sensitivity import sensitivity_table
from metrics.huse.subsampling import huse_arrays, subsample_sd
from metrics.huse.theory import feature_bound, theoretical_huse, total_variation
from metrics.huse.variance_components import binomial_component, evaluate_rated, rater_component
from metrics.inference.anova import single_factor_anova, tukey_kramer
from metrics.inference.anytime_valid import any_time_half_width, any_time_mean
from metrics.inference.bradley_terry import bradley_terry, bradley_terry_votes
from metrics.inference.correlation import hj_frequency, kendall_tau
from metrics.inference.equivalence import equivalence, equivalence_of_two
from metrics.inference.error_rate_intervals import subsample_interval
from metrics.inference.mixed_model import mixed_model
from metrics.inference.multiple_testing import Family, adjust
from metrics.inference.power import (
    accuracy_difference,
    minimum_effect,
    sample_size,
    t_power,
)
from metrics.inference.prediction_powered import prediction_powered_mean
from metrics.inference.reproducibility import reproduction_variation
from metrics.inference.t_tests import binomial_test, single_sample_t, two_sample_t
from metrics.likelihood import content_key, decoded, decoding_from
from metrics.likelihood.decoding import Decoding
from metrics.text_scores.mauve import mauve, mauve_of_features
from metrics.worker_models.dawid_skene import dawid_skene
from metrics.worker_models.mace import mace
from metrics.worker_models.standardise import standardise_by_rater
from tests.metrics.extremes import (
    BY,
    COLUMN_EXTREMES,
    EMPTY_COLUMNS,
    GROUP_EXTREMES,
    JUDGMENT_EXTREMES,
    MARGIN,
    SAMPLES,
    TWO_SAMPLES,
    item_extremes,
    rated_extremes,
)
from tests.metrics.fuzzing import (
    ANY,
    CODED,
    COLUMNS,
    COUNT,
    FEW,
    GROUPS,
    ITEMS,
    JUDGED,
    LABELLED,
    LEVEL,
    MATRIX,
    ORDER,
    PAIR_OF_SHARES,
    RATED,
    SMALL,
    STUDY,
    Case,
    judged_in_units,
    judgments,
    order_of_two,
    order_together,
    rated,
    renamed_items,
    renamed_study,
    stretched_hj,
    stretched_values,
    swapped,
    with_units,
)


def cheap(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """A function of the package with options that make it quick."""
    return lambda *args: function(*args, **options)


def estimated(values: list[float]) -> Any:
    """An estimate of whatever value, to be written."""
    value = values[0] if values else None
    return Estimate(value, 3, None, {"k": 16}, () if values else ("none",), "made|n:3")


def huse_of(study: list[Item]) -> Any:
    return evaluate(study, k=3, draws=0, missing="drop_pair")


def huse_from_arrays(seed: int, k: int, coarse: bool) -> Any:
    return huse_arrays(*arrays(seed, coarse), k)


def arrays(seed: int, coarse: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q = -rng.integers(0, 3, 20).astype(float) if coarse else -rng.gamma(2, 1, 20)
    return rng.integers(0, 3 if coarse else 60, 20), q, np.arange(20) % 2 == 0


def alpha_of_arrays(item: list[int], _: list[int], value: list[int]) -> Any:
    code = {name: i for i, name in enumerate(dict.fromkeys(item))}
    numbers = np.array([code[name] for name in item], dtype=np.int64)
    return alpha_arrays(numbers, np.array(value, dtype=np.int64)) if item else None


def judged_hj(item: list[Any], rater: list[Any], value: list[Any]) -> Any:
    given = [Rating(str(i), str(r), Fraction(v)) for i, r, v in zip(item, rater, value, strict=True)]
    return human_judgments(sum_ratings(given))


def summed(item: list[Any], rater: list[Any], value: list[Any]) -> Any:
    given = [Rating(str(i), str(r), Fraction(v)) for i, r, v in zip(item, rater, value, strict=True)]
    return sum_ratings(given)


def strengths(wins: list[list[float]]) -> Any:
    return bradley_terry(wins)


def voted(votes: list[tuple[Any, ...]]) -> Any:
    return bradley_terry_votes(*([list(part) for part in zip(*votes, strict=True)] or [[]] * 5))


KNOWN = st.one_of(SMALL, st.none())
FEATURES = st.lists(st.tuples(st.floats(width=32), st.integers(0, 3)), min_size=9, max_size=16)
SEEDED = st.tuples(st.integers(0, 2**16), st.integers(1, 18), st.booleans())

CASES: dict[str, Case] = {
    "accuracy_difference": Case(st.tuples(ANY, COUNT), accuracy_difference),
    "adjust": Case(
        st.lists(st.one_of(st.floats(0, 1), st.none(), ANY), max_size=5).map(
            lambda p: (
                Family("f", tuple(map(str, range(max(len(p), 1))))),
                dict(zip(map(str, range(9)), p, strict=False)),
            )
        ),
        adjust,
    ),
    "alpha_arrays": Case(LABELLED, alpha_of_arrays, {"order": order_together}, {"empty": EMPTY_COLUMNS}),
    "any_time_half_width": Case(st.tuples(COUNT), any_time_half_width),
    "any_time_mean": Case(st.tuples(FEW), any_time_mean, {}, SAMPLES),
    "binomial_component": Case(st.tuples(st.floats(0, 2), st.integers(1, 400), LEVEL), binomial_component),
    "binomial_test": Case(st.tuples(COUNT, COUNT, LEVEL), binomial_test),
    "bradley_terry": Case(
        st.tuples(st.one_of(MATRIX, st.lists(st.lists(SMALL, min_size=3, max_size=3), min_size=3, max_size=3))),
        strengths,
        {},
        {"empty": ([],), "one": ([[0]],), "nobody won": ([[0, 0], [0, 0]],), "undefeated": ([[0, 3], [0, 0]],)},
    ),
    "bradley_terry_votes": Case(
        st.tuples(st.lists(st.tuples(KNOWN, KNOWN, SMALL, SMALL, st.sampled_from((0, 0.5, 1, 2))), max_size=24)),
        voted,
        ORDER,
        {"empty": ([],), "one": ([(1, 1, 1, 2, 1)],), "no cluster": ([(None, None, 1, 2, 0.5)],)},
    ),
    "by_condition": Case(st.tuples(judgments(), st.just(BY)), by_condition, {}, {"empty": ([], BY)}),
    "check_judgments": Case(st.tuples(judgments()), check_judgments, {}, JUDGMENT_EXTREMES),
    "classify": Case(st.tuples(STUDY), cheap(classify, k=3), ITEMS, item_extremes()),
    "code_table": Case(st.tuples(CODED), code_table, ORDER, {"empty": ([],)}),
    "coder_agreement": Case(
        st.tuples(CODED, st.just(("a", "b"))),
        lambda coded, coders: coder_agreement(coded, coders, cheap(cohen_kappa, draws=9)),
        ORDER,
        {"empty": ([], ("a", "b"))},
    ),
    "cohen_kappa": Case(
        st.one_of(
            st.lists(st.tuples(SMALL, SMALL), max_size=9).map(lambda p: ([a for a, _ in p], [b for _, b in p])),
            st.tuples(st.lists(SMALL, max_size=5), st.lists(SMALL, max_size=5)),
        ),
        cheap(cohen_kappa, draws=9),
        {"order": order_of_two, "swapped": swapped},
        {"empty": ([], []), "one": ([1], [1]), "all equal": ([1, 1], [1, 1])},
    ),
    "compare_conditions": Case(
        st.tuples(judgments(), st.just(BY)),
        compare_conditions,
        {},
        {k: (*v, BY) for k, v in JUDGMENT_EXTREMES.items()},
    ),
    "compare_models": Case(
        STUDY.map(lambda study: ({"a": study, "b": study},)),
        cheap(compare_models, k=2, draws=9),
        {},
        {"empty": ({},)},
    ),
    "dawid_skene": Case(LABELLED, dawid_skene, COLUMNS, COLUMN_EXTREMES),
    "dominance_region": Case(
        st.tuples(st.dictionaries(st.sampled_from("abcd"), st.tuples(ANY, ANY), max_size=4)),
        dominance_region,
        {},
        {"empty": ({},), "at the corner": ({"a": (0.0, 0.0)},)},
    ),
    "equivalence": Case(
        st.tuples(FEW, st.just(MARGIN)), equivalence, ORDER, {k: (*v, MARGIN) for k, v in SAMPLES.items()}
    ),
    "equivalence_of_two": Case(
        st.tuples(FEW, FEW, st.just(MARGIN)),
        equivalence_of_two,
        ORDER,
        {k: (*v, MARGIN) for k, v in TWO_SAMPLES.items()},
    ),
    "estimate_json": Case(st.tuples(st.lists(ANY, max_size=1).map(estimated)), estimate_json),
    "evaluate": Case(st.tuples(STUDY), cheap(evaluate, modes=["exact"], k=3, draws=0), ITEMS, item_extremes()),
    "evaluate_judgments": Case(st.tuples(judgments()), evaluate_judgments, JUDGED, JUDGMENT_EXTREMES),
    "evaluate_rated": Case(rated(), cheap(evaluate_rated, k=3, draws=0), {"names": renamed_study}, rated_extremes()),
    "evaluation_json": Case(
        st.tuples(judgments()),
        lambda given: evaluation_json(evaluate_judgments(given)),
        JUDGED,
        JUDGMENT_EXTREMES,
    ),
    "evaluator_accuracies": Case(
        st.tuples(judgments()),
        lambda given: evaluator_accuracies(check_judgments(given)),
        JUDGED,
        JUDGMENT_EXTREMES,
    ),
    "evaluator_exclusions": Case(
        st.tuples(judgments()).map(judged_in_units),
        cheap(evaluator_exclusions, draws=3),
        JUDGED,
        {name: judged_in_units(given) for name, given in JUDGMENT_EXTREMES.items()},
    ),
    "feature_bound": Case(st.tuples(ANY), feature_bound),
    "exclusion_sensitivity": Case(
        rated().map(with_units), cheap(exclusion_sensitivity, k=3, draws=3), {"names": renamed_study}
    ),
    "find_examples": Case(st.tuples(STUDY), cheap(find_examples, k=3), {"names": renamed_items}, item_extremes()),
    "fleiss_kappa": Case(
        st.tuples(MATRIX),
        cheap(fleiss_kappa, draws=9),
        ORDER,
        {"empty": ([],), "one item": ([[2, 1]],), "one rater": ([[1, 0], [0, 1]],), "all equal": ([[3, 0], [3, 0]],)},
    ),
    "hj_frequency": Case(
        st.one_of(
            st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=8).map(
                lambda p: ([a for a, _ in p], [b for _, b in p])
            ),
            st.tuples(FEW, FEW),
        ),
        hj_frequency,
        {"order": order_of_two},
        {"empty": ([], []), "all equal": ([2, 2, 2], [3, 3, 3]), "never seen": ([1, 2, 3], [0, 0, 0])},
    ),
    "human_judgments": Case(LABELLED, judged_hj, {"order": order_together}, {"empty": EMPTY_COLUMNS}),
    "huse_arrays": Case(SEEDED, huse_from_arrays),
    "huse_q_only": Case(
        st.tuples(STUDY), cheap(huse_q_only, k=3, draws=0), ITEMS | {"unit": stretched_hj}, item_extremes()
    ),
    "intraclass_correlations": Case(
        st.tuples(MATRIX),
        intraclass_correlations,
        ORDER,
        {"empty": ([],), "one item": ([[1, 2]],), "one rater": ([[1], [2]],), "all equal": ([[2, 2], [2, 2]],)},
    ),
    "item_accuracies": Case(
        st.tuples(judgments()),
        lambda given: item_accuracies(check_judgments(given)),
        JUDGED,
        JUDGMENT_EXTREMES,
    ),
    "kendall_tau": Case(
        st.one_of(
            st.lists(st.tuples(SMALL, SMALL), max_size=7).map(lambda p: ([a for a, _ in p], [b for _, b in p])),
            st.tuples(FEW, FEW),
        ),
        kendall_tau,
        {"order": order_of_two, "swapped": swapped},
        {"empty": ([], []), "one": ([1], [2]), "all tied": ([1, 1, 1], [1, 2, 3])},
    ),
    "krippendorff_alpha": Case(
        RATED,
        cheap(krippendorff_alpha, level="interval", draws=9),
        COLUMNS | {"unit": stretched_values},
        COLUMN_EXTREMES,
    ),
    "mace": Case(LABELLED, cheap(mace, starts=2, iterations=5), {}, COLUMN_EXTREMES),
    "mauve": Case(
        PAIR_OF_SHARES,
        mauve,
        {"order": order_of_two},
        {"empty": ([], []), "alike": ([0.5, 0.5], [0.5, 0.5]), "apart": ([1, 0], [0, 1]), "nothing": ([0, 0], [0, 0])},
    ),
    "mauve_of_features": Case(
        st.tuples(FEATURES, FEATURES),
        mauve_of_features,
        {},
        {"empty": ([], []), "huge": ([(1e308, -1e308)] * 10, [(-1e308, 0.0)] * 10), "same": ([(1, 2)] * 10,) * 2},
    ),
    "measure_accuracy": Case(
        st.tuples(judgments()),
        lambda given: measure_accuracy(check_judgments(given)),
        JUDGED,
        JUDGMENT_EXTREMES,
    ),
    "minimum_effect": Case(st.tuples(st.one_of(COUNT, ANY)), minimum_effect),
    "mixed_accuracy": Case(
        st.tuples(judgments(), st.just(BY)),
        cheap(mixed_accuracy, draws=9),
        {},
        {k: (*v, ()) for k, v in JUDGMENT_EXTREMES.items()},
    ),
    "mixed_model": Case(
        RATED.map(lambda c: (c[2], c[0], c[1])),
        cheap(mixed_model, draws=9),
        {"order": order_together},
        {name: (args[2], args[0], args[1]) for name, args in COLUMN_EXTREMES.items()},
    ),
    "modes_json": Case(st.tuples(STUDY), lambda study: modes_json(huse_of(study))),
    "single_sample_t": Case(st.tuples(FEW), single_sample_t, ORDER, SAMPLES),
    "single_factor_anova": Case(st.tuples(GROUPS), single_factor_anova, {}, GROUP_EXTREMES),
    "permutation_test": Case(
        st.tuples(STUDY), cheap(permutation_test, k=3, permutations=9), {"names": renamed_items}, item_extremes()
    ),
    "prediction_powered_mean": Case(
        st.one_of(
            st.lists(st.tuples(SMALL, SMALL), max_size=6).flatmap(
                lambda p: st.tuples(st.just([a for a, _ in p]), st.just([b for _, b in p]), FEW)
            ),
            st.tuples(FEW, FEW, FEW),
        ),
        prediction_powered_mean,
        {"order": order_of_two},
        {"empty": ([], [], []), "one label": ([1], [1], [1, 2])},
    ),
    "rater_component": Case(rated(), cheap(rater_component, k=3, draws=5), {}, rated_extremes()),
    "record_json": Case(st.tuples(st.lists(ANY, max_size=3)), record_json),
    "reference_share": Case(
        st.tuples(STUDY, st.lists(ANY, max_size=3), st.lists(ANY, max_size=3)),
        cheap(reference_share, k=3),
        {"names": renamed_items},
        item_extremes([1.0], [-1.0]),
    ),
    "replicate_curve": Case(rated(), cheap(replicate_curve, k=3, draws=5), {"names": renamed_study}, rated_extremes()),
    "reproduction_variation": Case(st.tuples(FEW), reproduction_variation, ORDER, SAMPLES),
    "result_json": Case(st.tuples(STUDY), lambda study: result_json(huse_of(study)["exact"])),
    "sample_size": Case(st.tuples(ANY), sample_size),
    "sensitivity_table": Case(
        st.tuples(STUDY), cheap(sensitivity_table, ks=(1, 3), k=3), {"names": renamed_items}, item_extremes()
    ),
    "size_curve": Case(st.tuples(STUDY), cheap(size_curve, k=3, draws=5), {"names": renamed_items}, item_extremes()),
    "standardise_by_rater": Case(RATED, standardise_by_rater, {"order": order_together}, COLUMN_EXTREMES),
    "subsample_interval": Case(
        st.tuples(st.floats(0, 2), st.floats(0, 1), st.integers(4, 400), st.floats(0.01, 0.99)),
        subsample_interval,
    ),
    "subsample_sd": Case(
        SEEDED,
        lambda seed, k, coarse: subsample_sd(*arrays(seed, coarse), np.random.default_rng(0), 5, k=min(k, 5)),
    ),
    "sum_ratings": Case(LABELLED, summed, {"order": order_together}, {"empty": EMPTY_COLUMNS}),
    "t_power": Case(st.tuples(ANY, st.one_of(COUNT, ANY)), t_power),
    "theoretical_huse": Case(
        PAIR_OF_SHARES, theoretical_huse, {"order": order_of_two, "swapped": swapped}, {"empty": ([], [])}
    ),
    "total_variation": Case(
        PAIR_OF_SHARES, total_variation, {"order": order_of_two, "swapped": swapped}, {"empty": ([], [])}
    ),
    "tukey_kramer": Case(st.tuples(GROUPS), tukey_kramer, {}, GROUP_EXTREMES),
    "two_sample_t": Case(st.tuples(FEW, FEW), two_sample_t, ORDER, TWO_SAMPLES),
    # metrics.likelihood and metrics.generation
    "content_key": Case(
        st.tuples(st.text(max_size=9), st.tuples(st.text(max_size=9), st.text(max_size=9))), content_key
    ),
    "decoded": Case(
        st.lists(st.integers(1, 9), min_size=1, max_size=6).map(lambda c: (np.log(np.array(c) / sum(c)), Decoding())),
        decoded,
    ),
    "decoding_from": Case(st.tuples(st.text(max_size=30)), lambda text: str(decoding_from(text))),
    "overlap": Case(st.tuples(st.text(max_size=40), st.text(max_size=40)), overlap, {}, {"empty": ("", "")}),
}

# Functions that need a model, files, a study or many simulated ones: where they are tested.
ELSEWHERE = {
    "build_tests": "tests/metrics/nnd/test_build.py",
    "administer_tests": "tests/metrics/nnd/test_administer.py",
    "pass_rates": "tests/metrics/nnd/test_administer.py",
    "score_text": "tests/metrics/text_scores/test_h_score.py",
    "h_score": "tests/metrics/text_scores/test_h_score.py",
    "build_report": "tests/metrics/report/test_build.py",
    "write_report": "tests/metrics/report/test_write.py",
    "open_model": "tests/metrics/likelihood/test_faults.py",
    "score_all": "tests/metrics/likelihood/test_scoring.py",
    "crossed_power": "tests/metrics/planning/test_crossed_power.py",
    "expected_precision": "tests/metrics/planning/test_huse_precision.py",
    "precision_table": "tests/metrics/planning/test_huse_precision.py",
    "fit_pilot": "tests/metrics/planning/test_huse_precision.py",
    "prior_pilot": "tests/metrics/planning/test_huse_precision.py",
    "known_pilots": "tests/metrics/planning/test_huse_precision.py",
}
