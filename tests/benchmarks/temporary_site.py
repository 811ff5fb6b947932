"""Other people's packages in an environment that is made for a benchmark and thrown away: never a requirement."""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import tempfile
import venv
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

OURS = ("numpy", "scipy", "numba")


def beside(
    module: str, name: str, wanted: str, main: Callable[[int], None], *, rounds: int, ours: Sequence[str] = OURS
) -> None:
    """Run `main(rounds)` of a benchmark where the package can be imported: in an environment of --python FILE, or in
    one made in a temporary folder with `wanted`, our versions of `ours`, and thrown away. Where nothing can be
    installed it runs here, without the package.

    module: the benchmark, as python -m takes it. name: what is imported. wanted: what pip installs (name==version).
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", type=int, nargs="?", default=rounds)
    parser.add_argument("--python", help="interpreter of an environment with the package")
    parser.add_argument("--here", action="store_true", help="by this interpreter, with or without the package")
    given = parser.parse_args()
    if given.here or importlib.util.find_spec(name):
        main(given.rounds)
    elif given.python:
        _run_there(given.python, module, given.rounds)
    else:
        with tempfile.TemporaryDirectory() as made:
            found = _environment(made, [wanted, *(f"{one}=={version(one)}" for one in ours)])
            _run_there(found, module, given.rounds) if found else main(given.rounds)


def _environment(folder: str, wanted: Sequence[str]) -> str | None:
    """The interpreter of a new environment with the packages; None where they cannot be installed."""
    python = Path(folder) / "bin" / "python"
    venv.create(folder, with_pip=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]
    installed = subprocess.run(command, capture_output=True, text=True, check=False)
    return str(python) if installed.returncode == 0 else None


def _run_there(python: str, module: str, rounds: int) -> None:
    """This benchmark by another interpreter."""
    subprocess.run([python, "-m", module, str(rounds), "--here"], check=True)
