"""What `import metrics` promises: the names, how each is described, and that every example runs."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import metrics

ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = [
    # HUSE (Hashimoto et al. 2019)
    "evaluate",
    "evaluate_rated",
    "huse_q_only",
    "sum_ratings",
    "human_judgments",
    # human or machine (Clark et al. 2021)
    "evaluate_judgments",
    "compare_conditions",
    # near-negative distinction (Laban et al. 2022)
    "build_tests",
    "administer_tests",
    "pass_rates",
    # automatic human-likelihood (Çano and Bojar 2020)
    "score_text",
    "h_score",
    # the rest
    "open_model",
    "score_all",
    "krippendorff_alpha",
    "cohen_kappa",
    "intraclass_correlations",
    "dawid_skene",
    "mace",
    "mixed_model",
    "bradley_terry_votes",
    "expected_precision",
    "crossed_power",
    "build_report",
    "write_report",
]
CLASSES = ["Item", "Rating", "EvaluatorJudgment", "Candidate", "Estimate", "MetricsError"]
SECTIONS = ("Args", "Returns", "Raises", "Source", "Example")
VERBS = {
    "Administer",
    "Build",
    "Compare",
    "Compute",
    "Correlate",
    "Count",
    "Estimate",
    "Fit",
    "Measure",
    "Open",
    "Score",
}
VERBS |= {"Simulate", "Sum", "Write"}


def test_the_package_offers_31_names_the_four_papers_first():
    assert metrics.__all__ == FUNCTIONS + CLASSES
    assert all(getattr(metrics, name) is not None for name in metrics.__all__)
    assert set(metrics.__all__) <= set(dir(metrics))


def test_a_name_has_one_home_for_type_checkers_and_at_run_time():
    tree = ast.parse(inspect.getsource(metrics))
    for_checkers = {
        alias.name: node.module
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert sorted(for_checkers) == sorted(metrics.__all__)
    assert {name: f"metrics.{module}" for name, module in metrics._MODULES.items()} == for_checkers
    for name, module in for_checkers.items():
        assert getattr(metrics, name) is getattr(import_module(module), name)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'huse_arrays'"):
        metrics.huse_arrays  # noqa: B018


def sections(doc: str) -> list[str]:
    """Headings of a docstring, in their order."""
    return re.findall(r"^(\w+):$", inspect.cleandoc(doc), re.MULTILINE)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_functions_docstring_has_an_imperative_line_and_all_sections(name):
    doc = getattr(metrics, name).__doc__
    first, blank = (*doc.splitlines(), "")[:2]
    assert first.split()[0] in VERBS
    assert first.endswith(".")
    assert not blank.strip()
    assert sections(doc) == list(SECTIONS)


@pytest.mark.parametrize("name", CLASSES)
def test_a_records_docstring_has_its_fields_and_an_example(name):
    assert sections(getattr(metrics, name).__doc__) == (["Example"] if name == "MetricsError" else ["Args", "Example"])


@pytest.mark.parametrize("name", [*FUNCTIONS, *CLASSES])
def test_every_argument_is_described(name):
    described = set(re.findall(r"^    (\w+(?:, \w+)*):", part(getattr(metrics, name).__doc__, "Args"), re.MULTILINE))
    names = {one for line in described for one in line.split(", ")}
    expected = set() if name == "MetricsError" else set(inspect.signature(getattr(metrics, name)).parameters)
    assert names == expected


def part(doc: str, heading: str) -> str:
    """The lines below one heading."""
    text = inspect.cleandoc(doc)
    match = re.search(rf"^{heading}:\n((?:    .*\n|\n)*(?:    .*)?)", text + "\n", re.MULTILINE)
    return match[1] if match else ""


@pytest.mark.parametrize("name", [*FUNCTIONS, *CLASSES])
def test_the_example_runs_as_printed(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestParser().get_examples(getattr(metrics, name).__doc__)
    assert examples
    assert all(not example.options.get(doctest.SKIP) for example in examples)
    test = doctest.DocTest(examples, {name: getattr(metrics, name)}, name, None, None, None)
    printed: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=printed.append)
    assert "".join(printed) == ""


def test_import_metrics_loads_no_measure_and_not_even_numpy():
    code = "import sys, metrics; print([name for name in sys.modules if name.startswith(('metrics.', 'numpy'))])"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "['metrics.version']"


def test_every_other_name_is_imported_from_its_module():
    """`from metrics import x` in this repository names the face, a package or the version, and nothing else."""
    packages = {path.name for path in (ROOT / "metrics").iterdir() if (path / "__init__.py").exists()}
    allowed = {*metrics.__all__, *packages, "__version__"}
    imported = {
        alias.name
        for folder in ("annotation", "metrics", "tests", "docs", "deploy")
        for path in (ROOT / folder).rglob("*.py")
        if "from metrics import" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and node.module == "metrics"
        for alias in node.names
    }
    assert imported <= allowed
