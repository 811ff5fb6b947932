"""`import metrics` and its measures bring numpy and nothing heavier."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HEAVY = ("django", "celery", "boto3", "botocore", "torch", "transformers", "plotly", "sklearn", "scipy", "pandas")


def test_import_metrics_loads_no_framework_and_no_heavy_library():
    modules = "metrics, metrics.likelihood, metrics.generation, metrics.__main__"
    code = f"import sys, {modules}; print([name for name in {HEAVY} if name in sys.modules])"
    root = Path(__file__).resolve().parents[2]
    loaded = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


def test_the_public_names_load_no_framework_and_no_heavy_library():
    code = "import sys, metrics; [getattr(metrics, name) for name in metrics.__all__]; "
    code += f"print([name for name in {HEAVY} if name in sys.modules])"
    root = Path(__file__).resolve().parents[2]
    loaded = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"
