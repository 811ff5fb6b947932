"""Price and precision side by side: what each number of texts and raters costs, and what the next dollars buy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from annotation.pricing.quotes import Terms, next_steps, quote
from metrics.planning import Pilot, Precision, expected_precision

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class Layout:
    """How texts become pages. contexts: references, and texts of each generator; generators share the references."""

    contexts: int
    raters: int
    generators: int = 1
    per_hit: int = 25

    @property
    def texts(self) -> int:
        return self.contexts * (1 + self.generators)

    @property
    def pages(self) -> int:
        return -(-self.texts // self.per_hit)


@dataclass(frozen=True, slots=True)
class Option:
    """A layout with its price in cents and the precision of one generator's HUSE. bought: what it adds, in words."""

    layout: Layout
    cents: int
    precision: Precision
    bought: str = ""


def options(
    pilot: Pilot,
    terms: Terms,
    layouts: Iterable[Layout],
    *,
    studies: int = 400,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[Option]:
    """Price and expected precision of each layout. Raises BadInput for one that cannot be simulated."""
    layout_list = list(layouts)
    priced = []
    for layout in layout_list:
        priced.append(_option(pilot, terms, layout, studies, seed))
        if progress:
            progress(len(priced), len(layout_list))
    return priced


def next_options(
    pilot: Pilot, terms: Terms, layout: Layout, *, cents: int, studies: int = 400, seed: int = 0
) -> list[Option]:
    """What `cents` more buy at this layout: as raters for every text, and as more contexts."""
    priced = []
    for step in next_steps(layout.pages, layout.raters, terms, cents=cents):
        contexts = layout.contexts
        if step.kind == "texts":
            contexts = step.pages * layout.per_hit // (1 + layout.generators)
        larger = Layout(contexts, step.raters, layout.generators, layout.per_hit)
        more = step.raters - layout.raters if step.kind == "raters" else contexts - layout.contexts
        bought = f"{more} more raters a text" if step.kind == "raters" else f"{more} more contexts"
        if more > 0:
            priced.append(_option(pilot, terms, larger, studies, seed, bought))
    return priced


def _option(pilot: Pilot, terms: Terms, layout: Layout, studies: int, seed: int, bought: str = "") -> Option:
    precision = expected_precision(
        pilot, texts=2 * layout.contexts, raters=layout.raters, per_hit=layout.per_hit, studies=studies, seed=seed
    )
    return Option(layout, quote(layout.pages, layout.raters, terms).total, precision, bought)
