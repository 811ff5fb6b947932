"""What raters were paid: each arm's reward and the way of paying, in words."""

from __future__ import annotations

from collections.abc import Iterator

from metrics.data.sentence import Sentence, template
from metrics.report.records import ReportInput
from metrics.report.wording import duration, money

VOLUNTEERS = "Raters were volunteers and were paid nothing."
VOLUNTEERS_AHEAD = "Raters are volunteers and are paid nothing."  # before anybody has worked
# Of a rehearsal: how it was paid, in the past and as it is planned, and who rated.
PLAY_MONEY = (
    "Raters were simulated; their rewards were play money.",
    "Raters are simulated; their rewards are play money.",
)
BY_APPROVAL = (
    "Rewards were credited by the marketplace when work was approved.",
    "Rewards are credited by the marketplace when work is approved.",
)
ARRANGED = ("Pay was arranged outside the marketplace", "Pay is arranged outside the marketplace")
# Whose the reward is where some raters are paid otherwise, by the sentence on how they are paid.
WHOSE = {
    BY_APPROVAL[0]: "raters to whom rewards were credited",
    BY_APPROVAL[1]: "raters to whom rewards are credited",
    f"{ARRANGED[0]}.": "raters whose pay was arranged outside the marketplace",
    f"{ARRANGED[1]}.": "raters whose pay is arranged outside the marketplace",
}
SIMULATED_CROWD = "rehearsal crowd (simulated raters)"
REWARD = template(
    "methods.reward",
    "The reward was {rewards} per assignment{whose}{time}{wage}.",
    "money.reward_cents",
    "money.currency",
    "money.median_seconds",
    "money.wage_cents",
    "conditions.reward_cents",
    "crowd.pays",
)
OFFERED = template(
    "methods.offered",
    "The reward is {rewards} per assignment{whose}.",
    "money.reward_cents",
    "money.currency",
    "crowd.pays",
)
PAYS = template("methods.pays", "{pays}", "crowd.pays")


def sentences(report_input: ReportInput) -> Iterator[Sentence]:
    """What an assignment paid, how long it took, and how people were paid, as far as it is known.

    Of a study in which nobody has worked yet, what is offered, and not that anybody was paid.
    """
    paid, arms = report_input.money, arms_by_reward(report_input)
    if report_input.crowd.submitted == 0:
        if shown := describe_rewards(report_input):
            yield OFFERED.fill(rewards=shown, whose=for_whom(report_input))
        return
    if report_input.crowd.pays and set(report_input.crowd.pays) == {VOLUNTEERS}:
        yield PAYS.fill(pays=VOLUNTEERS)
        return
    if shown := describe_rewards(report_input):
        time = f"; the median assignment took {duration(paid.median_seconds)}" if paid.median_seconds else ""
        # No rater was paid the mean wage of several arms.
        known = paid.wage_cents is not None and len(arms) < 2
        whose = for_whom(report_input)
        wage = f", {money(paid.wage_cents, paid.currency)} per hour{' for them' if whose else ''}" if known else ""
        yield REWARD.fill(rewards=shown, whose=whose, time=time, wage=wage)
    yield from (PAYS.fill(pays=words) for words in report_input.crowd.pays)


def for_whom(report_input: ReportInput) -> str:
    """` for raters to whom rewards were credited`, where others are paid otherwise; "" where the reward is of all."""
    whose = [
        next((who for ending, who in WHOSE.items() if words.endswith(ending)), "") for words in report_input.crowd.pays
    ]
    return f" for {' or '.join(dict.fromkeys(filter(None, whose)))}" if any(whose) and not all(whose) else ""


def arms_by_reward(report_input: ReportInput) -> dict[int, list[str]]:
    """The arms (by their training where that decides it, else by condition) that pay each reward, in cents."""
    priced = [condition for condition in report_input.conditions if condition.reward_cents is not None]
    trainings = {(condition.training, condition.reward_cents) for condition in priced}
    by_training = len(trainings) == len({training for training, _ in trainings})
    arms: dict[int, list[str]] = {}
    for condition in priced:
        name = (condition.training if by_training else condition.name) or condition.name
        names = arms.setdefault(condition.reward_cents or 0, [])
        if name not in names:
            names.append(name)
    return arms


def describe_rewards(report_input: ReportInput) -> str:
    """`1.25 USD (none, instructions) and 1.75 USD (examples)`; one sum where all pay it; "" where none is known."""
    paid, arms = report_input.money, arms_by_reward(report_input)
    if len(arms) < 2:
        cents = next(iter(arms), paid.reward_cents)
        return "" if cents is None else money(cents, paid.currency)
    parts = [f"{money(cents, paid.currency)} ({', '.join(names)})" for cents, names in sorted(arms.items())]
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
