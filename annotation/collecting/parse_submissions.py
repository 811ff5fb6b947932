"""Read stored submissions into judgments; what cannot be read is flagged and kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from annotation.common import bulk_insert
from annotation.design.kinds import kind_called, labels_of
from annotation.design.wording import Wording, from_json
from annotation.exceptions import AnswerError, StateError
from annotation.hits.parse_answers import (
    Answered,
    agrees_to_share,
    changed_sides,
    order_shown,
    read_check,
    read_line,
    read_practice,
    unanswered,
)
from annotation.models import (
    AttentionCheck,
    CheckAnswer,
    Flag,
    Hit,
    HitItem,
    ItemRole,
    Judgment,
    Parse,
    PracticeAnswer,
    Presentation,
    Remark,
    Scale,
    SharingAnswer,
    Study,
    Submission,
)
from annotation.mturk.answer_xml import read_answers

BATCH = 100
TOGETHER = 5  # HITs
PRESENTED = (
    "id", "submission", "text", "partner", "position", "role",
    "shown_at", "sides_changed", "active_ms", "away", "pastes", "keystrokes",
)  # fmt: skip
JUDGED = ("presentation", "criterion", "label", "text")
Labels = Mapping[str, Mapping[str, int]]  # a label's key, by criterion and label


@dataclass(frozen=True, slots=True)
class Reading:
    """Submissions read into judgments, judgments made, and submissions that could not be read."""

    submissions: int
    judgments: int
    unreadable: int


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What a HIT's submissions are read against."""

    items: Sequence[HitItem]
    checks: Sequence[AttentionCheck]
    wording: Wording
    labels: Labels
    arm: str


@dataclass(frozen=True, slots=True)
class _ParsedSubmission:
    """What a submission says. met: the place of each position in the order that the worker met."""

    submission: Submission
    sheet: _Sheet
    answers: Mapping[str, str]
    answered: Sequence[Answered]
    changed: set[str]
    met: Mapping[int, int]
    problem: str


def read(study: Study, *, now: datetime, progress: Callable[[int], None] | None = None) -> Reading:
    """Turn every submission not yet read into presentations and judgments, batch by batch, each in a transaction.

    Raises DesignError where there are some and the kind of task is not installed.
    """
    if _unread_submissions(study).exists():
        kind_called(study.task)
    sheets: dict[int, _Sheet] = {}
    submissions = judgments = unreadable = 0
    # HIT by HIT: looking for the next batch in the whole study would pass over all that is read, each time.
    while hits := list(_unread_submissions(study).order_by("hit").values_list("hit_id", flat=True).distinct()):
        for begin in range(0, len(hits), TOGETHER):
            while batch := _read_batch(study, hits[begin : begin + TOGETHER], sheets, now=now):
                submissions += len(batch)
                judgments += sum(batch)
                unreadable += batch.count(0)
                if progress:
                    progress(submissions)
    return Reading(submissions, judgments, unreadable)


def _unread_submissions(study: Study) -> QuerySet[Submission]:
    unread = ~Exists(Parse.objects.filter(submission=OuterRef("pk")))
    return Submission.objects.filter(unread, hit__study=study, raw_format="mturk-xml")


def _read_batch(study: Study, hits: Sequence[int], sheets: dict[int, _Sheet], *, now: datetime) -> list[int]:
    """Judgments made of each submission of the next batch of these HITs (0: unreadable)."""
    with transaction.atomic():
        # Of two readers the second waits here, and then finds what the first has read; collecting goes on meanwhile.
        list(Hit.objects.select_for_update().filter(pk__in=hits).order_by("pk").values_list("pk"))
        waiting = _unread_submissions(study).filter(hit__in=hits).order_by("hit", "pk")
        batch = list(waiting.select_related("hit__wording", "hit__cell__arm")[:BATCH])
        for hit_id in set(sheets) - {submission.hit_id for submission in batch}:
            del sheets[hit_id]
        read_now = []
        for submission in batch:
            if submission.hit_id not in sheets:
                sheets[submission.hit_id] = _load_sheet(submission.hit)
            read_now.append(_parse_submission(submission, sheets[submission.hit_id]))
        return _store_batch(read_now, now=now) if read_now else []


def _load_sheet(hit: Hit) -> _Sheet:
    if hit.wording is None:
        raise StateError(f"The HIT {hit.slot} of {hit.study} was published without a wording.")
    wording = from_json(hit.wording.body)
    labels = {
        criterion.name: dict(
            Scale.objects.matching(criterion.scale, labels_of(wording, criterion)).labels.values_list("label", "pk")
        )
        for criterion in wording.criteria
    }
    items = list(hit.items.order_by("position"))
    return _Sheet(items, list(hit.checks.order_by("position")), wording, labels, hit.cell.arm.training)


def _parse_submission(submission: Submission, sheet: _Sheet) -> _ParsedSubmission:
    try:
        answers, problem = read_answers(submission.raw), ""
    except AnswerError as error:
        answers, problem = {}, str(error)
    changed = set(changed_sides(answers))
    try:
        answered = [
            read_line(answers, item.position, sheet.wording, sides_changed=str(item.position) in changed)
            for item in sheet.items
        ]
    except AnswerError as error:
        answered, problem = [unanswered(sheet.wording) for _ in sheet.items], str(error)
    order = order_shown(answers, len(sheet.items) + len(sheet.checks))
    met = {position: place for place, position in enumerate(order)} if order else {}
    return _ParsedSubmission(
        submission, sheet, answers, answered, changed, met, problem or _missing_answers(answered, sheet)
    )


def _missing_answers(answered: Sequence[Answered], sheet: _Sheet) -> str:
    """Return what a worker did not answer, in sentences; "" for nothing. All other answers are read."""
    lines = list(zip(sheet.items, answered, strict=True))
    of = len(sheet.items) + len(sheet.checks)
    sentences = []
    if places := [item.position + 1 for item, line in lines if line.missing]:
        sentences.append(f"No label of the scale for text {', '.join(map(str, places))} of {of}.")
    for follow_up in sheet.wording.follow_ups:
        if places := [item.position + 1 for item, line in lines if follow_up.name in line.unanswered]:
            lack = f"fewer than {minimum} characters" if (minimum := follow_up.least_characters) > 1 else "no words"
            where = f"text {', '.join(map(str, places))} of {of}"
            sentences.append(f"The required question {follow_up.name!r} has {lack} for {where}.")
    return " ".join(sentences)


def _store_batch(batch: Sequence[_ParsedSubmission], *, now: datetime) -> list[int]:
    """Rows of a whole batch in one statement for each table; the judgments made of each submission."""
    Parse.objects.bulk_create(
        Parse(submission=parsed.submission, parsed_at=now, problem=parsed.problem, active_ms=_active_ms(parsed))
        for parsed in batch
    )
    Flag.objects.bulk_create(
        Flag(submission=parsed.submission, kind="incomplete", sentence=parsed.problem, raised_at=now)
        for parsed in batch
        if parsed.problem
    )
    _store_extras(batch)
    keys = iter(bulk_insert.new_keys(Presentation, sum(len(parsed.answered) for parsed in batch)))
    lines = [
        (parsed, [(next(keys), *pair) for pair in zip(parsed.sheet.items, parsed.answered, strict=True)])
        for parsed in batch
    ]
    bulk_insert.insert(
        Presentation,
        PRESENTED,
        (_presentation(parsed, *line) for parsed, parsed_lines in lines for line in parsed_lines),
    )
    judgments = [[row for line in parsed_lines for row in _judgments(parsed, *line)] for parsed, parsed_lines in lines]
    bulk_insert.insert(Judgment, JUDGED, (row for rows in judgments for row in rows))
    Remark.objects.bulk_create(
        Remark(presentation_id=key, question=question, body=body)
        for _, parsed_lines in lines
        for key, _, answered in parsed_lines
        for question, body in answered.remarks.items()
    )
    judged: Counter[int] = Counter()
    for parsed, rows in zip(batch, judgments, strict=True):
        judged[parsed.submission.hit_id] += len(rows)
    for hit_id, number in sorted(judged.items()):
        Hit.objects.filter(pk=hit_id).update(judged=F("judged") + number)
    return [len(rows) for rows in judgments]


def _active_ms(parsed: _ParsedSubmission) -> int | None:
    times = [line.active_ms for line in parsed.answered if line.active_ms is not None]
    return sum(times) if times and len(times) == len(parsed.answered) else None


def _presentation(parsed: _ParsedSubmission, key: int, item: HitItem, answered: Answered) -> bulk_insert.Row:
    """As PRESENTED names them."""
    return (
        key,
        parsed.submission.pk,
        item.text_id,
        item.partner_id,
        item.position,
        item.role,
        parsed.met.get(item.position),
        bool(parsed.changed) and str(item.position) in parsed.changed,
        answered.active_ms,
        answered.away,
        answered.pastes,
        answered.keystrokes,
    )


def _judgments(parsed: _ParsedSubmission, key: int, item: HitItem, answered: Answered) -> Iterator[bulk_insert.Row]:
    """As JUDGED names them."""
    text = item.text_id if item.role == ItemRole.ITEM else None
    for criterion, chosen in answered.labels.items():
        for label in chosen:
            yield key, criterion, parsed.sheet.labels[criterion][label], text


def _store_extras(batch: Sequence[_ParsedSubmission]) -> None:
    chosen = [
        (parsed, check, read_check(parsed.answers, check.position, parsed.sheet.wording))
        for parsed in batch
        for check in parsed.sheet.checks
    ]
    CheckAnswer.objects.bulk_create(
        CheckAnswer(submission=parsed.submission, check_asked=check, chosen=label[:100], passed=label == check.expected)
        for parsed, check, label in chosen
    )
    PracticeAnswer.objects.bulk_create(
        PracticeAnswer(
            submission=parsed.submission,
            number=practised.number,
            chosen=practised.chosen,
            right=practised.right,
            sides_changed=practised.sides_changed,
            active_ms=practised.active_ms,
        )
        for parsed in batch
        for practised in read_practice(parsed.answers, parsed.sheet.wording, parsed.sheet.arm)
    )
    SharingAnswer.objects.bulk_create(
        SharingAnswer(
            submission=parsed.submission,
            wording_id=parsed.submission.hit.wording_id,
            agreed=agrees_to_share(parsed.answers),
        )
        for parsed in batch
        if parsed.sheet.wording.sharing
    )
