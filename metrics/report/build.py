"""Compute a report: every estimate in both modes, every text's judgment, the pictures and the sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

from metrics.components import evaluate_rated
from metrics.errors import BadInput
from metrics.huse import evaluate
from metrics.judgments import human_judgments, sum_ratings
from metrics.report import findings, pictures
from metrics.report.records import GeneratorFacts, RatingRow, ReportInput
from metrics.report.result import GeneratorReport, Judged, Report
from metrics.types import HumanJudgment, HuseResult, Item, Mode, Rating

Progress = Callable[[str, int, int], None]  # what is being done, how many generators are done, of how many
WRITTEN = Fraction(1, 10**9)  # an HJ that came as a rounded decimal may lie this far from the mean of its ratings


def build(
    given: ReportInput, *, level: float = 0.95, seed: int = 0, k: int = 16, progress: Progress | None = None
) -> Report:
    """Compute everything a report says.

    level: of every interval, in (0, 1). seed: of every draw. k: neighbours of HUSE. `progress` is told the step, how
    many generators are done, and of how many. Raises the errors of `metrics.huse.evaluate`, and BadInput where
    records contradict each other (an item without its text, an HJ that is not the mean of its ratings).
    """
    _check(given)
    tell = progress or _silent
    judgments = _judgments(given.ratings, level)
    judged = {facts.name: _judged(facts, judgments) for facts in given.generators}
    modes: dict[str, Mapping[Mode, HuseResult]] = {}
    for done, facts in enumerate(given.generators):
        tell(f"HUSE of {facts.name}", done, len(given.generators))
        modes[facts.name] = _huse(facts, given.ratings, k=k, seed=seed, level=level)
    tell("figures", len(given.generators), len(given.generators))
    generators = tuple(
        GeneratorReport(facts, modes[facts.name], judged[facts.name], panel)
        for facts, panel in zip(given.generators, pictures.panels(given, judged, modes, k), strict=True)
    )
    warned = findings.warnings(given, generators)
    return Report(
        input=given,
        level=level,
        seed=seed,
        k=k,
        generators=generators,
        sources=pictures.source_rows(given, judged, level),
        ratings_per_text=_distribution(judged.values()),
        warnings=warned,
        verdicts=findings.verdicts(generators),
        limits=findings.limits(generators, warned),
    )


def _huse(
    facts: GeneratorFacts, ratings: Sequence[RatingRow], *, k: int, seed: int, level: float
) -> Mapping[Mode, HuseResult]:
    """HUSE in both modes; where every text has its ratings, with intervals that know who rated what."""
    own = {item.id for item in facts.items}
    kept = [Rating(one.text, one.rater, Fraction(one.value), one.hit or "") for one in ratings if one.kept]
    kept = [rating for rating in kept if rating.item in own]
    if {rating.item for rating in kept} == own:
        return evaluate_rated(facts.items, kept, k=k, seed=seed, level=level)
    return evaluate(facts.items, k=k, seed=seed, level=level)


def _silent(step: str, done: int, total: int) -> None:
    """Tell nobody."""


def _check(given: ReportInput) -> None:
    """The records agree: names once, every item and every rating has its text."""
    names = [facts.name for facts in given.generators]
    if not names or len(set(names)) < len(names):
        raise BadInput("a report needs at least one generator, each with a name of its own", column="generators")
    texts = {text.id for text in given.texts}
    if len(texts) < len(given.texts):
        raise BadInput("every text needs an id of its own", column="texts")
    for facts in given.generators:
        for item in facts.items:
            if item.id not in texts:
                raise BadInput("the item has no text of its id", where=f"generator {facts.name}, item {item.id}")
    for rating in given.ratings:
        if rating.text not in texts:
            raise BadInput("the rating has no text of its id", where=f"rating of {rating.text} by {rating.rater}")


def _judgments(ratings: Sequence[RatingRow], level: float) -> Mapping[str, HumanJudgment]:
    """HJ by text, from the ratings that were kept."""
    kept = [Rating(one.text, one.rater, Fraction(one.value), one.hit or "") for one in ratings if one.kept]
    return human_judgments(sum_ratings(kept), level=level).items if kept else {}


def _judged(facts: GeneratorFacts, judgments: Mapping[str, HumanJudgment]) -> tuple[Judged, ...]:
    return tuple(_judge(item, judgments.get(item.id)) for item in facts.items)


def _judge(item: Item, own: HumanJudgment | None) -> Judged:
    """The item with its judgment, checked against the mean of its ratings where these are known."""
    if own is None:
        return Judged(item, item.hj, None, item.ratings)
    if item.hj is None or abs(own.value - item.hj) > WRITTEN:
        rule = f"HJ is {item.hj}, but the mean of its {own.n} ratings is {own.value}"
        raise BadInput(rule, where=f"item {item.id}", column="hj")
    return Judged(item, item.hj, own.interval, own.n)


def _distribution(judged: Iterable[Sequence[Judged]]) -> tuple[tuple[int, int], ...]:
    """How many texts have how many ratings."""
    counts = {one.item.id: one.ratings for own in judged for one in own}
    return tuple(sorted(Counter(counts.values()).items()))
