"""Every fault of a text file is told by row, column and rule."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from annotation.readers.columns import Names
from annotation.readers.problem_codes import Code
from annotation.readers.problems import SHOWN, FileProblems
from annotation.readers.texts import examine_texts, read_texts

HEADER = "id,text,source,generator,context,context_text,log_prob,length,length_unit,decoding,corpus_count,corpus_size"
GOOD = ["r1,a b c,reference,,,,-3,3,whitespace,,,", "m1,d e,model,tiny,,,-2,2,whitespace,t=1,,"]


def csv_with(row: str) -> bytes:
    """Two good rows and, as row 4, the given one."""
    return "\n".join([HEADER, *GOOD, row, ""]).encode()


FAULTS = {
    "a byte that is not UTF-8": (csv_with("x") + b"m9,caf\xe9,model\n", 5, "text", "not in the encoding"),
    "UTF-16 without a byte order mark": (HEADER.encode("utf-16-le"), 1, "", "UTF-16"),
    "NUL": (csv_with("m2,a\0b,model,tiny,,,,,,,,"), 4, "text", "NUL"),
    "a BOM in the middle": (csv_with("\ufeffm2,a,model,tiny,,,,,,,,"), 4, "id", "byte order mark"),
    "an empty file": (b"", 1, "", "empty"),
    "a header only": (HEADER.encode(), None, "", "no rows"),
    "a missing column": (b"id,source\nr1,reference\n", 1, "text", "this column is missing"),
    "a wrong delimiter": (b"id text source\nr1 a reference\n", 1, "id", "is the delimiter right"),
    "a doubled column": (b"id,text,text,source\nr1,a,b,reference\n", 1, "text", "twice"),
    "a short row": (csv_with("m2,a,model,tiny"), 4, "context", "4 cells"),
    "a long row": (csv_with("m2,a,model,tiny,,,,,,,,,,"), 4, "", "14 cells"),
    "an open quotation mark": (csv_with('m2,"a,model,tiny,,,,,,,,'), 4, "", "not closed"),
    "an empty text": (csv_with("m2,,model,tiny,,,,,,,,"), 4, "text", "empty"),
    "a blank text": (csv_with("m2,  ,model,tiny,,,,,,,,"), 4, "text", "blank"),
    "a duplicate id": (csv_with("m1,x,model,tiny,,,,,,,,"), 4, "id", "duplicate ID 'm1' (first in row 3)"),
    "an id rounded by a spreadsheet": (csv_with("1.5E+10,x,model,tiny,,,,,,,,"), 4, "id", "spreadsheet"),
    "an unknown source": (csv_with("m2,x,robot,tiny,,,,,,,,"), 4, "source", "'robot'"),
    "a missing generator": (csv_with("m2,x,model,,,,,,,,,"), 4, "generator", "must name"),
    "log p above 0": (csv_with("m2,x,model,tiny,,,0.5,1,whitespace,t=1,,"), 4, "log_prob", "0 or less"),
    "log p that is no number": (csv_with("m2,x,model,tiny,,,low,1,whitespace,t=1,,"), 4, "log_prob", "not a number"),
    "log p NaN": (csv_with("m2,x,model,tiny,,,nan,1,whitespace,t=1,,"), 4, "log_prob", "NaN"),
    "log p infinite": (csv_with("m2,x,model,tiny,,,inf,1,whitespace,t=1,,"), 4, "log_prob", "+inf"),
    "length 0": (csv_with("m2,x,model,tiny,,,-1,0,whitespace,t=1,,"), 4, "length", "1 or more"),
    "a negative length": (csv_with("m2,x,model,tiny,,,-1,-3,whitespace,t=1,,"), 4, "length", "1 or more"),
    "half a length": (csv_with("m2,x,model,tiny,,,-1,2.5,whitespace,t=1,,"), 4, "length", "whole"),
    "a length over all bounds": (csv_with(f"m2,x,model,tiny,,,-1,{'9' * 5000},char,t=1,,"), 4, "length", "or less"),
    "digits of another script": (csv_with("m2,x,model,tiny,,,-1,٣,whitespace,t=1,,"), 4, "length", "whole"),
    "underscores in a number": (csv_with("m2,x,model,tiny,,,-1_0,1,whitespace,t=1,,"), 4, "log_prob", "not a number"),
    "a generator's name that turns its sentence round": (
        csv_with("m2,x,model,ti\u202eny,,,,,,,,"),
        4,
        "generator",
        "U+202E",
    ),
    "a generator's name over its limit": (csv_with(f"m2,x,model,{'g' * 101},,,,,,,,"), 4, "generator", "limit is 100"),
    "a length without unit": (csv_with("m2,x,model,tiny,,,-1,2,,t=1,,"), 4, "length_unit", "needs its unit"),
    "an unknown unit": (csv_with("m2,x,model,tiny,,,-1,2,yards,t=1,,"), 4, "length_unit", "'yards'"),
    "model tokens without length": (
        csv_with("m2,x,model,tiny,,,-1,,model_token,t=1,,"),
        4,
        "length",
        "cannot be counted",
    ),
    "a control character": (csv_with("m2,a\x07b,model,tiny,,,,,,t=1,,"), 4, "text", "U+0007"),
    "two decodings of a generator": (csv_with("m2,x,model,tiny,,,,,,t=2,,"), 4, "decoding", "'t=1' in row 3"),
    "a frequency below 0": (csv_with("m2,x,model,tiny,,,,,,t=1,-1,"), 4, "corpus_count", "0 or more"),
    "a frequency above its corpus": (csv_with("m2,x,model,tiny,,,,,,t=1,9,5"), 4, "corpus_count", "corpus size 5"),
    "a text over its limit": (csv_with(f"m2,{'x' * 100_001},model,tiny,,,,,,t=1,,"), 4, "text", "limit is 100000"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_names_its_row_column_and_rule(name: str, tmp_path: Path) -> None:
    content, row, field, rule = FAULTS[name]
    path = tmp_path / "texts.csv"
    path.write_bytes(content)
    with pytest.raises(FileProblems) as caught:
        read_texts(path)
    assert any((one.row, one.field) == (row, field) and rule in one.rule for one in caught.value.problems), caught.value


@pytest.mark.timeout(10)
def test_a_header_of_very_many_columns_is_refused_at_once(tmp_path: Path) -> None:
    """It took a quarter of an hour: each name was looked for among all those before it."""
    path = tmp_path / "texts.csv"
    path.write_text("id,text,source," + ",".join(f"c{number}" for number in range(200_000)) + "\nr1,a,reference\n")
    started = time.process_time()
    with pytest.raises(FileProblems) as caught:
        read_texts(path)
    took = time.process_time() - started
    assert [(one.row, one.code) for one in caught.value.problems] == [(1, Code.TOO_MANY_COLUMNS)]
    assert "200,003 columns; at most 1,000" in str(caught.value)
    assert took < 1


@pytest.mark.timeout(10)
def test_an_object_of_very_many_members_is_read_at_once(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    members = ", ".join(f'"c{number}": 1' for number in range(100_000))
    path.write_text('{"id": "a", "text": "x", "source": "reference", "id": "b", ' + members + "}\n")
    with pytest.raises(FileProblems, match="names this member twice"):
        read_texts(path)


JSON_FAULTS = {
    "no JSON": ("{", 2, "", "not JSON"),
    "no object": ("[1]", 2, "", "one JSON object"),
    "a nested value": ('{"id": "a", "text": ["x"], "source": "reference"}', 2, "text", "not a list"),
    "a member twice": ('{"id": "a", "id": "b", "text": "x", "source": "reference"}', 2, "id", "twice"),
    "a missing member": ('{"id": "a", "source": "reference"}', 2, "text", "this member is missing"),
    "half a character": (json.dumps({"id": "a", "text": "\ud800", "source": "reference"}), 2, "text", "U+D800"),
    "NaN": ('{"id": "a", "text": "x", "source": "model", "generator": "g", "log_prob": NaN}', 2, "log_prob", "NaN"),
}


@pytest.mark.parametrize("name", JSON_FAULTS)
def test_a_fault_of_json_lines_names_its_row_member_and_rule(name: str, tmp_path: Path) -> None:
    line, row, field, rule = JSON_FAULTS[name]
    path = tmp_path / "texts.jsonl"
    path.write_text('{"id": "r1", "text": "good", "source": "reference"}\n' + line + "\n")
    with pytest.raises(FileProblems) as caught:
        read_texts(path)
    assert any((one.row, one.field) == (row, field) and rule in one.rule for one in caught.value.problems), caught.value


@pytest.mark.parametrize("field", ["id", "text", "source", "generator"])
@pytest.mark.parametrize("value", [["x"], {"x": "y"}, True])
def test_a_member_that_is_no_text_is_told_once(field: str, value: object, tmp_path: Path) -> None:
    good = {"id": "a", "text": "x", "source": "model", "generator": "tiny"}
    path = tmp_path / "texts.jsonl"
    path.write_text(
        "".join(json.dumps(row) + "\n" for row in ({**good, field: value}, {**good, "id": "b", "text": ""}))
    )
    with pytest.raises(FileProblems) as caught:
        read_texts(path)
    assert [(one.row, one.field) for one in caught.value.problems] == [(1, field), (2, "text")]


def test_the_first_sentence_names_the_first_problem_and_the_rest_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("id,text,source\nr1,a,reference\nr1,b,reference\nr2,,reference\n")
    with pytest.raises(FileProblems) as caught:
        read_texts(path)
    first, count, second, *what_to_do = str(caught.value).splitlines()
    assert first == "texts.csv, row 3, column 'id': duplicate ID 'r1' (first in row 2). [duplicate-id]"
    assert count.startswith("2 problems in all")
    assert second == "  row 4, column 'text': must not be empty. [empty-text]"
    assert [line.partition(":")[0] for line in what_to_do] == ["duplicate-id", "empty-text"]


def test_the_advice_for_a_missing_column_names_that_column(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("ID,text\nr1,a\n")
    with pytest.raises(FileProblems) as caught:
        read_texts(path)
    assert str(caught.value).splitlines()[-2:] == [
        "missing-column: Add it, or give its name in the file: --column id=NAME (import_texts).",
        "missing-column: Add it, or give its name in the file: --column source=NAME (import_texts).",
    ]
    assert caught.value.problems[0].what_to_do_on_a_page.endswith(": id = NAME.")


def test_the_advice_names_the_column_by_which_a_renamed_one_is_read(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("id,text,source,note\nr1,a,reference,x\n")
    examination = examine_texts(path, names=Names({"text": "sentence"}))
    problem, warning = examination.faults[0].problems.listed[0], examination.faults[0].warnings.listed[-1]
    assert (problem.field, problem.what_to_do) == (
        "sentence",
        "Add it, or give its name in the file: --column text=NAME (import_texts).",
    )
    assert warning.what_to_do.endswith("--column NAME=note (import_texts).")


def test_twenty_problems_are_listed_and_all_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("id,text,source\n" + "".join(f"r{at},,reference\n" for at in range(50)))
    with pytest.raises(FileProblems) as caught:
        read_texts(path)
    assert (len(caught.value.problems), caught.value.total) == (SHOWN, 50)


def test_a_row_that_follows_a_cell_with_line_breaks_is_told_by_the_line_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text('id,text,source\nr1,"two\nlines",reference\nr2,,reference\n')
    with pytest.raises(FileProblems) as caught:
        read_texts(path)
    assert caught.value.problems[0].row == 4


@pytest.mark.parametrize(
    ("row", "code", "sentence"),
    [
        ("m2,x,model,tiny,c1,,,,,t=1,,", "unpaired-context", "the context 'c1' has no reference"),
        ("m2,d e,model,tiny,,,,,,t=1,,", "duplicate-text", "has the same text, source and context"),
        ("m2,a </script> b,model,tiny,,,,,,t=1,,", "markup", "'</script>' at character 3"),
    ],
)
def test_what_the_researcher_allows_is_only_warned_of(row: str, code: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_bytes(csv_with(row))
    with pytest.raises(FileProblems, match=sentence):
        read_texts(path)
    found = read_texts(path, allow={Code(code)})
    assert len(found.texts) == 3
    assert any(sentence in warning for warning in found.warnings)


def test_a_text_under_both_sources_is_only_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_bytes(csv_with("m2,a b c,model,tiny,,,,,,t=1,,"))
    assert "the same text has both sources" in " ".join(read_texts(path).warnings)


def test_a_log_p_of_another_decoding_and_an_unknown_column_are_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text(
        "id,text,source,generator,log_prob,decoding,log_prob_decoding,mood\nm,x,model,g,-1,t=0.7,t=1,glad\n"
    )
    warnings = " ".join(read_texts(path).warnings)
    assert "column 'log_prob_decoding': log p is of the decoding 't=1', the text was drawn by 't=0.7'" in warnings
    assert "column 'mood'" in warnings


NAMELESS = {
    "a name over its limit": f"m1,x,model,{'g' * 101},-2\n",
    "a name that was lost with its text": "m1,,model,tiny,-2\n",
    "a source that cannot be": "m1,x,robot,tiny,-2\n",
}


@pytest.mark.parametrize("name", NAMELESS)
@pytest.mark.parametrize("of_reference", ["", "tiny"])
def test_a_model_text_that_was_refused_makes_no_fault_of_the_references(
    name: str, of_reference: str, tmp_path: Path
) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("id,text,source,generator,log_prob\n" + f"r1,a,reference,{of_reference},-3\n" + NAMELESS[name])
    with pytest.raises(FileProblems) as caught:
        read_texts(path)
    assert [one.row for one in caught.value.problems] == [3]


def test_references_alone_are_told_that_no_model_text_is_there(tmp_path: Path) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("id,text,source,log_prob\nr1,a,reference,-3\n")
    with pytest.raises(FileProblems, match="must name its generator: the file has no model text"):
        read_texts(path)
