"""The numbers of each preset's report, computed again from its own CSV with numpy alone.

Those of further presets: `test_kinds_rehearsed`.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from annotation.design.presets import PRESETS
from annotation.reports.gather import score
from metrics.report.build import build_report
from metrics.report.formats.csv import csv_files
from metrics.tables.record import Table
from tests.annotation.publishing.rehearsed_kinds import drafted, rehearsed

pytestmark = pytest.mark.django_db
Rows = list[dict[str, str]]
NEEDED = ("ratings.csv", "judgments.csv")
# In a corpus, of the texts in the order of their names.
COUNTS = (3, 1200, 41, 7, 90000, 560)
SMALL = {"texts_per_hit": 4, "raters_per_text": 3}
# What a preset needs, beside two systems, to be a small study.
DESIGNS: dict[str, dict[str, Any]] = {
    "huse-2019": {**SMALL, "generators": ("alpha",), "references": 1},
    "frequency-calibration": {**SMALL, "generators": (), "references": 1},
    "several-criteria": SMALL,
    "direct-assessment": SMALL,
    "documents": {"parts": 2, "raters_per_text": 3},
    "clark-2021": {"references": 1, "evaluators_per_cell": 12},
}


def reported(name: str) -> tuple[dict[str, Table], dict[str, Rows]]:
    """The tables of a rehearsed study's report, and its CSV files."""
    study = drafted(PRESETS[name], f"csv-{name}", contexts=6, **DESIGNS[name])
    for key, count in zip(sorted(study.texts.values_list("key", flat=True)), COUNTS, strict=False):
        study.texts.filter(key=key).update(corpus_count=count)
    rehearsed(study, seed=3)
    report = build_report(score(study))
    files = csv_files(report)
    tables = {table.name: table for section in report.sections for table in section.tables}
    return tables, {file: list(csv.DictReader(io.StringIO("".join(files[file])))) for file in NEEDED if file in files}


def column(table: Table, name: str, *, keys: int) -> dict[Any, float]:
    """Values of a column by the first `keys` columns."""
    at = [each.key for each in table.columns].index(name)
    return {row[:keys]: getattr(row[at], "value", row[at]) for row in table.rows}


@pytest.mark.parametrize("name", [name for name in DESIGNS if name != "clark-2021"])
def test_means_differences_and_agreement_of_ratings(name: str) -> None:
    tables, files = reported(name)
    rows = files["ratings.csv"]
    values: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        values[row.get("criterion", "typicality")][row["item"]].append(float(row["value"]))
    assert set(values) == {criterion.name for criterion in PRESETS[name].wording.criteria}
    if "scales" in tables:
        for (criterion, source), mean in column(tables["scales"], "mean", keys=2).items():
            own = [np.mean(each) for text, each in values[criterion].items() if text.startswith(source)]
            assert mean == pytest.approx(np.mean(own))
    for (criterion, texts), alpha in column(tables["agreement"], "alpha_interval", keys=2).items():
        if texts == "all":
            assert alpha == pytest.approx(alpha_of(list(values[criterion].values())))
    if name == "frequency-calibration":
        texts_in_order = sorted(values["typicality"])
        hj = [np.mean(values["typicality"][text]) for text in texts_in_order]
        r = column(tables["hj-frequency"], "r", keys=1)["Pearson, log frequency",]
        assert r == pytest.approx(np.corrcoef(np.log(COUNTS), hj)[0, 1])
        return
    for (criterion, *pair), difference in column(tables["answer-comparisons"], "difference", keys=3).items():
        first, second = (source_means(values[criterion], source) for source in pair)
        assert difference == pytest.approx(np.mean([first[at] - second[at] for at in first]))


def source_means(values: dict[str, list[float]], source: str) -> dict[str, float]:
    """Mean of all ratings of a source in each context."""
    start = "person" if source == "references" else source
    by_context: defaultdict[str, list[float]] = defaultdict(list)
    for text, ratings in values.items():
        if text.startswith(start):
            by_context[text.removeprefix(start).split("-")[0]] += ratings
    return {context: float(np.mean(ratings)) for context, ratings in by_context.items()}


def alpha_of(texts: list[list[float]]) -> float:
    """Krippendorff's alpha for interval data: 1 - disagreement within texts / disagreement of all values."""
    within = sum(np.var(each, ddof=1) * 2 * len(each) for each in texts)
    pooled = np.concatenate(texts)
    return float(1 - within / len(pooled) / (2 * np.var(pooled, ddof=1)))


def test_accuracy_of_who_wrote_what() -> None:
    tables, files = reported("clark-2021")
    rows = files["judgments.csv"]
    machine = np.array([row["truth"] == "machine" for row in rows])
    said = np.array([int(row["rating"]) for row in rows])
    right = (said > 2) == machine
    raters = np.array([row["rater"] for row in rows])
    (row,) = tables["evaluators"].rows
    shown = {
        each.key: getattr(value, "value", value) for each, value in zip(tables["evaluators"].columns, row, strict=True)
    }
    assert shown["accuracy"] == pytest.approx(np.mean([right[raters == name].mean() for name in set(raters)]))
    assert shown["recall"] == pytest.approx(right[machine].mean())
    assert shown["precision"] == pytest.approx(machine[said > 2].mean())
    assert shown["human"] == pytest.approx((said <= 2).mean())
    assert shown["confident"] == pytest.approx(np.isin(said, (1, 4)).mean())
    assert shown["ratings"] == len(rows) == 3 * 18
