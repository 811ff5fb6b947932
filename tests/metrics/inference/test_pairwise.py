"""Bradley-Terry strengths: hand examples and reference numbers of the specification, and what has no interval."""

from __future__ import annotations

import csv
import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput, InsufficientData
from metrics.inference.bradley_terry import bradley_terry, bradley_terry_votes
from metrics.inference.sides import side_share

WINS = [[0, 7, 8], [3, 0, 6], [2, 4, 0]]
COUNTS = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 9), min_size=n, max_size=n), min_size=n, max_size=n)
)


def values(found):
    return [estimate.value for estimate in found.log_strength.values()]


def hollow(table):
    return np.array(table) * (1 - np.eye(len(table), dtype=int))


def test_three_systems():
    found = bradley_terry(WINS, ["a", "b", "c"])
    assert list(found.strengths.values()) == pytest.approx([0.597111, 0.245288, 0.157601], abs=1e-6)
    assert values(found) == pytest.approx([0.740570, -0.149102, -0.591468], abs=1e-6)
    assert found.beats("a", "b") == pytest.approx(0.708823, abs=1e-6)
    assert found.flags == ("clusters_unknown",)


def test_two_systems_are_the_log_odds_and_a_table_of_wins_alone_has_no_interval():
    found = bradley_terry([[0, 7], [3, 0]])
    first, second = values(found)
    assert first - second == pytest.approx(0.847298, abs=1e-6)
    assert found.differences[0].difference.value == pytest.approx(0.847298, abs=1e-6)
    assert all(one.interval is None for one in found.log_strength.values())
    assert found.differences[0].difference.interval is None


def test_ties_count_half_each_on_whichever_side_they_are_written():
    even = bradley_terry([[0, 6], [2, 0]], ties=[[0, 2], [0, 0]])
    assert values(even) == pytest.approx(values(bradley_terry([[0, 7], [3, 0]])))
    assert values(even) == pytest.approx(values(bradley_terry([[0, 6], [2, 0]], ties=[[0, 0], [2, 0]])))


@settings(deadline=None)
@given(COUNTS)
def test_expected_wins_are_the_wins_where_strengths_exist(table):
    wins = hollow(table)
    if not wins.any():
        return
    found = bradley_terry(wins)
    assert np.isfinite(values(found)).all()
    assert sum(values(found)) == pytest.approx(0, abs=1e-6)
    if "no_mle" in found.flags:
        return
    share = np.array(list(found.strengths.values()))
    expected = ((wins + wins.T) * share[:, None] / (share[:, None] + share)).sum(axis=1)
    assert expected == pytest.approx(wins.sum(axis=1), abs=1e-6)


@settings(deadline=None)
@given(COUNTS, st.randoms())
def test_the_order_of_systems_does_not_matter(table, random):
    wins = hollow(table)
    if not wins.any():
        return
    order = list(range(len(wins)))
    random.shuffle(order)
    found, other = values(bradley_terry(wins)), values(bradley_terry(wins[np.ix_(order, order)]))
    assert other == pytest.approx([found[i] for i in order], abs=1e-6)


@pytest.mark.parametrize(
    "wins",
    [[[0, 7], [0, 0]], [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], [[0, 5, 5], [0, 0, 2], [0, 3, 0]]],
)
def test_an_undefeated_system_or_groups_that_never_meet_have_strengths_by_a_ridge_and_no_interval(wins):
    found = bradley_terry(wins)
    assert "no_mle" in found.flags
    assert np.isfinite(values(found)).all()
    assert all(estimate.interval is None for estimate in found.log_strength.values())


def test_the_ridge_is_the_best_of_the_penalised_likelihood():
    def penalised(d):
        return -7 * np.logaddexp(0, -2 * d) - 0.1 * 2 * d**2

    grid = np.linspace(0, 4, 40_001)
    best = grid[np.argmax([penalised(d) for d in grid])]
    assert values(bradley_terry([[0, 7], [0, 0]]))[0] == pytest.approx(best, abs=2e-4)


@pytest.mark.parametrize("wins", [[[0]], [[0, 0], [0, 0]]])
def test_one_system_or_no_comparison_is_refused(wins):
    with pytest.raises(InsufficientData):
        bradley_terry(wins)


@pytest.mark.parametrize(
    ("wins", "options", "said"),
    [
        ([[0, 1]], {}, "row and a column"),
        ([[0, -1], [1, 0]], {}, "row 1"),
        ([[0, float("nan")], [1, 0]], {}, "finite"),
        ([[1, 1], [1, 0]], {}, "with itself"),
        ([[0, "x"], [1, 0]], {}, "not a number"),
        ([[0, 1], [1, 0]], {"names": ["a", "a"]}, "name of its own"),
        ([[0, 1], [1, 0]], {"ties": [[0]]}, "same systems|2 systems"),
    ],
)
def test_odd_tables_are_refused(wins, options, said):
    with pytest.raises((BadInput, InsufficientData), match=said):
        bradley_terry(wins, **options)


# Votes, with who gave them on what

# Hand example A: rows are items, columns raters; 1 where A was preferred to B.
A = ((1, 1, 1), (1, 1, 0.5), (0, 1, 0), (1, 0.5, 0))
# Hand example B: by item and rater, the outcomes of AB, BC, AC; 1 where the first won.
B = {
    (1, 1): (1, 1, 1),
    (1, 2): (0.5, 1, 1),
    (2, 1): (0, 0.5, 1),
    (2, 2): (1, 0, 0.5),
    (3, 1): (1, 1, 0),
    (3, 2): (1, 0.5, 1),
}


def example_a(target=None, *, items=None, raters=None, **options):
    item, rater = zip(*product(items or range(4), raters or range(3)), strict=True)
    outcome = [y for row in A for y in row]
    return bradley_terry_votes(item, rater, ["A"] * 12, ["B"] * 12, outcome, target=target, **options)


def example_b(target=None):
    votes = [(*place, *pair, y) for place, row in B.items() for pair, y in zip(("AB", "BC", "AC"), row, strict=True)]
    return bradley_terry_votes(*zip(*votes, strict=True), target=target, names=["A", "B", "C"])


def errors(found):
    return [estimate.settings["se"] for estimate in found.log_strength.values()]


@pytest.mark.parametrize(
    ("target", "se", "half", "words"),
    [
        ("items", 0.684653, 2.178872, "new items like these, with these raters"),
        ("raters", 0.676041, 2.908769, "new raters like these, on these items"),
        ("items and raters", 0.770321, 3.314425, "new items and new raters"),
        (None, 0.770321, 3.314425, "new items and new raters"),
    ],
)
def test_hand_example_a_has_the_clustered_intervals_of_its_table(target, se, half, words):
    estimate = example_a(target).differences[0].difference
    assert estimate.value == pytest.approx(math.log(2), abs=1e-6)
    assert estimate.settings["se"] == pytest.approx(se, abs=1e-6)
    interval = estimate.interval
    assert (interval.low, interval.high) == pytest.approx((estimate.value - half, estimate.value + half), abs=2e-6)
    assert words in interval.target


@pytest.mark.parametrize(
    ("target", "se"),
    [
        ("items", (0.288123, 0.235328, 0.506701)),
        ("raters", (0.279935, 0.379296, 0.099361)),
        ("items and raters", (0.227859, 0.269780, 0.331673)),
    ],
)
def test_hand_example_b_has_the_clustered_standard_errors_of_its_table(target, se):
    found = example_b(target)
    assert values(found) == pytest.approx((0.742553, -0.124712, -0.617840), abs=1e-6)
    assert errors(found) == pytest.approx(se, abs=1e-6)


def test_a_difference_has_its_own_error_and_two_systems_half_of_it_each():
    found = example_a("items")
    assert errors(found) == pytest.approx([0.684653 / 2] * 2, abs=1e-6)
    three = example_b("items").differences
    assert [(one.first, one.second) for one in three] == [("A", "B"), ("A", "C"), ("B", "C")]
    assert three[0].difference.value == pytest.approx(0.742553 + 0.124712, abs=2e-6)


def test_few_clusters_are_flagged_and_a_single_item_or_rater_gives_no_interval():
    assert example_a().flags == ("few_clusters",)
    alone = example_a(items=["one"] * 4)
    assert "one_cluster" in alone.flags
    assert all(one.interval is None for one in alone.log_strength.values())
    assert example_a("raters", items=["one"] * 4).log_strength["A"].interval is not None


def test_without_raters_the_interval_is_for_new_items_and_says_so():
    found, known = example_a(raters=[None] * 3), example_a("items")
    assert "raters_unknown" in found.flags
    assert found.differences[0].difference.settings["se"] == pytest.approx(0.684653, abs=1e-6)
    assert found.log_strength["A"].interval == known.log_strength["A"].interval
    assert example_a("raters", raters=[None] * 3).log_strength["A"].interval is None


def test_without_items_there_is_no_interval():
    found = example_a(items=[None] * 4)
    assert "items_unknown" in found.flags
    assert all(one.interval is None for one in found.log_strength.values())
    assert "items_unknown" in example_a(items=["a", "b", None, "c"]).flags


def test_a_two_way_variance_below_0_gives_way_to_the_larger_one_way_variance():
    # Four items, four raters, wins and losses as on a chessboard, one win made a tie: mean 7.5/16. Sums by item .125
    # three times and -.375 once, the same by rater, so that V_item = V_rater = 4/3 * .1875 = .25; the squares of the
    # cells sum to 3.734375, so that the two-way value is below 0. The information is 16 * 7.5/16 * 8.5/16.
    cells = list(product(range(4), repeat=2))
    outcome = [0.5 if cell == (0, 0) else 1 - sum(cell) % 2 for cell in cells]
    item, rater = zip(*cells, strict=True)
    found = bradley_terry_votes(item, rater, ["A"] * 16, ["B"] * 16, outcome).differences[0].difference
    assert "one_way_used" in found.flags
    assert found.settings["se"] == pytest.approx(math.sqrt(0.25) / (16 * 7.5 * 8.5 / 256), abs=1e-9)


def test_clusters_that_show_no_variation_give_no_interval_instead_of_one_without_width():
    item, rater = zip(*product(range(4), repeat=2), strict=True)
    outcome = [1 - (i + j) % 2 for i, j in zip(item, rater, strict=True)]
    for target in ("items", "raters", "items and raters"):
        found = bradley_terry_votes(item, rater, ["A"] * 16, ["B"] * 16, outcome, target=target).log_strength["A"]
        assert "no_variation" in found.flags
        assert found.interval is None


def test_an_undefeated_system_has_no_interval_however_well_its_clusters_are_known():
    found = bradley_terry_votes([*range(20)], [*range(20)], ["A"] * 20, ["B"] * 20, [1] * 20)
    assert found.flags == ("no_mle",)
    assert all(one.interval is None for one in found.log_strength.values())
    assert found.differences[0].difference.interval is None


@pytest.mark.parametrize(
    ("columns", "options", "said"),
    [
        ((["i"], ["r"], ["A"], ["B"], [2]), {}, "row 1, column outcome: an outcome is 1"),
        ((["i"], ["r"], ["A"], ["A"], [1]), {}, "row 1, column right: a system is not compared with itself"),
        ((["i"], [], ["A"], ["B"], [1]), {}, "item and rater have 1 and 0 entries"),
        ((["i"], ["r"], ["A"], ["B"], [1, 0]), {}, "each needs an outcome"),
        ((["i"], ["r"], ["A"], ["B"], [1]), {"names": ["A"]}, "'B' is not among the names"),
        ((["i"], ["r"], ["A"], ["B"], [1]), {"target": "texts"}, "a target is one of"),
        ((["i"], ["r"], ["A"], ["B"], [1]), {"level": 0}, "level"),
        (([], [], [], [], []), {}, "2 systems and a comparison"),
    ],
)
def test_odd_votes_are_refused(columns, options, said):
    with pytest.raises((BadInput, InsufficientData), match=said):
        bradley_terry_votes(*columns, **options)


# Reference numbers: computed for the specification by independent routes (tolerance 1e-6).

LLMFAO = {  # theta, se by prompt, se by worker, two-way variance
    "GPT 4": (0.990875, 0.217458, 0.203092, 0.062288),
    "Platypus-2 Instruct (70B)": (0.647307, 0.178412, 0.191266, 0.049124),
    "command": (0.634184, 0.152549, 0.116453, 0.022130),
}


@pytest.mark.needs_data
def test_llmfao_has_the_reference_strengths_and_clustered_errors(data_dir):
    with (data_dir / "llmfao" / "llmfao.csv").open(newline="", encoding="utf-8") as file:
        votes = list(csv.DictReader(file))
    outcome = [{"left": 1, "right": 0, "tie": 0.5}[one["winner"]] for one in votes]
    columns = [[one[name] for one in votes] for name in ("prompt", "worker", "left", "right")]
    items, raters, both = (bradley_terry_votes(*columns, outcome, target=t) for t in ("items", "raters", None))
    for name, (theta, by_item, by_rater, variance) in LLMFAO.items():
        own = both.log_strength[name]
        assert own.value == pytest.approx(theta, abs=1e-6)
        assert items.log_strength[name].settings["se"] == pytest.approx(by_item, abs=1e-6)
        assert raters.log_strength[name].settings["se"] == pytest.approx(by_rater, abs=1e-6)
        assert own.settings["se"] ** 2 == pytest.approx(variance, abs=1e-6)
        assert (own.n, own.settings["items"], own.settings["raters"]) == (8931, 13, 124)
    assert len(both.log_strength) == 59
    assert not any("one_way_used" in one.flags for one in both.log_strength.values())
    pair = {"GPT 4", "Platypus-2 Instruct (70B)"}
    apart = next(one.difference for one in both.differences if {one.first, one.second} == pair)
    assert (abs(apart.value), apart.settings["se"]) == pytest.approx((0.343568, 0.206868), abs=1e-6)


def test_journal_citations_have_the_strengths_of_the_published_table():
    """Stigler (1994), cited by citing, relative to Biometrika; specification 1.7."""
    names = ["Biometrika", "Comm Statist", "JASA", "JRSS-B"]
    cited = [[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]]
    found = values(bradley_terry(cited, names))
    assert [each - found[0] for each in found[1:]] == pytest.approx([-2.949073, -0.479570, 0.268954], abs=1e-6)


def test_a_sparse_table_of_clusters_gives_the_same_intervals(monkeypatch):
    """The table of cells by systems is sparse where it is large; only the order of sums differs."""
    from metrics.inference import bradley_terry as module

    rng = np.random.default_rng(6)
    left = rng.integers(0, 5, 400)
    right = (left + rng.integers(1, 5, 400)) % 5
    votes = rng.integers(0, 30, 400), rng.integers(0, 12, 400), left, right, rng.choice([0, 0.5, 1], 400)
    dense = module.bradley_terry_votes(*votes)
    monkeypatch.setattr(module, "DENSE", 0)
    sparse = module.bradley_terry_votes(*votes)
    for name, estimate in dense.log_strength.items():
        other = sparse.log_strength[name].interval
        assert (other.low, other.high) == pytest.approx((estimate.interval.low, estimate.interval.high), abs=1e-12)


def test_the_share_of_a_side_is_that_of_the_specification():
    """26 left, 14 right, ties left out: share .65, exact two-sided p .080690."""
    found = side_share([at % 8 for at in range(40)], [1] * 26 + [0] * 14)
    assert (found.share, found.n, found.raters) == (0.65, 40, 8)
    assert found.p_exact == pytest.approx(0.080690, abs=1e-6)
    assert side_share(["one"] * 3, [1, 1, 0]).p is None
    with pytest.raises(BadInput, match="a vote is 0 or 1"):
        side_share(["one"], [0.5])


@pytest.mark.needs_data
def test_llmfao_has_the_reference_share_of_the_left_side(data_dir):
    with (data_dir / "llmfao" / "llmfao.csv").open(newline="", encoding="utf-8") as file:
        decided = [one for one in csv.DictReader(file) if one["winner"] != "tie"]
    found = side_share([one["worker"] for one in decided], [float(one["winner"] == "left") for one in decided])
    assert (found.share, found.se, found.t, found.p) == pytest.approx(
        (0.533150, 0.013536, 2.449025, 0.015734), abs=1e-6
    )
    assert found.p_exact == pytest.approx(1.022652e-6, rel=1e-5)
