"""Texts in: a file, what it calls things, and the rules by which they are chosen."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.console.forms.several_files import SeveralFilesField, SeveralFilesInput
from annotation.console.forms.upload_field import UploadField
from annotation.importing import texts_upload
from annotation.jobs import uploads
from annotation.readers.problem_codes import ALLOWABLE, PROBLEM_NAMES

DELIMITERS = (
    ("", _("Detect from the file")), (",", _("Commas")), (";", _("Semicolons")), ("\t", _("Tabs")), ("|", _("Pipes")),
)  # fmt: skip
ENCODINGS = (
    ("", _("UTF-8, or by the first bytes of the file")),
    ("cp1252", _("Windows-1252 (Excel in Western Europe and America)")),
    ("cp1250", _("Windows-1250 (Central Europe)")),
    ("cp1251", _("Windows-1251 (Cyrillic)")),
    ("mac_roman", _("Mac Roman")),
    ("utf-16-le", _("UTF-16, little-endian")),
    ("utf-16-be", _("UTF-16, big-endian")),
    ("gb18030", "GB 18030"),
    ("big5", "Big5"),
    ("shift_jis", "Shift JIS"),
    ("euc_kr", "EUC-KR"),
)


class UploadTexts(forms.Form):
    """A file of texts, and how it is to be read."""

    HOW = ("generator", "columns", "sources", "encoding", "delimiter", "allow")
    file = UploadField(
        label=_("File of texts"),
        required=False,
        help_text=_(
            "Drop a file here: CSV, Excel, OpenDocument, Parquet, JSON or JSON Lines. You choose its columns next."
        ),
        validators=[texts_upload.check_size, texts_upload.check_ending],
    )
    folder = SeveralFilesField(
        label=_("Or a folder saved by the datasets library"),
        required=False,
        widget=SeveralFilesInput(attrs={"webkitdirectory": True}),
        validators=[texts_upload.check_size],
    )
    joined = UploadField(
        label=_("Second file with the prompts"),
        required=False,
        help_text=_("Only where the file of texts names its prompts by ID, as MT-Bench does."),
        validators=[texts_upload.check_size, texts_upload.check_ending],
    )
    generator = forms.CharField(
        label=_("Generator"),
        required=False,
        max_length=texts_upload.MAX_GENERATOR_CHARS,
        help_text=_("For model texts that name no generator."),
    )
    likelihoods = UploadField(
        label=_("File of log-probabilities"),
        required=False,
        help_text=_(
            "Needed for HUSE where two or more generators share their references: each reference has a log-probability "
            "under each generator. Columns: text, generator, log_prob."
        ),
        validators=[texts_upload.check_size],
    )
    columns = forms.CharField(
        label=_("Names of columns in your file"), required=False, widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("One per line, our name = name in the file. For example text = sentence"),
    )  # fmt: skip
    sources = forms.CharField(
        label=_("Names of sources in your file"), required=False, widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("One per line, name in the file = reference or model. For example human = reference"),
    )  # fmt: skip
    encoding = forms.ChoiceField(
        label=_("Encoding"), required=False, choices=ENCODINGS,
        help_text=_("Try another one if the check finds garbled characters."),
    )  # fmt: skip
    delimiter = forms.ChoiceField(label=_("Separator"), required=False, choices=DELIMITERS)
    allow = forms.MultipleChoiceField(
        label=_("Treat these problems as warnings"), required=False, widget=forms.CheckboxSelectMultiple,
        choices=[(str(code), f"{PROBLEM_NAMES[code]} ({code})") for code in sorted(ALLOWABLE)],
    )  # fmt: skip

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and not cleaned.get("file") and not cleaned.get("folder"):
            self.add_error("file", self.fields["file"].error_messages["required"])
        return cleaned

    def stored_files(self) -> dict[str, str]:
        """Store the uploads until the job has read them; where each lies."""
        files = {name: self.cleaned_data[name] for name in ("likelihoods", "joined") if self.cleaned_data[name]}
        paths = {name: str(uploads.keep(file)) for name, file in files.items()}
        file = self.cleaned_data["file"]
        path = uploads.keep(file) if file else uploads.keep_folder(self.cleaned_data["folder"])
        return {**paths, "path": str(path)}

    def clean_columns(self) -> dict[str, str]:
        return texts_upload.parse_columns(self.cleaned_data["columns"])

    def clean_sources(self) -> dict[str, str]:
        return texts_upload.parse_sources(self.cleaned_data["sources"])


class SelectTexts(forms.Form):
    """The rules used most; the command `select_texts` has them all."""

    no_duplicates = forms.BooleanField(label=_("Remove duplicate texts"), required=False)
    minimum_words = forms.IntegerField(label=_("Minimum words"), required=False, min_value=1)
    maximum_words = forms.IntegerField(label=_("Maximum words"), required=False, min_value=1)
    truncate = forms.IntegerField(
        label=_("Cut after the sentence that reaches this number of words"), required=False, min_value=1
    )
    pairs = forms.BooleanField(label=_("Keep only contexts with both a reference and a model text"), required=False)
    exclude = forms.CharField(
        label=_("Exclude individual texts"), required=False, widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("One per line, ID = reason"),
    )  # fmt: skip
    drop_log_probs = forms.BooleanField(
        label=_("Delete log-probabilities of texts that are cut (they belong to the full text)"), required=False
    )

    def clean_exclude(self) -> dict[str, str]:
        return texts_upload.parse_pairs(self.cleaned_data["exclude"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and not self.steps():
            raise forms.ValidationError(_("Choose at least one rule."))
        return cleaned

    def steps(self) -> list[dict[str, Any]]:
        """The rules as a selection takes them, in the order of the page."""
        fields = self.cleaned_data
        steps: list[dict[str, Any]] = [{"rule": "duplicates"}] if fields.get("no_duplicates") else []
        steps += [
            {"rule": name.replace("_", "-"), "words": fields[name]}
            for name in ("minimum_words", "maximum_words")
            if fields.get(name)
        ]
        if fields.get("exclude"):
            steps.append({"rule": "exclude", "texts": fields["exclude"]})
        if fields.get("truncate"):
            steps.append({"rule": "truncate", "words": fields["truncate"]})
        if fields.get("pairs"):
            steps.append({"rule": "pairs"})
        return steps
