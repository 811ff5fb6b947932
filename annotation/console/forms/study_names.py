"""Another name for a study, a copy of it, and a study that repeats it."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Replication

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


class RepeatStudy(forms.Form):
    repeat_name = forms.CharField(label=_("Name of the new study"), max_length=100, help_text=NAME_RULE)
    people = forms.ChoiceField(
        label=_("Who may take part"),
        choices=[
            (Replication.People.ANYONE, _("Anyone")),
            (Replication.People.OTHERS, _("Only people who did not take part in this study")),
            (Replication.People.SAME, _("Only people who took part in this study")),
        ],
        initial=Replication.People.ANYONE,
        help_text=_("Workers with accounts are recognized. People who come by an open link or from Prolific are not."),
    )
    anchors = forms.IntegerField(
        label=_("Contexts to repeat"),
        min_value=1,
        required=False,
        help_text=_(
            "Empty: all. A number: that many are drawn at random as anchors (texts, where there are no contexts)."
        ),
    )
