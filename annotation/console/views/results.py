"""Results: behind a warning until somebody decides to look; computed by a job; exported as files."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation import settings
from annotation.console.forms.statements import MissingFactsForm, StatementsForm
from annotation.console.permission import study_page, visitor
from annotation.design.kinds import asks, is_for_huse
from annotation.jobs import shared_files
from annotation.jobs.celery_tasks import ask
from annotation.jobs.job_files import folder_of
from annotation.models import Job, Role, Study
from annotation.publishing import progress
from annotation.reports import latest, measures, rule_choices
from annotation.studies import blinding
from annotation.studies.access import may
from annotation.studies.rows import has_rows
from annotation.studies.statements import state
from annotation.texts.log_probs.coverage import log_prob_coverage
from metrics.data.answer_types import AnswerType
from metrics.report.formats.write import FORMATS


@study_page()
def results(request: HttpRequest, study: Study) -> HttpResponse:
    if blinding.seen_at(study) is None:
        return _blind(request, study, _("Results"))
    reports = study.jobs.filter(kind=Job.Kind.REPORT).order_by("-created_at")
    stored = study.results.order_by("-made_at", "-pk").first()
    # A command stores a result, too; its files are where it wrote them.
    done = reports.filter(state=Job.State.DONE, outcome__result=stored.pk).first() if stored else None
    shown_measures = measures.measures_of(stored) if stored else []
    lacking = any(measure.value is None for measure in shown_measures)
    arms, rows = latest.arms_of(study, shown_measures), has_rows(study)
    context = {
        "study": study,
        "raters": stored.numbers.get("reproducibility", {}).get("raters", "") if stored else "",
        "latest": reports.first(),
        "stored": stored,
        "answer": measures.answer_of(stored) if stored else "",
        "done": done,
        "told": shown_measures,
        "lacking": lacking,
        "unscored": lacking and not all(generator.complete for generator in log_prob_coverage(study)),
        "arms": arms,
        "targets": measures.interval_targets(shown_measures),
        "rows": rows,
        "original": Study.objects.filter(replications__study=study).first(),
        "missing": MissingFactsForm.of(study, stored.numbers) if stored and rows else None,
    }
    return render(request, "console/results.html", context)


def _blind(request: HttpRequest, study: Study, heading: str) -> HttpResponse:
    """What is shown in place of results, and the job that unblinds them."""
    unblinding = study.jobs.filter(kind=Job.Kind.UNBLIND).order_by("-created_at").first()
    context = {"study": study, "at": progress.progress(study), "unblinding": unblinding, "heading": heading}
    return render(request, "console/blind.html", context)


@require_POST
@study_page(Role.EDITOR)
def state_missing(request: HttpRequest, study: Study) -> HttpResponse:
    """Store the facts that the latest report lacks."""
    stored = study.results.order_by("-made_at", "-pk").first()
    form = MissingFactsForm.of(study, stored.numbers if stored else {}, request.POST)
    if not form.is_valid():
        return render(request, "console/missing.html", {"study": study, "missing": form}, status=422)
    for key, text in form.facts().items():
        state(study, key, text, actor=request.user.get_username(), now=timezone.now())
    messages.success(request, _("Saved. Compute the results again to print these facts in the report."))
    return redirect("console:results", study.uuid)


@require_POST
@study_page(Role.REVIEWER)
def reveal(request: HttpRequest, study: Study) -> HttpResponse:
    """A job, as all answers are read."""
    if blinding.seen_at(study) is not None:
        return redirect("console:results", study.uuid)
    job = ask(Job.Kind.UNBLIND, by=visitor(request), now=timezone.now(), study=study)
    return redirect("console:job", job.uuid)


@require_POST
@study_page(Role.REVIEWER)
def compute(request: HttpRequest, study: Study) -> HttpResponse:
    if blinding.seen_at(study) is None:  # the warning comes first
        return redirect("console:results", study.uuid)
    every = [name for name in FORMATS if name != "pdf" or settings.chromium()]
    options: dict[str, object] = {"formats": every} if request.POST.get("every") else {}
    if request.POST.get("raters") in ("new", "these"):
        options["raters"] = request.POST["raters"]
    job = ask(Job.Kind.REPORT, by=visitor(request), now=timezone.now(), study=study, settings=options)
    return redirect("console:job", job.uuid)


@study_page()
def exclusions(request: HttpRequest, study: Study) -> HttpResponse:
    """What leaving out work by rules does to the measures: behind the same warning as the results themselves.

    With rules in the address also what these do together; that part alone where a tick asks for it.
    """
    if blinding.seen_at(study) is None:
        return _blind(request, study, _("Sensitivity to exclusions"))
    jobs = study.jobs.filter(kind=Job.Kind.EXCLUSIONS).order_by("-created_at")
    done = jobs.filter(state=Job.State.DONE).first()
    rules = done.outcome.get("choices", []) if done else []
    ticked = [at for at in range(len(rules)) if str(at) in request.GET.getlist("rule")]
    choice = _choice(done, ticked) if done and ticked else None
    choices = [(name, n, at in ticked) for at, (name, n) in enumerate(rules)]
    context = {"study": study, "done": done, "choices": choices, "ticked": ticked, "choice": choice}
    if "HX-Request" in request.headers:
        return render(request, "console/chosen_rules.html", context)
    selections = is_for_huse(study.task) or asks(study.task, AnswerType.TWO_SIDED)
    return render(request, "console/exclusions.html", {**context, "latest": jobs.first(), "selections": selections})


def _choice(done: Job, ticked: Sequence[int]) -> rule_choices.RuleChoice | None:
    """None where the job's file is not kept any more."""
    path = shared_files.bring(folder_of(done) / rule_choices.FILE)
    return rule_choices.compute_choice(path, ticked) if path.is_file() else None


@require_POST
@study_page(Role.REVIEWER)
def compute_exclusions(request: HttpRequest, study: Study) -> HttpResponse:
    if blinding.seen_at(study) is None:
        return redirect("console:results-exclusions", study.uuid)
    job = ask(Job.Kind.EXCLUSIONS, by=visitor(request), now=timezone.now(), study=study)
    return redirect("console:job", job.uuid)


@study_page()
def exports(request: HttpRequest, study: Study) -> HttpResponse:
    """Every report that was made, with its files; before unblinding there is none to see."""
    seen = blinding.seen_at(study) is not None
    done = study.jobs.filter(kind=Job.Kind.REPORT, state=Job.State.DONE).order_by("-created_at")[:20] if seen else []
    return render(
        request,
        "console/exports.html",
        {"study": study, "done": done, "unblinded": seen, "prints": settings.chromium()},
    )


@study_page()
def statements(request: HttpRequest, study: Study) -> HttpResponse:
    """What only a person can say, for the report: everybody reads it, an editor changes it."""
    editor = may(study, Role.EDITOR)
    form = StatementsForm.of(study, request.POST if request.method == "POST" and editor else None, fixed=not editor)
    if form.is_valid():
        for key, text in form.changes().items():
            state(study, key, text, actor=request.user.get_username(), now=timezone.now())
        messages.success(request, _("Saved."))
        return redirect("console:exports-statements", study.uuid)
    context = {"study": study, "form": form}
    return render(request, "console/statements.html", context, status=422 if form.errors else 200)
