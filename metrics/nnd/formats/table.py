"""Any annotations as a CSV or DataFrame with one candidate a row, and an order of its labels or numbers."""

from __future__ import annotations

from metrics.data.csv_files import TableSource
from metrics.nnd.build import Options, build_tests
from metrics.nnd.candidate_rows import read_candidates
from metrics.nnd.orders import Order
from metrics.nnd.records import TestSet


def table_tests(path: TableSource, order: Order, *, options: Options | None = None) -> TestSet:
    """Tests from a CSV or DataFrame as `read_candidates` reads it. Raises BadInput, InsufficientData."""
    candidates = read_candidates(path, order)
    return build_tests(candidates, order, "table", options=options, settings={"order": type(order).__name__.lower()})
