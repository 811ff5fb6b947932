"""A batch-results file with one fault: told by row, column and rule, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command

from tests.annotation.importing import batches

pytestmark = pytest.mark.django_db


def spoil(at: int, name: str, value: str) -> Callable[[batches.Rows], None]:
    """Put `value` into the row with this number in the file (the header is row 1)."""

    def change(content: batches.Rows) -> None:
        content[at - 2][name] = value

    return change


def drop(name: str) -> Callable[[batches.Rows], None]:
    def change(content: batches.Rows) -> None:
        for row in content:
            del row[name]

    return change


FAULTS = {
    "a label that is not in the scale": (spoil(4, "Answer.1", "Meh"), "row 4, column 'Answer.1': the label 'Meh'"),
    "a blank answer": (spoil(4, "Answer.2", " "), "row 4, column 'Answer.2': the answer is blank"),
    "a missing answer column": (drop("Answer.1"), "row 1, column 'Answer.1': the header"),
    "a missing worker column": (drop("WorkerId"), "row 1, column 'WorkerId': the header"),
    "a blank worker": (spoil(3, "WorkerId", ""), "row 3, column 'WorkerId': must not be empty"),
    "a worker twice in a HIT": (spoil(3, "WorkerId", "A1WORKER0"), "row 3, column 'WorkerId': the worker has another"),
    "an assignment twice": (
        spoil(9, "AssignmentId", "3ASSIGNMENT0X1"),
        "row 9, column 'AssignmentId': duplicate assignment ID",
    ),
    "a HIT that shows two texts": (spoil(3, "Input.OUT1", "other"), "row 3, column 'Input.OUT1': differs from row 2"),
    "log p above 0": (spoil(2, "Input.LOGP0", "1.5"), "row 2, column 'Input.LOGP0': a log-probability is 0 or less"),
    "log p that is no number": (spoil(2, "Input.LOGP0", "x"), "row 2, column 'Input.LOGP0': 'x' is not a number"),
    "an unknown source": (spoil(5, "Input.TYPE0", "ROBOT"), "row 5, column 'Input.TYPE0': the source must be one of"),
    "an empty text": (spoil(2, "Input.OUT0", ""), "row 2, column 'Input.OUT0': must not be empty"),
    "an unknown status": (spoil(2, "AssignmentStatus", "Lost"), "row 2, column 'AssignmentStatus': must be Submitted"),
    "a time that is none": (spoil(2, "SubmitTime", "noon"), "row 2, column 'SubmitTime': 'noon' is not a time"),
    "an unknown zone": (
        spoil(2, "SubmitTime", "Thu Nov 08 14:12:00 XYZ 2018"),
        "row 2, column 'SubmitTime': the time zone",
    ),
    "work that ends before it begins": (
        spoil(2, "SubmitTime", "Thu Nov 08 14:09:00 PST 2018"),
        "row 2, column 'SubmitTime': is before AcceptTime",
    ),
    "a reward in half cents": (spoil(2, "Reward", "$0.505"), "row 2, column 'Reward': must be whole cents"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    change, sentence = FAULTS[name]
    content = batches.rows(hits=4)
    change(content)
    path = batches.written(tmp_path / "batch.csv", content)
    with pytest.raises(CommandError) as caught:
        call_command("import_batch", path, study="spoiled")
    assert sentence in str(caught.value)
    assert caught.value.returncode == 2
    assert not any(model.objects.exists() for model in apps.get_app_config("annotation").get_models())


def test_an_open_quotation_mark_and_a_file_that_is_not_there_are_told(tmp_path: Path) -> None:
    path = batches.written(tmp_path / "batch.csv", batches.rows(hits=1), tail='"3HIT9,')
    with pytest.raises(CommandError, match=r"row 5: a quotation mark is opened and not closed"):
        call_command("import_batch", path, study="spoiled")
    with pytest.raises(CommandError, match=r"gone\.csv, the file cannot be read"):
        call_command("import_batch", tmp_path / "gone.csv", study="spoiled")


def test_columns_of_no_known_layout_ask_for_a_mapping(tmp_path: Path) -> None:
    path = tmp_path / "batch.csv"
    path.write_text("HITId,WorkerId,Input.text,Answer.x\n1,2,3,4\n")
    with pytest.raises(CommandError, match="use --mapping FILE"):
        call_command("import_batch", path, study="spoiled")


@pytest.mark.parametrize("study", ["huse", "a name with blanks", "x" * 101])
def test_a_name_that_is_taken_or_malformed_is_refused(study: str, tmp_path: Path) -> None:
    path = batches.written(tmp_path / "batch.csv", batches.rows(hits=1))
    call_command("import_batch", path, study="huse")
    with pytest.raises(CommandError, match=r"exists already|is invalid") as caught:
        call_command("import_batch", path, study=study)
    assert caught.value.returncode == 2
    assert apps.get_model("annotation.Study").objects.count() == 1
