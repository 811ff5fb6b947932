"""An upload is checked by the same rules through the web API and through the console's form."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django import forms
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.console.forms.scores import AttachScores
from annotation.console.forms.texts import UploadTexts
from tests.annotation.api.conftest import Caller

pytestmark = pytest.mark.django_db


class Upload(NamedTuple):
    """An upload that is refused: where it goes, the file, what is sent with it, the fields at fault."""

    kind: str
    name: str
    content: bytes
    fields: dict[str, Any]
    at_fault: set[str]


FORMS: dict[str, type[forms.Form]] = {"texts": UploadTexts, "scores": AttachScores}
REFUSED = [
    Upload("texts", "texts.pdf", b"id", {}, {"file"}),
    Upload("texts", "texts.csv", b"", {}, {"file"}),
    Upload("texts", "texts.csv", b"id", {"columns": "text"}, {"columns"}),
    Upload("texts", "texts.csv", b"id", {"columns": "mood = m"}, {"columns"}),
    Upload("texts", "texts.csv", b"id", {"sources": "human"}, {"sources"}),
    Upload("texts", "texts.csv", b"id", {"sources": "a = b", "columns": "mood = m"}, {"columns", "sources"}),
    Upload("texts", "texts.csv", b"id", {"allow": ["weather"]}, {"allow"}),
    Upload("scores", "scores.csv", b"", {}, {"file"}),
    Upload("scores", "scores.csv", b"id", {"model": "m" * 201}, {"model"}),
    Upload("scores", "scores.csv", b"id", {"version": "v" * 201, "columns": "c" * 1001}, {"version", "columns"}),
]


@pytest.mark.parametrize("upload", REFUSED, ids=lambda upload: f"{upload.kind} {sorted(upload.at_fault)}")
def test_api_and_form_answer_an_upload_with_the_same_sentences(upload: Upload, tmp_path: Path) -> None:
    caller = Caller("olga")
    study = caller("post", "/studies", {"name": "mine"}).json()["uuid"]
    file = SimpleUploadedFile(upload.name, upload.content)
    answer = Client().post(
        f"/api/v1/studies/{study}/{upload.kind}", {"file": file, **upload.fields}, headers=caller.headers
    )
    rules = {error["field"]: error["rule"] for error in answer.json()["errors"]}
    form = FORMS[upload.kind](upload.fields, {"file": SimpleUploadedFile(upload.name, upload.content)})
    assert answer.status_code == 422
    assert rules == {field: " ".join(map(str, sentences)) for field, sentences in form.errors.items()}
    assert set(rules) == upload.at_fault
    assert not (tmp_path / "uploads").exists()
