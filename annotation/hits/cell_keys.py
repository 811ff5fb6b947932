"""The keys by which a marketplace knows the cells of a study: opaque, so that they name no arm."""

from __future__ import annotations

import hashlib

from annotation.models import Study

# The keyword of Assay's marketplace by which a HIT names its cell: people are assigned to one of them.
CELL = "assay:cell="


def study_key(study: Study) -> str:
    """The tag of a study that is open to everybody; a study by invitation has its own (`channel_tag`)."""
    return f"s{_digest(str(study.uuid))}"


def draw_tag(study: Study) -> str:
    """The tag under which the marketplace draws for `study`."""
    return study.channel_tag or study_key(study)


def cell_key(study: Study, cell: int) -> str:
    """The key of a cell (primary key) of `study`."""
    return f"{study_key(study)}.c{_digest(f'{study.uuid}:{cell}')}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
