"""Texts: listed, brought in by a file that is checked first, chosen by rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpRequest
from django.utils import timezone
from ninja import Field, File, Form, Query, Router, Schema, Status
from ninja.files import UploadedFile

from annotation.api.auth import caller, study_for
from annotation.api.jobs import JobOut
from annotation.api.responses import Page, Paged, clean_form, gives, paged
from annotation.importing import texts_upload
from annotation.importing.saved_mappings import chosen_mapping
from annotation.jobs import uploads
from annotation.jobs.celery_tasks import ask
from annotation.models import Job, Role, Text
from annotation.readers.problem_codes import ALLOWABLE
from annotation.texts import pile, queries
from annotation.texts.select import TextsSelected, select_texts

router = Router(tags=["Texts"])


class TextOut(Schema):
    """A text. left_out: why it is not judged, "" if it is judged; known_label: the answer of a gold text."""

    key: str
    source: str
    generator: str
    context: str
    domain: str
    body: str
    left_out: str
    known_label: str

    @staticmethod
    def resolve_generator(text: Text) -> str:
        return text.generator.name if text.generator else ""

    @staticmethod
    def resolve_context(text: Text) -> str:
        return text.context.body if text.context else ""


class FileIn(Schema):
    """Names in the file. columns: lines `column = name in file`; sources: lines `word in file = reference or model`.

    mapping: for a file of any form, instead: `guess`, the name of a saved mapping, or JSON as a guess shows it.
    """

    generator: str = Field(
        "", max_length=texts_upload.MAX_GENERATOR_CHARS, description="Generator of model texts without one."
    )
    columns: str = ""
    sources: str = ""
    mapping: str = Field("", max_length=100_000)
    allow: list[str] = Field([], description="Codes of problems to treat as warnings.")


class TextsUpload(forms.Form):
    """The fields of FileIn and its files, by the rules that the console's form has too."""

    file = forms.FileField(validators=[texts_upload.check_size, texts_upload.check_ending])
    generator = forms.CharField(required=False, max_length=texts_upload.MAX_GENERATOR_CHARS)
    likelihoods = forms.FileField(required=False, validators=[texts_upload.check_size])
    joined = forms.FileField(required=False, validators=[texts_upload.check_size, texts_upload.check_ending])
    mapping = forms.CharField(required=False)
    columns = forms.CharField(required=False)
    sources = forms.CharField(required=False)
    allow = forms.MultipleChoiceField(required=False, choices=[(str(code), str(code)) for code in sorted(ALLOWABLE)])

    def clean_columns(self) -> dict[str, str]:
        return texts_upload.parse_columns(self.cleaned_data["columns"])

    def clean_sources(self) -> dict[str, str]:
        return texts_upload.parse_sources(self.cleaned_data["sources"])


class SelectionIn(Schema):
    """Rules as in docs/import.md. dry_run: show what they would do; change nothing."""

    steps: list[dict[str, Any]] = Field(min_length=1)
    seed: int | None = Field(None, ge=0)
    dry_run: bool = True
    drop_log_probs: bool = False


class FunnelOut(Schema):
    """What one rule did."""

    told: str
    before: int
    after: int


class SelectionOut(Schema):
    """What a selection did, or would do. number: of the stored one, null for a dry run."""

    number: int | None
    pool: int
    kept: int
    cut: int
    dropped: int
    by_side: dict[str, int]
    funnel: list[FunnelOut]


class StoredSelection(Schema):
    number: int
    plan: dict[str, Any]


@router.get("/studies/{study}/texts", response=gives(Paged[TextOut]), summary="Texts, in the order of import")
def list_texts(
    request: HttpRequest, study: UUID, page: Query[Page], words: str = "", side: str = "", state: str = ""
) -> dict[str, Any]:
    """side: `reference` or the name of a generator; state: `judged` or `left_out`."""
    return paged(pile.filter_texts(study_for(request, study), words=words, side=side, state=state), page)


@router.post("/studies/{study}/texts", response=gives(JobOut, 202), summary="Check a file of texts (a dry run)")
def check_texts(
    request: HttpRequest,
    study: UUID,
    file: File[UploadedFile],
    form: Form[FileIn],
    likelihoods: UploadedFile | None = File(None),  # noqa: B008
    joined: UploadedFile | None = File(None),  # noqa: B008
) -> Status[Job]:
    """Changes nothing. The job lists every problem by row, field and rule; `/jobs/{job}/confirm` adds the texts."""
    study_row = study_for(request, study, Role.EDITOR)
    more = {"likelihoods": likelihoods, "joined": joined}
    files = {"file": file, **{name: upload for name, upload in more.items() if upload}}
    settings = clean_form(TextsUpload(form.dict(), files))  # type: ignore[arg-type]
    uploaded = {"path": settings.pop("file"), **{name: settings.pop(name) for name in more}}
    mapping = settings.pop("mapping")
    settings |= {"mapping": chosen_mapping(mapping, caller(request))} if mapping else {}
    settings |= {name: str(uploads.keep(upload)) for name, upload in uploaded.items() if upload}
    job = ask(Job.Kind.CHECK_TEXTS, by=caller(request), now=timezone.now(), study=study_row, settings=settings)
    return Status(202, job)


@router.get("/studies/{study}/selection", response=gives(StoredSelection | None), summary="The current selection")
def show_selection(request: HttpRequest, study: UUID) -> Any:
    return queries.selection(study_for(request, study))


@router.post("/studies/{study}/selection", response=gives(SelectionOut), summary="Select the texts to judge")
def make_selection(request: HttpRequest, study: UUID, body: SelectionIn) -> Mapping[str, Any]:
    study_row = study_for(request, study, Role.EDITOR)
    plan = {"steps": body.steps, **({} if body.seed is None else {"seed": body.seed})}
    done = select_texts(
        study_row, plan, actor=caller(request).get_username(), now=timezone.now(), dry_run=body.dry_run,
        drop_log_probs=body.drop_log_probs,
    )  # fmt: skip
    return _selection_out(done)


def _selection_out(done: TextsSelected) -> Mapping[str, Any]:
    return {name: getattr(done, name) for name in SelectionOut.model_fields if name != "funnel"} | {
        "funnel": [asdict(line) for line in done.funnel]
    }
