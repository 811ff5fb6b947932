"""The order in which one person meets texts and sides: the same from Python and from the script in the page.

The page shuffles by itself, because one question serves every worker of a HIT. Its dice are FNV-1a (32 bits) of
"seed:assignment:what", drawn on by mulberry32; both are a few lines in any language, so an order can be made again from
the seed that the study stores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_32 = 0xFFFFFFFF


def dice(seed: int, assignment: str, what: str) -> Iterator[float]:
    """Endless numbers in [0, 1)."""
    state = 0x811C9DC5
    for byte in f"{seed}:{assignment}:{what}".encode():
        state = (state ^ byte) * 0x01000193 & _32
    while True:
        state = (state + 0x6D2B79F5) & _32
        t = ((state ^ state >> 15) * (state | 1)) & _32
        t ^= (t + ((t ^ t >> 7) * (t | 61) & _32)) & _32
        yield ((t ^ t >> 14) & _32) / 2**32


def order(count: int, *, seed: int, assignment: str) -> list[int]:
    """Positions 0 to count - 1 in the order shown (Fisher and Yates, from the end)."""
    rolls, positions = dice(seed, assignment, "order"), list(range(count))
    for i in range(count - 1, 0, -1):
        j = int(next(rolls) * (i + 1))
        positions[i], positions[j] = positions[j], positions[i]
    return positions


def order_of_groups(groups: Sequence[str], *, in_order: bool, seed: int, assignment: str) -> list[int]:
    """Positions in the order shown where the lines of a group stay together. groups: of each position, in order.

    in_order: the lines of a group keep their order.
    """
    drawn = order(len(groups), seed=seed, assignment=assignment)
    first = {group: place for place, group in reversed([(place, groups[at]) for place, at in enumerate(drawn)])}
    place = {at: number for number, at in enumerate(drawn)}
    return sorted(range(len(groups)), key=lambda at: (first[groups[at]], at if in_order else place[at]))


def second_first(pair: int | str, *, seed: int, assignment: str) -> bool:
    """Whether the pair at that position (or `practice-0` ...) is shown with its sides changed."""
    return next(dice(seed, assignment, f"side-{pair}")) < 0.5
