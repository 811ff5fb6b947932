"""Payouts: who is owed what, a file out, marked as sent. Names and addresses come live and are not stored here."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.console.form_errors import attach_errors
from annotation.console.forms.owed_amounts import MAX_CHOSEN, ChosenPayouts, SentAmounts
from annotation.console.permission import console_page, study_page, visitor
from annotation.exceptions import MarketError
from annotation.models import Role, Study
from annotation.mturk import payouts as calls
from annotation.mturk.payouts import OwedList, OwedRow, PayoutRecord
from annotation.studies.access import RANKS, studies_of
from annotation.workers import payouts
from annotation.workers.payouts import market_of_payouts

LINES = 500
NOTHING = OwedList(())


@dataclass(frozen=True, slots=True)
class OwedTotal:
    """What is owed in one currency."""

    currency: str
    people: int
    amount_minor: int


def _totals(rows: tuple[OwedRow, ...]) -> list[OwedTotal]:
    people, amounts = Counter(row.currency for row in rows), Counter[str]()
    for row in rows:
        amounts[row.currency] += row.amount_minor
    return [OwedTotal(currency, people[currency], amounts[currency]) for currency in sorted(people)]


@study_page(Role.OWNER)
def owed(request: HttpRequest, study: Study) -> HttpResponse:
    return _shown(request, study, unpaid=bool(request.GET.get("unpaid")))


def _shown(
    request: HttpRequest, study: Study, *, unpaid: bool, form: ChosenPayouts | None = None, status: int = 200
) -> HttpResponse:
    work, market = payouts.work_of(study), market_of_payouts()
    owed_now, files, problem = NOTHING, list[PayoutRecord](), ""
    if work and market.ours:
        try:
            owed_now = calls.list_owed(market, work, with_unpaid=unpaid)
            files = calls.list_files(market, work.key)
        except MarketError as error:
            problem = str(error)
    context = {
        "study": study,
        "work": work,
        "ours": market.ours,
        "problem": problem,
        "owed": owed_now,
        "totals": _totals(owed_now.rows),
        "page": Paginator(owed_now.rows, LINES).get_page(request.GET.get("page")),
        "query": "unpaid=1&" if unpaid else "",
        "files": files,
        "open_files": [file for file in files if file.state == calls.OPEN],
        "unpaid": unpaid,
        "form": form,
    }
    return render(request, "console/payouts.html", context, status=status)


@require_POST
@study_page(Role.OWNER)
def create(request: HttpRequest, study: Study) -> HttpResponse:
    """A file of those who are ticked."""
    ticked = tuple(request.POST.getlist("chosen")[:MAX_CHOSEN])
    form = ChosenPayouts(request.POST, worker_ids=ticked)
    if form.is_valid():
        chosen, unpaid = form.cleaned_data["chosen"], form.cleaned_data["unpaid"]
        with attach_errors(form, above=True):
            file = payouts.create_payout_file(
                study,
                chosen,
                with_unpaid=unpaid,
                market=market_of_payouts(),
                actor=_name(request),
                now=timezone.now(),
            )
            messages.success(request, _("Payout file created. Download it, pay, then mark it as sent."))
            return redirect("console:workers-payouts-file", study.uuid, file.file_id)
    return _shown(request, study, unpaid=bool(request.POST.get("unpaid")), form=form, status=422)


@study_page(Role.OWNER)
def show_file(request: HttpRequest, study: Study, file_id: str) -> HttpResponse:
    return _file(request, study, file_id)


def _file(request: HttpRequest, study: Study, file_id: str, form: SentAmounts | None = None) -> HttpResponse:
    file = payouts.find_file(study, file_id, market=market_of_payouts())
    amounts = SentAmounts(initial={"people": file.people, "amount_minor": file.amount_minor})
    context = {
        "study": study,
        "file": file,
        "amounts": amounts,
        "form": form,
        "purged_at": next((row.purged_at for row in file.rows if row.purged_at), None),
    }
    return render(request, "console/payout_file.html", context, status=422 if form and form.errors else 200)


@study_page(Role.OWNER)
def download(request: HttpRequest, study: Study, file_id: str) -> HttpResponse:
    """The file as CSV: as often as needed, it is always the same payouts."""
    file = payouts.find_file(study, file_id, market=market_of_payouts())
    response = HttpResponse(payouts.as_csv(file), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="payouts-{study.name}-{file.file_id}.csv"'
    return response


@require_POST
@study_page(Role.OWNER)
def mark(request: HttpRequest, study: Study, file_id: str) -> HttpResponse:
    form = SentAmounts(request.POST)
    if not form.is_valid():
        return _file(request, study, file_id, form)
    done = payouts.mark_payout_sent(
        study,
        file_id,
        market=market_of_payouts(),
        actor=_name(request),
        now=timezone.now(),
        **form.cleaned_data,
    )
    sentence = _("Marked as sent. You can undo this for 24 hours.") if done else _("It was marked as sent before.")
    messages.success(request, sentence)
    return redirect("console:workers-payouts-file", study.uuid, file_id)


@require_POST
@study_page(Role.OWNER)
def undo(request: HttpRequest, study: Study, file_id: str) -> HttpResponse:
    payouts.undo_payout_sent(study, file_id, market=market_of_payouts(), actor=_name(request), now=timezone.now())
    messages.success(request, _("The file is no longer marked as sent."))
    return redirect("console:workers-payouts-file", study.uuid, file_id)


@require_POST
@study_page(Role.OWNER)
def discard(request: HttpRequest, study: Study, file_id: str) -> HttpResponse:
    payouts.discard_payout_file(study, file_id, market=market_of_payouts(), actor=_name(request), now=timezone.now())
    messages.success(request, _("File discarded. Its payouts are owed again."))
    return redirect("console:workers-payouts", study.uuid)


@console_page
def across(request: HttpRequest) -> HttpResponse:
    """What is owed over all studies that the visitor owns, and the files that wait to be marked."""
    owned = [study for study in studies_of(visitor(request)).exclude(status=Study.Status.DRAFT) if _owns(study)]
    market, problem = market_of_payouts(), ""
    sums, files = list[calls.OwedSum](), list[PayoutRecord]()
    if owned and market.ours:
        try:
            sums, files = calls.sum_owed(market), calls.list_files(market)
        except MarketError as error:
            problem = str(error)
    tags = {study.channel_tag: study for study in owned if study.channel_tag}
    keys = {str(study.uuid): study for study in owned}
    context: dict[str, Any] = {
        "sums": [(tags[row.tag], row) for row in sums if row.tag in tags],
        "files": [(keys[file.key], file) for file in files if file.key in keys and file.state == calls.OPEN],
        "untagged": payouts.open_to_accounts(owned),
        "problem": problem,
    }
    return render(request, "console/payouts_across.html", context)


def _owns(study: Study) -> bool:
    role: str = study.role  # type: ignore[attr-defined]  # annotated by studies_of
    return RANKS[Role(role)] >= RANKS[Role.OWNER]


def _name(request: HttpRequest) -> str:
    return visitor(request).get_username()
