"""Judgments for tests: by hand, at random, and from the released data."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st

from metrics.data.evaluator_judgments import HUMAN, MACHINE, EvaluatorJudgment


def judged(truth: str, ratings: Sequence[int], rater: str = "a", **factors: str) -> list[EvaluatorJudgment]:
    """One judgment an item: `truth` is a word of h and m, as long as `ratings`; items i0, i1 ... by place."""
    named = {"h": HUMAN, "m": MACHINE}
    return [
        EvaluatorJudgment(rater, f"{t}{i}", named[t], r, factors)
        for i, (t, r) in enumerate(zip(truth, ratings, strict=True))
    ]


# Ten ratings of the method, 2.9: five machine texts, then five human ones.
EXAMPLE = judged("mmmmmhhhhh", (4, 3, 2, 1, 3, 1, 2, 2, 3, 4))


@st.composite
def studies(draw: st.DrawFn) -> list[EvaluatorJudgment]:
    """Up to 40 judgments of up to 6 raters and 8 items, each pair once, any truths."""
    truths = draw(st.lists(st.sampled_from((HUMAN, MACHINE)), min_size=8, max_size=8))
    pairs = draw(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 7)), min_size=1, max_size=40, unique=True))
    return [EvaluatorJudgment(f"r{r}", f"i{i}", truths[i], draw(st.integers(1, 4))) for r, i in pairs]


def released(data: Path, *files: str) -> list[EvaluatorJudgment]:
    """Answers to "which of three paragraphs is a machine's", as three judgments each (4 for the one picked, else 1)."""
    folder = data / "human_or_machine"
    with (folder / "data_gpt2_trial.csv").open(newline="", encoding="utf-8-sig") as file:
        gold = [int(row["label"][-1]) for row in csv.DictReader(file)]
    made = []
    for name in files:
        hits = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        for hit, content in hits.items():
            for answers in content["Answers"]:
                for i in range(5):
                    row = int(hit.removeprefix("hit")) + i
                    picked = int(answers[f"A{i + 1}Q1"][-1])
                    made += [
                        EvaluatorJudgment(
                            answers["WorkerID"],
                            f"{row}-{paragraph}",
                            MACHINE if paragraph == gold[row] else HUMAN,
                            4 if paragraph == picked else 1,
                        )
                        for paragraph in (1, 2, 3)
                    ]
    return made
