"""Which of the texts of a context was chosen: how often one of each source, against the chance of 1 in k."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metrics.data.answer_types import AnswerType
from metrics.data.sentence import Sentence, template
from metrics.inference.distributions import t_two_sided
from metrics.inference.rating_means import RatedBy, mean_of_ratings, share_of_answers, share_p_value, weights_by_text
from metrics.report.records import RatingRow, ReportInput
from metrics.report.section import Measured
from metrics.report.section_kind import Options, SectionKind
from metrics.report.sections.estimate_figures import draw_tables
from metrics.report.wording import name_criterion, plural
from metrics.report.wording import share as format_share
from metrics.tables.record import Cell, Column, Row, Table, as_records
from metrics.types import Estimate

REFERENCES = "references"
CAPTION = template(
    "captions.chosen",
    "How often a text of each source was chosen ({criterion}), against chance; {level:g}% intervals over new contexts "
    "{raters}.",
    "ratings.criterion",
    "options.level",
    "options.these_raters",
)
FINDING = template(
    "summary.chosen",
    "Raters chose a text of {source} in {words} of cases ({criterion}), where chance gives {chance:.1f}%; {contexts}, "
    "{raters}.",
    "ratings.criterion",
    "ratings.value",
    "ratings.kept",
    "ratings.rater",
    "texts.context_id",
    "texts.generator",
    "options.level",
    "options.these_raters",
)
CHANCE = (
    "Chance is 1/k for a source with one of the k texts of a context; contexts count alike. A difference "
    "whose interval holds 0 does not show that raters guess."
)
COLUMNS = (
    Column("source", "Source"),
    Column("chosen", "Chosen", "share_estimate", n="n", digits=1),
    Column("chance", "By chance", "share", digits=1),
    Column("difference", "Chosen less chance", "share_estimate", n="n", digits=1, points=True),
    Column("p", "p", "p"),
    Column("contexts", "Contexts", "count"),
    Column("raters", "Raters", "count"),
    Column("n", "Answers", "count"),
)


@dataclass(frozen=True, slots=True)
class Choice:
    """What one rater chose in one context. shown: texts of each source; chosen: whose text that was. task: None where
    it is not known."""

    context: str
    rater: str
    shown: tuple[tuple[str, int], ...]
    chosen: str
    task: str | None = None


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices on one criterion. incomplete: answers in which not exactly one text was chosen."""

    criterion: str
    choices: tuple[Choice, ...]
    incomplete: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """The rows of one criterion, in the order of the sources."""

    criterion: str
    rows: tuple[Row, ...]
    incomplete: int
    level: float
    these_raters: bool

    def records(self) -> Iterator[dict[str, Cell]]:
        """The rows by the keys of the columns."""
        return as_records(COLUMNS, self.rows)


def gather(report_input: ReportInput) -> tuple[Choices, ...] | None:
    """Choices by criterion; None where no question asks for one."""
    # By criterion, not by rating: what an answer is may have to be read from all ratings.
    criteria = dict.fromkeys(rating.criterion for rating in report_input.ratings)
    chosen = {name for name in criteria if report_input.answer_of(name) is AnswerType.CHOSEN_TEXT}
    if not chosen:
        return None
    answers: defaultdict[str, defaultdict[tuple[str, str], list[RatingRow]]] = defaultdict(lambda: defaultdict(list))
    texts = {text.id: text for text in report_input.texts}
    for rating in report_input.ratings:
        if rating.kept and rating.criterion in chosen:
            context = texts[rating.text].context_id or rating.text
            answers[rating.criterion][context, rating.unit].append(rating)
    sources = {name: text.generator or REFERENCES for name, text in texts.items()}
    return tuple(_choices(criterion, groups, sources) for criterion, groups in answers.items()) or None


def _choices(criterion: str, groups: dict[tuple[str, str], list[RatingRow]], sources: dict[str, str]) -> Choices:
    choices = []
    for (context, _), group in groups.items():
        chosen = [sources[rating.text] for rating in group if rating.value]
        if len(chosen) == 1 and len(group) > 1:
            shown = Counter(sources[rating.text] for rating in group)
            choices.append(Choice(context, group[0].rater, tuple(shown.items()), chosen[0], group[0].hit))
    return Choices(criterion, tuple(choices), len(groups) - len(choices))


def compute(criteria: Sequence[Choices], options: Options) -> tuple[Chosen, ...]:
    """For each source: its share of the choices where it was shown, chance, their difference and its test."""
    options.announce("chosen texts")
    return tuple(
        Chosen(
            choices.criterion,
            tuple(share_rows(choices.choices, options.level, these_raters=options.these_raters)),
            choices.incomplete,
            options.level,
            options.these_raters,
        )
        for choices in criteria
    )


def share_rows(choices: Sequence[Choice], level: float, *, these_raters: bool = False) -> Iterator[Row]:
    """Of each source, where it was shown: chosen, by chance, their difference with p, contexts, raters, answers."""
    sources = dict.fromkeys(source for choice in choices for source, _ in choice.shown)
    for source in sorted(sources, key=REFERENCES.__eq__):
        shown = [choice for choice in choices if source in dict(choice.shown)]
        contexts, raters, tasks = ([getattr(each, name) for each in shown] for name in ("context", "rater", "task"))
        by = RatedBy(contexts, raters, tasks)
        picked = [float(choice.chosen == source) for choice in shown]
        chance = [dict(choice.shown)[source] / sum(n for _, n in choice.shown) for choice in shown]
        weight, same_chance = weights_by_text(contexts), len(set(chance)) == 1
        share = share_of_answers(by, picked, weight=weight, these_raters=these_raters, level=level)
        by_chance = chance[0] if same_chance else float(weight @ np.array(chance))
        above = [a - b for a, b in zip(picked, chance, strict=True)]
        excess = mean_of_ratings(by, above, weight=weight, these_raters=these_raters, level=level)
        p = _p_of(excess)
        if same_chance and 0 < by_chance < 1:
            p = share_p_value(by, picked, by_chance, weight=weight, these_raters=these_raters)
        excess = _within_bounds(excess, share, by_chance, same_chance=same_chance)
        counts = (len(set(contexts)), len(set(raters)), len(shown))
        yield (source, share, by_chance, excess, p, *counts)


def _within_bounds(excess: Estimate, share: Estimate, chance: float, *, same_chance: bool) -> Estimate:
    """The excess over chance with limits that a share can reach: the share's, less chance, where chance is the same in
    all answers; else its own as far as shares go."""
    if same_chance and (limits := share.interval) is not None:
        return replace(excess, interval=replace(limits, low=limits.low - chance, high=limits.high - chance))
    if excess.interval is None:
        return excess
    low, high = max(excess.interval.low, -chance), min(excess.interval.high, 1 - chance)
    return replace(excess, interval=replace(excess.interval, low=low, high=high))


def _p_of(difference: Estimate) -> float | None:
    error = difference.settings.get("se")
    if difference.value is None or not error:
        return None
    return t_two_sided(difference.value / float(error), float(difference.settings["df"] or 0))


def conclude(result: Sequence[Chosen]) -> Iterator[Sentence]:
    """How often a text of each generator was chosen, in words."""
    for each in result:
        for row in each.records():
            source, share, chance = (row[key] for key in ("source", "chosen", "chance"))
            if source != REFERENCES and isinstance(share, Estimate) and share.value is not None:
                yield FINDING.fill(
                    source=str(source),
                    words=format_share(share.value, share.interval),
                    criterion=name_criterion(each.criterion),
                    chance=100 * float(str(chance)),
                    contexts=plural(int(str(row["contexts"])), "context"),
                    raters=plural(int(str(row["raters"])), "rater"),
                )


def tables(result: Sequence[Chosen]) -> Iterator[Table]:
    """One table for each criterion."""
    for each in result:
        if each.rows:
            notes = (f"Answers without exactly one choice, not counted: {each.incomplete}.",) if each.incomplete else ()
            whom = "with these raters" if each.these_raters else "and new raters"
            title = CAPTION.fill(criterion=name_criterion(each.criterion), level=100 * each.level, raters=whom)
            yield Table(f"chosen-{each.criterion}", title, COLUMNS, each.rows, (CHANCE, *notes))


def measures(result: Sequence[Chosen]) -> Iterator[Measured]:
    """How often each generator's text was chosen."""
    for each in result:
        for row in each.records():
            if row["source"] != REFERENCES and isinstance(row["chosen"], Estimate):
                yield Measured(str(row["source"]), f"Chosen ({name_criterion(each.criterion)})", row["chosen"])


SECTIONS = (
    SectionKind(
        key="chosen",
        title="Chosen texts",
        order=78,
        gather=gather,
        compute=compute,
        tables=lambda result: tuple(tables(result)),
        figures=lambda result: draw_tables(tuple(tables(result))),
        measures=lambda result: tuple(measures(result)),
        sentences=lambda result: tuple(conclude(result)),
        is_compared=True,
    ),
)
