"""Minutes or days on the page, seconds inside; a day on the page, its first moment (UTC) inside."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

MINUTE, DAY = 60, 86_400


class SpanField(forms.DecimalField):
    """A span of time in its `unit` (seconds of one); its value is whole seconds. least, most: seconds."""

    def __init__(self, *, unit: int, min_seconds: int, max_seconds: int, **kwargs: Any) -> None:
        super().__init__(max_digits=12, **kwargs)
        self.unit, self.min_seconds, self.max_seconds = unit, min_seconds, max_seconds
        self.widget.attrs.setdefault("inputmode", "decimal")

    def clean(self, value: Any) -> int | None:
        amount = super().clean(value)
        if amount is None:
            return None
        seconds = round(amount * self.unit)
        if not self.min_seconds <= seconds <= self.max_seconds:
            shown_min, shown_max = self.prepare_value(self.min_seconds), self.prepare_value(self.max_seconds)
            raise forms.ValidationError(_("From %(least)s to %(most)s.") % {"least": shown_min, "most": shown_max})
        return seconds

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, int):
            return value
        return f"{Decimal(value) / self.unit:.4f}".rstrip("0").rstrip(".")


class FutureDayField(forms.DateField):
    """A day that is still to come, or none."""

    widget = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})

    def clean(self, value: Any) -> datetime | None:
        day: date | None = super().clean(value)
        if day is None:
            return None
        if day <= timezone.now().date():
            raise forms.ValidationError(_("That day is not in the future."))
        return datetime.combine(day, time(), UTC)

    def prepare_value(self, value: Any) -> Any:
        return value.date() if isinstance(value, datetime) else value
