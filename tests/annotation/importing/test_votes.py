"""Files of votes between two systems become studies of pairs, through the door of every file of ratings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.models import HitItem, Presentation, Study
from annotation.reports.gather import score
from metrics.report.build import build_report

pytestmark = pytest.mark.django_db

VOTES = """prompt,left,right,winner,worker
p1,one,two,left,ann
p1,one,two,tie,bob
p1,two,one,right,cid
p2,one,two,right,ann
p2,two,one,left,bob
"""


def imported(path: Path, **options: object) -> Study:
    call_command("import_ratings", ratings=path, study="votes", **({"guess": True} | options))
    return Study.objects.get(name="votes")


def written(folder: Path, content: str) -> Path:
    path = folder / "votes.csv"
    path.write_text(content, encoding="utf-8")
    return path


def tables(study: Study) -> dict[str, object]:
    report = build_report(score(study))
    return {table.name: table for section in report.sections for table in section.tables}


@pytest.mark.database
def test_a_file_of_votes_is_a_study_of_pairs_with_its_sides(tmp_path: Path) -> None:
    study = imported(written(tmp_path, VOTES))
    assert (study.task, study.texts.count(), study.hits.count()) == ("pairwise", 4, 2)
    assert sorted((row.text, row.partner, row.label, row.turned) for row in score(study).ratings) == [
        ("p1: one", "p1: two", "No difference", False),
        ("p1: one", "p1: two", "The first", False),
        ("p1: two", "p1: one", "The second", False),
        ("p2: one", "p2: two", "The second", False),
        ("p2: two", "p2: one", "The first", False),
    ]
    assert {(item.text.key, item.partner.key) for item in HitItem.objects.all()} == {
        ("p1: one", "p1: two"),
        ("p2: one", "p2: two"),
    }


def test_a_mapping_names_columns_and_words_and_sides_may_be_unknown(tmp_path: Path) -> None:
    mapping = {"shape": "pairs", "first": "old", "second": "new", "value": "said", "first_text": "text of old"}
    mapping |= {"second_text": "text of new", "context_text": "asked", "second_words": ["1"], "first_words": ["0"]}
    stored = tmp_path / "mapping.json"
    stored.write_text(json.dumps(mapping))
    content = "asked;old;new;text of old;text of new;said\nWhy?;v1;v2;Because.;So it is.;1\nWhen?;v1;v2;Now.;Then.;v1\n"
    study = imported(written(tmp_path, content), mapping=stored)
    rows = score(study).ratings
    assert sorted(study.texts.values_list("body", flat=True)) == ["Because.", "Now.", "So it is.", "Then."]
    assert sorted((row.label, row.turned) for row in rows) == [("The first", None), ("The second", None)]
    assert set(Presentation.objects.values_list("sides_changed", flat=True)) == {None}
    assert len({row.rater for row in rows}) == 2


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("p1,one,two,1,dan", "row 7, column 'winner': '1' does not say which won"),
        ("p1,one,,left,dan", "row 7, column 'right': the system is not named"),
        ("p1,one,one,left,dan", "row 7, column 'right': 'one' is not compared with itself"),
        ("p1,two,one,left,ann", "row 7, column 'worker': 'ann' judges these two in row 2 already"),
    ],
)
def test_a_vote_that_cannot_be_read_is_named_by_row_and_column(line: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=said):
        imported(written(tmp_path, f"{VOTES}{line}\n"))
    assert not Study.objects.exists()


# Computed for the specification by independent routes (section 1.7).


@pytest.mark.needs_data
def test_the_votes_of_llmfao_give_the_reference_numbers_in_the_report(data_dir: Path) -> None:
    study = imported(data_dir / "llmfao" / "llmfao.csv")
    assert (study.hits.count(), study.texts.filter(generator__name="GPT 4").count()) == (2139, 13)
    shown = tables(study)
    strengths = {row[0]: row[1] for row in shown["strengths-preference"].rows}
    assert len(strengths) == 59
    for name, value, variance in (
        ("GPT 4", 0.990875, 0.062288),
        ("Platypus-2 Instruct (70B)", 0.647307, 0.049124),
        ("command", 0.634184, 0.022130),
    ):
        estimate = strengths[name]
        assert estimate.value == pytest.approx(value, abs=1e-6)
        assert estimate.settings["se"] ** 2 == pytest.approx(variance, abs=1e-6)
        assert (estimate.n, estimate.settings["items"], estimate.settings["raters"]) == (8931, 13, 124)
    pair = {"GPT 4", "Platypus-2 Instruct (70B)"}
    (apart,) = (row[2] for row in shown["strength-differences-preference"].rows if set(row[:2]) == pair)
    assert (abs(apart.value), apart.settings["se"]) == pytest.approx((0.343568, 0.206868), abs=1e-6)
    ((_, share, exact, t, p, raters, n),) = shown["sides"].rows
    assert (share, t, p) == pytest.approx((0.533150, 2.449025, 0.015734), abs=1e-6)
    assert (exact, raters, n) == (pytest.approx(1.022652e-6, abs=1e-12), 124, 5460)
    met = [row for row in shown["preferences-preference"].rows if "GPT 4" in row[:2]]
    wins = sum((row[3] if row[0] == "GPT 4" else row[5]) + row[4] / 2 for row in met)
    assert (wins / sum(row[-1] for row in met), sum(row[-1] for row in met)) == (pytest.approx(0.784810, abs=1e-6), 158)
