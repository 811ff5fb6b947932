"""manage.py exclusions on the released HUSE study: measured, told, and every selection beside random removals."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Evidence, Flag

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
    assert "Beyond the recruitment criteria, no rater, assignment or item was excluded." in told
    assert "HUSE under 4 selections of exclusion rules" in told
    assert "without any rule it is 0.53" in told
    assert next(tmp_path.glob("*.svg")).read_text(encoding="utf-8").startswith("<svg")


def test_a_study_that_is_not_there_is_told_so(db: None) -> None:
    with pytest.raises(CommandError, match="no study called"):
        call_command("exclusions", "nothing")
