"""Designs to start from, as files in the folders of the task kinds: every value can be changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from annotation.design.kinds import installed_kinds, kind_called
from annotation.design.task_kind import TaskKind, check_questions
from annotation.design.wording import Wording, as_json, from_json
from annotation.exceptions import DesignError
from annotation.pricing.currency import DEFAULT_CURRENCY


@dataclass(frozen=True, slots=True)
class ArmPlan:
    """An arm and what one of its HITs pays."""

    training: str
    reward_cents: int


@dataclass(frozen=True, slots=True)
class CellPlan:
    """A combination to be filled. generator, domain: names in the texts ("" all of them)."""

    training: str
    domain: str = ""
    generator: str = ""


@dataclass(frozen=True, slots=True)
class PaperSize:
    """What was collected for a paper: where that is known from, assignments, their rewards in US cents, and the median
    working time (None: not known)."""

    source: str
    assignments: int
    rewards_cents: int
    median_seconds: int | None = None

    @property
    def median_minutes(self) -> int | None:
        """Whole minutes that half of the work did not exceed: rounded up."""
        return None if self.median_seconds is None else -(-self.median_seconds // 60)


@dataclass(frozen=True, slots=True)
class Preset:
    """A design by name. label: what it is, in a list. settings: fields of a study; differs: from the paper, and why."""

    name: str
    label: str
    source: str
    wording: Wording
    settings: Mapping[str, object]
    arms: tuple[ArmPlan, ...] = (ArmPlan("none", 100),)
    differs: Mapping[str, str] = field(default_factory=dict)
    paper: PaperSize | None = None

    @property
    def kind(self) -> TaskKind:
        """What it asks of raters."""
        return kind_called(self.wording.kind)


def load_preset(kind: TaskKind, name: str) -> Preset:
    """The preset of that name in the folder of the kind. Raises DesignError for a file that cannot be used."""
    path = kind.folder / "presets" / f"{name}.json"
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        wording = from_json({**as_json(kind.wording), **stored["wording"]})
        check_questions(kind, wording)
        arms = tuple(ArmPlan(training, cents) for training, cents in stored.get("arms", ()))
        return Preset(
            name=name,
            label=stored["label"],
            source=stored["source"],
            wording=wording,
            settings=stored["settings"],
            arms=arms or (ArmPlan("none", stored["settings"]["reward_cents"]),),
            differs=stored["differs"],
            paper=PaperSize(**stored["paper"]) if "paper" in stored else None,
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DesignError(f"The preset {name} of {kind.name} cannot be read: {error!r}.") from error


# The four papers' first, in their order.
FIRST = ("huse-2019", "clark-2021")


def _load() -> tuple[Mapping[str, Preset], Mapping[str, str]]:
    presets: dict[str, Preset] = {}
    broken: dict[str, str] = {}
    for kind in installed_kinds().values():
        for name in kind.presets:
            try:
                presets[name] = load_preset(kind, name)
            except DesignError as error:
                broken[name] = str(error)
    ordered = sorted(presets, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))
    return MappingProxyType({name: presets[name] for name in ordered}), MappingProxyType(broken)


PRESETS, BROKEN_PRESETS = _load()
HUSE, CLARK = PRESETS["huse-2019"], PRESETS["clark-2021"]


def preset_called(name: str) -> Preset:
    """The preset of that name. Raises DesignError for an unknown one."""
    if name not in PRESETS:
        raise DesignError(f"A preset is one of {', '.join(PRESETS)}, not {name}.")
    return PRESETS[name]


def preset_settings(preset: Preset, currency: str) -> dict[str, object]:
    """The preset's settings for a study in `currency`. Its reward is in dollars and is not converted: elsewhere it is 0
    until somebody sets one."""
    settings: dict[str, object] = {**preset.settings, "currency": currency}
    return settings if currency == DEFAULT_CURRENCY else {**settings, "reward_cents": 0}


def preset_arms(preset: Preset, currency: str) -> tuple[ArmPlan, ...]:
    """The preset's trainings for a study in `currency`; outside dollars they pay nothing until somebody says what."""
    return preset.arms if currency == DEFAULT_CURRENCY else tuple(ArmPlan(arm.training, 0) for arm in preset.arms)


def clark_cells(domains: tuple[str, ...], generators: tuple[str, ...]) -> list[CellPlan]:
    """The paper's fifteen: every generator and domain untrained, then each training in each domain for the last one.

    domains: three of them in the paper; generators: two, the one that trained evaluators meet last.

    >>> len(clark_cells(("stories", "news", "recipes"), ("GPT2", "GPT3")))
    15
    """
    untrained = [CellPlan("none", domain, generator) for generator in generators for domain in domains]
    trained = [
        CellPlan(training, domain, generators[-1])
        for training in ("instructions", "examples", "comparison")
        for domain in domains
    ]
    return untrained + trained
