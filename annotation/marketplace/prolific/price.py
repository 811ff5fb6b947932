"""What a study costs at Prolific before it is published, and what stands in its way."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from annotation.marketplace.cents import format_money
from annotation.marketplace.channels import reach
from annotation.marketplace.models import ProlificAccount, ProlificStudy
from annotation.marketplace.prolific.answers import ProlificError
from annotation.marketplace.prolific.client import Client
from annotation.marketplace.prolific.records import Minor
from annotation.marketplace.prolific.study_draft import (
    ALLOWLIST,
    BLOCKLIST,
    as_prolific_filters,
    barred_people,
    check_complete,
    exclusion_of,
    has_earlier,
    required_people,
)

# Below this pay for an hour Prolific publishes no study, as its help pages said in 2026. Not tried.
FLOOR_MINOR = {"GBP": 600, "USD": 800}
PEOPLE_FOR_A_PLACE = 5


@dataclass(frozen=True)
class StudyQuote:
    """The price in minor units of one currency. `problems` prevent publishing, `warnings` do not."""

    currency: str
    reward: int
    places: int
    total: int
    bonus_reserve: int
    available: int | None
    hourly: int
    problems: list[str]
    warnings: list[str]

    @property
    def rewards(self) -> int:
        return self.reward * self.places

    @property
    def fees(self) -> int:
        return self.total - self.rewards


def quote_study(study: ProlificStudy, account: ProlificAccount, client: Client) -> StudyQuote:
    """Prices by Prolific's own calculator. Raises ProlificError, RequestRefusedError (draft incomplete)."""
    check_complete(study)
    reward, places, minutes = study.reward_minor or 0, study.places or 0, study.minutes or 1
    total = client.calculate_cost(Minor(reward), places).units
    more = max(0, (study.highest_reward_minor or reward) - reward)
    reserve = client.calculate_cost(Minor(more), places).units if more else 0
    available = client.get_available_balance(account.workspace_id) if account.workspace_id else None
    hourly = round(reward * 60 / minutes)
    quote = StudyQuote(
        currency=account.currency,
        reward=reward,
        places=places,
        total=total,
        bonus_reserve=reserve,
        available=available.units if available else None,
        hourly=hourly,
        problems=[],
        warnings=[],
    )
    quote.problems.extend(_problems(study, account, quote, client))
    quote.warnings.extend(_warnings(study, quote, client))
    return quote


def _problems(study: ProlificStudy, account: ProlificAccount, quote: StudyQuote, client: Client) -> list[str]:
    problems = []
    if not account.project_id:
        problems.append("No project is chosen. Choose the workspace and project in which the study is created.")
    needed = quote.total + quote.bonus_reserve
    if quote.available is not None and quote.available < needed:
        problems.append(
            f"The workspace has {format_money(quote.available, quote.currency)}; "
            f"{format_money(needed, quote.currency)} are needed. Add money on Prolific's site."
        )
    currencies = set(reach.types_of(study.channel).values_list("currency", flat=True)) - {quote.currency}
    if currencies:
        problems.append(
            f"The tasks pay {', '.join(sorted(currencies))}, and the workspace pays {quote.currency}. "
            "Use one currency for both."
        )
    if urlsplit(settings.WORKER_ORIGIN).scheme != "https" and not settings.MARKETPLACE_DEVELOPMENT:
        problems.append("The address of the study does not begin with https://. Set WORKER_ORIGIN to a public address.")
    required = required_people(study)
    if required is not None:
        problems.extend(_unreachable(required, client))
    elif study.excludes_earlier and has_earlier(study):
        offered = {row.filter_id for row in client.list_filters()}
        if exclusion_of(study, offered) is None:
            problems.append("Prolific's list has no filter that excludes people. Publish without the exclusion.")
    return problems


def _unreachable(required: list[str], client: Client) -> list[str]:
    """Why a study that is for certain people only cannot be published to them."""
    if not required:
        return [
            "The tasks are for people who took part before, and none of them came from Prolific. Recruit them by the "
            "channels they came by."
        ]
    if ALLOWLIST not in {row.filter_id for row in client.list_filters()}:
        return ["The tasks are for certain people only, and Prolific's list has no filter that admits them alone."]
    return []


def _turned_away(study: ProlificStudy, client: Client) -> list[str]:
    """Who can come from Prolific, but is excluded by every task: no filter that Prolific is sent excludes them."""
    people = barred_people(study)
    if not people or required_people(study) is not None:
        return []
    offered = {row.filter_id for row in client.list_filters()}
    if BLOCKLIST in offered or (study.excludes_earlier and exclusion_of(study, offered) is not None):
        return []
    number = "1 person" if len(people) == 1 else f"{len(people)} people"
    return [
        f"The tasks exclude {number} of your earlier studies, and Prolific's list has no filter that excludes people "
        "by ID. They can open this study. There they read that they cannot take part and should return it."
    ]


def _warnings(study: ProlificStudy, quote: StudyQuote, client: Client) -> list[str]:
    warnings = []
    floor = FLOOR_MINOR.get(quote.currency)
    if floor is not None and quote.hourly < floor:
        warnings.append(
            f"The reward is {format_money(quote.hourly, quote.currency)} per hour. "
            f"Prolific may ask for at least {format_money(floor, quote.currency)}."
        )
    if study.devices and "mobile" not in study.devices:
        warnings.append("People with phones are excluded. The tasks are readable on phones.")
    warnings.extend(_turned_away(study, client))
    if study.filters:
        try:
            people = client.count_eligible(as_prolific_filters(study.filters))
        except ProlificError:
            return [*warnings, "Prolific did not count how many people pass the filters."]
        if people < PEOPLE_FOR_A_PLACE * quote.places:
            warnings.append(f"{people or 'Fewer than 25'} people pass the filters, for {quote.places} places.")
    return warnings
