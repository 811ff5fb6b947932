"""A finished study of typicality or of error labels becomes near-negative tests by one command."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.exceptions import DesignError, StateError
from annotation.models import Study
from annotation.reports.nnd_tests import Rule, make_tests
from metrics.nnd.documents import read_tests
from metrics.nnd.records import TestSet
from tests.annotation.texts.test_score_texts import imported as without_ratings

pytestmark = pytest.mark.django_db

ITEMS = """id,source,text,context,context_text
a,reference,the cat sat,c1,a mat
b,model,the dog sat,c1,a mat
c,model,mat the on,c1,a mat
d,reference,it ran,c2,a tree
e,model,ran it,c2,a tree
f,model,alone,,
"""
# 13/3 against 10/3; texts d and e tie.
TYPICALITY = {"a": (5, 4, 4), "b": (3, 3, 4), "c": (1, 1, 1), "d": (2, 2, 2), "e": (1, 2, 3), "f": (5, 5, 5)}
ERRORS = {"a": "NNG", "b": "OON", "c": "GGO", "d": "NNN", "e": "NOG", "f": "NNN"}
LABELS = {"N": ("No error", 0), "O": ("off topic", 1), "G": ("grammar", 2)}


def judged(tmp_path: Path, rows: list[str]) -> Study:
    (tmp_path / "items.csv").write_text(ITEMS)
    (tmp_path / "ratings.csv").write_text("item,rater,value,label\n" + "\n".join(rows) + "\n")
    paths = {"items": tmp_path / "items.csv", "ratings": tmp_path / "ratings.csv"}
    call_command("import_ratings", **paths, study="tidy", stdout=io.StringIO())
    return Study.objects.get(name="tidy")


@pytest.fixture
def typicality(tmp_path: Path) -> Study:
    return judged(tmp_path, [f"{t},r{i},{v},{v}" for t, given in TYPICALITY.items() for i, v in enumerate(given)])


@pytest.fixture
def errors(tmp_path: Path) -> Study:
    return judged(
        tmp_path,
        [f"{t},r{i},{LABELS[v][1]},{LABELS[v][0]}" for t, given in ERRORS.items() for i, v in enumerate(given)],
    )


def pairs(tests: TestSet) -> list[tuple[str, str]]:
    return [(test.high.id, test.low.id) for test in tests.tests]


def test_the_higher_mean_is_better_and_what_makes_no_test_is_counted(typicality: Study) -> None:
    tests = make_tests(typicality)
    assert pairs(tests) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert tests.skipped == {"texts_without_a_context": 1, "same_quality": 1}
    assert tests.tests[0].high.context == "a mat"


def test_a_majority_of_the_highest_label_makes_the_better_text(typicality: Study) -> None:
    assert pairs(make_tests(typicality, rule=Rule("majority", best="4"))) == [("a", "b"), ("a", "c")]


def test_texts_without_a_context_may_share_one(typicality: Study) -> None:
    tests = make_tests(typicality, rule=Rule(pool_without_context=True))
    assert "texts_without_a_context" not in tests.skipped
    assert pairs(tests) == [("a", "b"), ("a", "c"), ("b", "c")]


def test_error_labels_are_below_no_error_and_unordered_among_themselves(errors: Study) -> None:
    tests = make_tests(errors, rule=Rule("labels", best="No error"))
    assert pairs(tests) == [("a", "b"), ("a", "c")]
    assert tests.by_category == {"grammar": 1, "off topic": 1}
    assert tests.skipped == {"texts_without_a_context": 1, "texts_without_a_majority_label": 1, "unordered": 1}


def test_a_chain_of_labels_orders_errors_too(errors: Study) -> None:
    better = (("No error", "grammar"), ("grammar", "off topic"))
    assert pairs(make_tests(errors, rule=Rule("labels", better=better))) == [("a", "b"), ("a", "c"), ("c", "b")]


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [(Rule("labels"), "Name the label of a text without error"), (Rule("labels", best="Fine"), "no label 'Fine'")],
)
def test_a_rule_that_does_not_fit_the_scale_is_a_sentence(errors: Study, rule: Rule, sentence: str) -> None:
    with pytest.raises(DesignError, match=sentence):
        make_tests(errors, rule=rule)


def test_a_study_nobody_judged_makes_no_tests(tmp_path: Path) -> None:
    with pytest.raises(StateError, match="no judgments yet"):
        make_tests(without_ratings(tmp_path, 2))


def test_the_command_writes_what_nnd_run_reads_and_says_what_it_left_out(errors: Study, tmp_path: Path) -> None:
    out = tmp_path / "tests.json"
    call_command("nnd_from_study", "tidy", out=out, rule="labels", best="No error", stdout=(told := io.StringIO()))
    assert pairs(read_tests(out)) == [("a", "b"), ("a", "c")]
    assert "2 tests from 4 candidates" in told.getvalue()
    assert "texts_without_a_majority_label" in told.getvalue()
    assert json.loads(out.read_text())["source"] == "study tidy"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"minimum_gap": "x"}, "--minimum-gap is a number"),
        ({"minimum_ratings": 0}, "at least 1 judgment"),
        ({"minimum_ratings": 9}, "no pair of candidates makes a test"),
        ({"better": ["1>2>1"], "rule": "labels"}, "better than itself"),
    ],
)
def test_the_command_says_faults_in_a_sentence(
    typicality: Study, tmp_path: Path, options: dict[str, object], sentence: str
) -> None:
    with pytest.raises(CommandError, match=sentence) as caught:
        call_command("nnd_from_study", "tidy", out=tmp_path / "tests.json", **options)
    assert caught.value.returncode == 2
    assert not (tmp_path / "tests.json").exists()
