"""How people come to a study: what a channel says of itself, and the people that it invites."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from annotation.exceptions import StateError
from annotation.models import Study
from annotation.mturk import channels
from annotation.mturk.channels import ChannelRecord, ChannelSettings
from annotation.recruiting.add_codes import read_codes

PAYS = (
    ("", _("Choose")),
    (channels.ELSEWHERE, _("By a panel or by other means")),
    (channels.VOUCHER, _("A voucher")),
    (channels.CREDIT, _("Course credit")),
    (channels.VOLUNTEER, _("Not paid")),
    (channels.LEDGER, _("By this site, which records what it owes each person")),
)
# What a starting text leaves to be written by whoever asks.
GAP = re.compile(r"\[[^\[\]\n]{1,200}\]")
MAX_FILE_BYTES = 4_000_000


class MomentField(forms.DateTimeField):
    """A moment in UTC, as browsers write it."""

    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"], **kwargs)

    def clean(self, value: Any) -> datetime | None:
        moment = super().clean(value)
        return moment.astimezone(UTC) if moment else None


class ChannelForm(forms.Form):
    """The settings of a channel: the few that everybody needs, then those behind "More settings"."""

    FIRST = ("overlap", "max_tasks", "pays", "pay_words", "consent")

    pays = forms.ChoiceField(label=_("Payment"), choices=PAYS)
    pay_words = forms.CharField(
        label=_("Payment in words"),
        max_length=300,
        required=False,
        help_text=_("What participants read about their pay, such as: a voucher of 5 euros by email."),
    )
    consent = forms.CharField(
        label=_("Consent text"),
        max_length=9_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 14}),
        help_text=_("Participants agree to it before their first task. Replace the parts in square brackets."),
    )
    title = forms.CharField(
        label=_("Title"),
        max_length=128,
        required=False,
        help_text=_("What participants read as the study's name. Empty: the title of the tasks."),
    )
    places = forms.IntegerField(
        label=_("Places"),
        required=False,
        min_value=1,
        max_value=1_000_000,
        help_text=_("Participants who can enter by this channel. Empty: as many as there are tasks for."),
    )
    overlap = forms.IntegerField(
        label=_("Team members per text"),
        required=False,
        min_value=1,
        max_value=1000,
        help_text=_("Each text is rated by this many people of the team. Empty: everyone rates everything."),
    )
    max_tasks = forms.IntegerField(
        label=_("Maximum tasks per person"),
        required=False,
        min_value=1,
        max_value=1_000_000,
        help_text=_("Who has done this many reads the end and gets a code. Empty: no limit."),
    )
    opens_at = MomentField(label=_("Opens at (UTC)"), help_text=_("Empty: as soon as the study is published."))
    closes_at = MomentField(label=_("Closes at (UTC)"), help_text=_("Participants who have started can finish."))
    debrief = forms.CharField(
        label=_("Debriefing text"),
        max_length=9_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("Participants read it after their last task."),
    )
    completion_code = forms.CharField(
        label=_("Completion code"),
        max_length=100,
        required=False,
        help_text=_("One code for everybody, as a panel knows it. Empty: each participant gets a code of their own."),
    )
    stop_code = forms.CharField(
        label=_("Early-stop code"),
        max_length=100,
        required=False,
        help_text=_("Shown to participants who stop before they submit anything. Empty: they get no code."),
    )
    return_url = forms.CharField(
        label=_("Return address"),
        max_length=1000,
        required=False,
        help_text=_(
            "Where participants are sent at the end. It starts with https:// and may contain {code} and {external_id}."
        ),
    )
    id_parameter = forms.CharField(
        label=_("Participant ID parameter"),
        max_length=64,
        required=False,
        help_text=_("The address parameter by which a panel adds its participant ID, such as PROLIFIC_PID."),
    )
    contact = forms.CharField(
        label=_("Contact"),
        max_length=200,
        required=False,
        help_text=_("An email address for questions. Participants see it on every page."),
    )
    retain_until = MomentField(
        label=_("Delete personal data at (UTC)"),
        help_text=_("From then on, names, addresses and panel IDs of these participants are deleted."),
    )

    def __init__(self, *args: Any, kind: str, sets_retention: bool = True, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kind, self.sets_retention = kind, sets_retention
        if not sets_retention:
            del self.fields["retain_until"]
        if kind != channels.LINK:
            del self.fields["id_parameter"]
        if kind != channels.TEAM:
            del self.fields["overlap"], self.fields["max_tasks"]
        if kind == channels.PROLIFIC:
            # Prolific pays, counts places and knows the codes.
            for name in ("pays", "pay_words", "places", "return_url", "completion_code", "stop_code"):
                del self.fields[name]
        if kind == channels.ACCOUNTS:
            for name in ("return_url", "completion_code", "stop_code", "places"):
                del self.fields[name]

    def first_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.FIRST if name in self.fields]

    def further_fields(self) -> list[forms.BoundField]:
        return [field for field in self.visible_fields() if field.name not in self.FIRST]

    @property
    def further_open(self) -> bool:
        """Whether "More settings" hides something that must be seen: a value, or an error."""
        return any(field.errors or field.value() for field in self.further_fields())

    def clean_consent(self) -> str:
        return self._complete("consent")

    def clean_debrief(self) -> str:
        return self._complete("debrief")

    def _complete(self, name: str) -> str:
        text: str = self.cleaned_data[name].strip()
        if gap := GAP.search(text):
            raise forms.ValidationError(
                _("Replace “%(gap)s” by what is true of your study, or remove it."), params={"gap": gap[0]}
            )
        return text

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or {}
        if fields.get("pays") in {channels.ELSEWHERE, channels.VOUCHER} and not fields.get("pay_words"):
            self.add_error("pay_words", _("Say what participants receive, and how."))
        return fields

    def settings(self, *, of_new: bool) -> ChannelSettings:
        """What the form sets; times and places that are empty are emptied, where the channel exists already."""
        names = [row.name for row in dataclasses.fields(ChannelSettings)]
        fields = {name: self.cleaned_data[name] for name in names if name in self.cleaned_data}
        emptied = tuple(
            name
            for name in ("places", "overlap", "max_tasks", "opens_at", "closes_at", "retain_until")
            if name in fields and not fields[name]
        )
        # Without a title of its own the channel takes, or keeps, that of the tasks.
        fields["title"] = fields["title"] or None
        parameter = self.cleaned_data.get("id_parameter", "")
        if "id_parameter" in self.fields:
            fields["id_parameters"] = (parameter,) if parameter else ()
        return ChannelSettings(**fields, empty=() if of_new else emptied)


def _read_codes(text: str) -> tuple[str, ...]:
    """The codes of a list. Raises ValidationError naming row and rule."""
    try:
        return read_codes(text.splitlines())
    except StateError as error:
        raise forms.ValidationError(str(error)) from error


class NewChannelForm(ChannelForm):
    """A channel to open: its settings, its name among those of the study, and perhaps a list of codes."""

    name = forms.CharField(
        label=_("Name of the channel"),
        max_length=100,
        required=False,
        help_text=_("Only you and your colleagues read it. Needed for a second channel of one kind."),
    )
    codes = forms.CharField(
        label=_("List of completion codes"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_(
            "One code per line, for a panel or shop that gives you one for each person. You can add more later."
        ),
    )

    def __init__(self, *args: Any, kind: str, **kwargs: Any) -> None:
        super().__init__(*args, kind=kind, **kwargs)
        if kind in {channels.ACCOUNTS, channels.PROLIFIC}:
            del self.fields["codes"]

    def clean_codes(self) -> tuple[str, ...]:
        return _read_codes(self.cleaned_data["codes"])


class EditChannelForm(ChannelForm):
    """The settings of a channel as its editor read them: of which version, and what each field held."""

    version = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, kind: str, **kwargs: Any) -> None:
        super().__init__(*args, kind=kind, **kwargs)
        for name, field in self.fields.items():
            field.show_hidden_initial = name != "version"

    @classmethod
    def of(cls, channel: ChannelRecord, *, sets_retention: bool = True) -> EditChannelForm:
        """The form as the channel is now."""
        values = {name: getattr(channel, name) for name in cls.base_fields if hasattr(channel, name)}
        values["id_parameter"] = next(iter(channel.id_parameters), "")
        return cls(initial=values, kind=channel.kind, sets_retention=sets_retention)

    def hidden_values(self) -> list[str]:
        """Of which version the form is; each field brings along what it held when the form was opened."""
        return [self["version"].as_hidden()]

    def merge(self, channel: ChannelRecord) -> tuple[EditChannelForm, list[ChangedSetting]]:
        """The form over the settings that `channel` has by now, and what both the editor and somebody else changed.

        What the editor left alone is as somebody else saved it.
        """
        saved = EditChannelForm.of(channel, sets_retention=self.sets_retention)
        data, differences = {"version": str(channel.version)}, []
        for field in saved.visible_fields():
            stored, typed = _as_sent(field), self.data.get(field.name, "")
            wrote = field.name in self.changed_data and not _is_same(stored, typed)
            data |= {field.html_initial_name: stored, field.name: typed if wrote else stored}
            if wrote and not _is_same(stored, self.data.get(field.html_initial_name, "")):
                differences.append(ChangedSetting(str(field.label), _shown(field, stored), _shown(field, typed)))
        return EditChannelForm(data, kind=channel.kind, sets_retention=self.sets_retention), differences


@dataclass(frozen=True, slots=True)
class ChangedSetting:
    """A setting that two people changed: what one saved, and what is in the other's form."""

    label: str
    saved: str
    typed: str


def _as_sent(field: forms.BoundField) -> str:
    """The value of a field as a browser sends it."""
    value = field.field.widget.format_value(field.value())
    return "" if value is None else str(value[0] if isinstance(value, list) else value)


def _is_same(stored: str, typed: str) -> bool:
    return "\n".join(typed.split("\r\n")).strip() == "\n".join(stored.split("\r\n")).strip()


def _shown(field: forms.BoundField, value: str) -> str:
    choices = dict(getattr(field.field, "choices", ()))
    return str(choices.get(value, value))


class AddCodesForm(forms.Form):
    """Completion codes to add to the list of a channel: pasted, or in a file."""

    codes = forms.CharField(
        label=_("Completion codes"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("One code per line. Each participant who finishes gets the next one."),
    )
    file = forms.FileField(
        label=_("Or a file of codes"), required=False, help_text=_("A text file, one code per line.")
    )

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or {}
        pasted, file = fields.get("codes", ""), fields.get("file")
        if pasted.strip() and file:
            self.add_error("file", _("Paste the codes or choose a file, not both."))
        elif not pasted.strip() and not file and not self.errors:
            self.add_error("codes", _("Paste at least one code, or choose a file."))
        elif not self.errors:
            try:
                fields["codes"] = _read_codes(decode_file(file) if file else pasted)
            except forms.ValidationError as error:
                self.add_error("file" if file else "codes", error)
        return fields


def decode_file(file: UploadedFile) -> str:
    """The text of an uploaded list. Raises ValidationError for a file that is too large, or not UTF-8."""
    if (file.size or 0) > MAX_FILE_BYTES:
        raise forms.ValidationError(_("A list has at most 4 MB."))
    try:
        return str(file.read().decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise forms.ValidationError(_("The file is not UTF-8. Save it as UTF-8 and choose it again.")) from None


class InvitePeopleForm(forms.Form):
    """A CSV of people."""

    people = forms.FileField(
        label=_("List of people (CSV)"),
        help_text=_("With a column email or id, and perhaps name. Everyone gets a link of their own."),
    )

    def clean_people(self) -> str:
        return decode_file(self.cleaned_data["people"])


def starting_consent(study: Study, *, requester_name: str, kind: str) -> str:
    """A consent text of what is known; what is not known is left in square brackets, and must be filled."""
    noun = study.noun
    name = requester_name or str(_("[your name and institution]"))
    lines = [
        _("%(name)s asks you to take part in a study. You read short texts and answer questions about them.")
        % {"name": name},
        _("It takes about [N] minutes. Taking part is voluntary. You can stop at any time by closing the page."),
        _(
            "Your answers are stored, and how long you look at each %(noun)s. [Say until when, and who can read them.] "
            "After your last task you get a code with which you can have your answers erased."
        )
        % {"noun": noun},
    ]
    if kind in channels.NAMED:
        lines.append(_("Your name or address was used to invite you. It is stored separately from your answers."))
    lines.append(_("Questions: [an email address]"))
    return "\n\n".join(map(str, lines))
