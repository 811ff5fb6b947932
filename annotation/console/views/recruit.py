"""Recruit: the channels by which people come to a study."""

from __future__ import annotations

import csv
import io
from math import ceil
from typing import Any

import segno
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation import settings
from annotation.console.form_errors import attach_errors
from annotation.console.forms.channels import (
    PAYS,
    AddCodesForm,
    EditChannelForm,
    InvitePeopleForm,
    NewChannelForm,
    starting_consent,
)
from annotation.console.forms.publish import ShownName
from annotation.console.permission import study_page, visitor
from annotation.console.views.prolific import prolific_context
from annotation.exceptions import ChangedError, StateError
from annotation.models import Role, Study
from annotation.mturk import channels
from annotation.mturk.channels import ChannelRecord, InvitedGuest, InvitedPeople
from annotation.mturk.client import Market
from annotation.publishing.name_requester import name_requester
from annotation.recruiting import change_channel as changes
from annotation.recruiting import queries
from annotation.recruiting.add_codes import add_codes
from annotation.recruiting.invite_people import invite_people, mail_people, read_guests, renew_link
from annotation.recruiting.open_channel import ChannelPlan, open_channel
from annotation.recruiting.study_tag import limit_per_person, role_for_retention
from annotation.studies.access import may

CARDS = (
    (channels.LINK, gettext_lazy("Link"), gettext_lazy("One address for a class, a panel or a mailing.")),
    (channels.LIST, gettext_lazy("List of people"), gettext_lazy("One personal link each, from a CSV file.")),
    (channels.TEAM, gettext_lazy("Team"), gettext_lazy("Named colleagues who rate over several sessions.")),
    (channels.PROLIFIC, gettext_lazy("Prolific"), gettext_lazy("Paid participants of the platform Prolific.")),
    (channels.ACCOUNTS, gettext_lazy("Accounts"), gettext_lazy("Workers who are registered on this site.")),
)
KINDS = {kind: label for kind, label, _text in CARDS} | {channels.REHEARSAL: gettext_lazy("Rehearsal")}
REASONS = {
    "declined": gettext_lazy("declined the consent text"),
    "full": gettext_lazy("found all places taken"),
    "closed": gettext_lazy("came after the channel had closed"),
    "not-yet": gettext_lazy("came before the study had begun"),
    "unqualified": gettext_lazy("did not meet the requirements"),
    "device": gettext_lazy("came with an unsuitable device"),
    "needs-id": gettext_lazy("came without a participant ID"),
    "odd-id": gettext_lazy("came with a participant ID that cannot be read"),
    "used": gettext_lazy("opened a link that another person uses"),
    "already": gettext_lazy("had taken part before"),
    "consent": gettext_lazy("met a changed consent text"),
}
STATES = {
    "invited": gettext_lazy("Invited"),
    "mailed": gettext_lazy("Mailed"),
    "opened": gettext_lazy("Opened the link"),
    "declined": gettext_lazy("Declined"),
    "began": gettext_lazy("Began"),
    "finished": gettext_lazy("Finished"),
    "withdrawn": gettext_lazy("Withdrew answers"),
}
CSV_NAME = "links.csv"


@study_page()
def recruit(request: HttpRequest, study: Study) -> HttpResponse:
    """The channels of the study, or how to open the first one."""
    market = Market(settings.endpoint())
    rows = queries.channels_of(study, market) if market.ours else []
    if len(rows) == 1 and request.GET.get("all") is None:
        return redirect("console:recruit-channel", study.uuid, rows[0].channel_id)
    now = timezone.now()
    context = {
        "study": study,
        "market": market,
        "rows": [(row, KINDS.get(row.kind, row.kind), row.state(now)) for row in rows],
        "cards": CARDS,
    }
    return render(request, "console/recruit.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@study_page(Role.EDITOR)
def open_new(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    """The form of a new channel; where participants would read no name of who asks, an owner gives it here."""
    if kind not in [card[0] for card in CARDS]:
        raise Http404
    market, actor = Market(settings.endpoint()), visitor(request).get_username()
    known = market.requester() if market.ours else None
    name_form = _name_form(request, study, known.shown if known else "")
    texts = {"consent": starting_consent(study, requester_name=known.shown if known else "", kind=kind)}
    form = NewChannelForm(request.POST or None, initial=texts, kind=kind, sets_retention=_sets_retention(study))
    if request.method == "POST" and form.is_valid() and (name_form is None or name_form.is_valid()):
        with attach_errors(form, *([name_form] if name_form else []), above=True):
            if name_form is not None:
                shown = name_form.cleaned_data["shown_name"]
                name_requester(study, shown, market=market, actor=actor, now=timezone.now())
            plan = ChannelPlan(kind=kind, name=form.cleaned_data["name"], settings=form.settings(of_new=True))
            channel = open_channel(study, plan, market=market, actor=actor, now=timezone.now())
            messages.success(request, _("Channel opened."))
            if kind == channels.PROLIFIC:
                return redirect("console:recruit-prolific", study.uuid, channel.channel_id)
            if study.status == Study.Status.DRAFT and study.hits.exists():
                return redirect("console:publish", study.uuid)
            return redirect("console:recruit-channel", study.uuid, channel.channel_id)
    context = {"study": study, "form": form, "name_form": name_form, "kind": kind, "label": KINDS[kind]}
    wrong = form.errors or (name_form and name_form.errors)
    return render(request, "console/recruit_form.html", context, status=422 if wrong else 200)


def _sets_retention(study: Study) -> bool:
    """Whether the visitor may set the date on which names and IDs of a channel's people are deleted."""
    return may(study, role_for_retention(study))


def _name_form(request: HttpRequest, study: Study, shown: str) -> ShownName | None:
    """The name that participants read as who asks, where none is set yet and the visitor may set it."""
    if shown or study.role != Role.OWNER:  # type: ignore[attr-defined]  # the page's query adds it
        return None
    return ShownName(request.POST or None, initial={"shown_name": visitor(request).get_full_name()})


@study_page(Role.EDITOR)
def channel_page(request: HttpRequest, study: Study, channel_id: str) -> HttpResponse:
    """One channel: its address, how far people have come, its texts, and the next step."""
    return _shown(request, study, channel_id)


def _shown(request: HttpRequest, study: Study, channel_id: str, **more: Any) -> HttpResponse:
    market = Market(settings.endpoint())
    channel = queries.channel_of(study, channel_id, market)
    people = queries.people_of(study, channel_id, market) if channel.kind in channels.NAMED else []
    shared = study.hits.count() * (channel.overlap or 0)
    context = {
        **_numbers(study, channel),
        "label": KINDS.get(channel.kind, channel.kind),
        "people": [(person, STATES.get(person.state, person.state)) for person in people],
        "submitted": sum(person.submitted for person in people),
        "shared": shared,
        "fair_share": ceil(shared / len(people)) if people else 0,
        "reachable": len(people) * (channel.max_tasks or 0),
        "raters": study.raters_per_text,
        "limit": limit_per_person(study),
        "invite": InvitePeopleForm(),
        "add_codes": AddCodesForm(),
        "named": channel.kind in channels.NAMED,
        "has_unmailed": any(person.email and person.state in {"invited", "opened"} for person in people),
        "has_waiting": any(person.email and person.state in {"mailed", "opened"} for person in people),
        **(prolific_context(study, channel_id, market) if channel.kind == channels.PROLIFIC else {}),
        "requester": market.requester(),
        "pays": dict(PAYS).get(channel.pays, channel.pays),
        **more,
    }
    form = more.get("invite") or more.get("add_codes")
    return render(request, "console/recruit_channel.html", context, status=422 if form and form.errors else 200)


def _numbers(study: Study, channel: ChannelRecord) -> dict[str, Any]:
    tasks = study.hits.count()
    refused = [(REASONS.get(reason, reason), number) for reason, number in sorted(channel.funnel.refused.items())]
    return {
        "study": study,
        "channel": channel,
        "state": channel.state(timezone.now()),
        "tasks": tasks,
        "created": study.hits.exclude(market_id=None).count(),
        "published": study.status != Study.Status.DRAFT,
        "refused": refused,
        "refused_total": sum(number for _reason, number in refused),
    }


@require_safe
@study_page(Role.EDITOR)
def funnel(request: HttpRequest, study: Study, channel_id: str) -> HttpResponse:
    """The part of the page that moves."""
    channel = queries.channel_of(study, channel_id, Market(settings.endpoint()))
    return render(request, "console/recruit_funnel.html", _numbers(study, channel))


@require_safe
@study_page(Role.EDITOR)
def needs(request: HttpRequest, study: Study) -> HttpResponse:
    """What the channels need of an editor, loaded after the page Progress: the marketplace may be slow, or down."""
    channel_rows = queries.channels_of(study, Market(settings.endpoint()))
    rows = [row for row in channel_rows if row.has_few_codes or row.codes_missing]
    return render(request, "console/recruit_needs.html", {"study": study, "needs": rows})


@require_safe
@study_page(Role.EDITOR)
def code_image(request: HttpRequest, study: Study, channel_id: str) -> HttpResponse:
    """The channel's address as a QR code, black on white, to show or print."""
    channel = queries.channel_of(study, channel_id, Market(settings.endpoint()))
    if not channel.link:
        raise Http404
    image = io.BytesIO()
    segno.make(channel.link, error="m").save(image, kind="svg", scale=6, border=4, light="#fff", title=channel.link)
    return HttpResponse(image.getvalue(), content_type="image/svg+xml")


@require_http_methods(["GET", "HEAD", "POST"])
@study_page(Role.EDITOR)
def edit(request: HttpRequest, study: Study, channel_id: str) -> HttpResponse:
    market = Market(settings.endpoint())
    channel = queries.channel_of(study, channel_id, market)
    if request.method != "POST":
        return _show_form(request, study, channel, EditChannelForm.of(channel, sets_retention=_sets_retention(study)))
    form = EditChannelForm(request.POST, kind=channel.kind, sets_retention=_sets_retention(study))
    if form.is_valid():
        with attach_errors(form, above=True):
            try:
                values = form.settings(of_new=False)
                # A form without its version was opened before there were versions: it may be as old as you like.
                version = form.cleaned_data["version"] or 0
                changes.change_channel(study, channel_id, values, version=version, **_by(request))
            except ChangedError:
                saved = queries.channel_of(study, channel_id, market)
                merged, differences = form.merge(saved)
                return _show_form(request, study, saved, merged, differences=differences, changed=True)
            messages.success(request, _("Settings saved."))
            return redirect("console:recruit-channel", study.uuid, channel_id)
    return _show_form(request, study, channel, form)


def _show_form(
    request: HttpRequest, study: Study, channel: ChannelRecord, form: EditChannelForm, **more: Any
) -> HttpResponse:
    """The settings of a channel to edit; 409 where somebody else has saved others meanwhile."""
    context = {"study": study, "form": form, "channel": channel, "label": KINDS.get(channel.kind, channel.kind), **more}
    status = 409 if more.get("changed") else 422 if form.errors else 200
    return render(request, "console/recruit_form.html", context, status=status)


@require_safe
@study_page(Role.EDITOR)
def texts(request: HttpRequest, study: Study, channel_id: str) -> HttpResponse:
    """Consent and debriefing text as participants read them, and every earlier version."""
    channel = queries.channel_of(study, channel_id, Market(settings.endpoint()))
    return render(request, "console/recruit_texts.html", {"study": study, "channel": channel})


@require_POST
@study_page(Role.EDITOR)
def close(request: HttpRequest, study: Study, channel_id: str) -> HttpResponse:
    changes.close_channel(study, channel_id, **_by(request))
    messages.success(request, _("Channel closed. Participants who are inside can finish."))
    return redirect("console:recruit-channel", study.uuid, channel_id)


@require_POST
@study_page(Role.EDITOR)
def reopen(request: HttpRequest, study: Study, channel_id: str) -> HttpResponse:
    changes.reopen_channel(study, channel_id, **_by(request))
    messages.success(request, _("Channel reopened."))
    return redirect("console:recruit-channel", study.uuid, channel_id)


@require_POST
@study_page(Role.EDITOR)
def invite(request: HttpRequest, study: Study, channel_id: str) -> HttpResponse:
    """Invite the people of a file: all of them or none. Their links are shown this once."""
    form = InvitePeopleForm(request.POST, request.FILES)
    if form.is_valid():
        with attach_errors(form, above=True):
            guests = read_guests(io.StringIO(form.cleaned_data["people"], newline=""))
            invited = invite_people(study, channel_id, guests, **_by(request))
            return _show_links(request, study, channel_id, invited)
    return _shown(request, study, channel_id, invite=form)


@require_POST
@study_page(Role.EDITOR)
def new_link(request: HttpRequest, study: Study, channel_id: str) -> HttpResponse:
    """One more link for an invited person, shown this once; earlier ones still work."""
    by, number = _by(request), request.POST.get("person", "")
    known = {person.participant_id: person for person in queries.people_of(study, channel_id, by["market"])}
    if number not in known:
        raise Http404
    person = known[number]
    link = renew_link(study, channel_id, number, **by)
    guest = InvitedGuest(number, person.email, person.external_id, person.name, link)
    return _show_links(request, study, channel_id, InvitedPeople((guest,), 0), _("New link created."))


@require_POST
@study_page(Role.EDITOR)
def codes(request: HttpRequest, study: Study, channel_id: str) -> HttpResponse:
    """Add completion codes to the channel's list: all of them or none."""
    form = AddCodesForm(request.POST, request.FILES)
    if form.is_valid():
        with attach_errors(form, above=True):
            channel = add_codes(study, channel_id, form.cleaned_data["codes"], **_by(request))
            left = channel.codes_left or 0
            messages.success(request, ngettext("Saved. %d code is left.", "Saved. %d codes are left.", left) % left)
            return redirect("console:recruit-channel", study.uuid, channel_id)
    return _shown(request, study, channel_id, add_codes=form)


def _show_links(
    request: HttpRequest, study: Study, channel_id: str, invited: InvitedPeople, message: str = ""
) -> HttpResponse:
    number = len(invited.new)
    message = message or ngettext("%d person invited.", "%d people invited.", number) % number
    context = {"study": study, "channel_id": channel_id, "invited": invited, "message": message, "csv": _csv(invited)}
    return render(request, "console/recruit_links.html", context)


def _csv(invited: InvitedPeople) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("email", "id", "name", "link"))
    for person in invited.new:
        writer.writerow([_disarmed(cell) for cell in (person.email, person.external_id, person.name, person.link)])
    return out.getvalue()


def _disarmed(cell: str) -> str:
    """A cell that a spreadsheet would run as a formula begins with an apostrophe."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


@require_POST
@study_page(Role.EDITOR)
def links_file(request: HttpRequest, study: Study, channel_id: str) -> HttpResponse:
    """The links that the page before shows, as a file: they are stored nowhere, so the page sends them."""
    response = HttpResponse(request.POST.get("csv", ""), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{CSV_NAME}"'
    return response


@require_POST
@study_page(Role.EDITOR)
def mail(request: HttpRequest, study: Study, channel_id: str) -> HttpResponse:
    """Mail their links to people who were not mailed yet, or remind those who have not begun."""
    back = redirect("console:recruit-channel", study.uuid, channel_id)
    try:
        report = mail_people(study, channel_id, remind="remind" in request.POST, **_by(request))
    except StateError as refusal:
        messages.error(request, str(refusal))
        return back
    messages.success(request, ngettext("%d mail sent.", "%d mails sent.", report.sent) % report.sent)
    if report.left:
        text = ngettext(
            "%d mail was not sent: the mail server failed, or the mails of 24 hours are used up. Try again later.",
            "%d mails were not sent: the mail server failed, or the mails of 24 hours are used up. Try again later.",
            report.left,
        )
        messages.error(request, text % report.left)
    return back


def _by(request: HttpRequest) -> dict[str, Any]:
    return {"market": Market(settings.endpoint()), "actor": visitor(request).get_username(), "now": timezone.now()}
