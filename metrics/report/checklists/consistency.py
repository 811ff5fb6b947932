"""Facts that contradict each other: a report that states both would be false, so it is not made.

Only what no study can have is a contradiction. What is not known disagrees with nothing: rows may be absent, or name
fewer HITs and texts than were published. Rewards may have changed and payments be still on their way, so that sums of
money are not compared with rewards.
"""

from __future__ import annotations

import hashlib
import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from metrics.errors import BadInput
from metrics.report.pay import PLAY_MONEY, SIMULATED_CROWD
from metrics.report.records import ReportInput, unit_of
from metrics.report.row_records import AssignmentRow

Pairs = Iterable[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Check:
    """Two facts that must agree.

    sentence: what the first says and what the second says, and of what further. pairs: these values, for each place
    that has both facts; None: not known. agree: how the first must be related to the second.
    """

    sentence: str
    pairs: Callable[[ReportInput], Pairs]
    agree: Callable[[Any, Any], bool] = operator.eq


def check_consistency(report_input: ReportInput) -> None:
    """Raise BadInput, naming both facts, for the first two that disagree. What is not known disagrees with nothing."""
    for sentence in _disagreements(report_input):
        raise BadInput(
            f"two facts disagree, so correct the wrong field: {sentence}", where=f"study {report_input.study.name}"
        )


def _disagreements(report_input: ReportInput) -> Iterator[str]:
    for check in CHECKS:
        for first, second, *names in check.pairs(report_input):
            if first is not None and second is not None and not check.agree(first, second):
                yield check.sentence.format(first, second, *names)


def _decided(report_input: ReportInput) -> Pairs:
    crowd = report_input.crowd
    yield crowd.submitted, (crowd.approved or 0) + (crowd.rejected or 0)


def _counted(field: str, is_counted: Callable[[AssignmentRow], bool]) -> Callable[[ReportInput], Pairs]:
    """A count of the crowd, and of the rows where there are some."""

    def pairs(report_input: ReportInput) -> Pairs:
        if report_input.assignments:
            yield getattr(report_input.crowd, field), sum(map(is_counted, report_input.assignments))

    return pairs


def _workers(report_input: ReportInput) -> Pairs:
    if report_input.assignments:
        yield report_input.crowd.workers, len({row.rater for row in report_input.assignments})


def _of_condition(field: str, count: Callable[[list[AssignmentRow]], int]) -> Callable[[ReportInput], Pairs]:
    """A count of each condition, and of its rows where the study has rows."""

    def pairs(report_input: ReportInput) -> Pairs:
        rows: defaultdict[str, list[AssignmentRow]] = defaultdict(list)
        for row in report_input.assignments:
            rows[row.condition].append(row)
        if rows:
            for condition in report_input.conditions:
                yield getattr(condition, field), count(rows[condition.name]), condition.name

    return pairs


def _hits(report_input: ReportInput) -> Pairs:
    hits = {row.hit for row in report_input.assignments} | {rating.hit for rating in report_input.ratings}
    yield report_input.study.hits, len(hits - {None})


def _texts_of_hits(report_input: ReportInput) -> Pairs:
    if report_input.study.texts_per_hit is not None:
        places = dict.fromkeys(
            (rating.hit, rating.text, rating.partner)
            if rating.partner is None or rating.text < rating.partner
            else (rating.hit, rating.partner, rating.text)
            for rating in report_input.ratings
            if rating.hit is not None
        )
        for hit, texts in Counter(place[0] for place in places).most_common(1):
            yield report_input.study.texts_per_hit, texts, hit


def _total(report_input: ReportInput) -> Pairs:
    money = report_input.money
    parts = (money.paid_cents, money.fee_cents, money.bonus_cents)
    yield money.total_cents, None if None in parts else sum(part or 0 for part in parts)


def _currencies(report_input: ReportInput) -> Pairs:
    return ((report_input.money.currency, row.currency or None, row.id) for row in report_input.assignments)


def _rewards(report_input: ReportInput) -> Pairs:
    if report_input.conditions:
        rewards = {condition.name: condition.reward_cents for condition in report_input.conditions}
        for row in report_input.assignments:
            yield rewards.get(row.condition), row.reward_cents, f"conditions.reward_cents of {row.condition}", row.id
    else:
        for row in report_input.assignments:
            yield report_input.money.reward_cents, row.reward_cents, "money.reward_cents", row.id


def _simulated(report_input: ReportInput) -> Pairs:
    crowd = report_input.crowd
    for words, field in ((crowd.provider, "crowd.provider"), *((words, "crowd.pays") for words in crowd.pays)):
        yield report_input.study.mode, words, field


def _is_of_mode(mode: str, words: str) -> bool:
    return mode != "live" or words not in (SIMULATED_CROWD, *PLAY_MONEY)


def _included(report_input: ReportInput) -> Pairs:
    """Of an assignment and each of its ratings, by HIT and rater. A text may be dropped for every rater."""
    ids = {(row.hit, row.rater): row.id for row in report_input.assignments}
    excluded = {(row.hit, row.rater) for row in report_input.assignments if not row.kept}
    included = {(row.hit, row.rater) for row in report_input.assignments if row.kept}
    wholly_excluded, wholly_included = excluded - included, included - excluded
    dropped = {item.id for facts in report_input.generators for item in facts.dropped}
    raters = {rater for _, rater in wholly_excluded}
    for rating in report_input.ratings:
        if rating.kept and rating.rater not in raters:
            continue
        unit = rating.hit, rating.rater
        if unit in wholly_excluded if rating.kept else unit in wholly_included and rating.text not in dropped:
            yield YES[not rating.kept], YES[rating.kept], ids[unit], rating.text


YES = {True: "included", False: "excluded"}


def _withdrawn(report_input: ReportInput) -> Pairs:
    rows = {unit_of(row.hit, row.rater): row.id for row in report_input.assignments if row.withdrawn}
    if rows:
        answered = Counter(rating.unit for rating in report_input.ratings)
        yield from ((True, answered[unit], name) for unit, name in rows.items())


def _has_no_answers(withdrawn: bool, answers: int) -> bool:
    return not (withdrawn and answers)


def _plan(report_input: ReportInput) -> Pairs:
    plan = report_input.plan
    if plan is not None and plan.text is not None:
        yield plan.sha256, hashlib.sha256(plan.text.encode()).hexdigest()


CHECKS: tuple[Check, ...] = (
    Check("crowd.submitted is {}, and crowd.approved and crowd.rejected together are {}", _decided, operator.ge),
    Check(
        "crowd.submitted is {}, and crowd.excluded is {}",
        lambda of: [(of.crowd.submitted, of.crowd.excluded)],
        operator.ge,
    ),
    Check("crowd.submitted is {}, and the count of assignments is {}", _counted("submitted", lambda _: True)),
    Check(
        "crowd.approved is {}, and the count of approved in assignments.payment is {}",
        _counted("approved", lambda row: row.payment == "approved"),
    ),
    Check(
        "crowd.rejected is {}, and the count of rejected in assignments.payment is {}",
        _counted("rejected", lambda row: row.payment == "rejected"),
    ),
    Check(
        "crowd.excluded is {}, and the count of excluded in assignments.kept is {}",
        _counted("excluded", lambda row: not row.kept),
    ),
    Check("crowd.workers is {}, and the count of people in assignments.rater is {}", _workers),
    Check(
        "crowd.workers is {}, and the count of people in ratings.rater is {}",
        lambda of: [(of.crowd.workers, len({rating.rater for rating in of.ratings}))],
        operator.ge,
    ),
    Check(
        "conditions.submitted of {2} is {0}, and the count of its assignments is {1}", _of_condition("submitted", len)
    ),
    Check(
        "conditions.workers of {2} is {0}, and the count of people in its assignments is {1}",
        _of_condition("workers", lambda rows: len({row.rater for row in rows})),
    ),
    Check(
        "conditions.excluded of {2} is {0}, and the count of excluded in its assignments is {1}",
        _of_condition("excluded", lambda rows: sum(not row.kept for row in rows)),
    ),
    Check("study.hits is {}, and the count of HITs in assignments and ratings is {}", _hits, operator.ge),
    Check("study.texts_per_hit is {0}, and {2} has {1} of them in ratings", _texts_of_hits, operator.ge),
    Check(
        "study.collected_from is {}, after study.collected_to, which is {}",
        lambda of: [(of.study.collected_from, of.study.collected_to)],
        operator.le,
    ),
    Check("money.total_cents is {}, and money.paid_cents, money.fee_cents and money.bonus_cents sum up to {}", _total),
    Check("money.currency is {0}, and assignments.currency of {2} is {1}", _currencies),
    Check("{2} is {0}, and assignments.reward_cents of {3} is {1}", _rewards),
    Check("study.mode is {0}, and {2} says: {1}", _simulated, _is_of_mode),
    Check("assignments.kept of {2} says {0}, and ratings.kept of its text {3} says {1}", _included),
    Check("assignments.withdrawn of {2} says {0}, and the count of its ratings is {1}", _withdrawn, _has_no_answers),
    Check(
        "assignments.checks of {2} is {0}, and assignments.checks_failed is {1}",
        lambda of: ((row.checks, row.checks_failed, row.id) for row in of.assignments),
        operator.ge,
    ),
    Check("plan.sha256 is {}, and the SHA-256 of plan.text is {}", _plan),
)
