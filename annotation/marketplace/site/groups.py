"""What there is to do: groups of equal HITs with search, order and pages; one group; the next of a group."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from annotation.marketplace.draws.counts import draw_of
from annotation.marketplace.errors import WorkRefusedError
from annotation.marketplace.hits import catalogue
from annotation.marketplace.hits.eligibility import assess_worker
from annotation.marketplace.hits.study_cards import card_of
from annotation.marketplace.invitations.offer import offers_by_group
from annotation.marketplace.models import HitType
from annotation.marketplace.site.assignment_pages import enter_or_accept, remember_wish, terms_of_type
from annotation.marketplace.site.host_guards import Visit, worker_page
from annotation.marketplace.site.pages import refused
from annotation.marketplace.site.refusal_reasons import requirements_of, requirements_of_all
from annotation.marketplace.site.shown_terms import PAY_CHANGED, hold_to_terms
from annotation.marketplace.site.way import next_step

LAST_PAGE = catalogue.MAX_GROUPS // catalogue.PAGE
MAX_SEARCH_CHARS = 100


class ChoiceForm(forms.Form):
    """The search above the list; a value that cannot be read is ignored, with an error next to its field."""

    q = forms.CharField(
        label=_("Words"),
        max_length=MAX_SEARCH_CHARS,
        required=False,
        widget=forms.TextInput(attrs={"type": "search", "autocomplete": "off"}),
    )
    sort = forms.ChoiceField(
        label=_("Order"),
        required=False,
        choices=[
            (catalogue.NEWEST, _("Newest first")),
            (catalogue.REWARD, _("Highest pay first")),
            (catalogue.TIME, _("Shortest time first")),
            (catalogue.NUMBER, _("Most tasks first")),
        ],
    )
    pay = forms.DecimalField(
        label=_("Pay from ($)"),
        required=False,
        min_value=0,
        max_value=1_000_000,
        max_digits=9,
        decimal_places=2,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )
    mine = forms.BooleanField(label=_("Only tasks that I may accept"), required=False)
    page = forms.IntegerField(required=False, min_value=1, max_value=LAST_PAGE, widget=forms.HiddenInput)

    @property
    def shown(self) -> list[forms.BoundField]:
        """The fields that people see; each search starts at the first page."""
        return self.visible_fields()

    def choice(self) -> catalogue.Choice:
        cleaned = self.cleaned_data if self.is_valid() else getattr(self, "cleaned_data", {})
        return catalogue.Choice(
            words=cleaned.get("q") or "",
            sort=cleaned.get("sort") or catalogue.NEWEST,
            min_reward_cents=int((cleaned.get("pay") or 0) * 100),
            qualified=bool(cleaned.get("mine")),
            page=cleaned.get("page") or 1,
        )


@require_safe
@worker_page
def available(request: HttpRequest, visit: Visit) -> HttpResponse:
    """What the worker holds, and the groups of HITs to choose from; who came by a link has one next step instead."""
    if visit.worker.channel is not None:
        return next_step(request, visit)
    form = ChoiceForm(request.GET)
    choice = form.choice()
    offers = catalogue.offers(visit.worker, choice, now=visit.now)
    context: dict[str, Any] = {
        "visit": visit,
        "form": form,
        "choice": choice,
        "searched": any(request.GET.get(name) for name in ("q", "pay", "mine")),
        "held": catalogue.held_by(visit.worker),
        "offers": offers,
        "rows": zip(
            offers.rows,
            requirements_of_all([offer.eligibility for offer in offers.rows], visit.worker, now=visit.now),
            [card_of(offer.undrawn) if offer.undrawn else None for offer in offers.rows],
            offers_by_group([offer.undrawn or (offer.hit_type,) for offer in offers.rows]),
            strict=True,
        ),
        "before": _page(request, choice.page - 1),
        "after": _page(request, choice.page + 1),
    }
    return render(request, "marketplace/list.html", context)


@require_safe
@worker_page
def group(request: HttpRequest, visit: Visit, group_id: str) -> HttpResponse:
    """The HITs of one group, one by one."""
    if visit.worker.channel is not None:
        return redirect("hits:list")
    hit_type = _group(group_id)
    allowed = assess_worker(visit.worker, hit_type)
    if not allowed.discover:
        # The requirements of a group that may not be discovered are not shown either.
        return refused(request, "unqualified", hit=None, worker=visit.worker)
    if hit_type.cell and (leads_to := _card_instead(visit, hit_type)) is not None:
        return leads_to
    hits = catalogue.group_of(visit.worker, hit_type, now=visit.now, after=request.GET.get("after", ""))
    shown = hits[: catalogue.PAGE]
    after = shown[-1].hit_id if len(hits) > catalogue.PAGE else ""
    context = {"visit": visit, "type": hit_type, "hits": shown, "after": after, "eligibility": allowed}
    context |= {"requirements": requirements_of(allowed, visit.worker, now=visit.now), **terms_of_type(hit_type)}
    return render(request, "marketplace/group.html", context)


@require_POST
@worker_page
def accept_next(request: HttpRequest, visit: Visit, group_id: str) -> HttpResponse:
    """Accept some HIT of the group: there is no first to be quarrelled over."""
    remember_wish(request, visit)
    hit_type = _group(group_id)
    try:
        held = enter_or_accept(visit, hit_type)
    except WorkRefusedError as refusal:
        some = catalogue.untaken(visit.worker, visit.now).filter(hit_type=hit_type).order_by("pk").first()
        return refused(request, refusal.reason, hit=some, worker=visit.worker)
    if held is None:
        return refused(request, "full", hit=None, worker=visit.worker)
    if not hold_to_terms(request, held, now=visit.now):
        return refused(request, PAY_CHANGED, hit=None, worker=visit.worker)
    return redirect("hits:work", held.assignment_id)


@require_safe
@worker_page
def welcome(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The first page after registration."""
    return render(request, "marketplace/welcome.html", {"visit": visit})


def _card_instead(visit: Visit, hit_type: HitType) -> HttpResponse | None:
    """Where a visitor is led who may not see the HITs of a cell one by one: it is not (yet) theirs; None if it is."""
    known = draw_of(hit_type.requester_id, hit_type.study, visit.worker.pk)
    if known is not None and known.cell == hit_type.cell:
        return None
    rows = catalogue.untaken(visit.worker, visit.now).filter(
        requester=hit_type.requester_id, hit_type__study=hit_type.study
    )
    hit = rows.order_by("pk").first()
    return redirect("hits:list") if hit is None else redirect("hits:preview", hit.hit_id)


def _group(group_id: str) -> HitType:
    hit_type = HitType.objects.select_related("requester__user").filter(group_id=group_id).first()
    if hit_type is None:
        raise Http404
    return hit_type


def _page(request: HttpRequest, page: int) -> str:
    """The address of another page of the same search."""
    query = request.GET.copy()
    query["page"] = str(page)
    return f"?{query.urlencode()}"
