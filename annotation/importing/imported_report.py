"""A study read back from a report: what the report told and no row of ours holds, kept beside the rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, replace
from datetime import datetime
from typing import Any, TypeVar

from annotation.models import Decision, ScoreFile, Study, Told, Worker
from metrics.report.record_codec import decode, encode
from metrics.report.records import CrowdFacts, FlagFacts, GeneratorFacts, RatingRow, ReportInput, TextRow, Warn
from metrics.report.row_records import AssignmentRow, Attached, CodeRow, CommentRow, ConditionFacts, PlanFacts
from metrics.types import Item

R = TypeVar("R")
ALIVE = ("rejected_included",)  # warnings that our own rows decide
ADJUDICATED = "adjudicated"
TABLES = ("texts", "ratings", "assignments", "comments", "attached")  # of which our rows hold every record

# The fields of each record that our rows hold whole: there our rows alone speak. Every other field, one added tomorrow
# too, is kept from the report wherever that says anything. (Of the study, its money, settings and pages the report's
# silence counts too: what an import made of them would be told as the study's.)
HELD: dict[type, frozenset[str]] = {
    ReportInput: frozenset([*TABLES, "licence", "language", "statements", "versions", "commit", "command"]),
    TextRow: frozenset(["id", "source", "generator", "body", "context_id", "context", "corpus_count", "corpus_name"]),
    RatingRow: frozenset(
        ["text", "rater", "label", "value", "hit", "position", "kept", "criterion", "condition", "partner"]
    ),
    AssignmentRow: frozenset(
        ["id", "rater", "hit", "condition", "submitted_at", "seconds", "payment", "kept", "reason", "flags"]
    ),
    CommentRow: frozenset(["text", "rater", "question", "body", "kept"]),
    Attached: frozenset(["kind", "name", "sha256", "document", "model", "version", "actor", "attached_at"]),
    Item: frozenset(["id", "source", "hj", "log_prob", "length", "context", "ratings"]),
    ConditionFacts: frozenset(
        [
            "name",
            "training",
            "domain",
            "generator",
            "workers",
            "submitted",
            "excluded",
            "reward_cents",
            "median_seconds",
        ],
    ),
    CrowdFacts: frozenset(["workers", "submitted", "excluded", "consent", "ethics"]),
    PlanFacts: frozenset(["sentences", "registered_where", "power", "deviations"]),
}
# What makes a record of ours and one of the report the same; of the others, their whole value does.
SAME: dict[type, tuple[str, ...]] = {
    TextRow: ("id",),
    Item: ("id",),
    RatingRow: ("hit", "rater", "text", "criterion", "label"),
    AssignmentRow: ("hit", "rater"),
    CommentRow: ("text", "rater", "question"),
    Attached: ("sha256",),
    ConditionFacts: ("name",),
}


def store_told(study: Study, told: ReportInput, workers: Mapping[str, Worker], *, now: datetime) -> None:
    """Keep the facts without the rows; who stood in them by the file's name stands there by the pseudonym."""
    bare = _bare(_renamed(told, {name: worker.pseudonym for name, worker in workers.items()}))
    document = json.dumps(encode(bare), ensure_ascii=False, allow_nan=False)
    Told.objects.create(study=study, document=document, made_at=now)
    files = {one.sha256: one for one in told.attached}
    ScoreFile.objects.bulk_create(
        ScoreFile(
            study=study,
            kind=one.kind,
            name=one.name[-200:],
            sha256=one.sha256,
            document=json.dumps(one.document, ensure_ascii=False),
            model=one.model,
            version=one.version,
            actor=one.actor,
            attached_at=one.attached_at,
        )
        for one in files.values()
    )


def _renamed(told: ReportInput, names: Mapping[str, str]) -> ReportInput:
    """With pseudonyms for raters, and without what belongs to a rater whom no row knows."""
    changes: dict[str, Any] = {}
    for field in fields(told):
        rows = getattr(told, field.name)
        if isinstance(rows, tuple) and rows and hasattr(rows[0], "rater"):
            changes[field.name] = tuple(replace(one, rater=names[one.rater]) for one in rows if one.rater in names)
    return replace(told, **changes)


def _bare(told: ReportInput) -> ReportInput:
    """Without what stands in rows: of those, only records with a field that no row holds."""
    generators = tuple(replace(one, items=_more(one.items)) for one in told.generators)
    tables: dict[str, Any] = {name: _more(getattr(told, name)) for name in TABLES}
    return replace(told, generators=generators, **tables)


def _more(rows: tuple[R, ...]) -> tuple[R, ...]:
    """The records that say something which no row of ours holds."""
    if not rows:
        return ()
    others = [field for field in fields(rows[0]) if field.name not in HELD[type(rows[0])]]  # type: ignore[arg-type]
    return tuple(one for one in rows if any(getattr(one, field.name) != _default(field) for field in others))


def _default(field: Field[Any]) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _completed(ours: R, told: R) -> R:
    """Our record, with whatever the report says beyond what our rows hold."""
    held, changes = HELD[type(ours)], {}
    for field in fields(ours):  # type: ignore[arg-type]
        value = getattr(told, field.name)
        if field.name not in held and value != _default(field):
            changes[field.name] = value
    return replace(ours, **changes) if changes else ours  # type: ignore[type-var]


def _all_completed(ours: tuple[R, ...], told: Iterable[R]) -> tuple[R, ...]:
    """Each of our records with what the report says of the same one."""

    def key(one: Any) -> tuple[Any, ...]:
        return tuple(getattr(one, name) for name in SAME[type(one)])

    known = {key(one): one for one in told}
    return tuple(_completed(one, known[key(one)]) if key(one) in known else one for one in ours) if known else ours


def as_told(study: Study, given: ReportInput) -> ReportInput:
    """What our rows say, completed by what the report told, where the study was read back from one."""
    kept = Told.objects.filter(study=study).first()
    if kept is None:
        return given
    told: ReportInput = decode(ReportInput, json.loads(kept.document))
    by_name = {one.name: one for one in told.systems}
    dropped = {item.id for one in told.generators for item in one.dropped}
    rows: dict[str, Any] = {name: _all_completed(getattr(given, name), getattr(told, name)) for name in TABLES}
    rows["ratings"] = tuple(replace(one, kept=False) if one.text in dropped else one for one in rows["ratings"])
    return replace(
        _completed(given, told),
        **rows,
        study=replace(told.study, name=given.study.name, provenance=(*told.study.provenance, *given.study.provenance)),
        generators=tuple(_generator(one, by_name.get(one.name)) for one in given.generators),
        conditions=_all_completed(given.conditions, told.conditions),
        unscored=tuple(_generator(one, by_name.get(one.name)) for one in given.unscored),
        money=told.money,
        settings=told.settings,
        pages=told.pages,
        crowd=_crowd(kept, given.crowd, told.crowd),
        flags=_flags(given, told),
        warnings=_warnings(given, told),
        plan=_plan(given.plan, told.plan),
        quality=told.quality if _decided_alike(kept, told) else given.quality,
        codes=_codes(given, told),
        codebook=_books(told.codebook, given.codebook),
        criteria=_books(told.criteria, given.criteria),
        rules=told.rules if given.rules is None else given.rules,
    )


def _crowd(kept: Told, ours: CrowdFacts, told: CrowdFacts) -> CrowdFacts:
    """As our rows count; payment too, once somebody has decided on it here."""
    found = _completed(ours, told)
    decided = Decision.objects.filter(submission__hit__study=kept.study, matter=Decision.Matter.PAYMENT)
    if decided.exclude(at=kept.made_at).exists():
        return replace(found, approved=ours.approved, rejected=ours.rejected)
    return found


Book = tuple[tuple[str, tuple[str, ...]], ...]


def _books(told: Book, ours: Book) -> Book:
    """The report's codes by category, and those that were added here."""
    found = {name: dict.fromkeys(codes) for name, codes in told}
    for name, codes in ours:
        found.setdefault(name, {}).update(dict.fromkeys(codes))
    return tuple((name, tuple(codes)) for name, codes in found.items())


def _codes(given: ReportInput, told: ReportInput) -> tuple[CodeRow, ...]:
    """What the report's coders made of comments that are still there, then what was coded here, by other coders."""
    comments = {(one.text, one.rater, one.question) for one in given.comments}
    kept = [one for one in told.codes if (one.text, one.rater, one.question) in comments]
    taken = {one.coder for one in kept} - {ADJUDICATED}
    own = {one.coder for one in given.codes} - {ADJUDICATED}
    free = iter(f"coder {at}" for at in range(1, 2 + len(taken) + len(own)) if f"coder {at}" not in taken)
    named = {ADJUDICATED: ADJUDICATED} | {coder: next(free) for coder in sorted(own, key=lambda one: (len(one), one))}
    rows = {(one.text, one.rater, one.question, one.coder, one.codebook): one for one in kept}
    for one in given.codes:
        row = replace(one, coder=named[one.coder])
        rows[row.text, row.rater, row.question, row.coder, row.codebook] = row
    return tuple(rows.values())


def _generator(own: GeneratorFacts, told: GeneratorFacts | None) -> GeneratorFacts:
    """Its items as our rows say; those that the report had dropped with their context stay dropped.

    Where a model has read its texts here, what the log-probabilities are is ours to say.
    """
    if told is None:
        return own
    items = _all_completed(own.items, (*told.items, *told.dropped))
    gone = {item.id for item in told.dropped}
    found = replace(
        told,
        items=tuple(item for item in items if item.id not in gone),
        dropped=tuple(item for item in items if item.id in gone),
    )
    if own.log_prob_model is None:
        return found
    return replace(
        found,
        log_prob_model=own.log_prob_model,
        log_prob_decoding=own.log_prob_decoding,
        length_unit=own.length_unit,
    )


def _flags(given: ReportInput, told: ReportInput) -> tuple[FlagFacts, ...] | None:
    """The rules that the report told, with what our rows count; then those that we have applied since."""
    if told.flags is None:
        return given.flags
    ours, of = {one.name: one for one in given.flags or ()}, given.crowd.submitted or 0
    known = [replace(ours.pop(one.name, FlagFacts(one.name, "", 0, of, 0)), rule=one.rule) for one in told.flags]
    return (*known, *ours.values())


def _warnings(given: ReportInput, told: ReportInput) -> tuple[Warn, ...]:
    ours = {one.kind: one for one in given.warnings}
    kept = [ours.get(one.kind) if one.kind in ALIVE else one for one in told.warnings]
    kinds = {one.kind for one in told.warnings}
    return (*(one for one in kept if one), *(one for one in given.warnings if one.kind not in kinds))


def _plan(ours: PlanFacts | None, told: PlanFacts | None) -> PlanFacts | None:
    """One that a log had kept stands as it was kept; what is stated here of deviations comes on top.

    Of one that was stated, what is stated here now counts, and the report says the rest.
    """
    if told is None:
        return ours
    if not told.kept:
        found = _completed(ours or PlanFacts(), told)
        return None if found == PlanFacts() else found
    more = (ours.deviations if ours else None) or ()
    return replace(told, deviations=(*more, *(told.deviations or ()))) if more else told


def _decided_alike(kept: Told, told: ReportInput) -> bool:
    """Whether nobody has decided anything on the analysis since."""
    decided = Decision.objects.filter(submission__hit__study=kept.study, matter=Decision.Matter.ANALYSIS)
    excluded = decided.filter(verdict=Decision.Verdict.EXCLUDE, at=kept.made_at)
    return not decided.exclude(at=kept.made_at).exists() and excluded.count() == (told.crowd.excluded or 0)
