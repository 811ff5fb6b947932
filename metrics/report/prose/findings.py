"""Sentences that follow from the data: the verdict, and what cannot be concluded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from metrics.data.answer_types import AnswerType
from metrics.data.sentence import Sentence, template
from metrics.huse.estimate import FEW_OF_A_SOURCE
from metrics.report.records import ReportInput, Warn
from metrics.report.result import GeneratorReport
from metrics.report.sections.by_source import is_known
from metrics.report.sections.external_scores import estimate_of, overall_rates
from metrics.report.sections.machine_scores import list_texts, name_backend, uncalibrated
from metrics.report.wording import estimate, plural, share
from metrics.types import Estimate

WIDE = 1 / 3  # of the largest difference, from which on a margin is named as a limit
SHARES = "shares"
UNRATED = template("summary.unrated", "No text has been rated yet, so there are no results.", "ratings.text")
UNRATED_FILES = template(
    "summary.unrated-files",
    "No text has been rated by people yet: the results are those of {files}.",
    "ratings.text",
    "attached.name",
)
NEAR_NEGATIVE = template(
    "summary.near-negative",
    "{file}: the better text had the higher likelihood, {rates}{intervals}.",
    "attached.document",
    "attached.name",
)
AUTOMATIC = template(
    "summary.automatic",
    "{file}: to {model}, {human} of {texts} are human-like and {machine} are machine-like{intervals}{thresholds}.",
    "attached.document",
    "attached.name",
)
TEXTS_OF_FILE = template(
    "summary.texts-of-file", "{texts} of {file} {are}.", "attached.document", "attached.name", "texts.id"
)
MAX_MODELS = 4  # of which each has its rate in the summary
HUSE_LIMIT = template(
    "limits.huse",
    "A HUSE whose interval lies below 1 shows a difference between the two sources. A HUSE near 1 does not prove that "
    "there is none: other features or more raters might still distinguish them.",
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
    "include the variation between workers. The value itself still belongs to both, source and "
    "HIT.",
    "ratings.hit",
    "texts.source",
)
MARGIN_LIMIT = template(
    "limits.margin",
    "The declared margin of equivalence, {margin}, is {share:.0%} of the largest difference that is possible: sources "
    "inside it can still differ clearly.",
    "plan.comparison",
    "study.scale",
)
CHANCE_MARGIN_LIMIT = template(
    "limits.chance-margin",
    "The declared margin around chance, {low}% to {high}%, is {share:.0%} of the largest distance from 50% that is "
    "possible: accuracy inside it can still differ clearly from chance.",
    "plan.margin_points",
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
FEW = template("summary.few", "{name}: {shown}; {few}, so no verdict is given.", "results.huse", "options.k")
NO_INTERVAL = template(
    "summary.no-interval",
    "{name}: {shown}; no interval is defined, so no verdict is given.",
    "results.huse",
)
DIFFERS = template(
    "summary.differs",
    "{name} differs from the references: {shown}; the interval lies below 1.",
    "results.huse",
)
ALIKE = template(
    "summary.no-difference",
    "HUSE detected no difference between {name} and the references: {shown}; the interval {reaches} 1.",
    "results.huse",
)


def verdicts(generators: Sequence[GeneratorReport]) -> tuple[Sentence, ...]:
    """For each generator, what its HUSE says, with the interval."""
    return tuple(_verdict(generator) for generator in generators)


def explain_missing_huse(too_little: Sequence[tuple[str, str]]) -> tuple[Sentence, ...]:
    """For each generator that has no HUSE, why."""
    return tuple(NO_HUSE.fill(name=name, why=why) for name, why in too_little)


def state_unrated(report_input: ReportInput) -> tuple[Sentence, ...]:
    """Return the sentence that no text is rated yet; nothing otherwise."""
    if report_input.is_rated:
        return ()
    files = ", ".join(file.name for file in report_input.attached)
    return (UNRATED_FILES.fill(files=files) if files else UNRATED.fill(),)


def state_files(report_input: ReportInput) -> Iterator[Sentence]:
    """What the files say of their models, and how many of their texts are the study's, where no text is rated."""
    known = {text.id for text in report_input.texts}
    for file in report_input.attached:
        if file.kind == "nnd" and "metrics" not in file.document:
            rates = {str(model.get("model", "")): rate for model, rate in overall_rates(file)}
            yield NEAR_NEGATIVE.fill(file=file.name, rates=_rates(rates), intervals=_levels(rates.values()))
        if file.kind == "automatic":
            human, machine = (estimate_of(file.document[key], file.name) for key in ("h", "m"))
            yield AUTOMATIC.fill(
                file=file.name,
                model=name_backend(file),
                human=share(human.value, human.interval),
                machine=share(machine.value, machine.interval),
                texts=plural(human.n, "text"),
                intervals=_levels((human, machine)),
                thresholds=", by thresholds that were not calibrated" if uncalibrated(file) else "",
            )
        texts = list_texts(file)
        if texts and known:
            yield _of_this_study(file.name, len(texts), sum(is_known(text, known) for text in texts))


def _rates(rates: Mapping[str, Estimate]) -> str:
    """The rate of each model; of many the lowest and the highest."""
    stated = {
        name: f"for {name} in {share(rate.value, rate.interval)} of {plural(rate.n, 'test')}"
        for name, rate in rates.items()
    }
    if len(stated) <= MAX_MODELS:
        return "; ".join(stated.values())
    ordered = sorted(rates, key=lambda name: rates[name].value or 0.0)
    return f"most seldom {stated[ordered[0]]}; most often {stated[ordered[-1]]}; {len(rates)} models"


def _levels(estimates: Iterable[Estimate]) -> str:
    levels = sorted({each.interval.level for each in estimates if each.interval})
    return f" ({' and '.join(f'{100 * level:g}%' for level in levels)} intervals)" if levels else ""


def _of_this_study(file: str, total: int, known: int) -> Sentence:
    if total == 1:
        return TEXTS_OF_FILE.fill(texts="The text", file=file, are=f"is {'' if known else 'not '}of this study")
    texts = f"All {total} texts" if known == total else f"{known or 'None'} of the {total} texts"
    return TEXTS_OF_FILE.fill(texts=texts, file=file, are=f"{'is' if known < 2 else 'are'} of this study")


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


def wide_margins(report_input: ReportInput) -> Iterator[Sentence]:
    """Of each declared margin that is a third or more of what is possible, that it is."""
    plan = report_input.plan
    points = (plan.margin_points or 0) if plan else 0
    if points / 50 >= WIDE and report_input.criteria_of(AnswerType.TWO_SIDED):
        yield CHANCE_MARGIN_LIMIT.fill(low=50 - points, high=50 + points, share=points / 50)
    if plan is None or plan.comparison is None or plan.comparison.margin is None:
        return
    margin, largest, unit = plan.comparison.margin, *_largest_difference(report_input, plan.comparison.criterion)
    if largest and margin / largest >= WIDE:
        shown = f"{100 * margin:g} percentage points" if unit == SHARES else f"{margin:g} points"
        yield MARGIN_LIMIT.fill(margin=shown, share=margin / largest)


def _largest_difference(report_input: ReportInput, declared: str) -> tuple[float, str]:
    """Of means of the criterion that the margin is of, and its unit; 0 where that is not known, or has no bound."""
    rated = dict.fromkeys(rating.criterion for rating in report_input.ratings)
    criteria = [*(dict(report_input.study.answers) or rated)]
    if not criteria or (not declared and len(criteria) > 1):
        return 0, ""
    criterion = declared or criteria[0]
    answer = report_input.answer_of(criterion)
    if answer is AnswerType.TWO_SIDED:
        return float(bool(declared)), SHARES
    codes = [label.code for label in report_input.study.scale]
    # The scale that is recorded is that of the first criterion.
    is_bounded = criterion == criteria[0] and answer is not AnswerType.PREFERENCE and answer.has_mean and codes
    return (float(max(codes) - min(codes)), "points") if is_bounded else (0, "")


def _verdict(generator: GeneratorReport) -> Sentence:
    result, name = generator.modes["exact"], generator.facts.name
    huse = result.huse
    if huse.value is None:  # HUSE-Q, which needs no log-probability, always has a value
        return QUALITY_ONLY.fill(name=name, quality=estimate(result.huse_q))
    values = {
        "name": name,
        "shown": f"HUSE {estimate(huse)} at {plural(huse.n, 'text')}",
    }
    if FEW_OF_A_SOURCE in huse.flags:
        return FEW.fill(few=state_few(generator), **values)
    if huse.interval is None:
        return NO_INTERVAL.fill(**values)
    if huse.interval.high < 1:
        return DIFFERS.fill(**values)
    return ALIKE.fill(reaches="reaches" if huse.interval.low <= 1 else "lies above", **values)


def state_few(generator: GeneratorReport) -> str:
    """That one source has too few texts; it has, see `metrics.huse.estimate`."""
    k = generator.modes["exact"].huse.settings.get("k")
    references, models = texts_of_both(generator)
    few = plural(references, "reference") if references < models else plural(models, "model text")
    verb = "is" if min(references, models) == 1 else "are"
    return f"{few} {verb} too few for {k} neighbours"


def texts_of_both(generator: GeneratorReport) -> tuple[int, int]:
    """Numbers of references and of model texts behind HUSE."""
    settings = generator.modes["exact"].huse.settings
    return int(settings.get("n_reference") or 0), int(settings.get("n_model") or 0)
