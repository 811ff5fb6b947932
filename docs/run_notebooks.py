"""Run the notebooks of `docs/notebooks`: `python -m docs.run_notebooks [--small] [--write] [NAME ...]`.

Each states a truth and asserts that it holds; the first cell that fails ends the run with its error. The package is the
one that an installation has (`distribution/stage.py`), put on the path, so that `import textassay` is what a reader
writes. `--write` runs them in Jupyter's kernel and stores what the cells show; without it they run in this process.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from contextlib import chdir
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from distribution.stage import stage  # noqa: E402 - found only after the line above, run as a file

NOTEBOOKS = ROOT / "docs" / "notebooks"
PARAMETERS = "parameters"
Notebook = dict[str, Any]


def main(arguments: list[str]) -> int:
    """Run the notebooks named, or all. Returns 0; a cell that fails raises its error."""
    parser = argparse.ArgumentParser(description="Run the notebooks of docs/notebooks.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="of a notebook; none: all")
    parser.add_argument("--small", action="store_true", help="with less data, as the tests do")
    parser.add_argument("--write", action="store_true", help="in Jupyter's kernel, and store what the cells show")
    chosen = parser.parse_args(arguments)
    paths = [NOTEBOOKS / f"{name}.ipynb" for name in chosen.names] or sorted(NOTEBOOKS.glob("*.ipynb"))
    with tempfile.TemporaryDirectory(prefix="notebooks-") as folder:
        stage(Path(folder) / "package")
        sys.path.insert(0, str(Path(folder) / "package"))
        for path in paths:
            notebook = json.loads(path.read_text(encoding="utf-8"))
            if chosen.small:
                set_parameters(notebook)
            begun = time.monotonic()
            if chosen.write:
                write(path, run_in_kernel(notebook, Path(folder)))
            else:
                run_here(notebook, path.stem, Path(folder))
            sys.stdout.write(f"{path.stem}: {time.monotonic() - begun:.1f} s\n")
            sys.stdout.flush()
    return 0


def set_parameters(notebook: Notebook) -> None:
    """Add the small values of a notebook's parameters below the cell that has the usual ones."""
    for cell in notebook["cells"]:
        if PARAMETERS in cell["metadata"].get("tags", ()):
            cell["source"] += [f"\n{name} = {value}" for name, value in notebook["metadata"]["small"].items()]


def run_here(notebook: Notebook, name: str, folder: Path) -> None:
    """Run the cells of code one after the other, in a folder that is empty at first."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory(dir=folder) as empty, chdir(empty):
        for number, cell in enumerate(notebook["cells"], 1):
            if cell["cell_type"] == "code":
                code = compile("".join(cell["source"]), f"{name}.ipynb, cell {number}", "exec")
                exec(code, names)  # noqa: S102 - our own notebooks


def run_in_kernel(notebook: Notebook, folder: Path) -> Notebook:
    """Run a notebook in Jupyter's kernel, and return it with what its cells show."""
    import nbformat
    from nbclient import NotebookClient

    os.environ["PYTHONPATH"] = str(folder / "package")
    node = nbformat.reads(json.dumps(notebook), as_version=4)
    with tempfile.TemporaryDirectory(dir=folder) as empty:
        NotebookClient(node, kernel_name="python3", timeout=300, resources={"metadata": {"path": empty}}).execute()
    executed: Notebook = json.loads(nbformat.writes(node))
    return executed


def write(path: Path, notebook: Notebook) -> None:
    """Store a notebook without what differs from run to run: times, counts, and figures where there is a table."""
    for cell in notebook["cells"]:
        cell["metadata"].pop("execution", None)
        if cell["cell_type"] == "code":
            cell["execution_count"] = None
            for output in cell["outputs"]:
                output.pop("execution_count", None) if output["output_type"] != "execute_result" else output.update(
                    execution_count=None
                )
    notebook["metadata"]["language_info"] = {"name": "python"}
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
