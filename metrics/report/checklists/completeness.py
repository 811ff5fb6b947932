"""What a reviewer asks of every human evaluation, and how much of it is recorded.

The items are those that van der Lee et al. (2019) and Karpinska et al. (2021) ask to be reported, in our words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from metrics.report.records import ReportInput


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """One item: what is asked, whether it is recorded, and what to record where it is not."""

    item: str
    recorded: bool
    hint: str


def check_completeness(report_input: ReportInput) -> tuple[ChecklistItem, ...]:
    """Every item that applies, in a fixed order: preferences between two texts have no measure of agreement."""
    items = [item for item in ITEMS if not (report_input.in_pairs and item[0] == AGREEMENT)]
    return tuple(ChecklistItem(item, test(report_input), hint) for item, test, hint in items)


def completeness_score(checklist: tuple[ChecklistItem, ...]) -> str:
    """`11 of 13`."""
    return f"{sum(item.recorded for item in checklist)} of {len(checklist)}"


def _has_included_ratings(report_input: ReportInput) -> bool:
    return any(rating.kept for rating in report_input.ratings)


def _rated(report_input: ReportInput) -> bool:
    return _has_included_ratings(report_input) or any(
        item.ratings for facts in report_input.generators for item in facts.items
    )


Test = Callable[[ReportInput], bool]
AGREEMENT = "Agreement of raters"
ITEMS: tuple[tuple[str, Test, str], ...] = (
    ("Qualifications of raters", lambda g: bool(g.crowd.criteria), "who was let in, and by what rule"),
    (
        "Pay",
        lambda g: g.money.reward_cents is not None or g.money.paid_cents is not None or bool(g.crowd.pays),
        "the reward and the wage",
    ),
    (
        "Instructions and question",
        lambda g: bool(g.study.instructions) and g.study.question not in ("", "not recorded"),
        "the words that raters read",
    ),
    ("Number of items", lambda g: bool(g.texts), "the texts"),
    ("Number of raters", lambda g: g.crowd.workers is not None or _has_included_ratings(g), "the people"),
    ("Ratings of each item", _rated, "the ratings"),
    ("Scale", lambda g: bool(g.study.scale), "the labels and their codes"),
    (AGREEMENT, _has_included_ratings, "the single ratings, not their means"),
    ("Statistical test", lambda g: bool(g.generators) or _has_included_ratings(g), "results with a test"),
    ("Exclusions", lambda g: g.flags is not None or g.quality is not None, "the quality rules, or that none was run"),
    ("Dates", lambda g: g.study.collected_from is not None, "when the ratings were given"),
    ("Interface", lambda g: bool(g.pages), "the pages as raters saw them"),
    (
        "Ethics and consent",
        lambda g: bool(g.crowd.ethics) and bool(g.crowd.consent),
        "the approval and how consent was asked",
    ),
)
