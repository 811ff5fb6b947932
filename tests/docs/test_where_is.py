"""The map of the house, and the paths in the guide for contributors, lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.paths import ROOT, answers, exists, paths, resolves

MAP = (ROOT / "docs" / "where-is.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ANSWERS = answers(MAP)


@pytest.mark.parametrize(("path", "name"), [answer[1:] for answer in ANSWERS], ids=[answer[0] for answer in ANSWERS])
def test_each_answer_of_the_map_is_there(path: str, name: str) -> None:
    assert resolves(path, name)


def test_the_map_has_thirty_answers_and_every_row_is_one() -> None:
    rows = [line for line in MAP.splitlines() if line.startswith("|") and not line.startswith(("| what |", "|---"))]
    assert len(rows) == len(ANSWERS) == len({what for what, *_ in ANSWERS}) == 30


def test_the_map_is_linked_from_the_guide() -> None:
    assert "(docs/where-is.md)" in GUIDE


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("metrics/huse/estimates.py", "evaluate"),
        ("metrics/huse/estimate.py", "evaluates"),
        ("annotation/design/presets.py", 'PRESETS["clark-2022"]'),
        ("annotation/mturk/client.py", "Market.make_hit"),
        ("hit_templates/_training.html", "no such part"),
        ("deploy/settings/base.py", "NO_SUCH_SETTING"),
        ("tests/annotation/api/test_roles.py", "test_who_may_not"),
    ],
)
def test_a_planted_answer_that_leads_nowhere_is_seen(path: str, name: str) -> None:
    assert not resolves(path, name)


def test_every_path_in_the_guide_exists() -> None:
    named = paths(GUIDE)
    assert len(named) > 40
    assert [path for path in named if not exists(path)] == []


def test_every_make_target_and_module_in_the_guide_exists() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"`make (\w+)", GUIDE)) <= targets
    modules = {module.replace(".", "/") for module in re.findall(r"`python -m ([\w.]+)", GUIDE)}
    assert modules
    assert all((ROOT / module / "__main__.py").exists() or (ROOT / f"{module}.py").exists() for module in modules)


def test_a_planted_path_is_seen(tmp_path: Path) -> None:
    (tmp_path / "annotation/console/templates/console").mkdir(parents=True)
    (tmp_path / "annotation/console/templates/console/base.html").touch()
    document = "`console/base.html`, `flows/work.py`, `selectors.py`, `annotation/gone/`, `a plain word`, `x|y:z`"
    assert [path for path in paths(document) if not exists(path, tmp_path)] == [
        "flows/work.py",
        "selectors.py",
        "annotation/gone/",
    ]
