"""Training items: a paragraph, a practice text, a practice pair; and a file of them."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from annotation.common.upload_limits import MIB, TRAINING_MIB
from annotation.console.forms.upload_field import UploadField
from annotation.design.training_file import MAX_CHARS
from annotation.design.training_items import Item
from annotation.design.wording import Practice, PracticePair
from annotation.importing import texts_upload

MAX_BYTES = TRAINING_MIB * MIB
SOURCES = (("human", _("A person")), ("machine", _("A machine")))


def check_size(file: UploadedFile[Any]) -> None:
    """Raise ValidationError for a file that no training can fill."""
    if (file.size or 0) > MAX_BYTES:
        raise ValidationError(
            _("The file is larger than %(size)s MB. Training items are a few short texts."),
            params={"size": TRAINING_MIB},
        )


def _text(label: Any, rows: int, help_text: Any = "", *, required: bool = True) -> forms.CharField:
    area = forms.Textarea(attrs={"rows": rows})
    return forms.CharField(label=label, required=required, max_length=MAX_CHARS, widget=area, help_text=help_text)


def _even(text: str) -> str:
    """`text` with one kind of line break: browsers send another than files hold."""
    return text.replace("\r\n", "\n")


class _Item:
    """What the forms of the three kinds share."""

    cleaned_data: dict[str, str]

    def values(self) -> dict[str, str]:
        """The fields of the item."""
        return {name: _even(value) for name, value in self.cleaned_data.items()}


class InstructionForm(_Item, forms.Form):
    text = _text(_("Paragraph"), 4, _("One piece of advice. Participants see the paragraphs as a list."))

    @classmethod
    def initial_of(cls, item: Item) -> dict[str, Any]:
        return {"text": item}

    def item(self) -> Item:
        return self.values()["text"]


class PracticeForm(_Item, forms.Form):
    text = _text(_("Text"), 5, _("Participants judge it as they will judge the texts of the study."))
    source = forms.ChoiceField(label=_("Who wrote it"), choices=SOURCES, widget=forms.RadioSelect)
    context = _text(
        _("Context (optional)"), 2, _("What the text answers or continues. Shown above it."), required=False
    )
    explanation = _text(_("Explanation"), 3, _("Shown after the answer: how one can see who wrote the text."))

    @classmethod
    def initial_of(cls, item: Any) -> dict[str, Any]:
        return {name: getattr(item, name) for name in ("text", "source", "context", "explanation")}

    def item(self) -> Item:
        return Practice(**self.values())


class PairForm(_Item, forms.Form):
    human = _text(_("Text by a person"), 5)
    machine = _text(_("Text by a machine"), 5)
    context = _text(_("Context (optional)"), 2, _("The prompt of both texts. Shown above them."), required=False)
    explanation = _text(
        _("Explanation"),
        3,
        _(
            "Shown after the answer. Write {human} and {machine} for the two texts. Each participant reads the side "
            "where they see that text."
        ),
    )

    @classmethod
    def initial_of(cls, item: Any) -> dict[str, Any]:
        return {name: getattr(item, name) for name in ("human", "machine", "context", "explanation")}

    def item(self) -> Item:
        return PracticePair(**self.values())


ITEM_FORMS: dict[str, type[Any]] = {"instructions": InstructionForm, "examples": PracticeForm, "comparison": PairForm}


class ImportTraining(forms.Form):
    """A file of items for all trainings."""

    file = UploadField(
        max_mib=TRAINING_MIB,
        label=_("File of training items"),
        help_text=_("CSV or JSON Lines. All trainings can be in one file."),
        validators=[check_size, texts_upload.check_ending],
    )
    how = forms.ChoiceField(
        label=_("Items that the study has"),
        widget=forms.RadioSelect,
        initial="replace",
        choices=[
            ("replace", _("Replace the items of each training that is in the file")),
            ("append", _("Keep them and add those of the file after them")),
        ],
    )
