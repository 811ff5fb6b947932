"""Before a study is published: everything that can be known to go wrong, said before it costs anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from django.conf import settings
from django.db.models import Count, Q

from annotation import apart
from annotation.crowd.client import Market
from annotation.designs.wording import Wording, from_json
from annotation.dry_run import try_page
from annotation.exceptions import MarketError
from annotation.models import Arm, Hit, Study, Text
from annotation.orders import lines_of, page_of, wording_of
from annotation.pricing.fees import most_cents
from annotation.pricing.wages import DEFAULT_FLOOR_CENTS, hit_time, reward_for_floor, wage

SHOWN = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """error: publishing would fail or harm; warning: a person should know."""

    level: Literal["error", "warning"]
    rule: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Preflight:
    """What was found, and the most that publishing can cost (rewards, fees, in cents)."""

    findings: tuple[Finding, ...]
    hits: int
    assignments: int
    reward_cents: int
    fee_cents: int

    @property
    def total_cents(self) -> int:
        return self.reward_cents + self.fee_cents

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(one for one in self.findings if one.level == "error")


def preflight(study: Study, *, market: Market | None = None, floor: int = DEFAULT_FLOOR_CENTS) -> Preflight:
    """Look at the study's HITs, its money, its texts and, where a market is given, at that. Changes nothing.

    Every page is really rendered, wrapped as a question, filled in and read back.
    """
    hits = list(study.hits.select_related("cell__arm__study", "study", "wording").order_by("slot"))
    rewards, fees = most_cents((hit.max_assignments, hit.cell.reward_cents) for hit in hits)
    found = [*_hits(study, hits), *_texts(study), *_money(study, rewards + fees), *_wage(study, hits, floor)]
    found += [*_wording(study), *(_market(study, market, rewards + fees) if market else ())]
    places = sum(hit.max_assignments for hit in hits)
    return Preflight(tuple(sorted(found, key=lambda one: one.level)), len(hits), places, rewards, fees)


def _error(rule: str, sentence: str) -> Finding:
    return Finding("error", rule, sentence)


def _warning(rule: str, sentence: str) -> Finding:
    return Finding("warning", rule, sentence)


def _hits(study: Study, hits: list[Hit]) -> Iterator[Finding]:
    if not hits:
        yield _error("no_hits", f"The study {study.name} has no HITs yet: design it first.")
    bad = large = 0
    for hit in hits:
        wording, lines = wording_of(hit), lines_of(hit)
        tried = try_page(page_of(hit, wording, lines), lines, wording)
        large += tried.too_large
        for problem in tried.problems:
            bad += 1
            if bad <= SHOWN:
                yield _error("page", f"HIT {hit.slot + 1} ({hit.cell}): {problem}")
    if large:
        yield _warning(
            "external",
            f"{large} HITs are over 65,535 bytes: they go out as ExternalQuestions, served from {settings.HIT_ORIGIN} "
            "for as long as the study runs.",
        )
    if bad > SHOWN:
        yield _error("page", f"{bad - SHOWN} more problems with pages.")


def _texts(study: Study) -> Iterator[Finding]:
    contexts = study.contexts.annotate(
        references=Count("texts", filter=Q(texts__source=Text.Source.REFERENCE, texts__known_label="")),
        models=Count("texts", filter=Q(texts__source=Text.Source.MODEL, texts__known_label="")),
    ).exclude(references=0, models=0)
    alone = list(contexts.filter(Q(references=0) | Q(models=0)).order_by("pk").values_list("key", flat=True))
    if alone and contexts.filter(references__gt=0, models__gt=0).exists():
        named = ", ".join(alone[:SHOWN])
        yield _error("unpaired", f"{len(alone)} contexts have no text of one of the sources: {named}.")
    unused = study.texts.judged().filter(known_label="", places=None, partner_places=None).count()
    if unused and study.hits.exists():
        yield _warning("unused_texts", f"{unused} texts stand in no HIT.")


def _money(study: Study, total: int) -> Iterator[Finding]:
    if study.budget_cents is not None and total > study.budget_cents:
        over = total - study.budget_cents
        yield _error(
            "budget",
            f"The study costs ${total / 100:,.2f}; its budget is ${study.budget_cents / 100:,.2f}. "
            f"${over / 100:,.2f} are missing.",
        )


def _wage(study: Study, hits: list[Hit], floor: int) -> Iterator[Finding]:
    """Estimated from the words of the first HIT of each cell."""
    seen: set[int] = set()
    for hit in hits:
        if hit.cell_id in seen:
            continue
        seen.add(hit.cell_id)
        lines, wording = lines_of(hit), wording_of(hit)
        texts = [text for line in lines for text in (line.text, line.partner) if text]
        words = sum(len(text.body.split()) + len(text.context.split()) for text in texts)
        remarks = len(lines) if wording.follow_ups else 0
        time = hit_time(words, judgments=len(lines) * len(wording.criteria), remarks=remarks)
        pay = wage(hit.cell.reward_cents, time, floor=floor)
        if pay.below_floor:
            least = reward_for_floor(time, floor=floor, slow=False)
            yield _warning(
                "wage",
                f"{hit.cell}: about {time.median / 60:.0f} minutes at ${hit.cell.reward_cents / 100:.2f} make "
                f"${pay.median / 100:.2f} an hour (estimated), below ${floor / 100:.2f}; "
                f"${least / 100:.2f} would pay it.",
            )


def _wording(study: Study) -> Iterator[Finding]:
    version = study.wordings.last()
    if version is None:
        yield _error("no_wording", "The study has no wording.")
        return
    wording = from_json(version.body)
    stale = study.hits.exclude(wording=version).count()
    if stale:
        yield _warning("wording_changed", f"{stale} HITs hold an earlier version of the wording.")
    if not wording.consent:
        yield _warning("no_consent", "The pages ask for no consent; see that the marketplace or the invitation does.")
    for arm in Arm.objects.filter(study=study, cells__isnull=False).distinct():
        yield from _training(wording, arm)


def _training(wording: Wording, arm: Arm) -> Iterator[Finding]:
    given = {
        "instructions": len(wording.training.instructions),
        "examples": len(wording.training.examples),
        "comparison": len(wording.training.comparison),
    }
    if given.get(arm.training) == 0:
        yield _error("no_training", f"The arm {arm.training} has nothing to show: fill training.{arm.training} in.")


def _market(study: Study, market: Market, total: int) -> Iterator[Finding]:
    try:
        balance = market.balance_cents()
    except MarketError as error:
        yield _error("market", str(error))
        return
    if balance < total:
        short = total - balance
        yield _error(
            "balance", f"The account holds ${balance / 100:,.2f}; ${short / 100:,.2f} are missing for this study."
        )
    if study.once and not apart.grants_by_itself(market):
        yield _warning(
            "once",
            "This marketplace may not grant assay:once by itself: one person could enter two cells. "
            "Publish a cell at a time (`manage.py publish STUDY --wave`); a person's first work is used.",
        )
