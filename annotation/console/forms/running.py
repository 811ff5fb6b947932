"""What is asked while a study runs."""

from __future__ import annotations

from typing import Self

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from annotation.console.forms.money import MoneyField, use_currency
from annotation.models import Study
from annotation.pricing.wages import floor_for


class Floor(forms.Form):
    """A wage by the hour, in the study's currency."""

    floor = MoneyField(label_with=_("Minimum pay, %(currency)s per hour"))

    @classmethod
    def of(cls, study: Study, data: QueryDict | None = None) -> Self:
        """The floor that was sent; unsent, the study's. A study in another currency than dollars may have none."""
        form = cls(data, initial={"floor": floor_for(study.floor_cents, study.currency)})
        use_currency(form, study.currency)
        return form

    def cents(self) -> int | None:
        """The floor in minor units; to look at, the usual one where none, or nothing sensible, was given."""
        if self.is_bound and self.is_valid():
            return int(self.cleaned_data["floor"])
        floor: int | None = self.initial["floor"]
        return floor
