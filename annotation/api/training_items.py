"""Training items: listed, added, edited, moved, removed, imported."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone
from ninja import Field, Router, Schema, Status

from annotation.api.auth import caller, study_for
from annotation.api.responses import gives
from annotation.design.training_file import MAX_CHARS, MAX_ITEMS, rows_of
from annotation.design.training_items import Item
from annotation.design.wording import Practice, PracticePair, Training
from annotation.models import Role, Study
from annotation.studies import change_training
from annotation.studies.change_training import current_wording
from annotation.studies.check_training import check_training

router = Router(tags=["Design"])
Arm = Literal["instructions", "examples", "comparison"]
Version = Field(None, description="The version that you read; if another one is in use, nothing is changed.")


def _text(description: str) -> Any:
    return Field(min_length=1, max_length=MAX_CHARS, description=description, pattern=r"\S")


class ParagraphPart(Schema):
    """A paragraph of the training “instructions”."""

    training: Literal["instructions"]
    text: str = _text("The paragraph.")

    def item(self) -> Item:
        return self.text


class ExamplePart(Schema):
    """A practice text of the training “examples”."""

    training: Literal["examples"]
    text: str = _text("The text.")
    source: Literal["human", "machine"]
    explanation: str = _text("Shown after the answer.")
    context: str = Field("", max_length=MAX_CHARS)

    def item(self) -> Item:
        return Practice(self.text, self.source, self.explanation, self.context)


class PairPart(Schema):
    """A practice pair of the training “comparison”."""

    training: Literal["comparison"]
    human: str = _text("The text by a person.")
    machine: str = _text("The text by a machine.")
    explanation: str = _text("Shown after the answer; {human} and {machine} become the sides of the two texts.")
    context: str = Field("", max_length=MAX_CHARS)

    def item(self) -> Item:
        return PracticePair(self.human, self.machine, self.explanation, self.context)


ItemPart = ParagraphPart | ExamplePart | PairPart


class ItemIn(Schema):
    item: ItemPart = Field(discriminator="training")
    version: int | None = Version


class MoveIn(Schema):
    to: int = Field(ge=1, le=MAX_ITEMS, description="The place, counted from 1.")
    version: int | None = Version


class ItemsIn(Schema):
    """Items of any trainings, in their order."""

    items: list[ItemPart] = Field(min_length=1, max_length=3 * MAX_ITEMS)
    append: bool = Field(False, description="After the items of each training instead of in their place.")
    version: int | None = Version


class ItemOut(Schema):
    """An item; `number` is its place in its training, counted from 1. Fields of other trainings are empty."""

    training: Arm
    number: int
    text: str = ""
    source: str = ""
    human: str = ""
    machine: str = ""
    context: str = ""
    explanation: str = ""


class FaultOut(Schema):
    """What the check before publishing says; number 0: of the training as a whole."""

    level: Literal["error", "warning"]
    rule: str
    training: Arm
    number: int
    sentence: str


class ItemsOut(Schema):
    version: int
    items: list[ItemOut]
    faults: list[FaultOut]


def _items(study: Study) -> dict[str, Any]:
    stored, wording = current_wording(study)
    faults = check_training(study, wording)
    return {
        "version": stored.version,
        "items": _numbered(rows_of(wording.training)),
        "faults": [
            {
                "level": fault.level,
                "rule": fault.rule,
                "training": fault.arm,
                "number": fault.number,
                "sentence": fault.sentence,
            }
            for fault in faults
        ],
    }


@router.get("/studies/{study}/training-items", response=gives(ItemsOut), summary="Training items")
def show_items(request: HttpRequest, study: UUID) -> dict[str, Any]:
    return _items(study_for(request, study))


@router.post("/studies/{study}/training-items", response=gives(ItemsOut, 201), summary="Add a training item")
def add_item(request: HttpRequest, study: UUID, body: ItemIn) -> Status[Any]:
    """As the last one of its training. Each change is a new version of the task text, until the study is published."""
    study_row = study_for(request, study, Role.EDITOR)
    change_training.add_item(study_row, body.item.training, body.item.item(), version=body.version, **_by(request))
    return Status(201, _items(study_row))


@router.put("/studies/{study}/training-items", response=gives(ItemsOut), summary="Import training items")
def import_items(request: HttpRequest, study: UUID, body: ItemsIn) -> dict[str, Any]:
    """In place of the items of each training that is among them; the others stay."""
    study_row = study_for(request, study, Role.EDITOR)
    arms: dict[str, list[Item]] = {"instructions": [], "examples": [], "comparison": []}
    for part in body.items:
        arms[part.training].append(part.item())
    training = Training(**{arm: tuple(items) for arm, items in arms.items()})  # type: ignore[arg-type]
    change_training.import_items(study_row, training, append=body.append, version=body.version, **_by(request))
    return _items(study_row)


@router.put("/studies/{study}/training-items/{number}", response=gives(ItemsOut), summary="Replace a training item")
def replace_item(request: HttpRequest, study: UUID, number: int, body: ItemIn) -> dict[str, Any]:
    """number: of the item in the training that the body names."""
    study_row = study_for(request, study, Role.EDITOR)
    change_training.replace_item(
        study_row, body.item.training, number, body.item.item(), version=body.version, **_by(request)
    )
    return _items(study_row)


@router.post(
    "/studies/{study}/training-items/{training}/{number}/move", response=gives(ItemsOut), summary="Move a training item"
)
def move_item(request: HttpRequest, study: UUID, training: Arm, number: int, body: MoveIn) -> dict[str, Any]:
    study_row = study_for(request, study, Role.EDITOR)
    change_training.move_item(study_row, training, number, to=body.to, version=body.version, **_by(request))
    return _items(study_row)


@router.delete(
    "/studies/{study}/training-items/{training}/{number}", response=gives(ItemsOut), summary="Remove a training item"
)
def remove_item(
    request: HttpRequest, study: UUID, training: Arm, number: int, version: int | None = None
) -> dict[str, Any]:
    study_row = study_for(request, study, Role.EDITOR)
    change_training.remove_item(study_row, training, number, version=version, **_by(request))
    return _items(study_row)


def _numbered(rows: list[dict[str, str]]) -> list[dict[str, Any]]:
    """Each row with its number in its training."""
    counts: Counter[str] = Counter()
    numbered = []
    for row in rows:
        counts[row["training"]] += 1
        numbered.append({**row, "number": counts[row["training"]]})
    return numbered


def _by(request: HttpRequest) -> dict[str, Any]:
    return {"actor": caller(request).get_username(), "now": timezone.now()}
