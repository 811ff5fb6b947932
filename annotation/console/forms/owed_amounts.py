"""Who is in a payout file, what is marked as sent, and until when ids are stored."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

MAX_CHOSEN = 10_000


class ChosenPayouts(forms.Form):
    """The people of a new file, by their worker ids."""

    chosen = forms.MultipleChoiceField(
        label=_("Participants"), error_messages={"required": _("Choose at least one participant.")}
    )
    unpaid = forms.BooleanField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, worker_ids: tuple[str, ...] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["chosen"].choices = [(worker_id, worker_id) for worker_id in worker_ids]  # type: ignore[attr-defined]


class SentAmounts(forms.Form):
    """The exact amounts that a page showed."""

    people = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    amount_minor = forms.IntegerField(min_value=0, widget=forms.HiddenInput)


class RetentionDate(forms.Form):
    retain_until = forms.DateField(
        label=_("Delete IDs on"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=_("Deleted at 00:00 UTC. Empty: stored until you delete them."),
    )

    once_until = forms.DateField(
        label=_("Sealed list until"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=_(
            "Optional. Until then, hashes of deleted IDs keep people from taking part twice. They lead to no answer."
        ),
    )

    def moment(self, name: str = "retain_until") -> datetime | None:
        """The beginning of the day."""
        day = self.cleaned_data[name]
        return datetime(day.year, day.month, day.day, tzinfo=timezone.get_default_timezone()) if day else None


class DeleteIds(forms.Form):
    """What the page showed, and the study's name typed."""

    workers = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    identities = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    name = forms.CharField(label=_("Study name"), max_length=100, help_text=_("Type it to confirm."))

    def __init__(self, *args: Any, study_name: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._study_name = study_name

    def clean_name(self) -> str:
        if self.cleaned_data["name"] != self._study_name:
            raise forms.ValidationError(_("Type the name exactly: %(name)s"), params={"name": self._study_name})
        return self._study_name
