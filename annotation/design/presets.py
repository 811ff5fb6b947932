"""Designs of the papers, as data: every value can be changed, and where our default is a safer one it says why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from annotation.design import task_types
from annotation.design.wording import Wording, default_wording, typicality_of
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
    """A design by name. settings: fields of a study; differs: our safer defaults, field by field, with the reason."""

    name: str
    source: str
    wording: Wording
    settings: Mapping[str, object]
    arms: tuple[ArmPlan, ...] = (ArmPlan("none", 100),)
    differs: Mapping[str, str] = field(default_factory=dict)
    paper: PaperSize | None = None


HUSE = Preset(
    "huse-2019",
    "Hashimoto, Zhang and Liang 2019, Appendix A.3 and the released batch",
    typicality_of("headline"),
    {
        "texts_per_hit": 25,
        "raters_per_text": 20,
        "reward_cents": 100,
        "assignment_seconds": 3600,
        "auto_approval_seconds": 259_200,
        "minimum_percent_approved": 95,
        "minimum_approved_hits": 50,
        "country": "US",
    },
    differs={
        "mix": "Sources are interleaved in each HIT; the released HITs hold one source each, which confounds source "
        "with workers.",
        "threats": "No text threatens rejection.",
        "reward_cents": "$1.00 paid about $4.48 an hour at the released median of 804 s; the plan warns below the "
        "floor.",
    },
    # 8 HITs x 20 assignments; the median of the released batch.
    paper=PaperSize("In the released batch", 160, 160 * 100, 804),
)

_OUR_HUMAN_OR_MACHINE = default_wording(task_types.HUMAN_OR_MACHINE)
CLARK = Preset(
    "clark-2021",
    "Clark et al. 2021, sections 2 and 3",
    replace(
        _OUR_HUMAN_OR_MACHINE,
        follow_ups=tuple(
            replace(follow_up, text=text)
            for follow_up, text in zip(
                _OUR_HUMAN_OR_MACHINE.follow_ups, task_types.CLARK_FOLLOW_UPS.values(), strict=True
            )
        ),
    ),
    {
        "texts_per_hit": 5,
        "raters_per_text": 7,
        "evaluators_per_cell": 130,
        "reward_cents": 125,
        "assignment_seconds": 3600,
        "minimum_percent_approved": 95,
        "minimum_approved_hits": 1000,
        "country": "US",
        "once": True,
    },
    arms=(
        ArmPlan("none", 125),
        ArmPlan("instructions", 125),
        ArmPlan("examples", 175),
        ArmPlan("comparison", 225),
    ),
    differs={
        "mix": "Sources are balanced in each HIT (2 and 3 of 5); the paper leaves the mixture open.",
        "explanations": "Each explanation has at least 10 characters; the paper names no minimum.",
        "exclusion": "Excluded work is paid unless a person decides otherwise.",
    },
    # 130 people in each of 6 cells without training, and of 3 cells with each training.
    paper=PaperSize("In the paper, after exclusions", 780 + 1170, 780 * 125 + 390 * (125 + 175 + 225)),
)

FREQUENCY = Preset(
    "frequency-calibration",
    "Hashimoto, Zhang and Liang 2019, Figure 2",
    typicality_of("sentence"),
    {
        "texts_per_hit": 25,
        "raters_per_text": 20,
        "reward_cents": 100,
        "assignment_seconds": 3600,
        "minimum_percent_approved": 95,
        "minimum_approved_hits": 50,
        "country": "US",
    },
    differs={"mix": "All texts are references; strata of frequency are mixed in each HIT."},
)

PRESETS = {preset.name: preset for preset in (HUSE, CLARK, FREQUENCY)}


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
