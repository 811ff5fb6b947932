"""How long a link to a report lasts."""

from __future__ import annotations

from datetime import UTC, datetime, time

from django import forms


class Share(forms.Form):
    ends = forms.DateField(required=False)

    def clean_ends(self) -> datetime | None:
        """The end of that day (UTC); None: until it is revoked."""
        day = self.cleaned_data["ends"]
        return datetime.combine(day, time.max, UTC) if day else None
