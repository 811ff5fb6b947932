"""report.json of every kind of study read back: the next report says the same, apart from who made it and when."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.importing.import_report import import_report
from annotation.models import Codebook, Decision, Remark, Study
from annotation.quality.assess import assess
from annotation.quality.code_explanations import code, edit_codebook
from annotation.quality.codebooks import DEFAULTS, book_of
from annotation.quality.rules import Rule
from annotation.readers.report_file import read_report
from annotation.reports.gather import score
from annotation.review.exclude import apply_rules, fix_rules
from metrics.report.build import build_report
from metrics.report.formats.json import payload
from metrics.report.formats.write import as_json
from metrics.report.records import ReportInput
from metrics.report.snapshot import content_of
from tests.annotation.reports.round_trips import KINDS, drawn
from tests.annotation.review.factories import make, member

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def document(given: ReportInput) -> dict[str, Any]:
    return payload(build_report(given), now=NOW)


def read_back(told: dict[str, Any], folder: Path, name: str = "again") -> Study:
    path = folder / "report.json"
    path.write_bytes(as_json(told))
    return import_report(read_report(path), name=name, actor="ada", now=NOW)


@pytest.mark.database
@pytest.mark.parametrize(("kind", "seed"), [*((kind, 1) for kind in KINDS), ("typicality", 2)])
def test_a_study_read_back_reports_the_same_and_again(kind: str, seed: int, tmp_path: Path) -> None:
    first = drawn(kind, seed)
    second = score(read_back(document(first), tmp_path))
    assert content_of(second) == content_of(first)
    assert without_look(document(second)) == without_look(document(first))
    assert content_of(score(read_back(document(second), tmp_path, "third"))) == content_of(first)


def without_look(told: dict[str, Any]) -> dict[str, Any]:
    """Without the software that made the report, and the command."""
    for place in (told["reproducibility"], told["data"]):
        for key in ("versions", "commit", "command"):
            place.pop(key, None)
    return told


def test_strengths_of_stored_preferences_are_clustered_by_context_and_rater(tmp_path: Path) -> None:
    given = drawn("pairs", 1)
    texts = tuple(replace(text, context_id=f"c{text.id[3:]}", context=f"Of {text.id[3:]}.") for text in given.texts)
    found = build_report(score(read_back(document(replace(given, texts=texts)), tmp_path)))
    tables = {table.name: table for section in found.sections for table in section.tables}
    for name, column in (("strengths-better", 1), ("strength-differences-better", 2)):
        estimates = [row[column] for row in tables[name].rows]
        assert [(one.settings["items"], one.settings["raters"]) for one in estimates] == [(6, 5)] * len(estimates)
        assert all(one.interval.target == "value over new items and new raters like these" for one in estimates)


def a_judged_study(mode: str) -> Study:
    """Work with explanations, measured by every filter, some of it left out by a rule, coded by two people."""
    study = make(workers=7, hits=2, texts=10, reasons=True, mode=mode, name="judged")
    owner, second = member(study, "owner"), member(study, "editor")
    assess(study, now=NOW)
    apply_rules(fix_rules(study, "strict", [Rule("one_answer")], actor=owner, now=NOW), actor=owner, now=NOW)
    book = edit_codebook(study, Codebook.Purpose.COMMENTS, DEFAULTS[Codebook.Purpose.COMMENTS], actor=owner, now=NOW)
    names = book_of(DEFAULTS[Codebook.Purpose.COMMENTS]).codes
    for at, remark in enumerate(Remark.objects.filter(presentation__submission__hit__study=study).order_by("pk")[:9]):
        for who in (owner, second):
            code(remark, book, [names[at % 3]], coder=who, now=NOW)
    call_command("set_details", "judged", "ethics", "Board 7.")
    return study


@pytest.mark.parametrize("mode", ["rehearsal", "live"])
def test_a_study_of_ours_with_all_that_hangs_on_it_comes_back(mode: str, tmp_path: Path) -> None:
    study = a_judged_study(mode)
    given = score(study)
    first = document(given)
    assert Decision.objects.filter(matter="analysis", verdict="exclude").exists()
    assert first["data"]["rules"]
    assert first["data"]["codes"]
    again = read_back(first, tmp_path)
    assert content_of(score(again)) == content_of(given)
    assert again.task == study.task


FAULTS = {
    "rating twice": (lambda data: data["ratings"]["rows"].append(data["ratings"]["rows"][0]), "occurs more than once"),
    "unknown condition": (lambda data: data["conditions"].pop(), "not among those of the design"),
    "comment of nobody": (
        lambda data: data["comments"]["rows"][0].__setitem__(data["comments"]["columns"].index("rater"), "nobody"),
        "belongs to no assignment",
    ),
    "scores without a shape": (
        lambda data: data["attached"].append(
            {"kind": "scores", "name": "a.csv", "sha256": "1", "document": {"scores": {"p": 1}}}
        ),
        "A file of scores in the report is invalid",
    ),
    "text that is not there": (lambda data: data["texts"]["rows"].pop(), "was judged and is not in the file"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_that_contradicts_itself_is_refused_whole(fault: str, tmp_path: Path) -> None:
    change, words = FAULTS[fault]
    told = json.loads(as_json(document(drawn("evaluators", 1))))
    change(told["data"])
    (tmp_path / "report.json").write_bytes(as_json(told))
    with pytest.raises(CommandError, match=words):
        call_command("import_report", tmp_path / "report.json", study="again")
    assert not Study.objects.exists()
