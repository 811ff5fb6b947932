"""Compute a report: what each section finds, and the sentences, pictures and lists around them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from metrics.errors import BadInput
from metrics.report.checklists.completeness import check_completeness
from metrics.report.checklists.computed import list_computed
from metrics.report.checklists.consistency import check_consistency
from metrics.report.checklists.heds import fill_datasheet
from metrics.report.prose import findings, methods, statistics
from metrics.report.prose.warnings import name_missing_sections, warnings
from metrics.report.records import ReportInput
from metrics.report.result import GeneratorReport, Report
from metrics.report.row_records import WhichRaters
from metrics.report.section import Section
from metrics.report.section_kind import Options, SectionKind
from metrics.report.sections import answer, exclusions, items_checks, registry
from metrics.report.sections.source_comparisons import declared_comparison
from metrics.report.snapshot import Snapshot

Progress = Callable[[str, int, int], None]  # what is being done, how many steps are done, of how many


def build_report(
    report_input: ReportInput,
    *,
    level: float = 0.95,
    seed: int = 0,
    k: int = 16,
    raters: WhichRaters = "",
    progress: Progress | None = None,
    kinds: Sequence[SectionKind[Any, Any]] | None = None,
) -> Report:
    """Build the report of a study: every number with its interval, every table and every sentence.

    Args:
        report_input: the study's facts, texts, ratings and other records (`metrics.report.records`).
        level: of every interval, in (0, 1).
        seed: of every draw, at least 0.
        k: neighbours of HUSE, at least 1.
        raters: whom intervals are for where both exist, `new` raters or `these`; "": as declared, else new ones.
        progress: called with the step, how many steps are done, and of how many; None: no calls.
        kinds: the sections of the report, in order; None: all that are installed.

    Returns:
        A `Report` for `write_report`. A generator without log-probabilities has HUSE-Q alone; one with too few texts,
        or whose judged texts are of one source, has a sentence in place of results.

    Raises:
        BadInput: records that contradict each other (an item without its text, an HJ that is not the mean of its
            ratings).
        MetricsError: any other error of `metrics.huse.estimate.evaluate`.

    Source:
        All four papers: Hashimoto et al. (2019), Clark et al. (2021), Laban et al. (2022), Çano and Bojar (2020).

    Example:
        >>> from metrics import build_report
        >>> from metrics.report.records import RatingRow, ReportInput, ScaleLabel, StudyFacts, TextRow
        >>> scale = (ScaleLabel("Poor", 0, ""), ScaleLabel("Good", 1, ""))
        >>> study = StudyFacts("demo", "ratings", "How good is it?", "text", scale, "0 to 1", "imported")
        >>> texts = tuple(TextRow(f"t{i}", "reference", None, f"Text number {i}.") for i in range(2))
        >>> report_input = ReportInput(study, (), texts)
        >>> report = build_report(report_input)
        >>> report.input.study.name, report.level, len(report.generators)
        ('demo', 0.95, 0)
    """
    _check(report_input)
    kinds = registry.installed() if kinds is None else kinds
    facts = {kind.key: kind.gather(report_input) for kind in kinds}
    applying = [kind for kind in kinds if facts[kind.key] is not None]
    steps = _Steps(progress or _silent, sum(kind.steps(facts[kind.key]) for kind in applying))
    whom = raters or declared_comparison(report_input).raters or "new"
    options = Options(level, seed, k, steps.announce, these_raters=whom == "these")
    results = {kind.key: kind.compute(facts[kind.key], options) for kind in applying}
    described = [kind.describe(results[kind.key]) for kind in applying]
    sections = tuple(section for section in described if section.recorded or section.missing or section.measures)
    huse = results.get("huse")
    generators: tuple[GeneratorReport, ...] = huse.generators if huse else ()
    computed = list_computed(sections, [generator.modes["exact"] for generator in generators])
    warned = warnings(report_input, generators)
    rule_effects = results.get(exclusions.KEY)
    unrated = findings.state_unrated(report_input)
    held = exclusions.state_conclusions(rule_effects.parts) if rule_effects else ()
    return Report(
        input=report_input,
        level=level,
        seed=seed,
        k=k,
        new_raters=whom != "these",
        results=results,
        ratings_per_text=_distribution(report_input, generators),
        warnings=warned,
        verdicts=(
            *_leads(sections, answer.KEY),
            *findings.verdicts(generators),
            *(() if unrated else findings.explain_missing_huse(huse.too_little if huse else ())),
            *_leads(sections, "human-or-machine"),
            *_leads(sections, "chosen"),
            *_leads(sections, "labels"),
            *unrated,
            *(findings.state_files(report_input) if unrated else ()),
        ),
        limits=(
            *findings.limits(generators, warned),
            *([findings.CHANCE_LIMIT.fill()] if methods.asks_who_wrote(report_input) else []),
            *findings.wide_margins(report_input),
        ),
        sections=sections,
        checklist=check_completeness(report_input, computed),
        sheet=fill_datasheet(report_input, computed),
        methods=(
            *methods.paragraph(report_input, generators, k=k, level=level, held=held),
            *statistics.sentences(report_input, generators, sections, level=level),
        ),
        items=items_checks.section(report_input),
    )


def report_of(
    snapshot: Snapshot,
    *,
    level: float = 0.95,
    seed: int = 0,
    k: int = 16,
    raters: WhichRaters = "",
    progress: Progress | None = None,
    kinds: Sequence[SectionKind[Any, Any]] | None = None,
) -> Report:
    """The report of a snapshot, and of nothing else; it names the sections that are not installed here.

    Args:
        snapshot: as `metrics.report.snapshot.read_snapshot` gives it.
        level, seed, k, raters, progress, kinds: as in `build_report`.

    Returns:
        A `Report` for `write_report`, with the snapshot's header.

    Raises:
        BadInput: as `build_report`.

    Source:
        None; a report is a pure function of the snapshot and these options.

    Example:
        >>> from datetime import UTC, datetime
        >>> from metrics.report.build import report_of
        >>> from metrics.report.records import ReportInput, StudyFacts
        >>> from metrics.report.snapshot import Header, Snapshot, content_of, sha256_of
        >>> content = content_of(ReportInput(StudyFacts("demo", "ratings", "", "text", (), "", "imported"), (), ()))
        >>> header = Header("demo", 1, datetime(2026, 1, 1, tzinfo=UTC), "ada", "report", sha256_of(content))
        >>> report_of(Snapshot(header, content)).snapshot.number
        1
    """
    kinds = registry.installed() if kinds is None else kinds
    report_input, header = snapshot.report_input, snapshot.header
    del snapshot  # its bytes, where the caller does not keep them: of a million ratings they are 90 MB
    report = build_report(report_input, level=level, seed=seed, k=k, raters=raters, progress=progress, kinds=kinds)
    named = name_missing_sections(header.sections, (kind.key for kind in kinds))
    return replace(report, snapshot=header, warnings=(*named, *report.warnings))


class _Steps:
    """Counts what is done."""

    def __init__(self, progress: Progress, of: int) -> None:
        self._progress, self._of, self._done = progress, of, 0

    def announce(self, step: str) -> None:
        self._progress(step, self._done, self._of)
        self._done += 1


def _leads(sections: Sequence[Section], key: str) -> tuple[str, ...]:
    return tuple(line for section in sections if section.key == key for line in section.lead)


def _silent(step: str, done: int, total: int) -> None:
    """Report no progress."""


def _check(report_input: ReportInput) -> None:
    """The records agree: names once, every item and every rating has its text, no two facts contradict each other."""
    check_consistency(report_input)
    names = [facts.name for facts in report_input.generators]
    if len(set(names)) < len(names):
        raise BadInput("every generator needs a name of its own", column="generators")
    texts = {text.id for text in report_input.texts}
    if len(texts) < len(report_input.texts):
        raise BadInput("every text needs an id of its own", column="texts")
    for facts in report_input.generators:
        for item in facts.items:
            if item.id not in texts:
                raise BadInput("the item has no text of its id", where=f"generator {facts.name}, item {item.id}")
    for rating in report_input.ratings:
        if rating.text not in texts:
            raise BadInput("the rating has no text of its id", where=f"rating of {rating.text} by {rating.rater}")


def _distribution(report_input: ReportInput, generators: Sequence[GeneratorReport]) -> tuple[tuple[int, int], ...]:
    """How many texts have how many ratings."""
    counts = {text.item.id: text.ratings for generator in generators for text in generator.judged}
    if not counts:
        answered = {(rating.text, rating.unit): rating.kept for rating in report_input.ratings}
        rated: Counter[str] = Counter()
        for (text, _), is_included in answered.items():
            rated[text] += is_included
        counts = dict(rated)
    return tuple(sorted(Counter(counts.values()).items()))
