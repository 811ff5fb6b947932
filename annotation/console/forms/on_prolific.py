"""Recruiting on Prolific: the token, the project, the draft, a filter, more places, and the total that is confirmed."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.console.forms.money import MoneyField, use_currency
from annotation.mturk import prolific
from annotation.mturk.prolific import (
    ChosenFilter,
    FilterOption,
    ProlificAccountRecord,
    ProlificDraft,
    ProlificStudyRecord,
)

DEVICES = (("desktop", _("Computers")), ("tablet", _("Tablets")), ("mobile", _("Phones")))
LABELS = (
    ("ai_evaluation", _("AI evaluation")),
    ("ai_annotation", _("AI annotation")),
    ("annotation", _("Annotation")),
    ("survey", _("Survey")),
    ("writing_task", _("Writing task")),
    ("decision_making_task", _("Decision-making task")),
    ("interview", _("Interview")),
    ("other", _("Other")),
)
WARNINGS = (("", _("None")), ("sensitive", _("Sensitive content")), ("explicit", _("Explicit content")))
MAX_MINUTES, MAX_PLACES = 600, 100_000


class TokenForm(forms.Form):
    """An API token of Prolific."""

    token = forms.CharField(
        label=_("API token"),
        max_length=400,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=_(
            "Create it on Prolific under Settings, Go to API tokens page. It can do everything that your account can. "
            "It is stored encrypted and never shown again."
        ),
    )


class ProjectForm(forms.Form):
    """In which project of which workspace new studies are made."""

    project = forms.ChoiceField(
        label=_("Project"), help_text=_("New studies are made in this project and paid from its workspace.")
    )

    def __init__(self, *args: Any, account: ProlificAccountRecord, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices: list[Any] = [("", _("Choose"))]
        for workspace in account.workspaces:
            rows = [(f"{workspace.workspace_id} {row.project_id}", row.title) for row in workspace.projects]
            choices.append((workspace.title, rows))
        self.fields["project"].choices = choices  # type: ignore[attr-defined]
        if account.project is not None:
            self.initial["project"] = f"{account.workspace_id} {account.project_id}"

    def names(self) -> dict[str, str]:
        """The ids of workspace and project."""
        workspace, project = self.cleaned_data["project"].split()
        return {"workspace_id": workspace, "project_id": project}


class DraftForm(forms.Form):
    """What people read of the study on Prolific, and what it pays them."""

    description = forms.CharField(
        label=_("Description"),
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=_("People read it on Prolific before they decide to take part."),
    )
    minutes = forms.IntegerField(
        label=_("Estimated minutes"),
        min_value=1,
        max_value=MAX_MINUTES,
        help_text=_("Prolific shows the hourly pay that follows, and ends submissions that take much longer."),
    )
    reward_minor = MoneyField(
        label_with=_("Reward per person (%(currency)s)"),
        help_text=_("What the lowest-paid condition pays. What another condition pays more is sent as a bonus."),
    )
    highest_reward_minor = MoneyField(
        label_with=_("Highest pay of a condition (%(currency)s)"),
        required=False,
        help_text=_("Needed where conditions pay differently. Empty: every condition pays the reward above."),
    )
    places = forms.IntegerField(
        label=_("Places"), min_value=1, max_value=MAX_PLACES, help_text=_("How many people can take part.")
    )
    devices = forms.MultipleChoiceField(
        label=_("Devices"),
        choices=DEVICES,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None ticked: every device."),
    )
    label = forms.ChoiceField(label=_("Kind of study"), choices=LABELS)
    content_warning = forms.ChoiceField(label=_("Content warning"), choices=WARNINGS, required=False)
    content_warning_details = forms.CharField(
        label=_("Details of the warning"),
        max_length=1000,
        required=False,
        help_text=_("What in the texts could disturb people."),
    )
    excludes_earlier = forms.BooleanField(
        label=_("Exclude people who took part in your earlier studies on Prolific"), required=False
    )

    def __init__(self, *args: Any, currency: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        use_currency(self, currency)

    @classmethod
    def values_of(cls, study: ProlificStudyRecord) -> dict[str, Any]:
        """What the form shows of a draft."""
        values = {name: getattr(study, name) for name in cls.base_fields if hasattr(study, name)}
        warning = next(iter(study.content_warnings), "")
        return values | {"label": next(iter(study.labels), "ai_evaluation"), "content_warning": warning}

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or {}
        if fields.get("reward_minor") == 0:
            self.add_error("reward_minor", _("Enter what people are paid."))
        highest = fields.get("highest_reward_minor")
        if highest is not None and highest < fields.get("reward_minor", 0):
            self.add_error("highest_reward_minor", _("The highest pay must be at least the reward per person."))
        if fields.get("content_warning_details") and not fields.get("content_warning"):
            self.add_error("content_warning", _("Choose the warning that the details belong to."))
        return fields

    def draft(self) -> ProlificDraft:
        """What the form sets."""
        data = self.cleaned_data
        return ProlificDraft(
            description=data["description"],
            minutes=data["minutes"],
            reward_minor=data["reward_minor"],
            highest_reward_minor=data["highest_reward_minor"] or data["reward_minor"],
            places=data["places"],
            devices=tuple(data["devices"]),
            labels=(data["label"],),
            content_warnings=(data["content_warning"],) if data["content_warning"] else (),
            content_warning_details=data["content_warning_details"],
            excludes_earlier=data["excludes_earlier"],
        )


class FilterForm(forms.Form):
    """The choices, or the range, of a filter."""

    values = forms.MultipleChoiceField(label=_("Allowed"), required=False, widget=forms.CheckboxSelectMultiple)
    lower = forms.FloatField(label=_("From"), required=False)
    upper = forms.FloatField(label=_("To"), required=False)

    def __init__(self, *args: Any, option: FilterOption, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.option = option
        if option.kind == prolific.SELECT:
            self.fields["values"].choices = option.choices  # type: ignore[attr-defined]
            del self.fields["lower"], self.fields["upper"]
        else:
            del self.fields["values"]

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or {}
        if self.option.kind == prolific.SELECT and not fields.get("values") and "values" not in self.errors:
            self.add_error("values", _("Choose at least one."))
        if self.option.kind == prolific.RANGE and not self.errors:
            self._check_range(fields.get("lower"), fields.get("upper"))
        return fields

    def _check_range(self, lower: float | None, upper: float | None) -> None:
        if lower is None and upper is None:
            self.add_error("lower", _("Enter at least one end."))
        elif lower is not None and upper is not None and lower > upper:
            self.add_error("upper", _("The upper end must be at least the lower end."))
        for name, value in (("lower", lower), ("upper", upper)):
            lowest, highest = self.option.lowest, self.option.highest
            if value is None or lowest is None or highest is None or lowest <= value <= highest:
                continue
            limits = {"lowest": f"{lowest:g}", "highest": f"{highest:g}"}
            self.add_error(name, _("Enter a number from %(lowest)s to %(highest)s.") % limits)

    def chosen(self) -> ChosenFilter:
        """The filter that the form sets."""
        data = self.cleaned_data
        values = tuple(data.get("values", ()))
        return ChosenFilter(self.option.filter_id, values, data.get("lower"), data.get("upper"))


class PlacesForm(forms.Form):
    """A new total of places."""

    places = forms.IntegerField(
        label=_("Places in total"),
        min_value=1,
        max_value=MAX_PLACES,
        help_text=_("Prolific only lets places grow. Their cost is reserved in the study's budget."),
    )


class PublishForm(forms.Form):
    """The total that the page showed."""

    total_minor = forms.IntegerField(widget=forms.HiddenInput)
