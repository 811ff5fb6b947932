"""Gather from the database everything that a report is made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotation.collecting import counts
from annotation.collecting import ratings as selectors
from annotation.exceptions import StateError
from annotation.importing.imported_report import complete_from_import
from annotation.models import Likelihood, Study, Text
from annotation.quality import thinned_texts
from annotation.quality.methods_text import paragraph
from annotation.reports import exclusion_rules as sensitivity
from annotation.reports import report_rows as particulars
from annotation.reports import study_facts as facts
from annotation.studies.preregistration import planned
from annotation.texts import queries
from metrics.errors import nothing_left
from metrics.report.records import GeneratorFacts, RatingRow, ReportInput, Truth, Warn
from metrics.report.row_records import Attached
from metrics.types import Item

STATED = ("reference", "contact", "input", "people", "criterion", "impact", "demographics")


def score(
    study: Study,
    *,
    truths: Mapping[str, Truth] | None = None,
    command: str | None = None,
    attached: Sequence[Attached] = (),
) -> ReportInput:
    """The study as `metrics.report.build` takes it: texts with exact HJ, ratings, money, crowd and design.

    truths: what a rehearsal knows, by generator. command: what makes this report again. attached: numbers from
    files, beside those that the study keeps.
    Raises StateError for ratings of typicality without generators, InsufficientData where every submission was excluded
    from the analysis.
    """
    typicality = study.task == Study.Task.TYPICALITY
    sums = selectors.rating_sums(study) if typicality else {}
    crowd = counts.crowd_counts(study)
    # Gold texts check the raters; nobody evaluates them.
    texts = list(queries.texts(study).filter(known_label=""))
    generators, warnings = _generators(study, texts, sums, truths or {}) if typicality and sums else ((), [])
    shown = {item.id for one in generators for item in (*one.items, *one.dropped)} or {text.key for text in texts}
    dropped = {item.id for one in generators for item in one.dropped}
    ratings = _ratings(study, shown, dropped)
    needed = typicality and all(text.corpus_count is None for text in texts)
    _check(study, crowd, needs_generators=needed, generators=bool(generators), kept=any(one.kept for one in ratings))
    said, words = particulars.statements(study), particulars.words(study)
    rows, kept = particulars.assignments(study), planned(study)
    given = ReportInput(
        study=facts.study_facts(study, crowd, words),
        generators=generators,
        texts=tuple(particulars.text_row(text) for text in texts if text.key in shown),
        ratings=ratings,
        money=facts.money_facts(study, crowd),
        crowd=facts.crowd_facts(study, crowd, said, words),
        flags=facts.flag_facts(study, crowd),
        warnings=(
            *facts.running_warnings(study, crowd),
            *warnings,
            *facts.crowd_warnings(crowd),
            *particulars.plan_warnings(said, kept),
        ),
        versions=facts.versions(),
        commit=particulars.commit(),
        settings=facts.settings(study),
        command=command,
        conditions=particulars.conditions(study, rows),
        assignments=rows,
        comments=particulars.comments(study),
        pages=particulars.pages(study),
        plan=particulars.plan(study, said, kept),
        attached=(*particulars.attached(study), *attached),
        quality=_quality(study, crowd),
        codes=particulars.codes(study),
        codebook=particulars.codebook(study),
        criteria=particulars.codebook(study, "criteria"),
        unscored=() if typicality and sums else particulars.unscored(study, texts),
        rules=sensitivity.rules(study),
        licence=said.get("licence"),
        language=said.get("language"),
        statements=tuple((key, said[key]) for key in STATED if key in said),
    )
    return complete_from_import(study, given)


def _quality(study: Study, crowd: counts.CrowdCounts) -> tuple[str, ...] | None:
    """What was done about the quality of the work, in words; None where nobody looked (an import as it came)."""
    if study.mode == Study.Mode.IMPORTED and not crowd.excluded:
        return None
    return (paragraph(facts.quality_done(study)),)


def _check(study: Study, crowd: counts.CrowdCounts, *, needs_generators: bool, generators: bool, kept: bool) -> None:
    if not kept and crowd.excluded:
        raise nothing_left("rating", {"excluded from the analysis": crowd.excluded})
    if kept and needs_generators and not generators:
        raise StateError(f"The study {study} has no text of a generator, so there is nothing to compare.")


def _generators(
    study: Study, texts: Sequence[Text], sums: Mapping[int, selectors.RatingSum], truths: Mapping[str, Truth]
) -> tuple[tuple[GeneratorFacts, ...], list[Warn]]:
    likelihoods, sideless = queries.likelihoods(study), thinned_texts.without_a_side(study)
    somewhere = {text for known in likelihoods.values() for text in known}
    found, warnings = [], []
    for generator in study.generators.order_by("pk"):
        mine = likelihoods.get(generator.pk, {})
        own = [text for text in texts if text.generator_id == generator.pk]
        references = [text for text in texts if text.source == Text.Source.REFERENCE]
        # A reference with a log p under other generators only is not one of this generator's references.
        shared = [text for text in references if text.pk in mine or text.pk not in somewhere]
        if not own:
            continue
        if len(shared) < len(references):
            warnings.append(_without_log_prob(generator.name, len(references) - len(shared)))
        used = [mine[text.pk] for text in (*shared, *own) if text.pk in mine]
        units = sorted({one.length_unit for one in used})
        if len(units) > 1:
            sentence = (
                f"{generator.name}: lengths are counted in {' and in '.join(units)}; log p per unit is no one scale."
            )
            warnings.append(Warn("mixed_length_units", sentence))
        items = {text.pk: _item(text, mine.get(text.pk), sums.get(text.pk)) for text in (*shared, *own)}
        if dropped := items.keys() & sideless:
            warnings.append(_without_a_side(generator.name, len(dropped)))
        found.append(
            GeneratorFacts(
                name=generator.name,
                items=tuple(item for pk, item in items.items() if pk not in sideless),
                dropped=tuple(item for pk, item in items.items() if pk in sideless),
                decoding=generator.decoding or None,
                log_prob_decoding="; ".join(sorted({one.decoding for one in used if one.decoding})) or None,
                length_unit=" and ".join(units) or "whitespace",
                truth=truths.get(generator.name),
                log_prob_model=facts.log_prob_model(used),
                generation=particulars.generation(own),
            )
        )
    return tuple(found), warnings


def _without_log_prob(name: str, count: int) -> Warn:
    sentence = f"{name}: {count} references have a log p under other generators only and are left out of its results."
    return Warn("references_without_log_prob", sentence)


def _without_a_side(name: str, count: int) -> Warn:
    sentence = f"{name}: {count} texts of contexts that lost a side are left out of its results, on either side (F27)."
    return Warn("contexts_without_a_side", sentence)


def _item(text: Text, likelihood: Likelihood | None, ratings: selectors.RatingSum | None) -> Item:
    return Item(
        id=text.key,
        source="reference" if text.source == Text.Source.REFERENCE else "model",
        hj=ratings.total / ratings.count if ratings else None,
        log_prob=likelihood.log_prob if likelihood else None,
        length=likelihood.length if likelihood else max(1, len(text.body.split())),
        context=text.context.key if text.context else None,
        ratings=ratings.count if ratings else 0,
    )


def _ratings(study: Study, shown: set[str], dropped: set[str]) -> tuple[RatingRow, ...]:
    """dropped: texts whose ratings are no part of the analysis, whoever gave them."""
    named = {cell.pk: particulars.condition_name(cell) for cell in particulars.cells(study)}
    return tuple(
        RatingRow(
            text=line.text,
            rater=line.rater,
            label=line.label,
            value=facts.number(line.code),
            hit=line.hit,
            position=line.position + 1,
            kept=line.kept and line.text not in dropped,
            criterion=line.criterion,
            condition=named.get(line.cell, "") if line.cell is not None else "",
            partner=line.partner,
        )
        for line in selectors.rating_lines(study)
        if line.text in shown
    )
