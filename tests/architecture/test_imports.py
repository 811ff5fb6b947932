"""What tests, benchmarks and tools import of ours is there: many of them import inside functions, and run rarely."""

from __future__ import annotations

import ast
import importlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OURS = ("annotation", "metrics", "deploy", "tests")
# Settings are read from the environment when they are imported.
APART = "deploy.settings"
FILES = sorted([*(ROOT / "tests").rglob("*.py"), *(ROOT / "docs").glob("*.py"), ROOT / "manage.py"])


def imported(source: str, package: str) -> Iterator[tuple[int, str, str]]:
    """(line, module, name) of every import of ours, wherever it stands; name "" for the module itself."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, one.name, "") for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            yield from ((node.lineno, module, one.name) for one in node.names)


def missing(source: str, package: str) -> list[str]:
    """The imports of ours that lead nowhere."""
    found = []
    for line, module, name in imported(source, package):
        if module.split(".")[0] in OURS and not module.startswith(APART) and not there(module, name):
            found.append(f"{line}: {module} {name}".rstrip())
    return found


def there(module: str, name: str) -> bool:
    try:
        if not name or hasattr(importlib.import_module(module), name):
            return importlib.util.find_spec(module) is not None
        return importlib.util.find_spec(f"{module}.{name}") is not None
    except ModuleNotFoundError:
        return False


def package_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).parent.parts)


def test_every_import_of_ours_leads_somewhere() -> None:
    found = {
        str(path.relative_to(ROOT)): wrong
        for path in FILES
        if (wrong := missing(path.read_text(encoding="utf-8"), package_of(path)))
    }
    assert found == {}


@pytest.mark.parametrize(
    "planted",
    [
        "def run():\n    from annotation.studies.create import Plans\n",
        "import metrics.husse\n",
        "from annotation.flows.creates import Plan\n",
        "from .world import no_such_thing\n",
    ],
)
def test_a_planted_import_of_nothing_is_found(planted: str) -> None:
    assert len(missing(planted, "tests.annotation.review")) == 1
