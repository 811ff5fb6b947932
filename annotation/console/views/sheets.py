"""The style of figures, from their one home."""

from __future__ import annotations

from functools import cache

from django.http import HttpRequest, HttpResponse

from metrics.figures import embed


@cache
def _style() -> str:
    return embed.style()


def figures_sheet(request: HttpRequest) -> HttpResponse:
    """Colours and shapes of every figure, as a sheet: inline style is refused."""
    return HttpResponse(_style(), content_type="text/css", headers={"Cache-Control": "max-age=3600"})
