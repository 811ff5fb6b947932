"""Check a study before it is published: report whatever can be known to go wrong before it costs anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from urllib.parse import urlsplit

import httpx
from django.conf import settings
from django.db.models import Count, Max, Q

from annotation import ledger
from annotation.design.queries import arm_assignment
from annotation.design.wording import from_json
from annotation.exceptions import MarketError
from annotation.hits.dry_run import Tried, try_page
from annotation.hits.mturk_request import (
    history_requirements,
    history_sentences,
    history_settings,
    lines_of_all,
    page_address,
    page_of,
    time_of,
    wording_of,
)
from annotation.models import Hit, Study, Text
from annotation.mturk import channels
from annotation.mturk.channels import list_channels
from annotation.mturk.client import Market
from annotation.mturk.records import Endpoint
from annotation.pricing.currency import DEFAULT_CURRENCY, format_money
from annotation.pricing.fees import max_cents
from annotation.pricing.wages import HOUR, floor_for, reward_for_floor, wage
from annotation.publishing.preflight_result import Finding, Preflight
from annotation.studies.check_training import check_training
from annotation.workers import draws, participation
from metrics.data.arm_assignment import assignment_sentence

SHOWN = 5
TOGETHER = 20  # HITs
LINK_SECONDS = 10
LOOPBACK = {"localhost", "127.0.0.1", "::1"}
Progress = Callable[[int, int], None]


def preflight(
    study: Study,
    *,
    market: Market | None = None,
    endpoint: Endpoint | None = None,
    floor: int | None = None,
    progress: Progress | None = None,
    by_invitation: bool = False,
) -> Preflight:
    """Look at the study's HITs, its money, its texts and, where one is given, at the marketplace. Changes nothing.

    endpoint: of a marketplace that is asked; one that cannot be is an error among those found.
    progress: called with how many pages of how many were tried.
    floor: the minimum pay per hour; by default the study's, else 15 dollars.
    by_invitation: where that is known already; what holds of accounts alone is not looked at.

    Every page is really rendered, wrapped as a question, filled in and read back.
    """
    hits = list(study.hits.select_related("cell__arm__study", "study", "wording").order_by("slot"))
    rewards, fees = max_cents(
        ((hit.max_assignments, hit.cell.reward_cents) for hit in hits), fees=ledger.endpoint_fees()
    )
    large: list[Hit] = []
    study_floor = study.floor_cents if floor is None else floor
    unsorted = [
        *_hits(study, hits, large, progress),
        *_texts(study),
        *_times(study),
        *_wage(study, hits, study_floor),
    ]
    unsorted += [*_wording(study), *_arms(study, hits, market, endpoint)]
    unsorted += _consent(study, market, endpoint)
    unsorted += _affordable(study, rewards + fees, market, endpoint, by_invitation)
    if large and (market or endpoint):
        unsorted += _link(large[0])
    places = sum(hit.max_assignments for hit in hits)
    # A marketplace that cannot be reached answers each question with the same sentence: that is one fault.
    findings = sorted(dict.fromkeys(unsorted), key=lambda finding: finding.level)
    return Preflight(tuple(findings), len(hits), places, rewards, fees)


def afford(study: Study, *, endpoint: Endpoint, by_invitation: bool = False) -> tuple[Finding, ...]:
    """Errors of money, marketplace and its accounts alone, which change while nobody touches the study: quick enough
    for a page."""
    places = study.hits.values_list("max_assignments", "cell__arm__reward_cents")
    priced = ((count, study.reward_cents if arm_reward is None else arm_reward) for count, arm_reward in places)
    total = sum(max_cents(priced, fees=ledger.endpoint_fees()))
    findings = dict.fromkeys(_affordable(study, total, None, endpoint, by_invitation))
    return tuple(finding for finding in findings if finding.level == "error")


def _error(rule: str, sentence: str) -> Finding:
    return Finding("error", rule, sentence)


def _warning(rule: str, sentence: str) -> Finding:
    return Finding("warning", rule, sentence)


def _hits(study: Study, hits: list[Hit], large: list[Hit], progress: Progress | None) -> Iterator[Finding]:
    """Those whose pages are too large for a question are put into `large`."""
    if not hits:
        yield _error("no_hits", f"The study {study.name} has no tasks yet. Create them first.")
    bad = 0
    for hit, tried in _tried(hits, progress):
        if tried.too_large:
            large.append(hit)
        for problem in tried.problems:
            bad += 1
            if bad <= SHOWN:
                yield _error("page", f"HIT {hit.slot + 1} ({hit.cell}): {problem}")
    if large:
        yield _warning(
            "external",
            f"{len(large)} HITs are over 65,535 bytes: they go out as ExternalQuestions, served from "
            f"{settings.HIT_ORIGIN} "
            "for as long as the study runs.",
        )
    if bad > SHOWN:
        yield _error("page", f"{bad - SHOWN} more problems with pages.")


def _tried(hits: list[Hit], progress: Progress | None) -> Iterator[tuple[Hit, Tried]]:
    for begin in range(0, len(hits), TOGETHER):
        some = hits[begin : begin + TOGETHER]
        shown = lines_of_all(some)
        for hit in some:
            wording, lines = wording_of(hit), shown[hit.pk]
            yield hit, try_page(page_of(hit, wording, lines), lines, wording)
        if progress:
            progress(begin + len(some), len(hits))


def _link(hit: Hit) -> Iterator[Finding]:
    """A page that we serve must be reached: by the frame of a marketplace, over TLS."""
    origin = urlsplit(settings.HIT_ORIGIN)
    near = origin.hostname in LOOPBACK
    if origin.scheme != "https" and not near:
        yield _error("link", f"Pages that we serve must be at an https address, not {settings.HIT_ORIGIN}.")
        return
    try:
        # A proxy named in the environment would swallow calls to loopback.
        answer = httpx.get(page_address(hit), timeout=LINK_SECONDS, trust_env=not near)
    except httpx.HTTPError as error:
        yield _error("link", f"Nothing answers at {settings.HIT_ORIGIN}, where pages would be served: {error}.")
        return
    if answer.status_code != 200:
        yield _error("link", f"{settings.HIT_ORIGIN} answers {answer.status_code} for the page of HIT {hit.slot + 1}.")


def _texts(study: Study) -> Iterator[Finding]:
    contexts = study.contexts.annotate(
        references=Count("texts", filter=Q(texts__source=Text.Source.REFERENCE, texts__known_label="")),
        models=Count("texts", filter=Q(texts__source=Text.Source.MODEL, texts__known_label="")),
    ).exclude(references=0, models=0)
    alone = list(contexts.filter(Q(references=0) | Q(models=0)).order_by("pk").values_list("key", flat=True))
    if alone and contexts.filter(references__gt=0, models__gt=0).exists():
        named = ", ".join(alone[:SHOWN])
        yield _error("unpaired", f"{len(alone)} contexts have no text of one of the sources: {named}.")
    unused = study.texts.judged().filter(known_label="", places=None, partner_places=None).count()
    if unused and study.hits.exists():
        yield _warning("unused_texts", f"{unused} texts are not used in any task.")


def _money(study: Study, total: int) -> Iterator[Finding]:
    if study.budget_cents is not None and total > study.budget_cents:
        over = total - study.budget_cents
        yield _error(
            "budget",
            f"The study costs {format_money(total, study.currency)}; its budget is "
            f"{format_money(study.budget_cents, study.currency)}. {format_money(over, study.currency)} are missing.",
        )


def _times(study: Study) -> Iterator[Finding]:
    if study.lifetime_seconds < study.assignment_seconds:
        yield _warning(
            "short_offer",
            f"HITs are offered for {_span(study.lifetime_seconds)}, less than the {_span(study.assignment_seconds)} "
            "that one may take: places that come back late are not offered again.",
        )
    if study.auto_approval_seconds < HOUR:
        yield _warning(
            "paid_at_once",
            f"Work is auto-approved after {_span(study.auto_approval_seconds)}, before anybody can review it: "
            "nothing can be rejected.",
        )


def _span(seconds: int) -> str:
    return f"{seconds / 60:,.0f} minutes" if seconds < 2 * HOUR else f"{seconds / HOUR:,.0f} hours"


def _wage(study: Study, hits: list[Hit], study_floor: int | None) -> Iterator[Finding]:
    """Estimated from the words of the first HIT of each cell."""
    floor, money = floor_for(study_floor, study.currency), partial(format_money, currency=study.currency)
    if floor is None:
        yield _warning(
            "no_floor",
            f"No minimum hourly pay in {study.currency} is set, so the pay was not compared with one. "
            "Set it on the Design page.",
        )
    first: dict[int, Hit] = {}
    if study.currency != DEFAULT_CURRENCY and any(not hit.cell.reward_cents for hit in hits):
        yield _warning(
            "no_reward",
            f"Tasks pay {money(0)}: the rewards of a template are in dollars and are not converted. "
            f"Set the reward in {study.currency}, unless the work is unpaid or paid elsewhere.",
        )
    for hit in hits:
        first.setdefault(hit.cell_id, hit)
    shown = lines_of_all(first.values())
    for hit in first.values():
        time = time_of(shown[hit.pk], wording_of(hit))
        if study.assignment_seconds < time.slow:
            yield _warning(
                "time",
                f"In the condition {hit.cell}, {_span(study.assignment_seconds)} are allowed for a task; "
                f"a quarter of the people need more than {time.slow / 60:.0f} minutes (estimated) "
                "and would lose their work.",
            )
        pay = wage(hit.cell.reward_cents, time, floor=floor)
        if floor is not None and pay.below_floor:
            min_reward_cents = reward_for_floor(time, floor=floor, slow=False)
            yield _warning(
                "wage",
                f"In the condition {hit.cell}, about {time.median / 60:.0f} minutes "
                f"at {money(hit.cell.reward_cents)} make {money(pay.median)} an hour (estimated), "
                f"below {money(floor)}; {money(min_reward_cents)} would pay it.",
            )


def _wording(study: Study) -> Iterator[Finding]:
    version = study.wordings.last()
    if version is None:
        yield _error("no_wording", "The study has no task text.")
        return
    wording = from_json(version.body)
    stale = study.hits.exclude(wording__digest=version.digest).count()
    if stale:
        yield _warning("wording_changed", f"{stale} tasks use an earlier version of the task text.")
    for fault in check_training(study, wording):
        yield Finding(fault.level, fault.rule, fault.sentence)


def _consent(study: Study, market: Market | None, endpoint: Endpoint | None) -> Iterator[Finding]:
    """Whether participants agree to anything: on the task pages, or at the door of every channel."""
    version = study.wordings.last()
    if version is None or from_json(version.body).consent:
        return
    try:
        market = Market(endpoint) if endpoint else market
        channels = list_channels(market, study.channel_tag) if market and market.ours and study.channel_tag else []
    except MarketError:  # said where the market is asked for its balance
        channels = []
    if not channels or not all(channel.consent for channel in channels):
        yield _warning("no_consent", "The pages ask for no consent; see that the marketplace or the invitation does.")


def _arms(study: Study, hits: list[Hit], market: Market | None, endpoint: Endpoint | None) -> Iterator[Finding]:
    """How raters will come to their arm, where there is more than one."""
    if len({hit.cell_id for hit in hits}) < 2:
        return
    known = arm_assignment(study)
    provider = market.provider if market else endpoint.provider if endpoint else ""
    if known == "chosen" and draws.can_draw(provider) and not any(hit.market_id for hit in hits):
        known = "drawn"
    sentence = assignment_sentence(known, ahead=True)
    if sentence and provider and not draws.can_draw(provider):
        sentence = f"The marketplace “{provider}” cannot assign people to conditions at random. {sentence}"
    if sentence:
        yield _warning("arms_not_random", sentence)


def _affordable(
    study: Study, total: int, market: Market | None, endpoint: Endpoint | None, by_invitation: bool
) -> Iterator[Finding]:
    yield from _money(study, total)
    if endpoint:
        try:
            market = Market(endpoint)
        except MarketError as error:
            yield _error("endpoint", str(error))
    if market:
        yield from _market(study, market, total)
        if market.ours and study.mode == Study.Mode.LIVE:
            yield from _name(market)
            yield from _payees(study, market)
            if not (by_invitation or study.channel_tag):
                yield from _accounts(study, market)


def _name(market: Market) -> Iterator[Finding]:
    """People read who asks: a name that somebody chose for them, never one that a program made up."""
    try:
        name = market.requester()
    except MarketError as error:
        yield _error("market", str(error))
        return
    if not name.shown:
        yield _error(
            "no_name",
            f"Participants would read “{name.account}” as the name of who asks. Set the name that they see (a person, "
            "a group, a lab) in the console, on the page Publish, or by the command "
            f'manage.py create_requester {name.account} --display-name "NAME".',
        )


def _payees(study: Study, market: Market) -> Iterator[Finding]:
    """Channels whose people the marketplace is to pay although it cannot know where to send the money."""
    if not study.channel_tag:
        return
    try:
        rows = channels.list_channels(market, study.channel_tag)
    except MarketError as error:
        yield _error("market", str(error))
        return
    for row in rows:
        if row.kind == channels.LINK and row.pays == channels.LEDGER and not row.id_parameters and not row.closed_at:
            yield _warning(
                "no_payee",
                f"The channel “{row.name}” records what its people earn, but the marketplace cannot send it: they have "
                "no account, and the link carries no panel ID. Choose another way of paying, or pay them yourself by "
                "their completion codes (page Payouts).",
            )


def _accounts(study: Study, market: Market) -> Iterator[Finding]:
    """Whether anybody with an account here meets what the study asks. Simulated raters are made as they must be."""
    requirements = history_requirements(study)
    if not requirements:
        return
    try:
        count = market.count_workers(requirements)
    except MarketError as error:
        yield _error("market", str(error))
        return
    named = ", ".join(history_sentences(study))
    # A new account has 0 approved HITs, an approval rate of 100% and may still state its country.
    closed_to_new = bool(study.minimum_approved_hits) or (study.minimum_percent_approved or 0) >= 100
    if not count.qualified and closed_to_new:
        no_account = (
            f"None of the {count.accounts} accounts of this marketplace meets"
            if count.accounts
            else ("This marketplace has no accounts yet, and a new one does not meet")
        )
        yield _error(
            "nobody_enters",
            f"No worker could enter: the study requires {named}. {no_account} that. Set "
            f"{', '.join(history_settings(study))}, or publish to invited people only: a history is not asked of them.",
        )
        return
    needed = study.hits.aggregate(most=Max("max_assignments"))["most"] or 0
    if count.qualified < needed:
        yield _warning(
            "few_enter",
            f"{count.qualified} of the {count.accounts} accounts of this marketplace meet what the study asks for "
            f"({named}), and each HIT needs {needed} workers.",
        )


def _market(study: Study, market: Market, total: int) -> Iterator[Finding]:
    try:
        balance = market.balance_cents(study.currency)
    except MarketError as error:
        yield _error("market", str(error))
        return
    if balance < total:
        short = total - balance
        yield _error(
            "balance",
            f"The account holds {format_money(balance, study.currency)}; {format_money(short, study.currency)} are "
            "missing for this study.",
        )
    if market.quoted_fees and market.quoted_fees != ledger.endpoint_fees():
        yield _error(
            "fees",
            f"The marketplace charges by other rules (“{market.quoted_fees}”) than this server expects "
            f"(“{ledger.endpoint_fees()}”): set MTURK_FEES={market.quoted_fees} and start the server again.",
        )
    if study.once and not participation.grants_on_accept(market):
        yield _warning(
            "once",
            "This marketplace may not grant assay:once automatically: one person could enter two conditions. "
            "Publish one condition at a time (`manage.py publish STUDY --wave`); a person's first work is used.",
        )
