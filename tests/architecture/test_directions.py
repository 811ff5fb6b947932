"""The directions of import hold, and each contract notices a planted violation."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINT = Path(sys.executable).with_name("lint-imports")

LAYERS = "annotation: subjects in the order of a study's life"

# (file that is made to break the rule, the line planted there, the contract that must notice)
VIOLATIONS = [
    (
        "metrics/types.py",
        "import annotation.design.task_types",
        "deploy imports annotation imports metrics, never back",
    ),
    ("annotation/design/task_types.py", "import deploy.urls", "deploy imports annotation imports metrics, never back"),
    ("metrics/types.py", "import django.utils.html", "metrics knows no framework, queue or cloud"),
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
    return subprocess.run(
        [LINT, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False, env={"PYTHONPATH": "."}
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("house")
    for package in ("deploy", "annotation", "metrics"):
        shutil.copytree(
            ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__", "*.npz", "static")
        )
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def test_every_direction_holds() -> None:
    found = lint(ROOT)
    assert found.returncode == 0, found.stdout


@pytest.fixture(scope="module")
def broken(copy: Path) -> Callable[[str], str]:
    """What the linter says of a copy in which all violations of one contract are planted; one run for each contract."""

    @cache
    def lint_with(contract: str) -> str:
        victims = [(copy / file, line) for file, line, named in VIOLATIONS if named == contract]
        before = {victim: victim.read_text(encoding="utf-8") for victim, _ in victims}
        for victim, line in victims:
            victim.write_text(f"{victim.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")
        try:
            return lint(copy).stdout
        finally:
            for victim, text in before.items():
                victim.write_text(text, encoding="utf-8")

    return lint_with


@pytest.mark.parametrize(("file", "line", "contract"), VIOLATIONS, ids=[f"{v[0]} {v[1]}" for v in VIOLATIONS])
def test_a_planted_violation_breaks_its_contract(
    broken: Callable[[str], str], file: str, line: str, contract: str
) -> None:
    output = broken(contract)
    assert f"{contract} BROKEN" in output
    importer, imported = file.removesuffix(".py").replace("/", "."), line.removeprefix("import ")
    # Of a package from outside only the name is printed.
    named = imported if imported.split(".")[0] in ("annotation", "deploy", "metrics") else imported.split(".")[0]
    assert re.search(rf"{re.escape(importer)} -> {re.escape(named)}\b", output)


@pytest.fixture(scope="module")
def output_of_new_modules(copy: Path) -> str:
    for file, _ in NEW_MODULES:
        (copy / file).touch()
    try:
        return lint(copy).stdout
    finally:
        for file, _ in NEW_MODULES:
            (copy / file).unlink()


@pytest.mark.parametrize(("file", "contract"), NEW_MODULES, ids=[planted[0] for planted in NEW_MODULES])
def test_a_new_module_breaks_the_layers_until_it_has_a_place(
    output_of_new_modules: str, file: str, contract: str
) -> None:
    assert f"{contract} BROKEN" in output_of_new_modules
    assert file.removesuffix(".py").replace("/", ".") in output_of_new_modules


def test_no_contract_lists_more_names_than_a_reader_takes_in() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    for contract in contracts:
        entries = contract.get("layers", []) + contract.get("forbidden_modules", []) + contract.get("modules", [])
        assert sum(len(entry.split("|")) for entry in entries) <= MAX_NAMES, contract["id"]
