"""A caption of a table is a sentence bound to facts, or it states nothing: no number, no name, no verb."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import metrics.report
from metrics.report.build import build_report
from metrics.report.sentence import Plain, Sentence, plain
from tests.annotation.reports.round_trips import KINDS

MODULES = sorted(Path(metrics.report.__file__).parent.rglob("*.py"))
# Where the caption is among the arguments, the first being 0.
WITH_CAPTION = {"Table": 1, "_table": 1, "_estimates": 3}


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def unbound(path: Path) -> Iterator[str]:
    """Captions of the module's tables that are neither filled from a template nor plain."""
    tree = tree_of(path)
    for scope in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        for call in (node for node in ast.walk(scope) if isinstance(node, ast.Call)):
            at = WITH_CAPTION.get(call.func.id) if isinstance(call.func, ast.Name) else None
            if at is not None and at < len(call.args):
                caption = call.args[at]
                if not _bound(caption, scope, tree):
                    yield f"{path.name}:{call.lineno}: {ast.unparse(caption)}"


def _bound(caption: ast.expr, scope: ast.FunctionDef, tree: ast.Module) -> bool:
    """Whether every way to the caption is `plain(...)`, a template filled, or an argument that the caller binds."""
    if isinstance(caption, ast.IfExp):
        return all(_bound(choice, scope, tree) for choice in (caption.body, caption.orelse))
    if isinstance(caption, ast.Call):
        return ast.unparse(caption.func) == "plain" or ast.unparse(caption.func).endswith(".fill")
    if isinstance(caption, ast.Name):
        if caption.id in {argument.arg for argument in scope.args.args}:
            return True
        written = [
            node.value
            for part in (scope, tree)
            for node in ast.walk(part)
            if isinstance(node, ast.Assign) and caption.id in map(ast.unparse, node.targets)
        ]
        return bool(written) and all(_bound(each, scope, tree) for each in written)
    return ast.unparse(caption) == "''"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_module_writes_a_caption_of_its_own(path: Path) -> None:
    assert list(unbound(path)) == []


def test_every_plain_caption_states_nothing() -> None:
    calls = [
        node
        for path in MODULES
        if path.parent.name in ("sections", "comparison")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "plain"
    ]
    captions = [ast.literal_eval(call.args[0]) for call in calls]
    assert len(captions) > 35
    assert [str(plain(caption)) for caption in captions] == captions


@pytest.mark.parametrize(
    "states", ["7 texts.", "Ratings by {source}.", "The sources are alike.", "95% intervals.", "“alpha” by source."]
)
def test_a_plain_caption_that_states_something_is_refused(states: str) -> None:
    with pytest.raises(ValueError, match="states something"):
        plain(states)


@pytest.mark.parametrize("name", ["scales", "pairs"])
def test_tables_of_a_report_have_such_captions(name: str) -> None:
    report = build_report(KINDS[name](3), k=5)
    tables = [table for section in report.sections for table in section.tables]
    assert tables
    assert [table.title for table in tables if not isinstance(table.title, Sentence | Plain)] == []
