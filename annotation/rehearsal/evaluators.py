"""The table of a human-or-machine study, cell by cell, from its judgments."""

from __future__ import annotations

from collections.abc import Sequence

from metrics import EvaluatorJudgment, evaluate_judgments, krippendorff_alpha
from metrics.data.arm_assignment import ArmAssignment, assignment_sentence
from metrics.data.evaluator_judgments import BETWEEN
from metrics.evaluators.evaluate import Condition
from metrics.tables.evaluators import EvaluatorRow, evaluator_table
from metrics.tables.text import table_text


def evaluators_text(judged: Sequence[EvaluatorJudgment], *, assigned: ArmAssignment | None = None) -> str:
    """One row per condition: accuracy with interval, F1, agreement, sizes; below, how raters came to conditions."""
    evaluation = evaluate_judgments(judged, ("generator", "domain", "training"), agreement=krippendorff_alpha)
    rows = [_row(name, condition) for name, condition in evaluation.conditions.items()]
    assignment = assignment_sentence(assigned) if len(rows) > 1 else ""
    return table_text(evaluator_table(rows, notes=(assignment,) if assignment else ()), width=120)


def _row(name: str, condition: Condition) -> EvaluatorRow:
    model, domain, training = name.split(BETWEEN)
    measures = condition.accuracy
    return EvaluatorRow(
        model,
        domain,
        training,
        accuracy=measures.accuracy,
        f1=measures.f1,
        precision=None,
        recall=None,
        alpha_nominal=condition.agreement.get("alpha_nominal_binary"),
        alpha_ordinal=None,
        human=measures.percent_human,
        confident=None,
        evaluators=measures.accuracy.n,
        ratings=int(measures.accuracy.settings["judgments"] or 0),
    )
