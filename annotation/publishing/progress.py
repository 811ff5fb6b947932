"""How a study stands while it runs: what is missing, waiting, due and paid, each in a few aggregates."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, Sum

from annotation.collecting.counts import TAKEN
from annotation.collecting.ratings import excluded, exclusions, judgments
from annotation.models import Arm, Decision, HitItem, Intent, ItemRole, Study, Submission
from annotation.pricing.wages import HOUR, wage_cents


def valid_submissions(study: Study) -> dict[int, int]:
    """By HIT (primary key): submissions that count, or may once they are read. Not: unreadable, left out, withdrawn."""
    rows = (
        Submission.objects.filter(hit__study=study)
        .exclude(raw_format=Submission.WITHDRAWN)
        .filter(Q(parse=None) | Q(parse__problem=""))
        .filter(~Exists(exclusions().filter(submission=OuterRef("pk"))))
    )
    return dict(rows.order_by().values_list("hit").annotate(n=Count("pk")))


def texts_by_hit(study: Study) -> dict[int, list[int]]:
    """The texts (primary keys) of each HIT that count."""
    found: defaultdict[int, list[int]] = defaultdict(list)
    rows = HitItem.objects.filter(hit__study=study, role=ItemRole.ITEM).order_by("hit", "position")
    for hit, text in rows.values_list("hit", "text"):
        found[hit].append(text)
    return dict(found)


def text_spreads(study: Study) -> dict[int, tuple[int, float]]:
    """Kept ratings of each text and their standard deviation (n - 1), from one aggregate by text and code."""
    rows = (
        judgments(study)
        .filter(~excluded())
        .values_list("presentation__text_id", "label__code")
        .annotate(n=Count("pk"))
        .order_by()
    )
    sums: defaultdict[int, list[Fraction]] = defaultdict(lambda: [Fraction(0)] * 3)
    for text, code, n in rows:
        value = Fraction(code)
        sums[text] = [a + b for a, b in zip(sums[text], (Fraction(n), n * value, n * value * value), strict=True)]
    return {text: (int(n), _deviation(n, total, squares)) for text, (n, total, squares) in sums.items()}


def _deviation(n: Fraction, total: Fraction, squares: Fraction) -> float:
    return math.sqrt((squares - total * total / n) / (n - 1)) if n > 1 else 0.0


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Submissions without a decision: all of them, those approved within the time asked for, and the first moment."""

    waiting: int
    soon: int
    first: datetime | None


def deadlines(study: Study, *, now: datetime, within: timedelta) -> Deadlines:
    """When the marketplace approves what nobody has decided on, by the study's delay."""
    delay = timedelta(seconds=study.auto_approval_seconds)
    undecided = Submission.objects.filter(hit__study=study).exclude(decisions__matter=Decision.Matter.PAYMENT)
    found = undecided.aggregate(
        waiting=Count("pk"),
        soon=Count("pk", filter=Q(submitted_at__lte=now + within - delay)),
        first=Min("submitted_at"),
    )
    first = found["first"] + delay if found["first"] else None
    return Deadlines(found["waiting"], found["soon"], first)


@dataclass(frozen=True, slots=True)
class ArmWage:
    """What an arm's median worker earns (cents an hour), and what one submission lacks to the floor."""

    arm: int
    name: str
    n: int
    median_seconds: float
    reward_cents: int
    wage_cents: int
    lacking_cents: int


def arm_wages(study: Study, *, floor_cents: int) -> list[ArmWage]:
    """Real wage by arm: reward over the median time from acceptance to submission, or active time where measured."""
    rows = Submission.objects.filter(hit__study=study).values_list("hit__cell__arm", TAKEN)
    times: defaultdict[int, list[float]] = defaultdict(list)
    for arm, taken in rows:
        if taken:
            times[arm].append(taken)
    arms = {arm.pk: arm for arm in study.arms.order_by("pk")}
    return [_arm_wage(study, arms[pk], times[pk], floor_cents) for pk in arms if times.get(pk)]


def _arm_wage(study: Study, arm: Arm, times: list[float], floor_cents: int) -> ArmWage:
    reward = study.reward_cents if arm.reward_cents is None else arm.reward_cents
    median = statistics.median(times)
    needed = math.ceil(floor_cents * median / HOUR - 1e-9)
    return ArmWage(
        arm.pk,
        arm.training,
        len(times),
        median,
        reward,
        wage_cents(reward, seconds=median),
        max(0, needed - reward),
    )


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
