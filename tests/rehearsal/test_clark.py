"""`rehearse --preset clark-2021` in small: fifteen cells, everybody in one of them, practice kept."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from metrics import EvaluatorJudgment, evaluate_judgments
from tests.rehearsal.test_demo import rehearsal


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, migrated: Callable[[Path], None]) -> Path:
    made = tmp_path_factory.mktemp("clark")
    migrated(made / "assay.sqlite3")
    ran = rehearsal(made, "--preset", "clark-2021", "--texts", "10", "--evaluators", "2", "--seed", "3")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "Created 30 HITs in 15 conditions with 30 assignments, $46.50 at most" in ran.stdout
    assert "A worker who tries a second HIT reads:" in ran.stdout
    return made


def rows(folder: Path, query: str) -> list[tuple]:
    with sqlite3.connect(folder / "assay.sqlite3") as database:
        return database.execute(query).fetchall()


def test_every_cell_has_its_evaluators_and_nobody_is_in_two(folder: Path) -> None:
    found = rows(
        folder,
        "select h.cell_id, count(*) from annotation_submission s join annotation_hit h on h.id = s.hit_id "
        "group by h.cell_id",
    )
    assert [count for _, count in found] == [2] * 15
    assert rows(folder, "select count(distinct worker_id), count(*) from annotation_submission") == [(30, 30)]


def test_arms_pay_what_the_paper_paid(folder: Path) -> None:
    """Nine cells of two at $1.25, three with examples at $1.75, three with comparisons at $2.25."""
    paid = rows(folder, "select sum(cents) from annotation_ledgerentry where kind = 'reward'")
    assert paid == [(18 * 125 + 6 * 175 + 6 * 225,)]


def test_trained_people_practised_three_times_and_everybody_judged_five_texts(folder: Path) -> None:
    practice = rows(
        folder,
        "select a.training, count(p.id) from annotation_submission s join annotation_hit h on h.id = s.hit_id "
        "join annotation_cell c on c.id = h.cell_id join annotation_arm a on a.id = c.arm_id "
        "left join annotation_practiceanswer p on p.submission_id = s.id group by a.training",
    )
    assert dict(practice) == {"none": 0, "instructions": 0, "examples": 18, "comparison": 18}
    assert rows(folder, "select count(*) from annotation_judgment") == [(150,)]
    assert rows(folder, "select count(*) from annotation_remark") == [(150,)]


def test_each_hit_balances_its_sources(folder: Path) -> None:
    shares = rows(
        folder,
        "select sum(t.source = 'reference') from annotation_hititem i join annotation_text t on t.id = i.text_id "
        "group by i.hit_id",
    )
    assert {share for (share,) in shares} <= {2, 3}


def test_the_judgments_file_is_what_the_evaluators_command_reads(folder: Path) -> None:
    with (folder / "report" / "judgments.csv").open(newline="", encoding="utf-8") as file:
        told = [
            EvaluatorJudgment(
                row["rater"], row["item"], row["truth"], int(row["rating"]), {"training": row["training"]}
            )
            for row in csv.DictReader(file)
        ]
    evaluation = evaluate_judgments(told, ("training",))
    assert set(evaluation.conditions) == {"none", "instructions", "examples", "comparison"}
    assert evaluation.overall.accuracy.accuracy.n == 30
