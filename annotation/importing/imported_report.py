"""An imported report: the fields that no database row stores are kept as a document and completed from it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, replace
from datetime import datetime
from typing import Any, TypeVar

from annotation.models import Decision, ImportedReport, ScoreFile, Study, Worker
from metrics.report.record_codec import decode, encode
from metrics.report.records import CrowdFacts, FlagFacts, GeneratorFacts, RatingRow, ReportInput, TextRow, Warn
from metrics.report.row_records import AssignmentRow, Attached, CodeRow, CommentRow, ConditionFacts, PlanFacts
from metrics.types import Item

R = TypeVar("R")
LOCAL_WARNINGS = ("rejected_included",)  # warnings that the database rows decide
ADJUDICATED = "adjudicated"
TABLES = ("texts", "ratings", "assignments", "comments", "attached")  # of which rows store every record

# The fields of each record that rows store in full: there the rows alone count. Every other field, a later one too,
# comes from the report where the report has a value. (Of the study, its money, settings and pages the report's
# blanks count too; otherwise what the import filled in would appear as the study's.)
STORED_FIELDS: dict[type, frozenset[str]] = {
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
# The fields by which a local record and one of the report are the same.
IDENTITY: dict[type, tuple[str, ...]] = {
    TextRow: ("id",),
    Item: ("id",),
    RatingRow: ("hit", "rater", "text", "criterion", "label"),
    AssignmentRow: ("hit", "rater"),
    CommentRow: ("text", "rater", "question"),
    Attached: ("sha256",),
    ConditionFacts: ("name",),
}


def store_imported_report(study: Study, report: ReportInput, workers: Mapping[str, Worker], *, now: datetime) -> None:
    """Store what no row holds, with pseudonyms in place of the file's names of raters, and the attached files."""
    bare = _without_rows(_with_pseudonyms(report, {name: worker.pseudonym for name, worker in workers.items()}))
    document = json.dumps(encode(bare), ensure_ascii=False, allow_nan=False)
    ImportedReport.objects.create(study=study, document=document, made_at=now)
    files = {file.sha256: file for file in report.attached}
    ScoreFile.objects.bulk_create(
        ScoreFile(
            study=study,
            kind=file.kind,
            name=file.name[-200:],
            sha256=file.sha256,
            document=json.dumps(file.document, ensure_ascii=False),
            model=file.model,
            version=file.version,
            actor=file.actor,
            attached_at=file.attached_at,
        )
        for file in files.values()
    )


def _with_pseudonyms(report: ReportInput, names: Mapping[str, str]) -> ReportInput:
    """With pseudonyms for raters, and without what belongs to a rater whom no row knows."""
    changes: dict[str, Any] = {}
    for field in fields(report):
        rows = getattr(report, field.name)
        if isinstance(rows, tuple) and rows and hasattr(rows[0], "rater"):
            changes[field.name] = tuple(replace(row, rater=names[row.rater]) for row in rows if row.rater in names)
    return replace(report, **changes)


def _without_rows(report: ReportInput) -> ReportInput:
    """Return the report without its rows, but for records with a field that no row stores."""
    generators = tuple(replace(generator, items=_with_extra_fields(generator.items)) for generator in report.generators)
    tables: dict[str, Any] = {name: _with_extra_fields(getattr(report, name)) for name in TABLES}
    return replace(report, generators=generators, **tables)


def _with_extra_fields(rows: tuple[R, ...]) -> tuple[R, ...]:
    """Return the records with a value that no row stores."""
    if not rows:
        return ()
    others = [field for field in fields(rows[0]) if field.name not in STORED_FIELDS[type(rows[0])]]  # type: ignore[arg-type]
    return tuple(row for row in rows if any(getattr(row, field.name) != _default_of(field) for field in others))


def _default_of(field: Field[Any]) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _complete(local: R, imported: R) -> R:
    """Return the local record with the values of the report that no row stores."""
    held, changes = STORED_FIELDS[type(local)], {}
    for field in fields(local):  # type: ignore[arg-type]
        value = getattr(imported, field.name)
        if field.name not in held and value != _default_of(field):
            changes[field.name] = value
    return replace(local, **changes) if changes else local  # type: ignore[type-var]


def _complete_all(local: tuple[R, ...], imported: Iterable[R]) -> tuple[R, ...]:
    """Complete each local record by the same record of the report."""

    def key(row: Any) -> tuple[Any, ...]:
        return tuple(getattr(row, name) for name in IDENTITY[type(row)])

    known = {key(row): row for row in imported}
    return tuple(_complete(row, known[key(row)]) if key(row) in known else row for row in local) if known else local


def complete_from_import(study: Study, local: ReportInput) -> ReportInput:
    """Return the local report, completed by the imported report where the study has one."""
    stored = ImportedReport.objects.filter(study=study).first()
    if stored is None:
        return local
    imported: ReportInput = decode(ReportInput, json.loads(stored.document))
    by_name = {system.name: system for system in imported.systems}
    dropped = {item.id for generator in imported.generators for item in generator.dropped}
    rows: dict[str, Any] = {name: _complete_all(getattr(local, name), getattr(imported, name)) for name in TABLES}
    rows["ratings"] = tuple(
        replace(rating, kept=False) if rating.text in dropped else rating for rating in rows["ratings"]
    )
    return replace(
        _complete(local, imported),
        **rows,
        study=replace(
            imported.study, name=local.study.name, provenance=(*imported.study.provenance, *local.study.provenance)
        ),
        generators=tuple(_merge_generator(generator, by_name.get(generator.name)) for generator in local.generators),
        conditions=_complete_all(local.conditions, imported.conditions),
        unscored=tuple(_merge_generator(generator, by_name.get(generator.name)) for generator in local.unscored),
        money=imported.money,
        settings=imported.settings,
        pages=imported.pages,
        crowd=_merge_crowd(stored, local.crowd, imported.crowd),
        flags=_merge_flags(local, imported),
        warnings=_merge_warnings(local, imported),
        plan=_merge_plan(local.plan, imported.plan),
        quality=imported.quality if _has_imported_exclusions(stored, imported) else local.quality,
        codes=_merge_codes(local, imported),
        codebook=_merge_books(imported.codebook, local.codebook),
        criteria=_merge_books(imported.criteria, local.criteria),
        rules=imported.rules if local.rules is None else local.rules,
    )


def _merge_crowd(stored: ImportedReport, local: CrowdFacts, imported: CrowdFacts) -> CrowdFacts:
    """Return the counts of the rows; payment counts, too, once it was decided after the import."""
    merged = _complete(local, imported)
    decided = Decision.objects.filter(submission__hit__study=stored.study, matter=Decision.Matter.PAYMENT)
    if decided.exclude(at=stored.made_at).exists():
        return replace(merged, approved=local.approved, rejected=local.rejected)
    return merged


Book = tuple[tuple[str, tuple[str, ...]], ...]


def _merge_books(imported: Book, local: Book) -> Book:
    """Return the report's codes by category, and those added after the import."""
    merged = {name: dict.fromkeys(codes) for name, codes in imported}
    for name, codes in local:
        merged.setdefault(name, {}).update(dict.fromkeys(codes))
    return tuple((name, tuple(codes)) for name, codes in merged.items())


def _merge_codes(local: ReportInput, imported: ReportInput) -> tuple[CodeRow, ...]:
    """What the report's coders made of comments that are still there, then what was coded here, by other coders."""
    comments = {(comment.text, comment.rater, comment.question) for comment in local.comments}
    known = [code for code in imported.codes if (code.text, code.rater, code.question) in comments]
    imported_coders = {code.coder for code in known} - {ADJUDICATED}
    local_coders = {code.coder for code in local.codes} - {ADJUDICATED}
    free = iter(
        f"coder {at}"
        for at in range(1, 2 + len(imported_coders) + len(local_coders))
        if f"coder {at}" not in imported_coders
    )
    named = {ADJUDICATED: ADJUDICATED} | {
        coder: next(free) for coder in sorted(local_coders, key=lambda coder: (len(coder), coder))
    }
    rows = {(code.text, code.rater, code.question, code.coder, code.codebook): code for code in known}
    for code in local.codes:
        row = replace(code, coder=named[code.coder])
        rows[row.text, row.rater, row.question, row.coder, row.codebook] = row
    return tuple(rows.values())


def _merge_generator(local: GeneratorFacts, imported: GeneratorFacts | None) -> GeneratorFacts:
    """Return the generator with the items of the rows; items that the report dropped stay dropped.

    Where a model scored its texts after the import, the local facts of the log-probabilities count.
    """
    if imported is None:
        return local
    items = _complete_all(local.items, (*imported.items, *imported.dropped))
    dropped = {item.id for item in imported.dropped}
    merged = replace(
        imported,
        items=tuple(item for item in items if item.id not in dropped),
        dropped=tuple(item for item in items if item.id in dropped),
    )
    if local.log_prob_model is None:
        return merged
    return replace(
        merged,
        log_prob_model=local.log_prob_model,
        log_prob_decoding=local.log_prob_decoding,
        length_unit=local.length_unit,
    )


def _merge_flags(local: ReportInput, imported: ReportInput) -> tuple[FlagFacts, ...] | None:
    """Return the rules of the report with the counts of the rows, then the rules applied after the import."""
    if imported.flags is None:
        return local.flags
    local_flags, of = {flag.name: flag for flag in local.flags or ()}, local.crowd.submitted or 0
    known = [
        replace(local_flags.pop(flag.name, FlagFacts(flag.name, "", 0, of, 0)), rule=flag.rule)
        for flag in imported.flags
    ]
    return (*known, *local_flags.values())


def _merge_warnings(local: ReportInput, imported: ReportInput) -> tuple[Warn, ...]:
    local_warnings = {warning.kind: warning for warning in local.warnings}
    merged = [
        local_warnings.get(warning.kind) if warning.kind in LOCAL_WARNINGS else warning for warning in imported.warnings
    ]
    kinds = {warning.kind for warning in imported.warnings}
    return (
        *(warning for warning in merged if warning),
        *(warning for warning in local.warnings if warning.kind not in kinds),
    )


def _merge_plan(local: PlanFacts | None, imported: PlanFacts | None) -> PlanFacts | None:
    """Return the plan. One from a log stays as it was; deviations added after the import come first.

    Of a plan from study details, the local details count, and the report gives the rest.
    """
    if imported is None:
        return local
    if not imported.is_logged:
        merged = _complete(local or PlanFacts(), imported)
        return None if merged == PlanFacts() else merged
    more = (local.deviations if local else None) or ()
    return replace(imported, deviations=(*more, *(imported.deviations or ()))) if more else imported


def _has_imported_exclusions(stored: ImportedReport, imported: ReportInput) -> bool:
    """Whether the decisions on the analysis are still those of the import."""
    decided = Decision.objects.filter(submission__hit__study=stored.study, matter=Decision.Matter.ANALYSIS)
    excluded = decided.filter(verdict=Decision.Verdict.EXCLUDE, at=stored.made_at)
    return not decided.exclude(at=stored.made_at).exists() and excluded.count() == (imported.crowd.excluded or 0)
