"""Recruit on Prolific: the account, the draft with its filters, the price, and what goes on there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from annotation import settings
from annotation.console.form_errors import attach_errors
from annotation.console.forms.on_prolific import DraftForm, FilterForm, PlacesForm, ProjectForm, PublishForm, TokenForm
from annotation.console.permission import console_page, refused, study_page, visitor
from annotation.exceptions import MarketError
from annotation.jobs.celery_tasks import wake
from annotation.models import Role, Study
from annotation.mturk import prolific
from annotation.mturk.client import Market
from annotation.mturk.prolific import FilterOption, ProlificAccountRecord, ProlificDraft, ProlificStudyRecord
from annotation.recruiting import publish_prolific as deeds

MAX_SHOWN = 20
NO_ACCOUNT = ProlificAccountRecord(connected=False)
STATUSES = {
    "draft": gettext_lazy("Draft"),
    "publishing": gettext_lazy("Being published"),
    "scheduled": gettext_lazy("Scheduled"),
    "active": gettext_lazy("Recruiting"),
    "paused": gettext_lazy("Paused"),
    "awaiting review": gettext_lazy("All places done, review open"),
    "completed": gettext_lazy("Completed"),
}
SUBMISSION_STATUSES = {
    "reserved": gettext_lazy("Place reserved"),
    "active": gettext_lazy("Taking part"),
    "awaiting review": gettext_lazy("Waiting for review"),
    "approved": gettext_lazy("Approved"),
    "partially approved": gettext_lazy("Partially approved"),
    "rejected": gettext_lazy("Rejected"),
    "returned": gettext_lazy("Returned"),
    "timed-out": gettext_lazy("Timed out"),
    "screened out": gettext_lazy("Screened out"),
}


def _only_operators(request: HttpRequest) -> HttpResponse | None:
    if visitor(request).is_superuser:
        return None
    return refused(request, _("Only who administers this installation can connect Prolific"), status=403)


@require_http_methods(["GET", "HEAD", "POST"])
@console_page
def account(request: HttpRequest) -> HttpResponse:
    """The connected account; a token is checked by Prolific before it is stored."""
    if (refusal := _only_operators(request)) is not None:
        return refusal
    market, form = Market(settings.endpoint()), TokenForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with attach_errors(form, above=True):
            prolific.connect_account(market, form.cleaned_data["token"].strip())
            messages.success(request, _("Prolific connected. Choose a project."))
            return redirect("console:keys-prolific")
    return _show_account(request, market, form=form)


def _show_account(request: HttpRequest, market: Market, **more: Any) -> HttpResponse:
    known, problem = NO_ACCOUNT, ""
    try:
        known = prolific.get_account(market)
    except MarketError as error:
        problem = str(error)
    context = {"account": known, "problem": problem, "form": TokenForm(), "project": ProjectForm(account=known), **more}
    wrong = any(getattr(form, "errors", None) for form in more.values())
    return render(request, "console/prolific_account.html", context, status=422 if wrong else 200)


@require_POST
@console_page
def project(request: HttpRequest) -> HttpResponse:
    """Choose the project of new studies."""
    if (refusal := _only_operators(request)) is not None:
        return refusal
    market = Market(settings.endpoint())
    form = ProjectForm(request.POST, account=prolific.get_account(market))
    if form.is_valid():
        with attach_errors(form, above=True):
            prolific.choose_project(market, **form.names())
            messages.success(request, _("Project saved."))
            return redirect("console:keys-prolific")
    return _show_account(request, market, project=form)


@require_POST
@console_page
def disconnect(request: HttpRequest) -> HttpResponse:
    """Delete the stored token."""
    if (refusal := _only_operators(request)) is not None:
        return refusal
    prolific.disconnect_account(Market(settings.endpoint()))
    messages.success(request, _("Token deleted. Revoke it on Prolific, too."))
    return redirect("console:keys-prolific")


def prolific_context(study: Study, channel_id: str, market: Market) -> dict[str, Any]:
    """What the page of a channel shows of its study on Prolific; the sentence of a marketplace that does not answer."""
    try:
        known = prolific.get_study(market, channel_id)
    except MarketError as error:
        return {"prolific_problem": str(error)}
    if known.status == "draft" and deeds.is_publishing(study, channel_id):
        known = replace(known, status="publishing")
    counts = [(SUBMISSION_STATUSES.get(name.lower(), name), number) for name, number in known.counts.items() if number]
    return {
        "prolific": known,
        "prolific_status": STATUSES.get(known.status.lower(), known.status),
        "prolific_counts": counts,
        "prolific_failure": deeds.failed_recruiting(study, channel_id),
    }


@require_http_methods(["GET", "HEAD", "POST"])
@study_page(Role.EDITOR)
def draft(request: HttpRequest, study: Study, channel_id: str) -> HttpResponse:
    """What people read of the study on Prolific, and what it pays."""
    market = Market(settings.endpoint())
    deeds.require_prolific(study, channel_id, market)
    known = prolific.get_study(market, channel_id)
    values = DraftForm.values_of(known)
    form = DraftForm(request.POST or None, initial=values, currency=known.currency or study.currency)
    if request.method == "POST" and form.is_valid():
        with attach_errors(form, above=True, labels="label", content_warnings="content_warning"):
            deeds.set_draft(study, channel_id, form.draft(), **_by(request, market))
            messages.success(request, _("Draft saved."))
            return redirect("console:recruit-prolific-filters", study.uuid, channel_id)
    context = {"study": study, "form": form, "prolific": known, "channel_id": channel_id}
    return render(request, "console/prolific_draft.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@study_page(Role.EDITOR)
def filters(request: HttpRequest, study: Study, channel_id: str) -> HttpResponse:
    """Who is invited: filters of Prolific's own list, and how many people fit them."""
    market = Market(settings.endpoint())
    deeds.require_prolific(study, channel_id, market)
    known, options = prolific.get_study(market, channel_id), prolific.list_filters(market)
    option = next((row for row in options if row.filter_id == request.GET.get("filter")), None)
    form = _filter_form(request, option, known) if option and option.is_known else None
    if request.method == "POST":
        if form is None:
            raise Http404
        if form.is_valid():
            with attach_errors(form, above=True, filters="values" if "values" in form.fields else "lower"):
                others = [row for row in known.filters if row.filter_id != form.option.filter_id]
                return _set_filters(request, study, channel_id, (*others, form.chosen()))
    context = _filters_context(request, known, options, form)
    context |= {
        "study": study,
        "channel_id": channel_id,
        "option": option,
        "people": prolific.count_people(market, known.filters),
    }
    return render(request, "console/prolific_filters.html", context, status=422 if form and form.errors else 200)


def _filter_form(request: HttpRequest, option: FilterOption, known: ProlificStudyRecord) -> FilterForm:
    """The form of a filter as it is set, if it is."""
    chosen = next((row for row in known.filters if row.filter_id == option.filter_id), None)
    values = {"values": chosen.values, "lower": chosen.lower, "upper": chosen.upper} if chosen else {}
    return FilterForm(request.POST or None, option=option, initial=values)


def _filters_context(
    request: HttpRequest, known: ProlificStudyRecord, options: list[FilterOption], form: FilterForm | None
) -> dict[str, Any]:
    words = request.GET.get("q", "").strip()
    matches = [row for row in options if words.lower() in f"{row.title} {row.description}".lower()]
    by_id = {row.filter_id: row for row in options}
    chosen = [(row, by_id.get(row.filter_id), _in_words(row, by_id.get(row.filter_id))) for row in known.filters]
    return {
        "prolific": known,
        "chosen": chosen,
        "matches": matches[:MAX_SHOWN],
        "more": max(0, len(matches) - MAX_SHOWN),
        "words": words,
        "form": form,
    }


def _in_words(row: prolific.ChosenFilter, option: FilterOption | None) -> str:
    labels = dict(option.choices) if option else {}
    if row.values:
        return ", ".join(labels.get(value, value) for value in row.values)
    lower, upper = ("" if end is None else f"{end:g}" for end in (row.lower, row.upper))
    if lower and upper:
        return _("%(lower)s to %(upper)s") % {"lower": lower, "upper": upper}
    return _("from %(lower)s") % {"lower": lower} if lower else _("up to %(upper)s") % {"upper": upper}


def _set_filters(
    request: HttpRequest, study: Study, channel_id: str, chosen: tuple[prolific.ChosenFilter, ...]
) -> HttpResponse:
    wish = ProlificDraft(filters=chosen)
    deeds.set_draft(study, channel_id, wish, **_by(request, Market(settings.endpoint())))
    messages.success(request, _("Filters saved."))
    return redirect("console:recruit-prolific-filters", study.uuid, channel_id)


@require_POST
@study_page(Role.EDITOR)
def remove_filter(request: HttpRequest, study: Study, channel_id: str) -> HttpResponse:
    """Invite people whatever they are in this respect."""
    market = Market(settings.endpoint())
    deeds.require_prolific(study, channel_id, market)
    known = prolific.get_study(market, channel_id)
    rest = tuple(row for row in known.filters if row.filter_id != request.POST.get("filter"))
    return _set_filters(request, study, channel_id, rest)


@require_http_methods(["GET", "HEAD", "POST"])
@study_page(Role.OWNER)
def publish(request: HttpRequest, study: Study, channel_id: str) -> HttpResponse:
    """The cost with its parts, then publishing for exactly that cost."""
    market = Market(settings.endpoint())
    form = PublishForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with attach_errors(form, above=True):
            total = form.cleaned_data["total_minor"]
            deeds.publish_on_prolific(study, channel_id, total_minor=total, **_by(request, market))
            wake(study.pk)
            messages.success(request, _("Being published on Prolific. The money is reserved."))
            return redirect("console:recruit-channel", study.uuid, channel_id)
    context = {
        "study": study,
        "channel_id": channel_id,
        "quote": deeds.quote_on_prolific(study, channel_id, market),
        "prolific": prolific.get_study(market, channel_id),
        "form": form,
    }
    return render(request, "console/prolific_publish.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@study_page(Role.OWNER)
def more_places(request: HttpRequest, study: Study, channel_id: str) -> HttpResponse:
    """Raise the places; their money is reserved."""
    market = Market(settings.endpoint())
    deeds.require_prolific(study, channel_id, market)
    known, form = prolific.get_study(market, channel_id), PlacesForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with attach_errors(form, above=True):
            deeds.add_places(study, channel_id, form.cleaned_data["places"], **_by(request, market))
            wake(study.pk)
            messages.success(request, _("The places are being added. Their money is reserved."))
            return redirect("console:recruit-channel", study.uuid, channel_id)
    context = {"study": study, "form": form, "prolific": known, "channel_id": channel_id}
    return render(request, "console/prolific_places.html", context, status=422 if form.errors else 200)


@require_POST
@study_page(Role.EDITOR)
def change(request: HttpRequest, study: Study, channel_id: str, deed: str) -> HttpResponse:
    """Pause, start or stop recruitment on Prolific."""
    if deed not in deeds.DEEDS:
        raise Http404
    deeds.change_recruitment(study, channel_id, deed, **_by(request, Market(settings.endpoint())))
    messages.success(request, _("Saved. Prolific follows within a minute."))
    return redirect("console:recruit-channel", study.uuid, channel_id)


@require_POST
@study_page(Role.OWNER)
def settle(request: HttpRequest, study: Study, channel_id: str) -> HttpResponse:
    """Say what became of unanswered bonuses; without a batch, book Prolific's fees at the end."""
    by = _by(request, Market(settings.endpoint()))
    if batch := request.POST.get("batch"):
        outcome = request.POST.get("outcome", "")
        deeds.settle_batch(study, channel_id, batch, outcome=outcome, **by)
        messages.success(request, _("Saved. Payments go on."))
    else:
        deeds.settle_costs(study, channel_id, **by)
        messages.success(request, _("Costs booked. What was reserved beyond them is free again."))
    return redirect("console:recruit-channel", study.uuid, channel_id)


def _by(request: HttpRequest, market: Market) -> dict[str, Any]:
    return {"market": market, "actor": visitor(request).get_username(), "now": timezone.now()}
