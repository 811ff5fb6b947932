"""Judgments of who wrote a text, each with its condition's factors, and the file that holds them."""

from __future__ import annotations

from collections.abc import Sequence

from metrics.data.answer_types import AnswerType
from metrics.data.evaluator_judgments import HUMAN, MACHINE, EvaluatorJudgment
from metrics.report.data_file import DataColumn, DataFile
from metrics.report.records import ReportInput
from metrics.report.row_records import ConditionFacts
from metrics.tables.delimited import safe
from metrics.types import REFERENCE

FACTORS = ("training", "domain", "generator")


def judgments(report_input: ReportInput, *, every: bool = False) -> list[EvaluatorJudgment]:
    """The kept answers (every: all) to who wrote a text, each with its condition's factors."""
    two_sided = report_input.criteria_of(AnswerType.TWO_SIDED)
    source = {text.id: HUMAN if text.source == REFERENCE else MACHINE for text in report_input.texts}
    factors = {condition.name: _factors(condition) for condition in report_input.conditions}
    none: dict[str, str] = dict.fromkeys(FACTORS, "all")
    return [
        EvaluatorJudgment(
            rating.rater,
            rating.text,
            source[rating.text],
            int(rating.value),
            factors.get(rating.condition, none),
            rating.unit,
        )
        for rating in report_input.ratings
        if (rating.kept or every) and rating.criterion in two_sided
    ]


def varying_factors(judgments: Sequence[EvaluatorJudgment]) -> tuple[str, ...]:
    """The factors that differ among the judgments: their combinations are the conditions."""
    return tuple(factor for factor in FACTORS if len({judgment.factors[factor] for judgment in judgments}) > 1)


def _factors(condition: ConditionFacts) -> dict[str, str]:
    return {factor: getattr(condition, factor) or "all" for factor in FACTORS}


JUDGMENT_COLUMNS: tuple[DataColumn[EvaluatorJudgment], ...] = (
    DataColumn("rater", "pseudonym of the evaluator", lambda row: safe(row.rater)),
    DataColumn("item", "the text", lambda row: safe(row.item)),
    DataColumn("truth", "human or machine: who wrote the text", lambda row: row.truth),
    DataColumn(
        "rating", "1 (definitely human-written) to 4 (definitely machine-generated)", lambda row: str(row.rating)
    ),
    DataColumn(
        "condition",
        "the condition of the design",
        lambda row: safe(" × ".join(row.factors[factor] for factor in FACTORS)),
    ),
    DataColumn("training", "what evaluators saw beforehand", lambda row: safe(row.factors["training"])),
    DataColumn("domain", "domain of the texts of the condition", lambda row: safe(row.factors["domain"])),
    DataColumn(
        "generator", "generator of the machine texts of the condition", lambda row: safe(row.factors["generator"])
    ),
)


def files(report_input: ReportInput) -> tuple[DataFile, ...]:
    """The judgments, as `python -m metrics evaluators` reads them."""
    return (DataFile("judgments", JUDGMENT_COLUMNS, judgments(report_input)),)
