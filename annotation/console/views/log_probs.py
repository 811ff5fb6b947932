"""Log-probabilities of a study's texts, which HUSE needs: how many there are, and a model that computes them."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from annotation.console.forms.text_measures import LogProbsForm
from annotation.console.permission import study_page, visitor
from annotation.jobs.celery_tasks import ask
from annotation.models import Job, Role, Study
from annotation.texts.log_probs.coverage import log_prob_coverage


@study_page(Role.EDITOR)
def log_probs(request: HttpRequest, study: Study) -> HttpResponse:
    form = LogProbsForm(request.POST or None, study=study)
    if form.is_valid():
        options = {name: form.cleaned_data[name] for name in ("generator", "model", "replace")}
        job = ask(Job.Kind.LOG_PROBS, by=visitor(request), now=timezone.now(), study=study, settings=options)
        return redirect("console:job", job.uuid)
    coverage = log_prob_coverage(study)
    context = {
        "study": study,
        "form": form,
        "coverage": coverage,
        "complete": bool(coverage) and all(generator.complete for generator in coverage),
        "latest": study.jobs.filter(kind=Job.Kind.LOG_PROBS).order_by("-pk").first(),
    }
    return render(request, "console/log_probs.html", context, status=422 if form.errors else 200)
