"""Automatic scores by source: GLTR's view, verdicts, detectors and MAUVE of a study's own texts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from metrics.report.build import build_report
from metrics.report.records import ReportInput
from metrics.report.row_records import Attached
from metrics.report.section import Section
from metrics.tables.record import Table
from tests.metrics.report.evaluators_study import evaluators

ESTIMATE = {"value": 0.5, "n": 20, "interval": None, "settings": {}, "flags": [], "signature": "h|n:20"}
REFERENCE_RANKS, MODEL_RANKS = [5, 2, 2, 1], [9, 1, 0, 0]  # of 10 tokens in each text


def record(machine: bool, at: int) -> dict[str, Any]:
    """A text of ten tokens; a machine's have the higher frac(p), by more the later they come."""
    high = 6 + at % 4 if machine else at % 4
    fractions = [0] * 10
    fractions[high], fractions[0] = 8, 2 if high else 10
    return {
        "fp": high / 10,
        "n": 10,
        "verdict": "m" if machine else "h",
        "mean_rank": 3.0,
        "mean_entropy": None,
        "distinct_2": None,
        "longest_repeat": 1,
        "buckets": MODEL_RANKS if machine else REFERENCE_RANKS,
        "fractions": fractions,
        "entropies": None,
    }


def document(given: ReportInput, *, ending: str = "") -> dict[str, Any]:
    texts = {f"{one.id}{ending}": record(one.source == "model", at) for at, one in enumerate(given.texts)}
    return {
        "backend": {"model": "tiny"},
        "thresholds": {"low": 0.5, "high": 0.5, "calibrated": True, "origin": "made up"},
        "texts": texts,
        **dict.fromkeys(("h", "u", "m", "mean_fp"), ESTIMATE),
        "fast_detect_gpt": {name: one["fp"] * 2 for name, one in texts.items()},
    }


def section(**changes: Any) -> Section:
    given = evaluators()
    told = {**document(given, ending=changes.pop("ending", "")), **changes}
    report = build_report(replace(given, attached=(Attached("automatic", "h.json", "0" * 64, told),)))
    return next(one for one in report.sections if one.key == "automatic")


def table(found: Section, name: str) -> list[dict[str, Any]]:
    one: Table = next(one for one in found.tables if one.name == name)
    return [{column.key: cell for column, cell in zip(one.columns, row, strict=True)} for row in one.rows]


@pytest.mark.parametrize("ending", ["", ".txt"])
def test_tokens_of_each_source_are_counted_by_rank(ending: str) -> None:
    rows = table(section(ending=ending), "automatic-ranks")
    assert [(row["source"], row["tokens"], row["n"]) for row in rows] == [
        *(("references", 10 * count, 100) for count in REFERENCE_RANKS),
        *(("gpt", 10 * count, 100) for count in MODEL_RANKS),
    ]
    assert rows[0]["share"].value == 0.5


def test_the_figure_has_a_bar_a_source_and_says_what_it_shows() -> None:
    ranks, verdicts = section().charts
    assert [(bars.look, bars.name) for bars in ranks.bars] == [
        ("reference", "references (100 tokens)"),
        ("model", "gpt (100 tokens)"),
    ]
    assert (
        "The largest difference of gpt and references is at “the 10 likeliest”: 90% for gpt, 50% for references."
        in ranks.alt
    )
    assert "Most frequent for gpt: “machine-like” (100% of 10 texts)." in verdicts.alt


def test_each_source_has_its_verdicts_and_each_detector_its_separation() -> None:
    references, gpt = table(section(), "automatic-sources")
    assert (references["h"].value, gpt["m"].value, references["n"], gpt["n"]) == (1.0, 1.0, 10, 10)
    assert references["auc_fp"] is None
    assert (gpt["auc_fp"].value, gpt["auc_detector"].value) == (1.0, 1.0)  # every model text scores higher
    assert gpt["detector"].value == pytest.approx(2 * gpt["mean_fp"].value)


def test_mauve_stands_with_both_counts_and_says_what_it_is_not() -> None:
    found = section()
    (row,) = table(found, "automatic-mauve")
    assert (row["source"], row["references"], row["texts"], row["n"]) == ("gpt", 10, 10, 20)
    # Both sources fall into clusters of their own: the value of disjoint histograms (method, 2.32).
    assert row["mauve"].value == pytest.approx(0.004072, abs=1e-6)
    notes = next(one for one in found.tables if one.name == "automatic-mauve").notes
    assert any("Not comparable with MAUVE on a model's hidden states" in note for note in notes)


def test_scores_of_other_texts_are_not_laid_to_this_studys_sources() -> None:
    missing = dict(section(texts={"elsewhere": record(True, 0)}).missing)
    assert missing["MAUVE"] == "no text in the file has the id of a text of this study"


def test_without_a_model_that_read_the_texts_there_is_no_detector() -> None:
    found = section(fast_detect_gpt=None)
    assert dict(found.missing)["Fast-DetectGPT"].startswith("the scores are not of a model")
    assert table(found, "automatic-sources")[1]["auc_detector"] is None
