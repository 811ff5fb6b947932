"""Rules that hold for the whole tree, each with a violation that is planted and seen."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.architecture import rules

RUFF = Path(sys.executable).with_name("ruff")
SETTINGS = rules.ROOT / "pyproject.toml"
ELEVEN_BRANCHES = "def planted(n: int) -> int:\n" + "".join(
    f"    if n == {number}:\n        return {number}\n" for number in range(10)
)
SEVEN_POSITIONS = "def planted(a: int, b: int, c: int, d: int, e: int, f: int, g: int) -> None: ...\n"


def codes(source: str, path: str = "annotation/planted.py") -> set[str]:
    """What ruff finds in a module of that path, by the project's settings."""
    command = [RUFF, "check", "--no-cache", "--output-format", "json", "--stdin-filename", path, "-"]
    answer = subprocess.run(command, cwd=rules.ROOT, input=source, capture_output=True, text=True, check=False)
    return {message["code"] for message in json.loads(answer.stdout)}


@pytest.fixture(scope="module")
def counts() -> rules.Counts:
    return rules.count()


@pytest.fixture
def settings() -> dict[str, Any]:
    return tomllib.loads(SETTINGS.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("source", "code"), [(ELEVEN_BRANCHES, "C901"), (SEVEN_POSITIONS, "PLR0917")], ids=["complexity", "positions"]
)
def test_the_linter_sees_a_planted_function(source: str, code: str) -> None:
    assert code in codes(source)
    assert code in codes(source, "tests/planted.py")


def test_ten_branches_and_six_positions_pass() -> None:
    fewer = ELEVEN_BRANCHES.replace("    if n == 9:\n        return 9\n", "    return n\n")
    assert codes(fewer) == set()
    assert codes(SEVEN_POSITIONS.replace(", g: int", ", *, g: int").replace("def", "def", 1)) == set()


def test_only_compiled_functions_are_let_off(settings: dict[str, Any]) -> None:
    lint = settings["tool"]["ruff"]["lint"]
    let_off = {path for path, found in lint["per-file-ignores"].items() if {"C901", "PLR0917"} & set(found)}
    assert let_off == {"metrics/compiled/kernels.py", "metrics/huse/strip_kernels.py"}
    suppressed = re.compile(r"#\s*(?:ruff:\s*)?noqa:?[^\n]*\b(?:C901|PLR0917|complex-structure|too-many-positional)")
    for path, file in rules.files(rules.ROOT, "annotation", "deploy", "metrics", "tests", "docs"):
        if path.name != Path(__file__).name:
            assert not suppressed.search(file.read_text(encoding="utf-8")), path


def test_nothing_is_above_the_list(counts: rules.Counts) -> None:
    above = rules.above(counts, rules.load())
    assert not above, "Find another name, or let the formatter have its way:\n" + "\n".join(above)


def test_the_list_allows_no_more_than_is_there(counts: rules.Counts) -> None:
    slack = rules.above(rules.load(), counts)
    assert not slack, "Fewer than allowed; run `python -m tests.architecture --lower`:\n" + "\n".join(slack)


def plant(root: Path, path: str, source: str = "") -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(source, encoding="utf-8")


def test_two_modules_of_one_subject_with_one_name_are_seen(tmp_path: Path) -> None:
    plant(tmp_path, "annotation/texts/store.py")
    plant(tmp_path, "annotation/texts/log_probs/store.py")
    plant(tmp_path, "annotation/marketplace/hits/store.py")
    plant(tmp_path, "annotation/marketplace/money/store.py")
    plant(tmp_path, "metrics/report/store.py")
    assert rules.shared_modules(tmp_path) == {"annotation/texts: store": 2}


def test_two_public_classes_with_one_name_are_seen(tmp_path: Path) -> None:
    plant(tmp_path, "annotation/texts/store.py", "class Pile: ...\nclass _Inner: ...\nclass Command: ...\n")
    plant(tmp_path, "annotation/marketplace/hits/pile.py", "class Pile: ...\nclass _Inner: ...\nclass Command: ...\n")
    plant(tmp_path, "annotation/migrations/0001_initial.py", "class Pile: ...\n")
    assert rules.shared_classes(tmp_path) == {"Pile": 2}


def test_skipped_formatting_is_counted_in_comments_only(tmp_path: Path) -> None:
    plant(tmp_path, "metrics/planted.py", 'x = [1,\n     2]  # fmt: skip\ny = "# fmt: skip"\n# fmt: off\n')
    assert rules.skipped_formatting(tmp_path) == {"metrics": 2}


def test_a_count_above_its_limit_is_named() -> None:
    assert rules.above({"classes": {"Pile": 2}}, {"classes": {}}) == ["classes: Pile: 2, the limit is 0"]
    assert rules.above({"classes": {"Pile": 2}}, {"classes": {"Pile": 2}}) == []


def test_the_settings_name_what_exists(settings: dict[str, Any]) -> None:
    assert rules.unmatched(settings) == []
    assert len(list(rules.named_by_settings(settings))) > 20


def test_a_setting_that_names_nothing_is_seen(settings: dict[str, Any]) -> None:
    settings["tool"]["mypy"]["overrides"][0]["module"].append("annotation.flows.*")
    settings["tool"]["coverage"]["run"]["source"].append("annotation/selectors")
    settings["tool"]["ruff"]["lint"]["per-file-ignores"]["metrics/kernels.py"] = []
    assert rules.unmatched(settings) == [
        "mypy section 0: annotation/flows/*",
        "coverage source: annotation/selectors",
        "ruff per-file-ignores: metrics/kernels.py",
    ]
