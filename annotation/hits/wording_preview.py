"""A study's task page with words as they are being edited, before they are stored, to be answered by an editor.

The address holds what differs from the stored words, signed, and names no person: whoever has it can answer the page
and store nothing. The measured time goes, signed, to the console around the page, where an editor may store it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.conf import settings
from django.core import signing
from django.urls import reverse

from annotation.design.presets import Preset
from annotation.design.preview_time import questions_of
from annotation.design.wording import Wording, as_json, from_json
from annotation.exceptions import DesignError
from annotation.hits.render import ShownLine
from annotation.hits.template_preview import LINES, TriedTask, read_tried, template_page
from annotation.hits.training_preview import first_lines
from annotation.models import Study, StudyWording

_SALT, _RECEIPT = "annotation.wording-page", "annotation.preview-time"
MAX_RECEIPT_SECONDS = 24 * 3600
# Servers and proxies take the first line of a request up to 4,094 bytes.
MAX_ADDRESS_CHARS = 3900


@dataclass(frozen=True, slots=True)
class EditedTask:
    """A study's task with edited words, and the texts of its page (none: sample texts)."""

    study: Study
    preset: Preset
    lines: tuple[ShownLine, ...]

    def page(self) -> str:
        """The task page."""
        return template_page(self.preset, self.lines)

    def read(self, answers: Mapping[str, str]) -> TriedTask:
        """What was answered on it, and what a whole task would take and pay at that pace."""
        return read_tried(self.preset, answers, self.lines)

    def receipt(self, tried: TriedTask) -> str:
        """The measured time, signed, to be stored if an editor says so; "" where none was measured."""
        if tried.median_seconds is None:
            return ""
        measured = [tried.answered, tried.median_seconds, questions_of(self.preset.wording)]
        return signing.dumps([self.study.pk, *measured], salt=_RECEIPT)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was measured on the preview of a study, by its primary key."""

    study: int
    answered: int
    median_seconds: float
    questions: list[str]


def read_receipt(token: str) -> Receipt | None:
    """The measurement that a receipt of the last day states; None for any other."""
    try:
        study, answered, median_seconds, questions = signing.loads(token, salt=_RECEIPT, max_age=MAX_RECEIPT_SECONDS)
    except (signing.BadSignature, ValueError):  # or one of an earlier release
        return None
    return Receipt(study, answered, median_seconds, questions)


def edited_address(stored: StudyWording, edited: Wording) -> str:
    """Where the page with the edited words is served. Raises DesignError for too long changes."""
    words = as_json(edited)
    changes = {name: value for name, value in words.items() if stored.body.get(name) != value}
    changes |= dict.fromkeys(stored.body.keys() - words.keys(), "")
    token = signing.dumps([stored.pk, changes], salt=_SALT, compress=True)
    base = settings.HIT_ORIGIN + reverse("wording-page", args=[token])
    address = f"{base}?{urlencode({'assignmentId': 'SAMPLE', 'turkSubmitTo': base})}"
    if len(address) > MAX_ADDRESS_CHARS:
        raise DesignError("The changes are too long to be shown before they are saved. Save the task text.")
    return address


def edited_task(token: str) -> EditedTask | None:
    """The task that an address names; None where it names none."""
    try:
        pk, changes = signing.loads(token, salt=_SALT)
    except (signing.BadSignature, ValueError):  # or one of an earlier release
        return None
    stored = StudyWording.objects.select_related("study").filter(pk=pk).first()
    if stored is None:
        return None
    study = stored.study
    shown = {name: getattr(study, name) for name in (*LINES, "reward_cents")}
    preset = Preset(study.name, study.name, "", from_json({**stored.body, **changes}), shown)
    return EditedTask(study, preset, tuple(first_lines(study)))
