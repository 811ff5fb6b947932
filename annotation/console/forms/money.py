"""Dollars on the page, cents inside."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms


class DollarField(forms.DecimalField):
    """An amount in dollars and cents; its value is whole cents."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"min_value": 0, "max_digits": 10, "decimal_places": 2, **kwargs})
        self.widget.attrs.setdefault("inputmode", "decimal")

    def clean(self, value: Any) -> int | None:
        dollars = super().clean(value)
        return None if dollars is None else int(dollars * 100)

    def prepare_value(self, value: Any) -> Any:
        return f"{Decimal(value) / 100:.2f}" if isinstance(value, int) else value
