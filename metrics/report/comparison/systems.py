"""Each generator of each study as a comparison takes it: ids of one study apart from another's, contexts together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from metrics.report.records import GeneratorFacts, ReportInput
from metrics.report.sections.huse_extras import CRITERION
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
    for given in studies:
        for text in given.texts:
            if text.context_id is not None:
                shown.setdefault((text.context_id, text.context or ""), set()).add(given.study.name)
    once = sum(len(given.generators) for given in studies) == len({g.name for one in studies for g in one.generators})
    return tuple(
        _system(given, facts, _contexts(given, shown), alone=once) for given in studies for facts in given.generators
    )


def _contexts(given: ReportInput, shown: dict[tuple[str, str], set[str]]) -> dict[str, str]:
    """The id of each context in the comparison: its own where another study shows the same one, else the study's."""
    names = {}
    for text in given.texts:
        if text.context_id is not None:
            shared = len(shown[text.context_id, text.context or ""]) > 1 and bool(text.context)
            names[text.context_id] = text.context_id if shared else f"{given.study.name}{SEPARATOR}{text.context_id}"
    return names


def _system(given: ReportInput, facts: GeneratorFacts, contexts: dict[str, str], *, alone: bool) -> System:
    study = given.study.name
    own = {item.id for item in facts.items}
    items = tuple(
        replace(
            item,
            id=f"{study}{SEPARATOR}{item.id}",
            context=None if item.context is None else contexts.get(item.context, f"{study}{SEPARATOR}{item.context}"),
        )
        for item in facts.items
    )
    ratings = tuple(
        Rating(f"{study}{SEPARATOR}{one.text}", one.rater, Fraction(one.value), one.hit or "")
        for one in given.ratings
        if one.kept and one.criterion == CRITERION and one.text in own
    )
    name = facts.name if alone else f"{study}: {facts.name}"
    return System(name, study, facts, items, ratings)
