"""Sentences that the page itself states next to its sections: what was judged, what is recorded, what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metrics.data.sentence import Sentence, template
from metrics.report.checklists.completeness import ChecklistItem, completeness_score
from metrics.report.checklists.heds import Entry, count_answered
from metrics.report.checklists.missing import list_missing
from metrics.report.prose.findings import state_unrated
from metrics.report.records import ReportInput, Warn
from metrics.report.result import GeneratorReport, Report
from metrics.report.wording import plural
from metrics.types import REFERENCE

LEAD = template(
    "page.lead",
    "{texts}{by}{question}",
    "texts.source",
    "results.generators",
    "crowd.workers",
    "study.question",
    "ratings.text",
    "ratings.kept",
)
DATASHEET = template(
    "page.datasheet",
    "After HEDS 3.0 (Belz and Thomson, 2025), in our words: {answered} are answered from the study{others}.",
    "crowd.ethics",
)
COMPLETENESS = template(
    "page.completeness",
    "What reviewers ask of a human evaluation (van der Lee et al., 2019; Karpinska et al., 2021): {recorded} recorded.",
    "crowd.criteria",
    "study.scale",
)
MISSING = template(
    "page.missing",
    "{facts} that only a person can state. Once they are entered under Study details, a new report prints them.",
    "crowd.ethics",
)
SINGLE_CONDITION = template("page.one-condition", "One condition for everybody.", "conditions.name", "assignments")
NO_WARNING = template("page.no-warning", "No warning was raised by the data.", "study.mode")


def page_sentences(report: Report) -> dict[str, Sentence]:
    """The page's own sentences by the name that its templates give them."""
    return {
        sentence.key.partition(".")[2].replace("-", "_"): sentence
        for sentence in list_sentences(report.input, report.generators, report.warnings, report.checklist, report.sheet)
    }


def list_sentences(
    report_input: ReportInput,
    generators: Sequence[GeneratorReport],
    warnings: Sequence[Warn],
    checklist: tuple[ChecklistItem, ...],
    sheet: tuple[Entry, ...],
) -> Iterator[Sentence]:
    """Each that applies."""
    yield _lead(report_input, generators)
    open_questions = sum(entry.answer is None for entry in sheet)
    others = f", which does not answer the other {open_questions}" if open_questions else ""
    yield DATASHEET.fill(answered=count_answered(sheet), others=others)
    yield COMPLETENESS.fill(recorded=completeness_score(checklist))
    if missing := list_missing(report_input):
        yield MISSING.fill(facts=plural(len(missing), "fact"))
    if report_input.has_single_condition:
        yield SINGLE_CONDITION.fill()
    if not warnings:
        yield NO_WARNING.fill()


def _lead(report_input: ReportInput, generators: Sequence[GeneratorReport]) -> Sentence:
    """What was judged against what, by how many, and what they were asked."""
    if not report_input.texts and not generators:
        return LEAD.fill(texts="No text is recorded", by="", question=".")
    by = ", not judged yet" if state_unrated(report_input) else ""
    if raters := report_input.raters:
        by = f", judged by {plural(raters, 'rater')}{report_input.share_of_raters}"
    question, is_rated = report_input.study.question, report_input.is_rated
    ending = f", asked: “{question}”" if is_rated else f"; raters are asked: “{question}”"
    if question in ("", "not recorded"):
        ending = f"; the question they {'were' if is_rated else 'are'} asked is not known."
    return LEAD.fill(texts=_texts(report_input, generators), by=by, question=ending)


def _texts(report_input: ReportInput, generators: Sequence[GeneratorReport]) -> str:
    if generators:
        rated = {
            judged.item.id
            for generator in generators
            for judged in generator.judged
            if judged.item.source == REFERENCE and judged.hj is not None
        }
        return f"{plural(len(generators), 'generator')} against {plural(len(rated), 'reference')}"
    references = sum(text.source == REFERENCE for text in report_input.texts)
    models = plural(len(report_input.texts) - references, "model text")
    return f"{models} and {plural(references, 'reference')}" if references else models
