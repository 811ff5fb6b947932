"""A list of workers from elsewhere."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.console.forms.upload_field import UploadField
from annotation.importing import texts_upload


class ImportWorkers(forms.Form):
    file = UploadField(
        label=_("List of workers (CSV)"),
        help_text=_(
            "A column “worker” with their IDs; “qualification: NAME” for each score; “block” with a reason. "
            "The list of workers that Mechanical Turk's requester site wrote is read as it is."
        ),
        validators=[texts_upload.check_size],
    )
