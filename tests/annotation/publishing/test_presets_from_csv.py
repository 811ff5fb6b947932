"""The numbers of each preset's report, computed again from its own CSV with numpy alone.

Those of further presets: `test_kinds_rehearsed`.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command

from annotation.design.presets import PRESETS, preset_settings
from annotation.importing.add_texts import add_texts
from annotation.readers.records import TextRecord
from annotation.reports.gather import score
from annotation.studies.create import Plan, create
from metrics.report.build import build_report
from metrics.report.formats.csv import csv_files
from metrics.tables.record import Table
from tests.annotation.publishing.rehearsed_kinds import NOW, drafted, rehearsed
from tests.metrics.likelihood.tiny import model, one_at_a_time, saved, texts
from tests.report_checker.intervals import huse_of

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
    for (criterion, which), alpha in column(tables["agreement"], "alpha_interval", keys=2).items():
        if which == "all":
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


def test_huse_and_log_p_of_the_text_file(tmp_path: Path) -> None:
    """log p by a forward pass for each text, and HUSE of the file's columns by the double loop."""
    preset = PRESETS["huse-2019"]
    plan = Plan(**{**preset_settings(preset, "USD"), **SMALL})  # type: ignore[arg-type]
    study = create("csv-log-p", mode="rehearsal", plan=plan, wording=preset.wording, actor="ada", now=NOW)
    contexts = texts(20, seed=3)
    references, generated = texts(20, seed=1), texts(20, seed=2)
    records = [
        record
        for at, context in enumerate(contexts)
        for record in (
            TextRecord(f"r{at}", references[at], "reference", context=context, context_body=context),
            TextRecord(
                f"m{at}",
                generated[at],
                "model",
                generator="tiny",
                decoding="sample",
                context=context,
                context_body=context,
            ),
        )
    ]
    add_texts(study, records, actor="ada", now=NOW)
    call_command("score_texts", study.name, model=str(saved(tmp_path)), stdout=io.StringIO(), stderr=io.StringIO())
    rehearsed(study, seed=3)
    report = build_report(score(study))
    rows = list(csv.DictReader(io.StringIO("".join(csv_files(report)["items.csv"]))))
    assert len(rows) == 40
    for row in rows[::13]:
        log_p, length = one_at_a_time(model("gpt2"), row["context_text"], row["text"])
        assert (float(row["log_prob"]), int(row["length"])) == (pytest.approx(log_p, rel=1e-5), length)
    hj = np.array([float(row["hj"]) for row in rows])
    rate = np.array([float(row["log_prob"]) / int(row["length"]) for row in rows])
    reference = np.array([row["source"] == "reference" for row in rows])
    huse, quality = huse_of(hj, rate, reference, 16), huse_of(hj, np.zeros(40), reference, 16)
    (generator,) = report.generators
    exact = generator.modes["exact"]
    shown = (exact.huse.value, exact.huse_q.value, exact.huse_d.value)
    assert shown == pytest.approx((huse, quality, 1 + huse - quality))
