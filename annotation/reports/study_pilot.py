"""A finished study as the pilot of the next: what its texts and raters are like."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from annotation.models import Study
from annotation.reports.gather import score
from metrics.huse.ratings_by_text import lay_out
from metrics.huse.subsampling import context_numbers
from metrics.planning import Pilot, fit_pilot
from metrics.planning.rating_power import RatingSpreads, fit_spreads
from metrics.report.records import GeneratorFacts, ReportInput
from metrics.types import Rating


def pilot_of(study: Study, generator: str = "") -> Pilot:
    """Texts and raters of one generator (the first where none is named) and its references. Raises ValueError."""
    facts = score(study)
    chosen = _generator(facts, generator)
    items = [item for item in chosen.items if item.log_prob is not None and item.ratings]
    if not items:
        raise ValueError(f"The pilot {study.name} has no text with both ratings and a log p.")
    rows = [row for row in facts.ratings if row.kept]
    rated = lay_out(items, [Rating(row.text, row.rater, Fraction(row.value)) for row in rows])
    q = np.array([float(item.log_prob or 0.0) / item.length for item in items])
    z = np.array([item.source == "reference" for item in items])
    return fit_pilot(rated, q, z, context_numbers([item.context for item in items], z), name=study.name)


def spreads_of(study: Study) -> RatingSpreads:
    """Spreads of the ratings of all sources, paired by context. Raises ValueError, MetricsError."""
    facts = score(study)
    text_of = {
        item.id: (item.context or item.id, chosen.name if item.source == "model" else "reference")
        for chosen in facts.generators
        for item in chosen.items
    }
    rows = [row for row in facts.ratings if row.kept and row.text in text_of]
    if not rows:
        raise ValueError(f"The pilot {study.name} has no ratings.")
    contexts, sources = zip(*(text_of[row.text] for row in rows), strict=True)
    return fit_spreads(list(contexts), [row.rater for row in rows], list(sources), [float(row.value) for row in rows])


def _generator(facts: ReportInput, name: str) -> GeneratorFacts:
    names = [candidate.name for candidate in facts.generators]
    if not names:
        raise ValueError("The pilot has no generator.")
    chosen = next((candidate for candidate in facts.generators if candidate.name == (name or names[0])), None)
    if chosen is None:
        raise ValueError(f"The pilot's generators are {', '.join(names)}, not {name}.")
    return chosen
