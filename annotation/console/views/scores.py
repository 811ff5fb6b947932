"""Numbers about the texts that were computed elsewhere: kept with the study, so that every later report tells them."""

from __future__ import annotations

import shutil

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.console.form_errors import attach_errors
from annotation.console.forms.scores import AttachScores
from annotation.console.permission import study_page
from annotation.jobs import uploads
from annotation.models import Role, Study
from annotation.reports.attach_scores import attach, detach
from annotation.studies.access import may


@study_page()
def scores(request: HttpRequest, study: Study) -> HttpResponse:
    """Everybody reads which files there are; an editor brings one."""
    editor = may(study, Role.EDITOR)
    form = AttachScores(request.POST, request.FILES) if request.method == "POST" and editor else AttachScores()
    if form.is_valid() and _attached(request, study, form):
        messages.success(request, _("File attached. New reports include it."))
        return redirect("console:exports-scores", study.uuid)
    context = {"study": study, "form": form, "files": study.score_files.order_by("pk")}
    return render(request, "console/scores.html", context, status=422 if form.errors else 200)


def _attached(request: HttpRequest, study: Study, form: AttachScores) -> bool:
    path = uploads.keep(form.cleaned_data["file"])
    try:
        with attach_errors(form):
            source = {name: form.cleaned_data[name] for name in ("model", "version")}
            actor = request.user.get_username()
            attach(study, path, **source, columns=form.chosen(), actor=actor, now=timezone.now())
    finally:
        shutil.rmtree(path.parent, ignore_errors=True)
    return not form.errors


@require_POST
@study_page(Role.EDITOR)
def take_away(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    held = get_object_or_404(study.score_files, pk=number)
    detach(held, actor=request.user.get_username(), now=timezone.now())
    messages.success(request, _("%(name)s is no longer attached.") % {"name": held.name})
    return redirect("console:exports-scores", study.uuid)
