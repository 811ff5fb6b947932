"""Amounts on the page as their currency writes them, whole minor units inside."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from annotation.exceptions import DesignError
from annotation.pricing.currency import (
    DEFAULT_CURRENCY,
    currency_choices,
    currency_label,
    is_currency,
    parse_amount,
    plain_amount,
)


class MoneyField(forms.CharField):
    """An amount in the form's currency; its value is whole minor units. `label_with`: its label, with {} for that."""

    def __init__(self, *, label_with: Any, currency: str = DEFAULT_CURRENCY, **kwargs: Any) -> None:
        super().__init__(**{"max_length": 20, **kwargs})
        self.label_with = label_with
        self.widget.attrs.setdefault("inputmode", "decimal")
        self.use(currency)

    def use(self, currency: str) -> None:
        """Read and show amounts of this currency."""
        self.currency = currency
        self.label = str(self.label_with) % {"currency": currency_label(currency)}

    def clean(self, value: Any) -> int | None:
        text = super().clean(value)
        if not text:
            return None
        try:
            return parse_amount(text, self.currency)
        except DesignError as error:
            raise ValidationError(str(error)) from error

    def prepare_value(self, value: Any) -> Any:
        return plain_amount(value, self.currency) if isinstance(value, int) else value


def currency_field() -> forms.ChoiceField:
    """The choice of a study's currency."""
    return forms.ChoiceField(
        label=_("Currency"),
        choices=currency_choices,
        initial=DEFAULT_CURRENCY,
        required=False,
        help_text=_("Of every amount of this study. Amounts are never converted. Fixed once tasks exist."),
    )


def use_currency(form: forms.Form, currency: str) -> None:
    """Let the amounts of `form` be in `currency`, or in the one that was posted with them."""
    posted = str(form.data.get("currency", "")) if form.is_bound and "currency" in form.fields else ""
    for field in form.fields.values():
        if isinstance(field, MoneyField):
            field.use(posted if is_currency(posted) else currency)
