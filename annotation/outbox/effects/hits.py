"""Effects on HITs: created, given more places, prolonged, expired, deleted."""

from __future__ import annotations

from datetime import date, timedelta

from django.db.models import F

from annotation.hits.cell_keys import draw_tag
from annotation.hits.mturk_request import hit_order
from annotation.models import Hit, Intent, OncePass, Replication, Study, Submission, WorkerIdentity
from annotation.mturk.client import Market
from annotation.mturk.records import Requirement
from annotation.outbox import queue
from annotation.outbox.effects.context import Context
from annotation.workers import participation
from annotation.workers.draws import is_published, settle_arm_assignment


def create(intent: Intent, context: Context) -> None:
    """Create the HIT, or find the one that an earlier call created."""
    hit = _hit(intent)
    market_id = context.market.find_hit(intent.key) if context.token_forgotten else None
    if market_id is None:
        passes = _passes(hit, context.market, today=context.clock().date())
        drawn = settle_arm_assignment(hit.study, context.market)
        if drawn:
            _fix_seed(hit.study, context.market)
        original = _took_part(hit.study, context.market)
        order = hit_order(hit, token=intent.key, passes=passes, original=original, drawn=drawn)
        market_id = context.market.create_hit(order)
    if context.queue:
        context.market.subscribe(market_id, queue=context.queue)
    with queue.outcome(intent, market_id, now=context.clock()) as mine:
        if mine:
            Hit.objects.filter(pk=hit.pk).update(market_id=market_id)
            _halt(intent, hit)


def add_places(intent: Intent, context: Context) -> None:
    """Add places up to the total that the intent names; the total decides where the token is forgotten."""
    hit, places = _hit(intent), int(intent.details["places"])
    market_id = str(hit.market_id)
    if not context.token_forgotten or context.market.hit(market_id).places < int(intent.details["total"]):
        context.market.add_places(market_id, places, token=intent.key)
    with queue.outcome(intent, f"{places} more places", now=context.clock()) as mine:
        if mine:
            Hit.objects.filter(pk=hit.pk).update(max_assignments=F("max_assignments") + places)
            _halt(intent, hit)


def prolong(intent: Intent, context: Context) -> None:
    """Offer the HIT again, for as long as a new one is offered, from the first call on in the market's time."""
    hit = _hit(intent)
    until = (intent.first_called_at or context.market.now()) + timedelta(seconds=int(intent.details["seconds"]))
    if context.market.hit(str(hit.market_id)).expires_at < until:
        context.market.prolong(str(hit.market_id), until)
    with queue.outcome(intent, f"until {until:%Y-%m-%d %H:%M} UTC", now=context.clock()) as mine:
        if mine:
            Hit.objects.filter(pk=hit.pk).update(market_status="", expires_at=until)
            _halt(intent, hit)


def _fix_seed(study: Study, market: Market) -> None:
    """With the first HIT of a study that is drawn, give the marketplace the seed that its plan states, if it does."""
    if study.draw_seed and not is_published(study):
        market.set_draw_seed(draw_tag(study), study.draw_seed)


def _halt(intent: Intent, hit: Hit) -> None:
    """A study may have been stopped while the call was on its way: then what it opened is shut again."""
    study = Study.objects.get(pk=intent.study_id)
    if study.status in {Study.Status.PAUSED, Study.Status.ENDING}:
        queue.expiries(study, [hit])


def expire(intent: Intent, context: Context) -> None:
    """Offer the HIT to nobody new."""
    context.market.expire(_market_id(intent))
    with queue.outcome(intent, "expired", now=context.clock()):
        pass


def delete(intent: Intent, context: Context) -> None:
    """Delete the HIT on the marketplace; ours stays."""
    context.market.delete_hit(_market_id(intent))
    with queue.outcome(intent, "deleted", now=context.clock()) as mine:
        if mine:
            Hit.objects.filter(study=intent.study_id, market_id=_market_id(intent)).update(market_status=Hit.DISPOSED)


def _hit(intent: Intent) -> Hit:
    return Hit.objects.select_related("study__group", "cell__arm__study", "wording").get(pk=intent.subject)


def _market_id(intent: Intent) -> str:
    """Of a ghost, the intent itself names the HIT."""
    return str(intent.details.get("market_id") or _hit(intent).market_id)


def _passes(hit: Hit, market: Market, *, today: date) -> tuple[str, ...]:
    """Qualification types that keep people apart: once in a group of studies, once on a page split over HITs; and the
    one that keeps out who is on hold."""
    scopes = []
    if hit.study.once:
        scopes.append(_pass(participation.scope_of(hit.study), market))
    if hit.page is not None and Hit.objects.filter(study=hit.study, page=hit.page).exclude(pk=hit.pk).exists():
        scopes.append(_pass(f"page {hit.study.uuid} {hit.page}", market))
        _keep_out(hit, scopes[-1], market)
    if marked := _hold_mark(hit.study, market, day=today):
        scopes.append(marked)
    return tuple(scopes)


def _hold_mark(study: Study, market: Market, *, day: date) -> str | None:
    """The type that people have who were on hold when the study was made; None where there was nobody.

    It is noted after it was given to all of them: a crash before does all of it again, which changes nothing.
    """
    scope = participation.hold_scope(study)
    if known := OncePass.objects.filter(endpoint=market.url, scope=scope).first():
        return known.type_id
    held = participation.holds_at_creation(study).filter(lifted_at=None, until__gte=day)
    people = WorkerIdentity.objects.filter(provider=market.provider, worker__in=held.values("worker"))
    if not people.exists():
        return None
    type_id = market.hold_mark(f"Assay: {scope}")
    for external_id in people.order_by("pk").values_list("external_id", flat=True):
        market.grant(type_id, external_id, 1)
    return OncePass.objects.get_or_create(endpoint=market.url, scope=scope, defaults={"type_id": type_id})[0].type_id


def _took_part(study: Study, market: Market) -> Requirement | None:
    """Of a study that repeats another for other people, or for the same: the type that the original's people have.

    It is noted after it was given to all of them, as the mark of holds.
    """
    people = Replication.People
    replication = (
        Replication.objects.filter(study=study).exclude(people=people.ANYONE).select_related("original").first()
    )
    if replication is None:
        return None
    scope = f"took part {replication.original.uuid}"
    known = OncePass.objects.filter(endpoint=market.url, scope=scope).first()
    if known is None:
        type_id = market.took_part_mark(f"Assay: {scope}")
        took_part = Submission.objects.filter(hit__study=replication.original).values("worker")
        people_there = WorkerIdentity.objects.filter(provider=market.provider, worker__in=took_part)
        for external_id in people_there.order_by("pk").values_list("external_id", flat=True):
            market.grant(type_id, external_id, 1)
        known, _ = OncePass.objects.get_or_create(endpoint=market.url, scope=scope, defaults={"type_id": type_id})
    return Requirement(known.type_id, "Exists" if replication.people == people.SAME else "DoesNotExist")


def _keep_out(hit: Hit, type_id: str, market: Market) -> None:
    """Who has done the page in a HIT that asked for no pass is given it now: nobody meets a text twice."""
    if not Intent.objects.filter(study=hit.study, kind=Intent.Kind.CREATE_HIT, subject=hit.pk, details__top_up=True):
        return
    done = Submission.objects.filter(hit__study=hit.study, hit__page=hit.page).values("worker")
    for external_id in WorkerIdentity.objects.filter(worker__in=done).values_list("external_id", flat=True):
        market.grant(type_id, external_id, 1)


def _pass(scope: str, market: Market) -> str:
    known = OncePass.objects.filter(endpoint=market.url, scope=scope).first()
    if known:
        return known.type_id
    type_id = market.once_pass(f"Assay: {scope}")
    return OncePass.objects.get_or_create(endpoint=market.url, scope=scope, defaults={"type_id": type_id})[0].type_id
