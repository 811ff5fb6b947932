"""What the training page shows of each training: its items as cards, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext_lazy as _

from annotation.design.sides import explanation_shown, names_a_side
from annotation.design.training_items import ARMS, Item, items_of
from annotation.design.wording import Practice, PracticePair, Wording
from annotation.models import Arm, Study
from annotation.studies.check_training import TrainingFault, arms_in_use, check_training


@dataclass(frozen=True, slots=True)
class Card:
    """An item, counted from 1. explanations: as participants read it, by whose text is first."""

    number: int
    item: Item
    last: bool
    explanations: tuple[str, ...] = ()
    fixed: bool = False
    faults: Sequence[TrainingFault] = ()

    @property
    def kind(self) -> str:
        if isinstance(self.item, str):
            return "instructions"
        return "examples" if isinstance(self.item, Practice) else "comparison"


@dataclass(frozen=True, slots=True)
class ArmCards:
    """A training with its cards. used: whether a condition of the design has it."""

    key: str
    label: str
    used: bool
    cards: list[Card] = field(default_factory=list)
    faults: Sequence[TrainingFault] = ()


def training_arms(study: Study, wording: Wording) -> list[ArmCards]:
    """Every training, those of the design first."""
    used = arms_in_use(study)
    faults = check_training(study, wording)
    return [
        ArmCards(
            arm,
            str(Arm.Training(arm).label),
            arm in used,
            _cards(wording, arm, faults),
            [fault for fault in faults if fault.arm == arm and not fault.number],
        )
        for arm in sorted(ARMS, key=lambda arm: arm not in used)
    ]


def _cards(wording: Wording, arm: str, faults: Sequence[TrainingFault]) -> list[Card]:
    items = items_of(wording.training, arm)
    return [
        Card(
            number,
            item,
            number == len(items),
            _explanations(item, wording),
            _is_fixed(item, wording),
            [fault for fault in faults if (fault.arm, fault.number) == (arm, number)],
        )
        for number, item in enumerate(items, 1)
    ]


def _is_fixed(item: Item, wording: Wording) -> bool:
    if not isinstance(item, PracticePair):
        return False
    return names_a_side(item.explanation, wording.buttons, language=wording.language)


def _explanations(item: Item, wording: Wording) -> tuple[str, ...]:
    if not isinstance(item, PracticePair):
        return ()
    sides = (True,) if _is_fixed(item, wording) else (True, False)
    shown = (explanation_shown(item, wording, human_first=side) for side in sides)
    return tuple(dict.fromkeys(shown))


# The columns of a file of items, each with the trainings whose items use it.
COLUMN_HELP = (
    ("training", _("instructions, examples or comparison")),
    ("text", _("instructions: the paragraph. examples: the text.")),
    ("source", _("examples: human or machine")),
    ("human", _("comparison: the text by a person")),
    ("machine", _("comparison: the text by a machine")),
    ("context", _("examples, comparison: what is shown above (optional)")),
    ("explanation", _("examples, comparison: shown after the answer")),
)
