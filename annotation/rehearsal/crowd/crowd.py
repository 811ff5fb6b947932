"""A crowd at work: who takes which HIT is drawn once, then everybody goes through the pages."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from annotation.rehearsal.crowd.browser import Answer, Browser, RefusedError, Sheet, SiteError

# Judges the texts of a form: one answer a text.
Judge = Callable[[Sheet], Sequence[Answer]]


@dataclass(frozen=True, slots=True)
class Member:
    """A simulated worker: the link that signs them in, and how they judge."""

    sign_in_url: str
    judge: Judge


@dataclass(frozen=True, slots=True)
class Day:
    """What a crowd did: submitted assignments, and those it could not accept; `reasons`: the site's sentences."""

    handed_in: int
    refused: int
    reasons: tuple[str, ...] = ()

    def or_nothing(self) -> Day:
        """The day itself. Raises SiteError where nothing was submitted in it."""
        if self.handed_in:
            return self
        why = f" The site's messages: {'; '.join(self.reasons)}." if self.reasons else ""
        raise SiteError(f"Nothing was submitted: {self.refused} assignments could not be accepted.{why}")


def sheets_on_offer(scout: Browser) -> dict[str, Sheet]:
    """Every HIT on offer and its form as previewed, by address. Raises SiteError where there is none."""
    sheets = {offer: scout.preview(offer) for offer in scout.offers()}
    if not sheets:
        raise SiteError("Nothing was submitted: the site offers the simulated workers no task.")
    return sheets


def work_through(
    places: Sequence[tuple[Member, Sequence[str]]],
    *,
    threads: int = 4,
    max_hits: int | None = None,
    in_order: bool = False,
    progress: Callable[[int], object] | None = None,
) -> Day:
    """Let every member do the HITs (addresses) allotted to them, `threads` members at a time.

    max_hits: HITs a member does before stopping; after one that cannot be accepted, the next address is tried.
    in_order: nobody accepts a first HIT before everybody listed earlier has, or has stopped trying. Where the site
    draws a condition at the start, who gets which goes by who comes when.
    """
    # A member waits for one who is already at work: the pool takes them as they are listed.
    accepted = [threading.Event() for _ in places]

    def wait_for_earlier(number: int) -> None:
        if in_order and number:
            accepted[number - 1].wait()

    def day(number: int) -> Day:
        try:
            return work(number)
        finally:
            wait_for_earlier(number)
            accepted[number].set()

    def work(number: int) -> Day:
        member, offers = places[number]
        handed_in, reasons = 0, []
        with Browser(member.sign_in_url) as browser:
            for offer in offers:
                if max_hits is not None and handed_in >= max_hits:
                    break
                try:
                    sheet = browser.accept(offer, wait=lambda: wait_for_earlier(number))
                except RefusedError as refusal:
                    reasons.append(str(refusal).rstrip("."))
                    continue
                accepted[number].set()
                browser.hand_in(sheet, member.judge(sheet))
                handed_in += 1
                if progress:
                    progress(1)
        return Day(handed_in, len(reasons), tuple(reasons))

    with ThreadPoolExecutor(threads) as pool:
        days = list(pool.map(day, range(len(places))))
    reasons = dict.fromkeys(reason for d in days for reason in d.reasons)
    return Day(sum(d.handed_in for d in days), sum(d.refused for d in days), tuple(reasons))
