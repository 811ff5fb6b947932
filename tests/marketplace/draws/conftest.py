"""A study of four cells on the marketplace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.marketplace.draws.studies import Study


@pytest.fixture
def study(lab: Any) -> Callable[..., Study]:
    """Publishes a study of several cells: study(cells=4, places=2, hits=1, tag="drawn", **parameters of its HITs)."""
    return lambda **changes: Study.publish(lab, **changes)
