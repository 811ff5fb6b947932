"""Whatever a file holds, a reader gives records or a FileProblems: never another error."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.readers.batch import read_batch
from annotation.readers.columns import load_names
from annotation.readers.mapping_file import load_mapping
from annotation.readers.problems import FileProblems
from annotation.readers.ratings import read_ratings
from annotation.readers.texts import read_texts

NUMBERS = ["-1", "0.5", "nan", "-inf", "1e999", "3", "0", "٣", "²", "１", "1_0"]
WORDS = ["", "r1", "m1", "h1", "model", "reference", "g", "whitespace", "{}", "null", "é", "'=1"]
ODD = [" ", '"', "\x00", "\ufeff", "a\nb", "9" * 400, "9" * 5000]
CELLS = st.one_of(st.sampled_from([*NUMBERS, *WORDS, *ODD]), st.text(max_size=8))
MAPPING = """
[[items]]
text = "T"
rating = "R"
source = "S"
generator = "G"
log_prob = "L"
length = "N"
[scale]
numbers = "1-3"
"""
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=6,
)


def table(header: str, rows: list[list[str]]) -> bytes:
    return (header + "\n" + "\n".join(",".join(row) for row in rows) + "\n").encode("utf-8", "surrogatepass")


def attempt(read: Callable[[], object]) -> None:
    with suppress(FileProblems):
        read()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any")


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(CELLS, min_size=8, max_size=8), max_size=4))
def test_any_cells_of_texts(folder: Path, rows: list[list[str]]) -> None:
    path = folder / "texts.csv"
    path.write_bytes(table("id,text,source,generator,log_prob,length,length_unit,context", rows))
    attempt(lambda: read_texts(path))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(CELLS, min_size=11, max_size=11), max_size=4))
def test_any_cells_of_a_batch(folder: Path, rows: list[list[str]]) -> None:
    path, mapping = folder / "batch.csv", folder / "map.toml"
    mapping.write_text(MAPPING)
    path.write_bytes(table("HITId,WorkerId,AcceptTime,Reward,MaxAssignments,T,R,S,G,L,N", rows))
    attempt(lambda: read_batch(path, mapping))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(CELLS, min_size=6, max_size=6), max_size=4))
def test_any_cells_of_ratings(folder: Path, rows: list[list[str]]) -> None:
    items, ratings = folder / "items.csv", folder / "ratings.csv"
    items.write_text("id,source,log_prob,length\nr1,reference,-1,1\nm1,model,-1,1\n")
    ratings.write_bytes(table("item,rater,value,label,hit,position", [["r1", *row[1:]] for row in rows]))
    attempt(lambda: read_ratings(items, ratings))


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(max_size=60), JSON.map(lambda value: json.dumps(value).encode())))
def test_any_bytes(folder: Path, content: bytes) -> None:
    for name in ("any.csv", "any.jsonl", "any.toml"):
        (folder / name).write_bytes(content)
    attempt(lambda: read_texts(folder / "any.csv"))
    attempt(lambda: read_texts(folder / "any.jsonl"))
    attempt(lambda: read_batch(folder / "any.csv"))
    attempt(lambda: load_mapping(folder / "any.toml"))
    attempt(lambda: load_names(folder / "any.toml", ["id"]))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["items", "scale", "sources", "length", "decoding", "columns", "name", "identity"]), st.data())
def test_any_value_of_a_mapping(folder: Path, key: str, data: st.DataObject) -> None:
    value = data.draw(
        st.sampled_from(
            ["1", "true", "[]", "[1]", "{}", '"x"', "{ a = [1] }", "[{}]", "[{text = 3}]", "1979-05-27", "inf"]
        )
    )
    path = folder / "odd.toml"
    path.write_text(f"{key} = {value}\n")
    attempt(lambda: load_mapping(path))
