"""`python -m tests.architecture`: the house in figures (loose files, contracts, words, lines), of this tree or another.

The table is printed before and after work on the layout, so that both come from one command. `--lower` writes lower
counts of shared names and of skipped formatting into `allowed.json`, where none is above it.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.architecture import rules
from tests.language import words

LOOSE = ("annotation", "metrics", "annotation/marketplace")


def lines_of(paths: Iterable[Path]) -> int:
    """Lines of all files together."""
    return sum(path.read_text(encoding="utf-8").count("\n") for path in paths)


def product(root: Path) -> list[Path]:
    """The modules of the product, without migrations."""
    packages = ("annotation", "metrics", "deploy")
    files = [path for package in packages for path in (root / package).rglob("*.py")]
    return [path for path in files if "migrations" not in path.parts]


def contract_names(root: Path) -> dict[str, int]:
    """How many modules each import contract names."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    counts = {}
    for contract in settings["tool"]["importlinter"]["contracts"]:
        entries = contract.get("layers", []) + contract.get("forbidden_modules", []) + contract.get("modules", [])
        counts[contract["id"]] = sum(len(entry.split("|")) for entry in entries)
    return counts


def functions(paths: Iterable[Path]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method."""
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node


def one_word_share(names: list[str]) -> float:
    """The share of function names without an underscore inside, dunder names left aside."""
    public = [name.strip("_") for name in names if not (name.startswith("__") and name.endswith("__"))]
    return sum("_" not in name for name in public) / len(public)


TASK_TYPE = re.compile(
    r"TYPICALITY|HUMAN_OR_MACHINE|LIKERT|ERROR_LABELS|PAIRWISE|WHICH_MACHINE|DIRECT_ASSESSMENT|DOCUMENT_RATING"
    r"|\"(?:typicality|human_or_machine|likert|error_labels|pairwise|which_machine|direct_assessment|document_rating)\""
)


def naming_a_task_type(folder: Path) -> Iterator[Path]:
    """The modules that would be looked at for another task type."""
    for path in folder.rglob("*.py"):
        if "migrations" not in path.parts and TASK_TYPE.search(path.read_text(encoding="utf-8")):
            yield path


def figures(root: Path) -> Iterator[tuple[str, object]]:
    """Each line of the table."""
    for folder in LOOSE:
        yield f"loose files in {folder}/ (with __init__)", len(list((root / folder).glob("*.py")))
    contracts = contract_names(root)
    yield "import contracts", len(contracts)
    for name, number in sorted(contracts.items(), key=lambda item: -item[1])[:5]:
        yield f"names in the contract {name}", number
    files = product(root)
    yield "modules", len(files)
    yield "lines of the product (without migrations)", lines_of(files)
    yield "lines of migrations", lines_of((root / "annotation").rglob("migrations/*.py"))
    yield "lines of tests", lines_of((root / "tests").rglob("*.py"))
    yield "committed pages of docs/api", len(list((root / "docs" / "api").rglob("*.md")))
    yield "lines of docs/api", lines_of((root / "docs" / "api").rglob("*.md"))
    bodies = list(functions(files))
    yield "functions", len(bodies)
    yield "functions of one word", f"{one_word_share([node.name for node in bodies]):.0%}"
    for package in ("annotation", "metrics"):
        yield f"modules of {package} that name a task type", len(list(naming_a_task_type(root / package)))
    counts = words.count(root)
    for rule, by_file in counts.items():
        yield f"banned words or phrases in {rule}", words.total(by_file)


def lower() -> int:
    """Store the counts of today where none is above the list."""
    counts = rules.count()
    raised = rules.above(counts, rules.load())
    if raised:
        print("Not written, as these counts are above the list:", *raised, sep="\n")
        return 1
    rules.store(counts)
    return 0


def main(arguments: list[str]) -> int:
    """Print the table of this tree, or of the checkout named."""
    if arguments == ["--lower"]:
        return lower()
    root = Path(arguments[0]) if arguments else words.ROOT
    for label, figure in figures(root):
        print(f"| {label} | {figure} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
