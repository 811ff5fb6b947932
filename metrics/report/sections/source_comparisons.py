"""Every comparison of a study's sources, criterion by criterion, with its verdict."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import exp
from typing import Literal, Self

from metrics.data.answer_types import AnswerType
from metrics.data.criterion_names import TYPICAL
from metrics.errors import InsufficientData, MetricsError
from metrics.inference.bradley_terry import Strengths, bradley_terry_votes
from metrics.inference.cluster_variances import ClusterTarget
from metrics.inference.distributions import t_two_sided
from metrics.inference.equivalence import Margin
from metrics.inference.rank_sets import Better
from metrics.inference.rating_differences import RatingDifference, rating_difference
from metrics.inference.rating_means import RatedBy, mean_of_ratings, share_of_answers, weights_by_text
from metrics.inference.verdicts import Verdict, decide, not_comparable
from metrics.report.records import RatingRow, ReportInput
from metrics.report.row_records import ComparisonPlan
from metrics.types import Estimate, Interval

REFERENCES = "references"
Kind = Literal["rating", "human", "preference", "accuracy"]
Pair = tuple[str, str]
Target = ClusterTarget | None  # None: new items and raters, where both are known
GENERATORS, AGAINST = "pairs of generators", "each generator against the references"
SOURCES, MAIN, OTHERS, ARMS = "pairs of sources", "main comparison", "other comparisons", "pairs of trainings"
HUMAN_LABELS = 2  # of who wrote a text: answers 1 and 2 say a person


@dataclass(frozen=True, slots=True)
class Judged:
    """One criterion: who is better than whom. names: sources (or trainings) in the order of the study.

    kind: what the numbers are: `rating`s as coded; shares taken for `human`; log odds of a `preference`; `accuracy`
    between trainings. verdicts: of every pair. families: (name, how many comparisons it tests). means: of each source,
    where it has one. alpha: of each family.
    """

    criterion: str
    kind: Kind
    names: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    families: tuple[tuple[str, int], ...]
    means: tuple[tuple[str, Estimate], ...]
    alpha: float

    def of(self, first: str, second: str) -> Verdict | None:
        """The verdict on a pair, in whichever order it was compared; None where it was not."""
        return next((each for each in self.verdicts if {each.first, each.second} == {first, second}), None)

    def better(self) -> Better:
        """Pairs of which the first is better than the second by the adjusted p-value, equivalent or not."""
        pairs = set()
        for each in self.verdicts:
            value = each.comparison.difference.value if each.comparison else None
            if value and each.outcome != "too small" and each.adjusted_p is not None and each.adjusted_p <= self.alpha:
                pairs.add((each.first, each.second) if value > 0 else (each.second, each.first))
        return pairs


def compare_sources(report_input: ReportInput, *, level: float, these_raters: bool = False) -> Iterator[Judged]:
    """Every criterion that has ratings of two sources: scales, who wrote a text, preferences; then trainings.

    these_raters: intervals and tests are for new contexts with these raters; of trainings, which have evaluators of
    their own, always for new evaluators as well.
    """
    study = _Study(report_input, declared_comparison(report_input), level, "items" if these_raters else None)
    by_criterion = _by_criterion(report_input)
    for criterion, ratings in _in_order(by_criterion, study.plan):
        kind = study.kind(criterion, ratings)
        if kind is not None:
            yield study.judged(criterion, kind, ratings)
    for criterion in report_input.criteria_of(AnswerType.TWO_SIDED) & by_criterion.keys():
        yield from _trainings(by_criterion[criterion], report_input, level)


def has_comparison(report_input: ReportInput) -> bool:
    """Whether a criterion has ratings of two sources that can be compared."""
    study = _Study(report_input, ComparisonPlan(), 0.95)
    return any(study.kind(criterion, ratings) for criterion, ratings in _by_criterion(report_input).items())


def _by_criterion(report_input: ReportInput) -> dict[str, list[RatingRow]]:
    by_criterion: defaultdict[str, list[RatingRow]] = defaultdict(list)
    for rating in report_input.ratings:
        if rating.kept:
            by_criterion[rating.criterion].append(rating)
    return by_criterion


def declared_comparison(report_input: ReportInput) -> ComparisonPlan:
    """What the plan declares of the comparison; nothing where there is no plan."""
    plan = report_input.plan.comparison if report_input.plan else None
    return plan or ComparisonPlan()


def has_several(ratings: Sequence[RatingRow]) -> bool:
    """Whether a rater may give several labels to one text, so that it has no mean."""
    return max(Counter((rating.text, rating.rater, rating.hit) for rating in ratings).values()) > 1


def _in_order(by_criterion: dict[str, list[RatingRow]], plan: ComparisonPlan) -> Iterable[tuple[str, list[RatingRow]]]:
    """The declared criterion first, then that of HUSE, then as they occur."""
    return sorted(by_criterion.items(), key=lambda item: (item[0] != plan.criterion, item[0] != TYPICAL))


class _Study:
    """What all criteria of a study share."""

    def __init__(
        self, report_input: ReportInput, plan: ComparisonPlan, level: float, target: ClusterTarget | None = None
    ) -> None:
        self.report_input, self.plan, self.level, self.target = report_input, plan, level, target
        self.alpha = round(1 - level, 12)
        self.side = {text.id: text.generator or REFERENCES for text in report_input.texts}
        self.contexts = {text.id: text.context_id for text in report_input.texts}

    def kind(self, criterion: str, ratings: Sequence[RatingRow]) -> Kind | None:
        """What the numbers of a criterion are; None where there is nothing to compare."""
        if len(self._names(ratings)) < 2:
            return None
        if ratings[0].partner is not None:
            return "preference"
        answer = self.report_input.answer_of(criterion)
        if answer is AnswerType.TWO_SIDED:
            return "human"
        return "rating" if answer.has_mean and not has_several(ratings) else None

    def judged(self, criterion: str, kind: Kind, ratings: Sequence[RatingRow]) -> Judged:
        """The verdicts of one criterion."""
        if kind == "preference":
            return self._preferred(criterion, ratings, self._names(ratings))
        return self._rated(criterion, kind, ratings, self._names(ratings))

    def _names(self, ratings: Sequence[RatingRow]) -> tuple[str, ...]:
        """Rated sources in the order of the study's texts, the references last."""
        rated = {self.side[text] for rating in ratings for text in (rating.text, rating.partner) if text is not None}
        ordered = (name for name in dict.fromkeys(self.side.values()) if name in rated)
        return tuple(sorted(ordered, key=REFERENCES.__eq__))

    def _rated(self, criterion: str, kind: Kind, ratings: Sequence[RatingRow], names: tuple[str, ...]) -> Judged:
        values = [_value(rating, kind) for rating in ratings]
        rows = RatingColumns.of(ratings, values, self.side, self.contexts)
        compared: dict[Pair, RatingDifference] = {}
        refused: dict[Pair, str] = {}
        for pair in _pairs(names, self.plan):
            try:
                compared[pair] = rows.compare(pair, self.level, self.target)
            except InsufficientData as error:
                refused[pair] = str(error)
        mean = rows.share if kind == "human" else rows.mean
        means = tuple((name, mean(name, self.level, these_raters=self.target == "items")) for name in names)
        return self._decided(Judged(criterion, kind, names, (), (), means, self.alpha), compared, refused)

    def _preferred(self, criterion: str, ratings: Sequence[RatingRow], names: tuple[str, ...]) -> Judged:
        """Differences of Bradley-Terry strengths, in log odds."""
        compared: dict[Pair, RatingDifference] = {}
        refused: dict[Pair, str] = {}
        means: tuple[tuple[str, Estimate], ...] = ()
        try:
            strengths = fit_strengths(ratings, self.side, self.contexts, names, self.level, self.target)
            compared = {(each.first, each.second): each for each in _as_differences(strengths, self.plan)}
            means = tuple(strengths.log_strength.items())
        except MetricsError as error:
            refused = dict.fromkeys(_pairs(names, self.plan), str(error))
        return self._decided(Judged(criterion, "preference", names, (), (), means, self.alpha), compared, refused)

    def _decided(self, judged: Judged, compared: dict[Pair, RatingDifference], refused: dict[Pair, str]) -> Judged:
        """With the verdicts, family by family."""
        declared = self.plan.criterion in ("", judged.criterion)
        has_margin = self.plan.criterion == judged.criterion or (declared and judged.kind == "rating")
        margin = margin_of(self.report_input, self.plan) if has_margin else None
        families: defaultdict[str, list[Pair]] = defaultdict(list)
        for pair in (*compared, *refused):
            families[_family(pair, self.plan, declared)].append(pair)
        verdicts: dict[Pair, Verdict] = {}
        for family, pairs in families.items():
            tested = [pair for pair in pairs if pair in compared]
            decisions = decide([compared[pair] for pair in tested], family=family, margin=margin, alpha=self.alpha)
            verdicts |= dict(zip(tested, decisions, strict=True))
        verdicts |= {pair: not_comparable(*pair, why) for pair, why in refused.items()}
        sizes = tuple((family, sum(pair in compared for pair in pairs)) for family, pairs in families.items())
        return replace(judged, verdicts=tuple(verdicts.values()), families=sizes)


def _value(rating: RatingRow, kind: Kind) -> Fraction | int:
    return int(rating.value <= HUMAN_LABELS) if kind == "human" else rating.value


def _pairs(names: Sequence[str], plan: ComparisonPlan) -> Iterator[Pair]:
    """Every pair once; the declared one in its declared order."""
    for pair in combinations(names, 2):
        yield (plan.first, plan.second) if set(pair) == {plan.first, plan.second} else pair


@dataclass(frozen=True, slots=True)
class RatingColumns:
    """Columns of all ratings of a criterion, from which differences of sources are computed everywhere."""

    text: tuple[str, ...]
    context: tuple[str | None, ...]
    rater: tuple[str | None, ...]
    task: tuple[str | None, ...]
    source: tuple[str, ...]
    value: tuple[float, ...]

    @classmethod
    def of(
        cls,
        ratings: Sequence[RatingRow],
        values: Iterable[Fraction | int],
        side: Mapping[str, str],
        contexts: Mapping[str, str | None],
    ) -> Self:
        """Of ratings with their values. side, contexts: of each text."""
        return cls(
            tuple(rating.text for rating in ratings),
            tuple(contexts[rating.text] for rating in ratings),
            tuple(rating.rater or None for rating in ratings),
            tuple(rating.hit for rating in ratings),
            tuple(side[rating.text] for rating in ratings),
            tuple(map(float, values)),
        )

    def compare(self, pair: Pair, level: float, target: ClusterTarget | None) -> RatingDifference:
        """Paired by context where contexts are recorded; else each text is an item of its own."""
        rows = [at for at, source in enumerate(self.source) if source in pair]
        paired = any(self.context[at] is not None for at in rows)
        source = [self.source[at] for at in rows]
        by = self._rated_by(rows)
        columns = (by.item, by.rater, source, self._values(rows), pair)
        return rating_difference(*columns, paired=paired, target=target, level=level)

    def mean(self, name: str, level: float, *, these_raters: bool, by_text: bool = False) -> Estimate:
        """Mean of a source over its contexts, or texts where none is recorded; by_text: over texts in any case."""
        rows = [at for at, source in enumerate(self.source) if source == name]
        weight = weights_by_text([self.text[at] for at in rows]) if by_text else None
        by, values = self._rated_by(rows), self._values(rows)
        return mean_of_ratings(by, values, weight=weight, these_raters=these_raters, level=level)

    def share(self, name: str, level: float, *, these_raters: bool) -> Estimate:
        """Mean of a source's values in [0, 1] over its contexts, or texts where none is recorded, within [0, 1]."""
        rows = [at for at, source in enumerate(self.source) if source == name]
        by = self._rated_by(rows)
        # As in the differences, so that these are those of the shares where each context is rated for both sources.
        weight = weights_by_text(by.item)
        return share_of_answers(by, self._values(rows), weight=weight, these_raters=these_raters, level=level)

    def _rated_by(self, rows: Sequence[int]) -> RatedBy:
        items = [self.context[at] or ("text", self.text[at]) for at in rows]
        return RatedBy(items, [self.rater[at] for at in rows], [self.task[at] for at in rows])

    def _values(self, rows: Sequence[int]) -> list[float]:
        return [self.value[at] for at in rows]


def _family(pair: Pair, plan: ComparisonPlan, declared: bool) -> str:
    if declared and plan.family == "main" and plan.first:
        return MAIN if set(pair) == {plan.first, plan.second} else OTHERS
    if declared and plan.family == "sources":
        return SOURCES
    return AGAINST if REFERENCES in pair else GENERATORS


def margin_of(report_input: ReportInput, plan: ComparisonPlan) -> Margin | None:
    """The declared margin around a difference of 0."""
    if plan.margin is None:
        return None
    return Margin(-plan.margin, plan.margin, report_input.plan.name if report_input.plan else "the plan")


# --- preferences ---


def fit_strengths(
    ratings: Sequence[RatingRow],
    side: dict[str, str],
    contexts: dict[str, str | None],
    names: Sequence[str],
    level: float,
    target: ClusterTarget | None,
) -> Strengths:
    """Strengths of the sources; votes between two texts of one source say nothing. Raises MetricsError."""
    votes = []
    for rating in ratings:
        first, second = side[rating.text], side[str(rating.partner)]
        context = contexts[rating.text]
        shared = context if context == contexts[str(rating.partner)] else None
        sign = (rating.value > 0) - (rating.value < 0)
        if first != second:
            votes.append((shared, rating.rater or None, first, second, (1 + sign) / 2))
    item, rater, left, right, outcome = zip(*votes, strict=True) if votes else ((),) * 5
    return bradley_terry_votes(item, rater, left, right, outcome, names=names, target=target, level=level)


def _as_differences(strengths: Strengths, plan: ComparisonPlan) -> Iterator[RatingDifference]:
    for each in strengths.differences:
        estimate, first, second = each.difference, each.first, each.second
        if (second, first) == (plan.first, plan.second):
            estimate, first, second = turn_round(estimate), second, first
        items, raters = (int(estimate.settings.get(key) or 0) for key in ("items", "raters"))
        target = str(estimate.settings.get("target", ""))
        df = max(1, min(size for name, size in (("items", items), ("raters", raters)) if name in target) - 1)
        error = estimate.settings.get("se")
        if error:
            estimate = replace(estimate, settings={**estimate.settings, "df": df})
        p = t_two_sided((estimate.value or 0) / float(error), df) if error else None
        known = raters if "raters" in target else None
        yield RatingDifference(
            first, second, estimate, _chance(estimate, first, second), p, items, 0, known, raters, estimate.n
        )


def turn_round(difference: Estimate) -> Estimate:
    """The difference the other way round."""
    span = difference.interval
    turned = replace(span, low=-span.high, high=-span.low) if span else None
    return replace(difference, value=None if difference.value is None else -difference.value, interval=turned)


def _chance(estimate: Estimate, first: str, second: str) -> Estimate:
    """The log odds as the chance that the first is preferred, ties half."""
    span = estimate.interval
    ends = Interval(_share(span.low), _share(span.high), span.level, span.method, span.target) if span else None
    signature = estimate.signature.replace("log_strength", "preferred", 1)
    return replace(estimate, value=_share(estimate.value or 0), interval=ends, signature=signature)


def _share(log_odds: float) -> float:
    return 1 / (1 + exp(-log_odds))


# --- trainings ---


def _trainings(ratings: Sequence[RatingRow], report_input: ReportInput, level: float) -> Iterator[Judged]:
    """Accuracy between trainings: other evaluators in each; every evaluator counts alike."""
    training = {condition.name: condition.training for condition in report_input.conditions}
    names = tuple(dict.fromkeys(training[r.condition] for r in ratings if training.get(r.condition)))
    if len(names) < 2:
        return
    machine = {text.id: text.generator is not None for text in report_input.texts}
    contexts = {text.id: text.context_id or text.id for text in report_input.texts}
    rows = [rating for rating in ratings if training.get(rating.condition)]
    columns = (
        [contexts[rating.text] for rating in rows],
        [rating.rater or None for rating in rows],
        [training[rating.condition] for rating in rows],
        [float((rating.value > HUMAN_LABELS) == machine[rating.text]) for rating in rows],
    )
    compared: dict[Pair, RatingDifference] = {}
    refused: dict[Pair, str] = {}
    for pair in combinations(names, 2):
        try:
            compared[pair] = rating_difference(*columns, pair, paired=False, weights="raters", level=level)
        except InsufficientData as error:
            refused[pair] = str(error)
    alpha = round(1 - level, 12)
    decisions = decide(list(compared.values()), family=ARMS, alpha=alpha)
    verdicts = (*decisions, *(not_comparable(*pair, why) for pair, why in refused.items()))
    yield Judged("accuracy", "accuracy", names, verdicts, ((ARMS, len(compared)),), (), alpha)
