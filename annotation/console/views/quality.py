"""What the filters found, the rules by which work is left out, and what that does to sources and conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.db.models import Count, Max
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
from annotation.design.kinds import unit_of
from annotation.jobs import celery_tasks
from annotation.models import Job, Role, Study, Submission
from annotation.quality import applied_rules, detectors, evidence, fairness, honest_studies, next_step
from annotation.quality.filters import BY_KIND, NAMED_SETS, rule_without_code
from annotation.quality.honest_design import GROUP_SHARE
from annotation.quality.honest_groups import PEOPLE
from annotation.quality.honest_huse import HUSE, HUSE_Q
from annotation.quality.methods_text import paragraph
from annotation.reports import exclusion_effects, study_facts
from annotation.review import exclude
from annotation.studies import blinding

ROUNDING = 1e-6  # of what a check stores


@require_safe
@study_page()
def overview(request: HttpRequest, study: Study) -> HttpResponse:
    chosen = request.GET.get("set", "")
    return _shown(request, study, Rules.start_from(chosen) if chosen in NAMED_SETS else Rules())


def _shown(request: HttpRequest, study: Study, form: Rules, *, detect: Detect | None = None) -> HttpResponse:
    flags = collecting_counts.flags_by_kind(study)
    every = "all" in request.GET
    rows = _rule_rows(study, form, every=every)
    context: dict[str, Any] = {
        "study": study,
        "form": form,
        "sets": NAMED_SETS.items(),
        "step": next_step.quality_step(study),
        "every": every,
        "checking": study.jobs.filter(kind=Job.Kind.CHECK_QUALITY).order_by("-created_at").first(),
        "rules": rows,
        "by_hand": [row for row in form.by_hand() if every or row[1].value()],
        "left_out": len(applied_rules.left_out(study)),
        **_progress(study),
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


def _progress(study: Study) -> dict[str, Any]:
    """Submissions, how many of them are checked, and when the checks ran last."""
    rows = Submission.objects.filter(hit__study=study)
    return rows.aggregate(submissions=Count("pk"), measured=Count("evidence"), measured_at=Max("evidence__measured_at"))


def _rule_rows(study: Study, form: Rules, *, every: bool) -> list[tuple[Any, Any, Any]]:
    """The rules that can apply to this study and those that are selected, with their fields; or every rule."""
    if every:
        return form.rows(BY_KIND)
    possible = {rule.kind for rule in fairness.possible_rules(study)}
    return [row for row in form.rows(BY_KIND) if row[0].kind in possible or _is_selected(*row[1:])]


def _is_selected(use: Any, at: Any) -> bool:
    return bool(use.errors or at.errors or use.value())


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
    design = honest_studies.design_of(study)
    honest = honest_studies.stored_studies(study, design) if design else None
    headline = HUSE.key if honest_studies.has_log_probs(study) else HUSE_Q.key
    effects = exclusion_effects.stored_effects(study)
    rows = []
    for row in sorted(fairness.rules_now(study), key=lambda row: -row.submissions):
        change = honest.find_change(row.rule) if honest else None
        honest_rows = _honest_rows(change, headline)
        changes = exclusion_effects.headline_changes(effects, row.rule)
        compared = _compare_with_honest(changes, honest_rows)
        rows.append((row, compared, sum(is_outside for _change, is_outside in compared), change, honest_rows))
    context = {
        "study": study,
        "rows": rows,
        "people": PEOPLE,
        "seen": blinding.seen_at(study),
        "honest": honest,
        "unit": unit_of(study.task),
        "limit": "" if design else honest_studies.state_limit(study),
        "group_share": GROUP_SHARE,
        "must_check": design is not None and (honest is None or any(change is None for *_, change, _shown in rows)),
    }
    return render(request, "console/quality_rules.html" if full_page else "console/rules_now.html", context)


def _honest_rows(change: honest_studies.HonestChange | None, headline: str) -> list[honest_studies.MeasureChange]:
    """What the rule did to each measure in simulated studies of honest people; of HUSE and HUSE-Q to the headline."""
    shown = list(change.changes) if change else []
    if any(measure.key == HUSE.key for measure in shown):
        return [measure for measure in shown if measure.key == headline]
    return shown


def _compare_with_honest(
    changes: Sequence[exclusion_effects.HeadlineChange], honest: Sequence[honest_studies.MeasureChange]
) -> list[tuple[exclusion_effects.HeadlineChange, bool]]:
    """Each change, and whether it lies outside what 90% of the simulated studies show of the same measure."""
    by_key = {measure.key: measure for measure in honest}
    return [(change, _is_outside(change, by_key.get(change.key))) for change in changes]


def _is_outside(change: exclusion_effects.HeadlineChange, honest: honest_studies.MeasureChange | None) -> bool:
    if honest is None or honest.low is None or honest.high is None:
        return False
    return not honest.low - ROUNDING <= change.change <= honest.high + ROUNDING


@require_POST
@study_page(Role.EDITOR)
def measure(request: HttpRequest, study: Study) -> HttpResponse:
    """A job, as every answer is measured."""
    job = celery_tasks.ask(Job.Kind.CHECK_QUALITY, by=visitor(request), now=timezone.now(), study=study)
    return redirect("console:job", job.uuid)


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
