"""The responsible NLP checklist of ACL Rolling Review, filled from the study; the questions are in our words.

What the study cannot know, as of models that the authors trained, is left to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from metrics.report import pay
from metrics.report.checklists.heds import Entry, describe_personal
from metrics.report.records import ReportInput
from metrics.report.wording import plural

Answers = Iterator[tuple[str, str | None]]
STATISTICS = "results.csv lists every estimate with its n, its interval where it has one, and what made it"


def fill_checklist(report_input: ReportInput, limits: Sequence[str]) -> tuple[Entry, ...]:
    """Every question in the order of the form. limits: what cannot be concluded, in sentences."""
    parts = (
        ("A Every submission", _every_submission(report_input, limits)),
        ("B Scientific artifacts", _artifacts(report_input)),
        ("C Computational experiments", _experiments(report_input)),
        ("D Human annotators", _annotators(report_input)),
    )
    return tuple(Entry(part, question, answer or None) for part, entries in parts for question, answer in entries)


def _every_submission(report_input: ReportInput, limits: Sequence[str]) -> Answers:
    yield "A1 Limitations of the work", " ".join(limits)
    yield "A2 Potential risks", report_input.statement("impact")


def _artifacts(report_input: ReportInput) -> Answers:
    yield "B1 Creators of the artifacts that were used", "; ".join(report_input.study.provenance)
    yield "B2 License or terms of the artifacts", report_input.licence
    yield "B3 Use in accordance with what the artifacts are for", None
    yield "B4 Personal or offensive content of the data", f"{describe_personal(report_input, 'Raters')}."
    yield "B5 Languages and domains covered", report_input.language
    counts = Counter(text.generator or "references" for text in report_input.texts)
    yield "B6 Numbers of the data", "; ".join(f"{name}: {plural(count, 'text')}" for name, count in counts.items())


def _experiments(report_input: ReportInput) -> Answers:
    models = [facts.log_prob_model for facts in report_input.generators if facts.log_prob_model]
    yield "C1 Models, sizes and budget", "; ".join(dict.fromkeys(models))
    settings = [f"{facts.name}: {'; '.join(facts.generation)}" for facts in report_input.systems if facts.generation]
    yield "C2 Setup and hyperparameters", "; ".join(settings)
    rated = any(rating.kept for rating in report_input.ratings)
    yield "C3 Statistics of the results", STATISTICS if rated else None
    yield "C4 Packages and their settings", "; ".join(f"{name} {version}" for name, version in report_input.versions)


def _annotators(report_input: ReportInput) -> Answers:
    crowd, study = report_input.crowd, report_input.study
    simulated = "Raters were simulated." if study.mode == "rehearsal" else ""
    yield "D1 Instructions in full", study.instructions
    recruited = "; ".join(filter(None, [simulated.rstrip("."), crowd.provider, *crowd.criteria]))
    paid = pay.sentences(report_input)
    yield "D2 Recruitment and payment", " ".join([*([f"{recruited}."] if recruited else []), *paid])
    yield "D3 Consent", crowd.consent
    yield "D4 Ethics review", crowd.ethics
    people = [report_input.statement("people"), report_input.statement("demographics")]
    yield "D5 Characteristics of the annotators", simulated or "; ".join(filter(None, people))
