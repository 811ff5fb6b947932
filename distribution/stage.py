"""Lay out the import package in a folder, from the files of the repository: `python -m distribution.stage FOLDER`."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from distribution.rewrite import PACKAGE, Rewriter

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("metrics", "annotation", "deploy", "hit_templates")
# The suite of `metrics`, and the modules that it imports.
TESTS = (
    "__init__.py",
    "browsing.py",
    "metrics",
    "benchmarks",
    "annotation/__init__.py",
    "annotation/reports/__init__.py",
    "annotation/reports/round_trips.py",
)
# What tests start in processes of their own, here and where the package is installed.
STARTED = {
    '"-m", "metrics"': f'"-m", "{PACKAGE}.metrics"',
    "import sys, metrics;": f"import sys; from {PACKAGE} import metrics;",
    "import sys, metrics, metrics.": f"import sys, {PACKAGE}.metrics.",
    '"metrics, metrics.likelihood, metrics.generation, metrics.__main__"': (
        f'"{PACKAGE}.metrics, {PACKAGE}.metrics.likelihood, {PACKAGE}.metrics.generation, {PACKAGE}.metrics.__main__"'
    ),
}
LEFT_OUT = {"__pycache__", ".mypy_cache", ".ruff_cache"}


def stage(folder: Path, root: Path = ROOT) -> Path:
    """Write the package into `folder` and return its path. What lies there of an earlier run is deleted."""
    package = folder / PACKAGE
    if package.exists():
        shutil.rmtree(package)
    rewriter = Rewriter(root)
    for name in FOLDERS:
        for source in _files(root / name):
            _copy(source, package / source.relative_to(root), rewriter)
    _copy(root / "manage.py", package / "manage.py", rewriter)
    for source in _files(root / "distribution" / PACKAGE):
        _copy(source, package / source.relative_to(root / "distribution" / PACKAGE), rewriter)
    return package


def stage_tests(folder: Path, root: Path = ROOT) -> None:
    """Write the tests of `metrics` and what they import into `folder`, with the names of the installed package."""
    rewriter = Rewriter(root)
    for name in TESTS:
        for source in _files(root / "tests" / name) if (root / "tests" / name).is_dir() else [root / "tests" / name]:
            target = folder / source.relative_to(root)
            _copy(source, target, rewriter)
            if source.suffix == ".py":
                target.write_text(_programs(target.read_text(encoding="utf-8")), encoding="utf-8")


def _programs(source: str) -> str:
    """A test's source, in which the programs that it starts name the installed package."""
    for here, installed in STARTED.items():
        source = source.replace(here, installed)
    # What imports is rewritten already; the rest are lines for a Python that a test starts.
    return re.sub(r"from metrics(?=\.\w| import )", f"from {PACKAGE}.metrics", source)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and not LEFT_OUT & set(path.parts))


def _copy(source: Path, target: Path, rewriter: Rewriter) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.suffix != ".py":
        shutil.copyfile(source, target)
        return
    try:
        text = rewriter.rewrite(source.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"{source}: {error}") from error
    target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.stdout.write(f"{stage(Path(sys.argv[1]))}\n")
