"""The directions of import hold, and each contract notices a planted violation."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINT = Path(sys.executable).with_name("lint-imports")

# (file that is made to break the rule, the line planted there, the contract that must notice)
VIOLATIONS = [
    ("metrics/types.py", "import annotation.designs.tasks", "deploy imports annotation imports metrics, never back"),
    ("annotation/designs/tasks.py", "import deploy.urls", "deploy imports annotation imports metrics, never back"),
    ("metrics/types.py", "import django.utils.html", "metrics knows no framework, queue or cloud"),
    ("metrics/huse/estimate.py", "import celery", "metrics knows no framework, queue or cloud"),
    (
        "annotation/flows/publish.py",
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
        "the marketplace uses accounts and nothing else of ours",
    ),
    (
        "annotation/marketplace/apps.py",
        "import annotation.pricing.fees",
        "the marketplace uses accounts and nothing else of ours",
    ),
    (
        "annotation/marketplace/apps.py",
        "import metrics.types",
        "the marketplace uses accounts and nothing else of ours",
    ),
    (
        "annotation/crowd/sns.py",
        "import annotation.marketplace.notifications.keys",
        "nobody in annotation imports the marketplace",
    ),
    (
        "annotation/marketplace/notifications/keys.py",
        "import annotation.crowd.sns",
        "the marketplace uses accounts and nothing else of ours",
    ),
    ("annotation/accounts/vault.py", "import annotation.models", "accounts know neither room"),
    ("annotation/flows/publish.py", "import annotation.rehearsal.apps", "neither room imports the rehearsal"),
    ("annotation/marketplace/apps.py", "import annotation.rehearsal.apps", "neither room imports the rehearsal"),
    ("annotation/flows/publish.py", "import boto3", "boto3 has one importer"),
    ("annotation/marketplace/apps.py", "import boto3.session", "boto3 has one importer"),
    ("annotation/models/text.py", "import annotation.flows.publish", "doors, verbs, reads and borders, records"),
    ("annotation/designs/packing.py", "import annotation.flows.design", "doors, verbs, reads and borders, records"),
    ("annotation/overviews.py", "import annotation.console.places", "doors, verbs, reads and borders, records"),
    (
        "annotation/console/places.py",
        "import annotation.marketplace.apps",
        "nobody in annotation imports the marketplace",
    ),
    ("annotation/flows/publish.py", "import annotation.tasks", "doors, verbs, reads and borders, records"),
    ("annotation/flows/publish.py", "import annotation.flows.design", "verbs do not call verbs"),
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
    ("annotation/flows/publish.py", "import transformers", "torch and transformers stay out of the measures"),
]


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


@pytest.mark.parametrize(("file", "line", "contract"), VIOLATIONS, ids=[f"{v[0]} {v[1]}" for v in VIOLATIONS])
def test_a_planted_violation_breaks_its_contract(copy: Path, file: str, line: str, contract: str) -> None:
    victim = copy / file
    before = victim.read_text(encoding="utf-8")
    victim.write_text(f"{before}\n{line}\n", encoding="utf-8")
    try:
        found = lint(copy)
    finally:
        victim.write_text(before, encoding="utf-8")
    assert found.returncode != 0
    assert f"{contract} BROKEN" in found.stdout


def test_every_room_of_annotation_is_named_behind_the_wall() -> None:
    """A new room must be added to the wall from the marketplace, or the contract would not see it."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    wall = text.split('id = "wall-from-marketplace"')[1].split("[[tool")[0]
    rooms = {
        path.stem for path in (ROOT / "annotation").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    for room in rooms - {"__init__", "apps", "migrations", "accounts", "marketplace"}:
        assert f'"annotation.{room}"' in wall, f"annotation.{room} is not behind the wall"
