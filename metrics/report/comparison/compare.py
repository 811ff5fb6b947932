"""Several studies in one report: what it is made of, and how it is computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metrics.data.currency import minor_digits
from metrics.data.sentence import plain
from metrics.errors import BadInput
from metrics.report.comparison import huse, people, rating_scales, reproduction
from metrics.report.comparison.systems import System, systems_of
from metrics.report.prose.findings import state_unrated
from metrics.report.records import ReportInput, Warn
from metrics.report.section import Section
from metrics.report.wording import plural
from metrics.tables.record import Column, Row, Table

Progress = Callable[[str, int, int], None]
MAX_SYSTEMS = 40  # 780 pairs


@dataclass(frozen=True, slots=True)
class StudyComparison:
    """A comparison of studies, ready to be written.

    studies: what each was made from, by its name. systems: each generator of each study. verdicts, limits: sentences of
    the summary. sections: the results. methods: sentences of a methods section. command: what makes it again.
    """

    studies: tuple[ReportInput, ...]
    systems: tuple[System, ...]
    level: float
    seed: int
    k: int
    sections: tuple[Section, ...]
    warnings: tuple[Warn, ...]
    verdicts: tuple[str, ...]
    limits: tuple[str, ...]
    methods: tuple[str, ...]
    command: str | None = None

    @property
    def title(self) -> str:
        """`headlines and stories`."""
        names = [report_input.study.name for report_input in self.studies]
        return f"{', '.join(names[:-1])} and {names[-1]}"


def compare_studies(
    studies: Sequence[ReportInput],
    *,
    level: float = 0.95,
    seed: int = 0,
    k: int = 16,
    command: str | None = None,
    progress: Progress | None = None,
) -> StudyComparison:
    """Compare studies: every generator with every other one at one number of ratings a text, and the evaluators.

    studies: at least two, each with a name of its own; raters are the same person where they have the same name.
    level: of every interval, in (0, 1). seed: of every draw. k: neighbours of HUSE. Raises BadInput.
    """
    names = [report_input.study.name for report_input in studies]
    if len(studies) < 2 or len(set(names)) < len(names):
        raise BadInput("a comparison needs two studies or more, each once", column="studies")
    if bare := [report_input.study.name for report_input in studies if state_unrated(report_input)]:
        raise BadInput(f"no text is rated yet in {', '.join(bare)}", column="studies")
    systems = systems_of(studies)
    if len(systems) > MAX_SYSTEMS:
        raise BadInput(f"a comparison takes at most {MAX_SYSTEMS} generators, not {len(systems)}", column="studies")
    report_progress = progress or _silent
    report_progress("HUSE of every generator", 0, 3)
    scales = rating_scales.relate_scales(studies)
    huse_comparison = huse.compare_huse(systems, scales, k=k, seed=seed, level=level)
    report_progress("evaluators", 1, 3)
    people_section = people.section(studies, level=level)
    report_progress("writing it down", 2, 3)
    repeated = reproduction.section(studies, scales, huse_comparison.values, level=level)
    parts = (huse_comparison.section, people_section, repeated)
    sections = (_studies(studies), *(part for part in parts if part and (part.recorded or part.missing)))
    return StudyComparison(
        studies=tuple(studies),
        systems=systems,
        level=level,
        seed=seed,
        k=k,
        sections=sections,
        warnings=(*_warnings(studies, systems), *rating_scales.warnings(scales)),
        verdicts=(
            *huse_comparison.verdicts,
            *(line for part in (people_section, repeated) if part for line in part.lead),
        ),
        limits=_limits(systems, huse_comparison.pairs),
        methods=_methods(studies, huse_comparison.ratings, level, k) if systems else (),
        command=command,
    )


def _silent(step: str, done: int, total: int) -> None:
    """Report no progress."""


def _studies(studies: Sequence[ReportInput]) -> Section:
    columns = (
        Column("study", "Study"),
        Column("task", "Task"),
        Column("mode", "Kind"),
        Column("references", "References", "count"),
        Column("models", "Model texts", "count"),
        Column("ratings_per_text", "Ratings per text", "range"),
        Column("raters", "Raters", "count"),
        Column("submitted", "Assignments", "count"),
        Column("excluded", "Excluded", "count"),
        Column("provider", "Recruited through"),
        Column("dates", "Collected"),
        Column("wage", "Wage per hour", "number"),
        Column("currency", "Currency"),
    )
    table = Table("studies", plain("The studies."), columns, tuple(_study(report_input) for report_input in studies))
    return Section("studies", "Studies", (), (table,))


def _study(report_input: ReportInput) -> Row:
    references = sum(text.source == "reference" for text in report_input.texts)
    counts: dict[str, int] = {}
    for rating in report_input.ratings:
        if rating.kept:
            counts[rating.text] = counts.get(rating.text, 0) + 1
    low, high = (min(counts.values()), max(counts.values())) if counts else (None, None)
    spread = "not recorded" if low is None else str(low) if low == high else f"{low} to {high}"
    begun, ended = report_input.study.collected_from, report_input.study.collected_to
    wage = report_input.money.wage_cents
    crowd = report_input.crowd
    return (
        report_input.study.name,
        report_input.study.task,
        report_input.study.mode,
        references,
        len(report_input.texts) - references,
        spread,
        crowd.workers if crowd.workers is not None else len({rating.rater for rating in report_input.ratings}) or None,
        crowd.submitted,
        crowd.excluded,
        crowd.provider or "not recorded",
        f"{begun:%Y-%m-%d} to {ended:%Y-%m-%d}" if begun and ended else "not recorded",
        None if wage is None else wage / 10 ** minor_digits(report_input.money.currency),
        report_input.money.currency,
    )


def _warnings(studies: Sequence[ReportInput], systems: Sequence[System]) -> list[Warn]:
    """What makes the studies unlike each other."""
    warns = []
    if any(report_input.study.mode == "rehearsal" for report_input in studies):
        warns.append(Warn("rehearsal", "At least one study had simulated raters; its results do not describe people."))
    differ: dict[str, set[object]] = {
        "the question": {report_input.study.question for report_input in studies},
        "where raters came from": {report_input.crowd.provider for report_input in studies},
        "the task": {report_input.study.task for report_input in studies},
    }
    differing = [words for words, values in differ.items() if len(values) > 1]
    if differing:
        warns.append(
            Warn(
                "studies_differ",
                f"The studies differ in {', '.join(differing)}; this may cause a difference of values.",
            )
        )
    currencies = sorted({report_input.money.currency for report_input in studies})
    if len(currencies) > 1:
        sentence = f"The studies paid in {', '.join(currencies)}. Nothing is converted or added up across currencies."
        warns.append(Warn("currencies_differ", sentence))
    sizes = sorted({len(system.items) for system in systems})
    if len(sizes) > 1:
        sentence = f"Generators were judged with {sizes[0]} to {sizes[-1]} texts, and HUSE depends on that number, too."
        warns.append(Warn("unequal_texts", sentence))
    units = {system.facts.length_unit for system in systems}
    if len(units) > 1:
        sentence = f"Lengths are counted in {' and in '.join(sorted(units))}: log p per unit is not on one scale."
        warns.append(Warn("mixed_length_units", sentence))
    raters = [{rating.rater for rating in report_input.ratings} for report_input in studies]
    both = set.intersection(*raters) if all(raters) else set()
    if both:
        sentence = f"{plural(len(both), 'person', 'people')} rated in all of these studies."
        warns.append(Warn("shared_raters", sentence))
    return warns


def _limits(systems: Sequence[System], pairs: int) -> tuple[str, ...]:
    sentences = []
    blocks = {system.block for system in systems}
    if len(blocks) > 1:
        sentences.append(
            "Generators of different studies were judged by different people at different times: the intervals hold "
            "what other people like these would move, and nothing else that differs between the studies."
        )
        if not _shared(systems):
            sentences.append(
                "The studies share no context, so that a difference between generators cannot be separated from a "
                "difference between their texts' contexts; the intervals are those of independent studies."
            )
    if pairs > 1:
        sentences.append(
            f"There are {pairs} pairs, and intervals are not adjusted for their number: one may exclude 0 by chance."
        )
    if systems:
        sentences.append("A difference whose interval holds 0 does not show that two generators are alike.")
    return tuple(sentences)


def _shared(systems: Sequence[System]) -> bool:
    by_block: dict[str, set[str]] = {}
    for system in systems:
        by_block.setdefault(system.block, set()).update(item.context for item in system.items if item.context)
    seen: set[str] = set()
    for contexts in by_block.values():
        if seen & contexts:
            return True
        seen |= contexts
    return False


def _methods(studies: Sequence[ReportInput], ratings: int | None, level: float, k: int) -> tuple[str, ...]:
    at = f"{ratings} ratings per text, drawn from each text's ratings," if ratings else "the ratings as they are"
    return (
        f"We compared {plural(len(studies), 'study', 'studies')}.",
        f"HUSE, HUSE-Q and HUSE-D (Hashimoto et al., 2019; {k} neighbours, exact ties) were computed at {at} for every "
        "generator.",
        f"Intervals of differences are at {100 * level:g}%, by half-samples of contexts drawn once for all generators "
        "that share them; across studies they hold the raters' part as well.",
    )
