"""Turn a snapshot into a public one: new random pseudonyms, no times, and only answers that people agreed to share."""

from __future__ import annotations

import csv
import io
import secrets
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from random import Random
from typing import Any, TypeVar

from metrics.errors import BadInput
from metrics.report.records import CrowdFacts, GeneratorFacts, RatingRow, ReportInput, Warn
from metrics.report.row_records import AssignmentRow, CodeRow, CommentRow, ConditionFacts, RuleFacts
from metrics.report.sections.huse_extras import CRITERION
from metrics.report.snapshot import Header, Snapshot, content_of, sha256_of
from metrics.types import Item

Record = TypeVar("Record")
# Of a comment: its text, its rater (by the study's pseudonym) and its question.
CommentKey = tuple[str, str, str]
REASON = "public release"
NOTICE = "public_release"


@dataclass(frozen=True, slots=True)
class ReleaseChoices:
    """What a person decided. withheld: pseudonyms of raters who did not agree to share their answers.

    comments: those that somebody has read and releases. licence: of the release. consent: how sharing was agreed to.
    """

    licence: str
    consent: str
    withheld: frozenset[str] = frozenset()
    comments: frozenset[CommentKey] = frozenset()


@dataclass(frozen=True, slots=True)
class PublicRelease:
    """The public snapshot, and what is not in it: raters, and comments that nobody released.

    days: (days since the first submission, submissions); empty where no times are recorded.
    """

    snapshot: Snapshot
    raters: int
    withheld: int
    comments: int
    comments_withheld: int
    days: tuple[tuple[int, int], ...]

    def days_csv(self) -> str:
        """Submissions per day since the first one."""
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([("day", "submissions"), *self.days])
        return out.getvalue()


def make_public(
    snapshot: Snapshot, choices: ReleaseChoices, *, number: int, now: datetime, random: Random | None = None
) -> PublicRelease:
    """The public form of a snapshot. Another call draws other pseudonyms and another order: no two releases share any.

    Times become days; times of single assignments and their seconds are removed. Each released comment has a pseudonym
    of its own, so that comments of one rater are not seen to be of one. Counts of people, pay and times over the whole
    study stay as they were.

    Args:
        snapshot: of the study.
        choices: what may be shared. number: of the release, from 1. now: its day.
        random: the source of names and order; None: that of the system, which nobody can repeat.

    Raises:
        BadInput: an unknown pseudonym among the withheld, a comment that does not exist, or nothing left to share.
    """
    draw: Random = random or secrets.SystemRandom()
    data = snapshot.report_input
    raters = raters_of(data)
    _check_choices(data, choices, raters)
    shared = _without(data, choices)
    names = _new_names(raters - choices.withheld, draw)
    public = _renamed(shared, choices, names, draw)
    notice = _notice(len(choices.withheld), number)
    released = replace(
        _days_only(public), warnings=(*public.warnings, Warn(NOTICE, notice)), licence=choices.licence or public.licence
    )
    content = content_of(released)
    header = Header(
        study=snapshot.header.study,
        number=number,
        created_at=_day(now),
        actor="release",
        reason=REASON,
        content_sha256=sha256_of(content),
        versions=snapshot.header.versions,
        commit=snapshot.header.commit,
        personal=snapshot.header.personal if released.comments else (),
        sections=snapshot.header.sections,
    )
    return PublicRelease(
        Snapshot(header, content),
        len(names),
        len(choices.withheld),
        len(released.comments),
        len(data.comments) - len(released.comments),
        _submissions_per_day(shared.assignments),
    )


def _notice(withheld: int, number: int) -> str:
    people = {0: "Every rater's answers are in it.", 1: "1 rater did not agree to share: their answers are not in it."}
    missing = people.get(withheld, f"{withheld} raters did not agree to share: their answers are not in it.")
    return (
        f"Public release {number}: pseudonyms are new, times of day and times of single tasks are removed. {missing} "
        "Payments and quartiles of times describe the study as a whole."
    )


def raters_of(data: ReportInput) -> frozenset[str]:
    """Everybody who rated, submitted or wrote a comment, by pseudonym."""
    return frozenset(
        [row.rater for row in data.ratings]
        + [row.rater for row in data.assignments]
        + [row.rater for row in data.comments]
    )


def _check_choices(data: ReportInput, choices: ReleaseChoices, raters: Collection[str]) -> None:
    if not choices.consent.strip():
        raise BadInput("say how people agreed to share their answers", column="consent")
    if not choices.licence.strip():
        raise BadInput("name the licence of the release, such as CC-BY-4.0", column="licence")
    unknown = sorted(choices.withheld - frozenset(raters))
    if unknown:
        raise BadInput(f"no rater of the study is called {unknown[0]}", column="withheld")
    known = {(row.text, row.rater, row.question) for row in data.comments}
    strange = sorted(choices.comments - known)
    if strange:
        raise BadInput(f"there is no comment on {strange[0][0]} by {strange[0][1]}", column="comments")
    if not frozenset(raters) - choices.withheld:
        raise BadInput("no rater is left whose answers may be shared", column="withheld")


def _without(data: ReportInput, choices: ReleaseChoices) -> ReportInput:
    """The data without the raters who do not share and without comments that nobody released."""
    ratings = tuple(row for row in data.ratings if row.rater not in choices.withheld)
    assignments = tuple(row for row in data.assignments if row.rater not in choices.withheld)
    comments = tuple(
        row
        for row in data.comments
        if (row.text, row.rater, row.question) in choices.comments and row.rater not in choices.withheld
    )
    released_comments = {(row.text, row.rater, row.question) for row in comments}
    ids = {row.id for row in assignments}
    changed = replace(
        data,
        ratings=ratings,
        assignments=assignments,
        comments=comments,
        codes=tuple(row for row in data.codes if (row.text, row.rater, row.question) in released_comments),
        rules=None
        if data.rules is None
        else tuple(replace(rule, assignments=tuple(a for a in rule.assignments if a in ids)) for rule in data.rules),
    )
    if not choices.withheld:
        return changed
    values = _values(ratings)
    return replace(
        changed,
        generators=tuple(_with_means(facts, values) for facts in data.generators),
        crowd=_counted(data.crowd, assignments),
        conditions=tuple(_counted_condition(condition, assignments) for condition in data.conditions),
    )


def _counted(crowd: CrowdFacts, rows: Sequence[AssignmentRow]) -> CrowdFacts:
    """Counts of who shares: the others' answers are not in the release. Unknown without rows; ratings name raters."""
    crowd = replace(crowd, reversed=None, replied=None)  # no row says of which rater they are
    if not rows:
        return replace(crowd, workers=None, submitted=None, approved=None, rejected=None, excluded=None)
    return replace(
        crowd,
        workers=len({row.rater for row in rows}),
        submitted=len(rows),
        approved=sum(row.payment == "approved" for row in rows),
        rejected=sum(row.payment == "rejected" for row in rows),
        excluded=sum(not row.kept for row in rows),
    )


def _counted_condition(condition: ConditionFacts, rows: Sequence[AssignmentRow]) -> ConditionFacts:
    if not rows:
        return replace(condition, workers=None, submitted=None, excluded=None)
    mine = [row for row in rows if row.condition == condition.name]
    return replace(
        condition,
        workers=len({row.rater for row in mine}),
        submitted=len(mine),
        excluded=sum(not row.kept for row in mine),
    )


def _values(ratings: Sequence[RatingRow]) -> Mapping[str, list[Fraction]]:
    values: dict[str, list[Fraction]] = {}
    for row in ratings:
        if row.kept and row.criterion == CRITERION:
            values.setdefault(row.text, []).append(Fraction(row.value))
    return values


def _with_means(facts: GeneratorFacts, values: Mapping[str, list[Fraction]]) -> GeneratorFacts:
    """HJ of what is shared; a text that nobody who shares has rated is no part of the results."""
    rated, unrated = [], list(facts.dropped)
    for item in facts.items:
        if item.hj is None:
            rated.append(item)
        elif item.id in values:
            rated.append(_with_mean(item, values[item.id]))
        else:
            unrated.append(replace(item, hj=None, ratings=0))
    return replace(facts, items=tuple(rated), dropped=tuple(unrated))


def _with_mean(item: Item, values: Sequence[Fraction]) -> Item:
    mean = sum(values, Fraction(0)) / len(values)
    return replace(item, hj=mean, ratings=len(values))


def _new_names(raters: Collection[str], draw: Random) -> dict[str, str]:
    names: dict[str, str] = {}
    used: set[str] = set()
    for rater in sorted(raters):
        while (name := f"p{draw.getrandbits(48):012x}") in used:
            continue
        used.add(name)
        names[rater] = name
    return names


def _renamed(data: ReportInput, choices: ReleaseChoices, names: Mapping[str, str], draw: Random) -> ReportInput:
    """New names of raters, tasks, assignments, comments and coders; rows in the order of the new names."""
    labels = sorted(
        {hit for hit in [*(row.hit for row in data.ratings), *(row.hit for row in data.assignments)] if hit}
    )
    hits = dict(zip(draw.sample(labels, len(labels)), [f"HIT {i}" for i in range(1, len(labels) + 1)], strict=True))
    ratings = sorted(
        (replace(row, rater=names[row.rater], hit=hits.get(row.hit or "")) for row in data.ratings),
        key=lambda row: (row.rater, row.text, row.criterion, row.partner or "", row.position or 0),
    )
    assigned = sorted(data.assignments, key=lambda row: (names[row.rater], hits.get(row.hit or "", "")))
    ids = {row.id: f"A{at:05d}" for at, row in enumerate(assigned, 1)}
    assignments = [
        replace(
            row, id=ids[row.id], rater=names[row.rater], hit=hits.get(row.hit or ""), submitted_at=None, seconds=None
        )
        for row in assigned
    ]
    authors = {
        (row.text, row.rater, row.question): f"c{draw.getrandbits(48):012x}"
        for row in sorted(data.comments, key=lambda row: (row.text, row.rater, row.question))
    }
    coders = {coder: f"coder {at}" for at, coder in enumerate(sorted({row.coder for row in data.codes}), 1)}
    return replace(
        data,
        ratings=tuple(ratings),
        assignments=tuple(assignments),
        comments=_sorted_comments(data.comments, authors),
        codes=_sorted_codes(data.codes, authors, coders),
        rules=_rules(data.rules, ids),
        attached=tuple(replace(file, actor="") for file in data.attached),
    )


def _sorted_comments(rows: Sequence[CommentRow], authors: Mapping[CommentKey, str]) -> tuple[CommentRow, ...]:
    renamed = (replace(row, rater=authors[row.text, row.rater, row.question]) for row in rows)
    return tuple(sorted(renamed, key=lambda row: (row.text, row.rater)))


def _sorted_codes(
    rows: Sequence[CodeRow], authors: Mapping[CommentKey, str], coders: Mapping[str, str]
) -> tuple[CodeRow, ...]:
    renamed = (replace(row, rater=authors[row.text, row.rater, row.question], coder=coders[row.coder]) for row in rows)
    return tuple(sorted(renamed, key=lambda row: (row.text, row.rater, row.coder, row.codebook)))


def _rules(rules: Sequence[RuleFacts] | None, ids: Mapping[str, str]) -> tuple[RuleFacts, ...] | None:
    if rules is None:
        return None
    return tuple(replace(rule, assignments=tuple(sorted(ids[a] for a in rule.assignments))) for rule in rules)


def _submissions_per_day(rows: Sequence[AssignmentRow]) -> tuple[tuple[int, int], ...]:
    days = [_day(row.submitted_at) for row in rows if row.submitted_at is not None]
    counts = Counter((day - min(days)).days for day in days)
    return tuple((day, counts[day]) for day in range(max(counts) + 1)) if counts else ()


def _day(at: datetime) -> datetime:
    return at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _days_only(value: Record) -> Record:
    """Every time in a record as its day, at midnight UTC."""
    changed: Any = value
    if isinstance(value, datetime):
        changed = _day(value)
    elif is_dataclass(value) and not isinstance(value, type):
        cells = {field.name: getattr(value, field.name) for field in fields(value)}
        days = {name: _days_only(cell) for name, cell in cells.items()}
        differing = {name: days[name] for name, cell in cells.items() if days[name] is not cell}
        changed = replace(value, **differing) if differing else value
    elif isinstance(value, tuple) and value and not isinstance(value[0], str):
        members = [_days_only(member) for member in value]
        if any(new is not old for new, old in zip(members, value, strict=True)):
            changed = tuple(members)
    result: Record = changed
    return result
