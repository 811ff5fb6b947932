"""`python -m metrics huse`: its output, and one sentence for every malformed file."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metrics.__main__ import main
from tests.metrics.factories import summary_rows

HEADER = "id,hj,log_prob,length,source"


def good_lines(n: int = 20) -> list[str]:
    rng = np.random.default_rng(1)
    sources = ["reference"] * n + ["model"] * n
    return [f"t{i},{rng.integers(10, 60) / 10},{-rng.gamma(4, 3):.4f},{i % 7 + 3},{s}" for i, s in enumerate(sources)]


def table(*lines: str) -> str:
    return "\n".join((HEADER, *lines)) + "\n"


GOOD = table(*good_lines())


@pytest.fixture
def run(tmp_path, capsys):
    """Runs the command on file contents; gives the exit code, stdout and stderr."""

    def go(items: str | bytes, *options: str, ratings: str | bytes | None = None) -> tuple[int, str, str]:
        paths = {"items.csv": items, "ratings.csv": ratings}
        for name, content in paths.items():
            if content is not None:
                (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        extra = ["--ratings", str(tmp_path / "ratings.csv")] if ratings is not None else []
        code = main(["huse", str(tmp_path / "items.csv"), *extra, *options])
        out, err = capsys.readouterr()
        return code, out, err

    return go


def refused(found: tuple[int, str, str]) -> str:
    """The one sentence on stderr of a refused run."""
    code, out, err = found
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert err.endswith(".\n")
    return err.strip()


def values(out: str, mode: str = "exact") -> list[float]:
    block = json.loads(out)["modes"][mode]
    return [block[name]["value"] for name in ("huse", "huse_q", "huse_d", "log_prob_only")]


def changed(line: int, old: str, new: str) -> str:
    lines = GOOD.splitlines()
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    return "\n".join(lines) + "\n"


def with_cell(line: int, column: str, value: str) -> str:
    lines = [row.split(",") for row in GOOD.splitlines()]
    lines[line - 1][HEADER.split(",").index(column)] = value
    return "\n".join(map(",".join, lines)) + "\n"


def test_json_holds_both_modes_with_every_key(run):
    code, out, err = run(GOOD, "--json", "--seed", "7")
    document = json.loads(out)
    assert (code, err, document["schema_version"]) == (0, "", 1)
    assert list(document["modes"]) == ["exact", "paper"]
    for block in document["modes"].values():
        for estimate in block.values():
            assert set(estimate) == {"value", "n", "interval", "settings", "flags", "signature"}
            assert set(estimate["interval"]) == {"low", "high", "level", "method", "target"}
    assert document["modes"]["exact"]["huse"]["signature"] == "huse|n:40|r:?|k:16|ties:exact|seed:7|v:1.0.0"


def test_one_mode_and_another_k_can_be_asked_for(run):
    _, out, _ = run(GOOD, "--json", "--mode", "paper", "--k", "5")
    document = json.loads(out)
    assert list(document["modes"]) == ["paper"]
    assert document["modes"]["paper"]["huse"]["settings"]["k"] == 5


def test_without_json_a_table_with_intervals_is_printed(run):
    _, out, _ = run(GOOD)
    assert [line.split(" ")[0] for line in out.splitlines()[1:4]] == ["HUSE", "HUSE-Q", "HUSE-D"]
    assert "[" in out.splitlines()[1]
    assert "huse|n:40" in out


def test_out_writes_the_file_instead(run, tmp_path):
    code, out, _ = run(GOOD, "--json", "--out", str(tmp_path / "result.json"))
    assert (code, out) == (0, "")
    assert len(values((tmp_path / "result.json").read_text())) == 4


def test_the_same_seed_prints_the_same(run):
    assert run(GOOD, "--json", "--seed", "3") == run(GOOD, "--json", "--seed", "3")


def variants() -> dict[str, str | bytes]:
    rows = [line.split(",") for line in GOOD.splitlines()]
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([row[::-1] for row in rows])
    return {
        "byte order mark": b"\xef\xbb\xbf" + GOOD.encode(),
        "CRLF": GOOD.replace("\n", "\r\n"),
        "no last newline": GOOD.rstrip("\n"),
        "blank lines": GOOD.replace("\n", "\n\n"),
        "blanks around names and cells": GOOD.replace(",", " , "),
        "quoted, columns in another order": text.getvalue(),
        "semicolons": GOOD.replace(",", ";"),
        "tabs": GOOD.replace(",", "\t"),
        "a further column": "\n".join(f"{line},more" for line in GOOD.splitlines()),
    }


@pytest.mark.parametrize("name", variants())
def test_harmless_variants_of_a_file_read_alike(run, name):
    _, plain, _ = run(GOOD, "--json")
    assert run(variants()[name], "--json") == (0, plain, "")


def test_a_header_of_many_columns_is_refused_at_once(run):
    began = time.process_time()
    code, _, told = run(",".join(f"c{i}" for i in range(30_000)) + "\n", "--json")
    assert code == 2
    assert "the column is missing" in told
    assert time.process_time() - began < 2  # comparing every name with every other takes longer


def test_minus_infinity_is_a_log_prob(run):
    code, out, _ = run(with_cell(3, "log_prob", "-inf"), "--json")
    assert code == 0
    assert "log_prob_minus_infinity" in json.loads(out)["modes"]["exact"]["huse"]["flags"]
    assert "Infinity" not in out


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (HEADER, "no row below"),
        (GOOD.encode("utf-16"), "row 1"),
        (changed(5, "t3", "caf\xe9").encode("latin-1"), "row 5: the file is not in UTF-8"),
        (changed(4, "t2", "t\0").encode(), "row 4: the file holds a NUL byte"),
        (GOOD.replace("log_prob", "logprob", 1), "row 1, column log_prob: the column is missing"),
        (GOOD.replace("length", "hj", 1), "row 1, column hj: the column occurs more than once"),
        (changed(6, ",model" if "model" in GOOD.splitlines()[5] else ",reference", ""), "row 6, column source"),
        (GOOD.replace("\n", ",\n", 4).replace(",\n", "\n", 3), "row 4, column 6: the row has 6 cell(s)"),
        (changed(7, "t5", "t1"), "row 7, column id: the id 't1' was used in row 3"),
        (with_cell(8, "id", " "), "row 8, column id: the cell is blank"),
        (with_cell(8, "hj", ""), "row 8, column hj: the cell is blank"),
        (with_cell(8, "log_prob", ""), "row 8, column log_prob: the cell is blank"),
        (with_cell(8, "hj", "good"), "row 8, column hj: 'good' is not"),
        (with_cell(8, "hj", "nan"), "row 8, column hj: 'nan' is not"),
        (with_cell(8, "hj", "-inf"), "row 8, column hj: '-inf' is not"),
        (with_cell(8, "hj", "1_0"), "row 8, column hj"),
        (with_cell(8, "hj", "٣"), "row 8, column hj"),
        (with_cell(8, "hj", "1e200"), "row 8, column hj: numbers must lie"),
        (with_cell(8, "hj", "9" * 5000), "row 8, column hj"),
        (with_cell(8, "log_prob", "nan"), "row 8, column log_prob: 'nan' is not"),
        (with_cell(8, "log_prob", "inf"), "row 8, column log_prob: 'inf' is not"),
        (with_cell(8, "log_prob", "0.00001"), "row 8, column log_prob: a log-probability cannot be above 0"),
        (with_cell(8, "length", "0"), "row 8, column length: the length must be a whole number"),
        (with_cell(8, "length", "-4"), "row 8, column length: the length must be a whole number"),
        (with_cell(8, "length", "3.5"), "row 8, column length: the length must be a whole number"),
        (with_cell(8, "source", "human"), "row 8, column source: the source must be 'reference' or 'model'"),
        (with_cell(8, "source", "Reference"), "row 8, column source"),
        (with_cell(8, "id", '"t6'), "row 8: a quotation mark is not closed"),
        (with_cell(8, "id", '"t"6'), "row 8: a quotation mark is not closed"),
        (with_cell(8, "id", "x" * 140_000), "row 8: a cell holds more than"),
        (GOOD.replace("model", "reference"), "all 40 items are reference"),
        (table(*good_lines(8)), "at least 17 items, and there are 16"),
        (table(*good_lines(20)[:21]), "2 items of each source"),
    ],
)
def test_a_malformed_file_is_refused_in_one_sentence(run, content, words):
    assert words in refused(run(content))


def test_a_row_is_counted_by_lines_of_the_file(run):
    lines = GOOD.splitlines()
    lines[3] = lines[3].replace("t2", '"t2\nsecond line"')
    lines[10] = "t9,x,-1,3,reference"
    assert "row 12, column hj" in refused(run("\n".join(lines)))


def test_a_missing_file_a_folder_and_an_unwritable_output_are_named(run, tmp_path, capsys):
    assert main(["huse", str(tmp_path / "absent.csv")]) == 2
    assert "absent.csv: the file does not exist." in capsys.readouterr().err
    assert main(["huse", str(tmp_path)]) == 2
    assert "this is a folder" in capsys.readouterr().err
    assert "cannot be written" in refused(run(GOOD, "--out", str(tmp_path / "no" / "such")))


@pytest.mark.parametrize(
    "options", [["--k", "0"], ["--k", "x"], ["--seed", "-1"], ["--mode", "fast"], ["--level", "2"], ["--bogus"]]
)
def test_odd_options_are_refused_in_one_sentence(run, capsys, options):
    try:
        found = run(GOOD, *options)
    except SystemExit as stop:
        captured = capsys.readouterr()
        found = stop.code, captured.out, captured.err
    refused(found)


def rating_files() -> tuple[str, str]:
    """Items without hj, and three ratings each."""
    rng = np.random.default_rng(2)
    items = table(*good_lines()).replace("hj,", "", 1)
    lines = [",".join(line.split(",")[:1] + line.split(",")[2:]) for line in items.splitlines()[1:]]
    ratings = ["item,rater,value"] + [f"t{i},w{r},{rng.integers(0, 6)}" for i in range(40) for r in range(3)]
    return "\n".join((items.splitlines()[0], *lines)) + "\n", "\n".join(ratings) + "\n"


def test_hj_comes_from_the_ratings(run):
    items, ratings = rating_files()
    _, out, _ = run(items, "--json", ratings=ratings)
    document = json.loads(out)["modes"]["exact"]["huse"]
    assert "|r:3|" in document["signature"]
    mean = {}
    for line in ratings.splitlines()[1:]:
        item, _, value = line.split(",")
        mean.setdefault(item, []).append(int(value))
    rows = [line.split(",") for line in items.splitlines()[1:]]
    # Thirds are no decimals: HJ times 3, which exact mode must not notice.
    whole = table(*(",".join((row[0], str(sum(mean[row[0]])), *row[1:])) for row in rows))
    assert values(run(whole, "--json")[1]) == values(out)


def test_an_item_without_ratings_is_dropped_and_flagged(run):
    items, ratings = rating_files()
    kept = "\n".join(line for line in ratings.splitlines() if not line.startswith("t7,"))
    _, out, _ = run(items, "--json", ratings=kept)
    estimate = json.loads(out)["modes"]["exact"]["huse"]
    assert (estimate["n"], estimate["settings"]["dropped_missing_hj"]) == (39, 1)
    assert "missing_hj" in estimate["flags"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("t3,w1,", "t99,w1,"), "ratings.csv, row 12, column item: no item has the id 't99'"),
        (("t3,w1,", "t3,w0,"), "row 12, column rater: rater 'w0' has already rated item 't3' in row 11"),
        (("t3,w1,", "t3,,"), "row 12, column rater: the cell is blank"),
        (("t3,w1,", "t3,w1,x"), "row 12, column value"),
        (("item,rater", "item,worker"), "ratings.csv, row 1, column rater: the column is missing"),
    ],
)
def test_malformed_ratings_are_refused_in_one_sentence(run, change, words):
    items, ratings = rating_files()
    assert words in refused(run(items, ratings=ratings.replace(*change, 1)))


def test_ratings_need_ids_on_the_items(run):
    items, ratings = rating_files()
    without = "\n".join(line.split(",", 1)[1] for line in items.splitlines())
    assert "column id: the column is missing" in refused(run(without, ratings=ratings))


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=80), st.integers(0, len(GOOD)), st.integers(0, 40))
def test_no_bytes_whatever_bring_a_traceback(run, junk, at, removed):
    content = GOOD.encode()
    found = run(content[:at] + junk + content[at + removed :])
    if found[0]:
        refused(found)


def test_it_runs_as_a_module(tmp_path):
    (tmp_path / "items.csv").write_text(GOOD)
    root = Path(__file__).resolve().parents[3]
    command = [sys.executable, "-m", "metrics", "huse", str(tmp_path / "items.csv"), "--json"]
    found = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")
    assert len(values(found.stdout)) == 4


@pytest.mark.needs_data
def test_the_released_study_gives_the_reference_values(run, data_dir):
    lines = [",".join(row) for row in summary_rows(data_dir)]
    _, out, _ = run("\n".join(("hj,log_prob,length,source", *lines)), "--json")
    assert values(out, "paper")[:3] == [0.53, 0.5800000000000001, 0.95]
    assert values(out, "exact")[:3] == pytest.approx([0.53, 0.60, 0.93], abs=1e-12)
