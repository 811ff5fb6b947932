"""Texts that exclusions leave with too few ratings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection
from django.db.models import Case, Count, QuerySet, Value, When

from annotation.collecting import ratings
from annotation.design.wording import from_json
from annotation.models import HitItem, ItemRole, Judgment, Study, Submission, Text
from annotation.quality.applied_rules import rule_set, rules_of
from annotation.quality.filters import BROKEN_PAIR
from annotation.quality.rules import FEWEST_RATINGS, Thinned

MAX_NAMED_TEXTS = 1000  # texts that a query names one by one


# A sum by text, for a join of separate sums has no index.
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


def thinned(study: Study, *, readers: Mapping[int, int] | None = None) -> Thinned:
    """What is left of each text's ratings after the exclusions that hold, counted by the database.

    readers: `readers_by_hit`, where the caller has counted them.
    """
    judged = _judged(study)
    few = _perhaps_thin(study, judged, readers_by_hit(study) if readers is None else readers)
    if few:
        (counts,) = _of_sides(judged, study, few, THINNED)
        return Thinned(*counts)
    sides = judged.exclude(context=None).order_by().values("context").annotate(n=Count("source", distinct=True))
    return Thinned(judged.count(), 0, sides.filter(n__gt=1).count(), 0)


def without_a_side(study: Study) -> set[int]:
    """Texts (primary keys) of contexts that lost a side, where the rules that apply exclude both (F27)."""
    stored = rule_set(study)
    if stored is None or BROKEN_PAIR not in {rule.kind for rule in rules_of(stored)}:
        return set()
    judged = _judged(study)
    few = _perhaps_thin(study, judged, readers_by_hit(study))
    return {text for (text,) in _of_sides(judged, study, few, BROKEN)} if few else set()


def _judged(study: Study) -> QuerySet[Text]:
    """Texts that are judged for their own sake: no gold."""
    return study.texts.judged().filter(known_label="")


def _of_sides(judged: QuerySet[Text], study: Study, few: Sequence[int], selection: str) -> list[Any]:
    """Rows of a query over what is left of each text and of each side of a context. few: all but these have enough."""
    counted: dict[str, Any] = {"text__in": few} if len(few) <= MAX_NAMED_TEXTS else {}
    sure = Case(When(pk__in=few, then=Value(0)), default=Value(FEWEST_RATINGS)) if counted else Value(0)
    queries: dict[str, QuerySet[Any, Any]] = {
        "shown": judged.annotate(sure=sure).values_list("pk", "context_id", "source", "sure"),
        "rated": _by_text(ratings.rated(study).filter(**counted)),
        "gone": _by_text(ratings.excluded_ratings(study).filter(**counted)),
    }
    parts = {name: rows.query.sql_with_params() for name, rows in queries.items()}
    parameters = [value for _, values in parts.values() for value in values]
    with connection.cursor() as cursor:
        sides = SIDES.format(**{name: sql for name, (sql, _) in parts.items()})
        cursor.execute(sides + selection, [*parameters, FEWEST_RATINGS])
        fetched: list[Any] = cursor.fetchall()
        return fetched


def readers_by_hit(study: Study) -> Counter[int]:
    """Submissions of each HIT (primary key) whose answers are there."""
    return Counter(dict(answered(study).order_by().values_list("hit_id").annotate(n=Count("pk"))))


def _perhaps_thin(study: Study, judged: QuerySet[Text], readers: Mapping[int, int]) -> list[int]:
    """The texts whose ratings must be counted one by one: in no HIT all of whose texts have enough left for sure."""
    full = _full(study, readers)
    items = HitItem.objects.filter(role=ItemRole.ITEM, hit__study=study)
    laid_out = items if len(full) == study.hits.count() else items.filter(hit__in=full)
    sure = set(laid_out.values_list("text", flat=True))
    return [pk for pk in judged.values_list("pk", flat=True) if pk not in sure]


def _full(study: Study, readers: Mapping[int, int]) -> list[int]:
    """HITs (primary keys) each of whose texts has enough ratings left, by running sums.

    Where the judgments of a HIT are readers times texts no text was left unanswered.
    """
    if any(len(from_json(wording.body).criteria) != 1 for wording in study.wordings.all()):
        return []
    excluded = Counter(
        ratings.exclusions().filter(submission__hit__study=study).values_list("submission__hit", flat=True)
    )
    items = HitItem.objects.filter(hit__study=study).order_by().values_list("hit_id").annotate(n=Count("pk"))
    listed = Counter(dict(items))
    return [
        pk
        for pk, judged in study.hits.values_list("pk", "judged")
        if judged == (n := readers.get(pk, 0)) * listed[pk] and n >= excluded[pk] + FEWEST_RATINGS
    ]


def answered(study: Study) -> QuerySet[Submission]:
    """Submissions of a study whose answers are there."""
    rows = Submission.objects.filter(hit__study=study, parse__isnull=False)
    return rows.exclude(raw_format=Submission.WITHDRAWN)


def _by_text(judgments: QuerySet[Judgment]) -> QuerySet[Any]:
    return judgments.order_by().values_list("text_id").annotate(n=Count("*"))
