"""Check the training items of a study: complete, not among its texts, seen by somebody, and free to change sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from annotation.design.kinds import default_wording
from annotation.design.sides import side_words
from annotation.design.training_items import ARMS, Item, items_of, texts_of
from annotation.design.wording import Practice, PracticePair, Wording
from annotation.models import Arm, Study

RULES = frozenset({"no_training", "item_incomplete", "item_is_judged", "side_named", "training_unused"})
ITEM_NAMES = {"instructions": "Paragraph", "examples": "Example", "comparison": "Pair"}


@dataclass(frozen=True, slots=True)
class TrainingFault:
    """What is wrong with a training (number 0) or one of its items, counted from 1."""

    level: Literal["error", "warning"]
    rule: str
    arm: str
    number: int
    sentence: str


def arms_in_use(study: Study) -> list[str]:
    """The trainings of the study's conditions, as the design orders them."""
    used = set(Arm.objects.filter(study=study, cells__isnull=False).values_list("training", flat=True))
    return [arm for arm in Arm.Training.values if arm in used]


def check_training(study: Study, wording: Wording) -> list[TrainingFault]:
    """Everything that is wrong with the items of the trainings that participants will see, training by training."""
    used = arms_in_use(study)
    faults: list[TrainingFault] = []
    for arm in ARMS:
        faults += _of_arm(wording, arm) if arm in used else _of_unused(wording, arm)
    faults += _judged_items(study, wording, used)
    return sorted(faults, key=lambda fault: (ARMS.index(fault.arm), fault.number))


def _of_arm(wording: Wording, arm: str) -> Iterator[TrainingFault]:
    items = items_of(wording.training, arm)
    if not items:
        yield TrainingFault("error", "no_training", arm, 0, f"Training “{arm}” has no items. Add them.")
    for number, item in enumerate(items, 1):
        name = f"{ITEM_NAMES[arm]} {number} of the training “{arm}”"
        for what in _missing(item):
            yield TrainingFault("error", "item_incomplete", arm, number, f"{name} has no {what}. Add it.")
        if isinstance(item, PracticePair):
            yield from _side(item, wording, number)


def _missing(item: Item) -> Iterator[str]:
    if isinstance(item, str):
        parts = {"text": item}
    elif isinstance(item, Practice):
        parts = {"text": item.text, "explanation": item.explanation}
    else:
        parts = {"text by a person": item.human, "text by a machine": item.machine, "explanation": item.explanation}
    yield from (what for what, text in parts.items() if not text.strip())


def _side(pair: PracticePair, wording: Wording, number: int) -> Iterator[TrainingFault]:
    words = side_words(pair.explanation, wording.buttons, language=wording.language)
    if words:
        yield TrainingFault(
            "warning",
            "side_named",
            "comparison",
            number,
            f"The explanation of practice pair {number} seems to name a side (“{words[0]}”), so this pair is shown to "
            "everybody in the same order. Write {human} or {machine} in its place to have the sides shuffled.",
        )


def _of_unused(wording: Wording, arm: str) -> Iterator[TrainingFault]:
    """Items that a template brought are no sign of a mistake."""
    items = items_of(wording.training, arm)
    if items and items != items_of(default_wording(wording.kind).training, arm):
        yield TrainingFault(
            "warning",
            "training_unused",
            arm,
            0,
            f"Training “{arm}” has items, but no condition of the design uses it. Participants will not see them.",
        )


def _judged_items(study: Study, wording: Wording, used: list[str]) -> Iterator[TrainingFault]:
    """A participant who was shown the answer to a text cannot judge it afterwards."""
    trained: dict[str, list[tuple[str, int]]] = {}
    for arm in used:
        if arm in ARMS:
            for number, item in enumerate(items_of(wording.training, arm), 1):
                for _, text in texts_of(item):
                    trained.setdefault(_normalized(text), []).append((arm, number))
    trained.pop("", None)
    if not trained:
        return
    for key, body in study.texts.judged().values_list("key", "body").iterator():
        for arm, number in trained.pop(_normalized(body), ()):
            yield TrainingFault(
                "error",
                "item_is_judged",
                arm,
                number,
                f"{ITEM_NAMES[arm]} {number} of the training “{arm}” is also a text of the study ({key}): participants "
                "would judge a text whose source they were shown. Use another text in the training.",
            )


def _normalized(text: str) -> str:
    return " ".join(text.split()).casefold()
