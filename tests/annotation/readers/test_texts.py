"""Files of texts, as they are read when nothing is wrong."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.readers.problems import FileProblems, Findings
from annotation.readers.tabular import read_table
from annotation.readers.texts import read_texts

ROWS = [("r1", "rain delays the final", "reference", ""), ("m1", "final delayed", "model", "tiny")]


def written(tmp_path: Path, delimiter: str, *, encoding: str = "utf-8") -> Path:
    path = tmp_path / "texts.csv"
    lines = [("id", "text", "source", "generator"), *ROWS]
    path.write_text("".join(delimiter.join(line) + "\r\n" for line in lines), encoding=encoding)
    return path


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_the_delimiter_is_seen_and_a_byte_order_mark_is_taken(tmp_path: Path, delimiter: str, encoding: str) -> None:
    found = read_texts(written(tmp_path, delimiter, encoding=encoding))
    assert [(text.id, text.body, text.source, text.generator or "") for text in found.texts] == ROWS


def test_json_lines_give_what_the_same_csv_gives(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    names = ("id", "text", "source", "generator")
    path.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in ROWS))
    assert [(text.id, text.body, text.source, text.generator or "") for text in read_texts(path).texts] == ROWS


def test_words_are_counted_where_no_length_is_given(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("id,text,source,generator,log_prob,length_unit\nm,a  bc d,model,g,-4,\nn,a  bc e,model,g,-4,char\n")
    likelihoods = [text.likelihoods[0] for text in read_texts(path).texts]
    assert [(one.length, one.unit) for one in likelihoods] == [(3, "whitespace"), (7, "char")]


def test_minus_infinity_and_a_rounding_error_above_zero_are_log_probabilities(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("id,text,source,generator,log_prob\nm,a,model,g,-inf\nn,b,model,g,0.0000005\n")
    values = [text.likelihoods[0].log_prob for text in read_texts(path).texts]
    assert values == [-math.inf, 5e-7]


def test_a_reference_stands_under_the_only_generator(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("id,text,source,generator,log_prob\nr,a,reference,,-1\nm,b,model,g,-2\n")
    assert read_texts(path).texts[0].likelihoods[0].generator == "g"


def test_a_reference_of_two_generators_needs_a_likelihoods_file(tmp_path: Path) -> None:
    path, more = tmp_path / "texts.csv", tmp_path / "likelihoods.csv"
    path.write_text("id,text,source,generator,log_prob\nr,a,reference,,-1\nm,b,model,g,-2\nn,c,model,h,-2\n")
    with pytest.raises(FileProblems, match="use a likelihoods file"):
        read_texts(path)
    path.write_text("id,text,source,generator,log_prob\nr,a,reference,,\nm,b,model,g,-2\nn,c,model,h,-2\n")
    more.write_text("text,generator,log_prob,length,length_unit\nr,g,-1,1,whitespace\nr,h,-3,2,model_token\n")
    reference = read_texts(path, likelihoods=more).texts[0]
    assert [(one.generator, one.log_prob, one.length) for one in reference.likelihoods] == [("g", -1, 1), ("h", -3, 2)]


def test_words_are_counted_where_a_likelihoods_file_has_no_length(tmp_path: Path) -> None:
    path, more = tmp_path / "texts.csv", tmp_path / "likelihoods.csv"
    path.write_text("id,text,source,generator,log_prob\nr,a b c,reference,,\nm,b,model,g,-2\n")
    more.write_text("text,generator,log_prob,length,length_unit\nr,g,-1,,char\n")
    assert [one.length for one in read_texts(path, likelihoods=more).texts[0].likelihoods] == [5]
    more.write_text("text,generator,log_prob\nr,g,-1\n")
    assert [one.length for one in read_texts(path, likelihoods=more).texts[0].likelihoods] == [3]


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("x,g,-1", "text"),
        ("r,nobody,-1", "generator"),
        ("m,g,-1", "generator"),
        ("r,g,", "log_prob"),
        ("r,g,2", "log_prob"),
    ],
)
def test_a_fault_of_the_likelihoods_names_row_and_column(tmp_path: Path, line: str, field: str) -> None:
    path, more = tmp_path / "texts.csv", tmp_path / "likelihoods.csv"
    path.write_text("id,text,source,generator,log_prob\nr,a,reference,,\nm,b,model,g,-2\n")
    more.write_text(f"text,generator,log_prob\n{line}\n")
    with pytest.raises(FileProblems) as caught:
        read_texts(path, likelihoods=more)
    assert (caught.value.file, caught.value.problems[0].row, caught.value.problems[0].field) == (more.name, 2, field)


def test_a_mapping_names_columns_and_sources(tmp_path: Path) -> None:
    path, mapping = tmp_path / "texts.csv", tmp_path / "names.toml"
    path.write_text("ID,sentence,who\nr,a,human\nm,b,bot\n")
    mapping.write_text(
        '[columns]\nid = "ID"\ntext = "sentence"\nsource = "who"\n[sources]\nhuman = "reference"\nbot = "model"\n'
    )
    found = read_texts(path, mapping=mapping, generator="gpt2").texts
    assert [(text.id, text.source, text.generator) for text in found] == [
        ("r", "reference", None),
        ("m", "model", "gpt2"),
    ]


@given(
    st.lists(
        st.tuples(st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff\r")), st.integers()), min_size=1
    )
)
def test_whatever_the_csv_module_writes_is_read_back(tmp_path_factory: pytest.TempPathFactory, rows) -> None:
    import csv

    path = tmp_path_factory.mktemp("csv") / "any.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([("words", "number"), *rows])
    findings = Findings(path)
    cells = [(row.cells["words"], int(row.cells["number"])) for row in read_table(path, findings, delimiter=",").rows]
    assert (cells, findings.total) == (rows, 0)
