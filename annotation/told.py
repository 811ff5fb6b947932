"""A study read back from a report: what the report told and no row of ours holds, kept beside the rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from annotation.models import Decision, ScoreFile, Study, Told, Worker
from metrics.report.codec import decode, encode
from metrics.report.particulars import PlanFacts
from metrics.report.records import FlagFacts, GeneratorFacts, ReportInput, Warn

ALIVE = ("rejected_included",)  # warnings that our own rows decide


def store_told(study: Study, told: ReportInput, workers: Mapping[str, Worker], *, now: datetime) -> None:
    """Keep the facts without the rows; who stood in them by the file's name stands there by the pseudonym."""
    codes = tuple(replace(one, rater=workers[one.rater].pseudonym) for one in told.codes if one.rater in workers)
    document = json.dumps(encode(replace(_bare(told), codes=codes)), ensure_ascii=False, allow_nan=False)
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


def _bare(told: ReportInput) -> ReportInput:
    """Without what stands in rows."""
    generators = tuple(replace(one, items=()) for one in told.generators)
    return replace(told, generators=generators, texts=(), ratings=(), assignments=(), comments=(), attached=())


def as_told(study: Study, given: ReportInput) -> ReportInput:
    """What our rows say, completed by what the report told, where the study was read back from one."""
    kept = Told.objects.filter(study=study).first()
    if kept is None:
        return given
    told: ReportInput = decode(ReportInput, json.loads(kept.document))
    by_name = {one.name: one for one in told.systems}
    dropped = {item.id for one in told.generators for item in one.dropped}
    comments = {(one.text, one.rater, one.question) for one in given.comments}
    origin = (*told.study.provenance, *given.study.provenance)
    crowd = replace(
        told.crowd,
        workers=given.crowd.workers,
        submitted=given.crowd.submitted,
        excluded=given.crowd.excluded,
        consent=given.crowd.consent,
        ethics=given.crowd.ethics,
    )
    return replace(
        given,
        study=replace(told.study, name=given.study.name, provenance=origin),
        generators=tuple(_generator(one, by_name.get(one.name)) for one in given.generators),
        ratings=tuple(replace(one, kept=False) if one.text in dropped else one for one in given.ratings),
        unscored=tuple(_generator(one, by_name.get(one.name)) for one in given.unscored),
        money=told.money,
        crowd=crowd,
        flags=_flags(given, told),
        warnings=_warnings(given, told),
        settings=told.settings,
        pages=told.pages,
        plan=_plan(given.plan, told.plan),
        quality=told.quality if _decided_alike(kept, told) else given.quality,
        codes=tuple(one for one in told.codes if (one.text, one.rater, one.question) in comments),
        codebook=told.codebook,
        criteria=told.criteria,
        rules=told.rules if given.rules is None else given.rules,
    )


def _generator(own: GeneratorFacts, told: GeneratorFacts | None) -> GeneratorFacts:
    """Its items as our rows say; those that the report had dropped with their context stay dropped."""
    if told is None:
        return own
    gone = {item.id for item in told.dropped}
    kept = tuple(item for item in own.items if item.id not in gone)
    return replace(told, items=kept, dropped=tuple(item for item in own.items if item.id in gone))


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
    """One that a log had kept stands as it was kept; what is stated here of deviations comes on top."""
    if told is None or not told.kept:
        return ours
    more = (ours.deviations if ours else None) or ()
    return replace(told, deviations=(*more, *(told.deviations or ()))) if more else told


def _decided_alike(kept: Told, told: ReportInput) -> bool:
    """Whether nobody has decided anything on the analysis since."""
    decided = Decision.objects.filter(submission__hit__study=kept.study, matter=Decision.Matter.ANALYSIS)
    excluded = decided.filter(verdict=Decision.Verdict.EXCLUDE, at=kept.made_at)
    return not decided.exclude(at=kept.made_at).exists() and excluded.count() == (told.crowd.excluded or 0)
