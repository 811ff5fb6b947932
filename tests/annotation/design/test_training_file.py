"""Training items in a file: what is read, what is refused by row, column and rule, and that a round trip is equal."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.design.training_file import read_training, write_example, write_training
from annotation.design.wording import Practice, PracticePair, Training
from annotation.readers.problems import FileProblems

FULL = Training(
    ("Programs repeat themselves.", "Good grammar\nsays little; so does style."),
    (Practice("The sea rose, and “fell”.", "human", "It has a thought.", "Write about; the sea"),),
    (PracticePair('She said "no".', "She said, said.", "{machine} repeats itself."),),
)


def written(folder: Path, content: str | bytes, name: str = "items.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def problem(path: Path) -> str:
    with pytest.raises(FileProblems) as caught:
        read_training(path)
    return str(caught.value)


@pytest.mark.parametrize("file_format", ["csv", "jsonl"])
def test_what_was_written_reads_equal(tmp_path: Path, file_format: str) -> None:
    path = written(tmp_path, write_training(FULL, file_format), f"items.{file_format}")
    assert read_training(path).training == FULL


# Neither blanks at the ends nor signs that cannot be seen belong to a text.
texts = st.text(st.sampled_from("ab ä,;\"'\n{}|é"), min_size=1, max_size=12).filter(
    lambda text: text == text.strip() and any(mark.isalnum() for mark in text)
)
examples = st.builds(Practice, texts, st.sampled_from(["human", "machine"]), texts, st.just("") | texts)
trainings = st.builds(
    Training,
    st.lists(texts, max_size=3).map(tuple),
    st.lists(examples, max_size=3).map(tuple),
    st.lists(st.builds(PracticePair, texts, texts, texts), max_size=2).map(tuple),
)


@given(trainings.filter(lambda training: training != Training()), st.sampled_from(["csv", "jsonl"]))
def test_any_items_survive_the_round_trip(
    tmp_path_factory: pytest.TempPathFactory, training: Training, file_format: str
) -> None:
    path = tmp_path_factory.mktemp("items") / f"items.{file_format}"
    path.write_bytes(write_training(training, file_format).encode("utf-8-sig" if file_format == "csv" else "utf-8"))
    assert read_training(path).training == training


def test_a_file_of_excel_is_read(tmp_path: Path) -> None:
    """A byte order mark, semicolons, line breaks of Windows, and a quoted line break."""
    content = (
        "\ufefftraining;text;source;explanation\r\n"
        'examples;"First line\r\nsecond; line";person;It rhymes.\r\n'
        "instructions;Read to the end.;;\r\n"
    )
    training = read_training(written(tmp_path, content)).training
    assert training.examples == (Practice("First line\nsecond; line", "human", "It rhymes."),)
    assert training.instructions == ("Read to the end.",)


def test_the_example_file_can_be_imported_as_it_is(tmp_path: Path) -> None:
    training = read_training(written(tmp_path, write_example())).training
    assert (len(training.instructions), len(training.examples), len(training.comparison)) == (1, 1, 1)


@pytest.mark.parametrize(
    ("row", "where", "rule"),
    [
        ("pictures,x,,,,,", "row 2, column 'training'", "must be one of instructions, examples, comparison"),
        (",x,,,,,", "row 2, column 'training'", "it is empty"),
        ("examples,x,nobody,,,,y", "row 2, column 'source'", "must be human or machine, not 'nobody'"),
        ("examples,x,human,,,,", "row 2, column 'explanation'", "must not be empty"),
        ("instructions,,,,,,", "row 2, column 'text'", "must not be empty"),
        ("comparison,,,x,,,y", "row 2, column 'machine'", "must not be empty"),
        ("comparison,x,,a,b,,y", "row 2, column 'text'", "must be empty in an item of the training comparison"),
    ],
)
def test_a_fault_names_row_column_and_rule(tmp_path: Path, row: str, where: str, rule: str) -> None:
    sentence = problem(written(tmp_path, f"training,text,source,human,machine,context,explanation\n{row}\n"))
    assert where in sentence
    assert rule in sentence


def test_a_file_without_the_column_of_the_training_is_refused(tmp_path: Path) -> None:
    assert "column 'training': this column is missing" in problem(written(tmp_path, "text,source\nx,human\n"))


def test_too_many_items_are_refused(tmp_path: Path) -> None:
    rows = "instructions,Read on.\n" * 201
    assert "at most 200 items" in problem(written(tmp_path, f"training,text\n{rows}"))
