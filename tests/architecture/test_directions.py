"""The directions of import hold, and each contract notices a planted violation."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINT = Path(sys.executable).with_name("lint-imports")

LAYERS = "annotation: subjects in the order of a study's life"

# (file that is made to break the rule, the line planted there, the contract that must notice)
VIOLATIONS = [
    (
        "metrics/types.py",
        "import annotation.design.criteria",
        "deploy imports annotation imports metrics, never back",
    ),
    ("annotation/design/criteria.py", "import deploy.urls", "deploy imports annotation imports metrics, never back"),
    ("metrics/types.py", "import django.utils.html", "metrics knows no framework, queue or cloud"),
    (
        "annotation/client/errors.py",
        "import django.utils.html",
        "the client knows the web API, no framework and no server",
    ),
    (
        "annotation/design/kinds/likert/kind.py",
        "import annotation.models",
        "task kinds know no framework and no database",
    ),
    ("metrics/huse/estimate.py", "import celery", "metrics knows no framework, queue or cloud"),
    (
        "annotation/publishing/publish.py",
        "import annotation.marketplace.apps",
        "nobody in annotation imports the marketplace",
    ),
    ("annotation/models/text.py", "import annotation.marketplace.apps", "nobody in annotation imports the marketplace"),
    (
        "annotation/rehearsal/apps.py",
        "import annotation.marketplace.apps",
        "nobody in annotation imports the marketplace",
    ),
    (
        "annotation/accounts/vault.py",
        "import annotation.marketplace.apps",
        "nobody in annotation imports the marketplace",
    ),
    (
        "annotation/marketplace/apps.py",
        "import annotation.models",
        LAYERS,
    ),
    (
        "annotation/marketplace/apps.py",
        "import annotation.pricing.fees",
        LAYERS,
    ),
    (
        "annotation/marketplace/apps.py",
        "import metrics.types",
        "marketplace and accounts compute no metrics",
    ),
    (
        "annotation/mturk/sns.py",
        "import annotation.marketplace.notifications.keys",
        "nobody in annotation imports the marketplace",
    ),
    (
        "annotation/marketplace/notifications/keys.py",
        "import annotation.mturk.sns",
        LAYERS,
    ),
    ("annotation/accounts/vault.py", "import annotation.models", LAYERS),
    ("annotation/publishing/publish.py", "import annotation.rehearsal.apps", "neither room imports the rehearsal"),
    ("annotation/marketplace/apps.py", "import annotation.rehearsal.apps", "neither room imports the rehearsal"),
    ("annotation/publishing/publish.py", "import boto3", "boto3 has one importer"),
    ("annotation/marketplace/apps.py", "import boto3.session", "boto3 has one importer"),
    ("annotation/models/text.py", "import annotation.publishing.publish", LAYERS),
    ("annotation/design/packing.py", "import annotation.studies.create", LAYERS),
    ("annotation/studies/queries.py", "import annotation.console.navigation", LAYERS),
    ("annotation/api/texts.py", "import annotation.console.forms.texts", LAYERS),
    ("annotation/console/views/texts.py", "import annotation.api.texts", LAYERS),
    (
        "annotation/console/navigation.py",
        "import annotation.marketplace.apps",
        "nobody in annotation imports the marketplace",
    ),
    ("annotation/publishing/publish.py", "import annotation.jobs.celery_tasks", LAYERS),
    (
        "metrics/types.py",
        "import metrics.huse.estimate",
        "metrics: doors, report, scores, measures, inference, data, types",
    ),
    (
        "metrics/huse/estimate.py",
        "import metrics.figures",
        "metrics: doors, report, scores, measures, inference, data, types",
    ),
    (
        "metrics/figures/theme.py",
        "import metrics.report",
        "metrics: doors, report, scores, measures, inference, data, types",
    ),
    ("metrics/huse/estimate.py", "import torch", "torch and transformers stay out of the measures"),
    ("metrics/likelihood/records.py", "import torch", "torch and transformers stay out of the measures"),
    ("metrics/generation/records.py", "import transformers", "torch and transformers stay out of the measures"),
    (
        "metrics/likelihood/records.py",
        "import metrics.huse.estimate",
        "metrics: doors, report, scores, measures, inference, data, types",
    ),
    ("annotation/publishing/publish.py", "import transformers", "torch and transformers stay out of the measures"),
    ("metrics/report/records.py", "import metrics.report.build", "report: formats, build, prose, sections, records"),
    (
        "metrics/report/sections/huse.py",
        "import metrics.report.formats.csv",
        "report: formats, build, prose, sections, records",
    ),
    (
        "annotation/marketplace/money/fees.py",
        "import annotation.marketplace.operations",
        "marketplace: doors, operations, people, work, money, base",
    ),
    (
        "annotation/marketplace/core/clock.py",
        "import annotation.marketplace.site.pages",
        "marketplace: doors, operations, people, work, money, base",
    ),
]
# A new module breaks these until it has a place.
NEW_MODULES = [
    ("annotation/planted.py", LAYERS),
    ("metrics/planted.py", "metrics: doors, report, scores, measures, inference, data, types"),
    ("metrics/report/planted.py", "report: formats, build, prose, sections, records"),
    ("annotation/marketplace/planted.py", "marketplace: doors, operations, people, work, money, base"),
]
MAX_NAMES = 30


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    # A wide terminal: no line of the answer is folded.
    environment = {"PYTHONPATH": ".", "COLUMNS": "1000"}
    return subprocess.run(
        [LINT, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False, env=environment
    )


def contracts() -> list[dict[str, Any]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return list(settings["tool"]["importlinter"]["contracts"])


def by_contract(answer: str) -> dict[str, str]:
    """What the linter says about each broken contract, by the contract's name."""
    _, _, broken = answer.partition("\nBroken contracts\n")
    parts = re.split(r"(?m)^(.+)\n-+\n\n", broken)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A copy of the house with every violation in it, linted once."""
    folder = tmp_path_factory.mktemp("house")
    for package in ("deploy", "annotation", "metrics"):
        shutil.copytree(
            ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__", "*.npz", "static")
        )
    shutil.copy(ROOT / "pyproject.toml", folder)
    for file, line, _ in VIOLATIONS:
        with (folder / file).open("a", encoding="utf-8") as victim:
            victim.write(f"\n{line}\n")
    for file, _ in NEW_MODULES:
        (folder / file).touch()
    answer = lint(folder)
    assert answer.returncode != 0, answer.stderr
    return by_contract(answer.stdout)


def module_of(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".")


def test_every_direction_holds() -> None:
    answer = lint(ROOT)
    assert answer.returncode == 0, answer.stdout
    assert by_contract(answer.stdout) == {}


@pytest.mark.parametrize(("file", "line", "contract"), VIOLATIONS, ids=[f"{v[0]} {v[1]}" for v in VIOLATIONS])
def test_a_planted_violation_breaks_its_contract(broken: dict[str, str], file: str, line: str, contract: str) -> None:
    imported = line.removeprefix("import ")
    if imported.split(".")[0] not in ("deploy", "annotation", "metrics"):
        imported = imported.split(".")[0]
    # The import alone, not as a link of a chain that another planted line made.
    alone = rf"^-\s+{re.escape(module_of(file))} -> {re.escape(imported)} \(l\.\d+\)\n(?!  )"
    assert re.search(alone, broken[contract], re.MULTILINE), broken[contract]


@pytest.mark.parametrize(("file", "contract"), NEW_MODULES, ids=[module[0] for module in NEW_MODULES])
def test_a_new_module_breaks_the_layers_until_it_has_a_place(broken: dict[str, str], file: str, contract: str) -> None:
    _, _, without_place = broken[contract].partition("The following modules are not listed as layers:")
    assert f"\n- {module_of(file)}\n" in without_place


def test_each_contract_has_a_planted_violation() -> None:
    assert {contract["name"] for contract in contracts()} == {contract for *_, contract in VIOLATIONS}


def test_no_contract_lists_more_names_than_a_reader_takes_in() -> None:
    for contract in contracts():
        entries = contract.get("layers", []) + contract.get("forbidden_modules", []) + contract.get("modules", [])
        assert sum(len(entry.split("|")) for entry in entries) <= MAX_NAMES, contract["id"]
