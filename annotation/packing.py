"""Which texts share a HIT: sources interleaved, one text of a context at most, reproducible by seed."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.exceptions import DesignError


@dataclass(frozen=True, slots=True)
class Packable:
    """What packing needs to know of a text. `group`: its source (reference or a generator's name)."""

    key: int
    group: str
    context: int | None = None


@dataclass
class _Bin:
    keys: list[int]
    groups: Counter[str]
    contexts: set[int]


def pack(texts: Sequence[Packable], *, per_hit: int, seed: int) -> list[list[int]]:
    """Deal texts into HITs of `per_hit` (sizes differ by one at most).

    Within a HIT the sources are as even as they can be and the order is random; no two texts share a context.
    Returns the keys by HIT and position. Raises DesignError when a context has more texts than there are HITs.
    """
    if not texts:
        raise DesignError("The study has no texts.")
    bins = [_Bin([], Counter(), set()) for _ in range(-(-len(texts) // per_hit))]
    capacity = -(-len(texts) // len(bins))
    rng = random.Random(seed)
    for text in _dealing_order(texts, rng):
        free = [b for b in bins if len(b.keys) < capacity and (text.context is None or text.context not in b.contexts)]
        if not free:
            raise DesignError(
                f"Texts of one context cannot all be kept apart in {len(bins)} HITs of {capacity}: "
                "use fewer texts in a HIT, or more contexts."
            )
        _put(text, min(free, key=lambda b: (b.groups[text.group], len(b.keys), rng.random())))
    for b in bins:
        rng.shuffle(b.keys)
    return [b.keys for b in bins]


def _dealing_order(texts: Sequence[Packable], rng: random.Random) -> list[Packable]:
    """Source after source, each shuffled; sources with many contexts to keep apart go as they come."""
    by_group: dict[str, list[Packable]] = defaultdict(list)
    for text in texts:
        by_group[text.group].append(text)
    order: list[Packable] = []
    for group in sorted(by_group):
        rng.shuffle(by_group[group])
        order.extend(by_group[group])
    return order


def _put(text: Packable, b: _Bin) -> None:
    b.keys.append(text.key)
    b.groups[text.group] += 1
    if text.context is not None:
        b.contexts.add(text.context)
