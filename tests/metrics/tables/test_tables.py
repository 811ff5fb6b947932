"""Tables: what a record refuses, and what each format writes."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from metrics.errors import BadInput, MetricsError
from metrics.tables.delimited import rows, safe, table_csv
from metrics.tables.evaluators import EvaluatorRow, evaluator_table
from metrics.tables.huse import HuseRow, huse_table
from metrics.tables.latex import TEXT_SIGNS, UNKNOWN, document, escape, table_latex
from metrics.tables.markup import table_html
from metrics.tables.record import Column, Table
from metrics.tables.shown import format_cell, p_value
from metrics.tables.structured import table_json
from metrics.tables.text import table_text
from metrics.types import Estimate, HuseResult, Interval

EVIL = "=x_1 & {50%} [a] \\cmd ~^# $1 <b>|</b> \"q\" 'p' `r` --x"


def estimate(value: float | None, low: float = 0.0, high: float = 1.0, *, n: int = 200, name: str = "huse") -> Estimate:
    interval = None if value is None else Interval(low, high, 0.95, "subsamples")
    return Estimate(value, n, interval, {"k": 16}, () if value is not None else ("none",), f"{name}|n:{n}")


COLUMNS = (
    Column("name", "Model"),
    Column("n", "n", "count"),
    Column("huse", "HUSE", "estimate", n="n"),
    Column("alpha", "α", "estimate", n="n"),
    Column("share", "Share", "share", digits=1),
    Column("p", "p", "p"),
)
ROWS = (
    ("t=1.0", 200, estimate(0.53, 0.41, 0.65), estimate(-0.046, -0.1, 0.01, n=50, name="alpha"), 0.579, 0.0004),
    ("t=0.7", 200, estimate(None), None, None, 0.0433),
)
TABLE = Table("results", "HUSE by model.", COLUMNS, ROWS, ("A note.",))


def cells(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize(
    ("kind", "cell"),
    [("text", 1), ("count", -1), ("count", 1.5), ("count", True), ("share", 1.2), ("p", -0.1), ("estimate", 0.5)],
)
def test_a_cell_that_is_not_of_its_kind_is_refused_by_row_and_column(kind: str, cell: object) -> None:
    with pytest.raises(BadInput, match=f"table t, row 1, column a: .* is no {kind}"):
        Table("t", "t", (Column("a", "A", kind),), ((cell,),))  # type: ignore[arg-type]


def test_a_row_of_another_length_and_a_key_that_comes_twice_are_refused() -> None:
    with pytest.raises(BadInput, match="row 1: a row has 1 cells, not 2"):
        Table("t", "t", (Column("a", "A"),), (("x", "y"),))
    with pytest.raises(BadInput, match="a key of its own"):
        Table("t", "t", (Column("a", "A"), Column("a", "B")), ())


def test_n_stands_in_the_cell_only_where_no_column_says_it() -> None:
    line = table_text(TABLE).splitlines()[4]
    assert "0.53 [0.41, 0.65]  " in line
    assert "-0.05 [-0.10, 0.01] (n = 50)" in line


def test_every_number_of_a_table_has_its_signature_once() -> None:
    assert TABLE.signatures == ("huse|n:200", "alpha|n:50")
    assert table_text(TABLE).rstrip().endswith("alpha|n:50")


def test_text_keeps_its_columns_in_line_and_writes_a_dash_for_nothing() -> None:
    text = table_text(TABLE)
    head, _, first, second = text.splitlines()[2:6]
    assert head.split() == ["Model", "n", "HUSE", "α", "Share", "p"]
    assert len(head) == len(first) == len(second)
    assert second.split() == ["t=0.7", "200", "-", "-", "-", "0.043"]
    assert first.split()[-3:] == ["57.9%", "<", "0.001"]


@pytest.mark.parametrize(
    ("value", "written"), [(0.0433, "0.043"), (0.001, "0.001"), (0.00099, "< 0.001"), (1, "1.000")]
)
def test_small_p_values_are_written_as_an_inequality(value: float, written: str) -> None:
    assert p_value(value) == written


def test_numbers_have_a_true_minus_sign_and_no_minus_zero() -> None:
    column = Column("x", "X", "number")
    assert [format_cell(column, value) for value in (-1.5, -0.001, 2)] == ["−1.50", "0.00", "2.00"]


def test_csv_keeps_every_digit_and_every_part_of_an_estimate() -> None:
    first, second = cells(table_csv(TABLE))
    assert first["huse"] == "0.53"
    assert (first["huse_low"], first["huse_high"], first["huse_level"]) == ("0.41", "0.65", "0.95")
    assert (first["huse_n"], first["huse_method"], first["huse_signature"]) == ("200", "subsamples", "huse|n:200")
    assert (first["alpha"], first["p"]) == ("-0.046", "0.0004")
    assert (second["huse"], second["huse_flags"], second["share"], second["alpha_n"]) == ("", "none", "", "")


@given(st.text(max_size=30))
def test_no_text_becomes_a_formula_in_csv_and_none_is_lost(name: str) -> None:
    written = rows(("name",), [(name,)])
    read = list(csv.reader(io.StringIO(written, newline="")))
    value = read[1][0] if len(read) > 1 and read[1] else ""
    assert value[:1] not in ("=", "+", "-", "@", "\t", "\r", "\n") or not value
    assert value.removeprefix("'") == name.removeprefix("'")


def test_plain_values_are_written_in_full_and_nan_never_is() -> None:
    assert rows(("a", "b", "c"), [(0.1 + 0.2, None, -3)]) == "a,b,c\n0.30000000000000004,,-3\n"
    with pytest.raises(MetricsError, match="not a number"):
        rows(("a",), [(float("nan"),)])


def test_json_holds_estimates_whole() -> None:
    body = json.loads(json.dumps(table_json(TABLE), allow_nan=False))
    assert body["rows"][0]["huse"]["interval"] == {"low": 0.41, "high": 0.65, "level": 0.95, "method": "subsamples"}
    assert body["rows"][1]["huse"]["value"] is None
    assert body["rows"][1]["huse"]["flags"] == ["none"]
    assert body["signatures"] == list(TABLE.signatures)
    assert [column["key"] for column in body["columns"]] == ["name", "n", "huse", "alpha", "share", "p"]


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_json_refuses_what_is_not_finite(bad: float) -> None:
    with pytest.raises(MetricsError):
        table_json(Table("t", "t", (Column("x", "X", "number"),), ((bad,),)))


def test_html_escapes_text_and_carries_signatures() -> None:
    table = Table("t", EVIL, (Column("name", EVIL), *COLUMNS[1:3]), ((EVIL, 200, ROWS[0][2]),), (EVIL,))
    root = lxml_html.fromstring(f"<div>{table_html(table)}</div>")
    assert not root.xpath("//b[not(parent::span[@class='est'])]")
    assert root.xpath("string(//caption)") == root.xpath("string(//thead//th[1])") == EVIL
    assert root.xpath("//span[@class='est']/@aria-description") == ["huse|n:200"]
    assert root.xpath("//tbody//th/@scope") == ["row"]


def test_html_puts_rows_of_one_name_under_one_head() -> None:
    root = lxml_html.fromstring(table_html(Table("t", "t", COLUMNS[:2], (("a", 1), ("a", 2), ("b", 3))), group=True))
    heads = root.xpath("//tbody//th")
    assert [(head.text, head.get("rowspan"), head.get("scope")) for head in heads] == [
        ("a", "2", "rowgroup"),
        ("b", None, "row"),
    ]
    assert root.xpath("//tr[@class='second']/td/text()") == ["2"]


def test_latex_uses_booktabs_and_escapes_every_special_sign() -> None:
    assert escape("50% of $x_1 & {y}") == r"50\% of \$x\_1 \& \{y\}"
    assert escape("a\nb\x00c") == "a b c"
    assert escape("a--b") == "a-{}-b"
    assert escape("中") == r"\otherscript{cjk}{U+4E2D}{中}"
    assert escape("a кот и я b") == (
        r"a \otherscript{cyrillic}{U+043A\allowbreak U+043E\allowbreak U+0442 U+0438 U+044F}{кот и я} b"
    )
    assert escape("ế ș") == r"\'{\^{e}} \textcommabelow{s}"
    assert escape("Λόγος") == r"$\Lambda$$\acute{o}$$\gamma$$o$$\varsigma$"
    assert escape("“a”—b") == r"\textquotedblleft{}a\textquotedblright{}---b"
    written = table_latex(TABLE)
    for rule in (r"\toprule", r"\midrule", r"\bottomrule", r"\label{tab:results}", r"\caption{HUSE by model.}"):
        assert rule in written
    assert "|" not in re.sub(r"^%.*$", "", written, flags=re.MULTILINE)


@given(st.text(max_size=40))
def test_latex_leaves_no_sign_of_its_own_and_balances_its_braces(text: str) -> None:
    written = escape(text)
    bare = re.sub(
        r"\\(textbackslash|textasciicircum|textasciitilde|textless|textgreater|textbar|ldots)\{\}", "", written
    )
    bare = re.sub(r"\$[^$]*\$|\\(text|quote|guillemot)[a-z]+\{\}|\\S\{\}", "", bare)
    while bare != (bare := re.sub(r"\\(textcommabelow|[a-z`'^~=.\"H])\{[A-Za-z]?\}", "", bare)):
        pass
    bare = re.sub(r"\\otherscript\{[a-z]+\}\{[^{}]*\}\{[^{}]*\}", "", bare)
    bare = re.sub(r"\\char\d+\{\}|\\[{}$&#%_]|\{[\[\]*]?\}", "", bare)
    assert not set(bare) & set("\\{}$&#%_^<>|[]*\n\r\x00")


def compiled(folder: Path, source: str, engine: str = "pdflatex") -> str:
    (folder / "table.tex").write_text(source, encoding="utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, errors="replace", check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles_whatever_a_model_is_called(tmp_path: Path) -> None:
    letters = "".join(chr(code) for code in (*range(32, 127), *range(0xA0, 0x17F)))
    names = [
        EVIL,
        UNKNOWN,
        "±∞≤≥×ακφ…−–中 русский",
        "Việt Nam",
        "ΐ Ελληνικά",
        "".join(TEXT_SIGNS),
        *(letters[at : at + 30] for at in range(0, len(letters), 30)),
    ]
    body = tuple((name, 200, ROWS[0][2]) for name in names)
    said = compiled(tmp_path, document(Table("a b", EVIL, COLUMNS[:3], body, (EVIL,)), TABLE))
    assert "LaTeX Error" not in said
    assert (tmp_path / "table.pdf").stat().st_size > 10_000


def result(value: float) -> HuseResult:
    settings = {"k": 16, "ratings_min": 20, "ratings_max": 20}
    made = Estimate(value, 200, Interval(value - 0.1, value + 0.1, 0.95, "s"), settings, (), f"huse|v:{value}")
    return HuseResult(made, made, made, made)


def test_the_table_of_huse_has_a_row_a_mode_with_n_raters_k_and_p_where_it_was_tested() -> None:
    table = huse_table([HuseRow("t=1.0", "exact", result(0.53), 0.001), HuseRow("t=1.0", "paper", result(0.53))])
    assert [column.title for column in table.columns][-4:] == ["n", "Ratings per text", "k", "p (equal sources)"]
    assert table.rows[0][-4:] == (200, "20", 16, 0.001)
    assert table.rows[1][-1] is None
    assert "95% intervals" in table.title
    assert "does not certify" in table.notes[0]


def test_the_table_of_huse_names_tasks_and_leaves_out_a_test_that_was_not_run() -> None:
    table = huse_table([HuseRow("t=1.0", "exact", result(0.53), task="summaries")])
    assert table.columns[0].key == "task"
    assert "p_null" not in [column.key for column in table.columns]
    assert "Paper:" not in table.title


def evaluator_row(**changed: object) -> EvaluatorRow:
    share, ratings = estimate(0.579, 0.54, 0.62, n=130), estimate(0.4, 0.3, 0.5, n=650)
    values = {"model": "GPT2", "domain": "stories", "training": "", "accuracy": share, "f1": ratings}
    values |= {"precision": ratings, "recall": ratings, "alpha_nominal": estimate(0.1, n=50), "alpha_ordinal": None}
    return EvaluatorRow(**(values | {"human": ratings, "confident": None, "evaluators": 130, "ratings": 650} | changed))  # type: ignore[arg-type]


def test_the_table_of_evaluators_has_the_columns_of_the_paper_with_both_alphas_labelled() -> None:
    table = evaluator_table([evaluator_row(training="examples", alpha_ordinal=estimate(0.1), confident=estimate(0.4))])
    assert [column.title for column in table.columns] == [
        *("Model", "Domain", "Training", "Accuracy", "F1", "Precision", "Recall"),
        *("α, binary", "α, 4-point", "% human", "% confident", "Evaluators", "Ratings"),
    ]
    assert "Machine is the positive class" in table.title


def test_the_table_of_evaluators_leaves_out_what_nobody_computed_and_says_each_n() -> None:
    table = evaluator_table([evaluator_row()])
    assert {"training", "alpha_ordinal", "confident"}.isdisjoint(column.key for column in table.columns)
    line = table_text(table)
    assert "57.9% [54.0, 62.0]" in line
    assert "0.10 [0.00, 1.00] (n = 50)" in line
    assert "(n = 130)" not in line


def test_safe_text_is_unchanged_where_nothing_is_to_fear() -> None:
    assert [safe(text) for text in ("plain", "a=b", "", None)] == ["plain", "a=b", "", ""]


SCRIPTS = Table(
    "scripts",
    "Имена, 名前",
    (Column("name", "Модель"),),
    (("Жук и кот, model",), ("中文模型",), ("نموذج عربي",), ("מודל א",), ("हिन्दी",), ("한국어",), ("a 😀 b",), ("Ħ",)),
)


def lacks_letters_of_its_own() -> bool:
    """lualatex takes fonts of the machine by luaotfload, which is a package apart."""
    if shutil.which("lualatex") is None or shutil.which("kpsewhich") is None:
        return True
    return not subprocess.run(["kpsewhich", "luaotfload.lua"], capture_output=True, check=False).stdout.strip()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_a_table_of_other_scripts_compiles_within_a_paper_that_knows_no_command_of_ours(tmp_path: Path) -> None:
    head = "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage[utf8]{inputenc}\\usepackage{booktabs}"
    said = compiled(tmp_path, f"{head}\\begin{{document}}{table_latex(SCRIPTS)}\\end{{document}}")
    assert "Unicode character" not in said


@pytest.mark.skipif(lacks_letters_of_its_own(), reason="lualatex with luaotfload is not installed")
def test_lualatex_prints_the_letters_of_other_scripts(tmp_path: Path) -> None:
    compiled(tmp_path, document(SCRIPTS), "lualatex")
    log = (tmp_path / "table.log").read_text(encoding="utf-8", errors="replace")
    assert "Missing character" not in log
    assert "DejaVu" in log
