"""A person whose records are shown or erased."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

MAX_NAME = 254


class FindPerson(forms.Form):
    name = forms.CharField(
        label=_("Person"),
        max_length=MAX_NAME,
        help_text=_("Worker ID, panel ID, email address, completion code or pseudonym."),
    )
    reason = forms.CharField(
        label=_("Reason"), max_length=200, help_text=_("For the log, such as: request by the person.")
    )


class ErasePerson(FindPerson):
    answers = forms.ChoiceField(
        label=_("Answers"),
        choices=[
            ("erase", _("Erase what the person submitted, too")),
            ("keep", _("Keep ratings and comments, under a pseudonym that leads to no person")),
        ],
        widget=forms.RadioSelect,
    )
    unpaid = forms.BooleanField(label=_("Erase although the person is still owed money"), required=False)
    sure = forms.BooleanField(label=_("I know that this cannot be undone"))
