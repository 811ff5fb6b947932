"""Evidence about assignments: findings, competence, doubted gold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q

from annotation.models import Evidence, ItemRole, Judgment, Study, Submission, Text, Worker
from annotation.quality.filters import BY_KIND, FILTERS
from annotation.quality.rules import FEWEST_RATINGS, Rule
from annotation.quality.work_table import QualityCheck

COMPETENCE = BY_KIND["competence"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What one filter says of one submission, for a reader."""

    check: QualityCheck
    value: float
    low: float | None
    high: float | None
    n: int
    raised: bool

    @property
    def flag(self) -> bool:
        """Whether it raised a flag: beyond the threshold of a filter that raises them by default."""
        return self.raised and self.check.flags

    @property
    def sentence(self) -> str:
        """In words."""
        return self.check.finding_sentence(self.value, self.n)

    @property
    def shown(self) -> str:
        """The value."""
        return self.check.shown(self.value)

    @property
    def threshold(self) -> str:
        """From where on it is a flag."""
        return self.check.shown(self.check.threshold)

    @property
    def span(self) -> str:
        """The value's interval, "" where none is defined."""
        if self.low is None or self.high is None:
            return ""
        return f"[{self.check.shown(self.low)}, {self.check.shown(self.high)}]"


def findings(submission: Submission) -> list[Finding]:
    """What was measured of a submission: what raised a flag first, then in the order of the filters."""
    stored = Evidence.objects.filter(submission=submission).values_list("findings", flat=True).first() or {}
    listed = [finding for check in FILTERS if (finding := _finding(check, stored.get(check.kind)))]
    return sorted(listed, key=lambda row: (not row.raised, row.raised and not row.check.flags))


def _finding(check: QualityCheck, stored: Sequence[Any] | None) -> Finding | None:
    if not stored or stored[0] is None:
        return None
    value, low, high, n = stored
    return Finding(check, value, low, high, n, Rule(check.kind).holds({check.kind: stored}, frozenset()))


@dataclass(frozen=True, slots=True)
class DoubtedGold:
    """A gold text that most people answered otherwise than its known answer says."""

    text: str
    known_label: str
    answers: int
    as_known: int


def doubted_gold(study: Study) -> list[DoubtedGold]:
    """Gold texts of whose answers (at least 5) fewer than half are the known one: the mistake may be ours (F6)."""
    # From the few gold texts to their answers: the other way around, all answers would be read.
    gold = Text.objects.filter(study=study).exclude(known_label="")
    if not gold.exists():
        return []
    judgments = Judgment.objects.filter(presentation__text__in=gold, presentation__role=ItemRole.GOLD)
    known = "presentation__text__known_label"
    rows = judgments.order_by().values_list("presentation__text__key", known)
    counted = rows.annotate(n=Count("pk"), right=Count("pk", filter=Q(label__label=F(known))))
    doubted = counted.filter(n__gte=FEWEST_RATINGS, right__lt=F("n") / 2.0)
    return [DoubtedGold(*row) for row in doubted.order_by("presentation__text__key")]


def competence(study: Study, worker: Worker) -> Finding | None:
    """What the worker model makes of a person in this study, with its interval; None where nothing was measured."""
    measured = Evidence.objects.filter(submission__hit__study=study, submission__worker=worker)
    return _finding(COMPETENCE, measured.values_list(f"findings__{COMPETENCE.kind}", flat=True).first())


def known_kinds() -> list[QualityCheck]:
    """The filters by their numbers."""
    return list(BY_KIND.values())
