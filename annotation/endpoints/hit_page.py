"""Pages of HITs that are too large for a question: served from the host of HIT frames, without anybody's session."""

from __future__ import annotations

from functools import partial
from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from annotation.design.presets import PRESETS, Preset
from annotation.hits import template_preview
from annotation.hits.mturk_request import hit_at, page_of, wording_of
from annotation.hits.training_preview import preview_at
from annotation.hits.wording_preview import edited_task
from annotation.pricing.currency import DEFAULT_CURRENCY, format_money


@require_safe
def hit_page(request: HttpRequest, token: str) -> HttpResponse:
    """The page of a HIT, confined as requesters' HTML is: no origin, no cookie, forms to the worker site only."""
    hit = hit_at(token)
    if hit is None or hit.wording is None or urlsplit(f"//{request.get_host()}").hostname != _host():
        raise Http404
    return _confined(page_of(hit, wording_of(hit)))


@require_safe
def training_page(request: HttpRequest, token: str) -> HttpResponse:
    """A task page with the training of one arm as it is now, before any task exists."""
    page = preview_at(token)
    if page is None or urlsplit(f"//{request.get_host()}").hostname != _host():
        raise Http404
    return _confined(page)


@require_safe
def template_page(request: HttpRequest, name: str) -> HttpResponse:
    """The task page of a template with sample texts, which sends its answers to `template_answers`."""
    preset = PRESETS.get(name)
    if preset is None or urlsplit(f"//{request.get_host()}").hostname != _host():
        raise Http404
    return _confined(template_preview.template_page(preset), forms_to=settings.HIT_ORIGIN)


@csrf_exempt  # Its frame has no origin, and nothing is stored.
@require_POST
def template_answers(request: HttpRequest, name: str) -> HttpResponse:
    """What was answered on a template's page, and what a task would take and pay at that pace."""
    preset = PRESETS.get(name)
    if preset is None or urlsplit(f"//{request.get_host()}").hostname != _host():
        raise Http404
    return _tried(preset, template_preview.read_tried(preset, request.POST.dict()), DEFAULT_CURRENCY)


@require_safe
def wording_page(request: HttpRequest, token: str) -> HttpResponse:
    """A study's task page with words that are being edited, which sends its answers to `wording_answers`."""
    task = edited_task(token)
    if task is None or urlsplit(f"//{request.get_host()}").hostname != _host():
        raise Http404
    return _confined(task.page(), forms_to=settings.HIT_ORIGIN)


@csrf_exempt  # Its frame has no origin, and nothing is stored.
@require_POST
def wording_answers(request: HttpRequest, token: str) -> HttpResponse:
    """What was answered on that page, and what a task would take and pay at that pace, with a receipt for the console
    around it."""
    task = edited_task(token)
    if task is None or urlsplit(f"//{request.get_host()}").hostname != _host():
        raise Http404
    tried = task.read(request.POST.dict())
    return _tried(task.preset, tried, task.study.currency, receipt=task.receipt(tried))


def _tried(preset: Preset, tried: template_preview.TriedTask, currency: str, *, receipt: str = "") -> HttpResponse:
    money = partial(format_money, currency=currency)
    context = {
        "tried": tried,
        "receipt": receipt,
        "console": settings.CONSOLE_ORIGIN,
        "per_task": f"{template_preview.lines_per_task(preset)} {_units(preset)}",
        "reward": money(int(str(preset.settings["reward_cents"]))),
        "hourly": "" if tried.hourly_cents is None else money(tried.hourly_cents),
    }
    return _confined(render_to_string("tried.html", context), forms_to=settings.HIT_ORIGIN)


def _units(preset: Preset) -> str:
    """What a task is so many of."""
    return preset.wording.nouns if preset.kind.unit == "text" else f"{preset.kind.unit}s"


def _confined(page: str, *, forms_to: str = "") -> HttpResponse:
    response = HttpResponse(page)
    response.headers["Content-Security-Policy"] = (
        "sandbox allow-scripts allow-forms; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
        f"form-action {forms_to or settings.WORKER_ORIGIN}; base-uri 'none'; "
        f"frame-ancestors {settings.WORKER_ORIGIN} {settings.CONSOLE_ORIGIN}"
    )
    del response.headers["X-Frame-Options"]
    response.xframe_options_exempt = True
    return response


def _host() -> str | None:
    return urlsplit(settings.HIT_ORIGIN).hostname
