"""Fixtures of the suite of `metrics` away from the checkout: those of tests/conftest.py that need no Django."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from playwright.sync_api import Browser

from tests.browsing import chromium

hypothesis.settings.register_profile("steady", derandomize=True, deadline=None)
hypothesis.settings.load_profile("steady")

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The real data beside the project."""
    if not DATA.is_dir():
        pytest.skip("the data folder ../shared/data is absent")
    return DATA


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium at `CHROMIUM`."""
    if not os.environ.get("CHROMIUM"):
        pytest.skip("set CHROMIUM to the path of a Chromium")
    with chromium(os.environ["CHROMIUM"]) as launched:
        yield launched
