"""Another name for a study, and a copy of it."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

NAME_RULE = _("Letters, digits, dots, dashes and underscores only.")


class RenameStudy(forms.Form):
    name = forms.CharField(label=_("New name"), max_length=100, help_text=NAME_RULE)


class CopyStudy(forms.Form):
    copy_name = forms.CharField(label=_("Name of the copy"), max_length=100, help_text=NAME_RULE)
    with_texts = forms.BooleanField(
        label=_("Copy the texts, with their log probabilities and selection"), required=False, initial=True
    )
    keep_seed = forms.BooleanField(
        label=_("Keep the random seed"),
        required=False,
        help_text=_("With the same seed and texts, the copy gets the same tasks. Otherwise a new seed is drawn."),
    )
