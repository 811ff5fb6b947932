"""The truth of a rehearsal with `passers`: what new people of that crowd answer on average about the study's texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.design.criteria import Criterion
from annotation.design.kinds import kind_called
from annotation.design.task_kind import TaskKind
from annotation.design.wording import Wording, from_json
from annotation.models import HitItem, ItemRole, Study, Text
from annotation.rehearsal.passers import chance_preferred, expected_code, hidden_quality
from metrics.data.answer_types import AnswerType

REFERENCES = "references"
DRAWS = 400  # of the rule of a kind, for each text


@dataclass(frozen=True, slots=True)
class KnownTruth:
    """A mean over the texts of a source, or the share in which the first of two sources is preferred (ties half)."""

    criterion: str
    source: str
    value: float
    texts: int


def known_truths(study: Study) -> list[KnownTruth]:
    """Of every criterion whose answers have a mean, by source; of preferences, by pair of sources; of chosen texts, the
    share in which each source is chosen.

    Where a kind simulates answers of its own, its rule is asked `DRAWS` times for each text.
    """
    stored = study.wordings.filter(hits__isnull=False).last() or study.wordings.last()
    kind = kind_called(study.task)
    if stored is None:
        return []
    wording = from_json(stored.body)
    return [
        KnownTruth(criterion.name, source, sum(values) / len(values), len(values))
        for criterion in wording.criteria
        for source, values in _by_source(study, kind, wording, criterion).items()
    ]


def _by_source(study: Study, kind: TaskKind, wording: Wording, criterion: Criterion) -> dict[str, list[float]]:
    items = list(
        HitItem.objects.filter(hit__study=study, role=ItemRole.ITEM)
        .select_related("text__generator", "partner__generator")
        .order_by("pk")
    )
    named = criterion.name if len(wording.criteria) > 1 else ""
    codes = [float(code) for _, code, _ in kind.labels_of(criterion)]
    answer = kind.answer_of(criterion)
    values: defaultdict[str, list[float]] = defaultdict(list)
    if kind.simulate is not None:
        for group in _shown_together(items, kind):
            expected = _simulated_codes(kind, criterion, [hidden_quality(item.text.body, named) for item in group])
            by_source: defaultdict[str, list[float]] = defaultdict(list)
            for item, code in zip(group, expected, strict=True):
                by_source[_name(item.text)].append(code)
            for source, of_source in by_source.items():
                values[source] += [sum(of_source)] if answer is AnswerType.CHOSEN_TEXT else of_source
        return dict(values)
    for item in items:
        source, quality = _name(item.text), hidden_quality(item.text.body, named)
        if answer is AnswerType.PREFERENCE and item.partner is not None:
            other = hidden_quality(item.partner.body, named)
            share = chance_preferred(quality, other, ties=len(codes) > 2)
            values[f"{source} over {_name(item.partner)}"].append(share)
        elif answer.has_mean:
            values[source].append(expected_code(codes, quality))
    return dict(values)


def _shown_together(items: Sequence[HitItem], kind: TaskKind) -> Iterable[list[HitItem]]:
    """The texts of each question, as a page shows them."""
    groups: defaultdict[tuple[int, int | None], list[HitItem]] = defaultdict(list)
    for item in items:
        groups[item.hit_id, item.text.context_id if kind.keeps_contexts else item.pk].append(item)
    return groups.values()


def _simulated_codes(kind: TaskKind, criterion: Criterion, qualities: Sequence[float]) -> list[float]:
    """What the kind's own rule answers on average about each of the texts that are shown together."""
    labels = kind.labels_of(criterion)
    codes = {label: float(code) for label, code, _ in labels}
    names, simulate = list(codes), kind.simulate
    assert simulate is not None  # noqa: S101 - the caller asks only kinds that have a rule
    return [
        sum(codes[simulate(names, qualities, at, np.random.default_rng(draw))] for draw in range(DRAWS)) / DRAWS
        for at in range(len(qualities))
    ]


def _name(text: Text) -> str:
    return text.generator.name if text.generator else REFERENCES
