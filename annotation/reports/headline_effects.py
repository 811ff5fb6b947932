"""What each rule does to headline measures other than HUSE and accuracy: means, shares and win rates.

The values are those of the report, without intervals. Removing as many submissions at random shows what any removal
does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.quality.key_measures import MAX_LABELS, KeyMeasure, key_of, mean_of_answers, random_band
from annotation.quality.work_table import Bools, Ints
from metrics.data.answer_types import AnswerType
from metrics.data.criterion_names import TYPICAL
from metrics.data.sentence import plain
from metrics.report.records import RatingRow, ReportInput, unit_of
from metrics.report.row_records import RuleFacts
from metrics.tables.record import Column, Table

REFERENCES = "references"
MAX_SOURCES = 6
DRAWS = 200
TOGETHER = "all rules of the study together"


@dataclass(frozen=True, slots=True)
class EffectRow:
    """A headline measure after a rule. low, high: the middle 90% after as many submissions are removed at random."""

    rule: str
    submissions: int
    value: float | None
    low: float | None
    high: float | None


def headline_effects(
    report_input: ReportInput, *, draws: int = DRAWS, seed: int = 0, progress: Callable[[int, int], None] | None = None
) -> list[dict[str, Any]]:
    """Each measure without rules and with each rule that excludes a submission; empty where no rule is known.

    Every answer counts before the rules, whether the report keeps it or not.
    """
    if not report_input.rules:
        return []
    submissions = {name: at for at, name in enumerate(sorted({rating.unit for rating in report_input.ratings}))}
    rules = list(_excluded(report_input, submissions))
    headlines = list(build_headlines(report_input, submissions))
    effects = []
    for done, headline in enumerate(headlines):
        before = _known(headline.compute(np.ones(len(submissions), dtype=np.bool_)))
        rows = [_row(headline, name, out, draws, seed) for name, out in rules]
        effects.append(
            {
                "key": headline.key,
                "name": headline.name,
                "percent": headline.percent,
                "middle": headline.middle,
                "before": before,
                "rows": [[row.rule, row.submissions, row.value, row.low, row.high] for row in rows],
            }
        )
        if progress:
            progress(done + 1, len(headlines))
    return effects


COLUMNS = (
    Column("measure", "Measure"),
    Column("rule", "Rule"),
    Column("submissions", "Submissions excluded", "count"),
    Column("before", "Without rules", "number"),
    Column("value", "With the rule", "number"),
    Column("random_low", "As many at random, 5%", "number"),
    Column("random_high", "95%", "number"),
)


def effects_table(effects: Sequence[Mapping[str, Any]]) -> Table:
    """All measures under all rules; shares from 0 to 1."""
    rows = tuple(
        (part["name"], rule, submissions, part["before"], value, low, high)
        for part in effects
        for rule, submissions, value, low, high in part["rows"]
    )
    return Table("headline-measures", plain("Headline measures without and with each rule."), COLUMNS, rows)


def build_headlines(report_input: ReportInput, submissions: Mapping[str, int]) -> Iterator[KeyMeasure]:
    """The measures of every criterion. submissions: row of each unit of ratings."""
    sides = {text.id: text.generator or REFERENCES for text in report_input.texts}
    by_criterion: defaultdict[str, list[RatingRow]] = defaultdict(list)
    for rating in report_input.ratings:
        by_criterion[rating.criterion].append(rating)
    for criterion, ratings in by_criterion.items():
        if criterion == TYPICAL and report_input.generators:
            continue
        answer = report_input.answer_of(criterion)
        rows = np.array([submissions[rating.unit] for rating in ratings], dtype=np.int64)
        if answer.has_mean:
            yield from _means(criterion, ratings, rows, sides)
        elif answer is AnswerType.PREFERENCE:
            yield from _win_rates(criterion, ratings, rows, sides)
        elif answer is AnswerType.CHOSEN_TEXT:
            yield from _choices(criterion, ratings, rows, sides)
        elif answer in (AnswerType.SINGLE_LABEL, AnswerType.SEVERAL_LABELS):
            yield from _labels(criterion, ratings, rows, sides)


def _means(criterion: str, ratings: Sequence[RatingRow], rows: Ints, sides: Mapping[str, str]) -> Iterator[KeyMeasure]:
    """The mean of each source less that of the references, or else of the first source; the mean where there is one."""
    text = np.unique([rating.text for rating in ratings], return_inverse=True)[1]
    value = np.array([float(rating.value) for rating in ratings])
    side = np.array([sides[rating.text] for rating in ratings])
    key, sources = key_of(criterion, AnswerType.ORDINAL), _ordered(side.tolist())
    if len(sources) == 1:
        yield KeyMeasure(key, f"{criterion}, {sources[0]}: mean", rows, value, text, percent=False)
    for source in sources[1:MAX_SOURCES]:
        mine = (side == source) | (side == sources[0])
        columns = (rows[mine], value[mine], text[mine], side[mine] == sources[0])
        yield KeyMeasure(key, f"{criterion}, {source} less {sources[0]}", *columns, percent=False, middle=0.0)


def _win_rates(
    criterion: str, ratings: Sequence[RatingRow], rows: Ints, sides: Mapping[str, str]
) -> Iterator[KeyMeasure]:
    """Of each two sources that met: how often a text of the first was preferred, ties half."""
    met: defaultdict[tuple[str, str], list[tuple[int, float]]] = defaultdict(list)
    for row, rating in zip(rows.tolist(), ratings, strict=True):
        first, second = sides[rating.text], sides[str(rating.partner)]
        won = 0.5 + 0.5 * float(np.sign(float(rating.value)))
        if first == REFERENCES or (second != REFERENCES and second < first):
            first, second, won = second, first, 1 - won
        met[first, second].append((row, won))
    for (first, second), votes in sorted(met.items()):
        key, name = key_of(criterion, AnswerType.PREFERENCE), f"{criterion}: {first} preferred to {second}"
        row, won_by = (np.array(column) for column in zip(*votes, strict=True))
        yield mean_of_answers(key, name, row, won_by.astype(np.float64), middle=0.5)


def _choices(
    criterion: str, ratings: Sequence[RatingRow], rows: Ints, sides: Mapping[str, str]
) -> Iterator[KeyMeasure]:
    """How often a generator's text was chosen where it was shown."""
    side = np.array([sides[rating.text] for rating in ratings])
    value = np.array([float(bool(rating.value)) for rating in ratings])
    for source in _ordered(side.tolist()):
        mine = side == source
        if source != REFERENCES:
            key = key_of(criterion, AnswerType.CHOSEN_TEXT)
            yield mean_of_answers(key, f"{criterion}, {source}: chosen", rows[mine], value[mine])


def _labels(
    criterion: str,
    ratings: Sequence[RatingRow],
    rows: Ints,
    sides: Mapping[str, str],
) -> Iterator[KeyMeasure]:
    """How often each label was chosen for the texts of each source; several labels of a text are one answer."""
    answers: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
    for row, rating in zip(rows.tolist(), ratings, strict=True):
        answers[row, rating.text].add(rating.label)
    labels = sorted({(rating.value, rating.label) for rating in ratings})[:MAX_LABELS]
    for source in _ordered([sides[rating.text] for rating in ratings])[:MAX_SOURCES]:
        mine = [(row, chosen) for (row, text), chosen in answers.items() if sides[text] == source]
        row = np.array([row for row, _chosen in mine], dtype=np.int64)
        for _code, label in labels:
            value = np.array([float(label in chosen) for _row, chosen in mine])
            key = key_of(criterion, AnswerType.SINGLE_LABEL, label)
            yield mean_of_answers(key, f"{source}: {label}", row, value)


def _ordered(sides: Sequence[str]) -> list[str]:
    """The references first, then the generators by name."""
    return sorted(set(sides), key=lambda name: (name != REFERENCES, name))


def _excluded(report_input: ReportInput, submissions: Mapping[str, int]) -> Iterator[tuple[str, Bools]]:
    """Each rule that excludes a submission, then those of the study together, with the submissions excluded."""
    units = {assignment.id: unit_of(assignment.hit, assignment.rater) for assignment in report_input.assignments}

    def mask(rules: Sequence[RuleFacts]) -> Bools:
        out = np.zeros(len(submissions), dtype=np.bool_)
        for assignment in {name for rule in rules for name in rule.assignments}:
            if units.get(assignment) in submissions:
                out[submissions[units[assignment]]] = True
        return out

    rules = [rule for rule in report_input.rules or () if rule.assignments]
    for rule in rules:
        yield rule.name, mask([rule])
    joined = [rule for rule in rules if not rule.alone]
    if len(joined) > 1:
        yield TOGETHER, mask(joined)


def _row(headline: KeyMeasure, name: str, out: Bools, draws: int, seed: int) -> EffectRow:
    removed = int(out.sum())
    low, high = random_band(headline, len(out), removed, draws=draws, seed=seed)
    return EffectRow(name, removed, _known(headline.compute(~out)), _known(low), _known(high))


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value
