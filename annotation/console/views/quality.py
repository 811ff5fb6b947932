"""What the filters found, the rules by which work is left out, and what that does to sources and conditions."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from annotation import settings
from annotation.collecting import counts as collecting_counts
from annotation.console.form_errors import attach_errors
from annotation.console.forms.review import Detect, Rules
from annotation.console.permission import study_page, visitor
from annotation.jobs import celery_tasks
from annotation.models import Evidence, Role, Study, Submission
from annotation.quality import applied_rules, assess, detectors, evidence, fairness, next_step
from annotation.quality.filters import BY_KIND, NAMED_SETS, rule_without_code
from annotation.quality.honest_groups import PEOPLE
from annotation.quality.methods_text import paragraph
from annotation.reports import study_facts
from annotation.review import exclude
from annotation.studies import blinding


@require_safe
@study_page()
def overview(request: HttpRequest, study: Study) -> HttpResponse:
    chosen = request.GET.get("set", "")
    return _shown(request, study, Rules.start_from(chosen) if chosen in NAMED_SETS else Rules())


def _shown(request: HttpRequest, study: Study, form: Rules, *, detect: Detect | None = None) -> HttpResponse:
    measured = Evidence.objects.filter(submission__hit__study=study)
    flags = collecting_counts.flags_by_kind(study)
    context: dict[str, Any] = {
        "study": study,
        "form": form,
        "sets": NAMED_SETS.items(),
        "step": next_step.quality_step(study),
        "tables_of_rules": _rule_tables(study, form),
        "submissions": Submission.objects.filter(hit__study=study).count(),
        "left_out": len(applied_rules.left_out(study)),
        "measured": measured.count(),
        "measured_at": measured.order_by("-measured_at").values_list("measured_at", flat=True).first(),
        "flags": [(rule_without_code(kind), *counts) for kind, counts in flags.items()],
        "doubted": evidence.doubted_gold(study),
        "seen": blinding.seen_at(study),
        "versions": study.rule_sets.select_related("actor").order_by("-number"),
        "holds": applied_rules.rule_set(study),
        "detector": detectors.detector_of(study),
        "detect": (detect or Detect()) if settings.detector_model() and detectors.remarks_of(study).exists() else None,
    }
    wrong = form.errors or (detect and detect.errors)
    return render(request, "console/quality.html", context, status=422 if wrong else 200)


def _rule_tables(study: Study, form: Rules) -> list[tuple[bool, list[tuple[Any, Any, Any]]]]:
    """The filters that measured something in this study; and those that did not, whether one of them is ticked."""
    measured = next_step.kinds_measured(study) or set(BY_KIND)
    others = form.rows(BY_KIND.keys() - measured)
    ticked = any(use.errors or at.errors or (form.is_bound and use.value()) for _check, use, at in others)
    return [(True, form.rows(measured)), (ticked, others)]


@require_safe
@study_page()
def outcome(request: HttpRequest, study: Study) -> HttpResponse:
    """What was left out, by source and condition, and the methods paragraph: it reads all work, so it comes behind."""
    done = study_facts.quality_done(study)
    tables = [(_("Source"), done.by_source), (_("Condition"), done.by_condition)] if done.by_source else []
    context = {"study": study, "tables": tables, "paragraph": paragraph(done) if done.submissions else ""}
    context["thinned"] = done.left
    full_page = "HX-Request" not in request.headers
    return render(request, "console/quality_outcome.html" if full_page else "console/outcome.html", context)


@require_safe
@study_page()
def rules(request: HttpRequest, study: Study) -> HttpResponse:
    """Which rules can apply, how many submissions each concerns, and whom it would wrong: it comes behind."""
    full_page = "HX-Request" not in request.headers
    context = {"study": study, "rows": fairness.rules_now(study), "people": PEOPLE}
    return render(request, "console/quality_rules.html" if full_page else "console/rules_now.html", context)


@require_POST
@study_page(Role.EDITOR)
def measure(request: HttpRequest, study: Study) -> HttpResponse:
    done = assess.assess(study, now=timezone.now())
    checked = ngettext("%d submission checked", "%d submissions checked", done.submissions) % done.submissions
    raised = ngettext("%d flag raised", "%d flags raised", done.flags) % done.flags
    messages.success(
        request, _("%(checked)s, %(raised)s. Nothing else changed.") % {"checked": checked, "raised": raised}
    )
    return redirect("console:quality", study.uuid)


@require_POST
@study_page(Role.EDITOR)
def detect(request: HttpRequest, study: Study) -> HttpResponse:
    form = Detect(request.POST)
    if not form.is_valid():
        return _shown(request, study, Rules(), detect=form)
    job = celery_tasks.ask_to_detect(study, form.cleaned_data["threshold"], by=visitor(request), now=timezone.now())
    return redirect("console:job", job.uuid)


@require_POST
@study_page(Role.EDITOR)
def fix(request: HttpRequest, study: Study) -> HttpResponse:
    form = Rules(request.POST)
    if form.is_valid():
        name, rules = form.cleaned_data["name"], form.chosen()
        with attach_errors(form):
            stored = exclude.fix_rules(study, name, rules, actor=visitor(request), now=timezone.now())
            message = _("%(rules)s is locked. Not applied yet.") % {"rules": stored}
            messages.success(request, message)
            return redirect("console:quality", study.uuid)
    return _shown(request, study, form)


@require_POST
@study_page(Role.EDITOR)
def apply(request: HttpRequest, study: Study, number: int) -> HttpResponse:
    stored = study.rule_sets.filter(number=number).first()
    if stored is None:
        raise Http404
    done = exclude.apply_rules(stored, actor=visitor(request), now=timezone.now())
    excluded = ngettext("%d submission excluded", "%d submissions excluded", done.left_out) % done.left_out
    sentence = _("%(excluded)s, %(back)s included again. No payment changed.")
    messages.success(request, sentence % {"excluded": excluded, "back": done.returned})
    return redirect("console:quality", study.uuid)
