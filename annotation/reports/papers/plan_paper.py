"""The plan of a study as a file for a registry: Markdown, Word or JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from annotation.exceptions import StateError
from annotation.models import SealedPlan, Study
from annotation.reports.papers.document import PaperDocument, PaperPart
from annotation.reports.papers.plan_items import FORMS, items_of, open_questions
from annotation.studies.freeze_plan import sealed_plans
from annotation.studies.plan_document import QUESTIONS, answers_of, canonical, digest_of, document_of, read_document

FORMATS = ("md", "docx", "json")
LABELS = {key: label for key, label, _ in QUESTIONS}


def plan_now(study: Study) -> tuple[dict[str, Any], SealedPlan | None]:
    """The plan that holds: the last sealed version, else the draft as it is now."""
    rows = sealed_plans(study)
    if rows:
        return read_document(rows[-1]), rows[-1]
    return document_of(study, answers_of(study)), None


def plan_file(study: Study, form: str, file_format: str, *, now: datetime, number: int | None = None) -> bytes:
    """The plan in the items of `osf` or `aspredicted`, as `md`, `docx` or `json`.

    number: of a sealed version; None: the last one, else the draft. Raises StateError for what does not exist.
    """
    if form not in FORMS:
        raise StateError(f"There is no form {form}; there are {', '.join(FORMS)}.").at("form")
    if file_format not in FORMATS:
        raise StateError(f"There is no format {file_format}; there are {', '.join(FORMATS)}.").at("format")
    document, row = plan_now(study) if number is None else _version(study, number)
    if file_format == "json":
        return _json(document, row, form, now)
    paper = _paper(document, row, form, now)
    return paper.docx() if file_format == "docx" else paper.markdown().encode()


def _version(study: Study, number: int) -> tuple[dict[str, Any], SealedPlan]:
    row = SealedPlan.objects.filter(study=study, number=number).first()
    if row is None:
        raise StateError(f"The study {study.name} has no sealed plan {number}.").at("number")
    return read_document(row), row


def _json(document: Mapping[str, Any], row: SealedPlan | None, form: str, now: datetime) -> bytes:
    text = row.document if row else canonical(document)
    content = {
        "schema": "assay-plan-file",
        "schema_version": 1,
        "form": form,
        "sealed_at": row.at.astimezone(UTC).isoformat(timespec="seconds") if row else None,
        "created_at": now.astimezone(UTC).isoformat(timespec="seconds"),
        "version": row.number if row else None,
        "reason": row.reason if row else None,
        "submissions": document["submissions"],
        "sha256": digest_of(text),
        "items": [
            {"title": item.title, "text": item.text, "missing": list(item.missing)} for item in items_of(document, form)
        ],
        "document": text,
    }
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode()


def _paper(document: Mapping[str, Any], row: SealedPlan | None, form: str, now: datetime) -> PaperDocument:
    at = row.at if row else now
    missing = open_questions(document)
    return PaperDocument(
        title=f"{FORMS[form][0]}: {document['study']}",
        language="en",
        at=at,
        notes=tuple(_notes(document, row, at)),
        parts=(
            *(
                PaperPart(
                    item.title,
                    tuple(item.text.split("\n\n")) if item.text else (),
                    tuple(f"To be answered: {LABELS[key]}." for key in item.missing),
                )
                for item in items_of(document, form)
            ),
            *([PaperPart("To be answered", items=tuple(f"{LABELS[key]}." for key in missing))] if missing else []),
        ),
    )


def _notes(document: Mapping[str, Any], row: SealedPlan | None, at: datetime) -> list[str]:
    when = f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    if row is None:
        return [f"Draft of {when}: not sealed.", f"SHA-256 of the draft: {digest_of(canonical(document))}"]
    number = document["submissions"]
    before = "before the first answer" if not number else f"after {number} submissions"
    kind = "Plan" if row.number == 1 else f"Amendment {row.number - 1} of the plan"
    reason = [f"Reason: {row.reason}"] if row.number > 1 else []
    return [f"{kind}, sealed on {when}, {before}.", f"SHA-256 of the sealed document: {row.sha256}", *reason]
