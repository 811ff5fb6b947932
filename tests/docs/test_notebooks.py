"""The notebooks run without the network, on less data, and the truths that they state hold."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from docs.notebook_pages import notebook_pages
from docs.run_notebooks import NOTEBOOKS
from tests.docs.paths import ROOT

NAMES = ["huse", "human-or-machine", "intervals", "mechanical-turk", "near-negative", "planning"]
NOWHERE = "http://127.0.0.1:9"  # a proxy that is not there


def code(path: Path) -> str:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def test_six_notebooks_each_assert_a_truth_and_are_stored_with_what_they_show() -> None:
    paths = sorted(NOTEBOOKS.glob("*.ipynb"))
    assert [path.stem for path in paths] == sorted(NAMES)
    for path in paths:
        assert "assert " in code(path)
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        outputs = [output for cell in cells for output in cell.get("outputs", ())]
        assert outputs
        assert [output for output in outputs if output["output_type"] == "error"] == []


@pytest.mark.long
def test_the_notebooks_run_and_their_truths_hold() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "docs.run_notebooks", "--small"],
        cwd=ROOT,
        env={**os.environ, "http_proxy": NOWHERE, "https_proxy": NOWHERE},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    ran = [line.partition(":")[0] for line in done.stdout.splitlines() if line.endswith(" s")]
    assert set(NAMES) <= set(ran)


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_becomes_a_page_without_styles(name: str) -> None:
    pages = notebook_pages(NOTEBOOKS / f"{name}.ipynb")
    page = pages[f"{name}.md"]
    assert page.startswith("# ")
    assert "<style" not in page
    assert " style=" not in page
    assert all(file in page for file in pages if file.endswith(".svg"))
