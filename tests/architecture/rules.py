"""Rules about the tree as a whole: names that occur once, skipped formatting, settings that name something.

What breaks a rule today stands in `allowed.json`, a list that only shrinks (`python -m tests.architecture --lower`).
"""

from __future__ import annotations

import ast
import io
import json
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = Path(__file__).with_name("allowed.json")
# Django asks for this name in every module of a command.
DICTATED = {"Command"}

# {rule: {what: count}}
Counts = dict[str, dict[str, int]]


def files(root: Path, *folders: str) -> Iterator[tuple[PurePosixPath, Path]]:
    """Each module below the folders, without migrations: its path from the root, and the file."""
    for folder in folders:
        for file in sorted((root / folder).rglob("*.py")):
            path = PurePosixPath(file.relative_to(root).as_posix())
            if "migrations" not in path.parts:
                yield path, file


def subject(path: PurePosixPath) -> str:
    """The package of a module, one level below `annotation`, `metrics` or `annotation/marketplace`.

    Each task kind is a subject of its own: its folder has the same files as the others.
    """
    if path.parts[:3] == ("annotation", "design", "kinds"):
        return "/".join(path.parts[:-1])
    depth = 3 if path.parts[:2] == ("annotation", "marketplace") else 2
    return "/".join(path.parts[: min(depth, len(path.parts) - 1)])


def shared_modules(root: Path) -> dict[str, int]:
    """The names that several modules of one subject have, with how many have it."""
    counts: defaultdict[str, int] = defaultdict(int)
    for path, _ in files(root, "annotation", "metrics"):
        if path.stem != "__init__":
            counts[f"{subject(path)}: {path.stem}"] += 1
    return {name: number for name, number in counts.items() if number > 1}


def shared_classes(root: Path) -> dict[str, int]:
    """The names that several public classes of `annotation` have, with how many have it."""
    counts: defaultdict[str, int] = defaultdict(int)
    for _, file in files(root, "annotation"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and node.name not in DICTATED:
                counts[node.name] += 1
    return {name: number for name, number in counts.items() if number > 1}


def skipped_formatting(root: Path) -> dict[str, int]:
    """How many comments keep the formatter off, in the product and in the tests."""
    counts = {}
    for folder in ("annotation", "deploy", "metrics", "tests"):
        sources = (file.read_text(encoding="utf-8") for _, file in files(root, folder))
        counts[folder] = sum(number_of_skips(source) for source in sources)
    return {folder: number for folder, number in counts.items() if number}


def number_of_skips(source: str) -> int:
    """The comments `fmt: skip` and `fmt: off` of a module."""
    if "fmt:" not in source:
        return 0
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = (token.string for token in tokens if token.type == tokenize.COMMENT)
    return sum("fmt: skip" in comment or "fmt: off" in comment for comment in comments)


def count(root: Path = ROOT) -> Counts:
    """What each rule finds in a tree."""
    return {
        "modules of one subject with one name": shared_modules(root),
        "public classes of annotation with one name": shared_classes(root),
        "formatting skipped": skipped_formatting(root),
    }


def load() -> Counts:
    """What the list allows."""
    counts: Counts = json.loads(ALLOWED.read_text(encoding="utf-8"))
    return counts


def store(counts: Counts) -> None:
    """Write the list."""
    ALLOWED.write_text(json.dumps(counts, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def above(counts: Counts, limits: Counts) -> list[str]:
    """One line for each count that is above its limit."""
    return [
        f"{rule}: {name}: {number}, the limit is {limits.get(rule, {}).get(name, 0)}"
        for rule, names in counts.items()
        for name, number in names.items()
        if number > limits.get(rule, {}).get(name, 0)
    ]


def named_by_settings(settings: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(where, pattern) of every setting of pyproject.toml that names modules or files of this project."""
    tools = settings["tool"]
    for number, section in enumerate(tools["mypy"]["overrides"]):
        if section.get("follow_imports") != "skip":  # those are other people's packages
            yield from ((f"mypy section {number}", module.replace(".", "/")) for module in section["module"])
    yield from (("mypy files", path) for path in tools["mypy"]["files"])
    yield from (("coverage source", path) for path in tools["coverage"]["run"]["source"])
    yield from (("coverage omit", path) for path in tools["coverage"]["run"]["omit"])
    for pattern in tools["ruff"]["lint"]["per-file-ignores"]:
        yield "ruff per-file-ignores", pattern.removeprefix("!")


def unmatched(settings: dict[str, Any], root: Path = ROOT) -> list[str]:
    """The settings that name nothing of the tree."""
    return [f"{where}: {name}" for where, name in named_by_settings(settings) if not exists(name, root)]


def exists(name: str, root: Path) -> bool:
    """Whether a path or pattern, with or without `.py`, is a module, or a folder with modules or notebooks in it."""
    if name.endswith("*"):
        name = name.rstrip("*").rstrip("/")
    place = root / name
    return (
        place.is_file()
        or place.with_name(f"{place.name}.py").is_file()
        or any(place.rglob("*.py"))
        or any(place.rglob("*.ipynb"))
    )
