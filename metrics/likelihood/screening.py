"""Choosing between candidates by fast, rounded scores, and by exact ones where the fast ones are too close."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metrics.errors import BadInput
from metrics.likelihood.records import LogProbs, Pair

# Numbers of two candidates: is the first more probable per token than the second?
Choice = tuple[int, int]
Means = Callable[[Sequence[int]], Sequence[float]]
# bfloat16 moved means of a GPT-2-small-sized model by 0.012 to 0.016 nats; a difference moves by twice that at most.
MARGIN = 0.06


@dataclass(frozen=True, slots=True)
class Screened:
    """Decisions with what they cost.

    above: per choice, whether the first candidate is strictly more probable per token. rechecked: choices within the
    margin, scored again exactly. changed: of these, how many the exact scores decided otherwise.
    margin: in nats per token; decisions equal exact ones wherever no rounded mean is off by half of it.
    """

    above: tuple[bool, ...]
    rechecked: int
    changed: int
    margin: float


def screen_choices(
    choices: Sequence[Choice], fast: Means, exact: Means, *, count: int, margin: float = MARGIN
) -> Screened:
    """Decide every choice among `count` candidates. fast, exact: mean log p of the candidates of these numbers.

    Raises BadInput for a margin below 0.
    """
    if not margin >= 0:
        raise BadInput(f"the margin must be 0 or more, not {margin}", column="margin")
    rough = fast(range(count))
    # `not >` rather than `<=`: a difference of infinities is not a number and is rechecked.
    close = [at for at, (a, b) in enumerate(choices) if not abs(rough[a] - rough[b]) > margin]
    numbers = sorted({number for at in close for number in choices[at]})
    fine = dict(zip(numbers, exact(numbers), strict=True)) if numbers else {}
    above = [rough[a] > rough[b] for a, b in choices]
    changed = 0
    for at in close:
        a, b = choices[at]
        decided = fine[a] > fine[b]
        changed += decided != above[at]
        above[at] = decided
    return Screened(tuple(above), len(close), changed, margin)


def screen_pairs(
    choices: Sequence[tuple[Pair, Pair]], fast: LogProbs, exact: LogProbs, *, margin: float = MARGIN
) -> Screened:
    """The same for pairs of texts and two backends (one model in bfloat16 and in float32)."""
    pairs = list(dict.fromkeys(pair for choice in choices for pair in choice))
    number = {pair: at for at, pair in enumerate(pairs)}

    def means(backend: LogProbs) -> Means:
        return lambda numbers: [score.mean for score in backend.score([pairs[at] for at in numbers])]

    numbered = [(number[a], number[b]) for a, b in choices]
    return screen_choices(numbered, means(fast), means(exact), count=len(pairs), margin=margin)
