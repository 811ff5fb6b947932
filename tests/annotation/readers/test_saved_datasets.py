"""Folders that the `datasets` library saved. `saved/` was written by its version 5.2.0 (DatasetDict.save_to_disk)."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pyarrow as pa
import pytest

from annotation.readers.tabular import FileForm
from annotation.readers.texts import Examination, examine_texts

SAVED = Path(__file__).with_name("saved")


def codes(found: Examination) -> list[str]:
    return [str(code) for code in found.faults[0].problems.by_code]


def written(folder: Path, columns: dict[str, list[object]]) -> Path:
    """A folder as the library writes it: one stream of Arrow and the JSON that names it."""
    folder.mkdir(exist_ok=True)
    table = pa.table(columns)
    with pa.OSFile(str(folder / "data.arrow"), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": "data.arrow"}], "_split": None}))
    return folder


def test_a_split_is_read_with_the_names_of_its_labels() -> None:
    found = examine_texts(SAVED, form=FileForm(split="train"))
    assert [(one.id, one.body, one.source, one.generator) for one in found.texts] == [
        ("r1", "rain delays the final", "reference", None),
        ("m1", "über Nacht\n二行 😀", "model", "tiny"),
    ]
    # Single precision is told by as few digits as it takes, not by the sixteen of its double.
    assert [one.likelihoods[0].written for one in found.texts] == ["-12.4", "-6.1"]
    assert "The split train is read, of train, test." in found.notes


def test_of_several_splits_one_must_be_chosen() -> None:
    for split in (None, "dev"):
        found = examine_texts(SAVED, form=FileForm(split=split))
        assert codes(found) == ["which-split"]
        assert "train, test" in found.faults[0].problems.listed[0].rule


def test_a_missing_label_is_an_empty_cell() -> None:
    found = examine_texts(SAVED, form=FileForm(split="test"))
    problem = found.faults[0].problems.listed[0]
    assert (problem.code, problem.row, problem.field) == ("unknown-source", 2, "source")


def test_nested_columns_that_nobody_reads_are_only_warned_of() -> None:
    found = examine_texts(SAVED, form=FileForm(split="train"))
    assert [one.field for one in found.faults[0].warnings.listed] == ["meta", "tags"]


def test_a_nested_column_that_is_read_is_refused(tmp_path: Path) -> None:
    folder = written(tmp_path / "d", {"id": ["a"], "text": [["b"]], "source": ["reference"]})
    assert codes(examine_texts(folder)) == ["nested-value"]


@pytest.mark.parametrize("name", ["../d/data.arrow", "gone.arrow", "/etc/hostname"])
def test_only_files_of_the_folder_are_opened(tmp_path: Path, name: str) -> None:
    folder = written(tmp_path / "d", {"id": ["a"], "text": ["b"], "source": ["reference"]})
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": name}]}))
    assert codes(examine_texts(folder)) == ["damaged-dataset"]


def test_any_other_folder_is_named_so(tmp_path: Path) -> None:
    assert codes(examine_texts(tmp_path)) == ["not-a-dataset"]


def test_whatever_bytes_are_damaged_the_answer_is_an_examination(tmp_path: Path) -> None:
    rng, folder = random.Random(5), tmp_path / "d"
    shutil.copytree(SAVED / "train", folder)
    data = folder / "data-00000-of-00001.arrow"
    whole = data.read_bytes()
    damaged = 0
    for _ in range(200):
        content = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        data.write_bytes(content[: rng.randrange(len(content))] if rng.random() < 0.2 else content)
        damaged += "damaged-dataset" in codes(examine_texts(folder))
    assert damaged > 100
