"""What a reviewer asks of every human evaluation, and how much of it is recorded.

The items are those that van der Lee et al. (2019) and Karpinska et al. (2021) ask to be reported, in our words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from metrics.report.checklists.computed import Computed
from metrics.report.records import ReportInput


@dataclass(frozen=True, slots=True)
class ChecklistItem:
    """One item: what is asked, whether it is recorded, and what to record where it is not.

    printed_as: what the appendix calls it where it lists what is not recorded.
    """

    item: str
    recorded: bool
    hint: str
    printed_as: tuple[str, ...] = ()


def check_completeness(report_input: ReportInput, computed: Computed) -> tuple[ChecklistItem, ...]:
    """Every item that applies, in a fixed order: preferences between two texts have no measure of agreement."""
    items = [item for item in ITEMS if not (report_input.in_pairs and item[0] == AGREEMENT)]
    return tuple(
        ChecklistItem(
            item, test(report_input, computed), _hint_on_ethics(report_input) if item == ETHICS else hint, printed
        )
        for item, test, hint, printed in items
    )


def _hint_on_ethics(report_input: ReportInput) -> str:
    lacking = {"the approval": report_input.crowd.ethics, "how consent was asked": report_input.crowd.consent}
    return " and ".join(words for words, fact in lacking.items() if not fact)


def completeness_score(checklist: tuple[ChecklistItem, ...]) -> str:
    """`11 of 13`."""
    return f"{sum(item.recorded for item in checklist)} of {len(checklist)}"


def _rated(report_input: ReportInput) -> bool:
    return bool(report_input.ratings) or any(item.ratings for facts in report_input.generators for item in facts.items)


def _knows_scales(report_input: ReportInput) -> bool:
    """That of the first criterion, and of each other: it has the same labels, or the task text is stored."""
    study, names = report_input.study, {label.name for label in report_input.study.scale}
    first = study.answers[0][0] if study.answers else None
    further = {criterion for criterion, _ in study.answers[1:]}
    labels = {(rating.criterion, rating.label) for rating in report_input.ratings}
    criteria = {criterion for criterion, _ in labels}
    if first is None and len(criteria) == 1:
        first = next(iter(criteria))
    is_same = further <= criteria and all(label in names for criterion, label in labels if criterion != first)
    return bool(names) and (is_same or report_input.task_plan is not None)


def _knows_exclusions(report_input: ReportInput) -> bool:
    """By rules, in words, or because nothing was excluded; of an import, exclusions before it are not known."""
    none_excluded = report_input.crowd.excluded == 0 and report_input.study.mode != "imported"
    return report_input.flags is not None or report_input.quality is not None or none_excluded


Test = Callable[[ReportInput, Computed], bool]
AGREEMENT, TEST = "Agreement of raters", "Statistical test"
ETHICS = "Ethics and consent"
ITEMS: tuple[tuple[str, Test, str, tuple[str, ...]], ...] = (
    (
        "Qualifications of raters",
        lambda g, _: bool(g.crowd.criteria),
        "who was let in, and by what rule",
        ("Criteria that raters met",),
    ),
    (
        "Pay",
        lambda g, _: g.money.reward_cents is not None or g.money.paid_cents is not None or bool(g.crowd.pays),
        "the reward and the wage",
        ("Pay",),
    ),
    (
        "Instructions and question",
        lambda g, _: bool(g.study.instructions) and g.study.question not in ("", "not recorded"),
        "the words that raters read",
        ("Instructions as shown", "Question as shown"),
    ),
    ("Number of items", lambda g, _: bool(g.texts), "the texts", ("Items by source",)),
    ("Number of raters", lambda g, _: g.raters is not None, "the people", ("Number of raters",)),
    ("Ratings of each item", lambda g, _: _rated(g), "the ratings", ("Ratings per text",)),
    (
        "Scale",
        lambda g, _: _knows_scales(g),
        "the labels of every criterion and their codes",
        ("Scale of every criterion",),
    ),
    (
        AGREEMENT,
        lambda _, computed: bool(computed.agreement),
        "one label by each of several raters of a text",
        ("Agreement of raters",),
    ),
    (TEST, lambda _, computed: computed.is_tested, "results with a test", (TEST,)),
    (
        "Exclusions",
        lambda g, _: _knows_exclusions(g),
        "the quality rules, or that none was run",
        ("Exclusions",),
    ),
    ("Dates", lambda g, _: g.study.collected_from is not None, "when the ratings were given", ("First submission",)),
    ("Interface", lambda g, _: bool(g.pages), "the pages as raters saw them", ("Pages as raters saw them",)),
    (
        ETHICS,
        lambda g, _: bool(g.crowd.ethics) and bool(g.crowd.consent),
        "",
        ("Ethics approval", "Consent"),
    ),
)
