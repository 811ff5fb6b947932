"""A batch: its template, its table and the properties of its HITs; and a reviewed file."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.console.forms.durations import DAY, MINUTE, SpanField
from annotation.console.forms.money import MoneyField
from annotation.console.forms.upload_field import UploadField
from annotation.exceptions import DesignError
from annotation.hits.batches.template import decode_template
from annotation.importing import texts_upload


class NewBatch(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=100, help_text=_("Shown to you only."))
    template = forms.FileField(
        label=_("Template (HTML)"), help_text=_("The HTML of a task, with ${variables} where the table's cells go.")
    )
    table = UploadField(
        label=_("Table (CSV)"),
        help_text=_("One row is one task. The header names the variables, without ${}."),
        validators=[texts_upload.check_size],
    )
    literal = forms.CharField(
        label=_("Leave as written (optional)"),
        required=False,
        max_length=2000,
        help_text=_("Names in ${} that belong to scripts of the template, with commas between them."),
    )
    title = forms.CharField(label=_("Title"), max_length=128, help_text=_("What workers read in the list of tasks."))
    description = forms.CharField(label=_("Description"), max_length=2000)
    keywords = forms.CharField(label=_("Keywords"), max_length=1000, required=False)
    reward_cents = MoneyField(label_with=_("Reward per assignment (%(currency)s)"), required=True)
    max_assignments = forms.IntegerField(label=_("Assignments per task"), min_value=1, max_value=10_000, initial=1)
    assignment_seconds = SpanField(
        label=_("Minutes per assignment"), unit=MINUTE, min_seconds=30, max_seconds=365 * DAY, initial=60 * MINUTE
    )
    lifetime_seconds = SpanField(
        label=_("Days until tasks expire"), unit=DAY, min_seconds=30, max_seconds=365 * DAY, initial=7 * DAY
    )
    auto_approval_seconds = SpanField(
        label=_("Days until automatic approval"), unit=DAY, min_seconds=0, max_seconds=30 * DAY, initial=3 * DAY
    )

    def clean_template(self) -> str:
        try:
            return decode_template(self.cleaned_data["template"].read())
        except DesignError as error:
            raise forms.ValidationError(str(error)) from None

    def clean_literal(self) -> tuple[str, ...]:
        names = (name.strip().removeprefix("${").removesuffix("}") for name in self.cleaned_data["literal"].split(","))
        return tuple(name for name in names if name)


class ReviewedFile(forms.Form):
    file = UploadField(
        label=_("Reviewed results (CSV)"),
        help_text=_(
            "The results file with X under Approve, or a reason under Reject. You confirm before it is applied."
        ),
        validators=[texts_upload.check_size],
    )
