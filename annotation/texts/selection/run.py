"""Running a selection: the rules one after the other over the whole pool, with what each did."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from annotation.exceptions import DesignError
from annotation.texts.selection.plan import KINDS, Plan, Step
from annotation.texts.selection.records import Candidate, Fate, FunnelLine, Outcome
from annotation.texts.selection.rules import Effect, Values


def run_selection(pool: Sequence[Candidate], plan: Plan, *, progress: Callable[[int], None] | None = None) -> Outcome:
    """Every text's fate. Depends on the pool (in its order), the plan and its seed, and on nothing else.

    progress: called with the number of rules run. Raises DesignError for a rule that cannot be kept: an unknown id,
    too few texts for a split.
    """
    _require_known(pool, plan)
    fates = {text.id: Fate(text.body) for text in pool}
    left, funnel = list(pool), []
    for number, step in enumerate(plan.steps, start=1):
        seen = [text for text in left if _applies_to(step, text)]
        effect = KINDS[step.rule].run(seen, Values(step.settings, plan.seed))
        for key, reason in effect.out.items():
            left_out = f"{number} {step.rule}" + (f": {reason}" if reason else "")
            fates[key] = replace(fates[key], left_out=left_out)
        for key, name in effect.splits.items():
            fates[key] = replace(fates[key], split=name)
        for key, (body, at) in effect.cuts.items():
            fates[key] = replace(fates[key], body=body, cut_at=at)
        before = left
        left = [_apply_cut(text, effect) for text in before if text.id not in effect.out]
        funnel.append(_funnel_line(step, before, left, effect))
        if progress is not None:
            progress(number)
    return Outcome(fates, tuple(funnel))


def _require_known(pool: Sequence[Candidate], plan: Plan) -> None:
    ids = {text.id for text in pool}
    for number, step in enumerate(plan.steps, start=1):
        if step.rule == "exclude":
            unknown = sorted(set(step.settings["texts"]) - ids)
            if unknown:
                sentence = f"Step {number}, exclude: the study has no text with the id {unknown[0]!r}."
                raise DesignError(sentence).at("exclude")


def _applies_to(step: Step, text: Candidate) -> bool:
    return step.of == "all" or (text.generator is None) == (step.of == "references")


def _apply_cut(text: Candidate, effect: Effect) -> Candidate:
    return replace(text, body=effect.cuts[text.id][0]) if text.id in effect.cuts else text


def _funnel_line(step: Step, before: Sequence[Candidate], after: Sequence[Candidate], effect: Effect) -> FunnelLine:
    had, has = Counter(text.side for text in before), Counter(text.side for text in after)
    return FunnelLine(
        rule=step.rule,
        told=step.describe(),
        before=len(before),
        removed=len(before) - len(after),
        after=len(after),
        changed=len(effect.cuts),
        by_side={side: (had[side], has[side]) for side in sorted(had)},
        note=effect.note,
    )


def digest_of_pool(pool: Iterable[Candidate]) -> str:
    """SHA-256 over every text of the pool in its order: the same digest, the same selection."""
    return _digest_rows((text.id, text.body, text.generator, text.context, text.domain) for text in pool)


def digest_of_outcome(outcome: Outcome) -> str:
    """SHA-256 over every fate."""
    return _digest_rows((key, fate.left_out, fate.split, fate.cut_at, fate.body) for key, fate in outcome.fates.items())


def _digest_rows(rows: Iterable[tuple[object, ...]]) -> str:
    hasher = hashlib.sha256()
    for row in rows:
        hasher.update(repr(row).encode("utf-8", "surrogatepass") + b"\n")
    return hasher.hexdigest()
