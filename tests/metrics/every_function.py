"""A table of the package's public functions: what to fuzz each with, and what must not matter to it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

import metrics
from metrics import Coded, Estimate, Family, Item, Judged, Margin, Rating
from metrics.generation import overlap
from metrics.likelihood import content_key, decoded, decoding_from
from metrics.likelihood.decoding import Decoding

Args = tuple[Any, ...]
Change = Callable[[Args, Any], Args]  # arguments and a random generator: arguments that must give the same


@dataclass(frozen=True)
class Case:
    """args: what to call it with. same: changes of the arguments that must not change the numbers of the answer.

    degenerate: arguments of named extremes; each must have an answer or a named error.
    """

    args: st.SearchStrategy[Args]
    call: Callable[..., Any]
    same: Mapping[str, Change] = dataclasses.field(default_factory=dict)
    degenerate: Mapping[str, Args] = dataclasses.field(default_factory=dict)


def numbers_in(answer: Any, *, intervals: bool = True) -> Iterator[float]:
    """Every number of an answer, however deep; without intervals where those are drawn at random."""
    if isinstance(answer, bool | str | bytes | None):
        return
    if isinstance(answer, int | float | np.number | Fraction):
        yield float(answer)
    elif isinstance(answer, np.ndarray):
        yield from (x for x in answer.ravel().tolist() if not isinstance(x, bool | str))
    elif isinstance(answer, Mapping):
        for value in answer.values():
            yield from numbers_in(value, intervals=intervals)
    elif isinstance(answer, list | tuple | set | frozenset | range):
        for value in answer:
            yield from numbers_in(value, intervals=intervals)
    elif dataclasses.is_dataclass(answer) and not isinstance(answer, type):
        drawn = {"interval", "settings"} if not intervals else set()
        for field in dataclasses.fields(answer):
            if field.name not in drawn:
                yield from numbers_in(getattr(answer, field.name), intervals=intervals)
    else:
        raise TypeError(f"what is a {type(answer).__name__} in an answer?")


# --- what to fuzz with ---

ANY = st.one_of(st.floats(), st.integers(-5, 5).map(float), st.sampled_from([0.0, 0.5, 1.0, 1e-300, 1e300, math.nan]))
FEW = st.one_of(st.lists(st.integers(0, 5).map(float), max_size=8), st.lists(ANY, max_size=8))
LEVEL = st.one_of(st.sampled_from([0.5, 0.9, 0.95]), ANY)
COUNT = st.integers(-2, 40)
SMALL = st.integers(0, 4)


def columns(value: st.SearchStrategy[Any]) -> st.SearchStrategy[Args]:
    """item, rater, value: each pair once, sometimes not."""
    item, rater = SMALL.map(lambda i: f"i{i}"), SMALL.map(lambda r: f"w{r}")
    cells = st.lists(st.tuples(item, rater, value), max_size=14)
    once = st.lists(st.tuples(item, rater, value), max_size=14, unique_by=lambda cell: cell[:2])
    return st.one_of(once, once, cells).map(lambda rows: tuple(map(list, zip(*rows, strict=True))) or ([], [], []))


RATED = columns(st.one_of(st.integers(0, 4), st.integers(0, 4).map(float), ANY))
LABELLED = columns(st.integers(0, 3))


@st.composite
def items(draw: st.DrawFn) -> list[Item]:
    """Up to 14 items, most of them in order, some with what may be missing."""
    made = []
    for i in range(draw(st.integers(0, 14))):
        hj = draw(st.one_of(st.integers(0, 5), st.integers(0, 5), st.none()))
        log_prob = draw(
            st.one_of(st.integers(-20, 0).map(float), st.floats(-50, 0), st.sampled_from([-math.inf, None]))
        )
        made.append(
            Item(
                f"t{i}",
                "reference" if i % 2 else "model",
                None if hj is None else Fraction(hj, draw(st.integers(1, 3))),
                log_prob,
                draw(st.integers(1, 9)),
                f"c{i // 2}",
            )
        )
    return made


@st.composite
def plain_items(draw: st.DrawFn) -> list[Item]:
    """10 to 14 items with all they need."""
    size = draw(st.integers(5, 7))
    made = []
    for i in range(2 * size):
        hj, log_prob = draw(st.integers(0, 9)), -draw(st.integers(0, 60)) / 4
        made.append(Item(f"t{i}", "reference" if i % 2 else "model", Fraction(hj, 2), log_prob, 2, f"c{i // 2}"))
    return made


STUDY = st.one_of(items(), plain_items(), plain_items())


@st.composite
def rated(draw: st.DrawFn) -> Args:
    """Items and their ratings, the same number each."""
    count, found, ratings = draw(st.integers(1, 4)), [], []
    for item in draw(plain_items()):
        values = draw(st.lists(st.integers(0, 5), min_size=count, max_size=count))
        ratings += [Rating(item.id, f"w{r}", Fraction(v)) for r, v in enumerate(values)]
        found.append(replace(item, hj=Fraction(sum(values), count), ratings=count))
    return found, ratings


@st.composite
def judgments(draw: st.DrawFn) -> list[Judged]:
    pairs = draw(st.lists(st.tuples(SMALL, st.integers(0, 6)), max_size=24, unique=True))
    odd = draw(st.sampled_from([0, 0, 0, 1]))
    rating = st.integers(1 - odd, 4 + odd)
    return [
        Judged(f"w{r}", f"i{i}", "human" if i % 2 else "machine", draw(rating), {"arm": "ab"[r % 2]}) for r, i in pairs
    ]


CODED = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from("ab"), st.sets(st.sampled_from(["grammar", "genre", "coherence"]))),
    max_size=10,
    unique_by=lambda row: row[:2],
).map(lambda rows: [Coded(f"c{n}", coder, tuple(sorted(codes))) for n, coder, codes in rows])

SHARES = st.lists(st.integers(0, 5), min_size=1, max_size=5).map(lambda c: [x / max(sum(c), 1) for x in c])
PAIR_OF_SHARES = st.one_of(
    st.tuples(SHARES, SHARES), st.tuples(FEW, FEW), SHARES.flatmap(lambda p: st.permutations(p).map(lambda q: (p, q)))
)
MATRIX = st.one_of(
    st.tuples(st.integers(0, 5), st.integers(0, 4)).flatmap(
        lambda shape: st.lists(
            st.lists(st.one_of(st.integers(0, 6).map(float), st.just(math.nan)), min_size=shape[1], max_size=shape[1]),
            min_size=shape[0],
            max_size=shape[0],
        )
    ),
    st.lists(st.lists(st.integers(0, 6).map(float), min_size=3, max_size=3), min_size=2, max_size=5),
)
GROUPS = st.dictionaries(st.sampled_from("abcd"), FEW, max_size=4)

# --- what must not matter ---


def order(args: Args, rng: Any) -> Args:
    """The first argument's entries in another order."""
    first = list(args[0])
    rng.shuffle(first)
    return (first, *args[1:])


def order_together(args: Args, rng: Any, many: int = 3) -> Args:
    """The entries of the first columns in another order, the same for each (as they are, where they do not pair)."""
    if len({len(column) for column in args[:many]}) > 1:
        return args
    places = list(range(len(args[0])))
    rng.shuffle(places)
    return (*([column[place] for place in places] for column in args[:many]), *args[many:])


def order_of_two(args: Args, rng: Any) -> Args:
    return order_together(args, rng, 2)


def swapped(args: Args, _: Any) -> Args:
    """The first two arguments change places."""
    return (args[1], args[0], *args[2:])


def renamed(args: Args, _: Any) -> Args:
    """Items and raters by other names."""
    return ([f"item {a}" for a in args[0]], [f"rater {b}" for b in args[1]], *args[2:])


def renamed_items(args: Args, _: Any) -> Args:
    made = [replace(item, id=f"x{item.id}", context=item.context and f"y{item.context}") for item in args[0]]
    return (made, *args[1:])


def with_units(args: Args) -> Args:
    """Each rater's ratings as an assignment, and two rules that leave out some of them."""
    ratings = [replace(rating, unit=rating.rater) for rating in args[1]]
    return args[0], ratings, {"one": {"w0"}, "two": {"w1", "w2"}}


def renamed_study(args: Args, rng: Any) -> Args:
    ratings = [replace(rating, item=f"x{rating.item}", rater=f"z{rating.rater}") for rating in args[1]]
    return (*renamed_items(args[:1], rng), ratings, *args[2:])


def stretched_hj(args: Args, _: Any) -> Args:
    """HJ in another unit, from another zero: eq. 2 divides by its standard deviation."""
    return ([item if item.hj is None else replace(item, hj=3 * item.hj + 7) for item in args[0]], *args[1:])


def renamed_judgments(args: Args, _: Any) -> Args:
    return ([replace(one, rater=f"x{one.rater}", item=f"y{one.item}") for one in args[0]], *args[1:])


def stretched_values(args: Args, _: Any) -> Args:
    """Ratings in another unit."""
    return (*args[:2], [4 * value for value in args[2]], *args[3:])


ORDER = {"order": order}
COLUMNS = {"order": order_together, "names": renamed}
ITEMS = {"order": order, "names": renamed_items}
JUDGED = {"order": order, "names": renamed_judgments}

# --- extremes ---

EMPTY_COLUMNS: Args = ([], [], [])
COLUMN_EXTREMES: dict[str, Args] = {
    "empty": EMPTY_COLUMNS,
    "one rating": (["a"], ["w"], [1]),
    "one item": (["a"] * 4, list("wxyz"), [1, 2, 3, 3]),
    "one rater": (list("abcd"), ["w"] * 4, [1, 2, 3, 3]),
    "all equal": (list("aabb"), list("wxwx"), [2, 2, 2, 2]),
    "each item agreed on": (list("aabb"), list("wxwx"), [1, 1, 2, 2]),
    "not a number": (list("aabb"), list("wxwx"), [1, 2, math.nan, 2]),
}


def flat(hj: int | None, log_prob: float | None, size: int = 20) -> list[Item]:
    value = None if hj is None else Fraction(hj)
    return [Item(f"t{i}", "reference" if i % 2 else "model", value, log_prob, 1, f"c{i // 2}") for i in range(size)]


def item_extremes(*more: Any) -> dict[str, Args]:
    one_source = [replace(item, source="model") for item in flat(2, -1.0)]
    return {
        "empty": ([], *more),
        "one item": (flat(2, -1.0, 1), *more),
        "all equal": (flat(2, -1.0), *more),
        "one source": (one_source, *more),
        "no probability anywhere": (flat(2, -math.inf), *more),
        "no log p": (flat(2, None), *more),
        "no judgment": (flat(None, -1.0), *more),
    }


def rated_extremes() -> dict[str, Args]:
    ratings = [Rating(item.id, "w", Fraction(2)) for item in flat(2, -1.0)]
    two = [replace(item, ratings=1) for item in flat(2, -1.0)]
    return {"empty": ([], []), "no ratings": (flat(2, -1.0), []), "one rater, all equal": (two, ratings)}


def one_judge(count: int, rating: int = 4) -> list[Judged]:
    return [Judged("w", f"i{i}", "machine", rating, {"arm": "a"}) for i in range(count)]


JUDGMENT_EXTREMES: dict[str, Args] = {
    "empty": ([],),
    "one judgment": (one_judge(1),),
    "one rater, all right": (one_judge(6),),
    "one rater, all wrong": (one_judge(6, 1),),
    "one item": ([Judged(f"w{r}", "i", "human", 1, {"arm": "ab"[r % 2]}) for r in range(4)],),
    "rating 5": (one_judge(2, 5),),
}
SAMPLES: dict[str, Args] = {
    "empty": ([],),
    "one value": ([0.5],),
    "all equal": ([0.5] * 4,),
    "not a number": ([0.5, math.nan],),
    "without end": ([0.5, math.inf],),
    "very large": ([1e308, -1e308],),
    "very small": ([1e-320, 2e-320, 0.0],),
}
TWO_SAMPLES = {name: (*args, [0.4, 0.6]) for name, args in SAMPLES.items()}
GROUP_EXTREMES = {name: ({"a": args[0], "b": [0.4, 0.6]},) for name, args in SAMPLES.items()} | {"none": ({},)}
BY = ("arm",)
MARGIN = Margin(-0.1, 0.1, "plan")


def cheap(name: str, **options: Any) -> Callable[..., Any]:
    """A function of the package with options that make it quick."""
    return lambda *args: getattr(metrics, name)(*args, **options)


def estimated(values: list[float]) -> Any:
    """An estimate of whatever value, to be written."""
    value = values[0] if values else None
    return Estimate(value, 3, None, {"k": 16}, () if values else ("none",), "made|n:3")


def huse_of(study: list[Item]) -> Any:
    return metrics.evaluate(study, k=3, draws=0, missing="drop_pair")


def huse_from_arrays(seed: int, k: int, coarse: bool) -> Any:
    return metrics.huse_arrays(*arrays(seed, coarse), k)


def arrays(seed: int, coarse: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q = -rng.integers(0, 3, 20).astype(float) if coarse else -rng.gamma(2, 1, 20)
    return rng.integers(0, 3 if coarse else 60, 20), q, np.arange(20) % 2 == 0


def alpha_of_arrays(item: list[int], _: list[int], value: list[int]) -> Any:
    code = {name: i for i, name in enumerate(dict.fromkeys(item))}
    numbers = np.array([code[name] for name in item], dtype=np.int64)
    return metrics.alpha_arrays(numbers, np.array(value, dtype=np.int64)) if item else None


def judged_hj(item: list[Any], rater: list[Any], value: list[Any]) -> Any:
    given = [Rating(str(i), str(r), Fraction(v)) for i, r, v in zip(item, rater, value, strict=True)]
    return metrics.human_judgments(metrics.sum_ratings(given))


def summed(item: list[Any], rater: list[Any], value: list[Any]) -> Any:
    given = [Rating(str(i), str(r), Fraction(v)) for i, r, v in zip(item, rater, value, strict=True)]
    return metrics.sum_ratings(given)


def strengths(wins: list[list[float]]) -> Any:
    return metrics.bradley_terry(wins)


SEEDED = st.tuples(st.integers(0, 2**16), st.integers(1, 18), st.booleans())

CASES: dict[str, Case] = {
    "accuracy_difference": Case(st.tuples(ANY, COUNT), metrics.accuracy_difference),
    "accuracy_effect": Case(st.tuples(ANY, COUNT), metrics.accuracy_effect),
    "adjust": Case(
        st.lists(st.one_of(st.floats(0, 1), st.none(), ANY), max_size=5).map(
            lambda p: (
                Family("f", tuple(map(str, range(max(len(p), 1))))),
                dict(zip(map(str, range(9)), p, strict=False)),
            )
        ),
        metrics.adjust,
    ),
    "alpha_arrays": Case(LABELLED, alpha_of_arrays, {"order": order_together}, {"empty": EMPTY_COLUMNS}),
    "any_time_half_width": Case(st.tuples(COUNT), metrics.any_time_half_width),
    "any_time_mean": Case(st.tuples(FEW), metrics.any_time_mean, {}, SAMPLES),
    "binomial_component": Case(st.tuples(st.floats(0, 2), st.integers(1, 400), LEVEL), metrics.binomial_component),
    "binomial_test": Case(st.tuples(COUNT, COUNT, LEVEL), metrics.binomial_test),
    "bradley_terry": Case(
        st.tuples(st.one_of(MATRIX, st.lists(st.lists(SMALL, min_size=3, max_size=3), min_size=3, max_size=3))),
        strengths,
        {},
        {"empty": ([],), "one": ([[0]],), "nobody won": ([[0, 0], [0, 0]],), "undefeated": ([[0, 3], [0, 0]],)},
    ),
    "by_condition": Case(st.tuples(judgments(), st.just(BY)), metrics.by_condition, {}, {"empty": ([], BY)}),
    "check_judgments": Case(st.tuples(judgments()), metrics.check_judgments, {}, JUDGMENT_EXTREMES),
    "classify": Case(st.tuples(STUDY), cheap("classify", k=3), ITEMS, item_extremes()),
    "code_table": Case(st.tuples(CODED), metrics.code_table, ORDER, {"empty": ([],)}),
    "coder_agreement": Case(
        st.tuples(CODED, st.just(("a", "b"))),
        lambda coded, coders: metrics.coder_agreement(coded, coders, cheap("cohen_kappa", draws=9)),
        ORDER,
        {"empty": ([], ("a", "b"))},
    ),
    "cohen_kappa": Case(
        st.one_of(
            st.lists(st.tuples(SMALL, SMALL), max_size=9).map(lambda p: ([a for a, _ in p], [b for _, b in p])),
            st.tuples(st.lists(SMALL, max_size=5), st.lists(SMALL, max_size=5)),
        ),
        cheap("cohen_kappa", draws=9),
        {"order": order_of_two, "swapped": swapped},
        {"empty": ([], []), "one": ([1], [1]), "all equal": ([1, 1], [1, 1])},
    ),
    "compare_conditions": Case(
        st.tuples(judgments(), st.just(BY)),
        metrics.compare_conditions,
        {},
        {k: (*v, BY) for k, v in JUDGMENT_EXTREMES.items()},
    ),
    "compare_models": Case(
        STUDY.map(lambda study: ({"a": study, "b": study},)),
        cheap("compare_models", k=2, draws=9),
        {},
        {"empty": ({},)},
    ),
    "dawid_skene": Case(LABELLED, metrics.dawid_skene, COLUMNS, COLUMN_EXTREMES),
    "disagreements": Case(
        st.tuples(CODED, st.just(("a", "b"))), metrics.disagreements, {}, {"empty": ([], ("a", "b"))}
    ),
    "dominance_region": Case(
        st.tuples(st.dictionaries(st.sampled_from("abcd"), st.tuples(ANY, ANY), max_size=4)),
        metrics.dominance_region,
        {},
        {"empty": ({},), "at the corner": ({"a": (0.0, 0.0)},)},
    ),
    "equivalence": Case(
        st.tuples(FEW, st.just(MARGIN)), metrics.equivalence, ORDER, {k: (*v, MARGIN) for k, v in SAMPLES.items()}
    ),
    "equivalence_of_two": Case(
        st.tuples(FEW, FEW, st.just(MARGIN)),
        metrics.equivalence_of_two,
        ORDER,
        {k: (*v, MARGIN) for k, v in TWO_SAMPLES.items()},
    ),
    "estimate_json": Case(st.tuples(st.lists(ANY, max_size=1).map(estimated)), metrics.estimate_json),
    "evaluate": Case(st.tuples(STUDY), cheap("evaluate", modes=["exact"], k=3, draws=0), ITEMS, item_extremes()),
    "evaluate_judgments": Case(st.tuples(judgments()), metrics.evaluate_judgments, JUDGED, JUDGMENT_EXTREMES),
    "evaluate_rated": Case(rated(), cheap("evaluate_rated", k=3, draws=0), {"names": renamed_study}, rated_extremes()),
    "evaluation_json": Case(
        st.tuples(judgments()),
        lambda given: metrics.evaluation_json(metrics.evaluate_judgments(given)),
        JUDGED,
        JUDGMENT_EXTREMES,
    ),
    "evaluator_accuracies": Case(
        st.tuples(judgments()),
        lambda given: metrics.evaluator_accuracies(metrics.check_judgments(given)),
        JUDGED,
        JUDGMENT_EXTREMES,
    ),
    "family_error": Case(st.tuples(ANY, COUNT), metrics.family_error),
    "feature_bound": Case(st.tuples(ANY), metrics.feature_bound),
    "exclusion_sensitivity": Case(
        rated().map(with_units), cheap("exclusion_sensitivity", k=3, draws=3), {"names": renamed_study}
    ),
    "find_examples": Case(st.tuples(STUDY), cheap("find_examples", k=3), {"names": renamed_items}, item_extremes()),
    "fleiss_kappa": Case(
        st.tuples(MATRIX),
        cheap("fleiss_kappa", draws=9),
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
        metrics.hj_frequency,
        {"order": order_of_two},
        {"empty": ([], []), "all equal": ([2, 2, 2], [3, 3, 3]), "never seen": ([1, 2, 3], [0, 0, 0])},
    ),
    "human_judgments": Case(LABELLED, judged_hj, {"order": order_together}, {"empty": EMPTY_COLUMNS}),
    "huse_arrays": Case(SEEDED, huse_from_arrays),
    "huse_q_only": Case(
        st.tuples(STUDY), cheap("huse_q_only", k=3, draws=0), ITEMS | {"unit": stretched_hj}, item_extremes()
    ),
    "intraclass_correlations": Case(
        st.tuples(MATRIX),
        metrics.intraclass_correlations,
        ORDER,
        {"empty": ([],), "one item": ([[1, 2]],), "one rater": ([[1], [2]],), "all equal": ([[2, 2], [2, 2]],)},
    ),
    "iso_huse": Case(st.tuples(ANY, ANY, ANY), metrics.iso_huse),
    "item_accuracies": Case(
        st.tuples(judgments()),
        lambda given: metrics.item_accuracies(metrics.check_judgments(given)),
        JUDGED,
        JUDGMENT_EXTREMES,
    ),
    "kendall_tau": Case(
        st.one_of(
            st.lists(st.tuples(SMALL, SMALL), max_size=7).map(lambda p: ([a for a, _ in p], [b for _, b in p])),
            st.tuples(FEW, FEW),
        ),
        metrics.kendall_tau,
        {"order": order_of_two, "swapped": swapped},
        {"empty": ([], []), "one": ([1], [2]), "all tied": ([1, 1, 1], [1, 2, 3])},
    ),
    "krippendorff_alpha": Case(
        RATED,
        cheap("krippendorff_alpha", level="interval", draws=9),
        COLUMNS | {"unit": stretched_values},
        COLUMN_EXTREMES,
    ),
    "mace": Case(LABELLED, cheap("mace", starts=2, iterations=5), {}, COLUMN_EXTREMES),
    "mauve": Case(
        PAIR_OF_SHARES,
        metrics.mauve,
        {"order": order_of_two},
        {"empty": ([], []), "alike": ([0.5, 0.5], [0.5, 0.5]), "apart": ([1, 0], [0, 1]), "nothing": ([0, 0], [0, 0])},
    ),
    "measure_accuracy": Case(
        st.tuples(judgments()),
        lambda given: metrics.measure_accuracy(metrics.check_judgments(given)),
        JUDGED,
        JUDGMENT_EXTREMES,
    ),
    "minimum_effect": Case(st.tuples(st.one_of(COUNT, ANY)), metrics.minimum_effect),
    "mixed_accuracy": Case(
        st.tuples(judgments(), st.just(BY)),
        cheap("mixed_accuracy", draws=9),
        {},
        {k: (*v, ()) for k, v in JUDGMENT_EXTREMES.items()},
    ),
    "mixed_model": Case(
        RATED.map(lambda c: (c[2], c[0], c[1])),
        cheap("mixed_model", draws=9),
        {"order": order_together},
        {name: (args[2], args[0], args[1]) for name, args in COLUMN_EXTREMES.items()},
    ),
    "modes_json": Case(st.tuples(STUDY), lambda study: metrics.modes_json(huse_of(study))),
    "one_sample_t": Case(st.tuples(FEW), metrics.one_sample_t, ORDER, SAMPLES),
    "one_way_anova": Case(st.tuples(GROUPS), metrics.one_way_anova, {}, GROUP_EXTREMES),
    "permutation_test": Case(
        st.tuples(STUDY), cheap("permutation_test", k=3, permutations=9), {"names": renamed_items}, item_extremes()
    ),
    "prediction_powered_mean": Case(
        st.one_of(
            st.lists(st.tuples(SMALL, SMALL), max_size=6).flatmap(
                lambda p: st.tuples(st.just([a for a, _ in p]), st.just([b for _, b in p]), FEW)
            ),
            st.tuples(FEW, FEW, FEW),
        ),
        metrics.prediction_powered_mean,
        {"order": order_of_two},
        {"empty": ([], [], []), "one label": ([1], [1], [1, 2])},
    ),
    "rater_component": Case(rated(), cheap("rater_component", k=3, draws=5), {}, rated_extremes()),
    "raters_needed": Case(st.tuples(ANY, ANY), metrics.raters_needed),
    "record_json": Case(st.tuples(st.lists(ANY, max_size=3)), metrics.record_json),
    "reference_share": Case(
        st.tuples(STUDY, st.lists(ANY, max_size=3), st.lists(ANY, max_size=3)),
        cheap("reference_share", k=3),
        {"names": renamed_items},
        item_extremes([1.0], [-1.0]),
    ),
    "replicate_curve": Case(
        rated(), cheap("replicate_curve", k=3, draws=5), {"names": renamed_study}, rated_extremes()
    ),
    "reproduction_variation": Case(st.tuples(FEW), metrics.reproduction_variation, ORDER, SAMPLES),
    "result_json": Case(st.tuples(STUDY), lambda study: metrics.result_json(huse_of(study)["exact"])),
    "sample_size": Case(st.tuples(ANY), metrics.sample_size),
    "sensitivity_table": Case(
        st.tuples(STUDY), cheap("sensitivity_table", ks=(1, 3), k=3), {"names": renamed_items}, item_extremes()
    ),
    "size_curve": Case(st.tuples(STUDY), cheap("size_curve", k=3, draws=5), {"names": renamed_items}, item_extremes()),
    "standardise_by_rater": Case(RATED, metrics.standardise_by_rater, {"order": order_together}, COLUMN_EXTREMES),
    "subsample_interval": Case(
        st.tuples(st.floats(0, 2), st.floats(0, 1), st.integers(4, 400), st.floats(0.01, 0.99)),
        metrics.subsample_interval,
    ),
    "subsample_sd": Case(
        SEEDED,
        lambda seed, k, coarse: metrics.subsample_sd(*arrays(seed, coarse), np.random.default_rng(0), 5, k=min(k, 5)),
    ),
    "sum_ratings": Case(LABELLED, summed, {"order": order_together}, {"empty": EMPTY_COLUMNS}),
    "t_power": Case(st.tuples(ANY, st.one_of(COUNT, ANY)), metrics.t_power),
    "theoretical_huse": Case(
        PAIR_OF_SHARES, metrics.theoretical_huse, {"order": order_of_two, "swapped": swapped}, {"empty": ([], [])}
    ),
    "total_variation": Case(
        PAIR_OF_SHARES, metrics.total_variation, {"order": order_of_two, "swapped": swapped}, {"empty": ([], [])}
    ),
    "tukey_kramer": Case(st.tuples(GROUPS), metrics.tukey_kramer, {}, GROUP_EXTREMES),
    "two_sample_t": Case(st.tuples(FEW, FEW), metrics.two_sample_t, ORDER, TWO_SAMPLES),
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

# Functions that need a model or many simulated studies: where they are fuzzed and tested.
ELSEWHERE = {
    "open_model": "tests/metrics/likelihood/test_faults.py",
    "score_all": "tests/metrics/likelihood/test_scoring.py",
    "crossed_power": "tests/metrics/planning/test_crossed_power.py",
    "expected_precision": "tests/metrics/planning/test_huse_precision.py",
    "precision_table": "tests/metrics/planning/test_huse_precision.py",
    "fit_pilot": "tests/metrics/planning/test_huse_precision.py",
    "prior_pilot": "tests/metrics/planning/test_huse_precision.py",
    "known_pilots": "tests/metrics/planning/test_huse_precision.py",
}
