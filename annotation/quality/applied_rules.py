"""Reads of the review: who waits for a decision and how urgently, what was left out, what a person did here."""

from __future__ import annotations

from collections import Counter
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
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from annotation.collecting import ratings as selectors
from annotation.design.wording import from_json
from annotation.models import (
    Cell,
    Decision,
    Evidence,
    Flag,
    Hit,
    HitItem,
    Hold,
    Intent,
    ItemRole,
    Judgment,
    Presentation,
    Reply,
    RuleSet,
    Study,
    Submission,
    Text,
    Worker,
)
from annotation.quality.filters import BROKEN_PAIR, BY_FLAG, BY_KIND, FILTERS, NEVER_ALONE, OF_TEXTS
from annotation.quality.rules import FEWEST_RATINGS, Rule, Tabulated, Thinned, tabulate
from annotation.quality.work_table import Filter

# Bands of the time left until the marketplace approves by itself.
BANDS = (timedelta(hours=6), timedelta(hours=24), timedelta(days=3))
COMPETENCE = BY_KIND["competence"]
# How long after submission the marketplace lets a rejection be turned into an approval.
OVERRIDE_WINDOW = timedelta(days=30)


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


def answered(study: Study, *, now: datetime) -> QuerySet[Submission]:
    """Refused work whose worker answered, which nobody has read since and which can still be approved: in the order
    in which the answers came, each with `answered_at` and `open_until`, and as `undecided`."""
    unread = Reply.objects.filter(submission=OuterRef("pk"), heeded_at=None)
    refused = payments().filter(submission=OuterRef("pk"), verdict="reject")
    mine = Submission.objects.filter(Exists(unread), Exists(refused), hit__study=study)
    open_ones = mine.filter(submitted_at__gte=now - OVERRIDE_WINDOW).exclude(hit__market_status=Hit.GONE)
    until = ExpressionWrapper(F("submitted_at") + OVERRIDE_WINDOW, output_field=DateTimeField())
    came = Subquery(unread.order_by("at").values("at")[:1])
    return (
        waiting_order(open_ones, study, now=now)
        .annotate(answered_at=came, open_until=until)
        .order_by("answered_at", "pk")
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
    """The version of the rules that holds: the one that was applied last, which need not be the newest."""
    return RuleSet.objects.filter(study=study).exclude(applied_at=None).order_by("-applied_at", "-number").first()


def rules_of(stored: RuleSet) -> tuple[Rule, ...]:
    """The rules of a version."""
    return tuple(Rule(kind, threshold) for kind, threshold in stored.rules)


def left_out_by(study: Study, rules: tuple[Rule, ...]) -> dict[str, set[int]]:
    """Submissions (primary keys) that each rule leaves out, by kind.

    One that may not leave work out alone only joins what the other rules leave out.
    """
    measured = Evidence.objects.filter(submission__hit__study=study)
    by_hand = Flag.objects.filter(submission__hit__study=study)
    found: dict[str, set[int]] = {rule.kind: set() for rule in rules if rule.kind in OF_TEXTS}
    for rule in rules:
        if rule.kind in OF_TEXTS:
            continue
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


MOST_NAMED = 1000  # texts that a query names one by one
# A sum by text, for a join of what was summed apart has no index.
SIDES = """
WITH shown (text, context, source, sure) AS ({shown}), rated (text, n) AS ({rated}), gone (text, n) AS ({gone}),
each (text, context, source, n) AS (
  SELECT text, context, source, sure FROM shown UNION ALL SELECT text, NULL, NULL, n FROM rated
  UNION ALL SELECT text, NULL, NULL, -n FROM gone),
one (text, context, source, enough) AS MATERIALIZED (
  SELECT text, MAX(context), MAX(source), CASE WHEN SUM(n) >= %s THEN 1 ELSE 0 END FROM each
  GROUP BY text HAVING MAX(source) IS NOT NULL),
sides (context, left_over) AS (
  SELECT context, COUNT(DISTINCT CASE WHEN enough = 1 THEN source END) FROM one
  WHERE context IS NOT NULL GROUP BY context HAVING COUNT(DISTINCT source) > 1)
"""
THINNED = """SELECT (SELECT COUNT(*) FROM one), (SELECT COUNT(*) FROM one WHERE enough = 0),
  (SELECT COUNT(*) FROM sides), (SELECT COUNT(*) FROM sides WHERE left_over < 2)
"""
BROKEN = "SELECT one.text FROM one JOIN sides ON sides.context = one.context WHERE left_over < 2"


def thinned(study: Study) -> Thinned:
    """What is left of each text's ratings after the exclusions that hold, counted by the database."""
    judged = _judged(study)
    few = _perhaps_thin(study, judged)
    if few:
        (counts,) = _of_sides(judged, study, few, THINNED)
        return Thinned(*counts)
    sides = judged.exclude(context=None).order_by().values("context").annotate(n=Count("source", distinct=True))
    return Thinned(judged.count(), 0, sides.filter(n__gt=1).count(), 0)


def without_a_side(study: Study) -> set[int]:
    """Texts (primary keys) of contexts that lost a side, where the rules that hold leave out both (F27)."""
    stored = rule_set(study)
    if stored is None or BROKEN_PAIR not in {rule.kind for rule in rules_of(stored)}:
        return set()
    judged = _judged(study)
    few = _perhaps_thin(study, judged)
    return {text for (text,) in _of_sides(judged, study, few, BROKEN)} if few else set()


def _judged(study: Study) -> QuerySet[Text]:
    """Texts that are judged for their own sake: no gold."""
    return study.texts.judged().filter(known_label="")


def _of_sides(judged: QuerySet[Text], study: Study, few: Sequence[int], asked_for: str) -> list[Any]:
    """Rows of a query over what is left of each text and of each side of a context. few: all but these have enough."""
    counted: dict[str, Any] = {"text__in": few} if len(few) <= MOST_NAMED else {}
    sure = Case(When(pk__in=few, then=Value(0)), default=Value(FEWEST_RATINGS)) if counted else Value(0)
    asked: dict[str, QuerySet[Any, Any]] = {
        "shown": judged.annotate(sure=sure).values_list("pk", "context_id", "source", "sure"),
        "rated": _by_text(selectors.rated(study).filter(**counted)),
        "gone": _by_text(selectors.rated_in_vain(study).filter(**counted)),
    }
    parts = {name: rows.query.sql_with_params() for name, rows in asked.items()}
    given = [value for _, values in parts.values() for value in values]
    with connection.cursor() as cursor:
        sides = SIDES.format(**{name: sql for name, (sql, _) in parts.items()})
        cursor.execute(sides + asked_for, [*given, FEWEST_RATINGS])
        found: list[Any] = cursor.fetchall()
        return found


def _perhaps_thin(study: Study, judged: QuerySet[Text]) -> list[int]:
    """The texts whose ratings must be counted one by one: in no HIT all of whose texts have enough left for sure."""
    full = _full(study)
    items = HitItem.objects.filter(role=ItemRole.ITEM, hit__study=study)
    laid_out = items if len(full) == study.hits.count() else items.filter(hit__in=full)
    sure = set(laid_out.values_list("text", flat=True))
    return [pk for pk in judged.values_list("pk", flat=True) if pk not in sure]


def _full(study: Study) -> list[int]:
    """HITs (primary keys) each of whose texts has enough ratings left, by running sums.

    Where the judgments of a HIT are readers times texts nobody left a text unanswered.
    """
    if any(len(from_json(one.body).criteria) != 1 for one in study.wordings.all()):
        return []
    readers = Counter(dict(_read(study).order_by().values_list("hit_id").annotate(n=Count("pk"))))
    gone = Counter(
        selectors.exclusions().filter(submission__hit__study=study).values_list("submission__hit", flat=True)
    )
    items = HitItem.objects.filter(hit__study=study).order_by().values_list("hit_id").annotate(n=Count("pk"))
    listed = Counter(dict(items))
    return [
        pk
        for pk, judged in study.hits.values_list("pk", "judged")
        if judged == readers[pk] * listed[pk] and readers[pk] >= gone[pk] + FEWEST_RATINGS
    ]


def _read(study: Study) -> QuerySet[Submission]:
    """Submissions of a study whose answers are there."""
    rows = Submission.objects.filter(hit__study=study, parse__isnull=False)
    return rows.exclude(raw_format=Submission.WITHDRAWN)


def _by_text(ratings: QuerySet[Judgment]) -> QuerySet[Any]:
    return ratings.order_by().values_list("text_id").annotate(n=Count("*"))


@dataclass(frozen=True, slots=True)
class Tables:
    """What leaving out submissions takes from each source and each condition."""

    by_source: Tabulated
    by_condition: Tabulated


def tables(study: Study, left_out: set[int]) -> Tables:
    """Texts judged (without gold and repeats) of submissions left out, by source and by cell, each with its test."""
    alike = _imported(study, left_out) if study.mode == Study.Mode.IMPORTED else _by_hit(study, left_out)
    named = {pk: " × ".join(part for part in parts if part) for pk, *parts in _cells(study)}
    conditions = sorted({named[one.cell] for one in alike})
    met = np.array([(one.references, one.made) for one in alike], dtype=np.float64).reshape(-1, 2)
    of = np.array([conditions.index(named[one.cell]) for one in alike], dtype=np.int64)
    by_condition = met.sum(axis=1, keepdims=True) * (of[:, None] == np.arange(len(conditions)))
    # Who handed in the same texts may change places: first those left out, then the others.
    rows = np.repeat(np.arange(len(alike)), np.array([one.handed_in for one in alike], dtype=np.int64))
    gone = np.array([at < one.left_out for one in alike for at in range(one.handed_in)], dtype=np.bool_)
    sources = [str(Text.Source.REFERENCE), str(Text.Source.MODEL)]
    return Tables(tabulate(sources, met[rows], gone), tabulate(conditions, by_condition[rows], gone))


@dataclass(frozen=True, slots=True)
class _Alike:
    """Submissions of one cell with so many references and model texts each, and how many of them were left out."""

    cell: int
    references: int
    made: int
    handed_in: int
    left_out: int


def _cells(study: Study) -> QuerySet[Any, Any]:
    return Cell.objects.filter(arm__study=study).values_list("pk", "arm__training", "domain", "generator__name")


def _imported(study: Study, left_out: set[int]) -> list[_Alike]:
    """Each submission by itself, by what it shows."""
    made = Count("pk", filter=Q(text__source=Text.Source.MODEL))
    shown = Presentation.objects.filter(role=ItemRole.ITEM, submission__hit__study=study).order_by()
    met = shown.values_list("submission_id", "submission__hit__cell_id").annotate(n=Count("pk"), m=made)
    return [_Alike(cell, n - m, m, 1, int(pk in left_out)) for pk, cell, n, m in met]


def _by_hit(study: Study, left_out: set[int]) -> list[_Alike]:
    """Whoever does a HIT of ours meets all of its texts: there are far fewer HITs than texts shown."""
    made = Count("pk", filter=Q(text__source=Text.Source.MODEL))
    laid_out = HitItem.objects.filter(role=ItemRole.ITEM, hit__study=study).order_by().values_list("hit_id")
    met = {hit: (n - m, m) for hit, n, m in laid_out.annotate(n=Count("pk"), m=made)}
    read = _read(study)
    gone = Counter(read.filter(pk__in=left_out).values_list("hit_id", flat=True))
    by_hit = read.order_by("hit_id").values_list("hit_id", "hit__cell_id").annotate(n=Count("pk"))
    return [_Alike(cell, *met[hit], n, gone[hit]) for hit, cell, n in by_hit if hit in met]


@dataclass(frozen=True, slots=True)
class DoubtedGold:
    """A gold text that most people answered otherwise than its known answer says."""

    text: str
    known_label: str
    answers: int
    as_known: int


def doubted_gold(study: Study) -> list[DoubtedGold]:
    """Gold texts of whose answers (at least 5) fewer than half are the known one: the mistake may be ours (F6)."""
    given = Judgment.objects.filter(presentation__submission__hit__study=study, presentation__role=ItemRole.GOLD)
    known = "presentation__text__known_label"
    rows = given.order_by().values_list("presentation__text__key", known)
    counted = rows.annotate(n=Count("pk"), right=Count("pk", filter=Q(label__label=F(known))))
    doubted = counted.filter(n__gte=FEWEST_RATINGS, right__lt=F("n") / 2.0)
    return [DoubtedGold(*row) for row in doubted.order_by("presentation__text__key")]


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
