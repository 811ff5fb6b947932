"""`python -m metrics nnd`: from annotations to pass rates, and one sentence for everything malformed."""

from __future__ import annotations

import csv
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metrics.__main__ import main
from metrics.nnd.documents import read_tests

ROWS = [
    ("1", "A context.", "good one", "good"),
    ("1", "A context.", "worse", "bad"),
    ("1", "A context.", "worse still", "ugly"),
    ("2", "B, context.", "fine", "good"),
    ("2", "B, context.", "not so", "bad"),
]
ORDER = ("--better", "good > bad > ugly")


@pytest.fixture
def run(capsys):
    """Runs `nnd`; gives the exit code, stdout and stderr."""

    def go(*arguments: object) -> tuple[int, str, str]:
        try:
            code = main(["nnd", *map(str, arguments)])
        except SystemExit as stop:
            code = int(stop.code or 0)
        return code, *capsys.readouterr()

    return go


def refused(found: tuple[int, str, str]) -> str:
    code, out, err = found
    assert (code, out) == (2, "")
    assert (err.count("\n"), err[-2:]) == (1, ".\n")
    return err.strip()


@pytest.fixture
def annotations(tmp_path):
    path = tmp_path / "annotations.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("context_id", "context", "candidate", "label"), *ROWS])
    return path


@pytest.fixture
def tests_file(run, annotations, tmp_path):
    path = tmp_path / "tests.json"
    assert run("build", "--format", "table", *ORDER, annotations, "--json", "--out", path)[0] == 0
    return path


@pytest.fixture
def scores_file(run, tests_file, tmp_path):
    """Scores that prefer shorter texts, made from what `nnd pairs` asks for."""
    lines = run("pairs", tests_file)[1].splitlines()
    made = [{**json.loads(line), "log_prob": -float(len(json.loads(line)["candidate"])), "tokens": 1} for line in lines]
    path = tmp_path / "short.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in made))
    return path


def test_build_says_the_total_the_categories_and_what_was_left_out(run, annotations):
    code, out, err = run("build", "--format", "table", *ORDER, annotations, "--json", "--must-include", "good")
    document = json.loads(out)
    assert (code, err, document["schema_version"]) == (0, "", 1)
    assert (document["total"], document["by_category"]) == (3, {"bad": 2, "ugly": 1})
    assert document["skipped"] == {"without_required_label": 1}
    assert document["settings"]["must_include"] == "good"


def test_build_without_json_prints_the_same_counts(run, annotations):
    _, out, _ = run("build", "--format", "table", "--ranks", "good=2,bad=1,ugly=0", annotations)
    assert out.splitlines()[0] == "4 tests from 5 candidates of 2 contexts (table)"
    assert "excluded: none" in out


def test_tests_read_back_are_the_tests_written(run, tests_file, tmp_path):
    read = read_tests(tests_file)
    assert [(test.high.text, test.low.text, test.high_first) for test in read.tests] == [
        ("good one", "worse", True),
        ("good one", "worse still", True),
        ("worse", "worse still", True),
        ("fine", "not so", True),
    ]
    assert read.tests[3].high.context == "B, context."


def test_pairs_are_what_a_model_must_score(run, tests_file):
    _, out, _ = run("pairs", tests_file)
    assert [json.loads(line)["candidate"] for line in out.splitlines()] == [row[2] for row in ROWS]
    assert json.loads(out.splitlines()[0]) == {"id": "2", "context": "A context.", "candidate": "good one"}


def test_run_gives_rates_with_counts_and_both_intervals(run, tests_file, scores_file):
    code, out, err = run("run", tests_file, "--scores", scores_file, "--json", "--outcomes")
    model = json.loads(out)["models"][0]
    assert (code, err, model["model"]) == (0, "", "short")
    # good one (8) loses to worse (5) and beats worse still (11), worse beats worse still, fine (4) beats not so (6).
    assert (model["overall"]["value"], model["overall"]["n"], model["overall"]["passed"]) == (0.75, 4, 3)
    assert set(model["overall"]["wilson"]) == {"low", "high", "level", "method"}
    assert model["by_category"]["bad"]["value"] == 0.5
    assert [one["passed"] for one in model["outcomes"]] == [False, True, True, True]


def test_scores_by_id_in_a_table_and_from_loglik_give_the_same(run, tests_file, scores_file, tmp_path):
    rows = [json.loads(line) for line in scores_file.read_text().splitlines()]
    table = tmp_path / "table" / "short.csv"
    table.parent.mkdir()
    table.write_text("id,log_prob,tokens\n" + "".join(f"{row['id']},{row['log_prob']},1\n" for row in rows))
    loglik = tmp_path / "loglik" / "short.json"
    loglik.parent.mkdir()
    loglik.write_text(json.dumps({"schema_version": 1, "scores": rows}, indent=2))
    expected = run("run", tests_file, "--scores", scores_file, "--json")
    assert run("run", tests_file, "--scores", table, "--json") == expected
    assert run("run", tests_file, "--scores", loglik, "--json") == expected


def test_two_models_are_compared(run, tests_file, scores_file, tmp_path):
    rows = [json.loads(line) for line in scores_file.read_text().splitlines()]
    longer = "".join(json.dumps(r | {"log_prob": -40 - r["log_prob"]}) + "\n" for r in rows)
    (tmp_path / "long.jsonl").write_text(longer)
    _, out, _ = run("run", tests_file, "--scores", scores_file, "--scores", f"x={tmp_path / 'long.jsonl'}", "--json")
    found = json.loads(out)["comparisons"][0]
    assert (found["first"], found["second"], found["only_first"], found["only_second"]) == ("short", "x", 3, 1)
    assert found["mcnemar_p"] == pytest.approx(0.625)


def test_sizes_give_a_curve(run, tests_file, scores_file, tmp_path):
    (tmp_path / "sizes.csv").write_text("model,family,parameters\nshort,f,124000000\n")
    _, out, _ = run("run", tests_file, "--scores", scores_file, "--sizes", tmp_path / "sizes.csv", "--json")
    points = json.loads(out)["curve"]
    assert [(p["category"], p["x"], p["n"]) for p in points] == [
        ("all", 1.24e8, 4),
        ("bad", 1.24e8, 2),
        ("ugly", 1.24e8, 2),
    ]


def test_the_same_seed_prints_the_same_and_another_may_differ(run, tests_file, scores_file):
    once = run("run", tests_file, "--scores", scores_file, "--seed", 3)
    assert once == run("run", tests_file, "--scores", scores_file, "--seed", 3)
    assert "seed:3" in once[1]


def test_verify_prints_rank_and_gap_correlations(run, tmp_path):
    metric = [0.45, 0.52, 0.61, 0.60, 0.64, 0.68, 0.71]
    human = [0.30, 0.38, 0.41, 0.45, 0.44, 0.60, 0.58]
    lines = [f"s{at},{h},{m}" for at, (h, m) in enumerate(zip(human, metric, strict=True))]
    (tmp_path / "systems.csv").write_text("\n".join(["system,human,nnd", *lines]))
    _, out, _ = run("verify", tmp_path / "systems.csv", "--json")
    found = json.loads(out)["metrics"]["nnd"]
    assert found["kendall_tau"]["value"] == pytest.approx(0.714286, abs=1e-6)
    assert found["gap_correlation"]["value"] == pytest.approx(0.924212, abs=1e-6)
    assert found["gap_correlation_as_printed"]["value"] == pytest.approx(0.752719, abs=1e-6)
    assert "0.714" in run("verify", tmp_path / "systems.csv")[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--format", "frank", "--annotators", "expert"), "--annotators: the option belongs to the format summeval"),
        (("--format", "frank", "--split", "odd"), "--split: the value must be one of test, valid, all, not 'odd'"),
        (("--format", "table"), "column quality: the column is missing"),
        (("--format", "table", *ORDER, "--ranks", "a=1"), "choose one of --ranks, --better and --minimum-gap"),
        (("--format", "table", "--ranks", "good"), "--ranks: LABEL=RANK was expected"),
        (("--format", "table", "--ranks", "good=x"), "--ranks: a number was expected, not 'x'"),
        (("--format", "table", "--better", "good"), "--better: LABEL>LABEL was expected"),
        (("--format", "table", "--better", "good>bad"), "row 4, column label: the order says nothing of the label"),
        (("--format", "quiz-design"), "row 1: this is not valid JSON"),
        (("--format", "mqm"), "row 1, column system: the column is missing"),
        (("--format", "other"), "invalid choice"),
        ((), "he following arguments are required: --format"),
    ],
)
def test_odd_builds_are_refused_in_one_sentence(run, annotations, arguments, words):
    assert words in refused(run("build", *arguments, annotations))


def test_a_second_file_is_for_frank_only(run, annotations):
    assert "the format mqm takes one file" in refused(run("build", "--format", "mqm", annotations, annotations))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "other"}, "the file is not a set of tests"),
        ({"tests": []}, "column tests: the file holds no test"),
        (
            {"tests": [{"high": "2", "low": "9", "high_first": True}]},
            "column low: test 1 names a candidate that is not",
        ),
        (
            {"tests": [{"high": "2", "low": "6", "high_first": True}]},
            "column low: the candidates of test 1 have differ",
        ),
        ({"tests": [{"high": "2", "low": "3", "high_first": 1}]}, "column high_first: true or false was expected"),
        ({"tests": [7]}, "column tests: an object was expected"),
        ({"candidates": [{"id": "2", "context_id": "1", "text": 5, "label": "a"}]}, "column text: a text was expected"),
    ],
)
def test_a_malformed_set_of_tests_is_refused(run, tests_file, scores_file, change, words):
    tests_file.write_text(json.dumps(json.loads(tests_file.read_text()) | change))
    assert words in refused(run("run", tests_file, "--scores", scores_file))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"id": "2", "log_prob": 0.5, "tokens": 1}, "row 1, column log_prob: a log-probability is a number from"),
        ({"id": "2", "log_prob": "x", "tokens": 1}, "row 1, column log_prob: a finite number was expected"),
        ({"id": "2", "log_prob": -1, "tokens": 0}, "row 1, column tokens: tokens is a whole number"),
        ({"id": "2", "log_prob": -1, "tokens": 1.5}, "row 1, column tokens: tokens is a whole number"),
        ({"id": "2", "log_prob": -1}, "row 1, column tokens: the key is missing"),
        ({"log_prob": -1, "tokens": 1}, "row 1, column id: the row names no candidate"),
        ({"id": "3", "log_prob": -1, "tokens": 1}, "column id: the candidate '3' was scored before"),
        ({"context": "A context.", "candidate": "worse", "log_prob": -1, "tokens": 1}, "given another score before"),
    ],
)
def test_malformed_scores_are_refused_by_row(run, tests_file, scores_file, line, words):
    scores_file.write_text(json.dumps(line) + "\n" + scores_file.read_text())
    assert words in refused(run("run", tests_file, "--scores", scores_file))


def test_too_many_missing_scores_are_refused_and_minus_infinity_is_not_missing(run, tests_file, scores_file):
    lines = scores_file.read_text().splitlines()
    scores_file.write_text("\n".join([lines[0].replace('"log_prob": -8.0', '"log_prob": null'), *lines[1:]]))
    assert "2 of 4 tests have no score" in refused(run("run", tests_file, "--scores", scores_file))
    scores_file.write_text("\n".join([lines[0].replace('"log_prob": -8.0', '"log_prob": "-inf"'), *lines[1:]]))
    assert (
        json.loads(run("run", tests_file, "--scores", scores_file, "--json")[1])["models"][0]["overall"]["passed"] == 2
    )


def test_odd_runs_are_refused_in_one_sentence(run, tests_file, scores_file, tmp_path):
    twice = run("run", tests_file, "--scores", scores_file, "--scores", scores_file)
    assert "two models are called 'short'" in refused(twice)
    assert "name a file of log-probabilities" in refused(run("run", tests_file))
    assert "does not exist" in refused(run("run", tmp_path / "no.json", "--scores", scores_file))
    page = ("--page", tmp_path / "page.html", "--category", "none such")
    assert "no test has the category" in refused(run("run", tests_file, "--scores", scores_file, *page))
    assert "at least one draw" in refused(run("run", tests_file, "--scores", scores_file, "--draws", "0"))


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(junk=st.binary(max_size=40), at=st.integers(0, 2000), removed=st.integers(0, 40), of_tests=st.booleans())
def test_no_bytes_whatever_bring_a_traceback(run, tests_file, scores_file, *, junk, at, removed, of_tests):
    victim = tests_file if of_tests else scores_file
    whole = victim.read_bytes()
    victim.write_bytes(whole[:at] + junk + whole[at + removed :])
    try:
        found = run("run", tests_file, "--scores", scores_file, "--json")
    finally:
        victim.write_bytes(whole)
    if found[0]:
        refused(found)


@pytest.mark.needs_data
@pytest.mark.parametrize(
    ("arguments", "total"),
    [
        (("quiz-design", "qgen/quiz_design_groups.jsonl"), 2686),
        (("frank", "frank/human_annotations.json"), 832),
        (("frank", "frank/human_annotations.json", "--dataset", "bbc"), 128),
        (("frank", "frank/human_annotations.json", "--split", "valid"), 336),
        (("frank", "frank/human_annotations.json", "--split", "all"), 1168),
    ],
)
def test_the_published_files_give_the_published_totals(run, data_dir, arguments, total):
    code, out, _ = run("build", "--format", arguments[0], data_dir / arguments[1], *arguments[2:], "--json")
    assert (code, json.loads(out)["total"]) == (0, total)


def test_curves_are_drawn_into_a_page_and_need_sizes(run, tests_file, scores_file, tmp_path):
    (tmp_path / "sizes.csv").write_text("model,family,parameters\nshort,f,124000000\n")
    given = ("run", tests_file, "--scores", scores_file, "--curves", tmp_path / "curves.html")
    assert "need the models' sizes" in run(*given)[2]
    assert not (tmp_path / "curves.html").exists()
    assert run(*given, "--sizes", tmp_path / "sizes.csv")[0] == 0
    assert "Tests against ugly" in (tmp_path / "curves.html").read_text()
