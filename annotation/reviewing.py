"""Reads of the review: who waits for a decision and how urgently, what was left out, what a person did here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import (
    Case,
    Count,
    DateTimeField,
    Exists,
    ExpressionWrapper,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from annotation import selectors
from annotation.models import (
    Decision,
    Evidence,
    Flag,
    HitItem,
    Hold,
    Intent,
    ItemRole,
    Judgment,
    Presentation,
    RuleSet,
    Study,
    Submission,
    Text,
    Worker,
)
from annotation.quality.exclusion import FEWEST_RATINGS, Rule, Tabulated, Thinned, tabulate
from annotation.quality.filters import BY_FLAG, BY_KIND, FILTERS, NEVER_ALONE
from annotation.quality.records import Filter

# Bands of the time left until the marketplace approves by itself.
BANDS = (timedelta(hours=6), timedelta(hours=24), timedelta(days=3))
COMPETENCE = BY_KIND["competence"]


def payments() -> QuerySet[Decision]:
    """Decisions on payment."""
    return Decision.objects.filter(matter=Decision.Matter.PAYMENT)


def undecided(study: Study, *, now: datetime) -> QuerySet[Submission]:
    """Work that nobody decided on: the most urgent band first, in it the most suspicious.

    Each with `due` (when the marketplace approves by itself), `band` (0: the most urgent) and `suspicion`.
    """
    return waiting_order(
        Submission.objects.filter(hit__study=study).exclude(Exists(payments().filter(submission=OuterRef("pk")))),
        study,
        now=now,
    )


def waiting_order(rows: QuerySet[Submission], study: Study, *, now: datetime) -> QuerySet[Submission]:
    """With `due`, `band` and `suspicion`, in the order in which a reviewer should look."""
    late = study_delay(study)
    edges = [When(submitted_at__lte=now + band - late, then=Value(at)) for at, band in enumerate(BANDS)]
    return rows.annotate(
        due=ExpressionWrapper(F("submitted_at") + late, output_field=DateTimeField()),
        band=Case(*edges, default=Value(len(BANDS)), output_field=IntegerField()),
        suspicion=Coalesce(F("evidence__suspicion"), 0.5),
    ).order_by("band", "-suspicion", "pk")


def study_delay(study: Study) -> timedelta:
    """How long after it was handed in the marketplace approves work by itself."""
    return timedelta(seconds=study.auto_approval_seconds)


def due_at(study: Study, submission: Submission) -> datetime | None:
    """When the marketplace approves by itself; None where the time of handing in is unknown."""
    return submission.submitted_at + study_delay(study) if submission.submitted_at else None


@dataclass(frozen=True, slots=True)
class Finding:
    """What one filter says of one submission, for a reader."""

    one: Filter
    value: float
    low: float | None
    high: float | None
    n: int
    raised: bool

    @property
    def flag(self) -> bool:
        """Whether it raised a flag: beyond the threshold of a filter that raises them by default."""
        return self.raised and self.one.flags

    @property
    def sentence(self) -> str:
        """In words."""
        return self.one.said(self.value, self.n)

    @property
    def shown(self) -> str:
        """The value."""
        return self.one.shown(self.value)

    @property
    def threshold(self) -> str:
        """From where on it is a flag."""
        return self.one.shown(self.one.threshold)

    @property
    def span(self) -> str:
        """The value's interval, "" where none is defined."""
        if self.low is None or self.high is None:
            return ""
        return f"{self.one.shown(self.low)} – {self.one.shown(self.high)}"


def findings(submission: Submission) -> list[Finding]:
    """What was measured of a submission: what raised a flag first, then in the order of the filters."""
    stored = Evidence.objects.filter(submission=submission).values_list("findings", flat=True).first() or {}
    told = [found for one in FILTERS if (found := _finding(one, stored.get(one.kind)))]
    return sorted(told, key=lambda row: (not row.raised, row.raised and not row.one.flags))


def _finding(one: Filter, stored: Sequence[Any] | None) -> Finding | None:
    if not stored or stored[0] is None:
        return None
    value, low, high, n = stored
    return Finding(one, value, low, high, n, Rule(one.kind).holds({one.kind: stored}, frozenset()))


def waits(submission: Submission, *, now: datetime) -> Intent | None:
    """The intent that tells the marketplace of a decision and can still be taken back."""
    kinds = [Intent.Kind.APPROVE, Intent.Kind.REJECT]
    return Intent.objects.filter(kind__in=kinds, subject=submission.pk, state="waiting", not_before__gt=now).first()


def rule_set(study: Study) -> RuleSet | None:
    """The version of the rules that holds: the latest that was applied."""
    return RuleSet.objects.filter(study=study).exclude(applied_at=None).order_by("-number").first()


def rules_of(stored: RuleSet) -> tuple[Rule, ...]:
    """The rules of a version."""
    return tuple(Rule(kind, threshold) for kind, threshold in stored.rules)


def left_out_by(study: Study, rules: tuple[Rule, ...]) -> dict[str, set[int]]:
    """Submissions (primary keys) that each rule leaves out, by kind.

    One that may not leave work out alone only joins what the other rules leave out.
    """
    measured = Evidence.objects.filter(submission__hit__study=study)
    by_hand = Flag.objects.filter(submission__hit__study=study)
    found = {}
    for rule in rules:
        rows = by_hand.filter(kind=rule.kind) if rule.kind in BY_FLAG else measured.filter(beyond(rule))
        found[rule.kind] = set(rows.values_list("submission_id", flat=True))
    others = set().union(*(gone for kind, gone in found.items() if kind not in NEVER_ALONE))
    return {kind: gone & others if kind in NEVER_ALONE else gone for kind, gone in found.items()}


def beyond(rule: Rule) -> Q:
    """Evidence for which a rule `holds`."""
    one = BY_KIND[rule.kind]
    value, side = f"findings__{rule.kind}__0", {"above": "gt", "from": "gte", "below": "lt"}[one.beyond]
    # PostgreSQL puts JSON's null below every number.
    return ~Q(**{value: None}) & Q(**{f"{value}__{side}": rule.cut, f"findings__{rule.kind}__3__gte": one.least})


def left_out(study: Study) -> dict[int, bool]:
    """Submissions (primary keys) left out of the analysis, and whether a person decided so."""
    rows = Decision.objects.filter(submission__hit__study=study, matter="analysis", verdict="exclude")
    return {pk: rule_set is None for pk, rule_set in rows.values_list("submission_id", "rule_set_id")}


# A sum by text, for a join of what was summed apart has no index.
THINNED = """
WITH shown (text, context, source) AS ({shown}), rated (text, n) AS ({rated}), gone (text, n) AS ({gone}),
each (text, context, source, n) AS (
  SELECT text, context, source, 0 FROM shown UNION ALL SELECT text, NULL, NULL, n FROM rated
  UNION ALL SELECT text, NULL, NULL, -n FROM gone),
one (context, source, enough) AS MATERIALIZED (
  SELECT MAX(context), MAX(source), CASE WHEN SUM(n) >= %s THEN 1 ELSE 0 END FROM each
  GROUP BY text HAVING MAX(source) IS NOT NULL),
sides (left_over) AS (
  SELECT COUNT(DISTINCT CASE WHEN enough = 1 THEN source END) FROM one
  WHERE context IS NOT NULL GROUP BY context HAVING COUNT(DISTINCT source) > 1)
SELECT (SELECT COUNT(*) FROM one), (SELECT COUNT(*) FROM one WHERE enough = 0),
  (SELECT COUNT(*) FROM sides), (SELECT COUNT(*) FROM sides WHERE left_over < 2)
"""


def thinned(study: Study) -> Thinned:
    """What is left of each text's ratings after the exclusions that hold, counted by the database."""
    shown = study.texts.judged().filter(known_label="").values_list("pk", "context_id", "source")
    rated, gone = _by_text(selectors.rated(study)), _by_text(selectors.rated_in_vain(study))
    asked: dict[str, QuerySet[Any, Any]] = {"shown": shown, "rated": rated, "gone": gone}
    parts = {name: rows.query.sql_with_params() for name, rows in asked.items()}
    given = [value for _, values in parts.values() for value in values]
    with connection.cursor() as cursor:
        cursor.execute(THINNED.format(**{name: sql for name, (sql, _) in parts.items()}), [*given, FEWEST_RATINGS])
        return Thinned(*cursor.fetchone())


def _by_text(ratings: QuerySet[Judgment]) -> QuerySet[Any]:
    return ratings.order_by().values_list("text_id").annotate(n=Count("*"))


@dataclass(frozen=True, slots=True)
class Tables:
    """What leaving out submissions takes from each source and each condition."""

    by_source: Tabulated
    by_condition: Tabulated


def tables(study: Study, left_out: set[int]) -> Tables:
    """Texts judged (without gold and repeats) of submissions left out, by source and by cell, each with its test."""
    counts = _texts_met(study)
    gone = np.array([pk in left_out for pk in counts], dtype=np.bool_)
    cells = Submission.objects.filter(hit__study=study).values_list(
        "pk", "hit__cell__arm__training", "hit__cell__domain"
    )
    named = {pk: " × ".join(part for part in parts if part) for pk, *parts in cells}
    conditions = sorted({named[pk] for pk in counts})
    by_source = np.array([*counts.values()], dtype=np.float64).reshape(-1, 2)
    by_condition = np.zeros((len(counts), len(conditions)))
    by_condition[np.arange(len(counts)), [conditions.index(named[pk]) for pk in counts]] = by_source.sum(axis=1)
    sources = [str(Text.Source.REFERENCE), str(Text.Source.MODEL)]
    return Tables(tabulate(sources, by_source, gone), tabulate(conditions, by_condition, gone))


def _texts_met(study: Study) -> dict[int, tuple[int, int]]:
    """References and model texts, without gold and repeats, by submission that was read."""
    item, made = Q(role=ItemRole.ITEM), Count("pk", filter=Q(text__source=Text.Source.MODEL))
    if study.mode == Study.Mode.IMPORTED:
        shown = Presentation.objects.filter(item, submission__hit__study=study).order_by().values_list("submission_id")
        return {pk: (n - m, m) for pk, n, m in shown.annotate(n=Count("pk"), m=made)}
    # Whoever does a HIT of ours meets all of its texts: there are far fewer HITs than texts shown.
    laid_out = HitItem.objects.filter(item, hit__study=study).order_by().values_list("hit_id")
    hits = {hit: (n - m, m) for hit, n, m in laid_out.annotate(n=Count("pk"), m=made)}
    read = Submission.objects.filter(hit__study=study).exclude(parse=None).exclude(raw_format=Submission.WITHDRAWN)
    return {pk: hits[hit] for pk, hit in read.order_by("pk").values_list("pk", "hit_id") if hit in hits}


def decided_counts(study: Study) -> dict[str, int]:
    """Submissions by payment decision, and all of them under `all`."""
    rows = payments().filter(submission__hit__study=study).order_by().values_list("verdict").annotate(n=Count("pk"))
    return {"all": Submission.objects.filter(hit__study=study).count(), **dict(rows)}


@dataclass(frozen=True, slots=True)
class WorkerLine:
    """One of a study's people in counts of submissions and flags; held: on hold now; competence: F12, if measured."""

    pk: int
    pseudonym: str
    handed_in: int
    flags: int
    left_out: int
    refused: int
    held: bool = False
    competence: Finding | None = None


def workers(study: Study) -> list[WorkerLine]:
    """The study's workers, those with the most flags first: four counts side by side, no join multiplies."""
    mine = Submission.objects.filter(hit__study=study)
    decided = Decision.objects.filter(submission__hit__study=study)
    handed_in = _by_worker(mine, "worker_id")
    flags = _by_worker(Flag.objects.filter(submission__hit__study=study), "submission__worker_id")
    left_out = _by_worker(decided.filter(verdict="exclude"), "submission__worker_id")
    refused = _by_worker(decided.filter(verdict="reject"), "submission__worker_id")
    names = Worker.objects.filter(pk__in=mine.values("worker")).values_list("pk", "pseudonym")
    lines = [
        WorkerLine(pk, name, handed_in.get(pk, 0), flags.get(pk, 0), left_out.get(pk, 0), refused.get(pk, 0))
        for pk, name in names
    ]
    return sorted(lines, key=lambda one: (-one.flags, one.pseudonym))


def _by_worker(rows: QuerySet[Any], worker: str) -> dict[int, int]:
    return dict(rows.order_by().values_list(worker).annotate(n=Count("pk")))


def with_more(study: Study, lines: Sequence[WorkerLine], *, today: date) -> list[WorkerLine]:
    """The same lines (a page of them) with who is on hold, and competence."""
    people = [one.pk for one in lines]
    held = set(
        Hold.objects.filter(worker__in=people, lifted_at=None, until__gte=today).values_list("worker", flat=True)
    )
    measured = Evidence.objects.filter(submission__hit__study=study, submission__worker__in=people)
    told = dict(measured.order_by("-pk").values_list("submission__worker", f"findings__{COMPETENCE.kind}"))
    return [replace(one, held=one.pk in held, competence=_finding(COMPETENCE, told.get(one.pk))) for one in lines]


def competence(study: Study, worker: Worker) -> Finding | None:
    """What the worker model makes of a person in this study, with its interval; None where nothing was measured."""
    measured = Evidence.objects.filter(submission__hit__study=study, submission__worker=worker)
    return _finding(COMPETENCE, measured.values_list(f"findings__{COMPETENCE.kind}", flat=True).first())


def known_kinds() -> list[Filter]:
    """The filters by their numbers."""
    return list(BY_KIND.values())
