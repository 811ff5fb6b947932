"""The items of a training: paragraphs, practice texts and practice pairs, added, replaced, removed, moved. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from annotation.design.wording import Practice, PracticePair, Training
from annotation.exceptions import DesignError

ARMS = ("instructions", "examples", "comparison")
Item = str | Practice | PracticePair
KINDS: dict[str, type[Any]] = {"instructions": str, "examples": Practice, "comparison": PracticePair}


def items_of(training: Training, arm: str) -> tuple[Item, ...]:
    """The items that participants of that arm see. Raises DesignError for an arm that has no items."""
    if arm not in ARMS:
        raise DesignError(f"A training with items is one of {', '.join(ARMS)}, not {arm}.").at("training")
    items: tuple[Item, ...] = getattr(training, arm)
    return items


def with_items(training: Training, arm: str, items: tuple[Item, ...]) -> Training:
    """The training with these items in that arm. Raises DesignError for an item of another arm."""
    items_of(training, arm)
    if odd := next((item for item in items if not isinstance(item, KINDS[arm])), None):
        raise DesignError(f"An item of the training {arm} cannot be of the kind {type(odd).__name__}.")
    return replace(training, **{arm: items})  # type: ignore[arg-type]  # checked above


def add_item(training: Training, arm: str, item: Item) -> Training:
    """The training with `item` as the last one of its arm."""
    return with_items(training, arm, (*items_of(training, arm), item))


def replace_item(training: Training, arm: str, number: int, item: Item) -> Training:
    """The training with `item` in the place of the item with that number, counted from 1."""
    items = _checked(training, arm, number)
    return with_items(training, arm, (*items[: number - 1], item, *items[number:]))


def remove_item(training: Training, arm: str, number: int) -> Training:
    """The training without the item with that number."""
    items = _checked(training, arm, number)
    return with_items(training, arm, (*items[: number - 1], *items[number:]))


def move_item(training: Training, arm: str, number: int, *, to: int) -> Training:
    """The training with the item at `number` moved to the place `to`, both counted from 1."""
    items = list(_checked(training, arm, number))
    _checked(training, arm, to)
    items.insert(to - 1, items.pop(number - 1))
    return with_items(training, arm, tuple(items))


def replace_arms(training: Training, other: Training) -> Training:
    """The training with the items of `other` in each arm in which `other` has any."""
    filled: dict[str, Any] = {arm: items for arm in ARMS if (items := items_of(other, arm))}
    return replace(training, **filled)


def append_arms(training: Training, other: Training) -> Training:
    """The training with the items of `other` after those of each arm."""
    joined: dict[str, Any] = {arm: (*items_of(training, arm), *items_of(other, arm)) for arm in ARMS}
    return replace(training, **joined)


def count_items(training: Training) -> dict[str, int]:
    """How many items each arm has."""
    return {arm: len(items_of(training, arm)) for arm in ARMS}


def texts_of(item: Item) -> Iterator[tuple[str, str]]:
    """The texts of an item that participants judge, each with the name of its field."""
    if isinstance(item, Practice):
        yield "text", item.text
    if isinstance(item, PracticePair):
        yield "human", item.human
        yield "machine", item.machine


def _checked(training: Training, arm: str, number: int) -> tuple[Item, ...]:
    items = items_of(training, arm)
    if not 1 <= number <= len(items):
        raise DesignError(f"The training {arm} has {len(items)} items; there is no item {number}.").at("number")
    return items
