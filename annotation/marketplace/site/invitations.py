"""The pages of people who come by an invitation: the door, consent, the end, their data."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import Max
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.accounts.addresses import client_address, neighbourhood
from annotation.marketplace.assignments.expire_due import catch_up
from annotation.marketplace.channels import consent
from annotation.marketplace.channels.kinds import KINDS, PANEL_IDS
from annotation.marketplace.core import clock
from annotation.marketplace.core.rate_limits import Limit, TooOftenError, take
from annotation.marketplace.draws.counts import pays_by_amount
from annotation.marketplace.hits import entry_check
from annotation.marketplace.invitations import admission, completion, funnel, next_task, offer, withdrawal
from annotation.marketplace.models import Assignment, Hit, Link, Participant, Requester, WorkerAccount
from annotation.marketplace.site import browser_cookie, studies, way
from annotation.marketplace.site.devices import device_of
from annotation.marketplace.site.host_guards import Visit, on_worker_host, too_often, worker_page
from annotation.marketplace.site.invitation_messages import door_message
from annotation.marketplace.site.pages import refused
from annotation.marketplace.site.refusal_reasons import reasons_of
from annotation.marketplace.site.shown_terms import FIELD, PAY_CHANGED, hold_to_terms, seal_terms
from annotation.marketplace.workers import sessions

STATUS = {
    **dict.fromkeys(("odd-id", "needs-id"), 400),
    **dict.fromkeys(("blocked", "unqualified", "device"), 403),
    **dict.fromkeys(("full", "other-link"), 409),
    **{"unknown": 404, "closed": 410},
}

# Before the name of a parameter, as the form of the page carries it on.
PANEL_FIELD = "panel:"

# Links and tokens that do not exist; newcomers (a class behind one router comes at once).
MISSES = Limit("invitation-miss", 30, timedelta(minutes=10))
ENTRIES = Limit("invitation-entry", 300, timedelta(minutes=10))


@require_safe
@on_worker_host
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """What an invitation link leads to. Looking changes nothing: mail programs look, too."""
    link = admission.link_of(token)
    if link is None:
        return _unknown(request)
    now = _now()
    visitor = _visitor(request, link, request.GET.dict(), _panel_ids(link, request.GET.dict()))
    if len({value for name in _names(link)[:1] for value in request.GET.getlist(name)}) > 1:
        visitor = replace(visitor, ambiguous=True)
    entry = admission.look(link, visitor, now=now)
    if request.method == "GET":
        admission.note_opened(entry, now=now)
    if entry.word == "back" and _inside(entry, visitor):
        return redirect("hits:list")
    response = _at_door(request, entry=entry, token=token, visitor=visitor)
    if request.method == "GET":
        _count(request, response, entry)
    return response


@require_safe
@on_worker_host
def empty_link(request: HttpRequest) -> HttpResponse:
    """A link of which nothing was copied behind the address of all of them."""
    return _at_door(request, door_word="unknown")


# What somebody meets who has not been here before and is not let in.
REFUSED = frozenset(
    {"needs-id", "odd-id", "other-link", "blocked", "not-yet", "closed", "full", "unqualified", "device"}
)


def _count(request: HttpRequest, response: HttpResponse, entry: admission.Door) -> None:
    """Count the visitor, once a day for a browser; nothing of who it is."""
    channel = entry.link.channel
    is_new, is_other = browser_cookie.note_seen(request, response, channel.channel_id, entry.word)
    if is_new:
        funnel.count(channel, funnel.OPENED)
    if is_other and entry.word in REFUSED:
        funnel.count(channel, entry.word)


@require_POST
@on_worker_host
def begin(request: HttpRequest, token: str) -> HttpResponse:
    """Agree, come in and start: the button on the page of a link."""
    link = admission.link_of(token)
    if link is None:
        return _unknown(request)
    try:
        take(ENTRIES, _client(request), now=timezone.now())
    except TooOftenError as refusal:
        return too_often(request, refusal, participant=True)
    added = {name: request.POST.get(f"{PANEL_FIELD}{name}", "") for name in _stored_names(link)}
    known_as = {name: request.POST.get("external_id", "") for name in _names(link)[:1]}
    visitor = _visitor(request, link, known_as, _panel_ids(link, added))
    version = request.POST.get("version", "")
    try:
        now = _now()
        # A page that could not show the pay of every task carries no terms.
        start = FIELD in request.POST or not offer.is_read_before_each(link.channel, now=now)
        entered = next_task.enter_and_start(link, visitor, version=version, now=now, start=start)
    except admission.DoorClosedError as closed:
        response = _at_door(request, entry=closed.door, token=token, visitor=visitor)
        _count(request, response, closed.door)
        return response
    held = entered.assignment
    if held is not None and not hold_to_terms(request, held, now=now):
        response = refused(request, PAY_CHANGED, hit=None, worker=entered.worker)
    else:
        response = redirect("hits:work", held.assignment_id) if held is not None else redirect("hits:list")
    browser_cookie.remember(request, response, entered.participant.participant_id)
    sessions.sign_in(request, response, sessions.open_session(entered.worker, now=timezone.now()))
    return response


@require_POST
@on_worker_host
def start_as_another(request: HttpRequest, token: str) -> HttpResponse:
    """On a shared computer: this browser forgets whom it was for the requester of the link; then the page of the link.

    Only where the link does not say itself who comes. The others keep their place, answers and code.
    """
    link = admission.link_of(token)
    if link is None:
        return _unknown(request)
    response = redirect("hits:door", token)
    if link.participant_id is not None:
        return response
    requester = link.channel.requester_id
    rows = Participant.objects.filter(
        participant_id__in=browser_cookie.participants_of(request), channel__requester=requester
    )
    browser_cookie.forget(request, response, set(rows.values_list("participant_id", flat=True)))
    worker = sessions.worker_of(request, now=timezone.now())
    if worker is not None and worker.channel is not None and worker.channel.requester_id == requester:
        sessions.forget(request, response)
    return response


# What a browser that has been used before leads to, where another person may sit at it.
RECOGNISED = frozenset({"back", "already", "withdrawn", "other-link"})


@require_POST
@on_worker_host
def decline(request: HttpRequest, token: str) -> HttpResponse:
    """Say no: nothing about the person is kept."""
    link = admission.link_of(token)
    if link is None:
        return _unknown(request)
    try:
        take(ENTRIES, _client(request), now=timezone.now())
    except TooOftenError as refusal:
        return too_often(request, refusal, participant=True)
    admission.turn_away(link, now=_now())
    return _at_door(request, door_word="declined", way_back=admission.way_back_of_declined(link))


@worker_page
@require_http_methods(["GET", "HEAD", "POST"])
def agree(request: HttpRequest, visit: Visit, hit_id: str) -> HttpResponse:
    """The text to agree to before a HIT: for accounts, and for everybody when it has changed."""
    hit = Hit.objects.select_related("hit_type", "requester__user", "requester__consent").filter(hit_id=hit_id).first()
    terms = consent.terms_for(visit.worker, hit, visit.now) if hit else None
    if hit is None or terms is None or consent.agreed(visit.worker, terms):
        return redirect("hits:preview", hit_id)
    if reason := entry_check.refusal(hit, worker=visit.worker, now=visit.now):
        return refused(request, reason, hit=hit, worker=visit.worker)
    if request.method == "POST" and "no" in request.POST:
        consent.decline(terms.requester, terms.channel, terms.wording, now=visit.now)
        return _at_door(request, door_word="declined", visit=visit)
    if request.method == "POST" and request.POST.get("version") == terms.wording.digest:
        if reason := _agreed(hit, terms, visit):
            return refused(request, reason, hit=hit, worker=visit.worker)
        return way.started(request, visit) if visit.worker.channel_id is not None else redirect("hits:preview", hit_id)
    context = {"visit": visit, "hit": hit, "terms": terms, "study_title": studies.title_of(visit, hit)}
    return render(request, "marketplace/channels/consent.html", context)


@transaction.atomic
def _agreed(hit: Hit, terms: consent.Terms, visit: Visit) -> str:
    """Note that the visitor agrees, unless they could not take part: then the word for why, and nothing is noted."""
    Hit.objects.select_for_update(no_key=True).get(pk=hit.pk)
    reason = entry_check.refusal(hit, worker=visit.worker, now=visit.now)
    if not reason:
        consent.agree(visit.worker, terms, now=visit.now)
    return reason


@require_safe
@worker_page
def end(request: HttpRequest, visit: Visit) -> HttpResponse:
    """After the last HIT: thanks, the code, the way back, what the study was about, how to withdraw."""
    person = completion.finish_if_done(visit.worker, now=visit.now) if visit.worker.channel else None
    if person is None:
        return redirect("hits:list")
    return render(request, "marketplace/channels/end.html", _end_context(visit, person))


@require_safe
@worker_page
def way_back(request: HttpRequest, visit: Visit) -> HttpResponse:
    """To the address that was configured for the person's link, and to no other."""
    person = completion.finish_if_done(visit.worker, now=visit.now) if visit.worker.channel else None
    address = completion.way_back(person) if person is not None else ""
    if not address:
        raise Http404
    response = HttpResponseRedirect(address)
    response["Referrer-Policy"] = "no-referrer"
    return response


@require_safe
@worker_page
def data(request: HttpRequest, visit: Visit) -> HttpResponse:
    """Show the requesters who have answers of the worker, and the withdrawal code for each."""
    submitted = Assignment.objects.filter(worker=visit.worker, state__in=Assignment.SUBMITTED_STATES)
    requesters = (
        Requester.objects.filter(pk__in=submitted.values("hit__requester")).select_related("user").order_by("pk")
    )
    rows = [
        {
            "requester": requester,
            "token": withdrawal.withdrawal_code(visit.worker, requester),
            "left": submitted.filter(hit__requester=requester, withdrawn_at=None).count(),
        }
        for requester in requesters
    ]
    return render(request, "marketplace/channels/data.html", {"visit": visit, "rows": rows})


@on_worker_host
@require_http_methods(["GET", "HEAD", "POST"])
def withdraw(request: HttpRequest) -> HttpResponse:
    """Withdraw answers by a code: first show what would be erased, then erase it by a second button."""
    typed = request.POST.get("token", "")[:200]
    if request.method != "POST" or not typed:
        return _private(render(request, "marketplace/channels/withdraw.html", {"participant": True}))
    key = withdrawal.find_key(typed)
    if key is None:
        try:
            take(MISSES, _client(request), now=timezone.now())
        except TooOftenError as refusal:
            return too_often(request, refusal, participant=True)
        return _private(
            render(request, "marketplace/channels/withdraw.html", {"unknown": True, "participant": True}, status=404)
        )
    now = _now()
    done = withdrawal.withdraw(key, now=now) if "sure" in request.POST else None
    left = Assignment.objects.filter(
        worker=key.worker, hit__requester=key.requester_id, state__in=Assignment.SUBMITTED_STATES, withdrawn_at=None
    )
    person = Participant.objects.filter(worker=key.worker).first()
    context = {"key": key, "typed": typed, "done": done, "left": left.count(), "person": person, "participant": True}
    return _private(render(request, "marketplace/channels/withdraw.html", context))


def _now() -> datetime:
    now = clock.now()
    catch_up(now)
    return now


def _unknown(request: HttpRequest) -> HttpResponse:
    """A link that leads nowhere; who tries too many of them has to wait."""
    try:
        take(MISSES, _client(request), now=timezone.now())
    except TooOftenError as refusal:
        return too_often(request, refusal, participant=True)
    return _at_door(request, door_word="unknown")


def _client(request: HttpRequest) -> str:
    return neighbourhood(client_address(request))


def _inside(entry: admission.Door, visitor: admission.Visitor) -> bool:
    """Whether the visitor is signed in as the person they are known as, and has agreed to what holds."""
    person, worker = entry.person, visitor.worker
    if person is None or worker is None or person.worker_id != worker.pk:
        return False
    return consent.agreed(worker, consent.terms_of(entry.link.channel))


def _names(link: Link) -> tuple[str, ...]:
    return KINDS[link.channel.kind].id_parameters(link)


def _stored_names(link: Link) -> tuple[str, ...]:
    """The parameters that are kept: none unless the link names one by which it knows people, or keeps one."""
    names = (*_names(link), *link.kept_parameters)
    return tuple(dict.fromkeys((*names, *PANEL_IDS))) if names else ()


def _panel_ids(link: Link, query: dict[str, str]) -> dict[str, str]:
    """What the panel added, as far as it can be kept."""
    added = {name: query.get(name, "").strip() for name in _stored_names(link)}
    return {
        name: value for name, value in added.items() if 0 < len(value) <= admission.LONGEST_ID and value.isprintable()
    }


def _visitor(request: HttpRequest, link: Link, query: dict[str, str], panel_ids: dict[str, str]) -> admission.Visitor:
    external_id = next((query[name].strip() for name in _names(link) if query.get(name, "").strip()), "")
    known = sessions.worker_of(request, now=timezone.now())
    participants = browser_cookie.participants_of(request)
    return admission.Visitor(external_id, participants, known, panel_ids, device=device_of(request))


def _at_door(
    request: HttpRequest,
    *,
    entry: admission.Door | None = None,
    door_word: str = "",
    token: str = "",
    visitor: admission.Visitor | None = None,
    visit: Visit | None = None,
    way_back: str = "",
) -> HttpResponse:
    word = entry.word if entry else door_word
    leads_in = word in {*admission.OPEN, "consent"}
    title, text = door_message(word)
    channel = entry.link.channel if entry else None
    terms = consent.terms_of(channel) if channel else None
    known = entry.person.worker if entry and entry.person else None
    offers = offer.offers_of(channel, now=clock.now()) if channel and leads_in else []
    alike = offers[0] if offer.is_alike(offers) else None
    context = {
        "word": word,
        "title": title,
        "text": text,
        "channel": channel,
        "token": token,
        "way_back": way_back or (admission.way_back_of(entry) if entry else ""),
        "terms": None if known and consent.agreed(known, terms) else terms,
        "external_id": visitor.external_id if visitor else "",
        "panel_ids": {f"{PANEL_FIELD}{name}": value for name, value in (visitor.panel_ids if visitor else {}).items()},
        "reasons": reasons_of(entry.eligibility) if entry and entry.eligibility else (),
        "recognised": bool(
            entry
            and visitor
            and word in RECOGNISED
            and visitor.participants
            and not (entry.link.participant_id or visitor.external_id)
        ),
        "panel": bool(entry and _names(entry.link)),
        "leads_in": leads_in,
        "elsewhere": bool(entry and entry.elsewhere and word == "back"),
        "offer": alike,
        "minutes_range": None if alike else offer.minutes_range(offers),
        "several": bool(channel and alike and offer.has_several_tasks(channel, now=clock.now())),
        "shown_terms": seal_terms(alike, by_amount=bool(channel and pays_by_amount(channel.requester, channel))),
        "described": offers[0].description if offers else "",
        "identified": bool(entry and (entry.link.participant_id or (visitor and visitor.external_id))),
        "visit": visit,
        "participant": visit is None,
        "account": visitor.worker if visitor and visitor.worker and visitor.worker.channel is None else None,
        "code": entry.person.shown_code if entry and entry.person and entry.word == "already" else "",
    }
    return _private(render(request, "marketplace/channels/door.html", context, status=STATUS.get(word, 200)))


def _end_context(visit: Visit, person: Participant) -> dict[str, object]:
    channel = person.channel
    by_amount = pays_by_amount(channel.requester, channel)
    return {
        "visit": visit,
        "person": person,
        "channel": channel,
        "back": urlsplit(completion.way_back(person)).hostname,
        "debrief": channel.debrief or channel.requester.debrief,
        "token": withdrawal.withdrawal_code(visit.worker, channel.requester),
        "reviewed_by": _last_review(visit.worker),
        "submitted_pay": offer.submitted_pay(visit.worker) if by_amount else None,
    }


def _last_review(worker: WorkerAccount) -> datetime | None:
    """When the last of what waits for a decision is approved automatically."""
    waiting = Assignment.objects.filter(worker=worker, state=Assignment.State.SUBMITTED)
    moment: datetime | None = waiting.aggregate(last=Max("auto_approval_at"))["last"]
    return moment


def _private(response: HttpResponse) -> HttpResponse:
    patch_cache_control(response, private=True, no_store=True)
    return response
