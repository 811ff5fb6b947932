"""Top up: places for ratings that are missing or were left out, until every text has what the study's rule asks for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from annotation import ledger
from annotation.design.stopping_rule import PageState, required_raters
from annotation.exceptions import StateError
from annotation.models import AttentionCheck, AuditEvent, Hit, HitItem, Intent, Study
from annotation.outbox import queue
from annotation.pricing.fees import LARGE_HIT, split_places
from annotation.publishing import missing_ratings

Kind = Intent.Kind

# Beyond any crowd, and far inside what the column counts to.
MAX_RATERS = 1_000_000


@dataclass(frozen=True, slots=True)
class TopUp:
    """Places added and HITs prolonged or made for them; `pages` still short; cents reserved now."""

    places: int
    prolonged: int
    new_hits: int
    pages: int
    reserved_cents: int


def declare_width(study: Study, *, width: float, max_raters: int, actor: str, now: datetime) -> None:
    """Declare that top-ups go on until the 95% interval of every text's mean is no wider than `width`.

    most: raters of a text, whatever its interval. Raises StateError once work was collected: a rule is declared before.
    """
    if not 0 < width < math.inf or not study.raters_per_text <= max_raters <= MAX_RATERS:
        planned = f"at least the {study.raters_per_text} raters planned and at most {MAX_RATERS:,}"
        raise StateError(f"The width is above 0, and most is {planned}.")
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if locked.hits.filter(collected__gt=0).exists():
            raise StateError(f"Work of {study.name} was collected already; a stopping rule is declared before that.")
        rule = {"stop_rule": Study.Stop.WIDTH.value, "stop_width": width, "most_raters": max_raters}
        Study.objects.filter(pk=study.pk).update(**rule)
        AuditEvent.objects.record(study, "declare_rule", actor=actor, now=now, **rule)


def keep_topped_up(study: Study, *, on: bool, actor: str, now: datetime) -> None:
    """Switch automatic top-ups after each look at the marketplace on or off."""
    with transaction.atomic():
        Study.objects.filter(pk=study.pk).update(auto_top_up=on)
        study.auto_top_up = on
        AuditEvent.objects.record(study, "keep_topped_up", actor=actor, now=now, on=on)


@dataclass
class _Plan:
    """What one top-up will do."""

    add: list[tuple[Hit, int]] = field(default_factory=list)
    prolong: list[Hit] = field(default_factory=list)
    new: list[tuple[Hit, int]] = field(default_factory=list)
    short: int = 0


def top_up(study: Study, *, actor: str, now: datetime) -> TopUp:
    """Ask for what is missing by the study's stopping rule, within its budget; run it as often as you like.

    Counted are readable submissions that are not left out of the analysis, and places that people may still fill.
    Places are added to HITs below ten (the lower fee); where these are full, a HIT of the same page is made as soon as
    nobody is inside the old ones, and whoever did the page is kept out of it. Raises StateError unless the study is
    published, BudgetError (nothing done) when the budget does not cover it.
    """
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if locked.status != Study.Status.PUBLISHED:
            raise StateError(f"The study {study.name} is {locked.status}; only a published study is topped up.")
        plan = _planned(locked)
        intents, reserved = _intend(locked, plan, now=now)
        if intents:
            AuditEvent.objects.record(
                study, "top_up", actor=actor, now=now, effects=intents, reserved_cents=reserved, pages=plan.short
            )
    places = sum(places for _, places in [*plan.add, *plan.new])
    return TopUp(places, len(plan.prolong), len(plan.new), plan.short, reserved)


def _planned(study: Study) -> _Plan:
    plan, being_prolonged = _Plan(), _hits_being_prolonged(study)
    spread = missing_ratings.text_spreads(study) if study.stop_rule == Study.Stop.WIDTH else {}
    for page in _pages(study, spread):
        missing = required_raters(page.state, study) - page.state.valid - page.coming
        plan.short += required_raters(page.state, study) > page.state.valid
        over = [hit for hit in page.hits if hit.market_status in Hit.LEFT]
        plan.prolong += [hit for hit in over if page.left[hit.pk] > 0]
        if missing > 0:
            _place(plan, page, missing)
    plan.prolong = [hit for hit in plan.prolong if hit.pk not in being_prolonged]
    return plan


def _hits_being_prolonged(study: Study) -> set[int]:
    """HITs that will be prolonged anyway, by what an earlier top-up intended."""
    still = [Intent.State.WAITING, Intent.State.CLAIMED]
    return set(study.intents.filter(kind=Kind.PROLONG, state__in=still).values_list("subject", flat=True))


@dataclass(frozen=True, slots=True)
class _Page:
    hits: list[Hit]
    state: PageState
    left: Mapping[int, int]

    @property
    def coming(self) -> int:
        return sum(self.left.values())


def _place(plan: _Plan, page: _Page, missing: int) -> None:
    """Room in small HITs first; then a HIT of its own, once nobody can be inside the others."""
    for hit in page.hits:
        total = hit.collected + page.left[hit.pk]
        room = LARGE_HIT - 1 - total if hit.market_id and hit.market_status != Hit.DISPOSED else 0
        if hit.max_assignments < LARGE_HIT and room > 0 and missing > 0:
            places = min(room, missing)
            missing -= places
            plan.add.append((hit, places))
            if hit.market_status in Hit.LEFT and hit not in plan.prolong:
                plan.prolong.append(hit)
    everybody_left = all(hit.market_status in Hit.OVER for hit in page.hits)
    if missing > 0 and everybody_left and not page.coming:
        plan.new += [(page.hits[0], places) for places in split_places(missing)[:1]]


def _pages(study: Study, spread: Mapping[int, tuple[int, float]]) -> Iterator[_Page]:
    valid, added = missing_ratings.valid_submissions(study), _added(study)
    topped = set(study.intents.filter(kind=Kind.CREATE_HIT, details__top_up=True).values_list("subject", flat=True))
    hits_by_page: dict[tuple[str, int], list[Hit]] = {}
    for hit in study.hits.select_related("cell__arm__study").order_by("slot"):
        key = ("page", hit.page) if hit.page is not None else ("hit", hit.pk)
        hits_by_page.setdefault(key, []).append(hit)
    texts = missing_ratings.texts_by_hit(study) if spread else {}
    for hits in hits_by_page.values():
        planned = sum(hit.max_assignments - added[hit.pk][0] for hit in hits if hit.pk not in topped)
        left = {hit.pk: max(0, hit.max_assignments + added[hit.pk][1] - hit.collected) for hit in hits}
        spreads = tuple(spread.get(text, (0, 0.0)) for text in texts.get(hits[0].pk, ()))
        yield _Page(hits, PageState(planned, sum(valid.get(hit.pk, 0) for hit in hits), spreads), left)


class _Added(dict[int, tuple[int, int]]):
    def __missing__(self, key: int) -> tuple[int, int]:
        return 0, 0


def _added(study: Study) -> _Added:
    """By HIT: places that were added, and places that will be."""
    added = _Added()
    rows = study.intents.filter(kind=Kind.ADD_PLACES).exclude(state=Intent.State.DROPPED)
    for subject, state, details in rows.values_list("subject", "state", "details"):
        done, waiting = added[subject]
        places = int(details["places"])
        added[subject] = (done + places, waiting) if state == Intent.State.DONE else (done, waiting + places)
    return added


def _intend(study: Study, plan: _Plan, *, now: datetime) -> tuple[int, int]:
    """Write the intents and reserve their money; return how many, and cents."""
    promises = []
    for hit, places in plan.add:
        number = queue.again(study, Kind.ADD_PLACES, hit.pk)
        details = {"places": places, "total": hit.max_assignments + places}
        intent = Intent.of(study, Kind.ADD_PLACES, hit.pk, slot=str(hit.slot), number=number, details=details)
        intent.save(force_insert=True)
        promises.append((intent, places * ledger.place_cost(hit).total))
    for pattern, places in plan.new:
        hit = _copy(study, pattern, places)
        intent = Intent.of(study, Kind.CREATE_HIT, hit.pk, slot=str(hit.slot), details={"top_up": True})
        intent.save(force_insert=True)
        promises.append((intent, places * ledger.place_cost(hit).total))
    prolonged = queue.prolongations(study, plan.prolong)
    return len(promises) + len(prolonged), ledger.reserve(study, promises, now=now) if promises else 0


def _copy(study: Study, pattern: Hit, places: int) -> Hit:
    """A HIT of the same page: the same texts and checks at the same positions."""
    if pattern.page is None:
        pattern.page = 1 + (study.hits.aggregate(most=Max("page"))["most"] or 0)
        pattern.save(update_fields=["page"])
    slot = 1 + (study.hits.aggregate(most=Max("slot"))["most"] or 0)
    hit = Hit.objects.create(
        study=study, cell=pattern.cell, slot=slot, page=pattern.page, wording=pattern.wording, max_assignments=places,
        fees=ledger.endpoint_fees().value,
    )  # fmt: skip
    HitItem.objects.bulk_create(
        HitItem(hit=hit, text_id=item.text_id, partner_id=item.partner_id, position=item.position, role=item.role)
        for item in pattern.items.all()
    )
    AttentionCheck.objects.bulk_create(
        AttentionCheck(hit=hit, position=check.position, expected=check.expected) for check in pattern.checks.all()
    )
    return hit
