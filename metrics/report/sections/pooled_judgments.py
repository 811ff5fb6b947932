"""Judgments of one text taken together: by majority and by the model of Dawid and Skene, beside single judgments."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics.data.answer_types import AnswerType
from metrics.data.arrays import Bools, Floats
from metrics.data.evaluator_judgments import EvaluatorJudgment, check_judgments
from metrics.data.sentence import plain
from metrics.errors import MetricsError
from metrics.report.records import ReportInput
from metrics.report.section_kind import Options, SectionKind
from metrics.report.sections.judgments import judgments, varying_factors
from metrics.tables.record import Column, Row, Table
from metrics.worker_models.dawid_skene import dawid_skene

CAPTION = plain("Judgments of each text, one by one and pooled.")
NOTE = (
    "Texts with two or more judgments. Majority: the share of texts that most judgments are right about; a tie counts "
    "as half. Dawid-Skene: the share of texts whose likelier author by the model of Dawid and Skene (1979) is the true "
    "one. The model weighs evaluators by how they agree and does not know who wrote a text. Both are shown with the "
    "accuracy of single judgments, never instead of it."
)
FLAGS = {
    "not_converged": "The estimation of Dawid-Skene stopped before it converged.",
    "against_majority": "Dawid-Skene goes against the majority in a condition: its two labels may have changed places.",
    "separate_groups": "Some evaluators share no text with others; Dawid-Skene compares them within their group only.",
}
MIN_JUDGMENTS = 2  # of a text


@dataclass(frozen=True, slots=True)
class Pooled:
    """Rows of the table, what must be known of them, and what could not be computed."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    missing: tuple[tuple[str, str], ...]


def gather(report_input: ReportInput) -> Sequence[EvaluatorJudgment] | None:
    """None where no text has two judgments of who wrote it in one condition."""
    if not report_input.ratings_of(AnswerType.TWO_SIDED):
        return None
    counted = judgments(report_input)
    return counted if any(_repeated(mine) for mine in _by_condition(counted).values()) else None


def compute(counted: Sequence[EvaluatorJudgment], options: Options) -> Pooled:
    """A row for each condition in which texts have two judgments or more."""
    options.announce("pooled")
    rows: list[Row] = []
    missing: list[tuple[str, str]] = []
    flags: dict[str, None] = {}
    for condition, judged in _by_condition(counted).items():
        mine = _repeated(judged)
        if not mine:
            continue
        checked = check_judgments(mine, repeats="keep")
        says = checked.called_machine
        try:
            model = dawid_skene(checked.item, checked.rater, says.astype(np.int64))
        except MetricsError as error:
            missing.append((f"Dawid-Skene, {condition}", str(error)))
            continue
        flags |= dict.fromkeys(flag for flag in model.flags if flag in FLAGS)
        texts = len(checked.items)
        truth, likely = np.zeros(texts, dtype=np.bool_), np.zeros(texts)
        truth[checked.item] = checked.machine
        likely[np.array(model.items)] = model.expectation()
        majority = np.bincount(checked.item, weights=says) / np.bincount(checked.item)
        shares = float(checked.correct.mean()), _right(majority, truth), _right(likely, truth)
        rows.append((condition, *shares, texts, len(checked)))
    return Pooled(tuple(rows), (NOTE, *(FLAGS[flag] for flag in flags)), tuple(missing))


def _by_condition(counted: Sequence[EvaluatorJudgment]) -> dict[str, list[EvaluatorJudgment]]:
    by = varying_factors(counted)
    conditions: defaultdict[str, list[EvaluatorJudgment]] = defaultdict(list)
    for judgment in counted:
        conditions[" × ".join(judgment.factors[factor] for factor in by) or "all"].append(judgment)
    return conditions


def _repeated(judged: Sequence[EvaluatorJudgment]) -> list[EvaluatorJudgment]:
    """Those of texts that have enough of them."""
    counts = Counter(judgment.item for judgment in judged)
    return [judgment for judgment in judged if counts[judgment.item] >= MIN_JUDGMENTS]


def _right(machine: Floats, truth: Bools) -> float:
    """Share of texts on the right side of one half; one half itself counts as half."""
    sides = np.where(truth, machine - 0.5, 0.5 - machine)
    return float(np.mean(np.where(sides == 0, 0.5, sides > 0)))


COLUMNS = (
    Column("condition", "Condition"),
    Column("single", "One judgment", "share", digits=1),
    Column("majority", "Majority", "share", digits=1),
    Column("model", "Dawid-Skene", "share", digits=1),
    Column("texts", "Texts", "count"),
    Column("n", "Judgments", "count"),
)


def tables(result: Pooled) -> tuple[Table, ...]:
    """One table of all conditions; none where nothing could be computed."""
    return (Table("pooled-judgments", CAPTION, COLUMNS, result.rows, result.notes),) if result.rows else ()


SECTIONS = (
    SectionKind(
        key="pooled-judgments",
        title="Pooled judgments",
        order=83,
        gather=gather,
        compute=compute,
        tables=tables,
        missing=lambda result: result.missing,
    ),
)
