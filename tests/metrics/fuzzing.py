"""What public functions are fuzzed with, the numbers of their answers, and what must not matter to those."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from metrics import EvaluatorJudgment, Item, Rating
from metrics.evaluators.comment_codes import Coded

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
    else:
        for part in parts_of(answer, intervals=intervals):
            yield from numbers_in(part, intervals=intervals)


def parts_of(answer: Any, *, intervals: bool) -> Iterable[Any]:
    """The values of a mapping, the members of a collection, the fields of a record."""
    if isinstance(answer, Mapping):
        return answer.values()
    if isinstance(answer, list | tuple | set | frozenset | range):
        return answer
    if dataclasses.is_dataclass(answer) and not isinstance(answer, type):
        drawn = {"interval", "settings"} if not intervals else set()
        return [getattr(answer, field.name) for field in dataclasses.fields(answer) if field.name not in drawn]
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
def judgments(draw: st.DrawFn) -> list[EvaluatorJudgment]:
    pairs = draw(st.lists(st.tuples(SMALL, st.integers(0, 6)), max_size=24, unique=True))
    odd = draw(st.sampled_from([0, 0, 0, 1]))
    rating = st.integers(1 - odd, 4 + odd)
    return [
        EvaluatorJudgment(f"w{r}", f"i{i}", "human" if i % 2 else "machine", draw(rating), {"arm": "ab"[r % 2]})
        for r, i in pairs
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


def judged_in_units(args: Args) -> Args:
    """Each evaluator's judgments as an assignment, and two rules that leave out some of them."""
    judged = [replace(one, unit=f"a{one.rater}") for one in args[0]]
    return judged, {"one": {"aw0"}, "two": {"aw1", "aw2"}}


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
