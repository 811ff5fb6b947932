"""Measures that need no crowd: near-negative tests, human-likelihood, and log-probabilities for HUSE."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

from django import forms
from django.http import HttpRequest
from django.utils import timezone
from ninja import Field, File, Form, Router, Schema, Status
from ninja.errors import HttpError
from ninja.files import UploadedFile

from annotation.api.auth import caller, job_for, study_for
from annotation.api.jobs import JobOut
from annotation.api.reports import ScoreFileOut
from annotation.api.responses import clean_form, gives
from annotation.exceptions import DesignError, StateError
from annotation.jobs import shared_files, uploads
from annotation.jobs.celery_tasks import ask
from annotation.jobs.job_files import folder_of
from annotation.models import Job, Role, Study
from annotation.reports import scores_upload
from annotation.reports.saved_results import save_result
from annotation.studies.blinding import seen_at
from annotation.texts.log_probs.coverage import log_prob_coverage
from annotation.texts.log_probs.store import generator_of
from annotation.texts.scoring_models import offered_models, opening_of_model
from metrics.likelihood import TINY

router = Router(tags=["Texts and models"])
NndFormat = Literal["tests", "quiz-design", "frank", "mqm", "summeval", "challenge300"]


class ModelOut(Schema):
    """A model that may score texts. trial: `assay-tiny`, whose numbers say nothing about texts."""

    name: str
    trial: bool
    readable: bool = Field(description="It shows its distribution at each token, as human-likelihood needs it.")


class NndRuleIn(Schema):
    """What makes a text better than another of its context: as `manage.py nnd_from_study` has it."""

    kind: Literal["mean", "majority", "labels"] = "mean"
    best: str = ""
    better: list[tuple[str, str]] = []
    minimum_gap: Decimal = Field(default=Decimal(0), ge=0, le=1000)
    minimum_ratings: int = Field(default=1, ge=1, le=1000)
    shared_context: bool = False


class NndRunIn(Schema):
    """Who takes the tests. start: `always` puts the start token before each candidate; ties: `second` as the original
    code; reproduce: both as in the original code."""

    models: list[str] = Field(min_length=1, max_length=20)
    start: Literal["auto", "always"] = "auto"
    ties: Literal["fail", "second"] = "fail"
    reproduce: bool = False
    seed: int = Field(default=0, ge=0, lt=2**63)


class NndFileIn(Schema):
    """What the file holds."""

    format: NndFormat


class ModelIn(Schema):
    """The model that reads the texts."""

    model: str = TINY


class TextsIn(ModelIn):
    """What the file holds. threshold: `FP` or `FP:FP`; empty: 0.40, uncalibrated."""

    format: Literal["lines", "csv", "gltr"]
    threshold: str = Field(default="", max_length=41)
    backend: str = Field(default="", max_length=200)


class LogProbsIn(ModelIn):
    """Under which generator. replace: log-probabilities made otherwise are overwritten."""

    generator: str
    replace: bool = False


class CoverageOut(Schema):
    """models: signatures behind the log-probabilities, empty for a file."""

    generator: str
    decoding: str
    texts: int
    scored: int
    models: list[str]
    complete: bool


class CheckedFile(forms.Form):
    """A file, by the rules that the console's form has too."""

    file = forms.FileField(validators=[scores_upload.check_size])


@router.get("/models", response=gives(list[ModelOut]), summary="Models that may score texts")
def list_models(request: HttpRequest) -> list[dict[str, Any]]:
    return [
        {"name": name, "trial": name == TINY, "readable": not opening.server}
        for name, opening in offered_models().items()
    ]


@router.post("/near-negative-tests", response=gives(JobOut, 202), summary="Build near-negative tests of a file")
def build_tests_of_file(
    request: HttpRequest,
    file: File[UploadedFile],
    form: Form[NndFileIn],
    texts: UploadedFile | None = File(None),  # noqa: B008
) -> Status[Job]:
    """texts: of FRANK, whose annotations hold none. `/jobs/{job}/near-negative-runs` runs the tests."""
    files = [file, *([texts] if texts else [])]
    return _ask(request, Job.Kind.NND_TESTS, {"format": form.format, "files": _store(files)})


@router.post(
    "/studies/{study}/near-negative-tests", response=gives(JobOut, 202), summary="Build tests of a study's ratings"
)
def build_tests_of_study(request: HttpRequest, study: UUID, body: NndRuleIn) -> Status[Job]:
    """Only after the results were unblinded (`unblind`)."""
    study_row = study_for(request, study, Role.REVIEWER)
    if seen_at(study_row) is None:
        raise StateError("The results of this study are blinded (`POST …/unblind`).")
    rule = {**body.dict(), "minimum_gap": str(body.minimum_gap)}
    return _ask(request, Job.Kind.NND_TESTS, {"rule": rule}, study_row)


@router.post("/jobs/{job}/near-negative-runs", response=gives(JobOut, 202), summary="Let models take the tests")
def run_tests(request: HttpRequest, job: UUID, body: NndRunIn) -> Status[Job]:
    """Of a finished job that built tests."""
    built = job_for(request, job, Role.REVIEWER)
    if built.kind != Job.Kind.NND_TESTS or built.state != Job.State.DONE:
        raise StateError("Only a finished job that built near-negative tests can be run.")
    for name in body.models:
        _check_model(name)
    original = {"start": "always", "ties": "second"} if body.reproduce else {}
    options = {"tests": str(built.uuid), **body.dict(exclude={"reproduce"}), **original}
    return _ask(request, Job.Kind.NND_RUN, options, built.study)


@router.post("/human-likelihood", response=gives(JobOut, 202), summary="Score human-likelihood of a file's texts")
def score_file(
    request: HttpRequest,
    file: File[UploadedFile],
    form: Form[TextsIn],
    origins: UploadedFile | None = File(None),  # noqa: B008
) -> Status[Job]:
    """origins: a CSV with the columns text and truth, on which the threshold is calibrated."""
    _check_model(form.model)
    stored = {"files": _store([file]), "origins": "".join(_store([origins] if origins else []))}
    return _ask(request, Job.Kind.H_SCORE, {**form.dict(), **stored})


@router.post(
    "/studies/{study}/human-likelihood", response=gives(JobOut, 202), summary="Score human-likelihood of a study"
)
def score_study_texts(request: HttpRequest, study: UUID, body: ModelIn) -> Status[Job]:
    study_row = study_for(request, study, Role.REVIEWER)
    _check_model(body.model)
    return _ask(request, Job.Kind.H_SCORE, {"model": body.model}, study_row)


@router.get(
    "/studies/{study}/log-probabilities", response=gives(list[CoverageOut]), summary="Log-probabilities there are"
)
def show_log_probs(request: HttpRequest, study: UUID) -> Any:
    return log_prob_coverage(study_for(request, study))


@router.post(
    "/studies/{study}/log-probabilities", response=gives(JobOut, 202), summary="Compute log-probabilities for HUSE"
)
def compute_log_probs(request: HttpRequest, study: UUID, body: LogProbsIn) -> Status[Job]:
    study_row = study_for(request, study, Role.EDITOR)
    _check_model(body.model)
    options = {**body.dict(), "generator": generator_of(study_row, body.generator).name}
    return _ask(request, Job.Kind.LOG_PROBS, options, study_row)


@router.post("/jobs/{job}/save", response=gives(ScoreFileOut, 201), summary="Save a result in its study's report")
def save(request: HttpRequest, job: UUID) -> Any:
    """Of a finished job of near-negative tests or human-likelihood of a study."""
    job_row = job_for(request, job, Role.EDITOR)
    if job_row.study is None:
        raise HttpError(404, "This job is of no study.")
    actor = caller(request).get_username()
    with shared_files.borrow(folder_of(job_row)) as folder:
        return Status(201, save_result(job_row, folder, actor=actor, now=timezone.now()))


def _check_model(name: str) -> None:
    try:
        opening_of_model(name)
    except DesignError as error:
        raise error.at("model") from None


def _store(files: list[UploadedFile]) -> list[str]:
    for file in files:
        clean_form(CheckedFile({}, {"file": file}))  # type: ignore[arg-type]
    return [str(uploads.keep(file)) for file in files]


def _ask(request: HttpRequest, kind: Job.Kind, options: dict[str, Any], study: Study | None = None) -> Status[Job]:
    return Status(202, ask(kind, by=caller(request), now=timezone.now(), study=study, settings=options))
