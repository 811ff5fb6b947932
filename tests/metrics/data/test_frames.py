"""DataFrames are read as the CSV file with the same columns is, and a fault is named by column, row and rule."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from IPython.core.interactiveshell import InteractiveShell

import metrics
from metrics import (
    MetricsError,
    administer_tests,
    build_tests,
    compare_conditions,
    evaluate,
    evaluate_judgments,
    evaluate_rated,
    h_score,
    human_judgments,
    huse_q_only,
    krippendorff_alpha,
    pass_rates,
    sum_ratings,
)
from metrics.data.csv_files import read_items, read_ratings
from metrics.data.read_judgments import read_judgments
from metrics.nnd.formats.table import table_tests
from metrics.nnd.orders import Ranks

DRAW = random.Random(5)
IDS = [f"t{number}" for number in range(40)]
ITEMS: dict[str, list[Any]] = {
    "id": IDS,
    "hj": [DRAW.randrange(2, 10) / 2 for _ in IDS],
    "log_prob": [-DRAW.randrange(500, 4000) / 100 for _ in IDS],
    "length": [DRAW.randrange(4, 12) for _ in IDS],
    "source": ["reference"] * 20 + ["model"] * 20,
}
RATINGS: dict[str, list[Any]] = {
    "item": [name for name in IDS for _ in range(3)],
    "rater": [f"w{number}" for _ in IDS for number in range(3)],
    "value": [DRAW.randrange(1, 6) for _ in range(120)],
}
JUDGMENTS: dict[str, list[Any]] = {
    "rater": [f"r{rater}" for rater in range(5) for _ in range(8)],
    "item": [f"t{item}" for _ in range(5) for item in range(8)],
    "truth": ["human", "machine"] * 20,
    "rating": [DRAW.randrange(1, 5) for _ in range(40)],
    "training": ["none"] * 24 + ["examples"] * 16,
}
LIBRARIES: list[Callable[[Any], Any]] = [pd.DataFrame, pl.DataFrame, pa.table]


def written(columns: dict[str, list[Any]], file: Path) -> Path:
    """A CSV file of the columns, written by pandas."""
    pd.DataFrame(columns).to_csv(file, index=False)
    return file


def without(columns: dict[str, list[Any]], *names: str) -> dict[str, list[Any]]:
    return {name: cells for name, cells in columns.items() if name not in names}


@pytest.mark.parametrize("frame", LIBRARIES)
def test_a_frame_of_items_gives_what_its_csv_gives(frame: Callable[[Any], Any], tmp_path: Path) -> None:
    from_file = evaluate(read_items(written(ITEMS, tmp_path / "items.csv")), k=5, draws=20)
    assert evaluate(frame(ITEMS), k=5, draws=20) == from_file
    quality = huse_q_only(frame(without(ITEMS, "log_prob", "length")), k=5, draws=20)
    assert (quality.value, quality.interval) == (from_file["exact"].huse_q.value, from_file["exact"].huse_q.interval)


def test_references_without_a_generator_belong_to_the_only_one() -> None:
    named = pd.DataFrame({**ITEMS, "generator": [""] * 20 + ["tiny"] * 20})
    assert evaluate(named, k=5)["exact"] == evaluate(pd.DataFrame(ITEMS), k=5)["exact"]


@pytest.mark.parametrize("frame", LIBRARIES)
def test_frames_of_items_and_ratings_give_what_their_csvs_give(frame: Callable[[Any], Any], tmp_path: Path) -> None:
    unjudged = without(ITEMS, "hj")
    ratings = written(RATINGS, tmp_path / "ratings.csv")
    items = read_items(written(unjudged, tmp_path / "items.csv"), ratings)
    from_files = evaluate_rated(items, read_ratings(ratings), k=5, draws=20)
    assert evaluate_rated(frame(unjudged), frame(RATINGS), k=5, draws=20) == from_files


@pytest.mark.parametrize("frame", LIBRARIES)
def test_a_frame_of_judgments_gives_what_its_csv_gives(frame: Callable[[Any], Any], tmp_path: Path) -> None:
    listed, _ = read_judgments(written(JUDGMENTS, tmp_path / "judgments.csv"), ["training"])
    assert evaluate_judgments(frame(JUDGMENTS), ["training"]) == evaluate_judgments(listed, ["training"])


def test_columns_of_any_library_give_one_alpha() -> None:
    alphas = {
        krippendorff_alpha(frame["item"], frame["rater"], frame["value"], "ordinal", draws=0).value
        for frame in (pd.DataFrame(RATINGS), pl.DataFrame(RATINGS))
    }
    assert alphas == {krippendorff_alpha(RATINGS["item"], RATINGS["rater"], RATINGS["value"], "ordinal", draws=0).value}


def test_near_negative_tests_are_built_from_a_frame() -> None:
    annotated = {"context_id": ["q1", "q1"], "candidate": ["Goethe wrote it.", "Schiller wrote it."]}
    tests = table_tests(pd.DataFrame({**annotated, "label": ["right", "wrong"]}), Ranks({"right": 1, "wrong": 0}))
    assert [test.high.text for test in tests.tests] == ["Goethe wrote it."]


def test_a_float_is_the_decimal_that_it_prints_as() -> None:
    items = read_items(pd.DataFrame({**ITEMS, "hj": [0.1 + 0.2, *ITEMS["hj"][1:]]}))
    assert str(items[0].hj) == "7500000000000001/25000000000000000"


def changed(column: str, row: int, value: Any) -> pd.DataFrame:
    """The items with another value in a row that counts from 1."""
    cells = list(ITEMS[column])
    cells[row - 1] = value
    return pd.DataFrame({**ITEMS, column: cells})


FAULTS: list[tuple[Any, str]] = [
    (pd.DataFrame(without(ITEMS, "hj")), "column hj: the column is missing (there are id, log_prob, length, source)"),
    (pd.DataFrame(without(ITEMS, "hj", "source")), "column hj, source: the column is missing"),
    (changed("hj", 4, None), "row 4, column hj: the cell is blank"),
    (changed("hj", 4, float("inf")), "row 4, column hj: 'inf' is not a finite decimal number"),
    (changed("hj", 4, "good"), "row 4, column hj: 'good' is not a finite decimal number"),
    (changed("hj", 4, "1,5"), "row 4, column hj: '1,5' is not a finite decimal number"),
    (changed("hj", 4, True), "row 4, column hj: 'True' is not a finite decimal number"),
    (changed("source", 21, "gpt"), "row 21, column source: the source must be 'reference' or 'model'"),
    (changed("source", 21, None), "row 21, column source: the cell is blank"),
    (changed("id", 6, "t1"), "row 6, column id: the id 't1' was used in row 2 already"),
    (
        pd.DataFrame({**ITEMS, "id": ["é", "e\u0301", *IDS[2:]]}),
        "row 2, column id: 'e\u0301' looks like the name in row 1",
    ),
    (changed("id", 6, None), "row 6, column id: the cell is blank"),
    (changed("length", 9, 0), "row 9, column length: the length must be a whole number from 1 to 1e9"),
    (changed("length", 9, 4.5), "row 9, column length: the length must be a whole number from 1 to 1e9"),
    (changed("log_prob", 2, 3.0), "row 2, column log_prob: a log-probability cannot be above 0"),
    (changed("log_prob", 2, None), "row 2, column log_prob: the cell is blank"),
    (changed("log_prob", 2, pd.Timestamp("2026-01-01")), "row 2, column log_prob: '2026-01-01 00:00:00' is not"),
    (pd.DataFrame(ITEMS).iloc[:0], "the table has no row"),
    (pd.DataFrame(ITEMS)[lambda rows: rows["source"] == "model"], "all 20 items are model: no reference item"),
    (pl.DataFrame(ITEMS).lazy(), "the table is not in memory, or of no known kind; collect it first"),
    (pd.DataFrame(ITEMS).set_axis(range(5), axis=1), "the name of a column is a text, not 0"),
    (pd.DataFrame(ITEMS).rename(columns={"hj": "HJ "}), "; rename 'HJ ' to 'hj'"),
    (pd.DataFrame(), "the column is missing (there are no columns)"),
    (changed("source", 21, "Model"), "not 'Model' (rows are counted from 1)"),
    (changed("hj", 4, "1,5"), "; write a point for the comma"),
    (pd.DataFrame({**ITEMS, "generator": ["a", "b"] * 20}), "choose one of a, b: keep its rows"),
    (pd.concat([pd.DataFrame(ITEMS), pd.Series(ITEMS["hj"], name="hj")], axis=1), "column hj: the column occurs more"),
    ("items.csv", "items are a DataFrame or records of the class Item, not str"),
    (None, "items are a DataFrame or records of the class Item, not NoneType"),
    (pd.DataFrame(ITEMS)["hj"], "items are a DataFrame or records of the class Item, not Series"),
    (ITEMS, "items are a DataFrame or records of the class Item, not dict"),
]


@pytest.mark.parametrize(("frame", "sentence"), FAULTS, ids=[sentence[:60] for _, sentence in FAULTS])
def test_a_fault_is_a_sentence_with_column_row_and_rule(frame: Any, sentence: str) -> None:
    with pytest.raises(MetricsError) as caught:
        evaluate(frame, k=5, draws=0)
    assert sentence in str(caught.value)


def test_names_that_differ_in_their_unicode_form_alone_are_no_two_people_and_no_two_texts() -> None:
    composed, apart = "Jos\u00e9", "Jose\u0301"
    ratings = {"item": ["a", "b"] * 2, "rater": [composed, composed, apart, apart], "value": [1, 2, 2, 3]}
    with pytest.raises(MetricsError, match=r"row 3, column rater: .* write both in one form \(NFC\)"):
        read_ratings(pd.DataFrame(ratings))
    with pytest.raises(MetricsError, match=r"row 1, column item: an item has the id .* in another Unicode form"):
        read_ratings(pd.DataFrame({**ratings, "item": [apart] * 4}), [composed])
    judgments = pd.DataFrame({**JUDGMENTS, "rater": [composed, apart, *JUDGMENTS["rater"][2:]]})
    with pytest.raises(MetricsError, match=r"row 2, column rater: "):
        read_judgments(judgments)


def test_a_named_index_counts_as_a_column() -> None:
    sums = sum_ratings(pd.DataFrame(RATINGS).set_index(["item", "rater"]))
    assert sums == sum_ratings(pd.DataFrame(RATINGS))
    assert sums == sum_ratings(pd.DataFrame({**RATINGS, "row": range(120)}).set_index("row"))


def test_a_factor_may_be_named_without_a_list() -> None:
    frame = pd.DataFrame(JUDGMENTS)
    assert evaluate_judgments(frame, "training") == evaluate_judgments(frame, ["training"])
    assert compare_conditions(frame, "training") == compare_conditions(frame, ["training"])


def test_a_rating_that_is_no_number_is_named_by_its_place() -> None:
    with pytest.raises(MetricsError, match="rating 2, column value: a rating is a number, not 'good'"):
        krippendorff_alpha(["a", "a"], ["x", "y"], [1, "good"], "ordinal", draws=0)


def test_tokens_that_lack_a_column_are_not_taken_for_texts() -> None:
    with pytest.raises(MetricsError, match="column top_probability: the column is missing"):
        h_score(pd.DataFrame({"id": ["t1"], "probability": [0.5]}))


def test_items_and_ratings_come_in_one_form() -> None:
    with pytest.raises(MetricsError, match="either both DataFrames or both records"):
        evaluate_rated(pd.DataFrame(ITEMS), [])


@pytest.mark.parametrize("frame", LIBRARIES)
def test_three_lines_lead_from_frames_to_pass_rates(frame: Callable[[Any], Any]) -> None:
    # Three answers to each of two questions; by hand: of the five pairs of differing quality the model passes four.
    texts = frame(
        {
            "context_id": ["q1"] * 3 + ["q2"] * 3,
            "id": list("abcdef"),
            "candidate": ["Goethe", "Schiller", "Heine", "Bach", "Mozart", "Haydn"],
            "quality": [3, 2, 1, 2, 1, 1],
        }
    )
    scores = frame({"id": list("abcdef"), "log_prob": [-1.0, -2.0, -3.0, -4.0, -3.5, -8.0], "tokens": [1] * 6})
    rates = pass_rates(administer_tests(build_tests(texts), scores))
    assert (rates.overall.passed, rates.overall.failed) == (4, 1)
    with pytest.raises(MetricsError, match=r"DataFrame, row 2, column log_prob"):
        administer_tests(build_tests(texts), frame({"id": ["a", "b"], "log_prob": ["-1", "low"], "tokens": [1, 1]}))


@pytest.mark.parametrize("frame", LIBRARIES)
def test_an_h_score_comes_from_texts_or_from_their_tokens(frame: Callable[[Any], Any]) -> None:
    # frac(p) by hand: (.2/.4 + .1/.1) / 2 = .75, machine-like; (.1/.5) = .2, human-like
    tokens = {"id": ["t1", "t2", "t1"], "probability": [0.2, 0.1, 0.1], "top_probability": [0.4, 0.5, 0.1]}
    score = h_score(frame(tokens))
    assert score.verdicts == {"t1": "m", "t2": "h"}
    assert score == h_score(frame({"id": ["t1", "t2"], "fp": [0.75, 0.2]}))
    with pytest.raises(MetricsError, match=r"row 1, column fp.*between 0 and 1"):
        h_score(frame({"id": ["t1"], "fp": [1.5]}))
    with pytest.raises(MetricsError, match=r"row 1, column probability"):
        h_score(frame({"id": ["t1"], "probability": [0.5], "top_probability": [0.4]}))


def test_results_become_frames_latex_and_pictures(tmp_path: Path) -> None:
    results = evaluate(pd.DataFrame(ITEMS), k=5, draws=20)
    huse = results["exact"].huse
    table = results.to_frame()
    assert list(table.columns) == ["measure", "value", "low", "high", "level", "n", "method", "target", "flags"]
    row = table[table["measure"] == "exact / huse"].iloc[0]
    assert (row["value"], row["low"], row["high"], row["n"]) == (huse.value, huse.interval.low, huse.interval.high, 40)
    assert results["exact"].to_frame("polars")["measure"].to_list() == ["huse", "huse_q", "huse_d", "log_prob_only"]
    assert r"\toprule" in results.to_latex()
    assert "HUSE-Q" in results.to_latex()
    assert f"{huse.value:.2f}" in results._repr_html_()
    assert results.plot().save(tmp_path / "huse.svg").read_text(encoding="utf-8").startswith("<svg")
    judged = evaluate_judgments(pd.DataFrame(JUDGMENTS), ("training",))
    assert judged.to_frame().set_index("measure").loc["overall / accuracy / accuracy", "value"] == pytest.approx(
        judged.overall.accuracy.accuracy.value
    )
    with pytest.raises(MetricsError, match="no_such_library"):
        results.to_frame("no_such_library")


def test_the_lines_of_the_page_for_notebooks_run_and_give_what_they_name() -> None:
    page = (Path(__file__).parents[3] / "docs" / "python.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for lines in re.findall(r"```python\n(.+?)```", page, re.DOTALL):
        exec(lines, names)
    # By hand: q1's better answer is likelier (-6/4 > -9/4), q2's is not (-4/3 < -3/3).
    assert (names["rates"].overall.passed, names["rates"].overall.failed) == (1, 1)
    # (.2/.4 + .1/.1) / 2 = .75 and (.1/.5 + .3/.9) / 2 = .27
    assert names["likelihood"].mean_fp.value == pytest.approx((0.75 + (0.2 + 1 / 3) / 2) / 2)
    # r1 judges d human; r2 judges a machine; r3 all right; r4 judges d human.
    assert names["accuracy"].overall.accuracy.accuracy.value == pytest.approx((0.75 + 0.75 + 1 + 0.75) / 4)
    assert {"exact / huse", "paper / huse_d"} <= set(names["table"]["measure"])
    assert r"\midrule" in names["latex"]
    assert "<svg" in names["picture"]._repr_svg_()


@pytest.mark.parametrize("frame", LIBRARIES)
def test_conditions_are_compared_and_ratings_summed_from_frames(frame: Callable[[Any], Any], tmp_path: Path) -> None:
    listed, _ = read_judgments(written(JUDGMENTS, tmp_path / "judgments.csv"), ["training"])
    comparison = compare_conditions(frame(JUDGMENTS), ["training"])
    assert comparison == compare_conditions(listed, ["training"])
    table = comparison.to_frame().set_index("measure")
    assert table.loc["pairs / none − examples / difference", "value"] == comparison.pairs[0].difference.value
    sums = sum_ratings(frame(RATINGS))
    assert sums == sum_ratings(read_ratings(written(RATINGS, tmp_path / "ratings.csv")))
    means = human_judgments(sums).to_frame().set_index("measure")["value"]
    # The mean of the first text's three ratings.
    assert means["t0"] == pytest.approx(sum(RATINGS["value"][:3]) / 3)
    with pytest.raises(MetricsError, match=r"DataFrame, row 2, column value"):
        sum_ratings(frame({"item": ["a", "b"], "rater": ["x", "y"], "value": ["1", "good"]}))


def test_a_notebook_shows_the_line_of_its_cell_and_the_sentence_and_nothing_of_ours(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = (
        "import pandas\nfrom metrics import evaluate\n"
        "items = pandas.DataFrame({'hj': [3.0], 'log_prob': [-1.0], 'source': ['model']})\n"
    )
    InteractiveShell(colors="nocolor").run_cell(lines + "evaluate(items)", silent=True)
    shown = capsys.readouterr().out
    assert "evaluate(items)" in shown
    assert shown.rstrip().splitlines()[-1].startswith("BadInput: DataFrame, column length:")
    assert str(Path(metrics.__file__).parent) not in shown
