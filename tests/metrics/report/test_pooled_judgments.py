"""Judgments of one text taken together: the expected shares are counted by hand."""

from __future__ import annotations

from collections import Counter

from metrics.data.evaluator_judgments import EvaluatorJudgment, Truth
from metrics.report.section_kind import Options
from metrics.report.sections.pooled_judgments import SECTIONS, compute, gather
from tests.metrics.report.evaluators_study import evaluators

TEXTS: dict[str, Truth] = {f"text {number}": "machine" if number < 4 else "human" for number in range(8)}


def said(rater: str, text: str, *, machine: bool, training: str = "none") -> EvaluatorJudgment:
    return EvaluatorJudgment(
        rater, text, TEXTS[text], 4 if machine else 1, {"training": training, "domain": "all", "generator": "all"}
    )


def test_who_says_the_same_of_every_text_does_not_outvote_who_can_tell() -> None:
    """Ada and Ben are always right; Cid and Dot always say human: ties in the four machine texts count as half."""
    judged = [
        said(rater, text, machine=knows and truth == "machine")
        for rater, knows in (("ada", True), ("ben", True), ("cid", False), ("dot", False))
        for text, truth in TEXTS.items()
    ]
    assert compute(judged, Options()).rows == (("all", 24 / 32, 6 / 8, 1.0, 8, 32),)


def test_texts_with_one_judgment_are_left_out_and_conditions_are_pooled_separately() -> None:
    judged = [
        *(said(rater, "text 0", machine=True) for rater in ("ada", "ben")),
        said("ada", "text 1", machine=False),
        *(said(rater, "text 0", machine=False, training="examples") for rater in ("cid", "dot")),
        said("cid", "text 5", machine=True, training="comparison"),
    ]
    rows = compute(judged, Options()).rows
    assert [(row[0], row[1], row[2], row[4], row[5]) for row in rows] == [
        ("none", 1.0, 1.0, 1, 2),
        ("examples", 0.0, 0.0, 1, 2),
    ]


def test_a_report_of_evaluators_has_the_table() -> None:
    report_input = evaluators()
    facts = gather(report_input)
    assert facts is not None
    (section,) = SECTIONS
    (table,) = section.tables(compute(facts, Options()))
    judgments = Counter((rating.condition, rating.text) for rating in report_input.ratings if rating.kept)
    texts = Counter(condition for (condition, _), number in judgments.items() if number > 1)
    assert Counter(row[4] for row in table.rows) == Counter(texts.values())
