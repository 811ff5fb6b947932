"""A report that was shared by a link: read-only, for anybody who has the link, until it ends or is revoked."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.jobs import shared_files
from annotation.jobs.job_files import folder_of
from annotation.reports.share import opened


@require_safe
def shared_report(request: HttpRequest, token: str) -> HttpResponse:
    """The page of the report. It brings its own policy, which fetches nothing; here it has no origin and no cookie."""
    job = opened(token, now=timezone.now())
    try:
        content = shared_files.open_file(folder_of(job) / job.page) if job and job.page else None
    except shared_files.StorageError as error:
        context = {"sentence": "The report cannot be shown now", "text": str(error)}
        return render(request, "console/refused.html", context, status=503)
    if content is None:
        text = "It may be mistyped, expired or revoked. Ask the person who sent it for a new link."
        context = {"sentence": "No report at this link", "text": text}
        return render(request, "console/refused.html", context, status=404)
    with content:
        response = HttpResponse(content.read())
    response.headers["Content-Security-Policy"] = (
        "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "private, no-store"
    response.headers["X-Robots-Tag"] = "noindex"
    return response
