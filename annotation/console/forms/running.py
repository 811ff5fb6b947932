"""What is asked while a study runs."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.pricing.wages import DEFAULT_FLOOR_CENTS


class Floor(forms.Form):
    """A wage by the hour, in dollars."""

    floor = forms.DecimalField(
        label=_("Minimum pay, dollars per hour"), min_value=0, max_value=1000, decimal_places=2, initial="15.00"
    )

    def cents(self) -> int:
        """The floor in cents; to look at, the usual one where none, or nothing sensible, was given."""
        return int(self.cleaned_data["floor"] * 100) if self.is_bound and self.is_valid() else DEFAULT_FLOOR_CENTS
