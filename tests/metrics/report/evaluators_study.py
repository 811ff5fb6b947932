"""A made-up study of who wrote what: two trainings, evaluators of known skill, one excluded answer, comments."""

from __future__ import annotations

import random
from dataclasses import replace

from metrics.report.records import CrowdFacts, RatingRow, ReportInput, ScaleLabel, TextRow
from metrics.report.row_records import AssignmentRow, CodeRow, CommentRow, ConditionFacts, PageFacts, PlanFacts
from tests.metrics.report.samples import MONEY, STUDY

LABELS = (
    "Definitely human-written",
    "Possibly human-written",
    "Possibly machine-generated",
    "Definitely machine-generated",
)
SKILL = {"none": 0.5, "examples": 0.8}
PAGE = (
    "<html><head><title>x</title></head><body><h1>Who wrote this?</h1>"
    "<p>読む \u05e9\u05dc\u05d5\u05dd</p><script>no()</script></body></html>"
)


def evaluators(seed: int = 3) -> ReportInput:
    rng = random.Random(seed)
    texts = [
        TextRow(f"t{i}", "reference" if i % 2 else "model", None if i % 2 else "gpt", f"Text {i}.") for i in range(20)
    ]
    ratings, rows = [], []
    for training, skill in SKILL.items():
        for e in range(12):
            rater = f"{training}-{e}"
            rows.append(AssignmentRow(f"A{len(rows):03}", rater, "HIT 1", training, None, 60 + e, "approved"))
            for place, text in enumerate(rng.sample(texts, 5), 1):
                machine = (text.source == "model") == (rng.random() < skill)
                code = rng.choice((3, 4) if machine else (1, 2))
                ratings.append(
                    RatingRow(
                        text.id, rater, LABELS[code - 1], code, "HIT 1", place, True, "human_or_machine", training
                    )
                )
    ratings[:5] = [replace(rating, kept=False) for rating in ratings[:5]]
    rows[0] = replace(rows[0], kept=False, reason="too quick", flags=("fast",))
    return ReportInput(
        study=replace(STUDY, scale=tuple(ScaleLabel(n, i) for i, n in enumerate(LABELS, 1)), coding="1 to 4"),
        generators=(),
        texts=tuple(texts),
        ratings=tuple(ratings),
        money=MONEY,
        crowd=CrowdFacts("lab", ("adults",), 24, 24, 24, 0, 1, 0, "asked first", "board 7"),
        conditions=tuple(ConditionFacts(name, training=name, planned=12) for name in SKILL),
        assignments=tuple(rows),
        comments=(CommentRow("t1", "none-0", "why", '=HYPERLINK("x")'),),
        codes=(CodeRow("t1", "none-0", "why", "coder 1", ("grammar",)),),
        pages=(PageFacts("page-none", "The task", PAGE),),
        plan=PlanFacts(("Two trainings are compared.",), registered_where="osf.example/1", deviations=()),
        quality=("Of 24 submissions, 1 (4.2%) was excluded.",),
        licence="CC BY 4.0",
        language="English",
        statements=(("contact", "us"),),
    )
