"""What a reader must know of the data and of the results: warnings, each bound to the facts that it states."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from metrics.data.sentence import Template, template
from metrics.huse.estimate import FEW_OF_A_SOURCE
from metrics.likelihood import TINY
from metrics.report.prose.findings import state_few, state_unrated, texts_of_both
from metrics.report.records import GeneratorFacts, ReportInput, Warn
from metrics.report.result import GeneratorReport
from metrics.report.sections.machine_scores import uncalibrated
from metrics.report.wording import number, plural
from metrics.types import MODEL, REFERENCE

FEW_RATERS = 10
MEASURES = ("results.huse", "results.huse_q", "results.huse_d")


def _warning(kind: str, words: str, *facts: str) -> Template:
    return template(f"warnings.{kind}", words, *facts)


def _warn(known: Template, **values: object) -> Warn:
    return Warn(known.key.removeprefix("warnings."), known.fill(**values))


MISSING = "missing_section"
MISSING_SECTION = _warning(
    MISSING,
    "The section {key} is missing: the report of this snapshot had it, and the package that adds it is not installed.",
    "snapshot.sections",
)
NO_RATINGS = _warning(
    "no_ratings",
    "There are no ratings yet. The report shows what was planned and recorded so far.",
    "ratings.text",
)
REHEARSAL = _warning(
    "rehearsal", "Raters {were} simulated; results do not describe people.", "study.mode", "ratings.text"
)
LOCALE = _warning(
    "locale",
    "Raters {were} {places} only. Results may not hold for raters elsewhere.",
    "crowd.criteria",
    "study.mode",
    "ratings.text",
)
UNCALIBRATED = _warning(
    "uncalibrated", "Automatic verdicts of {files} rest on thresholds that were not calibrated.", "attached.document"
)
TRIED_OUT = _warning(
    "tiny_model",
    f"The model {TINY} is for trying out; its numbers say nothing about texts: {{uses}}.",
    "generators.log_prob_model",
    "attached.model",
)
SINGLE_DAY = _warning(
    "one_day",
    "All ratings were collected on one day ({day:%A}), and results can vary by day.",
    "study.collected_from",
    "study.collected_to",
    "study.mode",
)
SINGLE_SOURCE_HITS = _warning(
    "one_source_hits",
    "In every HIT with ratings they are of one source only ({hits}), so the source is confounded with the HIT and "
    "with the workers who took it.",
    "ratings.hit",
    "texts.source",
)
SOME_SINGLE_SOURCE_HITS = _warning(
    "some_one_source_hits",
    "{single} of {hits} {hold} ratings of one source only; there source and HIT are confounded.",
    "ratings.hit",
    "texts.source",
)
UNKNOWN_RATERS = _warning(
    "unknown_raters", "For {unknown} of {texts} the number of ratings is not known.", "results.ratings"
)
WITHOUT_RATINGS = _warning(
    "texts_without_ratings", "{none} of {texts} {have} no rating that counts.", "results.ratings"
)
UNEQUAL_RATERS = _warning(
    "unequal_raters",
    "Texts have between {fewest} and {highest} ratings; HUSE depends on that number, so uneven counts can shift it.",
    "results.ratings",
)
FEW_RATINGS = _warning(
    "few_raters",
    f"{{few}} of {{texts}} {{have}} fewer than {FEW_RATERS} ratings; with few ratings HUSE is mostly higher.",
    "results.ratings",
)
DECODING = _warning(
    "decoding_mismatch",
    "{name}: the outputs were decoded by '{decoding}' but the log-probabilities belong to '{log_prob_decoding}'; HUSE "
    "needs the probability under the distribution that was sampled.",
    "generators.decoding",
    "generators.log_prob_decoding",
)
DUPLICATES = _warning(
    "duplicate_contexts",
    "{name}: {contexts} with more than one {noun}; such texts are not independent.",
    "generators.items.context",
)
ZERO_PROBABILITY = _warning(
    "zero_probability", "{name}: {texts} with probability zero under the model.", "generators.items.log_prob"
)
# Flags of an estimate that no other warning words.
FLAGGED = {
    flag: _warning(flag, f"{{name}}: {words}", "results.huse")
    for flag, words in {
        "missing_hj": "texts without any rating left are not in HUSE.",
        "unbalanced": "the two sources have different numbers of texts; HUSE gives both sources the same weight, in "
        "the votes of the neighbours and in the error.",
        "zero_variance_hj": "all texts have the same HJ, so HJ was dropped as a feature.",
        "zero_variance_log_prob": "all texts have the same log p per unit, so log p was dropped as a feature.",
        "no_variance": "no feature varies; HUSE is set to 1 by convention.",
        "disjoint_support": "exactly one source has probability zero, so HUSE is 0 by construction.",
    }.items()
}
ABOVE_UNITY = _warning(
    "above_one",
    "{name}: HUSE is {huse}, above 1: the classifier errs more often than guessing would.{null}",
    "results.huse",
    "results.null",
)
UNDER_THE_NULL = " With the sources of texts exchanged at random it is {mean} on average (SD {sd})."
OUT_OF_RANGE = _warning(
    "out_of_range",
    "{name}: HUSE-D is {huse_d}, outside 0 to 1, as it may be when HUSE and HUSE-Q differ by chance. It is shown as "
    "computed.",
    "results.huse_d",
)
FEW_TEXTS = _warning(
    FEW_OF_A_SOURCE,
    "{name}: {few}; the values and their intervals cannot be relied on.",
    "results.huse_q",
    "options.k",
)
OUTVOTED = _warning(
    "vote_unbalanced",
    "{name}: the original counts the votes of all neighbours alike, so that with {references} and {models} the larger "
    "source outvotes the other ({values}, exact and original). The exact values are the ones to report.",
    *MEASURES,
)
MODES_DIFFER = _warning(
    "modes_differ",
    "{name}: exact ties and the original's floating-point ties give different results ({values}). The exact values are "
    "the ones to report.",
    *MEASURES,
)


def warnings(report_input: ReportInput, generators: Sequence[GeneratorReport]) -> tuple[Warn, ...]:
    """The caller's warnings, then those that the data give; a kind and sentence is said once."""
    warns = [
        *report_input.warnings,
        *_of_study(report_input),
        *_of_hits(report_input),
        *_of_raters(report_input, generators),
    ]
    for generator in generators:
        warns += [*_of_items(generator.facts), *_of_results(generator)]
    return tuple(dict.fromkeys(warns))


def name_missing_sections(expected: Iterable[str], installed: Iterable[str]) -> tuple[Warn, ...]:
    """A warning for each section that is expected and not installed."""
    known = set(installed)
    return tuple(_warn(MISSING_SECTION, key=key) for key in expected if key not in known)


def _of_study(report_input: ReportInput) -> Iterator[Warn]:
    study, were = report_input.study, "were" if report_input.is_rated else "are"
    # Of files alone, as those of an h-score, nothing was planned to be rated.
    if state_unrated(report_input) and (report_input.texts or not report_input.attached):
        yield _warn(NO_RATINGS)
    if study.mode == "rehearsal":
        yield _warn(REHEARSAL, were=were)
    places = [rule for rule in report_input.crowd.criteria if rule.startswith("located in")]
    if places and study.mode != "rehearsal":
        yield _warn(LOCALE, were=were, places=" and ".join(places))
    if loose := [file.name for file in report_input.attached if uncalibrated(file)]:
        yield _warn(UNCALIBRATED, files=", ".join(loose))
    if tried := [*_tried_out(report_input)]:
        yield _warn(TRIED_OUT, uses="; ".join(tried))
    first, last = study.collected_from, study.collected_to
    if study.mode != "rehearsal" and first and last and first.date() == last.date():
        yield _warn(SINGLE_DAY, day=first)


def _tried_out(report_input: ReportInput) -> Iterator[str]:
    """What rests on Assay's own small model."""
    for generator in report_input.generators:
        if f"{TINY}, " in (generator.log_prob_model or ""):
            yield f"log-probabilities, and so HUSE and HUSE-D, of {generator.name}"
    for file in report_input.attached:
        models = file.document.get("models") or ()
        names = [str(model.get("model")) for model in models if isinstance(model, Mapping)]
        if TINY in (file.model, *names):
            yield file.name


def _of_hits(report_input: ReportInput) -> Iterator[Warn]:
    """Homogeneous HITs confound the source with the HIT and its workers; a pair is compared within its HIT."""
    if report_input.in_pairs:
        return
    source = {text.id: text.source for text in report_input.texts}
    by_hit: defaultdict[str, set[str]] = defaultdict(set)
    for rating in report_input.ratings:
        if rating.hit is not None and rating.text in source:
            by_hit[rating.hit].add(source[rating.text])
    single = sum(len(sources) == 1 for sources in by_hit.values())
    if by_hit and single == len(by_hit):
        yield _warn(SINGLE_SOURCE_HITS, hits=plural(single, "HIT"))
    elif single:
        yield _warn(
            SOME_SINGLE_SOURCE_HITS,
            single=single,
            hits=plural(len(by_hit), "HIT"),
            hold="holds" if single == 1 else "hold",
        )


def _of_raters(report_input: ReportInput, generators: Sequence[GeneratorReport]) -> Iterator[Warn]:
    """Where ratings are recorded, a text without any has none that counts; elsewhere their number is unknown."""
    texts_of = {judged.item.id: judged for generator in generators for judged in generator.judged}
    counts = {name: judged.ratings for name, judged in texts_of.items()}
    empty = [judged for judged in texts_of.values() if not judged.ratings]
    unknown = sum(judged.hj is not None or not report_input.ratings for judged in empty)
    known = sorted(count for count in counts.values() if count)
    texts = plural(len(counts), "text")
    if unknown:
        yield _warn(UNKNOWN_RATERS, unknown=unknown, texts=texts)
    if none := len(empty) - unknown:
        yield _warn(WITHOUT_RATINGS, none=none, texts=texts, have="has" if none == 1 else "have")
    if known and known[0] != known[-1]:
        yield _warn(UNEQUAL_RATERS, fewest=known[0], highest=known[-1])
    if known and known[0] < FEW_RATERS:
        few = sum(count < FEW_RATERS for count in known)
        yield _warn(FEW_RATINGS, few=few, texts=texts, have="has" if few == 1 else "have")


def _of_items(facts: GeneratorFacts) -> Iterator[Warn]:
    if facts.decoding and facts.log_prob_decoding and facts.decoding != facts.log_prob_decoding:
        yield _warn(DECODING, name=facts.name, decoding=facts.decoding, log_prob_decoding=facts.log_prob_decoding)
    for source, noun in ((REFERENCE, "reference"), (MODEL, "model text")):
        counts = Counter(item.context for item in facts.items if item.source == source and item.context is not None)
        if twice := sum(count > 1 for count in counts.values()):
            yield _warn(DUPLICATES, name=facts.name, contexts=plural(twice, "context"), noun=noun)
    if endless := sum(item.log_prob == float("-inf") for item in facts.items):
        yield _warn(ZERO_PROBABILITY, name=facts.name, texts=plural(endless, "text"))


def _of_results(generator: GeneratorReport) -> Iterator[Warn]:
    name, exact, paper = generator.facts.name, generator.modes["exact"], generator.modes["paper"]
    for flag in exact.huse.flags:
        if flag in FLAGGED:
            yield _warn(FLAGGED[flag], name=name)
    if exact.huse.value is not None and exact.huse.value > 1:
        mean, sd = (generator.null.null_mean, generator.null.null_sd) if generator.null else (None, None)
        null = "" if mean is None else UNDER_THE_NULL.format(mean=number(mean), sd=number(sd, 3))
        yield _warn(ABOVE_UNITY, name=name, huse=number(exact.huse.value), null=null)
    if exact.huse_d.value is not None and not 0 <= exact.huse_d.value <= 1:
        yield _warn(OUT_OF_RANGE, name=name, huse_d=number(exact.huse_d.value))
    if FEW_OF_A_SOURCE in exact.huse_q.flags:
        yield _warn(FEW_TEXTS, name=name, few=state_few(generator))
    if generator.differs:
        values = ", ".join(
            f"{title} {number(getattr(exact, key).value)} and {number(getattr(paper, key).value)}"
            for key, title in (("huse", "HUSE"), ("huse_q", "HUSE-Q"), ("huse_d", "HUSE-D"))
        )
        if "vote_unbalanced" in paper.huse_q.flags:
            references, models = texts_of_both(generator)
            both = {"references": plural(references, "reference"), "models": plural(models, "model text")}
            yield _warn(OUTVOTED, name=name, values=values, **both)
            return
        yield _warn(MODES_DIFFER, name=name, values=values)
