"""Public releases of a study: what to look at before, who does not share, and the release as a job."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from annotation.console.form_errors import attach_errors
from annotation.console.forms.release import MAX_COMMENTS, ObjectionsForm, ReleaseForm
from annotation.console.permission import study_page, visitor
from annotation.exceptions import AssayError
from annotation.jobs.celery_tasks import ask
from annotation.models import Job, Release, Role, SharingObjection, Statement, Study
from annotation.reports.public_release import ReleaseLook, consent_of_task_page, look_before_release, set_objections
from annotation.studies.blinding import seen_at
from metrics.errors import MetricsError

# What a release would show, and why there is none to look at. It is read from all answers: once for each request.
Looked = tuple[ReleaseLook | None, str]


@study_page(Role.OWNER)
def releases(request: HttpRequest, study: Study) -> HttpResponse:
    return _page(request, study)


def _page(request: HttpRequest, study: Study, *, looked: Looked | None = None, **forms: Any) -> HttpResponse:
    look, problem = looked or _look(request, study)
    stated = dict(study.statements.values_list("key", "body"))
    initial = {
        "licence": stated.get(Statement.Key.LICENCE, ""),
        "consent": consent_of_task_page(study) or stated.get(Statement.Key.CONSENT, ""),
    }
    objecting = SharingObjection.objects.filter(study=study).select_related("worker").order_by("worker__pseudonym")
    names = "\n".join(objection.worker.pseudonym for objection in objecting)
    context = {
        "study": study,
        "look": look,
        "problem": problem,
        "max_comments": MAX_COMMENTS,
        "releases": Release.objects.filter(study=study).order_by("-number"),
        "jobs": study.jobs.filter(kind=Job.Kind.RELEASE, state=Job.State.DONE).order_by("-created_at")[:20],
        "releasing": ReleaseForm(initial=initial, comments=_choices(look)),
        "objections": ObjectionsForm(initial={"withheld": names}),
        **forms,
    }
    wrong = next((form for form in forms.values() if form.errors), None)
    return render(request, "console/release.html", {**context, "form": wrong}, status=422 if wrong else 200)


def _look(request: HttpRequest, study: Study) -> Looked:
    """What to look at; a sentence where results are blinded, or where there is nothing to release."""
    if seen_at(study) is None:
        return None, _("The results are blinded. Unblind them first: a release shows them.")
    try:
        return look_before_release(study, actor=visitor(request).get_username(), now=timezone.now()), ""
    except (AssayError, MetricsError) as error:
        return None, str(error)


def _choices(look: ReleaseLook | None) -> tuple[tuple[str, str], ...]:
    if look is None:
        return ()
    return tuple(
        (
            json.dumps([item.comment.text, item.comment.rater, item.comment.question]),
            " ".join(
                [item.comment.body, *(f"[{kind}: {words}]" for kind, words in item.flags)],
            ),
        )
        for item in look.comments[:MAX_COMMENTS]
    )


@require_POST
@study_page(Role.OWNER)
def create(request: HttpRequest, study: Study) -> HttpResponse:
    look, problem = looked = _look(request, study)
    form = ReleaseForm(request.POST, comments=_choices(look))
    if form.is_valid() and look is not None:
        fields = form.cleaned_data
        chosen = [json.loads(key) for key in fields.get("comments", ())]
        wish = {"licence": fields["licence"], "consent": fields["consent"], "comments": chosen}
        job = ask(Job.Kind.RELEASE, by=visitor(request), now=timezone.now(), study=study, settings=wish)
        return redirect("console:job", job.uuid)
    if problem:
        form.add_error(None, problem)
    return _page(request, study, looked=looked, releasing=form)


@require_POST
@study_page(Role.OWNER)
def object_to_sharing(request: HttpRequest, study: Study) -> HttpResponse:
    form = ObjectionsForm(request.POST)
    if form.is_valid():
        with attach_errors(form):
            names = form.cleaned_data["withheld"].splitlines()
            number = set_objections(study, names, actor=visitor(request).get_username(), now=timezone.now())
            sentence = ngettext("%(n)s rater does not share.", "%(n)s raters do not share.", number) % {"n": number}
            messages.success(request, sentence)
            return redirect("console:exports-release", study.uuid)
    return _page(request, study, objections=form)
