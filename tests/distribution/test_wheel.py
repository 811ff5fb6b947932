"""The wheel, in an environment that has nothing else: measures from files, beside a stranger's own `metrics.py`."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from metrics import __version__

ROOT = Path(__file__).resolve().parents[2]
FIVE_MEGABYTES = 5_000_000
STANDARD = {"pip", "setuptools", "wheel"}
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the wheel and the source archive; the wheel is built from the archive, as a stranger would."""
    folder = tmp_path_factory.mktemp("built")
    hatchling = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run([*hatchling, "-t", "sdist"], cwd=ROOT, check=True, capture_output=True)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder / "source", filter="data")
    source = next((folder / "source").iterdir())
    subprocess.run([*hatchling, "-t", "wheel"], cwd=source, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an empty environment with the wheel and what it asks for."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    pip = [str(folder / "bin" / "pip"), "install", "--quiet", "--no-compile", "--disable-pip-version-check"]
    # pandas is the researcher's, who has DataFrames.
    subprocess.run([*pip, str(next(built.glob("*.whl"))), "pandas"], check=True, capture_output=True)
    return folder / "bin"


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    """A folder of a researcher who has a module `metrics` of their own."""
    (tmp_path / "metrics.py").write_text("mine = 'mine'\n")
    rows = [f"r{i},{3 + i % 3},{-20 - i % 7},10,reference" for i in range(20)]
    rows += [f"m{i},{1 + i % 4},{-14 - i % 9},10,model" for i in range(20)]
    (tmp_path / "items.csv").write_text("\n".join(["id,hj,log_prob,length,source", *rows]))
    return tmp_path


def run(program: Path, *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program as a stranger's shell would, without this checkout on its path."""
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DJANGO"))}
    return subprocess.run([str(program), *words], cwd=folder, env=surroundings, capture_output=True, text=True)


def test_the_wheel_holds_one_package_and_weighs_little(built: Path) -> None:
    wheel = next(built.glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.partition("/")[0] for name in archive.namelist()}
    assert tops == {"textassay", f"textassay-{__version__}.dist-info"}
    assert wheel.stat().st_size < FIVE_MEGABYTES


def test_the_core_asks_for_at_most_eight_packages_and_neither_django_nor_torch(installed: Path, tmp_path: Path) -> None:
    listed = run(installed / "pip", "list", "--format", "json", folder=tmp_path)
    names = {package["name"].lower() for package in json.loads(listed.stdout)} - STANDARD - {"textassay"}
    assert names.isdisjoint({"django", "torch", "transformers"})
    shown = run(installed / "pip", "show", "textassay", folder=tmp_path).stdout
    (required,) = [line for line in shown.splitlines() if line.startswith("Requires:")]
    assert len(required.split(",")) <= 8


def test_the_command_measures_a_file_beside_a_module_of_the_same_name(installed: Path, notebook: Path) -> None:
    done = run(installed / "textassay", "huse", "items.csv", "--k", "5", "--json", folder=notebook)
    assert done.returncode == 0, done.stderr
    # The docstring of `metrics.evaluate` has these texts and these numbers.
    assert round(json.loads(done.stdout)["modes"]["exact"]["huse"]["value"], 2) == 0.25


def test_neither_module_shadows_the_other(installed: Path, notebook: Path) -> None:
    code = "import metrics, textassay; print(metrics.mine, textassay.evaluate.__module__)"
    assert run(installed / "python", "-c", code, folder=notebook).stdout.split() == [
        "mine",
        "textassay.metrics.huse.estimate",
    ]


def test_the_lines_of_python_in_the_readme_print_huse(installed: Path, notebook: Path) -> None:
    (code,), (quick_start,) = (
        re.findall(r"```python\n(.+?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
        for page in ("README.md", "docs/quick-start.md")
    )
    assert [line.partition("  #")[0] for line in code.splitlines()] == quick_start.splitlines()
    done = run(installed / "python", "-c", code, folder=notebook)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Estimate(value=")
    assert "n=40" in done.stdout


def test_the_studio_is_asked_for_by_a_sentence(installed: Path, tmp_path: Path) -> None:
    done = run(installed / "textassay", "serve", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.strip().endswith("Install them: pip install 'textassay[studio]'")
    assert done.stderr.count("\n") == 1
