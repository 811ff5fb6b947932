"""Files as other people's programs write them: what is taken, and how the rest is told."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from annotation.readers.tabular import FileForm
from annotation.readers.texts import Examination, examine_texts

HEAD = "id,text,source,generator\n"
ROWS = "r1,snow delays it,reference,\nm1,rain delays it,model,tiny\n"
BODIES = ["snow delays it", "rain delays it"]
SEMICOLONS = (HEAD + ROWS).replace(",", ";")
GERMAN = SEMICOLONS.replace("snow", "“Schnee” – süß")

TAKEN = {
    "Excel's Unicode text": ("texts.txt", (HEAD + ROWS).replace(",", "\t").replace("\n", "\r\n").encode("utf-16")),
    "UTF-16 of the other order": ("texts.csv", b"\xfe\xff" + (HEAD + ROWS).encode("utf-16-be")),
    "Excel's line that names the delimiter": ("texts.csv", ("sep=;\r\n" + SEMICOLONS).encode("utf-8-sig")),
    "line ends of an old Macintosh": ("texts.csv", (HEAD + ROWS).replace("\n", "\r").encode()),
    "two kinds of line ends": ("texts.csv", (HEAD + ROWS.replace("\n", "\r\n", 1)).encode()),
    "blank lines": ("texts.csv", (HEAD + "\n\n" + ROWS + "  \n\n").encode()),
    "blank rows and columns": ("texts.csv", (HEAD + ROWS + ",,,\n").replace("\n", ",,,\n").encode()),
    "a column without a name": ("texts.csv", ("," + HEAD + "0," + ROWS.replace("m1", "1,m1")).encode()),
    "no-break spaces around names": ("texts.csv", (HEAD.replace("text", " text\xa0") + ROWS).encode()),
    "pipes": ("texts.psv", (HEAD + ROWS).replace(",", "|").encode()),
    "a sign nobody would think of": ("texts.csv", (HEAD + ROWS).replace(",", "~").encode()),
    "lines of .json": (
        "texts.json",
        b'\xef\xbb\xbf\n{"id": "r1", "text": "snow delays it", "source": "reference", "more": [1]}\r\n\n'
        b'{"id": "m1", "text": "rain delays it", "source": "model", "generator": "tiny", "log_prob": null}',
    ),
}


def examined(tmp_path: Path, name: str, content: bytes, form: FileForm | None = None) -> Examination:
    path = tmp_path / name
    path.write_bytes(content)
    return examine_texts(path, form=form)


@pytest.mark.parametrize("what", TAKEN)
def test_it_is_taken(what: str, tmp_path: Path) -> None:
    found = examined(tmp_path, *TAKEN[what])
    assert [text.body for text in found.texts] == BODIES, found.faults


def test_what_was_taken_for_granted_is_said(tmp_path: Path) -> None:
    found = examined(tmp_path, *TAKEN["Excel's Unicode text"])
    assert found.notes == (
        "The file begins with a byte order mark of UTF-16 and is read so.",
        "Cells are separated by tabs, as seen from the file.",
    )


def test_an_encoding_can_be_named(tmp_path: Path) -> None:
    content = GERMAN.encode("cp1252")
    refused = examined(tmp_path, "texts.csv", content)
    assert [one.code for one in refused.faults[0].problems.listed] == ["undecodable-bytes"]
    found = examined(tmp_path, "texts.csv", content, FileForm(encoding="cp1252"))
    assert found.texts[0].body == "“Schnee” – süß delays it"
    assert [
        one.code for one in examined(tmp_path, "a.csv", content, FileForm(encoding="rot13")).faults[0].problems.listed
    ] == ["unknown-encoding"]


def test_quoted_line_breaks_stay_as_they_are(tmp_path: Path) -> None:
    content = HEAD + 'r1,"two\nlines, and ""quotes""",reference,\r\nm1,"a\r\nb\tc",model,tiny\r\n'
    assert [text.body for text in examined(tmp_path, "texts.csv", content.encode()).texts] == [
        'two\nlines, and "quotes"',
        "a\r\nb\tc",
    ]


@pytest.mark.parametrize(
    "body",
    [
        "👩‍👩‍👧 and e\u0301",
        "שלום עליכם",
        "مرحبا بالعالم",
        "今日は雨です。",
        "a\u200bb",
        "x" * 100_000,
        "a < b & c <unk> </s> --> d",
    ],
)
def test_texts_of_any_script_are_kept_as_they_are(body: str, tmp_path: Path) -> None:
    content = (HEAD + f'r1,"{body}",reference,\n').encode()
    assert [text.body for text in examined(tmp_path, "texts.csv", content).texts] == [body]


TOLD = {
    "gzip": ("texts.csv.gz", gzip.compress(HEAD.encode()), "not-a-text-file", "gunzip"),
    "an Excel workbook": ("texts.xlsx", b"PK\x03\x04" + b"x" * 50, "not-a-text-file", "save the sheet as CSV"),
    "a JSON list": ("texts.json", json.dumps([{"id": "r1"}]).encode(), "json-array", "one object a line"),
    "an indented JSON list": ("texts.json", json.dumps([{"id": "r1"}], indent=1).encode(), "json-array", "JSON list"),
    "JSON Lines named CSV": ("texts.csv", b'{"id": "r1"}\n', "json-array", "name it .jsonl"),
    "two encodings": (
        "texts.csv",
        (HEAD + "r1,café,reference,\n").encode() + "m1,café,model,g\n".encode("latin-1"),
        "mixed-encodings",
        "this row is not UTF-8, row 2 is",
    ),
    "names in other letters": ("texts.csv", b"ID,Text,Source\nr1,a,reference\n", "missing-column", "is 'ID' meant?"),
    "rows with another delimiter": ("texts.csv", b"id;text;source\nr1,a,reference\n", "wrong-delimiter", "commas"),
    "blanks for a delimiter": ("texts.csv", b"id  text  source\nr1  a  reference\n", "wrong-delimiter", "one column"),
    "quotation marks of a writer": (
        "texts.csv",
        "id,text,source\nr1,“a, b”,reference\n".encode(),
        "long-row",
        "4 cells",
    ),
    "a text of 2 MB": (
        "texts.csv",
        (HEAD + f"r1,{'word ' * 400_000},reference,\n").encode(),
        "text-too-long",
        "2000000",
    ),
    "a field of zero width": (
        "texts.csv",
        (HEAD + "r1,\u200b,reference,\n").encode(),
        "blank-text",
        "nothing to be seen",
    ),
    "a generator of zero width": (
        "texts.csv",
        (HEAD + "m1,a,model,\u200b\n").encode(),
        "missing-generator",
        "must name",
    ),
    "an id of zero width": ("texts.csv", (HEAD + "\u200b,a,reference,\n").encode(), "empty-id", "nothing to be seen"),
    "a spreadsheet's minus": (
        "texts.csv",
        "id,text,source,generator,log_prob\nm1,a,model,g,−12.4\n".encode(),
        "log-p-not-a-number",
        "hyphen",
    ),
    "a huge number": (
        "texts.jsonl",
        b'{"id": 1, "text": "a", "source": "model", "generator": "g", "corpus_count": 1' + b"0" * 400 + b"}\n",
        "number-too-large",
        "or less",
    ),
    "a file cut within UTF-16": ("texts.csv", (HEAD + ROWS).encode("utf-16")[:-1], "undecodable-bytes", "utf-16"),
    "an end inside a quotation": (
        "texts.csv",
        (HEAD + 'r1,"a,reference,\n' * 50).encode(),
        "unterminated-quote",
        "closed",
    ),
}


@pytest.mark.parametrize("what", TOLD)
def test_it_is_told(what: str, tmp_path: Path) -> None:
    name, content, code, words = TOLD[what]
    found = examined(tmp_path, name, content)
    assert any(one.code == code and words in one.rule for one in found.faults[0].problems.listed), found.faults
    assert not found.texts


WARNED = {
    "a date in place of an id": ("2-Jan,a,reference,", "date-like-id"),
    "a word for nothing": ("r1,nan,reference,", "missing-word"),
    "letters read in the wrong encoding": ("r1,cafÃ© donâ€™t,reference,", "damaged-letters"),
}


@pytest.mark.parametrize("what", WARNED)
def test_it_is_warned_of(what: str, tmp_path: Path) -> None:
    row, code = WARNED[what]
    found = examined(tmp_path, "texts.csv", f"{HEAD}{row}\n".encode())
    assert [one.code for one in found.faults[0].warnings.listed] == [code]
    assert len(found.texts) == 1


def test_a_file_of_200_columns_warns_of_those_nobody_reads(tmp_path: Path) -> None:
    head = ["id", "text", "source", *(f"c{at}" for at in range(197))]
    content = ",".join(head) + "\nr1,a,reference" + ",x" * 197 + "\n"
    found = examined(tmp_path, "texts.csv", content.encode())
    assert (len(found.texts), found.faults[0].warnings.total) == (1, 197)


@pytest.mark.parametrize("name", ["gone.csv", "a\0b.csv", "x" * 300 + ".csv"])
def test_a_file_that_cannot_be_opened_is_named_so(name: str, tmp_path: Path) -> None:
    found = examine_texts(tmp_path / name)
    assert [one.code for one in found.faults[0].problems.listed] == ["cannot-read"]


def test_rows_after_a_broken_one_are_still_looked_at(tmp_path: Path) -> None:
    rows = 'r1,"never closed,reference,\nr2,"",reference,\nr3,short\n' + "m1,a,robot,\nr4,fine,reference,\n"
    found = examined(tmp_path, "texts.csv", (HEAD + rows).encode())
    told = [(one.code, one.row) for one in found.faults[0].problems.listed]
    assert told == [("unterminated-quote", 2), ("empty-text", 3), ("short-row", 4), ("unknown-source", 5)]
