"""Progress of a study while it runs: what is missing, waiting, due and paid, each in a few aggregates."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Max, Q, Sum

from annotation.models import Intent, Study


@dataclass(frozen=True, slots=True)
class Progress:
    """A study as its page shows it, from running sums: HITs, places, submissions, people inside, judgments, money."""

    hits: int
    published: int
    places: int
    collected: int
    inside: int
    free: int
    judged: int
    waiting_effects: int
    failed_effects: int
    spent_cents: int
    reserved_cents: int
    budget_cents: int | None


def progress(study: Study) -> Progress:
    """Three aggregates over HITs and open intents; no row of work is read."""
    hits = study.hits.aggregate(
        hits=Count("pk"),
        published=Count("market_id"),
        places=Sum("max_assignments", default=0),
        collected=Sum("collected", default=0),
        inside=Sum("inside", default=0),
        free=Sum("free", default=0),
        judged=Sum("judged", default=0),
    )
    states = dict(study.intents.exclude(state="done").order_by().values_list("state").annotate(n=Count("pk")))
    held = Study.objects.get(pk=study.pk)
    return Progress(
        **hits,
        waiting_effects=states.get("waiting", 0) + states.get("taken", 0),
        failed_effects=states.get("failed", 0),
        spent_cents=held.spent_cents,
        reserved_cents=held.reserved_cents,
        budget_cents=held.budget_cents,
    )


@dataclass(frozen=True, slots=True)
class Effects:
    """Effects of one kind: how many are done, wait (or are in hands) and failed, and why the last one failed."""

    kind: str
    done: int
    waiting: int
    failed: int
    reason: str


def effects(study: Study) -> list[Effects]:
    """The outbox by kind, in one aggregate."""
    rows = (
        study.intents.order_by("kind")
        .values_list("kind")
        .annotate(
            done=Count("pk", filter=Q(state="done")),
            waiting=Count("pk", filter=Q(state__in=["waiting", "taken"])),
            failed=Count("pk", filter=Q(state="failed")),
            reason=Max("outcome", filter=Q(state="failed")),
        )
    )
    labels = dict(Intent.Kind.choices)
    return [Effects(labels[kind], done, waiting, failed, reason or "") for kind, done, waiting, failed, reason in rows]
