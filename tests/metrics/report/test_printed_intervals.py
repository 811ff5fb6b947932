"""What a report can print with an interval is counted in docs/validity.md, or named there as not counted."""

from __future__ import annotations

from tests.benchmarks.simulation_studies.printed_intervals import MEASURED, UNMEASURED, printed_columns
from tests.benchmarks.simulation_studies.validity import SIMULATED


def test_every_column_that_can_print_an_interval_has_a_row_or_a_reason():
    printed = set(printed_columns())
    assert len(printed) > 50
    assert printed - MEASURED.keys() - UNMEASURED.keys() == set()
    assert (MEASURED.keys() | UNMEASURED.keys()) - printed == set()


def test_no_column_is_in_both_and_each_row_is_in_a_section_that_is_simulated():
    assert MEASURED.keys() & UNMEASURED.keys() == set()
    assert set(MEASURED.values()) <= set(SIMULATED)
