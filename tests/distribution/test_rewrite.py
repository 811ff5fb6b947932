"""Inside the package the project's names begin with its name; whatever only looks like one of them stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from distribution.rewrite import Rewriter

ROOT = Path(__file__).resolve().parents[2]
REWRITER = Rewriter(ROOT)


@pytest.mark.parametrize(
    ("source", "inside"),
    [
        ("from metrics.types import Item", "from textassay.metrics.types import Item"),
        ("    from annotation import models", "    from textassay.annotation import models"),
        ("import metrics", "from textassay import metrics"),
        ("import metrics.types as types", "import textassay.metrics.types as types"),
        ("import annotation.ids", "import textassay.annotation.ids; from textassay import annotation"),
        ("include('annotation.console.urls')", "include('textassay.annotation.console.urls')"),
        ("x = 'deploy.wsgi.application'", "x = 'textassay.deploy.wsgi.application'"),
        ("x = 'Run `manage.py work` to send them.'", "x = 'Run `textassay work` to send them.'"),
        ("x = 'JSON of python -m metrics.'", "x = 'JSON of textassay.'"),
        ("'''\n>>> from metrics import Item\n'''", "'''\n>>> from textassay.metrics import Item\n'''"),
    ],
)
def test_names_of_the_project_are_rewritten(source: str, inside: str) -> None:
    indented = source.startswith(" ")
    before, after = (f"if 1:\n{source}", f"if 1:\n{inside}") if indented else (source, inside)
    assert REWRITER.rewrite(before) == after


@pytest.mark.parametrize(
    "source",
    [
        "from metricslike import x",
        "from .metrics import x",
        "import numpy as metrics",
        "models.ForeignKey('annotation.Scale')",
        "x = 'annotation.see_worker_ids'",
        "send_task('annotation.jobs')",
        "x = 'metrics'",
        "x = settings.ROOT / 'manage.py'",
    ],
)
def test_what_only_looks_like_a_name_of_the_project_stays(source: str) -> None:
    assert REWRITER.rewrite(source) == source


def test_two_modules_in_one_import_are_refused_by_line() -> None:
    with pytest.raises(ValueError, match="line 2: import one module"):
        REWRITER.rewrite("x = 1\nimport metrics.types, metrics.errors")
