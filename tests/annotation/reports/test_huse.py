"""The released HUSE study, from its raw batch file to the report: the published numbers, to the last bit."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from pathlib import Path

import pytest
from django.core.management import call_command

from annotation.models import Judgment, Study, Submission, Worker
from annotation.reports.gather import score

pytestmark = [pytest.mark.needs_data, pytest.mark.django_db]


@pytest.fixture
def batch(data_dir: Path) -> Path:
    return data_dir / "huse" / "summarization_batch_results.csv"


@pytest.fixture
def study(batch: Path) -> Study:
    call_command("import_batch", batch, study="huse")
    return Study.objects.get(name="huse")


@pytest.fixture
def written(study: Study, tmp_path: Path) -> Path:
    call_command("report", "huse", out=tmp_path / "huse")
    return tmp_path / "huse"


def numbers(folder: Path) -> dict:
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


def test_the_published_numbers_come_out_in_both_modes(
    study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("report", "huse", out=tmp_path)
    told = numbers(tmp_path)
    (generator,) = told["generators"].values()
    modes = {
        mode: [generator["modes"][mode][measure]["value"] for measure in ("huse", "huse_q", "huse_d")]
        for mode in ("paper", "exact")
    }
    assert modes["paper"] == [0.53, 0.5800000000000001, 0.95]
    assert modes["exact"] == pytest.approx([0.53, 0.60, 0.93], abs=1e-12)
    assert "one_source_hits" in [warn["kind"] for warn in told["warnings"]]
    assert "In every HIT with ratings they are of one source only" in capsys.readouterr().out


def test_everything_in_the_file_is_stored_once(study: Study) -> None:
    assert Judgment.objects.count() == 4000
    assert Worker.objects.count() == 93
    assert Submission.objects.count() == 160
    assert study.hits.count() == 8
    assert study.texts.count() == 200
    assert study.contexts.count() == 99


def test_hit_means_time_and_wage_are_those_of_the_file(study: Study) -> None:
    found = score(study)
    by_hit: dict[str | None, list[Fraction]] = {}
    for row in found.ratings:
        by_hit.setdefault(row.hit, []).append(Fraction(row.value))
    means = [round(float(sum(values) / len(values)), 3) for _, values in sorted(by_hit.items())]
    assert means == [4.228, 3.882, 4.196, 3.684, 4.422, 3.246, 3.822, 4.254]
    money = found.money
    assert (money.lower_seconds, money.median_seconds, money.upper_seconds) == (440, 804, 1964.5)
    assert (money.reward_cents, money.wage_cents, money.total_cents) == (100, 448, None)


def test_texts_log_probabilities_and_judgments_equal_the_clean_file(study: Study, data_dir: Path) -> None:
    (facts,) = score(study).generators
    with (data_dir / "huse" / "summary_clean.csv").open(newline="") as file:
        clean = [
            (
                float(row["HumanJudgement"]),
                float(row["ModelProbability"]),
                row["Label"] == "True",
                int(row["LengthOfUtterance"]),
            )
            for row in csv.DictReader(file, skipinitialspace=True)
        ]
    ours = [(float(item.hj), item.log_prob, item.source == "model", item.length) for item in facts.items]
    # The clean file's log p carry the noise of the sums that made them (-27.440500000000004).
    assert [[round(value, 9) for value in one] for one in sorted(ours)] == [
        [round(value, 9) for value in one] for one in sorted(clean)
    ]


def test_no_workers_id_is_in_any_file_or_outside_the_vault(written: Path, batch: Path) -> None:
    with batch.open(newline="") as file:
        ids = {row["WorkerId"] for row in csv.DictReader(file)}
    content = "".join(path.read_text(encoding="utf-8") for path in written.iterdir())
    content += "".join(Submission.objects.values_list("raw", flat=True))
    assert len(ids) == 93
    assert not [one for one in ids if one in content]


def test_what_the_report_writes_can_be_imported_and_gives_the_same_numbers(written: Path, tmp_path: Path) -> None:
    call_command("import_ratings", items=written / "items.csv", ratings=written / "ratings.csv", study="again")
    call_command("report", "again", out=tmp_path / "again")
    assert numbers(tmp_path / "again")["generators"] == numbers(written)["generators"]
    assert (tmp_path / "again" / "items.csv").read_bytes() == (written / "items.csv").read_bytes()
