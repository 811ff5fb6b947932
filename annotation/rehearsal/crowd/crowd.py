"""A crowd at work: who takes which HIT is drawn once, then everybody goes through the pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from annotation.rehearsal.crowd.browser import Answer, Browser, RefusedError, Sheet

# Judges the texts of a form: one answer a text.
Judge = Callable[[Sheet], Sequence[Answer]]


@dataclass(frozen=True, slots=True)
class Member:
    """A simulated worker: the link that signs them in, and how they judge."""

    sign_in_url: str
    judge: Judge


@dataclass(frozen=True, slots=True)
class Day:
    """What a crowd got done: assignments handed in, and places it was refused."""

    handed_in: int
    refused: int


def sheets_on_offer(scout: Browser) -> dict[str, Sheet]:
    """Every HIT on offer and its form as previewed, by address."""
    return {offer: scout.preview(offer) for offer in scout.offers()}


def work_through(
    places: Sequence[tuple[Member, Sequence[str]]],
    *,
    threads: int = 4,
    most: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Day:
    """Let every member do the HITs (addresses) allotted to them, `threads` members at a time.

    most: HITs a member does before stopping; places refused are tried on the next address.
    """

    def day(place: tuple[Member, Sequence[str]]) -> Day:
        member, offers = place
        handed_in = refused = 0
        with Browser(member.sign_in_url) as browser:
            for offer in offers:
                if most is not None and handed_in >= most:
                    break
                try:
                    sheet = browser.accept(offer)
                except RefusedError:
                    refused += 1
                    continue
                browser.hand_in(sheet, member.judge(sheet))
                handed_in += 1
                if progress:
                    progress(1)
        return Day(handed_in, refused)

    with ThreadPoolExecutor(threads) as pool:
        days = list(pool.map(day, places))
    return Day(sum(d.handed_in for d in days), sum(d.refused for d in days))
