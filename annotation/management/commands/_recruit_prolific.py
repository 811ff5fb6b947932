"""What `manage.py recruit STUDY` does on Prolific: the draft, its cost, publishing, places, and its course there."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import CommandError

from annotation.exceptions import DesignError
from annotation.jobs.celery_tasks import wake
from annotation.models import Study
from annotation.mturk import prolific
from annotation.mturk.prolific import ChosenFilter, ProlificDraft, ProlificStudyRecord
from annotation.pricing.currency import format_money, parse_amount
from annotation.recruiting import publish_prolific as deeds

Say = Callable[[str], object]
FILTER_HELP = "FILTER=choice,choice or FILTER=LOW..HIGH (repeatable; all filters are replaced)"


def add_arguments(parser: ArgumentParser) -> None:
    """The options of the deeds on Prolific."""
    parser.add_argument("--description", help="Prolific: what people read before they decide")
    parser.add_argument("--minutes", type=int, help="Prolific: estimated minutes")
    parser.add_argument("--reward", help="Prolific: reward per person, such as 1.50")
    parser.add_argument("--highest-reward", help="Prolific: what the best paid condition pays")
    parser.add_argument("--device", action="append", choices=("desktop", "tablet", "mobile"), help="Prolific: devices")
    parser.add_argument("--filter", action="append", metavar="FILTER=...", help=f"Prolific: {FILTER_HELP}")
    parser.add_argument("--total", help="Prolific: the total that `cost` printed, to publish for exactly that")


def set_draft(study: Study, channel: str, options: dict[str, Any], who: dict[str, Any], say: Say) -> None:
    """Set the options that are named."""
    currency = prolific.get_study(who["market"], channel).currency or study.currency
    chosen = options["filter"]
    draft = ProlificDraft(
        description=options["description"],
        minutes=options["minutes"],
        reward_minor=_amount(options["reward"], currency),
        highest_reward_minor=_amount(options["highest_reward"], currency),
        places=options["places"] if isinstance(options["places"], int) else None,
        devices=tuple(options["device"]) if options["device"] else None,
        filters=tuple(_filter(text) for text in chosen) if chosen else None,
    )
    changed = deeds.set_draft(study, channel, draft, **who)
    people = prolific.count_people(who["market"], changed.filters)
    count = "fewer people than Prolific names" if people.too_few else f"{people.people:,} people"
    say(f"Draft saved: {count} fit its filters.")


def show_cost(study: Study, channel: str, options: dict[str, Any], who: dict[str, Any], say: Say) -> None:
    """Print the cost by parts."""
    quote = deeds.quote_on_prolific(study, channel, who["market"])
    parts = (
        ("rewards", quote.rewards_minor),
        ("fee and tax", quote.fees_minor),
        ("total", quote.total_minor),
        ("bonuses of better paid conditions, at most", quote.bonus_reserve_minor),
        ("available on Prolific", quote.available_minor),
    )
    for name, amount in parts:
        say(f"{name}: {format_money(amount, quote.currency)}")
    for problem in quote.problems:
        say(f"Fix before publishing: {problem}")
    for warning in quote.warnings:
        say(f"Note: {warning}")


def publish(study: Study, channel: str, options: dict[str, Any], who: dict[str, Any], say: Say) -> None:
    """Publish for the total that was read."""
    currency = prolific.get_study(who["market"], channel).currency
    total = _amount(options["total"], currency)
    if total is None:
        raise CommandError("--total: name the total that `manage.py recruit STUDY cost` prints.", returncode=2)
    reserved = deeds.publish_on_prolific(study, channel, total_minor=total, **who)
    wake(study.pk)
    say(f"Being published on Prolific; {format_money(reserved, study.currency)} are reserved in addition.")


def add_places(study: Study, channel: str, options: dict[str, Any], who: dict[str, Any], say: Say) -> None:
    """Raise the places to --places."""
    if not isinstance(options["places"], int):
        raise CommandError("--places: the new total of places.", returncode=2)
    reserved = deeds.add_places(study, channel, options["places"], **who)
    wake(study.pk)
    say(f"Places are being added; {format_money(reserved, study.currency)} are reserved for them.")


def book_fees(study: Study, channel: str, options: dict[str, Any], who: dict[str, Any], say: Say) -> None:
    """Book fees at the end."""
    released = deeds.settle_costs(study, channel, **who)
    say(f"Fees booked; {format_money(released, study.currency)} are no longer reserved.")


def show_course(study: Study, channel: str, options: dict[str, Any], who: dict[str, Any], say: Say) -> None:
    """Print how far the study is on Prolific."""
    deeds.require_prolific(study, channel, who["market"])
    say_course(prolific.get_study(who["market"], channel), say)


def change(study: Study, channel: str, options: dict[str, Any], who: dict[str, Any], say: Say) -> None:
    """Pause, start, stop, or retry failed actions."""
    say_course(deeds.change_recruitment(study, channel, options["deed"].removesuffix("-prolific"), **who), say)


def say_course(known: ProlificStudyRecord, say: Say) -> None:
    """Print status, money, submissions, what waits and what is unknown."""
    money = known.currency
    counts = ", ".join(f"{name} {number}" for name, number in known.counts.items() if number) or "none yet"
    say(f"On Prolific: {known.status}, {known.places} places. Submissions: {counts}.")
    amounts = (known.paid_minor, known.bonus_paid_minor, known.fees_minor)
    rewards, bonuses, fees = (format_money(amount, money) for amount in amounts)
    say(f"Paid: rewards {rewards}, bonuses {bonuses}, fees and tax {fees}.")
    for action in known.waiting:
        state = "failed" if action.failed else "waits"
        since = f"since {action.since:%Y-%m-%d %H:%M} UTC ({action.attempts} attempts)"
        say(f"{action.kind} {state} {since}. {action.error}")
    for batch in known.unknown_batches:
        amount = format_money(batch.amount_minor, money)
        say(f"Unknown whether bonuses of {amount} were paid: settle it in the console.")


DEEDS: dict[str, Callable[[Study, str, dict[str, Any], dict[str, Any], Say], None]] = {
    "draft": set_draft,
    "cost": show_cost,
    "publish-prolific": publish,
    "add-places": add_places,
    "pause-prolific": change,
    "start-prolific": change,
    "stop-prolific": change,
    "retry-prolific": change,
    "progress-prolific": show_course,
    "book-fees": book_fees,
}


def _amount(text: str | None, currency: str) -> int | None:
    if text is None:
        return None
    try:
        return parse_amount(text, currency)
    except DesignError as error:
        raise CommandError(str(error), returncode=2) from None


def _filter(text: str) -> ChosenFilter:
    name, is_set, value = text.partition("=")
    lower, is_range, upper = value.partition("..")
    if not is_set or not value:
        raise CommandError(f"--filter {text}: write {FILTER_HELP}.", returncode=2)
    if not is_range:
        return ChosenFilter(name, tuple(value.split(",")))
    try:
        ends = [float(end) if end else None for end in (lower, upper)]
    except ValueError:
        raise CommandError(f"--filter {text}: the ends of a range are numbers.", returncode=2) from None
    return ChosenFilter(name, (), *ends)
