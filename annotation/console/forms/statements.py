"""What only a person can say of a study, a field for each kind of statement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from annotation.models import Statement, Study

Key = Statement.Key
PLAN = (Key.PLAN, Key.REGISTERED, Key.POWER, Key.DEVIATIONS)
RATERS = (Key.ETHICS, Key.CONSENT, Key.CHANNEL, Key.PAYMENT, Key.PEOPLE, Key.DEMOGRAPHICS)
TEXTS = (Key.LICENCE, Key.LANGUAGE, Key.INPUT, Key.SYSTEM_TASK, Key.CRITERION)
REPORT = (Key.CONTACT, Key.REFERENCE, Key.IMPACT)
HINTS: dict[str, Any] = {
    Key.PLAN: _(
        "Hypotheses, tests, exclusions. Enter it before publishing, which stores it in the log with its SHA-256."
    ),
    Key.REGISTERED: _("A web address, if the plan was registered elsewhere."),
    Key.POWER: _("Leave empty for human or machine: it is calculated from the plan."),
    Key.DEVIATIONS: _("Settings that differ from the plan are reported without this."),
    Key.SYSTEM_TASK: _("Such as summarization, translation or dialogue; not what the raters were asked to do."),
    Key.ETHICS: _("Ethics board and approval number, or why none was needed."),
    Key.CONSENT: _("Leave empty if the task pages ask for consent."),
    Key.CHANNEL: _("Leave empty if the marketplace reports by which channel participants came."),
    Key.PAYMENT: _("One sentence. Leave empty if the marketplace reports how participants of its channels are paid."),
}


class StatementsForm(forms.Form):
    """Every kind of statement; an empty field takes one back."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for key in (*PLAN, *RATERS, *TEXTS, *REPORT):
            self.fields[key] = forms.CharField(
                label=key.label[:1].upper() + key.label[1:], required=False, max_length=Statement.LONGEST,
                help_text=HINTS.get(key, ""), widget=forms.Textarea(attrs={"rows": 2}),
            )  # fmt: skip

    @classmethod
    def of(cls, study: Study, data: QueryDict | None = None, *, fixed: bool = False) -> StatementsForm:
        """fixed: to be read only."""
        form = cls(data, initial=dict(study.statements.values_list("key", "body")))
        for field in form.fields.values():
            field.disabled = fixed
        return form

    def groups(self) -> list[tuple[Promise, list[Any]]]:
        named = ((_("The plan"), PLAN), (_("Raters"), RATERS), (_("Texts"), TEXTS), (_("The report"), REPORT))
        return [(title, [self[key] for key in keys]) for title, keys in named]

    def changes(self) -> dict[str, str]:
        """What is said otherwise now, by its key."""
        texts = {name: text.replace("\r\n", "\n") for name, text in self.cleaned_data.items()}
        return {name: text for name, text in texts.items() if text != self.initial.get(name, "")}


class MissingFactsForm(forms.Form):
    """The facts that the latest report lacks, a field each; an empty field states nothing."""

    @classmethod
    def of(cls, study: Study, numbers: Mapping[str, Any], data: QueryDict | None = None) -> MissingFactsForm:
        """numbers: of the stored report. What has been stated since is no longer asked for."""
        form, stated = cls(data), set(study.statements.values_list("key", flat=True))
        for fact in numbers.get("missing", ()):
            if fact["key"] not in stated:
                form.fields[fact["key"]] = forms.CharField(
                    label=fact["name"],
                    required=False,
                    max_length=Statement.LONGEST,
                    help_text=fact["hint"],
                    widget=forms.Textarea(attrs={"rows": 1}),
                )
        return form

    def facts(self) -> dict[str, str]:
        """What was entered, by its key."""
        return {name: text.replace("\r\n", "\n") for name, text in self.cleaned_data.items() if text}
