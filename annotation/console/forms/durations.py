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

    def __init__(self, *, unit: int, least: int, most: int, **kwargs: Any) -> None:
        super().__init__(max_digits=12, **kwargs)
        self.unit, self.least, self.most = unit, least, most
        self.widget.attrs.setdefault("inputmode", "decimal")

    def clean(self, value: Any) -> int | None:
        given = super().clean(value)
        if given is None:
            return None
        seconds = round(given * self.unit)
        if not self.least <= seconds <= self.most:
            least, most = self.prepare_value(self.least), self.prepare_value(self.most)
            raise forms.ValidationError(_("From %(least)s to %(most)s.") % {"least": least, "most": most})
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
