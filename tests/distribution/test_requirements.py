"""What a checkout installs, an installed package can have too."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

from distribution.textassay.__main__ import MEASURES
from metrics.__main__ import commands
from metrics.version import __version__

ROOT = Path(__file__).resolve().parents[2]
# Only tests and benchmarks import it.
FOR_TESTS = {"scikit-learn"}
# boto3 asks for the version that fits.
WITH_ANOTHER = {"botocore"}


def pinned(name: str) -> dict[str, str]:
    """Version by package of a file of requirements."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return {
        match["name"]: match["version"]
        for match in re.finditer(r"^(?P<name>[\w.-]+)(\[\w+\])?==(?P<version>\S+)", text, re.M)
    }


def test_every_package_of_a_checkout_is_one_of_the_wheel_in_a_range_that_holds_its_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ranges = [
        *project["dependencies"],
        *(text for extra in project["optional-dependencies"].values() for text in extra),
    ]
    allowed = {requirement.name: requirement.specifier for requirement in map(Requirement, ranges)}
    versions = {**pinned("requirements.txt"), **pinned("requirements-models.txt")}
    assert {name for name in versions if name not in allowed} == FOR_TESTS | WITH_ANOTHER
    assert [name for name, version in versions.items() if name in allowed and version not in allowed[name]] == []


def test_the_program_has_every_command_of_the_measures() -> None:
    assert set(MEASURES) == {command.__name__.rpartition(".")[2] for command in commands()}


def test_every_file_that_states_a_version_states_the_one_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"]["path"] == "metrics/version.py"
    (citation,) = re.findall(r'^version: "(.+)"$', (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)
    codemeta = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    assert (citation, codemeta["version"]) == (__version__, __version__)
