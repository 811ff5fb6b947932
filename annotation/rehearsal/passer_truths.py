"""The truth of a rehearsal with `passers`: what new people of that crowd answer on average about the study's texts."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from annotation.design.criteria import Criterion
from annotation.design.kinds import kind_called
from annotation.design.task_kind import TaskKind
from annotation.design.wording import Wording, from_json
from annotation.models import HitItem, ItemRole, Study, Text
from annotation.rehearsal.passers import chance_preferred, expected_code, hidden_quality
from metrics.data.answer_types import AnswerType

REFERENCES = "references"


@dataclass(frozen=True, slots=True)
class KnownTruth:
    """A mean over the texts of a source, or the share in which the first of two sources is preferred (ties half)."""

    criterion: str
    source: str
    value: float
    texts: int


def known_truths(study: Study) -> list[KnownTruth]:
    """Of every criterion whose answers have a mean, by source; of preferences, by pair of sources.

    Nothing for a kind that simulates answers of its own.
    """
    stored = study.wordings.filter(hits__isnull=False).last() or study.wordings.last()
    kind = kind_called(study.task)
    if stored is None or kind.simulate is not None:
        return []
    wording = from_json(stored.body)
    return [
        KnownTruth(criterion.name, source, sum(values) / len(values), len(values))
        for criterion in wording.criteria
        for source, values in _by_source(study, kind, wording, criterion).items()
    ]


def _by_source(study: Study, kind: TaskKind, wording: Wording, criterion: Criterion) -> dict[str, list[float]]:
    named = criterion.name if len(wording.criteria) > 1 else ""
    codes = [float(code) for _, code, _ in kind.labels_of(criterion)]
    answer = kind.answer_of(criterion)
    values: defaultdict[str, list[float]] = defaultdict(list)
    items = HitItem.objects.filter(hit__study=study, role=ItemRole.ITEM).order_by("pk")
    for item in items.select_related("text__generator", "partner__generator"):
        source, quality = _name(item.text), hidden_quality(item.text.body, named)
        if answer is AnswerType.PREFERENCE and item.partner is not None:
            other = hidden_quality(item.partner.body, named)
            share = chance_preferred(quality, other, ties=len(codes) > 2)
            values[f"{source} over {_name(item.partner)}"].append(share)
        elif answer.has_mean:
            values[source].append(expected_code(codes, quality))
    return dict(values)


def _name(text: Text) -> str:
    return text.generator.name if text.generator else REFERENCES
