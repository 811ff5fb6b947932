"""Which texts share a HIT: sources interleaved, one text of a context at most, reproducible by seed."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from annotation.exceptions import DesignError

Mix = Literal["balanced", "bernoulli", "fixed"]
REFERENCE = ""
PROGRESS_EVERY = 500  # texts


@dataclass(frozen=True, slots=True)
class Packable:
    """What packing needs to know of a text. `group`: its source ("" for a reference, else a generator's name)."""

    key: int
    group: str
    context: int | None = None


@dataclass
class _Bin:
    capacity: int
    texts: list[Packable]
    groups: Counter[str]
    contexts: set[int]

    def takes(self, text: Packable, max_references: int | None) -> bool:
        """Whether there is a place, the context is new, and `most` references are not reached (or models)."""
        if len(self.texts) >= self.capacity or (text.context is not None and text.context in self.contexts):
            return False
        if max_references is None:
            return True
        references = self.groups[REFERENCE]
        if text.group == REFERENCE:
            return references < max_references
        return len(self.texts) - references < self.capacity - max_references


def pack(
    texts: Sequence[Packable],
    *,
    per_hit: int,
    seed: int,
    mix: Mix = "balanced",
    references: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[list[int]]:
    """Deal texts into HITs of `per_hit` (sizes differ by one at most).

    mix: sources as even as they can be in each HIT (`balanced`), each place's source left to chance (`bernoulli`), or
    exactly `references` references in each HIT (`fixed`). The order is random; no two texts of a HIT share a context.
    progress: is told how many texts of how many are dealt, now and then. Returns the keys by HIT and position.
    Raises DesignError when that cannot be done.
    """
    if not texts:
        raise DesignError("The study has no texts.")
    bins = _bins(len(texts), per_hit)
    max_references = _references_in_each(texts, bins, references) if mix == "fixed" else None
    rng = random.Random(seed)
    open_bins = list(bins)
    for number, text in enumerate(_dealing_order(texts, rng, mix)):
        if progress is not None and number % PROGRESS_EVERY == 0:
            progress(number, len(texts))
            open_bins = [b for b in open_bins if len(b.texts) < b.capacity]
        free = [b for b in open_bins if b.takes(text, max_references)]
        if not free:
            if _exchange(text, bins, max_references):
                continue
            raise DesignError(
                f"Too many texts share a context for {len(bins)} HITs of {bins[0].capacity} texts: a HIT may hold only "
                "one of them. Use fewer texts per HIT, or more contexts."
            ).at("texts_per_hit")
        group = text.group if mix != "bernoulli" else None
        _put(text, min(free, key=lambda b: (b.groups[group] if group is not None else 0, len(b.texts), rng.random())))
    for b in bins:
        rng.shuffle(b.texts)
    return [[text.key for text in b.texts] for b in bins]


def _bins(texts: int, per_hit: int) -> list[_Bin]:
    count = -(-texts // per_hit)
    return [_Bin(-(-texts // count), [], Counter(), set()) for _ in range(count)]


def _references_in_each(texts: Sequence[Packable], bins: list[_Bin], references: int | None) -> int:
    total = sum(text.group == REFERENCE for text in texts)
    if references is None or references * len(bins) != total or len(texts) % len(bins):
        raise DesignError(
            f"A fixed mix needs the same number of texts in each of the {len(bins)} HITs and {references} references "
            f"in each; the study has {len(texts)} texts, {total} of them references."
        ).at("references_per_hit")
    return references


def _dealing_order(texts: Sequence[Packable], rng: random.Random, mix: Mix) -> list[Packable]:
    """Source after source, each shuffled; by chance alone where sources are left to it."""
    if mix == "bernoulli":
        shuffled = sorted(texts, key=lambda text: text.key)
        rng.shuffle(shuffled)
        return shuffled
    by_group: dict[str, list[Packable]] = defaultdict(list)
    for text in texts:
        by_group[text.group].append(text)
    order: list[Packable] = []
    for group in sorted(by_group):
        rng.shuffle(by_group[group])
        order.extend(by_group[group])
    return order


def _exchange(text: Packable, bins: Sequence[_Bin], max_references: int | None) -> bool:
    """Move a text into a free place and put `text` in its place; False where no single move does it.

    A text of the same source is moved if one can be, so that sources stay as even as they are.
    """
    free = [b for b in bins if len(b.texts) < b.capacity]
    for same_group in (True, False):
        for source in bins:
            if text.context is not None and text.context in source.contexts:
                continue
            for moved in [each for each in source.texts if (each.group == text.group) is same_group]:
                _remove(moved, source)
                target = next((b for b in free if b is not source and b.takes(moved, max_references)), None)
                if target is not None and source.takes(text, max_references):
                    _put(moved, target)
                    _put(text, source)
                    return True
                _put(moved, source)
    return False


def _remove(text: Packable, b: _Bin) -> None:
    b.texts.remove(text)
    b.groups[text.group] -= 1
    if text.context is not None:
        b.contexts.remove(text.context)


def _put(text: Packable, b: _Bin) -> None:
    b.texts.append(text)
    b.groups[text.group] += 1
    if text.context is not None:
        b.contexts.add(text.context)
