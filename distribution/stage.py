"""Lay out the import package in a folder, from the files of the repository: `python -m distribution.stage FOLDER`."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from distribution.rewrite import PACKAGE, Rewriter

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("metrics", "annotation", "deploy", "hit_templates")
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


def stage_tests(folder: Path, root: Path = ROOT) -> Path:
    """Write the tests of `metrics`, rewritten alike, into `folder`, so that they run against the installed wheel."""
    rewriter = Rewriter(root)
    tests = root / "tests"
    for source in (tests / "__init__.py", *_files(tests / "metrics")):
        _copy(source, folder / source.relative_to(root), rewriter)
    return folder / "tests"


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
