"""A new study, and who works on it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.accounts.models import User
from annotation.console.forms.money import currency_field
from annotation.console.forms.upload_field import UploadField
from annotation.design.presets import PRESETS
from annotation.importing import texts_upload
from annotation.models import Role, Study
from annotation.pricing.currency import DEFAULT_CURRENCY


def _preset_label(name: str) -> str:
    return f"{PRESETS[name].label} ({PRESETS[name].source})"


UNKNOWN_USER = _(
    "No active user has this name. To create an account and its first link, run “manage.py sign_in_link NAME --create”."
)
PLAIN_NAME = {"invalid": _("Use letters, digits, dots, dashes and underscores only, no spaces.")}


class StudyNameField(forms.RegexField):
    """The name of a study, by the model's rule, with a message of the form's own."""

    def __init__(self, **options: Any) -> None:
        super().__init__(Study.NAME_PATTERN, max_length=100, error_messages=PLAIN_NAME, **options)


class NewStudy(forms.Form):
    name = StudyNameField(
        label=_("Name"),
        help_text=_("Letters, digits, dots, dashes and underscores only. Shown to you and in the report."),
    )
    preset = forms.ChoiceField(
        label=_("Start from a template"),
        choices=[(name, _preset_label(name)) for name in PRESETS],
        widget=forms.RadioSelect,
    )
    mode = forms.ChoiceField(
        label=_("Mode"),
        widget=forms.RadioSelect,
        initial="rehearsal",
        choices=[
            ("rehearsal", _("Rehearsal: simulated raters, play money")),
            ("live", _("Live: real participants")),
        ],
    )
    currency = currency_field()
    question = forms.CharField(
        label=_("Research question"), required=False, help_text=_("One sentence. It is printed in the report.")
    )
    noun = forms.CharField(
        label=_("Name for one text"), max_length=40, initial="text", help_text=_("For example headline, reply or story")
    )
    nouns = forms.CharField(
        label=_("Plural (optional)"),
        max_length=40,
        required=False,
        help_text=_("For example stories. Empty: the regular English plural."),
    )

    def clean_currency(self) -> str:
        return str(self.cleaned_data["currency"]) or DEFAULT_CURRENCY


class ImportBatch(forms.Form):
    name = StudyNameField(label=_("Study name"))
    file = UploadField(
        label=_("Batch results (CSV)"),
        help_text=_(
            "As Mechanical Turk wrote them. The released HUSE batch is recognized by its columns. "
            "For other columns, add a mapping, or import the file as ratings."
        ),
        validators=[texts_upload.check_size],
    )
    mapping = UploadField(
        label=_("Mapping (TOML)"),
        required=False,
        help_text=_("Says which columns hold texts and answers. docs/import.md explains it."),
        validators=[texts_upload.check_size],
    )

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if Study.objects.filter(name=name).exists():
            raise forms.ValidationError(_("A study with this name exists. Choose another name."))
        return name


class ImportRatings(ImportBatch):
    mapping = None  # type: ignore[assignment]  # its columns are chosen on the next page
    file = UploadField(
        label=_("File of ratings"),
        help_text=_(
            "Drop a file here: CSV, Excel, OpenDocument, Parquet, JSON or JSON Lines. You choose its columns next."
        ),
        validators=[texts_upload.check_size, texts_upload.check_ending],
    )


class Enrol(forms.Form):
    """Somebody by name, and what they may do."""

    user = forms.CharField(label=_("User name"), max_length=150)
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices, initial=Role.REVIEWER)

    def clean_user(self) -> User:
        user = User.objects.filter(username=self.cleaned_data["user"], is_active=True).first()
        if user is None:
            raise forms.ValidationError(UNKNOWN_USER)
        return user
