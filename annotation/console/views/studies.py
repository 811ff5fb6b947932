"""The list of studies, new ones, a study's opening page and its log."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy

from annotation.accounts.models import User
from annotation.console.form_errors import attach_errors
from annotation.console.forms.studies import ImportBatch, NewStudy
from annotation.console.permission import console_page, study_page, visitor
from annotation.design.arrange_cells import arrange
from annotation.design.presets import PRESETS, CellPlan, preset_arms, preset_called, preset_settings
from annotation.design.wording import rename_texts
from annotation.jobs import uploads
from annotation.jobs.celery_tasks import ask
from annotation.models import Job, Study
from annotation.overview import home
from annotation.overview.facts import gather_facts
from annotation.overview.stages import mark_stages, next_step
from annotation.studies import queries
from annotation.studies.access import studies_of
from annotation.studies.create import Plan, create
from annotation.studies.rows import describe_loaded
from annotation.studies.search import MODES, ORDERS, STATES, StudySearch, find_studies

LINES = 50
# What `make serve` rehearses in an empty installation.
DEMO = "demo"
# What a first study can begin with, in the order of the papers.
STARTS = (
    (
        PRESETS["huse-2019"],
        gettext_lazy("How typical is each text?"),
        gettext_lazy("Ratings of typicality, for HUSE, HUSE-Q and HUSE-D."),
    ),
    (
        PRESETS["clark-2021"],
        gettext_lazy("Human or machine?"),
        gettext_lazy("Judgments with up to four trainings, for accuracy, agreement and the effect of training."),
    ),
)


@console_page
def listing(request: HttpRequest) -> HttpResponse:
    search, now = StudySearch.of(request.GET), timezone.now()
    studies = studies_of(visitor(request))
    page = Paginator(find_studies(studies, search), LINES).get_page(request.GET.get("page"))
    at_work = {facts.study.pk: facts for facts in gather_facts(list(studies.filter(archived_at=None)))}
    archived = gather_facts([study for study in page if study.pk not in at_work])
    of_page = at_work | {facts.study.pk: facts for facts in archived}
    context = {
        "has_studies": studies.exists(),
        "needs": home.list_needs(at_work.values(), now=now),
        "lines": home.list_studies([of_page[study.pk] for study in page], now=now),
        "starts": STARTS,
        "demo": studies.filter(name=DEMO, mode=Study.Mode.REHEARSAL, archived_at=None).first(),
        "page": page,
        "search": search,
        "query": _query(request),
    }
    choices = {"states": STATES.items(), "modes": MODES.items(), "orders": [(key, ORDERS[key][0]) for key in ORDERS]}
    return render(request, "console/studies.html", {**context, **choices})


def _query(request: HttpRequest) -> str:
    """The search in the addresses of other pages of the list: "q=news&" or ""."""
    query = request.GET.copy()
    query.pop("page", None)
    return f"{query.urlencode()}&" if query else ""


@console_page
def new(request: HttpRequest) -> HttpResponse:
    wished = request.GET.get("template", "")
    initial = {"preset": wished if wished in PRESETS else "huse-2019"}
    if request.GET.get("mode") == Study.Mode.LIVE:
        initial["mode"] = Study.Mode.LIVE
    template = PRESETS.get(wished)
    if template is not None:
        initial["name"] = queries.free_name(wished)
    if template is not None and template.kind.more_criteria:
        # Templates of the papers speak of their texts; what is rated here is somebody else's.
        initial |= {"noun": template.wording.noun, "nouns": template.wording.nouns}
    form = NewStudy(request.POST or None, initial=initial)
    if form.is_valid():
        with attach_errors(form, above=True):
            return redirect("console:texts-add", _create_study(form, visitor(request)).uuid)
    status = 422 if form.errors else 200
    return render(request, "console/new.html", {"form": form, "presets": PRESETS.values()}, status=status)


def _create_study(form: NewStudy, owner: User) -> Study:
    """A draft by the preset, with the person's own noun and question, and the trainings of the paper."""
    fields, preset = form.cleaned_data, preset_called(form.cleaned_data["preset"])
    wording = rename_texts(preset.wording, fields["noun"], fields["nouns"])
    settings = preset_settings(preset, fields["currency"])
    plan = Plan(**{**settings, "question": fields["question"], "noun": fields["noun"]})
    by: dict[str, Any] = {"actor": owner.get_username(), "now": timezone.now()}
    with transaction.atomic():
        study = create(fields["name"], mode=fields["mode"], plan=plan, wording=wording, owner=owner, **by)
        if len(preset.arms) > 1:
            arms = preset_arms(preset, fields["currency"])
            arrange(study, arms, [CellPlan(arm.training) for arm in arms], **by)
    return study


@console_page
def import_batch(request: HttpRequest) -> HttpResponse:
    form = ImportBatch(request.POST or None, request.FILES or None)
    if form.is_valid():
        files = {"path": form.cleaned_data["file"], "mapping": form.cleaned_data["mapping"]}
        options = {name: str(uploads.keep(file)) for name, file in files.items() if file}
        options["name"] = form.cleaned_data["name"]
        job = ask(Job.Kind.IMPORT_BATCH, by=visitor(request), now=timezone.now(), settings=options)
        return redirect("console:job", job.uuid)
    return render(request, "console/import_batch.html", {"form": form}, status=422 if form.errors else 200)


@study_page()
def overview(request: HttpRequest, study: Study) -> HttpResponse:
    now = timezone.now()
    (facts,) = gather_facts([study])
    (line,) = home.list_studies([facts], now=now)
    context = {
        "facts": facts,
        "line": line,
        "stages": mark_stages(line.stage),
        "step": next_step(facts, now=now, recruits=home.recruits()),
        "counts": queries.counts(study),
        "loaded": describe_loaded(study) if facts.loaded else "",
        "jobs": study.jobs.exclude(kind__in=[Job.Kind.PRECISION, Job.Kind.PLAN_DECISION]).order_by("-created_at")[:10],
    }
    return render(request, "console/overview.html", {"study": study, **context})


@study_page()
def log(request: HttpRequest, study: Study) -> HttpResponse:
    paginator = Paginator(queries.deeds(study), LINES)
    return render(request, "console/log.html", {"study": study, "page": paginator.get_page(request.GET.get("page"))})


@console_page
def activity(request: HttpRequest) -> HttpResponse:
    paginator = Paginator(queries.everywhere(studies_of(visitor(request))), LINES)
    return render(request, "console/activity.html", {"page": paginator.get_page(request.GET.get("page"))})
