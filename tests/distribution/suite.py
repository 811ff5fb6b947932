"""The suite of `metrics` against the installed wheel, away from the checkout: `python -m tests.distribution.suite`.

The wheel is built and installed into an environment of its own. The tests are copied with the names that the package
has there, and run in an empty folder, so that nothing of the checkout is on the path but the tools of the tests. Words
after the command go to pytest.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

from distribution.stage import ROOT, stage_tests

# Their subject is the source of the checkout: where its modules lie and what type checkers read there.
PUBLIC_FACE = "tests/metrics/test_public_face.py::"
OF_THE_CHECKOUT = (
    f"{PUBLIC_FACE}test_a_name_has_one_home_for_type_checkers_and_at_run_time",
    f"{PUBLIC_FACE}test_import_metrics_loads_no_measure_and_not_even_numpy",
    f"{PUBLIC_FACE}test_every_other_name_is_imported_from_its_module",
    "tests/metrics/report/test_printed_intervals.py::test_every_column_that_can_print_an_interval_has_a_row_or_a_reason",
    "tests/metrics/test_every_function.py::test_the_table_also_holds_the_measures_that_are_imported_from_their_modules",
)


def main(words: list[str]) -> int:
    """Build, install, copy the tests, run them. Returns the exit code of pytest."""
    with tempfile.TemporaryDirectory(prefix="textassay-") as name:
        folder = Path(name)
        python = environment(built(folder), folder / "environment")
        return run(python, laid(folder / "away"), words)


def built(folder: Path) -> Path:
    """The wheel, built from the checkout."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def environment(wheel: Path, folder: Path) -> Path:
    """The Python of an environment with the wheel; numpy, pytest and the like are those of the checkout's environment.

    A folder that a .pth file adds is no place for further .pth files: the line that puts the checkout on the path of
    its own environment has no effect here.
    """
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", str(wheel)]
    subprocess.run(pip, check=True, capture_output=True)
    purelib = subprocess.run(
        [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    tools = [place for place in sys.path if Path(place).name in {"site-packages", "dist-packages"}]
    (Path(purelib) / "tools.pth").write_text("".join(f"{place}\n" for place in tools), encoding="utf-8")
    return python


def laid(folder: Path) -> Path:
    """The folder of the tests, with the documents that they read and the settings of pytest."""
    stage_tests(folder)
    shutil.copyfile(ROOT / "tests" / "distribution" / "away_conftest.py", folder / "tests" / "conftest.py")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (folder / "docs" / "python.md").write_text(away((ROOT / "docs" / "python.md").read_text(encoding="utf-8")))
    shutil.copyfile(ROOT / "README.md", folder / "README.md")
    options = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    lines = ["[pytest]", f"timeout = {options['timeout']}", "xfail_strict = true"]
    for name in ("filterwarnings", "markers"):
        lines += [f"{name} =", *(f"  {value}" for value in options[name])]
    (folder / "pytest.ini").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if (ROOT.parent / "shared").is_dir():
        (folder.parent / "shared").symlink_to(ROOT.parent / "shared")
    return folder


def away(page: str) -> str:
    """A page's lines of Python with the name of the installed package."""
    return page.replace("import metrics\n", "from textassay import metrics\n")


def run(python: Path, folder: Path, words: list[str]) -> int:
    """Run pytest on the copied tests, and say where the package is that they tested."""
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DJANGO"))}
    asked = "import textassay.metrics as metrics; print(metrics.__file__)"
    place = subprocess.run([str(python), "-c", asked], cwd=folder, env=surroundings, capture_output=True, text=True)
    sys.stdout.write(f"The suite of metrics against {place.stdout.strip() or place.stderr}\n")
    sys.stdout.flush()
    deselected = [word for name in OF_THE_CHECKOUT for word in ("--deselect", name)]
    command = [str(python), "-m", "pytest", "-q", *deselected, *words]
    return subprocess.run(command, cwd=folder, env=surroundings, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
