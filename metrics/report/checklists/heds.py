"""The human evaluation datasheet, filled from the study: sections and order of HEDS 3.0 (Belz and Thomson, 2025).

The questions are in our words and numbered by section; what nobody recorded is marked as blank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from metrics.report.pay import VOLUNTEERS, rewards, rewards_in_words
from metrics.report.records import ReportInput
from metrics.report.wording import moment, money, plural


@dataclass(frozen=True, slots=True)
class Entry:
    """One question and its answer; None where a person has to fill it in."""

    part: str
    question: str
    answer: str | None


def datasheet(given: ReportInput, *, huse: bool = True) -> tuple[Entry, ...]:
    """Every question in the order of the form. huse: whether HUSE could be computed."""
    parts = (
        ("1 Main reference and resources", _resources(given)),
        ("2 Evaluated systems", _systems(given)),
        ("3.1 Sample of outputs", _sample(given)),
        ("3.2 Evaluators", _evaluators(given)),
        ("3.3 Experimental design", _design(given)),
        ("4.1 Quality criterion", _criterion(given)),
        ("4.2 Evaluation mode", _mode(given)),
        ("4.3 Response elicitation", _elicitation(given, huse=huse)),
        ("5 Ethics", _ethics(given)),
    )
    return tuple(Entry(part, question, answer or None) for part, entries in parts for question, answer in entries)


Answers = Iterator[tuple[str, str | None]]


def _resources(given: ReportInput) -> Answers:
    yield "Where the experiment is described, and which of several it is", given.said("reference")
    yield "Where its resources are (outputs, tools, code)", "; ".join(given.study.provenance) or None
    yield "Who fills in this sheet, and whom to write to", given.said("contact")


def _systems(given: ReportInput) -> Answers:
    names = [f"{one.name} ({one.decoding})" if one.decoding else one.name for one in given.systems]
    names = names or list(dict.fromkeys(text.generator for text in given.texts if text.generator))
    yield "Systems evaluated", "; ".join(names) or None
    yield "Kind of input", given.said("input")
    yield "Kind of output", given.study.noun
    yield "Task that the systems perform", given.study.task
    yield "Language of the input", given.language
    yield "Language of the output", given.language


def _sample(given: ReportInput) -> Answers:
    counts = Counter(text.generator or "references" for text in given.texts)
    yield "Outputs evaluated of each system", "; ".join(f"{name}: {count}" for name, count in counts.items()) or None
    chosen = given.study.selection
    yield (
        "How they were chosen",
        "; ".join(f"{s.rule}: {s.after} left of {s.before}" for s in chosen) if chosen else None,
    )
    yield "Statistical power of the sample", given.plan.power if given.plan else None


def _evaluators(given: ReportInput) -> Answers:
    crowd = given.crowd
    raters = crowd.workers if crowd.workers is not None else len({one.rater for one in given.ratings}) or None
    yield "Number of evaluators", None if raters is None else str(raters)
    simulated = given.study.mode == "rehearsal"
    yield "Kind of evaluators", "simulated, no people" if simulated else given.said("people")
    yield "How they were recruited", crowd.provider
    yield "Criteria they met", "; ".join(crowd.criteria) or None
    trained = [one.training for one in given.conditions if one.training and one.training != "none"]
    yield "Training before the task", "; ".join(dict.fromkeys(trained)) or ("none" if given.conditions else None)


def _design(given: ReportInput) -> Answers:
    study, plan = given.study, given.plan
    yield "Registered beforehand", plan.registered_where if plan else None
    yield "How responses were collected", "web pages of Assay" if study.mode != "imported" else None
    rules = [f"{flag.name}: {flag.rule}" for flag in given.flags or ()]
    yield "Quality assurance", "; ".join(rules) or ("none" if given.flags == () else None)
    yield (
        "Where and when evaluators worked",
        f"online, from {moment(study.collected_from)}" if study.collected_from else None,
    )
    yield "How texts were allotted and ordered", study.interleaving
    places = {(one.hit, one.rater) for one in given.ratings if one.hit}
    yield "Assignments", str(len(places)) if places else None
    per = f"{study.texts_per_hit} texts in a task" if study.texts_per_hit else None
    yield "Size of a task", per
    yield "Conditions", "; ".join(one.name for one in given.conditions if one.name) or None


def _criterion(given: ReportInput) -> Answers:
    names = dict.fromkeys(one.criterion for one in given.ratings)
    yield "Name of the criterion", ", ".join(name.replace("_", " ") for name in names) or None
    yield "Its definition as given to evaluators", given.study.instructions
    yield "Correctness, goodness or a feature; form, content or both", given.said("criterion")


def _mode(given: ReportInput) -> Answers:
    yield "Objective or subjective", "subjective"
    pairs = any(one.partner for one in given.ratings)
    yield "Absolute or relative", "relative" if pairs else "absolute"
    yield "Intrinsic or extrinsic", "intrinsic"


def _elicitation(given: ReportInput, *, huse: bool) -> Answers:
    study = given.study
    yield "Question put to evaluators", study.question if study.question != "not recorded" else None
    yield "Size of the scale", str(len(study.scale)) if study.scale else None
    yield "Values of the scale", ", ".join(label.name for label in study.scale) or None
    yield "How the scale is shown", "one button a label" if given.pages else None
    yield "How responses become scores", study.coding
    ratings = Counter(one.text for one in given.ratings if one.kept)
    spread = f"{min(ratings.values())} to {max(ratings.values())}" if ratings else None
    yield "Responses for each text", spread
    yield (
        "Statistics used",
        "HUSE with intervals" if huse and given.generators else "shares and means with intervals" if ratings else None,
    )
    yield "Agreement between evaluators", "Krippendorff's alpha, in the results" if ratings else None
    yield "Agreement of an evaluator with themselves", None


def _ethics(given: ReportInput) -> Answers:
    yield "Approval by an ethics committee", given.crowd.ethics
    yield "Personal data in the texts or the answers", "evaluators appear under pseudonyms only"
    yield "Consent", given.crowd.consent
    yield "Pay", _pay(given)
    yield "Impact assessment", given.said("impact")


def _pay(given: ReportInput) -> str | None:
    """The hourly wage where all arms pay alike; else what each pays."""
    told = [*given.crowd.pays]
    if len(rewards(given)) > 1:
        told.insert(0, f"{rewards_in_words(given)} for an assignment.")
    elif given.money.wage_cents is not None and VOLUNTEERS not in told:
        told.insert(0, f"{money(given.money.wage_cents, given.money.currency)} an hour at the median time.")
    return " ".join(told) or None


def filled(entries: tuple[Entry, ...]) -> str:
    """`31 of 44 questions`."""
    return f"{sum(one.answer is not None for one in entries)} of {plural(len(entries), 'question')}"
