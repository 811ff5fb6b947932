"""Each generator of each study as a comparison takes it: ids are separate by study, contexts are shared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from metrics.report.records import GeneratorFacts, ReportInput
from metrics.report.sections.huse_extras import CRITERION
from metrics.report.wording import quote
from metrics.types import Item, Rating

SEPARATOR = " / "


@dataclass(frozen=True, slots=True)
class System:
    """One generator of one study. block: the study's name. items, ratings: with ids of their own in this comparison;
    texts of one context have the context's id in every study that shows the same context."""

    name: str
    block: str
    facts: GeneratorFacts
    items: tuple[Item, ...]
    ratings: tuple[Rating, ...]

    @property
    def rated(self) -> bool:
        """Whether every text has its single ratings."""
        return {item.id for item in self.items} == {rating.item for rating in self.ratings}

    @property
    def quality_only(self) -> bool:
        """Whether no text has a log-probability."""
        return all(item.log_prob is None for item in self.items)


def systems_of(studies: Sequence[ReportInput]) -> tuple[System, ...]:
    """Every generator in the order of the studies. A context is the same where its id and its words are."""
    shown: dict[tuple[str, str], set[str]] = {}
    for report_input in studies:
        for text in report_input.texts:
            if text.context_id is not None:
                shown.setdefault((text.context_id, text.context or ""), set()).add(report_input.study.name)
    once = sum(len(report_input.generators) for report_input in studies) == len(
        {g.name for report_input in studies for g in report_input.generators}
    )
    return tuple(
        _system(report_input, facts, _contexts(report_input, shown), alone=once)
        for report_input in studies
        for facts in report_input.generators
    )


def studies_share_contexts(systems: Sequence[System]) -> bool:
    """Whether two studies of these systems show the same context; generators of one study alone do not count."""
    by_study: dict[str, set[str]] = {}
    for system in systems:
        by_study.setdefault(system.block, set()).update(item.context for item in system.items if item.context)
    return any(first & second for first, second in combinations(by_study.values(), 2))


def _contexts(report_input: ReportInput, shown: dict[tuple[str, str], set[str]]) -> dict[str, str]:
    """The id of each context in the comparison: its own where another study shows the same one, else the study's."""
    names = {}
    for text in report_input.texts:
        if text.context_id is not None:
            shared = len(shown[text.context_id, text.context or ""]) > 1 and bool(text.context)
            names[text.context_id] = (
                text.context_id if shared else f"{report_input.study.name}{SEPARATOR}{text.context_id}"
            )
    return names


def _system(report_input: ReportInput, facts: GeneratorFacts, contexts: dict[str, str], *, alone: bool) -> System:
    study = report_input.study.name
    texts = {item.id for item in facts.items}
    items = tuple(
        replace(
            item,
            id=f"{study}{SEPARATOR}{item.id}",
            context=None if item.context is None else contexts.get(item.context, f"{study}{SEPARATOR}{item.context}"),
        )
        for item in facts.items
    )
    ratings = tuple(
        Rating(f"{study}{SEPARATOR}{rating.text}", rating.rater, Fraction(rating.value), rating.hit or "")
        for rating in report_input.ratings
        if rating.kept and rating.criterion == CRITERION and rating.text in texts
    )
    name = facts.name if alone else f"{facts.name} of {quote(study)}"
    return System(name, study, facts, items, ratings)
