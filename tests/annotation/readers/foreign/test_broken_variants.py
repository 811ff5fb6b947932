"""Broken files get one sentence, in bounded time and memory: each is read by a process of its own that is measured."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from annotation.readers.foreign.guess import guess_mapping
from annotation.readers.foreign.look import look_at
from annotation.readers.foreign.text_mapping import TextMapping
from annotation.readers.texts import examine_texts
from tests.annotation.readers.foreign import other_tools as tools

WIDE = TextMapping(shape="wide", context_text="prompt", reference="human", models=("gpt2",))
MEASURE = """
import re, sys, time
from pathlib import Path
from annotation.readers.foreign.guess import guess_mapping
from annotation.readers.foreign.look import look_at
from annotation.readers.texts import examine_texts
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
before, began = peak(), time.process_time()
path = Path(sys.argv[1])
look = look_at(path)
problems = list(look.problems)
if not problems:
    examination = examine_texts(path, mapping=guess_mapping(look))
    problems = [str(problem) for fault in examination.faults for problem in fault.problems.listed]
more = (peak() - before) // 1024
print(f"{time.process_time() - began:.1f}", more, problems[0] if problems else "nothing", sep="|")
"""


def workbook(edit: Callable[[Any], None]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        import openpyxl

        book = openpyxl.Workbook()
        for row in (
            ("prompt", "human", "gpt2"),
            *((record["prompt"], record["human"], record["gpt2"]) for record in tools.RECORDS),
        ):
            book.active.append(row)
        edit(book.active)
        book.save(path)

    return write


def _set(cell: str, value: Any) -> Callable[[Any], None]:
    return lambda sheet: sheet.__setitem__(cell, value)


def bomb(path: Path) -> None:
    """A workbook of a few kilobytes that says it is four gigabytes."""
    tools.workbook(tools.WIDE)(path)
    content = io.BytesIO(path.read_bytes())
    with zipfile.ZipFile(content) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new:
        for member in old.infolist():
            if member.filename != "xl/sharedStrings.xml":
                new.writestr(member, old.read(member))
        with new.open("xl/sharedStrings.xml", "w", force_zip64=True) as file:
            for _ in range(300):
                file.write(b"<" * (1 << 20))


def ods_with(value: str, attributes: str) -> Callable[[Path], None]:
    """The wide table as OpenDocument, whose cell with this value has further attributes."""

    def cell(content: Any) -> str:
        more = attributes if content == value else "office:value-type='string'"
        return f"<table:table-cell {more}><text:p>{content}</text:p></table:table-cell>"

    return tools.open_document(tools.WIDE, cell=cell)


BROKEN: dict[str, tuple[str, Callable[[Path], None], str]] = {
    "merged cells": ("m.xlsx", workbook(lambda sheet: sheet.merge_cells("A3:A5")), "the cells A3:A5 are merged"),
    "a formula without a value": (
        "f.xlsx",
        workbook(_set("B3", "=UPPER(A3)")),
        "holds a formula without a stored value",
    ),
    "a date made of a number": ("d.xlsx", workbook(_set("C4", date(2024, 2, 1))), "holds a date (2024-02-01"),
    "a damaged workbook": ("x.xlsx", lambda path: path.write_bytes(b"PK\x03\x04" + b"x" * 50) and None, "is damaged"),
    "a workbook that unpacks to 300 MB of strings": ("b.xlsx", bomb, "which is too much; save it as CSV"),
    "merged cells of OpenDocument": (
        "m.ods",
        ods_with(tools.HUMAN[1], "office:value-type='string' table:number-rows-spanned='2'"),
        "is merged with others",
    ),
    "a date of OpenDocument": (
        "d.ods",
        ods_with(tools.MODEL[2], "office:value-type='date' office:date-value='2024-02-01'"),
        "holds a date (2024-02-01",
    ),
    "a damaged Parquet file": ("p.parquet", lambda path: path.write_bytes(b"PAR1" + b"x" * 99) and None, "is damaged"),
    "JSON that ends in the middle": (
        "l.json",
        lambda path: path.write_text(json.dumps(tools.RECORDS)[:-40]) and None,
        "not JSON",
    ),
    "a JSON object without records": (
        "o.json",
        lambda path: path.write_text('{\n "a": {\n  "b": 1}}') and None,
        "holds no list",
    ),
    "ragged rows": (
        "r.csv",
        tools.text_file(
            "prompt,human,gpt2\n" + "a,b c d e\n" + "".join(f"p{at},h h h {at},m m m {at}\n" for at in range(5))
        ),
        "2 cells where the header names 3",
    ),
    "two encodings": (
        "e.csv",
        lambda path: (
            path.write_bytes(
                "prompt,human,gpt2\na,der schöne Tag kam,b c d\n".encode()
                + "c,der größte Tag kam,e f g\n".encode("cp1252")
            )
            and None
        ),
        "two encodings are mixed",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_it_is_one_sentence(what: str, tmp_path: Path) -> None:
    name, write, words = BROKEN[what]
    write(tmp_path / name)
    look = look_at(tmp_path / name)
    problems = list(look.problems)
    if not problems:
        mapping = guess_mapping(look) if look.column("human") is None else WIDE
        problems = [
            str(problem) for problem in examine_texts(tmp_path / name, mapping=mapping).faults[0].problems.listed
        ]
    assert any(words in problem for problem in problems), problems
    assert len(problems) == (2 if what == "two encodings" else 1), problems


def measured(path: Path) -> tuple[float, int, str]:
    """Seconds of the processor, megabytes and the sentence of a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, path], capture_output=True, text=True, check=True, timeout=300
    )
    seconds, more, sentence = done.stdout.strip().split("|", 2)
    return float(seconds), int(more), sentence


def huge_line(path: Path, megabytes: int, before: bytes = b"prompt,human,gpt2\n") -> None:
    with path.open("wb") as file:
        file.write(before)
        for _ in range(megabytes):
            file.write(b"word" * (1 << 18))


@pytest.mark.long
def test_huge_files_are_refused_in_little_memory(tmp_path: Path) -> None:
    """A tenth of the sizes that docs/import.md reports (python -m tests.annotation.readers.foreign.measure)."""
    cases: list[tuple[str, Callable[[Path], None], str]] = [
        (
            "columns.csv",
            lambda path: path.write_text(",".join(f"c{at}" for at in range(200_000)) + "\n") and None,
            "200,000 columns",
        ),
        ("line.csv", lambda path: huge_line(path, 100), "longer than"),
        ("line.json", lambda path: huge_line(path, 100, b'[{"text": "'), "longer than"),
    ]
    for name, write, words in cases:
        write(tmp_path / name)
        seconds, more, sentence = measured(tmp_path / name)
        assert words in sentence, (name, sentence)
        assert seconds < 60, (name, seconds)
        assert more < 400, (name, more)
