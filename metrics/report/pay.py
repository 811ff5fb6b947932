"""What raters were paid: each arm's reward and the way of paying, in words."""

from __future__ import annotations

from collections.abc import Iterator

from metrics.report.records import ReportInput
from metrics.report.wording import duration, money

VOLUNTEERS = "Raters were volunteers and were paid nothing."


def sentences(given: ReportInput) -> Iterator[str]:
    """What an assignment paid, how long it took, and how people were paid, as far as it is known."""
    paid, arms = given.money, rewards(given)
    if given.crowd.pays and set(given.crowd.pays) == {VOLUNTEERS}:
        yield VOLUNTEERS
        return
    if told := rewards_in_words(given):
        time = f"; the median assignment took {duration(paid.median_seconds)}" if paid.median_seconds else ""
        # A wage of all arms together would be nobody's.
        known = paid.wage_cents is not None and len(arms) < 2
        wage = f", {money(paid.wage_cents, paid.currency)} an hour" if known else ""
        yield f"The reward of an assignment was {told}{time}{wage}."
    yield from given.crowd.pays


def rewards(given: ReportInput) -> dict[int, list[str]]:
    """The arms (by their training where that decides it, else by condition) that pay each reward, in cents."""
    priced = [one for one in given.conditions if one.reward_cents is not None]
    trainings = {(one.training, one.reward_cents) for one in priced}
    by_training = len(trainings) == len({training for training, _ in trainings})
    found: dict[int, list[str]] = {}
    for one in priced:
        name = (one.training if by_training else one.name) or one.name
        names = found.setdefault(one.reward_cents or 0, [])
        if name not in names:
            names.append(name)
    return found


def rewards_in_words(given: ReportInput) -> str:
    """`1.25 USD (none, instructions) and 1.75 USD (examples)`; one sum where all pay it; "" where none is known."""
    paid, arms = given.money, rewards(given)
    if len(arms) < 2:
        cents = next(iter(arms), paid.reward_cents)
        return "" if cents is None else money(cents, paid.currency)
    parts = [f"{money(cents, paid.currency)} ({', '.join(names)})" for cents, names in sorted(arms.items())]
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
