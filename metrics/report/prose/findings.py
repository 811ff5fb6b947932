"""Sentences that follow from the data: warnings, the verdict, and what cannot be concluded."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from metrics.huse.estimate import FEW_OF_A_SOURCE
from metrics.likelihood import TINY
from metrics.report.records import GeneratorFacts, ReportInput, Warn
from metrics.report.result import GeneratorReport
from metrics.report.sections.machine_scores import uncalibrated
from metrics.report.sentence import Sentence, template
from metrics.report.wording import estimate, number, plural
from metrics.types import MODEL, REFERENCE

FEW_RATERS = 10
# Flags of an estimate that no other warning words.
FLAGGED = {
    "missing_hj": "texts without any rating left are not in HUSE.",
    "drop_pair": "contexts with a text without log-probability are not in HUSE, on either side.",
    "unbalanced": "the two sources have different numbers of texts; HUSE gives both sources the same weight, in the "
    "votes of the neighbours and in the error.",
    "zero_variance_hj": "all texts have the same HJ, so HJ was dropped as a feature.",
    "zero_variance_log_prob": "all texts have the same log p per unit, so log p was dropped as a feature.",
    "no_variance": "no feature varies; HUSE is set to 1 by convention.",
    "disjoint_support": "exactly one source has probability zero, so HUSE is 0 by construction.",
}

UNRATED = template("summary.unrated", "No text has been rated yet, so there are no results.", "ratings.text")
HUSE_LIMIT = template(
    "limits.huse",
    "A HUSE below 1 shows a difference between the two sources. A HUSE near 1 does not prove that there is none: "
    "other features or more raters might still distinguish them.",
    "results.generators",
)
CHANCE_LIMIT = template(
    "limits.chance",
    "An accuracy that does not differ from 50% beyond chance does not show that the texts are indistinguishable: only "
    "an interval inside a margin that was declared before the data supports that.",
    "ratings.criterion",
)
RATINGS_LIMIT = template(
    "limits.ratings",
    "HUSE depends on the number of ratings. These values belong to {ratings} per text and cannot be compared with "
    "values from another number.",
    "results.ratings",
)
HOMOGENEOUS_LIMIT = template(
    "limits.one-source",
    "Since each HIT held one source, a difference between sources cannot be separated from a difference between HITs "
    "or between the workers who took them. Where the two sources were rated by different workers, the intervals "
    "include the variation between workers (docs/huse-interval.md). The value itself still belongs to both, source and "
    "HIT.",
    "ratings.hit",
    "texts.source",
)
SHARED_LIMIT = template(
    "limits.shared-references",
    "The generators share their references, so their intervals are not independent: whether two intervals overlap "
    "does not decide which generator is better.",
    "results.generators",
)
NO_HUSE = template("summary.no-huse", "{name}: no HUSE can be computed. {why}", "results.huse")
QUALITY_ONLY = template(
    "summary.quality-only",
    "{name}: HUSE needs log-probabilities. By judgment alone HUSE-Q is {quality}.",
    "results.huse_q",
)
UNDEFINED = template("summary.undefined", "{name}: HUSE is not defined for these data.", "results.huse")
BY_MEASURE = " By judgment alone HUSE-Q is {quality}; for diversity HUSE-D is {diversity}."
ALL_MEASURES = ("results.huse", "results.huse_q", "results.huse_d")
FEW = template(
    "summary.few", "{name}: {shown}; {few}, so no verdict is given." + BY_MEASURE, *ALL_MEASURES, "options.k"
)
NO_INTERVAL = template(
    "summary.no-interval",
    "{name}: {shown}; no interval is defined, so no verdict is given." + BY_MEASURE,
    *ALL_MEASURES,
)
DIFFERS = template(
    "summary.differs",
    "{name} differs from the references: {shown}; the interval lies below 1." + BY_MEASURE,
    *ALL_MEASURES,
)
ALIKE = template(
    "summary.no-difference",
    "No difference between {name} and the references was detected: {shown}; the interval reaches 1." + BY_MEASURE,
    *ALL_MEASURES,
)


def warnings(report_input: ReportInput, generators: Sequence[GeneratorReport]) -> tuple[Warn, ...]:
    """The caller's warnings, then those that the data give; a kind and sentence is said once."""
    warns = [*report_input.warnings, *_of_study(report_input), *_of_hits(report_input), *_of_raters(generators)]
    for generator in generators:
        warns += [*_of_items(generator.facts), *_of_results(generator)]
    return tuple(dict.fromkeys(warns))


def verdicts(generators: Sequence[GeneratorReport]) -> tuple[Sentence, ...]:
    """For each generator, what its HUSE says, with the interval."""
    return tuple(_verdict(generator) for generator in generators)


def explain_missing_huse(too_little: Sequence[tuple[str, str]]) -> tuple[Sentence, ...]:
    """For each generator that has no HUSE, why."""
    return tuple(NO_HUSE.fill(name=name, why=why) for name, why in too_little)


def state_unrated(report_input: ReportInput) -> tuple[Sentence, ...]:
    """Return the sentence that no text is rated yet; nothing otherwise."""
    rated = report_input.ratings or any(
        item.hj is not None for facts in report_input.generators for item in facts.items
    )
    return () if rated else (UNRATED.fill(),)


def limits(generators: Sequence[GeneratorReport], warned: Sequence[Warn]) -> tuple[Sentence, ...]:
    """What cannot be concluded from these results."""
    raters = sorted({judged.ratings for generator in generators for judged in generator.judged if judged.ratings})
    sentences = [HUSE_LIMIT.fill()] if generators else []
    if raters:
        shown = plural(raters[0], "rating") if len(raters) == 1 else f"{raters[0]} to {raters[-1]} ratings"
        sentences.append(RATINGS_LIMIT.fill(ratings=shown))
    if any(warn.kind == "one_source_hits" for warn in warned):
        sentences.append(HOMOGENEOUS_LIMIT.fill())
    if len(generators) > 1:
        sentences.append(SHARED_LIMIT.fill())
    return tuple(sentences)


def _verdict(generator: GeneratorReport) -> Sentence:
    result, name = generator.modes["exact"], generator.facts.name
    huse = result.huse
    if huse.value is None and result.huse_q.value is not None:
        return QUALITY_ONLY.fill(name=name, quality=estimate(result.huse_q))
    if huse.value is None:
        return UNDEFINED.fill(name=name)
    values = {
        "name": name,
        "shown": f"HUSE {estimate(huse)} at {plural(huse.n, 'text')}",
        "quality": estimate(result.huse_q),
        "diversity": estimate(result.huse_d),
    }
    if FEW_OF_A_SOURCE in huse.flags:
        return FEW.fill(few=_few(generator), **values)
    if huse.interval is None:
        return NO_INTERVAL.fill(**values)
    return (DIFFERS if huse.interval.high < 1 else ALIKE).fill(**values)


def _few(generator: GeneratorReport) -> str:
    """That one source has too few texts; it has, see `metrics.huse.estimate`."""
    k = generator.modes["exact"].huse.settings.get("k")
    references, models = _texts_of_both(generator)
    few = plural(references, "reference") if references < models else plural(models, "model text")
    verb = "is" if min(references, models) == 1 else "are"
    return f"{few} {verb} too few for {k} neighbours"


def _outvoted(generator: GeneratorReport, values: str) -> Warn:
    """That the original's vote is not for sources of different size. values: exact and original."""
    references, models = _texts_of_both(generator)
    return Warn(
        "vote_unbalanced",
        f"{generator.facts.name}: the original counts the votes of all neighbours alike, so that with "
        f"{plural(references, 'reference')} and {plural(models, 'model text')} the larger source outvotes the other "
        f"({values}, exact and original). The exact values are the ones to report.",
    )


def _texts_of_both(generator: GeneratorReport) -> tuple[int, int]:
    """Numbers of references and of model texts behind HUSE."""
    settings = generator.modes["exact"].huse.settings
    return int(settings.get("n_reference") or 0), int(settings.get("n_model") or 0)


def _of_study(report_input: ReportInput) -> Iterator[Warn]:
    study = report_input.study
    if state_unrated(report_input):
        yield Warn("no_ratings", "There are no ratings yet. The report shows what was planned and recorded so far.")
    if study.mode == "rehearsal":
        yield Warn("rehearsal", "Raters were simulated; results do not describe people.")
    places = [rule for rule in report_input.crowd.criteria if rule.startswith("located in")]
    if places and study.mode != "rehearsal":
        yield Warn("locale", f"Raters were {' and '.join(places)} only. Results may not hold for raters elsewhere.")
    loose = [file.name for file in report_input.attached if uncalibrated(file)]
    if loose:
        sentence = f"Automatic verdicts of {', '.join(loose)} rest on thresholds that were not calibrated."
        yield Warn("uncalibrated", sentence)
    if tried := [*_tried_out(report_input)]:
        sentence = f"The model {TINY} is for trying out; its numbers say nothing about texts: {'; '.join(tried)}."
        yield Warn("tiny_model", sentence)
    first, last = study.collected_from, study.collected_to
    if study.mode != "rehearsal" and first and last and first.date() == last.date():
        yield Warn("one_day", f"All ratings were collected on one day ({first:%A}), and results can vary by day.")


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
        yield Warn(
            "one_source_hits",
            f"Every HIT holds one source only ({plural(single, 'HIT')}), so the source is confounded with the HIT and "
            "with the workers who took it.",
        )
    elif single:
        yield Warn(
            "some_one_source_hits",
            f"{single} of {plural(len(by_hit), 'HIT')} hold one source only; there source and HIT are confounded.",
        )


def _of_raters(generators: Sequence[GeneratorReport]) -> Iterator[Warn]:
    counts = {judged.item.id: judged.ratings for generator in generators for judged in generator.judged}
    unknown = sum(1 for count in counts.values() if not count)
    known = sorted(count for count in counts.values() if count)
    if unknown:
        yield Warn(
            "unknown_raters", f"For {unknown} of {plural(len(counts), 'text')} the number of ratings is not known."
        )
    if known and known[0] != known[-1]:
        yield Warn(
            "unequal_raters",
            f"Texts have between {known[0]} and {known[-1]} ratings; HUSE depends on that number, so uneven counts can "
            "shift it.",
        )
    if known and known[0] < FEW_RATERS:
        few = sum(count < FEW_RATERS for count in known)
        yield Warn(
            "few_raters",
            f"{few} of {plural(len(counts), 'text')} have fewer than {FEW_RATERS} ratings; with few ratings HUSE is "
            "mostly higher.",
        )


def _of_items(facts: GeneratorFacts) -> Iterator[Warn]:
    if facts.decoding and facts.log_prob_decoding and facts.decoding != facts.log_prob_decoding:
        yield Warn(
            "decoding_mismatch",
            f"{facts.name}: the outputs were decoded by '{facts.decoding}' but the log-probabilities belong to "
            f"'{facts.log_prob_decoding}'; HUSE needs the probability under the distribution that was sampled.",
        )
    for source, noun in ((REFERENCE, "reference"), (MODEL, "model text")):
        counts = Counter(item.context for item in facts.items if item.source == source and item.context is not None)
        twice = sum(count > 1 for count in counts.values())
        if twice:
            yield Warn(
                "duplicate_contexts",
                f"{facts.name}: {plural(twice, 'context')} with more than one {noun}; such texts are not independent.",
            )
    endless = sum(item.log_prob == float("-inf") for item in facts.items)
    if endless:
        yield Warn(
            "zero_probability", f"{facts.name}: {plural(endless, 'text')} with probability zero under the model."
        )


def _of_results(generator: GeneratorReport) -> Iterator[Warn]:
    name, exact, paper = generator.facts.name, generator.modes["exact"], generator.modes["paper"]
    for flag in exact.huse.flags:
        if flag in FLAGGED:
            yield Warn(flag, f"{name}: {FLAGGED[flag]}")
    if exact.huse.value is not None and exact.huse.value > 1:
        yield Warn(
            "above_one",
            f"{name}: HUSE is {number(exact.huse.value)}, above 1: the classifier errs more often than guessing would, "
            "which happens by chance where the sources are hard to distinguish. It is shown as computed.",
        )
    if exact.huse_d.value is not None and not 0 <= exact.huse_d.value <= 1:
        yield Warn(
            "out_of_range",
            f"{name}: HUSE-D is {number(exact.huse_d.value)}, outside 0 to 1, as it may be when HUSE and HUSE-Q differ "
            "by chance. It is shown as computed.",
        )
    if FEW_OF_A_SOURCE in exact.huse_q.flags:
        yield Warn(FEW_OF_A_SOURCE, f"{name}: {_few(generator)}; the values and their intervals cannot be relied on.")
    if generator.differs:
        values = ", ".join(
            f"{title} {number(getattr(exact, key).value)} and {number(getattr(paper, key).value)}"
            for key, title in (("huse", "HUSE"), ("huse_q", "HUSE-Q"), ("huse_d", "HUSE-D"))
        )
        if "vote_unbalanced" in paper.huse_q.flags:
            yield _outvoted(generator, values)
            return
        yield Warn(
            "modes_differ",
            f"{name}: exact ties and the original's floating-point ties give different results ({values}). The exact "
            "values are the ones to report.",
        )
