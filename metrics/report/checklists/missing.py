"""What a report does not know, as one list: what a person can state, and where it would be printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from metrics.report.records import ReportInput


@dataclass(frozen=True, slots=True)
class MissingFact:
    """A fact that nobody has recorded.

    key: of the study detail that states it. name: what it is. hint: what to state. printed_as: its names in the
    appendix, the datasheet and the checklists.
    """

    key: str
    name: str
    hint: str
    printed_as: tuple[str, ...] = ()


def _lacks_statement(key: str) -> Callable[[ReportInput], bool]:
    return lambda facts: facts.statement(key) is None


def _has_people(report_input: ReportInput) -> bool:
    return report_input.study.mode != "rehearsal"


def _lacks_pay(report_input: ReportInput) -> bool:
    money = report_input.money
    return not report_input.crowd.pays and money.reward_cents is None and money.paid_cents is None


def _lacks_plan(report_input: ReportInput) -> bool:
    return report_input.plan is None or not (
        report_input.plan.sentences or report_input.plan.is_logged or report_input.plan.sealed
    )


def _can_plan(report_input: ReportInput) -> bool:
    """Whether the plan can still be stated: one that was stored before the data stays as it was."""
    return report_input.plan is None or not report_input.plan.is_logged


FACTS: tuple[tuple[MissingFact, Callable[[ReportInput], bool]], ...] = (
    (
        MissingFact(
            "ethics",
            "Ethics approval",
            "board and number, or why none was needed",
            ("Ethics approval", "Approval by an ethics committee"),
        ),
        lambda facts: not facts.crowd.ethics,
    ),
    (
        MissingFact("consent", "Consent", "how it was asked", ("Consent",)),
        lambda facts: not facts.crowd.consent,
    ),
    (
        MissingFact("people", "Who the raters are", "crowd workers, students, experts", ("Kind of evaluators",)),
        lambda facts: _has_people(facts) and facts.statement("people") is None,
    ),
    (
        MissingFact("demographics", "Demographics", "as asked, or that none were asked", ("Demographics",)),
        lambda facts: _has_people(facts) and facts.statement("demographics") is None,
    ),
    (
        MissingFact(
            "channel",
            "Recruitment",
            "by which channel raters came",
            ("Recruited through", "How evaluators were recruited"),
        ),
        lambda facts: not facts.crowd.provider,
    ),
    (
        MissingFact("payment", "Payment", "how and what raters were paid", ("How raters were paid", "Pay")),
        _lacks_pay,
    ),
    (
        MissingFact(
            "plan",
            "Plan of the study",
            "hypotheses, tests and exclusions that were planned, or that none were",
            ("Plan of the study", "SHA-256 of the plan", "Plan logged"),
        ),
        _lacks_plan,
    ),
    (
        MissingFact(
            "registered",
            "Registration",
            "address of the registered plan, or that there is none",
            ("Registered", "Registered beforehand"),
        ),
        lambda facts: _can_plan(facts) and (facts.plan is None or facts.plan.registered_where is None),
    ),
    (
        MissingFact(
            "power",
            "Statistical power",
            "planned power, or that none was computed",
            ("Planned power", "Statistical power of the sample"),
        ),
        lambda facts: _can_plan(facts) and (facts.plan is None or facts.plan.power is None),
    ),
    (
        MissingFact(
            "deviations", "Deviations from the plan", "what differed and why, or none", ("Deviations from the plan",)
        ),
        lambda facts: not _lacks_plan(facts) and facts.plan is not None and facts.plan.deviations is None,
    ),
    (
        MissingFact(
            "language",
            "Language of the texts",
            "its English name, such as German",
            ("Language of the texts", "Language of the input", "Language of the output"),
        ),
        lambda facts: not facts.language,
    ),
    (
        MissingFact("licence", "Licence of the texts", "such as CC BY 4.0", ("Licence of the texts",)),
        lambda facts: not facts.licence,
    ),
    (
        MissingFact("input", "Input of the systems", "such as an article", ("Kind of input",)),
        _lacks_statement("input"),
    ),
    (
        MissingFact("system_task", "Task of the systems", "such as summarization", ("Task that the systems perform",)),
        _lacks_statement("system_task"),
    ),
    (
        MissingFact(
            "criterion",
            "Kind of criterion",
            "correctness, goodness or a feature; form, content or both",
            ("Correctness, goodness or a feature; form, content or both",),
        ),
        _lacks_statement("criterion"),
    ),
    (
        MissingFact(
            "reference",
            "Publication",
            "where the experiment is described",
            ("Where the experiment is described, and which of several it is",),
        ),
        _lacks_statement("reference"),
    ),
    (
        MissingFact("contact", "Contact", "who answers questions", ("Completed by; contact",)),
        _lacks_statement("contact"),
    ),
    (
        MissingFact(
            "impact", "Impact assessment", "risks for raters and others, or that none was made", ("Impact assessment",)
        ),
        _lacks_statement("impact"),
    ),
)


def list_missing(report_input: ReportInput) -> tuple[MissingFact, ...]:
    """What a person can still state, in the order in which reviewers ask for it."""
    return tuple(fact for fact, is_missing in FACTS if is_missing(report_input))
