"""The methods paragraph on quality: what was really done, in sentences that a paper can print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.quality.exclusion import Rule, Tabulated, Thinned
from annotation.quality.filters import BY_KIND, JUDGED_BY_HAND, NEVER_ALONE, NOTED

NOTHING = "Beyond the recruitment criteria, no rater, assignment or item was excluded."
DETECTED = "machine_written"


@dataclass(frozen=True, slots=True)
class Done:
    """What was done about the quality of a study's work.

    recruitment: criteria in words. submissions: handed in. left_out: left out of the analysis; by_hand of them by a
    person's decision. rules: that hold, with how many submissions each leaves out. blind: whether they were fixed
    before results were seen; None without rules. by_source, by_condition: tables with their tests. refused: payments.
    left: what is left of the texts' ratings; None where nobody counts them. detector: name and version of what looked
    for machine-written explanations ("": nothing did), which flagged so many submissions.
    """

    recruitment: Sequence[str]
    submissions: int
    left_out: int
    by_hand: int
    rules: Sequence[Rule]
    hits: Mapping[str, int]
    version: int | None
    blind: bool | None
    by_source: Tabulated | None
    by_condition: Tabulated | None
    refused: int
    left: Thinned | None = None
    detector: str = ""
    detected: int = 0


def paragraph(done: Done) -> str:
    """The paragraph."""
    parts = [_recruited(done)] if done.recruitment else []
    if done.detector:
        parts.append(BY_KIND[DETECTED].methods.format(detector=done.detector, count=done.detected))
    if not done.left_out and not done.rules:
        return " ".join([*parts, NOTHING, _paid(done)])
    parts += [_rule(rule, done.hits.get(rule.kind, 0)) for rule in done.rules if rule.kind not in NEVER_ALONE]
    if done.blind is not None:
        when = "before" if done.blind else "after"
        parts.append(f"These rules (version {done.version}) were fixed {when} results were seen.")
    parts.append(_summary(done))
    parts += _texts(done)
    parts += [
        _rates(name, table) for name, table in (("source", done.by_source), ("condition", done.by_condition)) if table
    ]
    return " ".join([*parts, _paid(done)])


def _recruited(done: Done) -> str:
    return f"Workers were recruited by these criteria: {'; '.join(done.recruitment)}."


def _rule(rule: Rule, count: int) -> str:
    if rule.kind in JUDGED_BY_HAND:
        said = JUDGED_BY_HAND[rule.kind].split(": ", 1)[1].rstrip(".")
        return f"Two reviewers judged {count} assignments so: {said}."
    if rule.kind in NOTED:
        return f"{count} assignments are of people held out of new studies."
    one = BY_KIND[rule.kind]
    cut = one.threshold if rule.threshold is None else rule.threshold
    return one.methods.format(count=count, threshold=one.shown(cut))


def _summary(done: Done) -> str:
    share = 100 * done.left_out / done.submissions if done.submissions else 0.0
    hand = f" ({done.by_hand} by a reviewer's decision on the single submission)" if done.by_hand else ""
    return f"Of {done.submissions} submissions, {done.left_out} ({share:.1f} %) were left out of the analysis{hand}."


def _texts(done: Done) -> list[str]:
    left = done.left
    if left is None:
        return []
    told = [f"{left.thin} of {left.texts} items have fewer than {left.least} ratings left."] if left.thin else []
    return [*told, f"{left.broken} of {left.contexts} contexts lack a side."] if left.broken else told


def _rates(name: str, table: Tabulated) -> str:
    told = ", ".join(f"{row.group} {100 * row.share:.1f} % of {row.ratings} ratings" for row in table.rows)
    test = f"; permutation test over assignments, p = {table.p:.3f}" if table.p is not None else ""
    return f"By {name}, there were left out: {told}{test}."


def _paid(done: Done) -> str:
    if not done.refused:
        return "All submitted work was paid."
    return f"Payment was refused for {done.refused} of {done.submissions} submissions, each by two people."
