"""A study of evaluators by condition, its family of tests, and `python -m metrics evaluators`."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metrics.__main__ import main
from metrics.data.evaluator_judgments import MACHINE
from metrics.data.to_json import estimate_json
from metrics.errors import BadInput, InsufficientData
from metrics.evaluators.evaluate import evaluate_judgments
from metrics.evaluators.to_json import evaluation_json
from metrics.inference.multiple_testing import Family
from metrics.types import Estimate
from tests.metrics.judgments_made import EXAMPLE, judged, released, studies
from tests.metrics.raters import plain_alpha

# Number right of five by ten evaluators: the accuracies of the method, 2.10.
RIGHT = (2, 3, 4, 3, 2, 5, 3, 1, 4, 3)
METRICS = (
    "accuracy", "accuracy_item", "accuracy_pooled", "accuracy_crossed", "precision", "recall", "specificity", "f1",
    "percent_human", "percent_confident", "accuracy_minus_chance", "cohens_d", "hedges_g",
)  # fmt: skip


def study(right=RIGHT, **factors):
    name = "".join(factors.values())
    return [e for i, n in enumerate(right) for e in judged("mmmmm", (4,) * n + (1,) * (5 - n), f"{name}{i}", **factors)]


def lines_of(judgments):
    rows = [f"{j.rater},{j.item},{j.truth},{j.rating},{j.factors.get('condition', '')}" for j in judgments]
    return ["rater,item,truth,rating,condition", *rows]


GOOD = "\n".join(lines_of([*study(condition="news"), *study((1, 1, 2, 3), condition="stories")])) + "\n"
PLAIN = "\n".join(line.rpartition(",")[0] for line in lines_of(EXAMPLE)) + "\n"


@pytest.fixture
def run(tmp_path, capsys):
    """Runs the command on file contents; gives the exit code, stdout and stderr."""

    def go(content, *options):
        path = tmp_path / "judgments.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        code = main(["evaluators", str(path), *options])
        return (code, *capsys.readouterr())

    return go


def refused(found):
    code, out, err = found
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert err.endswith(".\n")
    return err.strip()


def test_the_test_against_chance_has_the_numbers_of_the_method():
    found = evaluate_judgments(study()).overall.against_chance
    settings_of = found.accuracy_minus_chance.settings
    assert (settings_of["t"], settings_of["df"], settings_of["p"]) == pytest.approx((1.369306, 9, 0.204099), abs=1e-6)
    assert found.cohens_d.value == pytest.approx(0.433013, abs=1e-6)
    assert found.accuracy_minus_chance.value == pytest.approx(0.1)


def test_conditions_are_one_family_of_tests():
    rows = [*study(d="news"), *study((5, 5, 4, 5), d="stories"), *study((1, 2, 3), d="recipes")]
    found = evaluate_judgments(rows, ["d"])
    assert found.family.hypotheses == ("news", "stories", "recipes")
    tests = {name: c.against_chance.accuracy_minus_chance.settings for name, c in found.conditions.items()}
    assert tests["stories"]["p_bonferroni"] == pytest.approx(3 * tests["stories"]["p"])
    assert tests["stories"]["p_holm"] == pytest.approx(3 * tests["stories"]["p"])
    assert tests["news"]["family_size"] == 3


def test_a_declared_family_must_name_the_conditions_that_are_there():
    rows = [*study(d="news"), *study(d="stories")]
    assert evaluate_judgments(rows, ["d"], family=Family("plan", ("stories", "news"))).family.name == "plan"
    with pytest.raises(BadInput, match="recipes was declared and has no result"):
        evaluate_judgments(rows, ["d"], family=Family("plan", ("stories", "news", "recipes")))
    with pytest.raises(BadInput, match="stories was not declared"):
        evaluate_judgments(rows, ["d"], family=Family("plan", ("news",)))


def test_a_condition_with_one_evaluator_has_no_test_and_stays_in_the_family():
    found = evaluate_judgments([*study(d="news"), *study((3,), d="stories")], ["d"])
    lone = found.conditions["stories"].against_chance.accuracy_minus_chance
    assert (lone.value, lone.settings["p"], lone.settings["p_holm"]) == (None, None, None)
    assert "one_unit" in lone.flags
    news = found.conditions["news"].against_chance.accuracy_minus_chance.settings
    assert news["p_bonferroni"] == pytest.approx(2 * news["p"])


def test_a_rater_of_several_conditions_is_flagged():
    rows = judged("mh", (4, 1), d="x") + judged("mh", (4, 2), d="y")
    assert evaluate_judgments(rows, ["d"]).flags == ("raters_in_several_conditions",)
    with pytest.raises(BadInput, match="more than once"):
        evaluate_judgments(rows)


def test_a_measure_of_agreement_sees_first_judgments_in_both_readings():
    seen = []

    def measure(item, rater, value, scale):
        seen.append((item.tolist(), rater.tolist(), value.tolist(), scale))
        return Estimate(0.5, len(item), None, {}, (), "alpha")

    rows = judged("mh", (4, 2)) + judged("mh", (1, 3), "b") + judged("m", (2,))
    found = evaluate_judgments(rows, repeats="keep", agreement=measure).overall
    assert seen[0] == ([0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1], "nominal")
    assert seen[1] == ([0, 1, 0, 1], [0, 0, 1, 1], [4, 2, 1, 3], "ordinal")
    assert list(found.agreement) == ["alpha_nominal_binary", "alpha_ordinal"]


def test_agreement_without_an_item_of_two_raters_is_none_with_a_flag():
    def measure(*_):
        raise InsufficientData("No item has two raters.")

    found = evaluate_judgments(judged("m", (4,)), agreement=measure)
    assert found.overall.agreement["alpha_ordinal"].flags == ("no_item_with_two_raters",)
    assert evaluation_json(found)["alpha_ordinal"]["value"] is None


@settings(deadline=None, max_examples=40)
@given(studies())
def test_whatever_the_judgments_the_json_holds_finite_numbers_or_none_with_a_flag(rows):
    document = evaluation_json(evaluate_judgments(rows))
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    for name in METRICS:
        assert document[name]["value"] is not None or document[name]["flags"]


@pytest.mark.needs_data
def test_the_released_workers_are_tested_as_the_reference_says(data_dir):
    rows = [j for j in released(data_dir, "v_select") if j.truth == MACHINE]
    found = evaluate_judgments(rows, chance=1 / 3, repeats="keep").overall
    assert found.accuracy.accuracy.value == pytest.approx(0.4926086956521739, rel=1e-12)
    settings_of = found.against_chance.accuracy_minus_chance.settings
    assert settings_of["t"] == pytest.approx(3.4045421697652416, rel=1e-9)
    assert settings_of["p"] == pytest.approx(0.002543586975189558, rel=1e-9)


def test_json_holds_every_metric_overall_and_by_condition(run):
    code, out, err = run(GOOD, "--json", "--seed", "7")
    document = json.loads(out)
    assert (code, err, document["schema_version"]) == (0, "", 1)
    assert list(document["conditions"]) == ["news", "stories"]
    for block in (document, *document["conditions"].values()):
        assert all(set(block[m]) == {"value", "n", "interval", "settings", "flags", "signature"} for m in METRICS)
        assert sum(block["confusion"].values()) == block["accuracy_pooled"]["n"]
        assert list(block["score_histogram"]["machine"]) == ["1", "2", "3", "4"]
    assert document["family"]["hypotheses"] == ["news", "stories"]


def test_the_ten_ratings_of_the_method_give_its_numbers_by_the_command(run):
    document = json.loads(run(PLAIN, "--json")[1])
    values = [document[m]["value"] for m in ("accuracy", "precision", "recall", "f1")]
    assert values == pytest.approx([0.6] * 4)
    assert (document["percent_human"]["value"], document["percent_confident"]["value"]) == (0.5, 0.4)
    assert (document["conditions"], document["family"]) == ({}, None)


def test_without_json_a_table_says_what_its_intervals_are_for(run):
    _, out, _ = run(GOOD)
    assert out.startswith("all judgments (evaluators 14, items 5, ratings 70)\n")
    assert "for new evaluators" in out
    assert "stories (evaluators 4" in out
    assert "does not show that there is none" in out


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "How raters were assigned to arms is not known."),
        (("--assigned", "chosen"), "Assignment to arms was not random: raters took tasks"),
        (("--assigned", "waves"), "Assignment to arms was not random: arms were published one after another"),
    ],
)
def test_a_comparison_of_conditions_says_how_raters_came_to_them(run, options, told):
    assert told in run(GOOD, *options)[1]
    assert told in json.loads(run(GOOD, *options, "--json")[1])["assignment"]


def test_nothing_is_said_of_conditions_that_were_drawn_or_of_one_alone(run):
    for table, options in ((GOOD, ("--assigned", "drawn")), (PLAIN, ())):
        assert "assigned" not in run(table, *options)[1]
        assert "assignment" not in json.loads(run(table, *options, "--json")[1])


def test_the_command_gives_both_alphas_of_the_evaluators_and_their_interval(run):
    document = json.loads(run(GOOD, "--json", "--seed", "7")[1])
    rows = [line.split(",") for line in GOOD.splitlines()[1:]]
    at = [GOOD.splitlines()[0].split(",").index(name) for name in ("item", "rating")]
    item, rating = ([row[i] for row in rows] for i in at)
    for name, level, value in (
        ("alpha_ordinal", "ordinal", [int(r) for r in rating]),
        ("alpha_nominal_binary", "nominal", [int(r) > 2 for r in rating]),
    ):
        assert document[name]["value"] == pytest.approx(plain_alpha(item, value, level), abs=1e-9)
        assert document[name]["interval"]["method"] == "items drawn with replacement, BCa percentiles"


def test_other_columns_can_make_the_conditions(run):
    content = "\n".join(f"{line},{'x' if i else 'training'}" for i, line in enumerate(GOOD.splitlines()))
    document = json.loads(run(content, "--json", "--by", "condition", "--by", "training")[1])
    assert list(document["conditions"]) == ["news × x", "stories × x"]
    assert "column domain: the column is missing" in refused(run(content, "--by", "domain"))


def test_out_writes_the_file_and_the_same_call_prints_the_same(run, tmp_path):
    code, out, _ = run(GOOD, "--json", "--out", str(tmp_path / "result.json"))
    assert (code, out) == (0, "")
    assert (tmp_path / "result.json").read_text(encoding="utf-8") == run(GOOD, "--json")[1]


def test_a_level_is_that_of_every_interval(run):
    document = json.loads(run(GOOD, "--json", "--level", "0.9")[1])
    assert {document[m]["interval"]["level"] for m in METRICS if document[m]["interval"]} == {0.9}


def with_cell(line, column, value):
    rows = [row.split(",") for row in GOOD.splitlines()]
    rows[line - 1][rows[0].index(column)] = value
    return "\n".join(map(",".join, rows)) + "\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        ("rater,item,truth,rating\n", "no row below"),
        (GOOD.replace("truth", "label", 1), "row 1, column truth: the column is missing"),
        (with_cell(8, "rater", ""), "judgments.csv, row 8, column rater: the cell is blank"),
        (with_cell(8, "item", " "), "row 8, column item: the cell is blank"),
        (with_cell(8, "condition", ""), "row 8, column condition: the cell is blank"),
        (with_cell(8, "truth", "Human"), "row 8, column truth: the truth must be 'human' or 'machine'"),
        (with_cell(8, "truth", "human"), "row 8, column truth: item 'm1' was called 'machine' in row 3"),
        (with_cell(8, "rating", "5"), "row 8, column rating: the rating must be a whole number from 1 to 4"),
        (with_cell(8, "rating", "0"), "row 8, column rating: the rating must be a whole number from 1 to 4"),
        (with_cell(8, "rating", "2.5"), "row 8, column rating: the rating must be a whole number from 1 to 4"),
        (with_cell(8, "rating", "maybe"), "row 8, column rating: 'maybe' is not a finite decimal number"),
        (with_cell(8, "rating", "nan"), "row 8, column rating: 'nan' is not"),
        (with_cell(3, "item", "m0"), "row 3, column rater: rater 'news0' has already judged item 'm0' in row 2"),
    ],
)
def test_a_malformed_file_is_refused_in_one_sentence(run, content, words):
    assert words in refused(run(content))


@pytest.mark.parametrize(
    "options", [["--level", "2"], ["--chance", "0"], ["--chance", "nan"], ["--seed", "x"], ["--seed", "-1"], ["-x"]]
)
def test_odd_options_are_refused_in_one_sentence(run, capsys, options):
    try:
        found = run(GOOD, *options)
    except SystemExit as stop:
        found = (stop.code, *capsys.readouterr())
    refused(found)


@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60), st.integers(0, len(GOOD)), st.integers(0, 40))
def test_no_bytes_whatever_bring_a_traceback(run, junk, at, removed):
    content = GOOD.encode()
    found = run(content[:at] + junk + content[at + removed :])
    if found[0]:
        refused(found)


def test_a_hundred_thousand_judgments_have_their_plain_accuracy():
    rng = np.random.default_rng(1)
    ratings = rng.integers(1, 5, (1000, 100))
    rows = [entry for r in range(1000) for entry in judged("mh" * 50, ratings[r].tolist(), f"r{r}")]
    machine = np.arange(100) % 2 == 0
    found = evaluate_judgments(rows).overall.accuracy
    assert found.accuracy.value == pytest.approx(float(((ratings >= 3) == machine).mean()))
    assert estimate_json(found.accuracy)["n"] == 1000
