"""The check before publishing, with what it says about the rules of exclusion: whom they would wrong, and how they
would move the headline measure of honest people."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from annotation.models import Study
from annotation.publishing.preflight import preflight
from annotation.publishing.preflight_result import Finding, Preflight
from annotation.quality.fairness import chosen_rules, possible_rules, text_lengths, wronged_by
from annotation.quality.honest_studies import Progress, honest_outcome


def check_study(study: Study, **how: Any) -> Preflight:
    """`preflight` (which takes the same), and a warning for each chosen rule that would exclude more than 2% of a group
    of honest people."""
    result = preflight(study, **how)
    unfair = [row.sentence for row in wronged_by(study, chosen_rules(study)) if row.unfair]
    return replace(result, findings=(*result.findings, *(Finding("warning", "unfair_rule", text) for text in unfair)))


def check_and_rehearse(study: Study, *, rehearsed: Progress | None = None, **how: Any) -> dict[str, Any]:
    """What the job of a check stores: the check, and what each rule does in simulated studies of honest people.

    rehearsed: called with how many of the studies are simulated.
    """
    checked = check_study(study, **how).as_json()
    return {**checked, **honest_outcome(study, possible_rules(study), words=text_lengths(study), progress=rehearsed)}
