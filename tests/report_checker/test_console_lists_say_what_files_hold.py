"""Tables and texts that the console shows in part say how much of them, and the file that they name holds all."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from annotation.reports import human_likelihood, shown_tables
from tests.report_checker.recount import Rows
from tests.report_checker.studies import draw, rehearse

pytestmark = pytest.mark.django_db

CUT = re.compile(r"The first (\d+) of ([\d,]+) (rows|texts) are shown; ([\w.-]+) holds all\.")


def test_lists_of_a_study_that_a_model_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(human_likelihood, "SHOWN", 3)
    monkeypatch.setattr(shown_tables, "MAX_ROWS", 2)
    study = rehearse(draw(2))
    human_likelihood.score_study(study, tmp_path, rules=human_likelihood.HRules())
    texts = len(Rows(study).texts)
    said = CUT.findall((tmp_path / "texts.html").read_text(encoding="utf-8"))
    assert said == [("3", str(texts), "texts", human_likelihood.RESULT)]
    assert len(json.loads((tmp_path / human_likelihood.RESULT).read_text(encoding="utf-8"))["texts"]) == texts
    tables = json.loads((tmp_path / shown_tables.PAGE).read_text(encoding="utf-8"))["tables"]
    cut = [(table, match) for table in tables for note in table["notes"] if (match := CUT.fullmatch(note))]
    assert any(match[2] == str(texts) for _, match in cut)
    for table, match in cut:
        with (tmp_path / match[4]).open(newline="", encoding="utf-8") as file:
            assert len(list(csv.reader(file))) - 1 == int(match[2])
        assert (len(table["rows"]), match[4]) == (int(match[1]), f"{table['name']}.csv")
    assert all(len(table["rows"]) < 3 for table in tables)
