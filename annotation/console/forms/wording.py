"""The words that people read, edited field by field or as JSON."""

from __future__ import annotations

import json
from dataclasses import replace

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.design.task_types import Criterion
from annotation.design.wording import Wording, as_json, from_json
from annotation.exceptions import DesignError


class WordingForm(forms.Form):
    """The words that are changed most; `everything` holds them all as JSON and wins where it was changed."""

    title = forms.CharField(label=_("Title in the list of tasks"), max_length=128)
    description = forms.CharField(label=_("Description"), max_length=2000, widget=forms.Textarea(attrs={"rows": 2}))
    noun = forms.CharField(label=_("Name for one text"), max_length=40)
    nouns = forms.CharField(label=_("Name for several texts"), max_length=40)
    heading = forms.CharField(label=_("Heading of the page"))
    intro = forms.CharField(
        label=_("Introduction"),
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_(
            "{noun}, {nouns} and {a noun} are replaced by the names above. Text in {context: ...} is shown only with a "
            "context. A blank line begins a paragraph."
        ),
    )
    question = forms.CharField(label=_("Question"))
    labels = forms.CharField(
        label=_("Scale"),
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=_("One per line: label | number | meaning"),
    )
    consent = forms.CharField(
        label=_("Consent"), required=False, widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Paragraphs of a first page. Empty: the invitation or the marketplace asks."),
    )  # fmt: skip
    measure = forms.BooleanField(
        label=_("Record time, pastes and keystrokes (the task page informs participants)"), required=False
    )
    everything = forms.CharField(
        label=_("All task text as JSON"), required=False, widget=forms.Textarea(attrs={"rows": 12, "class": "code"})
    )

    @classmethod
    def of(cls, wording: Wording) -> WordingForm:
        first = wording.criteria[0]
        return cls(
            initial={
                **{
                    name: getattr(wording, name)
                    for name in ("title", "description", "noun", "nouns", "heading", "measure")
                },
                "intro": "\n\n".join(wording.intro),
                "consent": "\n\n".join(wording.consent),
                "question": first.question,
                "labels": "\n".join(" | ".join(row) for row in first.labels),
                "everything": to_json_text(wording),
            }
        )

    def wording(self, before: Wording) -> Wording:
        """The wording as edited. Raises DesignError naming what cannot be."""
        fields = self.cleaned_data
        json_text = fields["everything"].replace("\r\n", "\n").strip()
        if json_text and json_text != to_json_text(before).strip():
            try:
                return from_json(json.loads(json_text))
            except (json.JSONDecodeError, AttributeError) as error:
                raise DesignError(f"This is not valid JSON: {error}.").at("everything") from None
            except DesignError as error:
                raise error.at("everything") from None
        first, *more = before.criteria
        edited = Criterion(first.name, fields["question"], first.scale, _labels(fields["labels"]), first.many)
        plain = {name: fields[name] for name in ("title", "description", "noun", "nouns", "heading", "measure")}
        changed = replace(
            before, **plain, intro=_paragraphs(fields["intro"]), consent=_paragraphs(fields["consent"]),
            criteria=(edited, *more),
        )  # fmt: skip
        return from_json(as_json(changed))


def to_json_text(wording: Wording) -> str:
    return json.dumps(as_json(wording), indent=1, ensure_ascii=False)


def _paragraphs(text: str) -> tuple[str, ...]:
    parts = text.replace("\r\n", "\n").split("\n\n")
    return tuple(" ".join(part.split()) for part in parts if part.strip())


def _labels(text: str) -> tuple[tuple[str, str, str], ...]:
    rows = []
    for line in text.splitlines():
        if not line.strip():
            continue
        parts = [part.strip() for part in line.split("|", 2)]
        if len(parts) < 2:
            raise DesignError(f"“{line.strip()}” is not of the form label | number | meaning.").at("labels")
        rows.append((parts[0], parts[1], parts[2] if len(parts) > 2 else ""))
    return tuple(rows)
