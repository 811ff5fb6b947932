"""Several studies in one report: what it is made of, and how it is computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

from metrics.data.sentence import Sentence, plain, template
from metrics.errors import BadInput
from metrics.figures.huse_scatter import UNITS as UNITS_OF_LENGTH
from metrics.report.comparison import huse, people, rating_scales, reproduction
from metrics.report.comparison.systems import System, studies_share_contexts, systems_of
from metrics.report.pay import for_whom
from metrics.report.prose.findings import state_unrated
from metrics.report.records import ReportInput, Warn
from metrics.report.section import Section
from metrics.report.wording import describe_days, describe_range, join_names, money, plural, quote
from metrics.tables.record import Column, Row, Table

REHEARSAL = template(
    "comparison.rehearsal",
    "{studies} had simulated raters; {their} results do not describe people.",
    "study.mode",
    "study.name",
)
DIFFER = template(
    "comparison.differ",
    "The studies differ in {differing}; this may cause a difference of values.",
    "study.question",
    "crowd.provider",
    "study.task",
)
CURRENCIES = template(
    "comparison.currencies",
    "The studies paid in {currencies}. Nothing is converted or added up across currencies.",
    "money.currency",
)
UNEQUAL_TEXTS = template(
    "comparison.unequal-texts",
    "Generators were judged with {low} to {high} texts, and HUSE depends on that number, too.",
    "generators.items",
)
UNITS = template(
    "comparison.units",
    "Lengths are counted in {units}: log p per unit is not on one scale.",
    "generators.length_unit",
)
SHARED_RATERS = template("comparison.shared-raters", "The same {raters} rated in {studies}.", "ratings.rater")
OTHER_PEOPLE = template(
    "comparison.other-people",
    "Generators of different studies were judged by {raters}: the intervals hold {held}, and nothing else that differs "
    "between the studies, such as the time.",
    "generators.name",
    "ratings.rater",
)
NO_SHARED_CONTEXT = template(
    "comparison.no-shared-context",
    "The studies share no context, so that a difference between generators cannot be separated from a difference "
    "between their texts' contexts{intervals}.",
    "texts.context",
)
SEPARATE_SAMPLES = "; the intervals take the contexts of each study as a sample of its own"
PAIRS = template(
    "comparison.pairs",
    "There are {pairs} pairs, and intervals are not adjusted for their number: one may exclude 0 by chance.",
    "generators.name",
)
NOT_ALIKE = template(
    "comparison.not-alike",
    "A difference whose interval holds 0 does not show that two generators are alike.",
    "generators.name",
)
COMPARED = template("comparison.studies", "We compared {studies}.", "study.name")
HUSE_METHODS = template(
    "comparison.huse",
    "HUSE, HUSE-Q and HUSE-D (Hashimoto et al., 2019; {k} neighbours, exact ties) were computed at {at} for every "
    "generator.",
    "ratings.text",
    "options.k",
)
INTERVALS = template(
    "comparison.intervals",
    "Intervals of differences are at {level:g}%, by half-samples of {units}{across}.",
    "options.level",
    "texts.context",
    "ratings.rater",
)
NO_RESULT = template(
    "comparison.no-result",
    "The studies have no result in common that could be compared. {why}",
    "ratings.criterion",
)
SEE_RESULTS = "The results give the reasons."
NOTHING_SHARED = "No two of them asked the same question of texts of the same generator."
NO_SCORE = (
    "Where two asked the same question of texts of the same generator, they share no score on one scale, and no "
    "preference found in the first study was tested again."
)
OTHERS = "what other raters like these would move"
TEXTS_ALONE = "what other contexts would move, not what other raters would"
SHARED_CONTEXTS = "contexts drawn once for all generators that share them"
STUDY_TEXTS = "each study's texts"
WHO_FOR_WHAT = plain("Who rated, and for what pay.")
WHO = plain("Who rated.")
WITH_INTERVAL = (huse.HIGHER.key, huse.NO_DIFFERENCE.key, people.DIFFERENCE.key, people.LARGEST.key)
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
    def gives_intervals(self) -> bool:
        """Whether a verdict of the summary gives an interval."""
        return any(isinstance(verdict, Sentence) and verdict.key in WITH_INTERVAL for verdict in self.verdicts)

    @property
    def title(self) -> str:
        """`headlines and stories`."""
        return join_names([report_input.study.name for report_input in self.studies])


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
    verdicts = (
        *huse_comparison.verdicts,
        *(line for part in (people_section, repeated) if part for line in part.lead),
    )
    return StudyComparison(
        studies=tuple(studies),
        systems=systems,
        level=level,
        seed=seed,
        k=k,
        sections=sections,
        warnings=(
            *_warnings(studies, systems),
            *_warnings_of_intervals(systems, huse_comparison),
            *rating_scales.warnings(scales),
        ),
        verdicts=verdicts or (_state_no_result(studies, parts),),
        limits=_limits(studies, systems, huse_comparison),
        methods=_methods(studies, systems, huse_comparison, level, k) if systems else (),
        command=command,
    )


def _state_no_result(studies: Sequence[ReportInput], parts: Sequence[Section | None]) -> Sentence:
    if any(part.missing for part in parts if part):
        return NO_RESULT.fill(why=SEE_RESULTS)
    judged = [_judged_sources(report_input) for report_input in studies]
    return NO_RESULT.fill(why=NO_SCORE if any(a & b for a, b in combinations(judged, 2)) else NOTHING_SHARED)


def _judged_sources(report_input: ReportInput) -> set[tuple[str, str]]:
    """Each criterion with each generator of whose texts it was asked."""
    generator = {text.id: text.generator for text in report_input.texts}
    return {
        (rating.criterion, name)
        for rating in report_input.ratings
        if rating.kept
        for text in (rating.text, rating.partner)
        if text is not None and (name := generator[text])
    }


def _silent(step: str, done: int, total: int) -> None:
    """Report no progress."""


def _studies(studies: Sequence[ReportInput]) -> Section:
    """What each study judged; who rated it, and for what pay: in one table they would be wider than a page."""
    judged = (
        Column("study", "Study"),
        Column("task", "Task"),
        Column("mode", "Kind"),
        Column("references", "References", "count"),
        Column("models", "Model texts", "count"),
        Column("ratings_per_text", "Ratings per text", "range"),
        Column("dates", "Collected"),
    )
    rated = (
        Column("study", "Study"),
        Column("raters", "Raters", "count"),
        Column("submitted", "Assignments", "count"),
        Column("excluded", "Excluded", "count"),
        Column("wage", "Wage per hour", "range"),
        Column("provider", "Recruited through"),
    )
    rows = tuple(map(_rated, studies))
    at_wage = next(at for at, column in enumerate(rated) if column.key == "wage")
    title = WHO_FOR_WHAT if any(row[at_wage] is not None for row in rows) else WHO
    tables = (
        Table("studies", plain("What each study judged, and when."), judged, tuple(map(_judged, studies))),
        Table("studies-raters", title, rated, rows),
    )
    return Section("studies", "Studies", (), tables)


def _judged(report_input: ReportInput) -> Row:
    references = sum(text.source == "reference" for text in report_input.texts)
    counts = _ratings_of_texts(report_input)
    spread = describe_range(min(counts), max(counts)) if any(counts) else "not recorded"
    study = report_input.study
    begun, ended = study.collected_from, study.collected_to
    dates = describe_days(begun, ended) if begun and ended else "not recorded"
    return study.name, study.task, study.mode, references, len(report_input.texts) - references, spread, dates


def _ratings_of_texts(report_input: ReportInput) -> list[int]:
    """How many ratings of each text count: as the means of texts say it where there are no single ratings."""
    if not report_input.ratings:
        items = {item.id: item.ratings or 0 for facts in report_input.generators for item in facts.items}
        return list(items.values())
    counts = Counter({text.id: 0 for text in report_input.texts})
    for rating in report_input.ratings:
        if rating.kept:
            counts.update({rating.text, rating.partner or rating.text})
    return list(counts.values())


def _rated(report_input: ReportInput) -> Row:
    crowd, wage = report_input.crowd, report_input.money.wage_cents
    return (
        report_input.study.name,
        crowd.workers if crowd.workers is not None else len({rating.rater for rating in report_input.ratings}) or None,
        crowd.submitted,
        crowd.excluded,
        None if wage is None else f"{money(wage, report_input.money.currency)}{for_whom(report_input)}",
        crowd.provider or "not recorded",
    )


def _warnings(studies: Sequence[ReportInput], systems: Sequence[System]) -> list[Warn]:
    """What makes the studies unlike each other."""
    warns = []
    if simulated := [quote(each.study.name) for each in studies if each.study.mode == "rehearsal"]:
        which = _all(studies).capitalize() if len(simulated) == len(studies) else join_names(simulated)
        warns.append(Warn("rehearsal", REHEARSAL.fill(studies=which, their="their" if len(simulated) > 1 else "its")))
    differ: dict[str, set[object]] = {
        "the question": {report_input.study.question for report_input in studies},
        "where raters came from": {report_input.crowd.provider for report_input in studies},
        "the task": {report_input.study.task for report_input in studies},
    }
    differing = [words for words, values in differ.items() if len(values) > 1]
    if differing:
        warns.append(Warn("studies_differ", DIFFER.fill(differing=", ".join(differing))))
    currencies = sorted({report_input.money.currency for report_input in studies})
    if len(currencies) > 1:
        warns.append(Warn("currencies_differ", CURRENCIES.fill(currencies=join_names(currencies))))
    sizes = sorted({len(system.items) for system in systems})
    if len(sizes) > 1:
        warns.append(Warn("unequal_texts", UNEQUAL_TEXTS.fill(low=sizes[0], high=sizes[-1])))
    units = {unit for system in systems for unit in system.facts.length_unit.split(" and ")}
    if len(units) > 1:
        counted_in = sorted(f"{UNITS_OF_LENGTH.get(unit, unit)}s" for unit in units)
        warns.append(Warn("mixed_length_units", UNITS.fill(units=" and in ".join(counted_in))))
    if both := _in_all(studies):
        raters = "rater" if len(both) == 1 else plural(len(both), "rater")
        warns.append(Warn("shared_raters", SHARED_RATERS.fill(raters=raters, studies=_all(studies))))
    return warns


def _warnings_of_intervals(systems: Sequence[System], compared: huse.HuseComparison) -> list[Warn]:
    """What differences, and their intervals, do not hold."""
    warns = []
    if compared.pairs and len({system.block for system in systems}) > 1 and not studies_share_contexts(systems):
        warns.append(Warn("no_shared_context", _state_no_shared_context(compared)))
    if compared.without_raters:
        warns.append(Warn("interval_without_raters", compared.without_raters))
    return warns


def _all(studies: Sequence[ReportInput]) -> str:
    return "both studies" if len(studies) == 2 else f"all {len(studies)} studies"


def _in_all(studies: Sequence[ReportInput]) -> set[str]:
    """Raters of every study."""
    return set.intersection(*({rating.rater for rating in report_input.ratings} for report_input in studies))


def _raters(studies: Sequence[ReportInput]) -> str:
    """Whether the studies had the same raters, which only single ratings can say."""
    raters = [{rating.rater for rating in report_input.ratings} for report_input in studies]
    unknown = [quote(each.study.name) for each, names in zip(studies, raters, strict=True) if not names]
    if unknown:
        lack = "lacks" if len(unknown) == 1 else "lack"
        return f"raters who may be the same ({join_names(unknown)} {lack} single ratings)"
    if len(set(map(frozenset, raters))) == 1:
        return "the same raters"
    several = sum(map(len, raters)) > len(set().union(*raters))
    return "raters who are the same in part" if several else "different raters"


def _limits(
    studies: Sequence[ReportInput], systems: Sequence[System], compared: huse.HuseComparison
) -> tuple[Sentence, ...]:
    if not compared.pairs:
        return ()
    sentences: list[Sentence] = []
    across = len({system.block for system in systems}) > 1
    if across and compared.has_intervals:
        held = TEXTS_ALONE if compared.without_raters else OTHERS
        sentences.append(OTHER_PEOPLE.fill(raters=_raters(studies), held=held))
    if across and not studies_share_contexts(systems):
        sentences.append(_state_no_shared_context(compared))
    if compared.has_intervals:
        sentences += [PAIRS.fill(pairs=compared.pairs)] if compared.pairs > 1 else []
        sentences.append(NOT_ALIKE.fill())
    return tuple(sentences)


def _state_no_shared_context(compared: huse.HuseComparison) -> Sentence:
    return NO_SHARED_CONTEXT.fill(intervals=SEPARATE_SAMPLES if compared.has_intervals else "")


def _methods(
    studies: Sequence[ReportInput], systems: Sequence[System], compared: huse.HuseComparison, level: float, k: int
) -> tuple[Sentence, ...]:
    ratings = compared.ratings
    drawn = "drawn from each text's ratings" if compared.equalised else "which every text has"
    at = f"{plural(ratings, 'rating')} per text, {drawn}," if ratings else "the ratings as they are"
    raters = "they omit the variation of raters" if compared.without_raters else "they hold the raters' part as well"
    units = SHARED_CONTEXTS if compared.generators_share_contexts else STUDY_TEXTS
    across = f"; across studies {raters}" if len({system.block for system in systems}) > 1 else ""
    intervals = (INTERVALS.fill(level=100 * level, units=units, across=across),) if compared.has_intervals else ()
    return (
        COMPARED.fill(studies=join_names([quote(report_input.study.name) for report_input in studies])),
        HUSE_METHODS.fill(k=k, at=at),
        *intervals,
    )
