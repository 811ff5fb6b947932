"""Fixtures that several rooms share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The real data beside the project; absent, the test is skipped (or fails where ASSAY_REQUIRE_DATA=1)."""
    if DATA.is_dir():
        return DATA
    if os.environ.get("ASSAY_REQUIRE_DATA") == "1":
        pytest.fail(f"ASSAY_REQUIRE_DATA=1, but the data folder {DATA} is absent")
    pytest.skip("the data folder ../shared/data is absent")
