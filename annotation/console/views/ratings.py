"""Ratings that were collected elsewhere, in any file: their columns are chosen, and they become a study."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST

from annotation.console.forms.studies import ImportRatings
from annotation.console.permission import console_page, visitor
from annotation.jobs import uploads
from annotation.jobs.celery_tasks import ask
from annotation.jobs.look_now import look_now
from annotation.models import Job


@console_page
def bring(request: HttpRequest) -> HttpResponse:
    form = ImportRatings(request.POST or None, request.FILES or None)
    if form.is_valid():
        path = uploads.keep(form.cleaned_data["file"])
        settings = {"path": str(path), "name": form.cleaned_data["name"], "of": "ratings"}
        look = look_now(by=visitor(request), study=None, settings=settings, now=timezone.now())
        readable = look.state == Job.State.DONE and look.outcome["look"]["columns"]
        return redirect("console:studies-ratings-columns" if readable else "console:job", look.uuid)
    return render(request, "console/import_ratings.html", {"form": form}, status=422 if form.errors else 200)


@require_POST
@console_page
def confirm(request: HttpRequest) -> HttpResponse:
    """Import the ratings of a file that was checked."""
    checked = get_object_or_404(
        Job, uuid=request.POST.get("job"), kind=Job.Kind.CHECK_RATINGS, state="done", asked_by=visitor(request)
    )
    job = ask(Job.Kind.IMPORT_RATINGS, by=visitor(request), now=timezone.now(), settings=checked.settings)
    return redirect("console:job", job.uuid)
