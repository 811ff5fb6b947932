"""Where Prolific sends its hooks."""

from __future__ import annotations

import logging

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from annotation.accounts.vault import UnreadableSecretError
from annotation.marketplace.prolific import hooks

MAX_BODY_BYTES = 64 * 1024

log = logging.getLogger(__name__)


@csrf_exempt
@require_POST
def prolific_hook(request: HttpRequest, token: str) -> HttpResponse:
    """204 for a hook that is Prolific's, seen before or not; 404 for an unknown address, 400 for anything else."""
    account = hooks.account_of(token)
    if account is None:
        return HttpResponse(status=404)
    if len(request.body) > MAX_BODY_BYTES:
        return HttpResponse(status=413)
    try:
        hooks.receive(account, request.body, request.headers, now=timezone.now())
    except (hooks.HookRefusedError, UnreadableSecretError) as refusal:
        log.warning("A hook to the Prolific account %s was not accepted: %s", account.pk, refusal)
        return HttpResponse(status=400)
    return HttpResponse(status=204)
