"""From a HIT's lines to the page a worker sees: one self-contained HTML document."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any, Literal

from django.template import engines
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from annotation.design.criteria import Choice, Criterion, FollowUp
from annotation.design.kinds import kind_called
from annotation.design.sides import names_a_side
from annotation.design.task_kind import TaskKind
from annotation.design.wording import PracticePair, Wording
from annotation.exceptions import QuestionError
from metrics.data.answer_types import AnswerType

Arm = Literal["none", "instructions", "examples", "comparison"]
RIGHT_TO_LEFT = ("ar", "fa", "he", "ur", "yi", "ps", "dv", "ckb")


@dataclass(frozen=True, slots=True)
class ShownText:
    """A text as the page shows it; `context` is what it answers, "" for none."""

    body: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of a HIT: a text, two texts side by side, or a check that asks for the label `expected`.

    group: what names the lines that are shown together, "" where each line is shown by itself.
    """

    position: int
    text: ShownText = field(default_factory=lambda: ShownText(""))
    partner: ShownText | None = None
    expected: str = ""
    group: str = ""


def rating_field(position: int, criterion: str = "") -> str:
    """The form field that carries the label chosen for the line at `position` (from 0).

    criterion: which question, where a task asks several.
    """
    return f"rating-{position}-{criterion}" if criterion else f"rating-{position}"


def follow_up_field(position: int, name: str) -> str:
    """The form field of a follow-up question."""
    return f"{name}-{position}"


def active_field(position: int) -> str:
    """The form field that carries the active milliseconds spent on the line at `position`."""
    return f"active-ms-{position}"


def measured_fields(position: int) -> tuple[str, str, str]:
    """The form fields that count how often the worker left the page, pasted and typed at a line."""
    return f"away-{position}", f"pastes-{position}", f"keys-{position}"


def practice_field(number: int) -> str:
    """The form field of a practice round (from 0)."""
    return f"practice-{number}"


ORDER_FIELD, SIDES_FIELD = "order", "sides"
SHARE_FIELD, SHARE_VALUE = "share", "yes"


def criterion_field(position: int, criterion: Criterion, wording: Wording) -> str:
    """The field of one criterion: the plain one where there is only one."""
    return rating_field(position, criterion.name if len(wording.criteria) > 1 else "")


def hit_page(
    wording: Wording,
    lines: Sequence[ShownLine],
    *,
    arm: Arm = "none",
    seed: int = 0,
    shuffle: bool = True,
    machine_first: bool = False,
) -> str:
    """The page of a HIT: what the arm shows first, then every line, everything to be answered.

    seed: of each worker's own order; shuffle False: in the stored order (a preview).
    machine_first: practice pairs whose sides may change begin with the machine's text (a preview).
    Raises DesignError where the kind of task is not installed, QuestionError where its template fails.
    """
    kind = kind_called(wording.kind)
    shown = [_line_context(line, wording, kind, of=len(lines)) for line in lines]
    has_context = any(line.text.context for line in lines)
    context = {
        "wording": _WordingTexts(wording, context=has_context),
        "buttons": wording.buttons,
        "direction": "rtl" if wording.language.split("-")[0] in RIGHT_TO_LEFT else "ltr",
        "lines": shown,
        "groups": _groups(lines, shown, wording, kind),
        "choices": _choices(wording.criteria[0], wording),
        "glossed": any(gloss for _, _, gloss in wording.criteria[0].labels),
        "unknown": _any_unknown(lines, wording),
        "consent": [wording.fill_nouns(text) for text in wording.consent],
        "share": {"field": SHARE_FIELD, "value": SHARE_VALUE},
        "training": _training_context(wording, arm, machine_first),
        "task": kind.name,
        "in_order": kind.in_order,
        "stepwise": kind.stepwise,
        "setup": _setup_json(wording, kind, seed if shuffle else None),
        "measure": wording.measure,
    }
    return _strip_indentation(_render(kind, context))


def _groups(
    lines: Sequence[ShownLine], shown: Sequence[dict[str, Any]], wording: Wording, kind: TaskKind
) -> list[dict[str, Any]]:
    """Lines that are shown together, with the context that they share, once; nothing where no lines are."""
    if not kind.keeps_contexts:
        return []
    groups: dict[str, dict[str, Any]] = {}
    for line, context in zip(lines, shown, strict=True):
        group = {"name": line.group, "context": _escape_text(line.text.context, wording), "lines": []}
        groups.setdefault(line.group, group)["lines"].append(context)
        context["text"] = {**context["text"], "context": ""}
    return list(groups.values())


def _render(kind: TaskKind, context: dict[str, Any]) -> str:
    try:
        return str(_template_of(kind.name).render(context))
    except Exception as error:
        # The template may be another package's, and raise anything.
        problem = f"The page of the task type {kind.name} cannot be rendered: {type(error).__name__}: {error}"
        raise QuestionError(problem) from error


@cache
def _template_of(name: str) -> Any:
    return engines["django"].from_string(kind_called(name).template)


def _strip_indentation(html: str) -> str:
    """Remove the indentation of the templates, which would count against the size of a question.

    Texts keep theirs: each is on the line of its paragraph.
    """
    head, form, rest = html.partition('<form id="answers"')
    body, script, code = rest.partition("<script>")
    return _INDENTED.sub("\n", head) + form + body + script + _INDENTED.sub("\n", code)


_INDENTED = re.compile(r"\n\s+")


class _WordingTexts:
    """A wording whose texts come with their nouns. context: whether any text of the page is shown with one."""

    def __init__(self, wording: Wording, *, context: bool) -> None:
        self._wording, self._context = wording, context

    def __getitem__(self, name: str) -> Any:
        value = getattr(self._wording, name)
        if isinstance(value, tuple):
            return [self._filled(text) if isinstance(text, str) else text for text in value]
        return self._filled(value) if isinstance(value, str) else value

    def _filled(self, text: str) -> str:
        return self._wording.fill_nouns(text, context=self._context)


def _setup_json(wording: Wording, kind: TaskKind, seed: int | None) -> SafeString:
    return mark_safe(_script_json(_script_setup(wording, kind, seed)))  # noqa: S308 - escaped there


def _script_setup(wording: Wording, kind: TaskKind, seed: int | None) -> dict[str, Any]:
    """What the page's script needs to know."""
    return {
        "seed": seed,
        "stepwise": kind.stepwise,
        "measure": wording.measure,
        "words": {name: getattr(wording.buttons, name) for name in _SCRIPT_WORDS},
    }


_SCRIPT_WORDS = ("place", "progress", "step", "missing", "short", "right", "wrong", "truth_human", "truth_machine",
                 "truth_first", "truth_second")  # fmt: skip


def _script_json(value: Any) -> str:
    """Return JSON that cannot end the script around it."""
    return (
        json.dumps(value, ensure_ascii=False)
        .replace("<", "\\u003c")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
    )


def _line_context(line: ShownLine, wording: Wording, kind: TaskKind, *, of: int) -> dict[str, Any]:
    return {
        "place": wording.buttons.place.replace("{n}", str(line.position + 1)).replace("{of}", str(of)),
        "position": line.position,
        "is_check": bool(line.expected),
        "attention": wording.buttons.attention.replace("{label}", line.expected),
        "text": _text_context(line.text, wording),
        "partner": _text_context(line.partner, wording) if line.partner else None,
        "criteria": [_criterion_context(line, criterion, wording, kind) for criterion in wording.criteria],
        "follow_ups": []
        if line.expected
        else [_follow_up_context(line, follow_up, wording) for follow_up in wording.follow_ups],
        "active": active_field(line.position),
    }


def _criterion_context(line: ShownLine, criterion: Criterion, wording: Wording, kind: TaskKind) -> dict[str, Any]:
    number = kind.answer_of(criterion) is AnswerType.NUMBER
    return {
        "question": wording.fill_nouns(criterion.question, context=bool(line.text.context)),
        "field": criterion_field(line.position, criterion, wording),
        "type": "number" if number else "checkbox" if criterion.many else "radio",
        "choices": _choices(criterion, wording),
        "slider": _slider_context(criterion) if number else None,
    }


def _slider_context(criterion: Criterion) -> dict[str, Any]:
    """The ends of a number with their names, and where a slider stands that nobody has moved."""
    ends = sorted((int(Fraction(code)), label) for label, code, _ in criterion.labels)
    (low, low_label), (high, high_label) = ends[0], ends[-1]
    return {
        "low": low,
        "high": high,
        "low_label": low_label,
        "high_label": high_label,
        "middle": (low + high) // 2,
    }


def _follow_up_context(line: ShownLine, follow_up: FollowUp, wording: Wording) -> dict[str, Any]:
    return {
        "field": follow_up_field(line.position, follow_up.name),
        "text": wording.fill_nouns(follow_up.text, context=bool(line.text.context)),
        "when": json.dumps(list(follow_up.when), ensure_ascii=False),
        "least": follow_up.least_characters,
        "required": follow_up.required,
    }


def _choices(criterion: Criterion, wording: Wording) -> list[Choice]:
    return [Choice(label, wording.fill_nouns(gloss)) for label, _, gloss in criterion.labels]


def _text_context(text: ShownText, wording: Wording) -> dict[str, SafeString]:
    return {"body": _escape_text(text.body, wording), "context": _escape_text(text.context, wording)}


def _unknown_pattern(wording: Wording) -> re.Pattern[str] | None:
    """Return the pattern of a lost word's marker, alone or before punctuation, as it is when escaped."""
    if not wording.unknown_markers:
        return None
    markers = "|".join(re.escape(escape(marker)) for marker in sorted(wording.unknown_markers, key=len, reverse=True))
    return re.compile(rf"(?<!\S)(?:{markers})(?=$|[\s.,;:!?)])")


def _escape_text(text: str, wording: Wording) -> SafeString:
    """`text` escaped, with a box for each lost word."""
    safe, pattern = str(escape(text)), _unknown_pattern(wording)
    if pattern is None:
        return mark_safe(safe)  # noqa: S308 - escaped above
    box = f'<span class="lost" role="img" aria-label="{escape(wording.buttons.lost_word)}">▢</span>'
    return mark_safe(pattern.sub(lambda _: box, safe))  # noqa: S308 - escaped above


def _any_unknown(lines: Sequence[ShownLine], wording: Wording) -> bool:
    pattern = _unknown_pattern(wording)
    bodies = [text.body for line in lines for text in (line.text, line.partner) if text]
    return pattern is not None and any(pattern.search(str(escape(body))) for body in bodies)


def _escape_explanation(pair: PracticePair, wording: Wording, *, changed: bool) -> SafeString:
    """The explanation; its marks are places for the script, which writes the side where each text is shown."""
    sides = (
        (wording.buttons.second, wording.buttons.first) if changed else (wording.buttons.first, wording.buttons.second)
    )
    safe = str(escape(wording.fill_nouns(pair.explanation, context=bool(pair.context))))
    for mark, side in zip(("human", "machine"), sides, strict=True):
        safe = safe.replace(f"{{{mark}}}", f'“<span data-side="{mark}">{escape(side)}</span>”')
    return mark_safe(safe)  # noqa: S308 - escaped above


def _training_context(wording: Wording, arm: Arm, machine_first: bool) -> dict[str, Any]:
    """Return what the page shows before the task in this arm."""
    training, words = wording.training, wording.buttons
    shown: dict[str, Any] = {"instructions": [], "rounds": []}
    if arm == "instructions":
        shown["instructions"] = [wording.fill_nouns(text) for text in training.instructions]
    if arm == "examples":
        choices = _choices(wording.criteria[0], wording)
        shown["rounds"] = [
            {
                "field": practice_field(i),
                "texts": [{"text": _text_context(ShownText(example.text, example.context), wording)}],
                "choices": choices,
                "source": example.source,
                "question": wording.fill_nouns(wording.criteria[0].question, context=bool(example.context)),
                "explanation": wording.fill_nouns(example.explanation, context=bool(example.context)),
            }
            for i, example in enumerate(training.examples)
        ]
    if arm == "comparison":
        shown["rounds"] = [_pair_context(i, pair, wording, machine_first) for i, pair in enumerate(training.comparison)]
    for i, round_shown in enumerate(shown["rounds"]):
        round_shown["title"] = words.practice.replace("{n}", str(i + 1)).replace("{of}", str(len(shown["rounds"])))
    return shown


def _pair_context(number: int, pair: PracticePair, wording: Wording, machine_first: bool) -> dict[str, Any]:
    words = wording.buttons
    fixed = names_a_side(pair.explanation, words, language=wording.language)
    changed = machine_first and not fixed
    bodies = (pair.machine, pair.human) if changed else (pair.human, pair.machine)
    return {
        "field": practice_field(number),
        "context": _escape_text(pair.context, wording),
        "texts": [
            {"side": side, "text": _text_context(ShownText(body), wording)}
            for side, body in zip((words.first, words.second), bodies, strict=True)
        ],
        "choices": [Choice(words.first, ""), Choice(words.second, "")],
        "source": "pair",
        "fixed": fixed,
        "changed": changed,
        "explanation": _escape_explanation(pair, wording, changed=changed),
    }
