"""The tasks that a study can begin with: the four papers, then everything else, each to be tried before it is used."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.console.permission import console_page
from annotation.console.views.studies import STARTS
from annotation.design.kinds import broken_kinds, installed_kinds
from annotation.design.presets import BROKEN_PRESETS, FIRST, PRESETS, Preset
from annotation.design.task_kind import TaskKind
from annotation.hits.template_preview import template_address


@dataclass(frozen=True, slots=True)
class TaskCard:
    """A kind of task with its templates, without those that the papers' cards offer."""

    kind: TaskKind
    presets: tuple[Preset, ...]


def _cards() -> list[TaskCard]:
    cards = [
        TaskCard(kind, tuple(preset for name in kind.presets if (preset := PRESETS.get(name)) and name not in FIRST))
        for kind in installed_kinds().values()
    ]
    return [card for card in cards if card.presets]


@console_page
def gallery(request: HttpRequest) -> HttpResponse:
    papers = {name for name, kind in installed_kinds().items() if set(kind.presets) & set(FIRST)}
    cards = _cards()
    context = {
        "starts": STARTS,
        "cards": [card for card in cards if card.kind.name not in papers],
        "further": [preset for card in cards if card.kind.name in papers for preset in card.presets],
        "broken": {**broken_kinds(), **BROKEN_PRESETS},
    }
    return render(request, "console/gallery.html", context)


@console_page
def template(request: HttpRequest, name: str) -> HttpResponse:
    """A template's page in a frame without rights, to be answered; nothing is stored."""
    preset = PRESETS.get(name)
    if preset is None:
        raise Http404
    width = "phone" if request.GET.get("width") == "phone" else "desk"
    context = {"preset": preset, "width": width, "address": template_address(preset)}
    response = render(request, "console/gallery_template.html", context)
    response._csp_update = {"frame-src": [settings.HIT_ORIGIN]}  # type: ignore[attr-defined]
    return response
