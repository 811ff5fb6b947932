"""Hourly wages by arm."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from dataclasses import dataclass

from annotation.collecting.counts import SECONDS_WORKED
from annotation.models import Arm, Study, Submission
from annotation.pricing.wages import HOUR, wage_cents


@dataclass(frozen=True, slots=True)
class ArmWage:
    """What an arm's median worker earns (minor units an hour), and what is missing per submission to the minimum."""

    arm: int
    name: str
    n: int
    median_seconds: float
    reward_cents: int
    wage_cents: int
    lacking_cents: int


def arm_wages(study: Study, *, floor_cents: int | None) -> list[ArmWage]:
    """Real wage by arm: reward over the median time from acceptance to submission, or active time where measured.

    floor_cents: None where no floor is set: then nothing is missing.
    """
    rows = Submission.objects.filter(hit__study=study).values_list("hit__cell__arm", SECONDS_WORKED)
    times: defaultdict[int, list[float]] = defaultdict(list)
    for arm, seconds in rows:
        if seconds:
            times[arm].append(seconds)
    arms = {arm.pk: arm for arm in study.arms.order_by("pk")}
    return [_arm_wage(study, arms[pk], times[pk], floor_cents) for pk in arms if times.get(pk)]


def _arm_wage(study: Study, arm: Arm, times: list[float], floor_cents: int | None) -> ArmWage:
    reward = study.reward_cents if arm.reward_cents is None else arm.reward_cents
    median = statistics.median(times)
    needed = math.ceil((floor_cents or 0) * median / HOUR - 1e-9)
    return ArmWage(
        arm.pk,
        arm.training,
        len(times),
        median,
        reward,
        wage_cents(reward, seconds=median),
        max(0, needed - reward),
    )
