"""A new study, and who works on it."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.accounts.models import User
from annotation.design.presets import PRESETS
from annotation.importing import texts_upload
from annotation.models import Role, Study

TASKS = {
    "huse-2019": _("How typical is each text? For HUSE"),
    "clark-2021": _("Human or machine? With or without training"),
    "frequency-calibration": _("How typical is each reference? To calibrate by frequency"),
}


def _told(name: str) -> str:
    return f"{TASKS[name]} ({PRESETS[name].source})"


NOBODY = _(
    "Nobody of that name can sign in here. “manage.py sign_in_link NAME --create” makes an account and its first link."
)
PLAIN_NAME = {"invalid": _("Use letters a to z, digits, dashes and underscores only, no spaces.")}


class NewStudy(forms.Form):
    name = forms.SlugField(
        label=_("Name"),
        max_length=100,
        help_text=_("Letters, digits, dashes and underscores; for you and the report."),
        error_messages=PLAIN_NAME,
    )
    preset = forms.ChoiceField(
        label=_("Begin with the design of"), choices=[(name, _told(name)) for name in PRESETS], widget=forms.RadioSelect
    )
    mode = forms.ChoiceField(
        label=_("Mode"),
        widget=forms.RadioSelect,
        initial="rehearsal",
        choices=[
            ("rehearsal", _("Rehearsal: simulated people, play money")),
            ("live", _("Live: real participants")),
        ],
    )
    question = forms.CharField(
        label=_("What do you want to find out?"), required=False, help_text=_("One sentence; the report prints it.")
    )
    noun = forms.CharField(
        label=_("What is one text called?"), max_length=40, initial="text", help_text=_("headline, reply, story ...")
    )
    nouns = forms.CharField(
        label=_("And several?"),
        max_length=40,
        required=False,
        help_text=_("stories ...; empty: the regular English plural"),
    )


class ImportBatch(forms.Form):
    name = forms.SlugField(label=_("Name of the study"), max_length=100, error_messages=PLAIN_NAME)
    file = forms.FileField(
        label=_("Batch results (CSV)"),
        help_text=_(
            "As Mechanical Turk wrote them; the released HUSE batch is recognised by its columns. "
            "Another layout takes a mapping, which the command manage.py import_batch reads."
        ),
        validators=[texts_upload.check_size],
    )

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if Study.objects.filter(name=name).exists():
            raise forms.ValidationError(_("There is already a study of that name."))
        return name


class Enrol(forms.Form):
    """Somebody by name, and what they may do."""

    user = forms.CharField(label=_("Name of the person"), max_length=150)
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices, initial=Role.REVIEWER)

    def clean_user(self) -> User:
        found = User.objects.filter(username=self.cleaned_data["user"], is_active=True).first()
        if found is None:
            raise forms.ValidationError(NOBODY)
        return found
