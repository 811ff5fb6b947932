"""Which column of somebody's file holds what: menus that begin with a guess."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.console.forms.texts import DELIMITERS, ENCODINGS
from annotation.readers.foreign import ratings_mapping, text_mapping
from annotation.readers.foreign.look import FileLook
from annotation.readers.foreign.ratings_mapping import RatingsMapping
from annotation.readers.foreign.text_mapping import MORE, TextMapping

SAMPLE = 40
FORM_FIELDS = ("encoding", "delimiter", "sheet")
SIDES = (
    ("column", _("A column says who wrote each text")),
    ("model", _("All texts are by models")),
    ("reference", _("All texts are by people")),
)


def column_choices(look: FileLook) -> list[tuple[str, str]]:
    """The columns, each with the beginning of what it holds."""
    return [("", "–"), *((column.name, _labeled(column.name, column.sample)) for column in look.columns)]


def _labeled(name: str, sample: str) -> str:
    shown = sample if len(sample) <= SAMPLE else f"{sample[:SAMPLE]}…"
    return f"{name}: {shown}" if shown else name


class ChoosesColumns:
    """What every such form has: columns to choose from, words that mean people, and how the file's bytes are read."""

    def __init__(self, *args: Any, look: FileLook, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.look = look
        self.fields: dict[str, Any]
        self.fields |= _fields_of_form(look)
        choices = column_choices(look)
        for name, field in self.fields.items():
            if isinstance(field, forms.MultipleChoiceField) and name != "references":
                field.choices = choices[1:]
            elif isinstance(field, forms.ChoiceField) and not field.choices:
                field.choices = choices
        chosen, ticked = self._value("source"), self._value("references") or ()
        column = look.column(chosen) if isinstance(chosen, str) else None
        words = list(column.words) if column else []
        words += [word for word in self.initial.get("references", ()) if word in ticked and word not in words]  # type: ignore[attr-defined]
        self.fields["references"].choices = [(word, word) for word in words]

    def _value(self, name: str) -> Any:
        return self[name].value()  # type: ignore[index]

    def chosen_values(self, names: Sequence[str]) -> dict[str, Any]:
        """What was chosen, as a mapping stores it."""
        cleaned: dict[str, Any] = self.cleaned_data  # type: ignore[attr-defined]
        return {name: list(value) if isinstance(value := cleaned[name], list) else value for name in names}

    def form_of_file(self) -> dict[str, str]:
        """How the file's bytes are to be read, as chosen."""
        cleaned: dict[str, Any] = self.cleaned_data  # type: ignore[attr-defined]
        return {name: cleaned.get(name) or "" for name in FORM_FIELDS}

    def with_errors(self, names: Sequence[str]) -> list[str]:
        """The names, and those of other fields that are wrong: what is wrong is shown."""
        errors: Mapping[str, Any] = self.errors if self.is_bound else {}  # type: ignore[attr-defined]
        shown_elsewhere = ("shape", "name", *FORM_FIELDS)
        return [*names, *(name for name in errors if name in self.fields and name not in (*names, *shown_elsewhere))]

    def hidden(self) -> list[Any]:
        """The fields that are not shown, so that no choice is lost while others change."""
        main, other = self.shown()  # type: ignore[attr-defined]
        names = {field.name for field in (*main, *other)} | {"shape", "name", *FORM_FIELDS}
        return [self[name] for name in self.fields if name not in names]  # type: ignore[index]

    def reading(self) -> list[Any]:
        """The fields that say how the file's bytes are read."""
        return [self[name] for name in FORM_FIELDS if name in self.fields]  # type: ignore[index]


def _fields_of_form(look: FileLook) -> dict[str, forms.Field]:
    fields: dict[str, forms.Field] = {}
    if look.container in ("csv", "json lines"):
        fields["encoding"] = forms.ChoiceField(label=_("Encoding"), required=False, choices=ENCODINGS)
        fields["delimiter"] = forms.ChoiceField(label=_("Separator"), required=False, choices=DELIMITERS)
    if look.sheets:
        sheets = [("", "–"), *((name, name) for name in look.sheets)]
        fields["sheet"] = forms.ChoiceField(label=_("Sheet"), required=False, choices=sheets)
    return fields


class MapTexts(ChoosesColumns, forms.Form):
    """How the columns of a file become texts."""

    shape = forms.ChoiceField(
        label=_("Each row holds"),
        choices=(("long", _("One text")), ("wide", _("Several texts side by side"))),
        widget=forms.RadioSelect,
    )
    text = forms.ChoiceField(label=_("Text"), required=False)
    side = forms.ChoiceField(label=_("Who wrote the texts"), choices=SIDES, required=False)
    source = forms.ChoiceField(label=_("Column with the writer"), required=False)
    references = forms.MultipleChoiceField(
        label=_("Words that mean a person"), required=False, widget=forms.CheckboxSelectMultiple
    )
    generator = forms.ChoiceField(label=_("Column with the model’s name"), required=False)
    generator_name = forms.CharField(label=_("Name of the model"), required=False, max_length=100)
    reference = forms.ChoiceField(label=_("Text by a person"), required=False)
    models = forms.MultipleChoiceField(
        label=_("Texts by models"), required=False, widget=forms.SelectMultiple(attrs={"size": 6})
    )
    context_text = forms.ChoiceField(label=_("Prompt or context"), required=False)
    context = forms.ChoiceField(label=_("ID of the prompt"), required=False)
    id = forms.ChoiceField(label=_("ID of the text"), required=False)
    domain = forms.ChoiceField(label=_("Domain"), required=False)
    log_prob = forms.ChoiceField(label=_("Log-probability"), required=False)
    length = forms.ChoiceField(label=_("Length"), required=False)
    length_unit = forms.ChoiceField(label=_("Unit of length"), required=False)
    name = forms.CharField(label=_("Save these choices as"), required=False, max_length=100)

    # Only what belongs to the chosen shape is asked for.
    LONG = ("text", "side", "source", "references", "generator", "generator_name")
    WIDE = ("reference", "models")
    BOTH = ("context_text",)
    OTHER = ("id", "context", "domain", "log_prob", "length", "length_unit")
    OUR_MORE = tuple(name for name in ("domain", "log_prob", "length", "length_unit"))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and (missing := text_mapping.missing_choice(self.mapping())):
            raise forms.ValidationError(missing)
        return cleaned

    def mapping(self, base: Mapping[str, Any] | None = None) -> TextMapping:
        """The chosen mapping. base: what no menu shows (a second file, further columns, the form of the file)."""
        stored = {**TextMapping().as_json(), **(base or {})}
        names = (
            "shape",
            "id",
            "context",
            "context_text",
            "text",
            "side",
            "source",
            "references",
            "generator",
            "generator_name",
            "reference",
            "models",
        )
        chosen = self.chosen_values(names)
        chosen["side"] = chosen["side"] or "column"
        more = {name: value for name, value in stored["more"].items() if name in MORE and name not in self.OUR_MORE}
        more |= {name: self.cleaned_data[name] for name in self.OUR_MORE if self.cleaned_data[name]}
        if chosen["context_text"]:
            stored |= {"joined": "", "joined_text": ""}
        return text_mapping.mapping_from_json({**stored, **chosen, "more": more})

    @staticmethod
    def initial_of(mapping: TextMapping) -> dict[str, Any]:
        """The menus as a mapping fills them."""
        return {**mapping.as_json(), **dict(mapping.more)}

    def shown(self) -> tuple[list[Any], list[Any]]:
        """The fields of the chosen shape, and the rarer ones."""
        wide = self["shape"].value() == "wide"
        names = list(self.WIDE if wide else self.LONG)
        if not wide and self["side"].value() not in (None, "", "column"):
            names = [name for name in names if name not in ("source", "references")]
        if not wide and self["side"].value() == "reference":
            names = [name for name in names if name not in ("generator", "generator_name")]
        if "references" in names and not self["references"].field.choices:  # type: ignore[attr-defined]
            names.remove("references")
        if wide and len(self["models"].value() or ()) == 1:
            names.append("generator_name")
        shown = [name for name in self.with_errors((*names, *self.BOTH)) if name not in self.OTHER]
        return [self[name] for name in shown], [self[name] for name in self.OTHER]


class MapRatings(ChoosesColumns, forms.Form):
    """How the columns of a file become ratings."""

    shape = forms.ChoiceField(
        label=_("Each row holds"),
        choices=(
            ("long", _("One rating")),
            ("people", _("One person’s ratings, a column for each text")),
            ("texts", _("One text, with its ratings side by side")),
            ("pairs", _("One vote between two systems")),
        ),
        widget=forms.RadioSelect,
    )
    value = forms.ChoiceField(label=_("Rating"), required=False)
    values = forms.MultipleChoiceField(
        label=_("Columns of ratings"), required=False, widget=forms.SelectMultiple(attrs={"size": 8})
    )
    rater = forms.ChoiceField(label=_("Rater"), required=False)
    text = forms.ChoiceField(label=_("Text"), required=False)
    item = forms.ChoiceField(label=_("ID of the text"), required=False)
    first = forms.ChoiceField(label=_("First system"), required=False)
    second = forms.ChoiceField(label=_("Second system"), required=False)
    first_text = forms.ChoiceField(label=_("Text of the first"), required=False)
    second_text = forms.ChoiceField(label=_("Text of the second"), required=False)
    sides = forms.ChoiceField(
        label=_("Sides"), choices=(("", _("Not known")), ("left", _("The first was on the left"))), required=False
    )
    side = forms.ChoiceField(label=_("Who wrote the texts"), choices=SIDES, required=False)
    source = forms.ChoiceField(label=_("Column with the writer"), required=False)
    references = forms.MultipleChoiceField(
        label=_("Words that mean a person"), required=False, widget=forms.CheckboxSelectMultiple
    )
    generator = forms.ChoiceField(label=_("Column with the model’s name"), required=False)
    generator_name = forms.CharField(label=_("Name of the model"), required=False, max_length=100)
    context_text = forms.ChoiceField(label=_("Prompt or context"), required=False)
    name = forms.CharField(label=_("Save these choices as"), required=False, max_length=100)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and (missing := ratings_mapping.missing_choice(self.mapping())):
            raise forms.ValidationError(missing)
        return cleaned

    def mapping(self, base: Mapping[str, Any] | None = None) -> RatingsMapping:
        """The chosen mapping. base: what no menu shows."""
        stored = {**RatingsMapping().as_json(), **(base or {})}
        names = (
            "shape",
            "item",
            "text",
            "rater",
            "value",
            "values",
            "side",
            "source",
            "references",
            "generator",
            "generator_name",
            "context_text",
            "first",
            "second",
            "first_text",
            "second_text",
            "sides",
        )
        chosen = self.chosen_values(names)
        chosen["side"] = chosen["side"] or "model"
        return ratings_mapping.ratings_mapping_from_json({**stored, **chosen})

    @staticmethod
    def initial_of(mapping: RatingsMapping) -> dict[str, Any]:
        """The menus as a mapping fills them."""
        return mapping.as_json()

    def shown(self) -> tuple[list[Any], list[Any]]:
        """The fields of the chosen shape, and the rarer ones."""
        shape = self["shape"].value()
        if shape == "pairs":
            self.fields["value"].label, self.fields["item"].label = _("Winner"), _("ID of the prompt")
            main = self.with_errors(("first", "second", "value", "rater", "item"))
            more = [name for name in ("sides", "first_text", "second_text", "context_text") if name not in main]
            return [self[name] for name in main], [self[name] for name in more]
        names = ["value", "rater", "text", "item"] if shape == "long" else ["values"]
        names += ["rater"] if shape == "people" else ["text", "item"] if shape == "texts" else []
        names.append("side")
        if self["side"].value() == "column":
            names += ["source"] + (["references"] if self["references"].field.choices else [])  # type: ignore[attr-defined]
        other = [] if self["side"].value() == "reference" else ["generator", "generator_name"]
        other.append("context_text")
        shown = [name for name in self.with_errors(names) if name not in other]
        return [self[name] for name in shown], [self[name] for name in other]
