"""How cells and messages are written: intervals that stay whole, errors without their code, names with dots."""

from __future__ import annotations

import pytest

from annotation.console.forms.studies import StudyNameField
from annotation.console.templatetags.console import unbroken_intervals, without_code


def test_the_interval_of_a_cell_stays_on_one_line() -> None:
    shown = unbroken_intervals("12.5% [10.1, 15.2] <b>")
    assert '<span class="whole">[10.1, 15.2]</span>' in shown
    assert "&lt;b&gt;" in shown


@pytest.mark.parametrize(
    ("problem", "shown"),
    [
        ("InsufficientFunds: the account holds $0.40.", "the account holds $0.40."),
        ("Row 3: no text", "Row 3: no text"),
        ("–", "–"),
    ],
)
def test_an_error_is_shown_without_its_code(problem: str, shown: str) -> None:
    assert without_code(problem) == shown


def test_a_form_takes_the_names_that_the_model_takes() -> None:
    assert StudyNameField().clean("headlines-v1.2_b") == "headlines-v1.2_b"
