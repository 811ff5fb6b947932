"""Manage studies: duplicate, rename and archive them."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone
from ninja import Field, Router, Schema, Status

from annotation.api.auth import caller, study_for
from annotation.api.responses import gives
from annotation.api.studies import StudyOut
from annotation.models import Role, Study
from annotation.studies.archive import archive, unarchive
from annotation.studies.duplicate import duplicate
from annotation.studies.rename import rename

router = Router(tags=["Studies"])


class NameIn(Schema):
    """Letters, digits, dots, dashes and underscores; no two studies have one name."""

    name: str = Field(max_length=100)


class CopyIn(NameIn):
    """with_texts: copy the texts too. keep_seed: the copy gets the same tasks from the same texts."""

    with_texts: bool = True
    keep_seed: bool = False


@router.post("/studies/{study}/copies", response=gives(StudyOut, 201), summary="Duplicate a study as a draft you own")
def copy_study(request: HttpRequest, study: UUID, body: CopyIn) -> Status[Study]:
    study_row, owner = study_for(request, study), caller(request)
    how = {"with_texts": body.with_texts, "keep_seed": body.keep_seed, "owner": owner}
    done = duplicate(study_row, body.name, actor=owner.get_username(), now=timezone.now(), **how)  # type: ignore[arg-type]
    return Status(201, study_for(request, done.study.uuid))


@router.put("/studies/{study}/name", response=gives(None, 204), summary="Rename a study")
def name_study(request: HttpRequest, study: UUID, body: NameIn) -> Status[None]:
    study_row = study_for(request, study, Role.OWNER)
    rename(study_row, body.name, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)


@router.put("/studies/{study}/archive", response=gives(None, 204), summary="Hide a study from the list of studies")
def archive_study(request: HttpRequest, study: UUID) -> Status[None]:
    study_row = study_for(request, study, Role.OWNER)
    archive(study_row, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)


@router.delete("/studies/{study}/archive", response=gives(None, 204), summary="Show an archived study in the list")
def unarchive_study(request: HttpRequest, study: UUID) -> Status[None]:
    study_row = study_for(request, study, Role.OWNER)
    unarchive(study_row, actor=caller(request).get_username(), now=timezone.now())
    return Status(204, None)
