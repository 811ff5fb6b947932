"""What is known of the rehearsal's generators, as the report takes it."""

from __future__ import annotations

from annotation.rehearsal.world import Design
from metrics.report.records import Truth


def known_truths(design: Design) -> dict[str, Truth]:
    return {}
