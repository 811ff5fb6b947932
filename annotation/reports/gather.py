"""Gather from the database everything that a report is made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from annotation.collecting import counts, ratings
from annotation.design.kinds import is_for_huse
from annotation.exceptions import StateError
from annotation.models import Likelihood, Study, Text
from annotation.quality import thinned_texts
from annotation.quality.methods_text import paragraph
from annotation.reports import draw_facts, exclusion_rules, report_rows, sealed_plan, study_facts, task_plan
from annotation.reports.loaded_report import loaded_report
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
    files, besides those that the study stores. A study that was loaded from a report is what its snapshot says.
    Raises StateError for ratings of typicality without generators, InsufficientData where every submission was excluded
    from the analysis.
    """
    if loaded := loaded_report(study):
        return replace(loaded, command=command, attached=(*loaded.attached, *attached))
    typicality = is_for_huse(study.task)
    sums = ratings.rating_sums(study) if typicality else {}
    crowd = counts.crowd_counts(study)
    # Gold texts check the raters; they are not evaluated.
    texts = list(queries.texts(study).filter(known_label=""))
    generators, warnings = _generators(study, texts, sums, truths or {}) if typicality and sums else ((), [])
    shown = {item.id for generator in generators for item in (*generator.items, *generator.dropped)} or {
        text.key for text in texts
    }
    dropped = {item.id for generator in generators for item in generator.dropped}
    rating_rows = _ratings(study, shown, dropped)
    needed = typicality and all(text.corpus_count is None for text in texts)
    _check(
        study,
        crowd,
        needs_generators=needed,
        generators=bool(generators),
        included=any(rating.kept for rating in rating_rows),
    )
    statements, words = report_rows.statements(study), report_rows.words(study)
    rows, preregistered = report_rows.assignments(study), planned(study)
    return ReportInput(
        study=study_facts.study_facts(study, crowd, words),
        generators=generators,
        texts=tuple(report_rows.text_row(text) for text in texts if text.key in shown),
        ratings=rating_rows,
        money=study_facts.money_facts(study, crowd),
        crowd=study_facts.crowd_facts(study, crowd, statements, words),
        flags=study_facts.flag_facts(study, crowd),
        warnings=(
            *study_facts.running_warnings(study, crowd),
            *warnings,
            *study_facts.crowd_warnings(study, crowd),
            *report_rows.plan_warnings(statements, preregistered),
        ),
        versions=study_facts.versions(),
        commit=report_rows.commit(),
        settings=study_facts.settings(study),
        command=command,
        conditions=report_rows.conditions(study, rows),
        assignments=rows,
        comments=report_rows.comments(study),
        pages=report_rows.pages(study),
        plan=report_rows.plan(study, statements, preregistered, sealed_plan.sealed_facts(study)),
        attached=(*report_rows.attached(study), *attached),
        quality=_quality(study, crowd),
        codes=report_rows.codes(study),
        codebook=report_rows.codebook(study),
        criteria=report_rows.codebook(study, "criteria"),
        unscored=() if typicality and sums else report_rows.unscored(study, texts),
        rules=exclusion_rules.rules(study),
        draw=draw_facts.draw_facts(study, rows),
        task_plan=task_plan.task_plan(study),
        licence=statements.get("licence"),
        language=statements.get("language"),
        statements=tuple((key, statements[key]) for key in STATED if key in statements),
    )


def _quality(study: Study, crowd: counts.CrowdCounts) -> tuple[str, ...] | None:
    """What was done about the quality of the work, in words; None where no check was run (an import as it came)."""
    if study.mode == Study.Mode.IMPORTED and not crowd.excluded:
        return None
    return (paragraph(study_facts.quality_done(study)),)


def _check(
    study: Study, crowd: counts.CrowdCounts, *, needs_generators: bool, generators: bool, included: bool
) -> None:
    if not included and crowd.excluded:
        raise nothing_left("rating", {"excluded from the analysis": crowd.excluded})
    if included and needs_generators and not generators:
        raise StateError(f"The study {study} has no text of a generator, so there is nothing to compare.")


def _generators(
    study: Study, texts: Sequence[Text], sums: Mapping[int, ratings.RatingSum], truths: Mapping[str, Truth]
) -> tuple[tuple[GeneratorFacts, ...], list[Warn]]:
    likelihoods, sideless = queries.likelihoods(study), thinned_texts.without_a_side(study)
    somewhere = {text for known in likelihoods.values() for text in known}
    generators, warnings = [], []
    for generator in study.generators.order_by("pk"):
        mine = likelihoods.get(generator.pk, {})
        generated = [text for text in texts if text.generator_id == generator.pk]
        references = [text for text in texts if text.source == Text.Source.REFERENCE]
        # A reference with a log p under other generators only is not one of this generator's references.
        shared = [text for text in references if text.pk in mine or text.pk not in somewhere]
        if not generated:
            continue
        if len(shared) < len(references):
            warnings.append(_without_log_prob(generator.name, len(references) - len(shared)))
        used = [mine[text.pk] for text in (*shared, *generated) if text.pk in mine]
        units = sorted({likelihood.length_unit for likelihood in used})
        if len(units) > 1:
            counted_in = " and in ".join(units)
            sentence = f"{generator.name}: lengths are counted in {counted_in}, so log p per unit has no common scale."
            warnings.append(Warn("mixed_length_units", sentence))
        items = {text.pk: _item(text, mine.get(text.pk), sums.get(text.pk)) for text in (*shared, *generated)}
        if dropped := items.keys() & sideless:
            warnings.append(_without_a_side(generator.name, len(dropped)))
        generators.append(
            GeneratorFacts(
                name=generator.name,
                items=tuple(item for pk, item in items.items() if pk not in sideless),
                dropped=tuple(item for pk, item in items.items() if pk in sideless),
                decoding=generator.decoding or None,
                log_prob_decoding="; ".join(sorted({likelihood.decoding for likelihood in used if likelihood.decoding}))
                or None,
                length_unit=" and ".join(units) or "whitespace",
                truth=truths.get(generator.name),
                log_prob_model=study_facts.log_prob_model(used),
                generation=report_rows.generation(generated),
            )
        )
    return tuple(generators), warnings


def _without_log_prob(name: str, count: int) -> Warn:
    sentence = f"{name}: {count} references have a log p under other generators only and are excluded from its results."
    return Warn("references_without_log_prob", sentence)


def _without_a_side(name: str, count: int) -> Warn:
    sentence = f"{name}: {count} texts of contexts that lost a side are excluded from its results, on both sides."
    return Warn("contexts_without_a_side", sentence)


def _item(text: Text, likelihood: Likelihood | None, rating_sum: ratings.RatingSum | None) -> Item:
    return Item(
        id=text.key,
        source="reference" if text.source == Text.Source.REFERENCE else "model",
        hj=rating_sum.total / rating_sum.count if rating_sum else None,
        log_prob=likelihood.log_prob if likelihood else None,
        length=likelihood.length if likelihood else max(1, len(text.body.split())),
        context=text.context.key if text.context else None,
        ratings=rating_sum.count if rating_sum else 0,
    )


def _ratings(study: Study, shown: set[str], dropped: set[str]) -> tuple[RatingRow, ...]:
    """dropped: texts whose ratings are excluded from the analysis, for every rater."""
    named = {cell.pk: report_rows.condition_name(cell) for cell in report_rows.cells(study)}
    return tuple(
        RatingRow(
            text=line.text,
            rater=line.rater,
            label=line.label,
            value=study_facts.number(line.code),
            hit=line.hit,
            position=line.position + 1,
            kept=line.included and line.text not in dropped,
            criterion=line.criterion,
            condition=named.get(line.cell, "") if line.cell is not None else "",
            partner=line.partner,
            turned=line.turned,
        )
        for line in ratings.rating_lines(study)
        if line.text in shown
    )
