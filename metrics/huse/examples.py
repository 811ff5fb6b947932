"""Texts worth reading: where the classifier behind HUSE is right, wrong or undecided (paper's Table 2).

The margin of a text is 2 (P(model) - 1/2) (2 y - 1) with y = 1 for a model text and P(model) the share of model texts
among its neighbours: 1 where all neighbours are of its own source, -1 where none is. A context's margin is the sum over
its reference and its model text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from metrics.data.items import check_items
from metrics.errors import BadInput, InsufficientData
from metrics.huse.decision_surface import classify
from metrics.types import MODEL, REFERENCE, Item, Mode, Setting
from metrics.version import __version__

LONGEST = 15
UNDECIDED = 0.5  # largest sum of absolute margins of an undecided pair
Verdict = Literal["distinguished", "mistaken", "split", "undecided"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
CLOSE = 0.5  # difference in HJ below which two texts are rated alike, in steps of the scale


@dataclass(frozen=True, slots=True)
class Side:
    """One text of a pair. q: log p per unit of length (natural log, may be -inf). margin: in [-1, 1]."""

    id: str
    hj: float
    q: float
    margin: float


@dataclass(frozen=True, slots=True)
class Example:
    """A context with a reference and a model text. margin: the sum of both, in [-2, 2]."""

    context: str
    reference: Side
    model: Side

    @property
    def margin(self) -> float:
        """High where both texts are recognised."""
        return self.reference.margin + self.model.margin

    @property
    def doubt(self) -> float:
        """Sum of the absolute margins: 0 where the neighbours of both are evenly mixed."""
        return abs(self.reference.margin) + abs(self.model.margin)

    @property
    def verdict(self) -> Verdict:
        """`distinguished`: no text is on the other source's side; `mistaken`: none on its own; `split`: one of each."""
        if self.doubt <= UNDECIDED:
            return "undecided"
        margins = self.reference.margin, self.model.margin
        return "distinguished" if min(margins) >= 0 else "mistaken" if max(margins) <= 0 else "split"

    @property
    def gap(self) -> float:
        """HJ of the reference less HJ of the model text."""
        return self.reference.hj - self.model.hj


@dataclass(frozen=True, slots=True)
class Examples:
    """Lists of contexts, the clearest first; one context may be in several.

    correct: largest margins. incorrect: smallest. indistinguishable: smallest sums of absolute margins.
    diversity_failures: largest margins where both texts are rated alike (the model is given away by its log p).
    quality_failures: largest margins where the model text is rated lower by `close` or more.
    n: pairs looked at. verdicts: how many of them have each verdict.
    """

    correct: tuple[Example, ...]
    incorrect: tuple[Example, ...]
    indistinguishable: tuple[Example, ...]
    diversity_failures: tuple[Example, ...]
    quality_failures: tuple[Example, ...]
    n: int
    verdicts: Mapping[Verdict, int]
    settings: Mapping[str, Setting]
    flags: tuple[str, ...]
    signature: str


def find_examples(
    items: Sequence[Item], *, mode: Mode = "exact", k: int = 16, longest: int = LONGEST, close: float = CLOSE
) -> Examples:
    """Lists of at most `longest` contexts each. Equal margins keep the order of the items.

    items: as for `evaluate`, with contexts; a context needs a text of each source (several are paired in order, and
    texts without a partner are counted in the flag `without_partner`). close: in steps of the scale of HJ.
    Raises as `evaluate`, BadInput for `longest` or `close` below 0, InsufficientData where no context has both sources.
    """
    if longest < 0 or not close >= 0:
        raise BadInput("longest and close must be at least 0", column="longest")
    table = check_items(items, k=k)
    pairs = _pairs(table.items, mode, k)
    if not pairs:
        raise InsufficientData("Examples are pairs of one context, and no context has a text of each source.")
    lone = len(table) - 2 * len(pairs)
    by_margin = sorted(pairs, key=lambda pair: -pair.margin)
    verdicts = Counter(pair.verdict for pair in pairs)
    settings: dict[str, Setting] = {"mode": mode, "k": k, "longest": longest, "close": close, "texts_left_out": lone}
    return Examples(
        correct=tuple(by_margin[:longest]),
        incorrect=tuple(sorted(pairs, key=lambda pair: pair.margin)[:longest]),
        indistinguishable=tuple(sorted(pairs, key=lambda pair: pair.doubt)[:longest]),
        diversity_failures=tuple([pair for pair in by_margin if abs(pair.gap) < close][:longest]),
        quality_failures=tuple([pair for pair in by_margin if pair.gap >= close][:longest]),
        n=len(pairs),
        verdicts={verdict: verdicts[verdict] for verdict in VERDICTS},
        settings=settings,
        flags=(*table.flags, *(("without_partner",) if lone else ())),
        signature=f"examples|n:{len(pairs)}|k:{k}|ties:{mode}|v:{__version__}",
    )


def _pairs(items: Sequence[Item], mode: Mode, k: int) -> list[Example]:
    sides: dict[str, dict[str, list[Side]]] = {}
    for item, classified in zip(items, classify(items, mode, k), strict=True):
        if item.context is None or item.hj is None or item.log_prob is None:
            continue
        margin = (2 * classified.share - 1) * (1 if item.source == REFERENCE else -1)
        side = Side(item.id, float(item.hj), item.log_prob / item.length, margin or 0.0)
        sides.setdefault(item.context, {REFERENCE: [], MODEL: []})[item.source].append(side)
    return [
        Example(context, reference, model)
        for context, both in sides.items()
        for reference, model in zip(both[REFERENCE], both[MODEL], strict=False)
    ]
