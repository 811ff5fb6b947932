"""Select the texts of a draft that are judged, and repeat a stored selection."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from annotation.exceptions import DesignError, StateError
from annotation.models import AuditEvent, Likelihood, Selection, Study, Text
from annotation.texts import queries
from annotation.texts.selection.plan import Plan, plan_of
from annotation.texts.selection.records import Candidate, FunnelLine, Outcome
from annotation.texts.selection.run import digest_of_outcome, digest_of_pool, run_selection
from annotation.texts.selection.tokens import TOOL

CHUNK = 500
MAX_REASON_CHARS = 300

Progress = Callable[[int, int], None]
"""Takes how many steps of how many have been done."""


@dataclass(frozen=True, slots=True)
class TextsSelected:
    """What a selection did, or would do. dropped: texts whose log-probabilities went, their wording being another.

    number: of the stored record, None for a dry run. by_side: texts judged of the references and each generator.
    """

    number: int | None
    pool: int
    kept: int
    cut: int
    dropped: int
    by_side: Mapping[str, int]
    funnel: tuple[FunnelLine, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """Whether a stored selection, run again, gives what it gave; `why` says what is different."""

    number: int
    same: bool
    why: str = ""


def select_texts(
    study: Study,
    plan: Mapping[str, Any],
    *,
    actor: str,
    now: datetime,
    dry_run: bool = False,
    drop_log_probs: bool = False,
    progress: Progress | None = None,
) -> TextsSelected:
    """Choose from all texts of a draft by the rules of `plan`, and store the rules with what each did.

    Every run starts from the whole pool and the original wordings, so that the latest selection alone holds.
    plan: as in docs/import.md, {"steps": [{"rule": ..., ...}], "seed": ...}; the seed is the study's where it is left
    out. drop_log_probs: delete those of texts whose wording changes. progress: one step for each rule, one for storing.
    Raises DesignError for a plan that cannot be kept or leaves nothing, or where log-probabilities would be void;
    StateError when the study is no draft or has its HITs.
    """
    with transaction.atomic():
        study = Study.objects.select_for_update().get(pk=study.pk)
        _require_undesigned(study)
        checked = plan_of(plan, seed=study.seed)
        report_progress = progress or (lambda _done, _of: None)
        of = len(checked.steps) + 1
        pool = _load_pool(study)
        outcome = run_selection(pool, checked, progress=lambda done: report_progress(done, of))
        if not outcome.judged:
            emptied = next((line for line in outcome.funnel if not line.after), None)
            last = f" after the rule {emptied.told!r}" if emptied else ""
            raise DesignError(f"The selection leaves no text of the study {study}{last}; nothing was changed.")
        void = _texts_with_void_scores(study, outcome)
        if void and not (drop_log_probs or dry_run):
            raise DesignError(
                f"{len(void)} texts with a log-probability, {void[0].key!r} the first, would be cut or made whole; "
                "theirs would be that of another text. Score after selecting, or let them go (--drop-log-probs)."
            ).at("drop_log_probs")
        if dry_run:
            return _summarize(None, pool, outcome, len(void))
        for start in range(0, len(void), CHUNK):
            Likelihood.objects.filter(text__in=void[start : start + CHUNK]).delete()
        _store_fates(study, outcome)
        report_progress(of, of)
        record = _store_selection(study, checked, pool, outcome, now)
        facts = {"number": record.number, "texts": len(pool), "kept": outcome.judged, "dropped_log_probs": len(void)}
        AuditEvent.objects.record(study, "select_texts", actor=actor, now=now, **facts, outcome=record.outcome_digest)
        return _summarize(record.number, pool, outcome, len(void))


def repeat_selection(study: Study) -> Repeated:
    """Run the study's stored selection again and compare; changes nothing. Raises StateError where there is none."""
    stored = queries.selection(study)
    if stored is None:
        raise StateError(f"The study {study} has no selection.")
    pool = _load_pool(study)
    outcome = run_selection(pool, plan_of(stored.plan, seed=study.seed))
    if stored.tool != TOOL:
        return Repeated(stored.number, same=False, why=f"it was made by {stored.tool}, this is {TOOL}")
    if digest_of_pool(pool) != stored.pool_digest:
        return Repeated(stored.number, same=False, why="texts were added or changed since")
    if digest_of_outcome(outcome) != stored.outcome_digest or _has_changed(study, outcome):
        return Repeated(stored.number, same=False, why="a text's fate is another than the one stored")
    return Repeated(stored.number, same=True)


def _require_undesigned(study: Study) -> None:
    if study.status != Study.Status.DRAFT:
        raise StateError(f"The study {study} is {study.status}; texts are selected in a draft only.")
    if study.hits.exists():
        raise StateError(f"The study {study} already has its HITs; its texts cannot be selected any more.")


def _selectable_texts(study: Study) -> QuerySet[Text]:
    """Gold texts are there for the raters' sake: no rule concerns them."""
    return study.texts.filter(known_label="")


def _load_pool(study: Study) -> list[Candidate]:
    rows = (
        _selectable_texts(study)
        .order_by("pk")
        .values_list("key", "body", "original", "generator__name", "context__key", "domain")
    )
    return [
        Candidate(key, original or body, generator, context, domain)
        for key, body, original, generator, context, domain in rows.iterator(chunk_size=2000)
    ]


def _texts_with_void_scores(study: Study, outcome: Outcome) -> list[Text]:
    """Texts with a log-probability whose body becomes another."""
    scored = (
        _selectable_texts(study).filter(likelihoods__isnull=False).distinct().order_by("pk").only("pk", "key", "body")
    )
    return [text for text in scored.iterator(chunk_size=2000) if outcome.fates[text.key].body != text.body]


def _store_fates(study: Study, outcome: Outcome) -> None:
    """Write every fate. Most texts keep their wording: those are written by fate, many at a time."""
    alike: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    cut: list[Text] = []
    for text in _selectable_texts(study).order_by("pk").iterator(chunk_size=2000):
        fate, full_body = outcome.fates[text.key], text.original or text.body
        left_out, original = fate.left_out[:MAX_REASON_CHARS], full_body if fate.cut_at is not None else ""
        if (fate.body, original, fate.cut_at) != (text.body, text.original, text.cut_at):
            text.body, text.original, text.cut_at, text.left_out, text.split = (
                fate.body,
                original,
                fate.cut_at,
                left_out,
                fate.split,
            )
            cut.append(text)
        elif (left_out, fate.split) != (text.left_out, text.split):
            alike[left_out, fate.split].append(text.pk)
    Text.objects.bulk_update(cut, ["body", "original", "cut_at", "left_out", "split"], batch_size=CHUNK)
    for (left_out, split), keys in alike.items():
        for start in range(0, len(keys), CHUNK):
            Text.objects.filter(pk__in=keys[start : start + CHUNK]).update(left_out=left_out, split=split)


def _has_changed(study: Study, outcome: Outcome) -> bool:
    rows = _selectable_texts(study).values_list("key", "body", "left_out", "split")
    return any(
        (outcome.fates[key].body, outcome.fates[key].left_out[:MAX_REASON_CHARS], outcome.fates[key].split)
        != (body, left_out, split)
        for key, body, left_out, split in rows.iterator(chunk_size=2000)
    )


def _store_selection(study: Study, plan: Plan, pool: list[Candidate], outcome: Outcome, now: datetime) -> Selection:
    last = queries.selection(study)
    return Selection.objects.create(
        study=study,
        number=last.number + 1 if last else 1,
        plan=plan.as_json(),
        funnel=[asdict(line) for line in outcome.funnel],
        tool=TOOL,
        pool_digest=digest_of_pool(pool),
        outcome_digest=digest_of_outcome(outcome),
        created_at=now,
    )


def _summarize(number: int | None, pool: list[Candidate], outcome: Outcome, dropped: int) -> TextsSelected:
    by_side: dict[str, int] = {}
    for text in pool:
        by_side[text.side] = by_side.get(text.side, 0) + (not outcome.fates[text.id].left_out)
    cut = sum(fate.cut_at is not None and not fate.left_out for fate in outcome.fates.values())
    return TextsSelected(number, len(pool), outcome.judged, cut, dropped, by_side, outcome.funnel)
