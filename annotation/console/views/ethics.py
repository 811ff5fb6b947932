"""The ethics pack of a study: its gaps, what people enter, and the files."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from annotation import settings
from annotation.console.form_errors import attach_errors
from annotation.console.forms.ethics_answers import EthicsForm
from annotation.console.permission import study_page, visitor
from annotation.models import Role, Study
from annotation.reports.papers.ethics_pack import FORMATS, ethics_pack, pack_file
from annotation.reports.papers.pack_facts import pack_answers, save_pack_answers
from annotation.reports.papers.pack_texts import DOCUMENTS, LANGUAGES, VERSION
from annotation.studies.access import may

TYPES = {
    "md": "text/markdown; charset=utf-8",
    "json": "application/json",
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
NAMES = {"en": gettext_lazy("English"), "de": gettext_lazy("German"), "es": gettext_lazy("Spanish")}


@study_page()
def pack(request: HttpRequest, study: Study, language: str = "en") -> HttpResponse:
    return _page(request, study, _known(language))


def _known(language: str) -> str:
    if language not in LANGUAGES:
        raise Http404
    return language


def _page(request: HttpRequest, study: Study, language: str, form: EthicsForm | None = None) -> HttpResponse:
    shown = ethics_pack(study, language, now=timezone.now())
    fixed = not may(study, Role.EDITOR)
    documents = [
        (titles[language], shown.levels().get(key), [line for line in shown.sentences if line.document == key])
        for key, titles in DOCUMENTS.items()
    ]
    context = {
        "study": study,
        "language": language,
        "languages": [(key, NAMES[key]) for key in LANGUAGES],
        "pack": shown,
        "version": VERSION,
        "documents": documents,
        "formats": [name for name in FORMATS if name != "pdf" or settings.chromium()],
        "form": form or EthicsForm.of(pack_answers(study, language), fixed=fixed),
    }
    return render(request, "console/ethics.html", context, status=422 if form and form.errors else 200)


@require_POST
@study_page(Role.EDITOR)
def save(request: HttpRequest, study: Study, language: str) -> HttpResponse:
    form = EthicsForm.of(pack_answers(study, _known(language)), request.POST)
    if form.is_valid():
        with attach_errors(form, above=True):
            save_pack_answers(
                study, language, form.answers(), actor=visitor(request).get_username(), now=timezone.now()
            )
            messages.success(request, _("Saved."))
            return redirect("console:ethics-language", study.uuid, language)
    return _page(request, study, language, form)


@study_page()
def download(request: HttpRequest, study: Study, language: str, file_format: str) -> HttpResponse:
    content = pack_file(study, _known(language), file_format, now=timezone.now())
    response = HttpResponse(content, content_type=TYPES[file_format])
    response["Content-Disposition"] = f'attachment; filename="ethics-{study.name}-{language}.{file_format}"'
    return response
