"""The page of a row before it is published, at an address that cannot be guessed."""

from __future__ import annotations

from django.conf import settings
from django.core import signing
from django.urls import reverse

from annotation.hits.batches.template import page_of
from annotation.models import BatchHit

_SEAL = signing.TimestampSigner(salt="annotation.batch-page", sep=".")
LIFE = 24 * 3600  # seconds


def preview_address(hit: BatchHit) -> str:
    """Where the page of a row is served, on the host of HIT frames."""
    return settings.HIT_ORIGIN + reverse("batch-page", args=[_SEAL.sign(str(hit.pk))])


def preview_at(token: str) -> str | None:
    """The page that an address names; None where it names none, or is older than a day."""
    try:
        pk = int(_SEAL.unsign(token, max_age=LIFE))
    except (signing.BadSignature, ValueError):
        return None
    hit = BatchHit.objects.select_related("batch").filter(pk=pk).first()
    return page_of(hit.batch.template, hit.cells, title=hit.batch.title) if hit else None


def marked_cells(hit: BatchHit) -> list[tuple[str, str, bool]]:
    """Column, cell, and whether it holds signs that HTML reads (<, & or quotes): values are inserted as they are."""
    return [(name, cell, any(sign in cell for sign in "<&\"'")) for name, cell in hit.cells.items()]
