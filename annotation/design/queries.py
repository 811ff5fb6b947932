"""Reads of a design: its versions and its cells."""

from __future__ import annotations

from typing import cast

from annotation.models import Study
from metrics.data.arm_assignment import ArmAssignment


def arm_assignment(study: Study) -> ArmAssignment | None:
    """How raters come to their arm; None where it is not known."""
    return cast(ArmAssignment, study.arm_assignment) if study.arm_assignment else None
