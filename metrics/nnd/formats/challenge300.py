"""Challenge 300 (Tafjord and Clark 2021): answers of several models to hard questions, with credit from 0 to 1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from metrics.data.csv_files import Row, read_rows
from metrics.errors import BadInput
from metrics.nnd.build import Options, build_tests
from metrics.nnd.orders import Ranks
from metrics.nnd.records import Candidate, TestSet

CREDIT = "credit-"
RIGHT, WRONG = "right", "wrong"
# The five groups under which the pass rates are published; a category of no group counts as its own.
GROUPS = {
    "Common Sense": (
        "commonsense",
        "explanation",
        "general knowledge",
        "history",
        "human behavior",
        "hypothetical",
        "story understanding",
        "winograd",
    ),
    "Comparison": ("comparison", "estimation", "temporal"),
    "Creativity": ("example generation", "false presupposition", "generation", "riddle"),
    "Entity": ("entity substitution", "entity tracking"),
    "Science": ("math", "meta-reasoning", "science", "spatial", "steps"),
}
GROUP_OF = {category: group for group, categories in GROUPS.items() for category in categories}


def challenge300_tests(path: Path, *, options: Options | None = None) -> TestSet:
    """Answers of credit 1 against answers of credit 0 to the same question; any other credit is counted as skipped.

    path: a table (tabs or commas) with id, question, category, and for each model NAME (the answer) and credit-NAME.
    A blank answer of credit 0 is an answer, as in the published file. Raises BadInput, InsufficientData.
    """
    rows = read_rows(path, ("id", "question", "category"))
    models = [column[len(CREDIT) :] for column in rows[0].cells if column.startswith(CREDIT)]
    absent = [model for model in models if model not in rows[0].cells]
    if not models or absent:
        rule = f"the column is missing for {CREDIT}{absent[0]}" if absent else f"no column begins with {CREDIT!r}"
        raise BadInput(rule, where=path.name, row=1, column=absent[0] if absent else None)
    skipped: Counter[str] = Counter()
    seen: dict[str, int] = {}
    candidates: list[Candidate] = []
    for row in rows:
        name = row.text("id")
        if name in seen:
            raise row.error("id", f"duplicate question {name!r}, first in row {seen[name]}")
        seen[name] = row.line
        candidates += _answers(row, models, skipped)
    order = Ranks({RIGHT: 1, WRONG: 0})
    return build_tests(candidates, order, "challenge300", options=options, skipped=skipped, blank_texts=True)


def _answers(row: Row, models: list[str], skipped: Counter[str]) -> Iterator[Candidate]:
    category = row.text("category")
    group = GROUP_OF.get(category.lower(), category)
    for model in models:
        column, answer = CREDIT + model, row.cells[model]
        credit = row.number(column) if row.cells[column] else None
        if credit is not None and not 0 <= credit <= 1:
            raise row.error(column, "the credit must lie between 0 and 1")
        if credit is None or (not answer and credit):  # no answer, and no judgment that it is wrong
            skipped["answers_without_text_or_credit"] += 1
        elif credit == Fraction(1, 2):
            skipped["answers_of_half_credit"] += 1
        elif credit not in (0, 1):
            skipped["answers_of_other_credit"] += 1
        else:
            label, question = RIGHT if credit else WRONG, row.text("id")
            name = f"{question}/{model}"
            yield Candidate(name, question, row.text("question"), answer, label, marks=(group,), system=model)
