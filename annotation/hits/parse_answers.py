"""What a page's fields say: the inverse of `render`, pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotation.design.criteria import Criterion
from annotation.design.kinds import kind_called
from annotation.design.task_kind import TaskKind
from annotation.design.wording import Wording
from annotation.exceptions import AnswerError
from annotation.hits.render import (
    ORDER_FIELD,
    SHARE_FIELD,
    SHARE_VALUE,
    SIDES_FIELD,
    active_field,
    criterion_field,
    follow_up_field,
    measured_fields,
    practice_field,
    rating_field,
)
from metrics.data.answer_types import AnswerType

MAX_MILLISECONDS = 86_400_000
MAX_COUNT = 1_000_000
MAX_REMARK_CHARS = 20_000
Answers = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Answered:
    """One line as a worker answered it. labels: those chosen, by criterion; missing: criteria without one; unanswered:
    required follow-ups that the labels called for, and that have no words or fewer than they ask for."""

    labels: Mapping[str, tuple[str, ...]]
    missing: tuple[str, ...]
    remarks: Mapping[str, str]
    active_ms: int | None
    away: int | None
    pastes: int | None
    keystrokes: int | None
    unanswered: tuple[str, ...] = ()


def unanswered(wording: Wording) -> Answered:
    """A line of which nothing could be read."""
    names = tuple(criterion.name for criterion in wording.criteria)
    return Answered(dict.fromkeys(names, ()), names, {}, None, None, None, None)


@dataclass(frozen=True, slots=True)
class Practised:
    """A guess in a practice round."""

    number: int
    chosen: str
    right: bool
    sides_changed: bool
    active_ms: int | None


def read_line(answers: Answers, position: int, wording: Wording, *, sides_changed: bool = False) -> Answered:
    """The answers to the line at `position`. A pair whose sides were changed is read back into the stored order."""
    labels = {
        criterion.name: _chosen_labels(answers, position, criterion, wording, sides_changed)
        for criterion in wording.criteria
    }
    away, pastes, keys = (parse_count(answers.get(field, ""), MAX_COUNT) for field in measured_fields(position))
    remarks = {
        follow_up.name: answers.get(follow_up_field(position, follow_up.name), "").strip()
        for follow_up in wording.follow_ups
    }
    return Answered(
        labels,
        tuple(name for name, chosen in labels.items() if not chosen),
        {name: text[:MAX_REMARK_CHARS] for name, text in remarks.items() if text},
        parse_count(answers.get(active_field(position), ""), MAX_MILLISECONDS),
        away,
        pastes,
        keys,
        tuple(_unanswered_follow_ups(remarks, _shown_labels(answers, position, wording), wording)),
    )


def _shown_labels(answers: Answers, position: int, wording: Wording) -> set[str]:
    """The labels chosen as the page showed them, of all criteria: follow-ups wait for these."""
    return {
        label
        for criterion in wording.criteria
        for label in _chosen_labels(answers, position, criterion, wording, swapped=False)
    }


def _unanswered_follow_ups(remarks: Mapping[str, str], chosen: set[str], wording: Wording) -> Iterator[str]:
    for follow_up in wording.follow_ups:
        called = chosen.intersection(follow_up.when) if follow_up.when else chosen
        if (
            follow_up.required
            and called
            and _utf16_length(remarks[follow_up.name]) < max(follow_up.least_characters, 1)
        ):
            yield follow_up.name


def _utf16_length(text: str) -> int:
    """Characters as a browser counts them, by which the page checks the minimum."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def read_check(answers: Answers, position: int, wording: Wording) -> str:
    """The label chosen at an attention check ("": none)."""
    first = wording.criteria[0]
    return answers.get(criterion_field(position, first, wording)) or answers.get(rating_field(position), "")


def agrees_to_share(answers: Answers) -> bool:
    """Whether the box was ticked that agrees to sharing; a browser sends nothing of an empty one."""
    return answers.get(SHARE_FIELD) == SHARE_VALUE


def read_practice(answers: Answers, wording: Wording, arm: str) -> list[Practised]:
    """The guesses of the arm's practice rounds; a round without a guess is skipped."""
    changed = set(changed_sides(answers))
    if arm == "examples":
        labels = [label for label, _, _ in wording.criteria[0].labels]
        truths = [example.source for example in wording.training.examples]
        guesses = [(i, answers.get(practice_field(i), ""), truth) for i, truth in enumerate(truths)]
        return [
            Practised(
                i,
                guess,
                (labels.index(guess) >= len(labels) / 2) == (truth == "machine"),
                False,
                _practice_ms(answers, i),
            )
            for i, guess, truth in guesses
            if guess in labels
        ]
    if arm != "comparison":
        return []
    first, second = wording.buttons.first, wording.buttons.second
    practised = []
    for i in range(len(wording.training.comparison)):
        guess, swapped = answers.get(practice_field(i), ""), f"practice-{i}" in changed
        if guess in (first, second):
            # The machine's text is second unless the sides were changed.
            practised.append(Practised(i, guess, (guess == first) == swapped, swapped, _practice_ms(answers, i)))
    return practised


def order_shown(answers: Answers, lines: int) -> list[int] | None:
    """Positions in the order the worker met them; None where the page did not say (no script) or said nonsense."""
    try:
        order = [int(part) for part in answers.get(ORDER_FIELD, "").split(",")]
    except ValueError:
        return None
    return order if sorted(order) == list(range(lines)) else None


def changed_sides(answers: Answers) -> list[str]:
    """Which pairs were shown with their sides changed: positions, and `practice-0` ... of the training."""
    return [part for part in answers.get(SIDES_FIELD, "").split(",") if part]


def parse_count(field: str, limit: int) -> int | None:
    """A whole number below `most`; anything else a browser may send counts as not recorded."""
    return int(field) if field.isascii() and field.isdigit() and len(field) < 12 and int(field) < limit else None


def _practice_ms(answers: Answers, practice: int) -> int | None:
    return parse_count(answers.get(f"{practice_field(practice)}-ms", ""), MAX_MILLISECONDS)


def _chosen_labels(
    answers: Answers, position: int, criterion: Criterion, wording: Wording, swapped: bool
) -> tuple[str, ...]:
    """The labels chosen that the scale has, in the order of the scale."""
    kind = kind_called(wording.kind)
    sent = answers.get(criterion_field(position, criterion, wording), "")
    answer = kind.answer_of(criterion)
    known = [label for label, _, _ in kind.labels_of(criterion)]
    chosen = _read_by_kind(kind, sent, criterion) if kind.read else READERS.get(answer, _read_label)(sent, known)
    if swapped and answer is AnswerType.PREFERENCE:
        chosen = [_swap_sides(label, known) for label in chosen]
    return tuple(label for label in known if label in chosen)


def _read_by_kind(kind: TaskKind, sent: str, criterion: Criterion) -> Sequence[str]:
    try:
        return kind.read(sent, criterion) if kind.read else ()
    except Exception as error:
        # The reader may be another package's, and raise anything.
        problem = f"The answers of the task type {kind.name} cannot be read: {type(error).__name__}: {error}"
        raise AnswerError(problem) from error


def _read_label(sent: str, known: Sequence[str]) -> Sequence[str]:
    return [sent]


def _read_labels(sent: str, known: Sequence[str]) -> Sequence[str]:
    """Ticked boxes come joined by | from a marketplace."""
    return [sent] if sent in known else sent.split("|")


def _read_number(sent: str, known: Sequence[str]) -> Sequence[str]:
    """A whole number, also with blanks around it or zeros before it."""
    digits = sent.strip()
    return [str(int(digits))] if _DIGITS.fullmatch(digits) else ()


_DIGITS = re.compile(r"-?[0-9]{1,9}", re.ASCII)
READERS: Mapping[AnswerType, Callable[[str, Sequence[str]], Sequence[str]]] = {
    AnswerType.SEVERAL_LABELS: _read_labels,
    AnswerType.NUMBER: _read_number,
}


def _swap_sides(label: str, known: Sequence[str]) -> str:
    """The label of the other side: the first and the last of the scale change places."""
    return {known[0]: known[-1], known[-1]: known[0]}.get(label, label)
