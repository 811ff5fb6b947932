"""Krippendorff's alpha: published examples, the released data, properties, degenerate inputs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metrics.agreement.krippendorff import LEVELS, alpha_arrays, krippendorff_alpha
from metrics.agreement.value_counts import count_values, resample_items
from metrics.errors import BadInput, InsufficientData
from tests.metrics.raters import KRIPPENDORFF, batch_ratings, guesses, long, plain_alpha, squality_ratings

FEW_VALUES = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 4), st.integers(0, 3)), min_size=2, unique_by=lambda t: t[:2]
)
FLOATS = st.floats(0, 100, allow_subnormal=False)
MANY_VALUES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4), FLOATS), min_size=2, unique_by=lambda t: t[:2])


def alpha(cells, level, **options):
    return krippendorff_alpha(*map(list, zip(*cells, strict=True)), level, draws=0, **options).value


def pairable(cells):
    items = [cell[0] for cell in cells]
    return [cell for cell in cells if items.count(cell[0]) > 1]


def varied(cells):
    values = {cell[2] for cell in pairable(cells)}
    assume(len(values) > 1 and max(values) - min(values) > 1e-3)
    return cells


@pytest.mark.parametrize(
    ("level", "value"), [("nominal", 0.743421), ("ordinal", 0.815388), ("interval", 0.849107), ("ratio", 0.797403)]
)
def test_krippendorffs_own_example(level, value):
    found = krippendorff_alpha(*long(KRIPPENDORFF), level, draws=0)
    assert found.value == pytest.approx(value, abs=1e-6)
    assert (found.n, found.flags) == (11, ("items_with_one_rating",))


def test_two_raters_and_two_categories():
    table = long("1 1 0 0\n1 0 0 1")
    assert krippendorff_alpha(*table, draws=0).value == pytest.approx(0.125, abs=1e-12)


def test_the_interval_says_that_items_are_resampled_and_is_wide_for_twelve_items():
    found = krippendorff_alpha(*long(KRIPPENDORFF), draws=20_000, seed=1)
    assert found.interval.method == "items drawn with replacement, BCa percentiles"
    assert found.interval.low == pytest.approx(0.42, abs=0.15)
    assert found.interval.high == pytest.approx(1, abs=0.07)


def test_the_interval_over_raters_leaves_each_out_once():
    item, rater, value = long(KRIPPENDORFF)
    found = krippendorff_alpha(item, rater, value, resampled="raters")
    cells = list(zip(item, rater, value, strict=True))
    left = [plain_alpha(*zip(*[(i, v) for i, r, v in cells if r != out], strict=True), "nominal") for out in range(4)]
    logs = np.log(1 - np.array(left))
    error = np.sqrt(3 / 4 * ((logs - logs.mean()) ** 2).sum())
    low = 1 - (1 - found.value) * np.exp(3.182446 * error)
    assert (found.interval.low, found.interval.high < 1) == (pytest.approx(low, abs=1e-6), True)


def rated_by_severe_raters(rng, items=100, raters=12, each=5):
    """item, rater, value: raters differ in severity as much as items differ in quality."""
    severity = 0.8 * rng.normal(size=raters)
    rater = rng.random((items, raters)).argsort(axis=1)[:, :each]
    felt = 0.7 * rng.normal(size=items)[:, None] + severity[rater] + rng.normal(size=rater.shape)
    value = np.clip(np.rint(2 + felt), 0, 4).astype(int)
    return np.repeat(np.arange(items), each), rater.ravel(), value.ravel()


def test_the_interval_over_both_holds_for_other_raters_where_that_over_items_does_not():
    rng = np.random.default_rng(11)
    expected = np.mean([alpha_arrays(i, v, "ordinal") for i, _, v in (rated_by_severe_raters(rng) for _ in range(800))])
    hits = {"items": 0, "both": 0}
    for seed in range(80):
        columns = rated_by_severe_raters(rng)
        for resampled in hits:
            found = krippendorff_alpha(*columns, "ordinal", draws=200, seed=seed, resampled=resampled).interval
            hits[resampled] += found.low <= expected <= found.high
    assert hits["both"] >= 70  # 88 %: three standard errors below 95 %
    assert hits["items"] < hits["both"]


def test_few_raters_who_hardly_differ_do_not_widen_the_interval_over_both():
    # With the 4 degrees of freedom of the raters alone, t 2.78 instead of 1.97, it would be 1.4 times as wide at least.
    rng = np.random.default_rng(14)
    quality, (item, rater) = rng.normal(size=200), np.divmod(np.arange(1000), 5)
    value = np.rint(quality[item] + rng.normal(size=1000)).astype(int)
    items, both = (
        krippendorff_alpha(item, rater, value, "interval", resampled=one).interval for one in ("items", "both")
    )
    assert both.high - both.low < 1.4 * (items.high - items.low)


def test_many_raters_are_left_out_in_a_hundred_groups():
    rng = np.random.default_rng(12)
    item, value = np.repeat(np.arange(300), 3), rng.integers(0, 3, 900)
    found = krippendorff_alpha(item, np.arange(900) % 250, value, "interval", resampled="raters")
    assert found.interval.low < 0 < found.interval.high


def test_no_disagreement_at_all_has_a_value_and_no_interval():
    for resampled in ("items", "raters", "both"):
        found = krippendorff_alpha([1, 1, 2, 2], [1, 2, 1, 2], [3, 3, 4, 4], resampled=resampled)
        assert (found.value, found.interval, found.flags) == (1, None, ("no_disagreement",))


@settings(deadline=None)
@given(FEW_VALUES, st.sampled_from(LEVELS))
def test_few_values_give_the_plain_definition(cells, level):
    varied(cells)
    expected = plain_alpha([c[0] for c in cells], [c[2] for c in cells], level)
    assert alpha(cells, level) == pytest.approx(expected, abs=1e-9)


@settings(deadline=None)
@given(MANY_VALUES, st.sampled_from(LEVELS))
def test_any_values_give_the_plain_definition(cells, level):
    varied(cells)
    expected = plain_alpha([c[0] for c in cells], [c[2] for c in cells], level)
    assert alpha(cells, level) == pytest.approx(expected, abs=1e-6)


@given(FEW_VALUES, st.permutations(range(4)))
def test_nominal_alpha_does_not_know_the_names_of_the_values(cells, names):
    renamed = [(i, r, names[v] * 7 - 3) for i, r, v in varied(cells)]
    assert alpha(renamed, "nominal") == pytest.approx(alpha(cells, "nominal"), abs=1e-9)


@given(FEW_VALUES)
def test_ordinal_alpha_knows_only_the_order_of_the_values(cells):
    stretched = [(i, r, 10**v - 5) for i, r, v in varied(cells)]
    assert alpha(stretched, "ordinal") == pytest.approx(alpha(cells, "ordinal"), abs=1e-9)


@given(FEW_VALUES, st.floats(-1e6, 1e6), st.floats(0.001, 1000))
def test_interval_alpha_does_not_change_with_origin_and_unit(cells, origin, unit):
    moved = [(i, r, origin + unit * v) for i, r, v in varied(cells)]
    assert alpha(moved, "interval") == pytest.approx(alpha(cells, "interval"), abs=1e-4)


@given(FEW_VALUES, st.floats(0.001, 1000))
def test_ratio_alpha_does_not_change_with_the_unit(cells, unit):
    scaled = [(i, r, unit * v) for i, r, v in varied(cells)]
    assert alpha(scaled, "ratio") == pytest.approx(alpha(cells, "ratio"), abs=1e-9)


@given(FEW_VALUES, st.sampled_from(LEVELS), st.randoms())
def test_order_and_names_of_items_and_raters_do_not_matter(cells, level, random):
    renamed = [(f"text {i}", f"worker {9 - r}", v) for i, r, v in varied(cells)]
    random.shuffle(renamed)
    assert alpha(renamed, level) == pytest.approx(alpha(cells, level), abs=1e-12)


@given(FEW_VALUES, st.sampled_from(LEVELS))
def test_it_is_never_above_one_and_no_number_is_not_a_number(cells, level):
    assume(pairable(cells))
    found = krippendorff_alpha(*map(list, zip(*cells, strict=True)), level, draws=50)
    assert found.value is None or found.value <= 1 + 1e-12
    assert (found.value is None) == ("no_variation" in found.flags)
    assert found.interval is None or found.interval.low <= found.interval.high <= 1 + 1e-12


@pytest.mark.parametrize("level", LEVELS)
def test_many_values_and_many_raters_take_the_path_without_packing(level):
    rng = np.random.default_rng(5)
    item = np.repeat(np.arange(12), 9)
    value = np.round(rng.gamma(2, 5, size=len(item)) + item, 1)
    assert alpha_arrays(item, value, level) == pytest.approx(plain_alpha(item, value, level), abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
def test_sparse_counts_give_what_dense_counts_give(monkeypatch, level):
    rng = np.random.default_rng(6)
    item, value = np.repeat(np.arange(40), 3), np.round(rng.random(120) * 50, 1)
    dense = alpha_arrays(item, value, level)
    monkeypatch.setattr("metrics.agreement.value_counts.DENSE_CELLS", 0)
    assert alpha_arrays(item, value, level) == pytest.approx(dense, abs=1e-12)
    names = item.tolist(), np.tile([1, 2, 3], 40).tolist(), value.tolist()
    assert krippendorff_alpha(*names, level, draws=20).interval.high < 1


@pytest.mark.parametrize("level", LEVELS)
def test_pairs_and_moments_give_the_same(monkeypatch, level):
    item, _, value = long(KRIPPENDORFF)
    item, value = np.array(item), np.array(value)
    by_pairs = alpha_arrays(item, value, level)
    monkeypatch.setattr("metrics.agreement.disagreement.FEW_VALUES", 0)
    assert alpha_arrays(item, value, level) == pytest.approx(by_pairs, abs=1e-12)


def test_a_count_as_large_as_the_base_of_the_packing_is_not_carried_over():
    # With 16 values a digit holds 0 to 8 (2^53 has 16 digits to base 9), and here one value is given 40 times.
    item, value = np.array([0] * 41 + [1] * 3), np.array([3] * 40 + [15, 0, 1, 1])
    assert alpha_arrays(item, value) == pytest.approx(plain_alpha(item, value, "nominal"), abs=1e-12)


@pytest.mark.parametrize("coarse", [0, 1 << 18])
def test_resamples_hold_as_many_items_as_there_are_and_each_as_often_as_its_share(monkeypatch, coarse):
    monkeypatch.setattr("metrics.agreement.value_counts.THREADED_CELLS", coarse)
    rng = np.random.default_rng(7)
    item, value = np.repeat(np.arange(500), 3), rng.choice(4, p=[0.9, 0.05, 0.03, 0.02], size=1500)
    units = count_values(item, value)
    drawn = resample_items(units, 4000, rng, lambda times: times)
    assert (drawn.sum(axis=1) == 500).all()
    share = units.times / 500
    error = np.sqrt(500 * share * (1 - share) / 4000)
    assert (np.abs(drawn.mean(axis=0) - units.times) < 5 * error).all()
    assert drawn.var(axis=0) == pytest.approx(500 * share * (1 - share), rel=0.25)


def test_resampling_patterns_spreads_alpha_as_resampling_items_does():
    rng = np.random.default_rng(8)
    quality = rng.normal(size=60)
    item = np.repeat(np.arange(60), 4)
    value = np.clip(np.rint(2 + quality[item] + rng.normal(size=240)), 0, 4).astype(int)
    table = value.reshape(60, 4)
    slow = [alpha_arrays(item, table[rng.integers(0, 60, 60)].ravel(), "interval") for _ in range(1500)]
    found = krippendorff_alpha(item, np.tile(np.arange(4), 60), value, "interval", draws=4000, seed=1)
    # BCa moves the percentiles a little, and widens them by what t with 59 degrees of freedom asks.
    assert (found.interval.low, found.interval.high) == pytest.approx(np.quantile(slow, [0.025, 0.975]), abs=0.05)


def test_the_interval_of_fifty_items_holds_what_it_says():
    # Plain percentiles hold 91 % here.
    rng = np.random.default_rng(13)

    def study():
        return np.clip(np.rint(2 + 0.7 * rng.normal(size=(50, 1)) + rng.normal(size=(50, 3))), 0, 4).astype(int).ravel()

    item, rater = np.divmod(np.arange(150), 3)
    expected = np.mean([alpha_arrays(item, study()) for _ in range(3000)])
    hits = 0
    for seed in range(400):
        found = krippendorff_alpha(item, rater, study(), draws=300, seed=seed).interval
        hits += found.low <= expected <= found.high
    assert hits >= 0.917 * 400  # 95 %, less three standard errors


def test_the_same_seed_gives_the_same_interval_and_another_another():
    table = long(KRIPPENDORFF)
    first, again, other = (krippendorff_alpha(*table, seed=seed).interval for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.parametrize("level", LEVELS)
def test_all_ratings_equal_have_no_value_and_say_why(level):
    found = krippendorff_alpha([1, 1, 2, 2], [1, 2, 1, 2], [3, 3, 3, 3], level)
    assert (found.value, found.interval, found.flags) == (None, None, ("no_variation",))


def test_variation_only_in_items_with_one_rating_is_no_variation():
    assert krippendorff_alpha([1, 1, 2], ["a", "b", "a"], [3, 3, 5]).value is None


def test_one_item_has_a_value_and_no_interval():
    found = krippendorff_alpha([1, 1, 1], ["a", "b", "c"], [1, 2, 2], "interval")
    assert found.value == pytest.approx(0, abs=1e-12)
    assert (found.interval, found.flags) == (None, ("too_few_for_interval",))


@pytest.mark.parametrize(
    ("item", "rater", "value", "said"),
    [
        ([], [], [], "There is no rating"),
        ([1, 2, 3], ["a", "a", "a"], [1, 2, 3], "Agreement needs an item with two ratings"),
    ],
)
def test_nothing_to_agree_on_is_refused(item, rater, value, said):
    with pytest.raises(InsufficientData, match=said):
        krippendorff_alpha(item, rater, value)


@pytest.mark.parametrize(
    ("item", "rater", "value", "level", "said"),
    [
        ([1, 1], ["a", "a"], [1, 2], "nominal", "rate it again: a on 1"),
        ([1, 1], ["a", "b"], [1, float("nan")], "nominal", "rating 2, column value"),
        ([1, 1], ["a", "b"], [1, -1], "ratio", "at least 0"),
        ([1, 1], ["a", "b"], ["good", "bad"], "nominal", "a rating is a number"),
        ([1, 1], ["a", "b"], [1, 2], "ordered", "one of nominal, ordinal, interval, ratio"),
        ([1, 1], ["a"], [1, 2], "nominal", "2, 1 and 2 entries"),
    ],
)
def test_odd_ratings_are_refused_in_a_sentence(item, rater, value, level, said):
    with pytest.raises(BadInput, match=said):
        krippendorff_alpha(item, rater, value, level)


def test_more_distinct_values_than_ratio_differences_compare_are_refused():
    item, rater = np.divmod(np.arange(10_000), 2)
    with pytest.raises(BadInput, match="at most 4096 distinct values"):
        krippendorff_alpha(item, rater, np.arange(10_000.0), "ratio")
    assert krippendorff_alpha(item, rater, np.arange(10_000.0), "interval", draws=0).value > 0.99


def test_whole_numbers_far_apart_name_items_as_well_as_small_ones():
    far = np.array([10**12, 10**12, 7, 7])
    found = krippendorff_alpha(far, [1, 2, 1, 2], [1, 2, 1, 1], draws=0).value
    assert found == krippendorff_alpha([1, 1, 2, 2], [1, 2, 1, 2], [1, 2, 1, 1], draws=0).value
    gaps = krippendorff_alpha(np.array([5, 5, 9, 9]), [1, 2, 1, 2], [1, 2, 1, 1], draws=0).value
    assert gaps == found


@pytest.mark.parametrize("options", [{"draws": 1}, {"confidence": 1}, {"seed": -1}, {"resampled": "hits"}])
def test_odd_settings_are_refused(options):
    with pytest.raises(BadInput):
        krippendorff_alpha([1, 1], [1, 2], [1, 2], **options)


def test_a_million_ratings_have_an_answer():
    rng = np.random.default_rng(9)
    item, rater = np.divmod(np.arange(1_000_000), 5)
    found = krippendorff_alpha(item, rater, rng.integers(0, 7, 1_000_000), "ordinal", draws=20)
    assert found.value == pytest.approx(0, abs=0.01)


@pytest.mark.needs_data
@pytest.mark.parametrize(
    ("source", "nominal", "ordinal", "interval"),
    [
        ("", 0.04607557635808479, 0.16598978421898714, 0.18802710719453097),
        ("model", 0.06059103174170111, 0.22345299315248934, 0.2285930689232093),
        ("reference", 0.01342856568005979, 0.045052205969925097, 0.05265589600742793),
    ],
)
def test_the_released_typicality_ratings(data_dir, source, nominal, ordinal, interval):
    columns = batch_ratings(data_dir, source)
    found = [krippendorff_alpha(*columns, level, draws=0).value for level in LEVELS[:3]]
    assert found == pytest.approx([nominal, ordinal, interval], abs=1e-12)


@pytest.mark.needs_data
def test_the_released_typicality_ratings_on_a_ratio_scale(data_dir):
    columns = batch_ratings(data_dir)
    assert krippendorff_alpha(*columns, "ratio", draws=0).value == pytest.approx(0.18396213259432936, abs=1e-12)


@pytest.mark.needs_data
def test_the_released_typicality_ratings_by_hit(data_dir):
    item, rater, value = batch_ratings(data_dir)
    hits = sorted({name.rsplit("-", 1)[0] for name in item})
    ordinal, interval = [], []
    for hit in hits:
        kept = [at for at, name in enumerate(item) if name.startswith(hit)]
        columns = [[column[at] for at in kept] for column in (item, rater, value)]
        ordinal.append(krippendorff_alpha(*columns, "ordinal", draws=0).value)
        interval.append(krippendorff_alpha(*columns, "interval", draws=0).value)
    assert ordinal == pytest.approx(
        [0.03971, 0.192766, 0.063566, 0.221731, 0.005693, 0.272018, 0.132045, 0.062979], abs=1e-6
    )
    assert interval == pytest.approx(
        [0.04026, 0.196263, 0.068331, 0.233024, 0.014237, 0.263057, 0.136371, 0.074792], abs=1e-6
    )


@pytest.mark.needs_data
@pytest.mark.parametrize(
    ("kind", "interval", "ordinal"),
    [
        ("correctness", 0.4586918542469878, 0.5344497301205574),
        ("selection", 0.7812748027113983, 0.7155138903404588),
        ("overall", 0.7982558872161952, 0.7218053229705832),
    ],
)
def test_ratings_of_summaries_from_0_to_100(data_dir, kind, interval, ordinal):
    columns = squality_ratings(data_dir, kind)
    found = [krippendorff_alpha(*columns, level, draws=0).value for level in ("interval", "ordinal")]
    assert found == pytest.approx([interval, ordinal], abs=1e-12)


@pytest.mark.needs_data
@pytest.mark.parametrize(
    ("files", "three_way", "binary"),
    [
        (("v_select",), 0.05786493880237675, 0.06618957442843354),
        (("v_write",), 0.16334007145561724, 0.1626519760285069),
        (("v_select", "v_write"), 0.09475314134745261, 0.09649424855898026),
    ],
)
def test_guesses_which_paragraph_a_machine_wrote(data_dir, files, three_way, binary):
    item, rater, value = guesses(data_dir, *files)
    assert krippendorff_alpha(item, rater, value, draws=0).value == pytest.approx(three_way, abs=1e-12)
    cells = [(f"{i}-{p}", r, int(p == v)) for i, r, v in zip(item, rater, value, strict=True) for p in (1, 2, 3)]
    assert alpha(cells, "nominal") == pytest.approx(binary, abs=1e-12)
