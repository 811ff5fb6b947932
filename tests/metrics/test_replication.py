"""The figures of others are those that Assay gives on their data, and the page says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.benchmarks.replication.__main__ import PAGE
from tests.benchmarks.replication.page import Row, replicate, write

pytestmark = pytest.mark.needs_data


@pytest.fixture(scope="module")
def parts(data_dir: Path) -> list[list[Row]]:
    return replicate(data_dir)


def test_the_page_is_what_the_data_give(parts: list[list[Row]]) -> None:
    assert write(parts) == PAGE.read_text(encoding="utf-8")


def test_no_figure_differs(parts: list[list[Row]]) -> None:
    assert [row.figure.what for part in parts for row in part if not row.is_same] == []


def test_a_figure_that_is_off_in_its_last_decimal_is_named(parts: list[list[Row]]) -> None:
    first = parts[0][0]
    planted = replace(first, figure=replace(first.figure, printed="0.54"))
    page = write([[planted, *parts[0][1:]], *parts[1:]])
    assert "53 figures, 1 differences." in page
    assert "| 0.54 | 0.53 (differs) |" in page
