"""What a checkout installs, an installed package can have too."""

from __future__ import annotations

import json
import re
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from distribution.textassay import __main__ as program
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


@pytest.mark.parametrize(
    ("words", "of_study"),
    [
        (["pilot-2", "--out", "there"], True),
        (["snapshot", "--out", "there"], False),
        (["missing.json", "--out", "there"], False),
        (["--help"], False),
    ],
)
def test_a_report_is_of_a_study_where_its_name_is_no_file(
    words: list[str],
    of_study: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "snapshot").write_text("{}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_VAR", str(tmp_path / "var"))
    ran: list[list[str]] = []
    monkeypatch.setattr(program, "_manage", ran.append)
    with suppress(SystemExit):
        program.main(["report", *words])
    assert ran == ([["report", *words]] if of_study else [])


def test_every_file_that_states_a_version_states_the_one_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"]["path"] == "metrics/version.py"
    (citation,) = re.findall(r'^version: "(.+)"$', (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)
    codemeta = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    assert (citation, codemeta["version"]) == (__version__, __version__)
