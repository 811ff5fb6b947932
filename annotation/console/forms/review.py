"""Forms of the review desk, the rules of exclusion, workers and codes."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.mturk import prolific
from annotation.quality.filters import BY_FLAG, FILTERS, NAMED_SETS, OF_TEXTS, WRONGED, rule_without_code
from annotation.quality.rules import Rule
from annotation.review import block
from annotation.review.exclude import MAX_NAME_CHARS
from annotation.review.exclude import MAX_REASON_CHARS as MAX_EXCLUSION_CHARS
from annotation.review.notify import MAX_SUBJECT_CHARS, MAX_TEXT_CHARS
from annotation.review.prolific_work import MAX_REASON_CHARS as MAX_RETURN_CHARS
from annotation.review.reject import MAX_REASON_CHARS, MIN_REASON_CHARS


class Approve(forms.Form):
    """Approve; with a reason, leave the same work out of the analysis."""

    leave_out = forms.CharField(label=_("Reason for exclusion"), max_length=MAX_EXCLUSION_CHARS, required=False)


class Propose(forms.Form):
    reason = forms.CharField(
        label=_("Reason (the worker will read it)"),
        min_length=MIN_REASON_CHARS,
        max_length=MAX_REASON_CHARS,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class RejectPerson(Propose):
    """A rejection of all that waits of one person."""


class ProposeOnProlific(Propose):
    """A rejection of work from Prolific, which asks for more words and a category."""

    field_order = ("category", "reason")
    category = forms.ChoiceField(
        label=_("Category"),
        choices=[("", _("Choose")), *((name, name.replace("_", " ").capitalize()) for name in prolific.CATEGORIES)],
        help_text=_("Prolific accepts rejections for few reasons only. Consider asking for a return first."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        reason = forms.CharField(
            label=_("Reason (the participant will read it on Prolific)"),
            min_length=prolific.MIN_REASON_CHARS,
            max_length=MAX_REASON_CHARS,
            widget=forms.Textarea(attrs={"rows": 4}),
        )
        self.fields["reason"] = reason


class ReturnForm(forms.Form):
    """Why a person from Prolific is asked to return."""

    reason = forms.CharField(
        label=_("Why should the participant return the submission?"),
        max_length=MAX_RETURN_CHARS,
        help_text=_("Prolific puts it into a message. The participant decides, and is not paid after returning."),
    )


class Reason(forms.Form):
    reason = forms.CharField(label=_("Reason"), max_length=500)


class ReplyForm(forms.Form):
    body = forms.CharField(label=_("Worker's reply"), widget=forms.Textarea(attrs={"rows": 3}))


class HoldForm(forms.Form):
    reason = forms.CharField(label=_("Reason"), max_length=500)
    until = forms.DateField(label=_("Until"), widget=forms.DateInput(attrs={"type": "date"}))

    def clean_until(self) -> date:
        until: date = self.cleaned_data["until"]
        return until


class BlockForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        min_length=block.MIN_REASON_CHARS,
        max_length=block.MAX_REASON_CHARS,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class NoticeForm(forms.Form):
    """A message to workers."""

    subject = forms.CharField(label=_("Subject"), max_length=MAX_SUBJECT_CHARS)
    text = forms.CharField(label=_("Text"), max_length=MAX_TEXT_CHARS, widget=forms.Textarea(attrs={"rows": 4}))


class Bulk(forms.Form):
    """What to do with the chosen assignments."""

    ACTIONS = (("approve", _("Approve")), ("leave_out", _("Approve and exclude")))
    action = forms.ChoiceField(choices=ACTIONS)
    reason = forms.CharField(max_length=500, required=False)
    confirmed = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or {}
        if fields.get("confirmed") and fields.get("action") == "leave_out" and not fields.get("reason", "").strip():
            self.add_error("reason", _("Enter a reason for the exclusion."))
        return fields


class Rules(forms.Form):
    """A version of the rules: a tick for each filter, and its threshold where another than the default is wanted."""

    DESCRIPTIONS = {**BY_FLAG, **OF_TEXTS}
    name = forms.CharField(label=_("Name of this version"), max_length=MAX_NAME_CHARS)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for check in FILTERS:
            self.fields[check.kind] = forms.BooleanField(label=check.title, required=False, initial=check.default)
            self.fields[f"{check.kind}-at"] = forms.FloatField(
                label=_("Threshold of “%(filter)s”") % {"filter": check.title}, required=False
            )
        for kind in self.DESCRIPTIONS:
            self.fields[kind] = forms.BooleanField(label=kind, required=False)

    @classmethod
    def start_from(cls, set_name: str) -> Rules:
        """The form with a named set of rules ticked."""
        chosen = NAMED_SETS[set_name]
        return cls(initial={"name": chosen.title, **{check.kind: check.kind in chosen.kinds for check in FILTERS}})

    def rows(self, kinds: Collection[str]) -> list[tuple[Any, Any, Any]]:
        """Each filter of these kinds with its two fields."""
        return [(check, self[check.kind], self[f"{check.kind}-at"]) for check in FILTERS if check.kind in kinds]

    def by_hand(self) -> list[tuple[str, Any, str]]:
        """What two reviewers judged, is known from elsewhere or is of texts, with its field and whom it can wrong."""
        return [(rule_without_code(kind), self[kind], WRONGED[kind]) for kind in self.DESCRIPTIONS]

    def chosen(self) -> list[Rule]:
        """The rules that were ticked."""
        fields = self.cleaned_data
        rules = [Rule(check.kind, fields[f"{check.kind}-at"]) for check in FILTERS if fields[check.kind]]
        return rules + [Rule(kind) for kind in self.DESCRIPTIONS if fields[kind]]


class Detect(forms.Form):
    """From which score on the server's detector calls an explanation machine-written."""

    threshold = forms.FloatField(label=_("Threshold beyond which an explanation counts as machine-written"))


class CodebookForm(forms.Form):
    lines = forms.CharField(
        label=_("One category per line, for example “form: grammar, genre”"), widget=forms.Textarea(attrs={"rows": 6})
    )


class CodesForm(forms.Form):
    """The codes that were ticked for an explanation; what may be among them the verb says."""

    codes = forms.Field(label=_("Codes"), widget=forms.MultipleHiddenInput, required=False)
