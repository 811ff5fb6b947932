"""manage.py exclusions on the released HUSE study: measured, told, and every selection beside random removals."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.models import Evidence, Flag, Generator, Study, Submission
from annotation.review import exclude
from tests.annotation.importing import batches
from tests.annotation.review.factories import judged

pytestmark = [pytest.mark.django_db]


@pytest.mark.needs_data
def test_the_released_study_from_its_file_to_the_figure(data_dir: Path, tmp_path: Path) -> None:
    file = data_dir / "huse" / "summarization_batch_results.csv"
    call_command("import_batch", str(file), "--study", "huse", stdout=io.StringIO())
    out = io.StringIO()
    rules = ["--rule", "one_answer", "--rule", "quick_assignment"]
    call_command("exclusions", "huse", *rules, "--draws", "20", "--out", str(tmp_path), stdout=out)
    told = out.getvalue()
    # reference-results.md: 12 assignments gave one answer to 20 or more of 25 texts.
    assert Flag.objects.filter(kind="one_answer").count() == 12
    assert Evidence.objects.count() == 160
    assert "No rater, assignment or item was excluded." in told
    assert "HUSE under 4 selections of exclusion rules" in told
    assert "without any rule it is 0.53" in told
    assert next(tmp_path.glob("*.svg")).read_text(encoding="utf-8").startswith("<svg")


def test_a_generator_named_like_a_path_has_its_figure_in_the_folder(db: None, tmp_path: Path) -> None:
    study = judged(workers=8, hits=2, texts=12)
    Generator.objects.filter(study=study).update(name="../../out of it")
    call_command("exclusions", "judged", "--draws", "5", "--out", str(tmp_path / "a" / "b"), stdout=io.StringIO())
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.svg")] == [
        "a/b/exclusions-out-of-it.svg"
    ]


def test_exclusions_warn_of_the_first_look_and_note_it(db: None) -> None:
    study, err = judged(workers=8, hits=2, texts=12), io.StringIO()
    call_command("exclusions", "judged", "--draws", "5", stdout=io.StringIO(), stderr=err)
    assert "the results of judged are no longer blinded" in err.getvalue()
    assert study.audit.get(verb="unblind").actor == "command line"


def test_a_study_that_is_not_there_is_told_so(db: None) -> None:
    with pytest.raises(CommandError, match="no study called"):
        call_command("exclusions", "nothing")


def test_a_study_of_which_nothing_is_left_is_told_so_in_a_sentence(db: None, tmp_path: Path) -> None:
    call_command("import_batch", batches.written(tmp_path / "b.csv", batches.rows()), study="x", stdout=io.StringIO())
    study = Study.objects.get(name="x")
    exclude.exclude_submissions(study, Submission.objects.all(), reason="Pilot.", actor=None, now=timezone.now())
    with pytest.raises(CommandError, match="No rating is left"):
        call_command("exclusions", "x", stdout=io.StringIO())
