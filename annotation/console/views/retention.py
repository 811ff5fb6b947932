"""Retention: what is stored of the people of a study, until when, and its deletion."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from annotation import settings
from annotation.console.form_errors import attach_errors
from annotation.console.forms.owed_amounts import DeleteIds, RetentionDate
from annotation.console.permission import console_page, study_page, visitor
from annotation.exceptions import MarketError
from annotation.models import Role, Study
from annotation.mturk import payouts as calls
from annotation.mturk.client import Market
from annotation.mturk.payouts import RetentionState
from annotation.studies.access import RANKS, studies_of
from annotation.workers import study_retention

LINES = 50


@study_page(Role.REVIEWER)
def stored(request: HttpRequest, study: Study) -> HttpResponse:
    return _shown(request, study)


def _shown(request: HttpRequest, study: Study, **forms: Any) -> HttpResponse:
    market, problem, state = study_retention.market_of_people(study), "", None
    if market is not None:
        try:
            state = calls.get_retention(market, study.channel_tag)
        except MarketError as error:
            problem = str(error)
    now = timezone.now()
    ids = study_retention.stored_ids(study, now=now)
    times = study_retention.purge_times(state)
    form = next((form for form in forms.values() if form.errors), None)
    context = {
        "study": study,
        "ids": ids,
        "stay": ids.workers - ids.only_of_study,
        "state": state,
        "problem": problem,
        "times": times,
        "late": times.is_late(now),
        "device_days": settings.device_days(),
        "deleted_at": study_retention.deleted_at(study),
        "running": study.status in study_retention.RUNNING and study.mode != Study.Mode.IMPORTED,
        "date": RetentionDate(initial={"retain_until": study.retain_until and study.retain_until.date()}),
        "deleting": _deleting(study, ids, state),
        **forms,
        "form": form,
    }
    return render(request, "console/retention.html", context, status=422 if form else 200)


def _deleting(study: Study, ids: study_retention.StoredIds, state: RetentionState | None) -> DeleteIds:
    numbers = {"workers": ids.only_of_study, "identities": state.identities if state else 0}
    return DeleteIds(initial=numbers, study_name=study.name)


def _context(request: HttpRequest, study: Study) -> tuple[str, datetime, Market | None]:
    """Who acts, when, and where people of the study are stored besides."""
    return visitor(request).get_username(), timezone.now(), study_retention.market_of_people(study)


@require_POST
@study_page(Role.OWNER)
def set_date(request: HttpRequest, study: Study) -> HttpResponse:
    form = RetentionDate(request.POST)
    if form.is_valid():
        who, now, market = _context(request, study)
        with attach_errors(form):
            once_until = form.moment("once_until")
            study_retention.set_retention_date(
                study, form.moment(), market=market, actor=who, now=now, once_until=once_until
            )
            messages.success(request, _("Retention date saved."))
            return redirect("console:workers-retention", study.uuid)
    return _shown(request, study, date=form)


@require_POST
@study_page(Role.OWNER)
def delete(request: HttpRequest, study: Study) -> HttpResponse:
    form = DeleteIds(request.POST, study_name=study.name)
    if form.is_valid():
        numbers = {name: form.cleaned_data[name] for name in ("workers", "identities")}
        who, now, market = _context(request, study)
        with attach_errors(form):
            study_retention.delete_ids(study, market=market, actor=who, now=now, **numbers)
            total = numbers["workers"] + numbers["identities"]
            sentence = ngettext("%(n)s record deleted.", "%(n)s records deleted.", total) % {"n": f"{total:,}"}
            messages.success(request, sentence)
            return redirect("console:workers-retention", study.uuid)
    return _shown(request, study, deleting=form)


@console_page
def across(request: HttpRequest) -> HttpResponse:
    """Retention dates of all studies whose workers the visitor may see."""
    enough = [role for role, rank in RANKS.items() if rank >= RANKS[Role.REVIEWER]]
    studies = studies_of(visitor(request)).filter(role__in=enough)  # type: ignore[misc]
    counted = studies.annotate(ids=Count("participations__worker__identity", distinct=True))
    paginator = Paginator(counted.order_by("retain_until", "name"), LINES)
    times = study_retention.purge_times()
    context = {
        "page": paginator.get_page(request.GET.get("page")),
        "times": times,
        "late": times.is_late(timezone.now()),
    }
    return render(request, "console/retention_across.html", context)
