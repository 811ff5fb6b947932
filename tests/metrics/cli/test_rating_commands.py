"""`python -m metrics hj` and `python -m metrics alpha`: their output, and one sentence for every malformed file."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metrics.__main__ import main
from tests.metrics.raters import KRIPPENDORFF, batch_ratings, long

HEADER = "item,rater,value"
HJ_EXAMPLE = [5, 4, 4, 3, 5, 0, 4, 4, 3, 5]


def table(cells) -> str:
    return "\n".join([HEADER, *(",".join(map(str, cell)) for cell in cells)]) + "\n"


EXAMPLE = table(zip(*long(KRIPPENDORFF), strict=True))
GOOD = table([("a", 1, 5), ("a", 2, 4), ("b", 1, 3), ("b", 2, 3)])


@pytest.fixture
def run(tmp_path, capsys):
    """Runs a command on the contents of a file; gives the exit code, stdout and stderr."""

    def go(command: str, content: str | bytes, *options: str) -> tuple[int, str, str]:
        path = tmp_path / "ratings.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        code = main([command, str(path), *options])
        return code, *capsys.readouterr()

    return go


def refused(found: tuple[int, str, str]) -> str:
    code, out, err = found
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert err.endswith(".\n")
    return err.strip()


@pytest.mark.parametrize(
    ("level", "value"), [("nominal", 0.743421), ("ordinal", 0.815388), ("interval", 0.849107), ("ratio", 0.797403)]
)
def test_alpha_as_json_has_the_shape_of_every_other_number(run, level, value):
    code, out, err = run("alpha", EXAMPLE, "--level", level, "--json", "--seed", "3")
    assert (code, err) == (0, "")
    found = json.loads(out)["alpha"]
    assert found["value"] == pytest.approx(value, abs=1e-6)
    assert set(found) == {"value", "n", "interval", "settings", "flags", "signature"}
    assert (found["n"], found["settings"]["level"], found["settings"]["seed"]) == (11, level, 3)


def test_alpha_as_text_says_what_is_resampled(run):
    _, out, _ = run("alpha", EXAMPLE, "--level", "nominal", "--confidence", "0.9")
    assert out.startswith("alpha, nominal     0.743 [")
    assert "90% interval: bootstrap over items and jackknife over raters" in out
    assert "flags: items_with_one_rating" in out


def test_alpha_over_raters_and_without_an_interval(run):
    assert "jackknife" in run("alpha", EXAMPLE, "--level", "nominal", "--resample", "raters")[1]
    _, out, _ = run("alpha", EXAMPLE, "--level", "nominal", "--draws", "0", "--json")
    assert json.loads(out)["alpha"]["interval"] is None


def test_the_same_seed_prints_the_same_and_another_another(run):
    first, again, other = (run("alpha", EXAMPLE, "--level", "ordinal", "--seed", s, "--json")[1] for s in "112")
    assert first == again
    assert json.loads(first)["alpha"]["interval"] != json.loads(other)["alpha"]["interval"]


def test_hj_gives_the_mean_and_interval_of_each_item(run):
    content = table([("headline", f"w{i}", value) for i, value in enumerate(HJ_EXAMPLE)])
    found = json.loads(run("hj", content, "--json")[1])["hj"]["headline"]
    assert (found["value"], found["n"]) == (pytest.approx(3.7), 10)
    assert found["settings"]["sd"] == pytest.approx(1.494434, abs=1e-6)
    interval = found["interval"]
    assert (interval["low"], interval["high"], interval["level"]) == pytest.approx((2.833705, 4.566295, 0.9), abs=1e-6)
    normal = json.loads(run("hj", content, "--json", "--method", "z")[1])["hj"]["headline"]["interval"]
    assert (normal["low"], normal["high"]) == pytest.approx((2.922673, 4.477327), abs=1e-6)


def test_hj_gives_the_actual_distribution_of_ratings(run):
    found = json.loads(run("hj", table([("a", 1, 5), ("a", 2, 4), ("b", 1, 5), ("c", 3, 2)]), "--json")[1])
    spread = found["distribution"]
    assert (spread["items"], spread["raters"], spread["ratings"]) == (3, 3, 4)
    assert spread["values"][-1] == {"value": 5.0, "count": 2, "share": 0.5}
    assert spread["ratings_per_item"] == [{"ratings": 1, "items": 2}, {"ratings": 2, "items": 1}]
    assert found["hj"]["b"]["interval"] is None
    assert found["hj"]["b"]["flags"] == ["single_rating"]


def test_hj_as_text_has_a_line_for_each_item(run):
    _, out, _ = run("hj", GOOD)
    assert out.splitlines()[1].split() == ["a", "4.500", "[1.343,", "7.657]", "2"]
    assert "value 3              2   50.0%" in out
    assert "flags: no_variation" in out


def test_the_output_goes_to_a_file(run, tmp_path):
    assert run("hj", GOOD, "--out", str(tmp_path / "hj.txt"))[1:] == ("", "")
    assert (tmp_path / "hj.txt").read_text().startswith("item")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "the file is empty"),
        (HEADER + "\n", "no row below"),
        ("item,value\na,1\n", "column rater: the column is missing"),
        (GOOD.replace("b,2,3", "b,2,x"), "row 5, column value: 'x' is not a finite decimal number"),
        (GOOD.replace("b,2,3", "b,2,nan"), "row 5, column value"),
        (GOOD.replace("b,2,3", "b,1,3"), "row 5, column rater: rater '1' has already rated item 'b' in row 4"),
        (GOOD.replace("b,2,3", ",2,3"), "row 5, column item: the cell is blank"),
        (b"item,rater,value\n\xff,1,2\n", "not in UTF-8"),
    ],
)
@pytest.mark.parametrize("command", [("hj",), ("alpha", "--level", "nominal")])
def test_a_malformed_file_is_refused_by_row_and_column(run, command, content, said):
    assert said in refused(run(command[0], content, *command[1:]))


def test_ratio_needs_values_from_zero_and_names_the_row(run):
    content = GOOD.replace("b,2,3", "b,2,-3")
    assert "row 5, column value: values must be at least 0" in refused(run("alpha", content, "--level", "ratio"))
    assert run("alpha", content, "--level", "interval")[0] == 0


def test_nothing_to_agree_on_is_refused_and_all_equal_is_none_with_a_flag(run):
    assert "an item with two ratings" in refused(run("alpha", table([("a", 1, 1)]), "--level", "nominal"))
    found = json.loads(run("alpha", table([("a", 1, 1), ("a", 2, 1)]), "--level", "nominal", "--json")[1])["alpha"]
    assert (found["value"], found["flags"]) == (None, ["no_variation"])


@pytest.mark.parametrize("options", [["--confidence", "2"], ["--draws", "1"]])
def test_odd_settings_are_refused(run, options):
    refused(run("alpha", GOOD, "--level", "nominal", *options))


@pytest.mark.parametrize("options", [[], ["--level", "ordered"], ["--level", "nominal", "--seed", "-1"]])
def test_odd_arguments_are_refused_in_one_sentence(tmp_path, capsys, options):
    with pytest.raises(SystemExit) as stopped:
        main(["alpha", str(tmp_path / "x.csv"), *options])
    assert stopped.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60), st.integers(0, len(GOOD)), st.integers(0, 20), st.sampled_from(["hj", "alpha"]))
def test_no_bytes_whatever_bring_a_traceback(run, junk, at, removed, command):
    content = GOOD.encode()
    options = ["--level", "interval", "--draws", "20"] if command == "alpha" else []
    found = run(command, content[:at] + junk + content[at + removed :], *options)
    if found[0]:
        refused(found)


@pytest.mark.needs_data
def test_the_released_ratings_from_a_file(run, data_dir):
    content = table(zip(*batch_ratings(data_dir), strict=True))
    found = json.loads(run("alpha", content, "--level", "ordinal", "--json")[1])["alpha"]
    assert found["value"] == pytest.approx(0.16598978421898714, abs=1e-12)
    spread = json.loads(run("hj", content, "--json")[1])["distribution"]
    assert [row["count"] for row in spread["values"]] == [496, 288, 627, 803, 1014, 772]
