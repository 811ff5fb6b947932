"""The words that people read, edited field by field; a file of them for whoever prefers one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.console.forms.upload_field import UploadField
from annotation.design.criteria import Criterion, FollowUp
from annotation.design.kinds import find_kind
from annotation.design.kinds.human_or_machine.kind import CLARK_FOLLOW_UPS
from annotation.design.sharing_question import sharing_question
from annotation.design.wording import Buttons, Wording, as_json, from_json, rename_texts
from annotation.exceptions import DesignError
from annotation.importing import texts_upload

# What the fields take over as it stands.
PLAIN = (
    "title",
    "description",
    "keywords",
    "heading",
    "measure",
    "measured",
    "unknown_clause",
    "thanks",
    "language",
    "noun_with_article",
    "sharing",
)
LABELS_HELP = _("One per line: label | number | meaning")
NO_QUESTION, STUDY_QUESTION = "", "study"
FOLLOW_UP_CHOICES = [
    (NO_QUESTION, _("No question")),
    *((name, f"“{text}” (Clark et al. 2021)") for name, text in CLARK_FOLLOW_UPS.items()),
    (STUDY_QUESTION, _("The question below")),
]


def _area(label: Any, rows: int, help_text: Any = "", *, required: bool = True) -> forms.CharField:
    return forms.CharField(
        label=label, required=required, widget=forms.Textarea(attrs={"rows": rows}), help_text=help_text
    )


class WordingForm(forms.Form):
    """Every word of the task pages but the training items, which have a page. `wording`: as it was before."""

    title = forms.CharField(label=_("Title in the list of tasks"), max_length=128)
    description = forms.CharField(label=_("Description"), max_length=2000, widget=forms.Textarea(attrs={"rows": 2}))
    keywords = forms.CharField(label=_("Keywords"), max_length=1000, help_text=_("Separated by commas."))
    noun = forms.CharField(label=_("Name for one text"), max_length=40)
    nouns = forms.CharField(label=_("Name for several texts"), max_length=40)
    heading = forms.CharField(label=_("Heading of the page"))
    intro = _area(
        _("Introduction"),
        5,
        _(
            "{noun}, {nouns} and {a noun} are replaced by the names above. Text in {context: ...} is shown only with a "
            "context. A blank line begins a paragraph."
        ),
    )
    question = forms.CharField(label=_("Question"))
    labels = _area(_("Scale"), 6, LABELS_HELP)
    consent = _area(
        _("Consent"), 4, _("Paragraphs of a first page. Empty: the invitation or the marketplace asks."), required=False
    )
    sharing = _area(
        _("Question whether answers may be published"),
        2,
        _(
            "A box to tick on the first page. Who leaves it empty in their last task is in no public release. "
            "Empty: participants are not asked."
        ),
        required=False,
    )
    measure = forms.BooleanField(
        label=_("Record time, pastes and keystrokes (the task page informs participants)"), required=False
    )
    measured = _area(_("What the page says about this"), 2)
    thanks = forms.CharField(label=_("Last sentence"))
    unknown_markers = forms.CharField(
        label=_("Signs of a lost word"), required=False, help_text=_("Separated by blanks. Shown as a box ▢.")
    )
    unknown_clause = _area(_("What the page says about lost words"), 2)
    language = forms.RegexField(
        r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
        label=_("Language of the task"),
        max_length=20,
        help_text=_("Its code, such as en, de or pt-BR. Screen readers and hyphenation follow it."),
    )
    noun_with_article = forms.CharField(
        label=_("Name for one text with its article"),
        max_length=60,
        required=False,
        help_text=_("Shown for {a noun}. Empty: “a” or “an” in English, no article in other languages."),
    )

    def __init__(self, *args: Any, wording: Wording, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.before = wording
        self.labels_before = tuple(
            dict.fromkeys(label for criterion in wording.criteria for label, _code, _gloss in criterion.labels)
        )
        self.fields["sharing"].widget.attrs["placeholder"] = sharing_question(wording.language)
        for number in self._more_questions():
            required = number <= len(wording.criteria)
            self.fields[f"question_{number}"] = forms.CharField(
                label=_("Question %d") % number,
                required=False,
                help_text=_("Empty: this question is not asked.") if required else _("Empty: no further question."),
            )
            self.fields[f"labels_{number}"] = _area(_("Scale %d") % number, 4, LABELS_HELP, required=False)
        for number in self._follow_up_numbers():
            self._add_follow_up(number)
        for name, text in asdict(Buttons()).items():
            self.fields[f"button_{name}"] = forms.CharField(label=text, max_length=300)

    @classmethod
    def of(cls, wording: Wording) -> WordingForm:
        first, *more = wording.criteria
        initial: dict[str, Any] = {name: getattr(wording, name) for name in (*PLAIN, "noun", "nouns")}
        initial |= {
            "intro": "\n\n".join(wording.intro),
            "consent": "\n\n".join(wording.consent),
            "question": first.question,
            "labels": _label_lines(first),
            "unknown_markers": " ".join(wording.unknown_markers),
        }
        for number, criterion in enumerate(more, 2):
            initial |= {f"question_{number}": criterion.question, f"labels_{number}": _label_lines(criterion)}
        form = cls(wording=wording, initial=initial)
        for number, follow_up in enumerate(wording.follow_ups, 1):
            initial |= form._initial_follow_up(number, follow_up)
        initial |= {f"button_{name}": text for name, text in asdict(wording.buttons).items()}
        return form

    def _more_questions(self) -> range:
        """Questions after the first: those there are, and a free place where a task may ask several."""
        kind = find_kind(self.before.kind)
        free = kind is not None and kind.more_criteria
        return range(2, len(self.before.criteria) + 1 + free)

    def _follow_up_numbers(self) -> range:
        """Those there are, and a free place."""
        return range(1, len(self.before.follow_ups) + 2)

    def _add_follow_up(self, number: int) -> None:
        self.fields[f"follow_{number}_kind"] = forms.ChoiceField(
            label=_("Follow-up question %d") % number, required=False, choices=FOLLOW_UP_CHOICES
        )
        self.fields[f"follow_{number}_text"] = forms.CharField(
            label=_("Your question %d") % number, required=False, help_text=_("Used if you chose “The question below”.")
        )
        self.fields[f"follow_{number}_when"] = forms.MultipleChoiceField(
            label=_("Asked after these answers"),
            required=False,
            widget=forms.CheckboxSelectMultiple,
            choices=[(str(at), label) for at, label in enumerate(self.labels_before)],
            help_text=_("None ticked: after every answer."),
        )
        self.fields[f"follow_{number}_min"] = forms.IntegerField(
            label=_("Minimum characters"), required=False, min_value=0, max_value=2000
        )
        self.fields[f"follow_{number}_required"] = forms.BooleanField(
            label=_("An answer is required"), required=False, initial=True
        )

    def _initial_follow_up(self, number: int, follow_up: FollowUp) -> dict[str, Any]:
        quoted = next((name for name, text in CLARK_FOLLOW_UPS.items() if text == follow_up.text), STUDY_QUESTION)
        return {
            f"follow_{number}_kind": quoted,
            f"follow_{number}_text": follow_up.text if quoted == STUDY_QUESTION else "",
            f"follow_{number}_when": [str(self.labels_before.index(label)) for label in follow_up.when],
            f"follow_{number}_min": follow_up.least_characters,
            f"follow_{number}_required": follow_up.required,
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for number in self._follow_up_numbers():
            if cleaned.get(f"follow_{number}_kind") == STUDY_QUESTION and not cleaned.get(f"follow_{number}_text"):
                self.add_error(f"follow_{number}_text", _("Write the question, or choose another one above."))
        return cleaned

    def main_fields(self) -> Iterator[Any]:
        """The fields that are changed most."""
        names = ("title", "description", "noun", "nouns", "heading", "intro")
        return (self[name] for name in names)

    def question_fields(self) -> Iterator[Any]:
        """Question and scale, one after the other."""
        yield from (self["question"], self["labels"])
        for number in self._more_questions():
            yield from (self[f"question_{number}"], self[f"labels_{number}"])

    def follow_up_fields(self) -> list[list[Any]]:
        """The fields of each follow-up question."""
        parts = ("kind", "text", "when", "min", "required")
        return [[self[f"follow_{number}_{part}"] for part in parts] for number in self._follow_up_numbers()]

    def consent_fields(self) -> Iterator[Any]:
        """What participants are informed about."""
        return (self[name] for name in ("consent", "sharing", "measure", "measured"))

    def page_fields(self) -> Iterator[Any]:
        """What is changed less often."""
        names = (
            "thanks",
            "keywords",
            "language",
            "noun_with_article",
            "unknown_markers",
            "unknown_clause",
        )
        return (self[name] for name in names)

    def button_fields(self) -> list[Any]:
        """The small words."""
        return [field for field in self if field.name.startswith("button_")]

    def wording(self) -> Wording:
        """The wording as edited. Raises DesignError naming the field of what cannot be."""
        fields = self.cleaned_data
        changed = replace(
            self.before,
            **{name: fields[name] for name in PLAIN},
            intro=_paragraphs(fields["intro"]),
            consent=_paragraphs(fields["consent"]),
            criteria=tuple(self._criteria()),
            unknown_markers=tuple(fields["unknown_markers"].split()),
            buttons=Buttons(**{name: fields[f"button_{name}"] for name in asdict(self.before.buttons)}),
            follow_ups=(),
        )
        changed = replace(changed, follow_ups=tuple(self._follow_ups(changed)))
        renamed = rename_texts(changed, fields["noun"], fields["nouns"])
        return from_json(as_json(replace(renamed, noun_with_article=fields["noun_with_article"])))

    def _criteria(self) -> Iterator[Criterion]:
        fields, first = self.cleaned_data, self.before.criteria[0]
        yield replace(first, question=fields["question"], labels=_labels(fields["labels"], "labels"))
        for number in self._more_questions():
            question, lines = fields[f"question_{number}"], fields[f"labels_{number}"] or fields["labels"]
            if not question:
                continue
            labels = _labels(lines, f"labels_{number}")
            if number <= len(self.before.criteria):
                yield replace(self.before.criteria[number - 1], question=question, labels=labels)
            else:
                yield replace(first, name=self._free_name("question"), question=question, labels=labels)

    def _free_name(self, stem: str) -> str:
        """A name for answers that no question of the task has."""
        names = {part.name for part in self.before.criteria} | {part.name for part in self.before.follow_ups}
        return next(name for number in range(1, 10_000) if (name := f"{stem}_{number}") not in names)

    def _follow_ups(self, changed: Wording) -> Iterator[FollowUp]:
        fields = self.cleaned_data
        for number in self._follow_up_numbers():
            kind = fields[f"follow_{number}_kind"]
            if kind == NO_QUESTION:
                continue
            is_new = number > len(self.before.follow_ups)
            yield FollowUp(
                self._free_name("follow_up") if is_new else self.before.follow_ups[number - 1].name,
                CLARK_FOLLOW_UPS.get(kind) or fields[f"follow_{number}_text"],
                tuple(self._labels_of(number, changed)),
                fields[f"follow_{number}_min"] or 0,
                fields[f"follow_{number}_required"],
            )

    def _labels_of(self, number: int, changed: Wording) -> Iterator[str]:
        """The ticked labels as they are called now: the scale may have been edited in the same form."""
        renamed = self._renamed_labels(changed)
        labels = {label for criterion in changed.criteria for label, _code, _gloss in criterion.labels}
        for at in self.cleaned_data[f"follow_{number}_when"]:
            label = renamed.get(self.labels_before[int(at)], self.labels_before[int(at)])
            if label not in labels:
                raise DesignError(
                    f"The follow-up question is asked after “{label}”, which is no longer on a scale. Untick it."
                ).at(f"follow_{number}_when")
            yield label

    def _renamed_labels(self, changed: Wording) -> dict[str, str]:
        """Labels before and after, where a scale has as many as before."""
        both = zip(self.before.criteria, changed.criteria, strict=False)
        return {
            old[0]: new[0]
            for before, after in both
            if len(before.labels) == len(after.labels)
            for old, new in zip(before.labels, after.labels, strict=True)
        }


class WordingFile(forms.Form):
    """All words as a file, for somebody who keeps them elsewhere."""

    file = UploadField(
        label=_("File of a task text (JSON)"),
        validators=[texts_upload.check_size],
        help_text=_("As you downloaded it, from this study or from another one of the same task type."),
    )

    def wording(self) -> Wording:
        """The wording of the file. Raises DesignError naming what cannot be."""
        try:
            return from_json(json.loads(self.cleaned_data["file"].read().decode("utf-8-sig")))
        except (ValueError, AttributeError, RecursionError) as error:
            raise DesignError(f"This is not valid JSON: {error}.").at("file") from None
        except DesignError as error:
            raise error.at("file") from None


def to_json_text(wording: Wording) -> str:
    """The wording as the text of a file."""
    return json.dumps(as_json(wording), indent=1, ensure_ascii=False)


def _paragraphs(text: str) -> tuple[str, ...]:
    parts = text.replace("\r\n", "\n").split("\n\n")
    return tuple(" ".join(part.split()) for part in parts if part.strip())


def _label_lines(criterion: Criterion) -> str:
    return "\n".join(" | ".join(row if row[2] else row[:2]) for row in criterion.labels)


def _labels(text: str, field: str) -> tuple[tuple[str, str, str], ...]:
    rows = []
    for line in text.splitlines():
        if not line.strip():
            continue
        parts = [part.strip() for part in line.split("|", 2)]
        if len(parts) < 2:
            raise DesignError(f"“{line.strip()}” is not of the form label | number | meaning.").at(field)
        rows.append((parts[0], parts[1], parts[2] if len(parts) > 2 else ""))
    return tuple(rows)
