"""Conditions of evaluators compared: the method's examples as whole studies, and as `python -m metrics evaluators`."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metrics import compare_conditions
from metrics.__main__ import main
from metrics.errors import BadInput, InsufficientData
from metrics.evaluators.conditions import MANY, SHARED, SINGLE_EVALUATOR, mixed_accuracy
from metrics.evaluators.conditions_to_json import comparison_json
from metrics.inference.equivalence import Margin
from tests.metrics.judgments_made import judged

# The method's groups of 2.15 and samples of 2.10 and 2.22, as accuracies.
GROUPS = {
    "g1": (0.4, 0.6, 0.4, 0.6, 0.5),
    "g2": (0.5, 0.6, 0.5, 0.6, 0.6),
    "g3": (0.7, 0.8, 0.6, 0.8, 0.7),
    "g4": (0.5, 0.5, 0.6, 0.7, 0.6),
}
TUKEY = {
    "g1 - g2": 0.662474,
    "g1 - g3": 0.003183,
    "g1 - g4": 0.438486,
    "g2 - g3": 0.032734,
    "g2 - g4": 0.979929,
    "g3 - g4": 0.068577,
}
TWO = {"a": (0.6, 0.8, 0.6, 0.4, 0.8, 0.6), "b": (0.4, 0.6, 0.4, 0.6, 0.2, 0.4)}
NEAR_HALF = (0.52, 0.48, 0.5, 0.55, 0.45, 0.5, 0.47, 0.53, 0.51, 0.49)


def study(groups, texts=20):
    """Judgments in which every evaluator has the accuracy asked for; texts are machines'."""
    made = []
    for name, accuracies in groups.items():
        for i, accuracy in enumerate(accuracies):
            right = round(accuracy * texts)
            made += judged("m" * texts, (4,) * right + (1,) * (texts - right), f"{name}{i}", condition=name)
    return made


def file_of(judgments) -> str:
    rows = [f"{j.rater},{j.item},{j.truth},{j.rating},{j.factors['condition']}" for j in judgments]
    return "\n".join(["rater,item,truth,rating,condition", *rows]) + "\n"


@pytest.fixture
def run(tmp_path, capsys):
    """Runs the command on judgments; gives the exit code, stdout and stderr."""

    def go(judgments, *options: str) -> tuple[int, str, str]:
        path = tmp_path / "judgments.csv"
        path.write_text(file_of(judgments), encoding="utf-8")
        code = main(["evaluators", str(path), *options])
        return (code, *capsys.readouterr())

    return go


def test_anova_and_tukey_of_a_study_are_those_of_the_methods_groups():
    found = compare_conditions(study(GROUPS), ["condition"])
    assert (found.anova.f, found.anova.p) == pytest.approx((6.419753, 0.004633), abs=1e-6)
    assert {f"{p.a} - {p.b}": p.p for p in found.tukey} == pytest.approx(TUKEY, abs=1e-4)


@pytest.mark.parametrize("equal", [False, True])
def test_a_pair_is_tested_as_the_methods_two_samples(equal):
    (pair,) = compare_conditions(study(TWO), ["condition"], equal_variances=equal).pairs
    told = pair.difference.settings
    assert (told["t"], told["df"], told["p"]) == pytest.approx((2.300895, 10, 0.044187), abs=1e-6)
    assert (pair.cohens_d.value, pair.hedges_g.value) == pytest.approx((1.328422, 1.226236), abs=1e-6)
    assert told["test"] == ("student" if equal else "welch")


def test_pairs_are_adjusted_within_the_family_that_was_declared():
    declared = [("g1", "g3"), ("g2", "g3")]
    found = compare_conditions(study(GROUPS), ["condition"], pairs=declared)
    expected = [stats.ttest_ind(GROUPS[a], GROUPS[b], equal_var=False).pvalue for a, b in declared]
    assert [p.difference.settings["p"] for p in found.pairs] == pytest.approx(expected, abs=1e-9)
    assert [p.difference.settings["p_bonferroni"] for p in found.pairs] == pytest.approx([2 * p for p in expected])
    assert found.family.hypotheses == ("g1 - g3", "g2 - g3")
    assert len(found.tukey) == 6


def test_equivalence_is_tested_where_a_margin_was_declared():
    groups = {"x": NEAR_HALF, "y": NEAR_HALF[::-1]}
    found = compare_conditions(study(groups, 100), ["condition"], margin=Margin(0.45, 0.55, "plan of May"))
    one = found.equivalence["x"]
    assert (one.t_low, one.t_high, one.p) == pytest.approx((5.370862, -5.370862, 0.000225), abs=1e-6)
    assert one.equivalent is True
    assert (found.equivalence["x - y"].margin.low, found.equivalence["x - y"].margin.high) == pytest.approx(
        (-0.05, 0.05)
    )
    assert compare_conditions(study(groups, 100), ["condition"]).equivalence == {}


def test_the_smallest_effect_is_the_one_130_evaluators_a_group_find():
    groups = {name: tuple(0.4 + 0.2 * (i % 2) for i in range(130)) for name in "ab"}
    (pair,) = compare_conditions(study(groups, 5), ["condition"], effect=0.35).pairs
    assert pair.smallest_effect.value == pytest.approx(0.348794, abs=1e-6)
    told = pair.smallest_effect.settings
    assert (told["power_for_effect"], told["n_a_group_for_effect"]) == pytest.approx((0.80270, 130), abs=1e-5)


def test_a_condition_of_one_evaluator_is_left_out_and_flagged():
    found = compare_conditions(study({**TWO, "lone": (0.5,)}), ["condition"])
    assert (found.left_out, found.flags) == (("lone",), (SINGLE_EVALUATOR,))
    with pytest.raises(InsufficientData, match="2 of them with 2 evaluators each"):
        compare_conditions(study({"a": (0.5, 0.6), "lone": (0.5,)}), ["condition"])


def test_raters_in_two_conditions_are_flagged():
    twice = [*judged("mm", (4, 1), "w1", condition="a"), *judged("mm", (4, 4), "w1", condition="b")]
    more = [*judged("mm", (4, 4), "w2", condition="a"), *judged("mm", (1, 4), "w3", condition="b")]
    assert SHARED in compare_conditions(twice + more, ["condition"]).flags


def test_many_conditions_have_no_tukey_and_say_so():
    groups = {f"c{i}": (0.4, 0.6) for i in range(21)}
    found = compare_conditions(study(groups, 5), ["condition"], pairs=[("c0", "c1")])
    assert (found.tukey, MANY in found.flags) == ((), True)


def test_equal_accuracies_everywhere_have_no_t_and_no_p():
    found = compare_conditions(study({"a": (0.5, 0.5), "b": (0.5, 0.5)}), ["condition"])
    assert (found.anova.f, found.pairs[0].difference.settings["p"]) == (None, None)
    assert comparison_json(found)["anova"]["flags"] == ["zero_variance"]


@pytest.mark.parametrize("pairs", [[("g1", "nowhere")], [("g1", "g1")], [], [("g1", "g2"), ("g1", "g2")]])
def test_odd_families_are_refused(pairs):
    with pytest.raises(BadInput):
        compare_conditions(study(GROUPS), ["condition"], pairs=pairs)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=4), min_size=2, max_size=4), st.integers(0, 2**16))
def test_neither_order_nor_names_matter(counts, seed):
    import random

    groups = {f"c{i}": [n / 5 for n in right] for i, right in enumerate(counts)}
    judgments = study(groups, 5)
    if sum(len(g) > 1 for g in groups.values()) < 2:
        return
    mixed = judgments.copy()
    random.Random(seed).shuffle(mixed)
    one, other = (compare_conditions(j, ["condition"]) for j in (judgments, mixed))
    assert (one.anova.f is None) == (other.anova.f is None)
    if one.anova.f is not None:
        assert other.anova.f == pytest.approx(one.anova.f, rel=1e-9, abs=1e-12)
    by_pair = {frozenset((p.a, p.b)): abs(p.difference.value) for p in other.pairs}
    assert {frozenset((p.a, p.b)): abs(p.difference.value) for p in one.pairs} == pytest.approx(by_pair, abs=1e-12)


def test_the_mixed_model_gives_the_differences_of_accuracy():
    found = mixed_accuracy(study(GROUPS), ["condition"])
    assert found.effects["intercept"].value == pytest.approx(0.5, abs=1e-6)
    assert found.effects["g3"].value == pytest.approx(0.22, abs=1e-6)
    truths = [*judged("mmhh", (4, 4, 1, 4), "w1"), *judged("mmhh", (4, 1, 1, 1), "w2")]
    assert mixed_accuracy(truths).effects["machine"].value == pytest.approx(0.0, abs=1e-9)


def test_the_command_prints_the_comparison_and_its_json(run):
    margin = ["--margin", "0.4", "0.6", "--declared", "plan"]
    code, out, err = run(study(GROUPS), "--json", *margin, "--mixed", "--seed", "4")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["comparison"]["anova"]["value"] == pytest.approx(6.419753, abs=1e-6)
    assert found["comparison"]["anova"]["settings"]["p"] == pytest.approx(0.004633, abs=1e-6)
    numbers = [found["tost"], found["mixed_model"]["effects"]["g2"], found["comparison"]["tost"]["g1 - g2"]]
    numbers += [found["comparison"][name]["g1 - g3"] for name in ("tukey_kramer", "difference", "cohens_d", "hedges_g")]
    for number in numbers:
        assert set(number) == {"value", "n", "interval", "settings", "flags", "signature"}
    text = run(study(GROUPS), *margin, "--effect", "0.5", "--mixed")[1]
    assert "ANOVA F 6.420, p 0.004633" in text
    assert "Family of 6 tests: pairs of conditions, alpha 0.05." in text
    assert "declared in: plan" in text
    assert "Mixed model of right answers" in text


def test_without_conditions_to_compare_there_is_null(run):
    lone = judged("mmhh", (4, 1, 1, 2), "w1", condition="a")
    assert json.loads(run(lone, "--json")[1])["comparison"] is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--margin", "0.4", "0.6"], "a margin needs --declared"),
        (["--margin", "0.6", "0.4", "--declared", "plan"], "the lower one first"),
        (["--margin", "nan", "0.6", "--declared", "plan"], "two finite numbers"),
        (["--pair", "g1", "g9"], "no condition with 2 evaluators is called 'g9'"),
        (["--effect", "0"], "an effect is not 0"),
        (["--alpha", "0"], "alpha"),
        (["--effect", "nan"], "effect"),
    ],
)
def test_odd_options_are_refused_in_a_sentence(run, options, said):
    code, out, err = run(study(GROUPS), *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
