"""Plants faults into files of texts: each by its name, at seeded rows, in CSV and in JSON Lines."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

COLUMNS = (
    "id",
    "text",
    "source",
    "generator",
    "context",
    "context_text",
    "log_prob",
    "length",
    "length_unit",
    "decoding",
    "log_prob_decoding",
    "corpus_count",
)
Row = dict[str, str]


def rows(count: int) -> Iterator[Row]:
    """Good rows: contexts with a reference and a model's text each; `count` must be even."""
    for at in range(count):
        pair, model = divmod(at, 2)
        yield {
            "id": f"{'m' if model else 'r'}{pair}",
            "text": f"{'rain' if model else 'snow'} number {pair} delays the final, they say",
            "source": "model" if model else "reference",
            "generator": "tiny" if model else "",
            "context": f"c{pair}",
            "context_text": f"Match {pair} was played.",
            "log_prob": f"-{pair % 90 + 1}.5",
            "length": "8",
            "length_unit": "whitespace",
            "decoding": "t=0.7" if model else "",
            "log_prob_decoding": "t=0.7" if model else "",
            "corpus_count": str(pair % 7),
        }


def csv_line(row: Row) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([row[name] for name in COLUMNS])
    return out.getvalue().encode("utf-8", "surrogatepass")


def json_line(row: Row) -> bytes:
    return (json.dumps({name: row[name] for name in COLUMNS}) + "\n").encode()


@dataclass(frozen=True)
class Fault:
    """A fault, the code and column by which it must be told, and how a good row is spoilt.

    cells: changes of cells. line: makes the line from the spoilt row, where cells cannot say it (bytes, quotes).
    warns: it stops nothing. at: the row told of, counted from the planted one (None: the file as a whole).
    of: the source of the row it is planted in. forms: where it can stand.
    """

    code: str
    column: str
    cells: Callable[[Row], Row] | None = None
    line: Callable[[Row], bytes] | None = None
    warns: bool = False
    at: int | None = 0
    of: str = "model"
    forms: tuple[str, ...] = ("csv", "jsonl")


def put(**cells: str) -> Callable[[Row], Row]:
    return lambda row: {**row, **cells}


def doubled(row: Row) -> bytes:
    """A copy of the row under another id follows it."""
    return csv_line(row) + csv_line({**row, "id": row["id"] + "-again"})


def joined(text: bytes) -> Callable[[Row], bytes]:
    """The row's text with some bytes in the middle."""
    return lambda row: csv_line(row).replace(b" number ", b" n" + text + b"umber ", 1)


ONLY_CSV, ONLY_JSON = ("csv",), ("jsonl",)

FAULTS: dict[str, Fault] = {
    "a byte that is no letter": Fault("undecodable-bytes", "text", line=joined(b"\xe9"), forms=ONLY_CSV),
    "two encodings": Fault(
        "mixed-encodings",
        "",
        line=lambda row: joined(b"\xe9")(row) + csv_line({**row, "id": "x-é", "text": "x é", "context": ""}),
        forms=ONLY_CSV,
    ),
    "a NUL": Fault("nul", "text", line=joined(b"\0"), forms=ONLY_CSV),
    "a byte order mark inside": Fault(
        "bom-inside", "id", lambda row: {**row, "id": "\ufeff" + row["id"]}, forms=ONLY_CSV
    ),
    "a byte order mark inside a member": Fault(
        "bom-inside",
        "text",
        line=lambda row: json.dumps({**row, "text": "a\ufeffb"}, ensure_ascii=False).encode() + b"\n",
        forms=ONLY_JSON,
    ),
    "a short row": Fault("short-row", "source", line=lambda row: f"{row['id']},too short\n".encode(), forms=ONLY_CSV),
    "a long row": Fault("long-row", "", line=lambda row: csv_line(row)[:-1] + b",more,still more\n", forms=ONLY_CSV),
    "a row with another delimiter": Fault(
        "wrong-delimiter",
        "",
        line=lambda row: csv_line({**row, "text": "a", "context_text": "b"}).replace(b",", b";"),
        forms=ONLY_CSV,
    ),
    "an open quotation mark": Fault(
        "unterminated-quote",
        "",
        line=lambda row: csv_line({**row, "text": "x"}).replace(b",x,", b',"x,'),
        forms=ONLY_CSV,
    ),
    "a stray quotation mark": Fault(
        "stray-quote",
        "",
        line=lambda row: csv_line({**row, "text": "x"}).replace(b",x,", b',"a "b" c",'),
        forms=ONLY_CSV,
    ),
    "no JSON": Fault("invalid-json", "", line=lambda row: json_line(row)[:-3] + b"\n", forms=ONLY_JSON),
    "no object": Fault("not-an-object", "", line=lambda row: b'"just a text"\n', forms=ONLY_JSON),
    "a nested value": Fault(
        "nested-value", "text", line=lambda row: json.dumps({**row, "text": ["a"]}).encode() + b"\n", forms=ONLY_JSON
    ),
    "a truth value": Fault(
        "wrong-type", "text", line=lambda row: json.dumps({**row, "text": True}).encode() + b"\n", forms=ONLY_JSON
    ),
    "a NaN for a text": Fault(
        "wrong-type",
        "text",
        line=lambda row: json.dumps({**row, "text": float("nan")}).encode() + b"\n",
        forms=ONLY_JSON,
    ),
    "a member twice": Fault(
        "duplicated-member", "id", line=lambda row: b'{"id": "other", ' + json_line(row)[1:], forms=ONLY_JSON
    ),
    "a lone surrogate": Fault("lone-surrogate", "text", put(text="half \ud83d of it")),
    "an empty text": Fault("empty-text", "text", put(text="")),
    "a blank text": Fault("blank-text", "text", put(text=" \t ")),
    "a text of zero width": Fault("blank-text", "text", put(text="\u200b")),
    "a duplicate id": Fault("duplicate-id", "id", put(id="r0")),
    "a rounded id": Fault("mangled-id", "id", put(id="1.5E+10")),
    "an invisible character in an id": Fault("invisible-in-id", "id", lambda row: {**row, "id": row["id"] + "\u200bx"}),
    "the same text again": Fault("duplicate-text", "text", line=doubled, at=1, forms=ONLY_CSV),
    "a text under both sources": Fault(
        "both-sources", "text", lambda row: {**row, "text": row["text"].replace("rain", "snow")}, warns=True
    ),
    "an unknown source": Fault("unknown-source", "source", put(source="robot")),
    "a missing generator": Fault("missing-generator", "generator", put(generator="")),
    "an unpaired context": Fault("unpaired-context", "context", put(context="nobody-else", context_text="")),
    "two references": Fault("two-references", "context", put(context="c0", context_text=""), of="reference"),
    "log p above 0": Fault("log-p-above-zero", "log_prob", put(log_prob="0.5")),
    "log p that is no number": Fault("log-p-not-a-number", "log_prob", put(log_prob="low")),
    "log p with a decimal comma": Fault("log-p-not-a-number", "log_prob", put(log_prob="-12,4")),
    "log p that is NaN": Fault("log-p-nan", "log_prob", put(log_prob="NaN")),
    "log p that is infinite": Fault("log-p-infinite", "log_prob", put(log_prob="inf")),
    "length 0": Fault("length-below-one", "length", put(length="0")),
    "a negative length": Fault("length-below-one", "length", put(length="-4")),
    "half a length": Fault("length-not-whole", "length", put(length="2.5")),
    "a length without unit": Fault("length-unit-missing", "length_unit", put(length_unit="")),
    "another decoding of log p": Fault(
        "decoding-differs", "log_prob_decoding", put(log_prob_decoding="t=1"), warns=True
    ),
    "a text over its limit": Fault("text-too-long", "text", put(text="long " * 20_001)),
    "a context over its limit": Fault("context-too-long", "context_text", put(context_text="long " * 200_001)),
    "a control character": Fault("control-character", "text", put(text="a \x07 bell")),
    "a negative frequency": Fault("negative-frequency", "corpus_count", put(corpus_count="-1")),
    "HTML that breaks out": Fault("markup", "text", put(text="a </textarea><script>alert(1)</script>")),
    "a spreadsheet's error": Fault("spreadsheet-error", "text", put(text="#NAME?")),
}

# Faults of the file as a whole: from the good file's lines to the bad file.
WHOLE: dict[str, tuple[str, int | None, str, Callable[[list[bytes]], bytes]]] = {
    "an empty file": ("empty-file", 1, "", lambda lines: b""),
    "a header only": ("no-rows", None, "", lambda lines: lines[0]),
    "a missing column": (
        "missing-column",
        1,
        "text",
        lambda lines: lines[0].replace(b",text,", b",wording,") + b"".join(lines[1:]),
    ),
    "a duplicated column": (
        "duplicated-column",
        1,
        "text",
        lambda lines: lines[0].replace(b",source,", b",text,") + b"".join(lines[1:]),
    ),
    "cells that nothing separates": ("wrong-delimiter", 1, "", lambda lines: b"".join(lines).replace(b",", b" ")),
    "an unknown column": (
        "unknown-column",
        1,
        "mood",
        lambda lines: lines[0].replace(b",corpus_count", b",mood") + b"".join(lines[1:]),
    ),
}


def planted(
    lines: list[bytes], names: list[str], *, form: str, seed: int, good: list[Row]
) -> tuple[bytes, dict[str, int]]:
    """The file with each fault in a row of its own, and the line of each. `lines`: with CSV, the header first."""
    rng = random.Random(seed)
    lines, first = list(lines), 1 if form == "csv" else 0
    # Faults may add a line: the rows below move down, so that lines are counted when all are planted.
    free = {"model": list(range(3, len(good), 2)), "reference": list(range(2, len(good), 2))}
    places: dict[str, int] = {}
    for name in names:
        fault = FAULTS[name]
        at = places[name] = free[fault.of].pop(rng.randrange(len(free[fault.of])))
        row = fault.cells(good[at]) if fault.cells else good[at]
        make = fault.line or (csv_line if form == "csv" else json_line)
        lines[at + first] = make(row)
    before, number = {}, 1
    for at, line in enumerate(lines):
        before[at] = number
        number += line.count(b"\n")
    return b"".join(lines), {name: before[at + first] + (FAULTS[name].at or 0) for name, at in places.items()}
