"""frac(p), thresholds, shares, calibration, agreement with people, GLTR's files, and the stronger detectors."""

from __future__ import annotations

import json
import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import BadInput, DegenerateInput, InsufficientData
from metrics.text_scores.calibration import against_people, calibrate, normal_crossing
from metrics.text_scores.detectors import binoculars, fast_detect_gpt, log_softmax
from metrics.text_scores.gltr import read_gltr
from metrics.text_scores.h_score import DEFAULT, Thresholds, h_score, mean_fraction, score_text
from metrics.text_scores.roc import auc
from metrics.text_scores.token_predictions import Backend, check_predictions, top_entropy

NATURAL, SYNTHETIC = [0.25, 0.30, 0.33, 0.38, 0.42], [0.36, 0.40, 0.45, 0.50, 0.55]
UNIT = st.floats(0, 1)


def text(tokens=(" a", " b", "c", " d"), own=(0.2, 0.3, 0.01, 0.1), top=(0.4, 0.3, 0.5, 0.2), **more):
    return check_predictions("t", tokens, own, top, rank=more.pop("rank", (2, 1, 11, 1001)), **more)


def test_fp_is_the_mean_ratio_to_the_likeliest_token():
    assert mean_fraction(text()) == pytest.approx(0.505, abs=1e-12)


def test_fp_per_word_averages_the_tokens_of_a_word_first():
    assert mean_fraction(text(), per_word=True) == pytest.approx((0.5 + (1 + 0.02) / 2 + 0.5) / 3)


def test_ranks_fall_into_the_four_buckets_of_gltr():
    score = score_text(text(rank=(10, 11, 1000, 1001)))
    assert score.buckets == (1, 1, 1, 1)
    assert score_text(text(rank=(1, 100, 101, 5))).buckets == (2, 1, 1, 0)


def test_token_statistics_go_with_the_score():
    score = score_text(text(entropy=(0.0, 1.0, 2.0, math.log(10))))
    assert score.fractions == (1, 0, 0, 0, 0, 2, 0, 0, 0, 1)
    assert sum(score.entropies) == 4
    assert score.mean_entropy == pytest.approx((3 + math.log(10)) / 4)
    assert (score.distinct_1, score.longest_repeat) == (1.0, 0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"own": (0.2, 0.3, 0.6, 0.1)}, "token 3, column probability: no token is likelier than the likeliest"),
        ({"own": (0.2, math.nan, 0.1, 0.1)}, "token 2, column probability: a probability lies between 0 and 1"),
        ({"top": (0.4, 0.3, 0.5, 0.0), "own": (0.2, 0.3, 0.1, 0.0)}, "token 4, column top_probability"),
        ({"rank": (2, 0, 1, 1)}, "token 2, column rank: a rank is at least 1"),
        ({"rank": (2, 1, 1)}, "column rank: 4 tokens need one value each"),
        ({"entropy": (1, 1, -1, 1)}, "token 3, column entropy: an entropy is at least 0"),
    ],
)
def test_predictions_that_no_model_makes_are_refused_by_token(change, words):
    with pytest.raises(BadInput, match=f"text t, token .*{words}" if "token" not in words else words):
        text(**change)


def test_a_ratio_above_one_by_rounding_counts_as_one():
    assert mean_fraction(text(own=(0.4 * (1 + 5e-7), 0.3, 0.5, 0.2))) == 1.0


def test_an_empty_text_is_refused():
    with pytest.raises(InsufficientData, match="no token"):
        check_predictions("t", [], [], [], rank=[])


def test_entropy_of_renormalised_probabilities_is_that_of_the_method():
    assert top_entropy([0.5, 0.3, 0.1]) == pytest.approx(0.936888, abs=1e-6)
    with pytest.raises(BadInput):
        top_entropy([0.0, 0.0])


# Thresholds and shares


@pytest.mark.parametrize(
    ("fp", "verdict"), [(0.34, "h"), (0.35, "u"), (0.449, "u"), (0.45, "m"), (0.0, "h"), (1.0, "m")]
)
def test_the_undecided_band_holds_its_lower_end(fp, verdict):
    assert Thresholds(0.35, 0.45).verdict(fp) == verdict


def test_one_threshold_leaves_nothing_undecided_and_says_it_was_not_calibrated():
    found = h_score({"a": 0.39, "b": 0.40, "c": 0.8})
    assert [estimate.value for estimate in (found.h, found.u, found.m)] == pytest.approx([1 / 3, 0.0, 2 / 3])
    assert found.h.flags == found.m.flags == ("uncalibrated",)
    assert found.mean_fp.value == pytest.approx(0.53)


@given(st.dictionaries(st.text(max_size=3), UNIT, min_size=1), UNIT, UNIT)
def test_shares_sum_to_one_whatever_the_thresholds(fp, a, b):
    found = h_score(fp, Thresholds(min(a, b), max(a, b)))
    assert found.h.value + found.u.value + found.m.value == pytest.approx(1.0)
    for estimate in (found.h, found.u, found.m):
        assert estimate.interval.low <= estimate.value <= estimate.interval.high


def test_copies_of_texts_that_share_contexts_make_no_interval_narrower():
    """Each text twice in one context says what the texts say once: t intervals of 3 units, 4.302653 sd / sqrt(3)."""
    once = {"a": 0.2, "b": 0.3, "c": 0.6}
    twice = {f"{name}{copy}": fp for name, fp in once.items() for copy in (1, 2)}
    alone = h_score(once).mean_fp.interval
    together = h_score(twice, contexts={name: name[0] for name in twice})
    assert [alone.low, alone.high] == pytest.approx([0, 0.366667 + 4.302653 * 0.208167 / math.sqrt(3)], abs=1e-5)
    assert together.mean_fp.interval.high == pytest.approx(alone.high)
    assert together.mean_fp.interval.method == "t, for new contexts"
    # h: 2 of 3 contexts, variance of the ratio (2/9) / 2, so Wilson with an effective n of 2 and t for z.
    weight = 4.302653**2 / 2
    middle, square = (2 / 3 + weight / 2) / (1 + weight), weight * (2 / 9 + weight / 4)
    assert together.h.interval.low == pytest.approx(middle - math.sqrt(square) / (1 + weight), abs=1e-5)
    assert "one_context" in h_score(twice, contexts=dict.fromkeys(twice, "k")).mean_fp.flags


def test_no_text_and_thresholds_out_of_order_are_refused():
    with pytest.raises(InsufficientData, match="0 / 0"):
        h_score({})
    with pytest.raises(BadInput, match="the lower one first"):
        Thresholds(0.5, 0.4)
    with pytest.raises(BadInput, match="text a, column fp"):
        h_score({"a": 1.5})


# Calibration


def test_youden_gives_the_threshold_of_the_method():
    found = calibrate(NATURAL, SYNTHETIC)
    assert found.threshold == 0.40
    assert found.youden_j.value == pytest.approx(0.6)
    assert found.auc.value == pytest.approx(0.88)
    assert found.thresholds.calibrated
    assert h_score({"a": 0.3}, found.thresholds).h.flags == ()


def test_two_normals_cross_where_the_method_says():
    # The method rounds the two sds, which moves the fifth decimal.
    assert normal_crossing(0.336, 0.0666, 0.452, 0.076) == pytest.approx(0.395900, abs=1e-6)
    assert calibrate(NATURAL, SYNTHETIC, method="normal").threshold == pytest.approx(0.395900, abs=1e-5)


@given(
    st.lists(st.integers(0, 50), min_size=3, max_size=8, unique=True),
    st.lists(st.integers(51, 100), min_size=3, max_size=8, unique=True),
)
def test_both_densities_are_equal_at_the_crossing(low, high):
    human, machine = np.array(low) / 100, np.array(high) / 100
    sides = [NormalDist(x.mean(), x.std(ddof=1)) for x in (human, machine)]
    try:
        at = calibrate(human, machine, method="normal").threshold
    except DegenerateInput:
        return
    assert sides[0].pdf(at) == pytest.approx(sides[1].pdf(at), rel=1e-6)
    assert human.mean() <= at <= machine.mean()


def test_the_band_lies_between_the_medians():
    limits = calibrate(NATURAL, SYNTHETIC, band=True).thresholds
    assert (limits.low, limits.high) == (0.33, 0.45)


def test_texts_held_out_are_judged_by_thresholds_from_the_others():
    rng = np.random.default_rng(1)
    human, machine = rng.uniform(0.1, 0.4, 60), rng.uniform(0.6, 0.9, 60)
    assert calibrate(human, machine).held_out.value >= 0.95
    mixed = rng.uniform(0.1, 0.9, 400)
    found = calibrate(mixed[:200], mixed[200:])
    assert found.held_out.value == pytest.approx(0.5, abs=0.1)
    assert found.held_out.value <= (found.youden_j.value + 1) / 2


def test_sources_the_wrong_way_round_define_no_threshold():
    for method in ("youden", "normal"):
        with pytest.raises(DegenerateInput, match="No threshold separates"):
            calibrate([0.8, 0.9, 0.95], [0.1, 0.2, 0.3], method=method)


def test_too_few_texts_cannot_calibrate():
    with pytest.raises(InsufficientData, match="synthetic needs at least 2 texts"):
        calibrate(NATURAL, [0.5])


@given(st.lists(UNIT, min_size=1, max_size=8), st.lists(UNIT, min_size=1, max_size=8))
def test_auc_counts_pairs(low, high):
    wins = sum((b > a) + 0.5 * (a == b) for a in low for b in high)
    assert auc(low, high) == pytest.approx(wins / (len(low) * len(high)))


def test_agreement_with_people_leaves_out_what_one_of_them_leaves_open():
    fp = {"a": 0.2, "b": 0.3, "c": 0.6, "d": 0.7, "e": 0.45, "f": 0.1}
    said = {"a": 0.9, "b": 0.8, "c": 0.1, "d": 0.6, "e": 0.2, "f": 0.5, "g": 0.0}
    found = against_people(fp, said, Thresholds(0.4, 0.5, calibrated=True))
    assert (found.agreement.value, found.agreement.n, found.undecided) == (0.75, 4, 2)
    # People say human of a, b, d and machine of c, e: 2 of 3 lie below each machine text.
    assert found.auc.value == pytest.approx(4 / 6)
    assert found.correlation.value < 0
    assert found.agreement.flags == ()


def test_agreement_by_a_default_threshold_is_flagged():
    found = against_people({"a": 0.1, "b": 0.9}, {"a": 1.0, "b": 0.0}, DEFAULT)
    assert (found.agreement.value, found.agreement.flags) == (1.0, ("uncalibrated",))


# GLTR's files


@pytest.mark.needs_data
@pytest.mark.parametrize(
    ("name", "tokens", "fp"),
    [
        ("NYTimes.json", 395, 0.5427873140578954),
        ("gpt2_small_top5_uncond.json", 539, 0.7968360069195687),
        ("gpt_2_small_top40_t0.7.json", 467, 0.7282999310657483),
        ("unicorn.json", 479, 0.5371088039374448),
    ],
)
def test_gltr_samples_have_the_reference_fp(data_dir, name, tokens, fp):
    score = score_text(read_gltr(data_dir / "gltr" / name))
    assert score.n == tokens
    assert score.fp == pytest.approx(fp, abs=1e-12)


@pytest.mark.needs_data
def test_the_tokens_of_a_gltr_file_are_its_text_again(data_dir):
    path = data_dir / "gltr" / "NYTimes.json"
    assert "".join(read_gltr(path).tokens) == json.loads(path.read_text())["request"]["text"]


def gltr(**change):
    likeliest = [[["Ġb", 0.5], ["Ġc", 0.3], ["d", 0.1]]] * 2
    return {
        "bpe_strings": ["<|endoftext|>", "ĠâĢ", "Ķb"],
        "real_topk": [[0, 0.5], [7, 0.1]],
        "pred_topk": likeliest,
    } | change


def test_a_small_gltr_file_is_read_with_and_without_its_frame(tmp_path):
    for number, content in enumerate((gltr(), {"request": {}, "result": gltr()})):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(content))
        found = read_gltr(path, backend=Backend("gpt2"))
        assert (found.tokens, found.rank.tolist(), found.backend.model) == ((" ", "\u2014b"), [1, 8], "gpt2")
        assert found.entropy.tolist() == pytest.approx([0.936888] * 2, abs=1e-6)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bpe_strings": ["a", "b"]}, "column real_topk: 2 tokens, the start included, need 1 entries"),
        ({"bpe_strings": ["a", "b", 7]}, "column bpe_strings: every token must be a text"),
        ({"real_topk": [[0, 0.5], [-1, 0.1]]}, "column real_topk: token 2: a rank from 0"),
        ({"real_topk": [[0, 0.5], [1, 1.1]]}, "column real_topk: token 2"),
        ({"real_topk": [[0, 0.5], [0, 0.6]]}, "token 2, column probability: no token is likelier"),
        ({"pred_topk": [[["a", 0.5]], []]}, "column pred_topk: token 2: a list of tokens"),
        ({"pred_topk": [[["a", 0.5]], [["a", 0]]]}, "column pred_topk: token 2: an entropy needs"),
        ({"pred_topk": 3}, "column pred_topk: a list was expected"),
    ],
)
def test_a_malformed_gltr_file_is_refused_by_key_and_token(tmp_path, change, words):
    (tmp_path / "t.json").write_text(json.dumps(gltr(**change)))
    with pytest.raises(BadInput, match=words):
        read_gltr(tmp_path / "t.json")


# Detectors

PERFORMER = np.log([[0.7, 0.2, 0.1], [0.5, 0.25, 0.25]])
OBSERVER = np.log([[0.6, 0.3, 0.1], [0.4, 0.4, 0.2]])


def test_fast_detect_gpt_is_that_of_the_method():
    assert fast_detect_gpt(PERFORMER, [0, 1]) == pytest.approx(0.125743, abs=1e-6)


def test_binoculars_are_those_of_the_method():
    found = binoculars(PERFORMER, OBSERVER, [0, 1])
    assert found.log_perplexity == pytest.approx(0.871485, abs=1e-6)
    assert found.cross_entropy == pytest.approx(1.018065, abs=1e-6)
    assert found.score == pytest.approx(0.856020, abs=1e-6)


@given(st.integers(0, 1000), st.integers(1, 5), st.integers(2, 6))
def test_detectors_agree_with_loops_over_the_formula(seed, n, v):
    rng = np.random.default_rng(seed)
    scoring, sampling = log_softmax(rng.normal(size=(n, v))), log_softmax(rng.normal(size=(n, v)))
    tokens = rng.integers(0, v, n)
    top, spread, cross = 0.0, 0.0, 0.0
    for row, other, token in zip(scoring, sampling, tokens, strict=True):
        mean = sum(math.exp(q) * p for p, q in zip(row, other, strict=True))
        top += row[token] - mean
        spread += sum(math.exp(q) * (p - mean) ** 2 for p, q in zip(row, other, strict=True))
        cross -= mean
    assert fast_detect_gpt(scoring, tokens, sampling=sampling) == pytest.approx(top / math.sqrt(spread), rel=1e-6)
    assert binoculars(scoring, sampling, tokens).cross_entropy == pytest.approx(cross / n, rel=1e-9)


def test_a_token_that_is_never_drawn_adds_nothing():
    with np.errstate(divide="ignore"):
        rows = np.log([[0.7, 0.3, 0.0], [0.5, 0.25, 0.25]])
    assert math.isfinite(fast_detect_gpt(rows, [0, 1]))


def test_a_large_logit_does_not_overflow():
    assert log_softmax([[1000.0, 1000.0]]).tolist() == [pytest.approx([math.log(0.5)] * 2)]


@pytest.mark.parametrize(
    ("rows", "tokens", "error", "words"),
    [
        (PERFORMER, [0, 3], BadInput, "row 2, column tokens: a token is a column from 0 to 2"),
        (PERFORMER, [0], BadInput, "2 rows need one token each"),
        (PERFORMER, [0.0, 1.0], BadInput, "as a whole number"),
        (PERFORMER + 0.1, [0, 1], BadInput, "row 1, column log_probs: the probabilities of a row sum to 1"),
        (np.full((2, 3), np.nan), [0, 1], BadInput, "row 1, column log_probs: a log-probability"),
        (np.log(np.full((2, 4), 0.25)), [0, 1], DegenerateInput, "log p varies"),
        (np.zeros((0, 3)), [], InsufficientData, "one row a token"),
    ],
)
def test_distributions_without_an_answer_are_refused(rows, tokens, error, words):
    with pytest.raises(error, match=words):
        fast_detect_gpt(rows, tokens)


def test_binoculars_refuse_two_vocabularies_and_a_certain_performer():
    with pytest.raises(BadInput, match="one vocabulary"):
        binoculars(PERFORMER, OBSERVER[:, :2] - np.log([[0.9], [0.8]]), [0, 1])
    with np.errstate(divide="ignore"):
        certain = np.log([[1.0, 0.0]])
    with pytest.raises(DegenerateInput, match="cross-entropy above 0"):
        binoculars(certain, certain, [0])
