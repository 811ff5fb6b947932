"""The human evaluation datasheet, filled from the study: sections and order of HEDS 3.0 (Belz and Thomson, 2025).

The questions are in our words and numbered by section; what was not recorded is marked as blank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from metrics.data.answer_types import AnswerType
from metrics.report.checklists.computed import Computed
from metrics.report.pay import VOLUNTEERS, arms_by_reward, describe_rewards, for_whom
from metrics.report.records import ReportInput, StudyFacts
from metrics.report.wording import describe_range, moment, money, name_criterion, plural

# Answers that say how a text is to others.
RELATIVE = frozenset({AnswerType.PREFERENCE, AnswerType.CHOSEN_TEXT, AnswerType.RANKING})
SHOWN_AS = {
    AnswerType.NUMBER: "a slider, and a field for the number",
    AnswerType.SEVERAL_LABELS: "one box per label",
    **dict.fromkeys(
        (None, AnswerType.ORDINAL, AnswerType.TWO_SIDED, AnswerType.SINGLE_LABEL, *RELATIVE), "one button per label"
    ),
}
UNORDERED = "labels without an order: shares of each, no scores"
SCORED_OTHERWISE = {
    AnswerType.PREFERENCE: "as preferences, ties as half",
    AnswerType.CHOSEN_TEXT: "as shares of texts chosen",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One question and its answer; None where a person has to fill it in."""

    part: str
    question: str
    answer: str | None


def fill_datasheet(report_input: ReportInput, computed: Computed) -> tuple[Entry, ...]:
    """Every question in the order of the form."""
    parts = (
        ("1 Main reference and resources", _resources(report_input)),
        ("2 Evaluated systems", _systems(report_input)),
        ("3.1 Sample of outputs", _sample(report_input)),
        ("3.2 Evaluators", _evaluators(report_input)),
        ("3.3 Experimental design", _design(report_input)),
        ("4.1 Quality criterion", _criterion(report_input)),
        ("4.2 Evaluation mode", _mode(report_input)),
        ("4.3 Response elicitation", _elicitation(report_input, computed)),
        ("5 Ethics", _ethics(report_input)),
    )
    return tuple(Entry(part, question, answer or None) for part, entries in parts for question, answer in entries)


Answers = Iterator[tuple[str, str | None]]


def _resources(report_input: ReportInput) -> Answers:
    yield "Where the experiment is described, and which of several it is", report_input.statement("reference")
    yield "Where the resources are (outputs, tools, code)", "; ".join(report_input.study.provenance) or None
    yield "Completed by; contact", report_input.statement("contact")


def _systems(report_input: ReportInput) -> Answers:
    names = [f"{facts.name} ({facts.decoding})" if facts.decoding else facts.name for facts in report_input.systems]
    names = names or list(dict.fromkeys(text.generator for text in report_input.texts if text.generator))
    yield "Systems evaluated", "; ".join(names) or None
    yield "Kind of input", report_input.statement("input")
    yield "Kind of output", report_input.study.noun
    yield "Task that the systems perform", report_input.statement("system_task")
    yield "Language of the input", report_input.language
    yield "Language of the output", report_input.language


def _sample(report_input: ReportInput) -> Answers:
    counts = Counter(text.generator or "references" for text in report_input.texts)
    yield "Outputs evaluated of each system", "; ".join(f"{name}: {count}" for name, count in counts.items()) or None
    chosen = report_input.study.selection
    yield (
        "How outputs were chosen",
        "; ".join(f"{s.rule}: {s.after} left of {s.before}" for s in chosen) if chosen else None,
    )
    yield "Statistical power of the sample", report_input.plan.power if report_input.plan else None


def _evaluators(report_input: ReportInput) -> Answers:
    crowd = report_input.crowd
    raters = report_input.raters
    yield "Number of evaluators", None if raters is None else f"{raters}{report_input.share_of_raters}"
    simulated = report_input.study.mode == "rehearsal"
    yield "Kind of evaluators", "simulated, no people" if simulated else report_input.statement("people")
    yield "How evaluators were recruited", crowd.provider
    yield "Criteria that evaluators met", "; ".join(crowd.criteria) or None
    trained = [
        condition.training
        for condition in report_input.conditions
        if condition.training and condition.training != "none"
    ]
    yield "Training before the task", "; ".join(dict.fromkeys(trained)) or ("none" if report_input.conditions else None)


def _design(report_input: ReportInput) -> Answers:
    study = report_input.study
    yield "Registered beforehand", _registered(report_input)
    yield "How responses were collected", "web pages of Assay" if study.mode != "imported" else None
    rules = [f"{flag.name}: {flag.rule.rstrip('.')}" for flag in report_input.flags or ()]
    in_words = "none" if report_input.flags == () else " ".join(report_input.quality or ())
    yield "Quality assurance", "; ".join(rules) or in_words
    yield (
        "Where and when evaluators worked",
        _when(study) if report_input.is_rated else None,
    )
    yield "How texts were allotted and ordered", study.interleaving
    places = len({(rating.hit, rating.rater) for rating in report_input.ratings if rating.hit}) or None
    counted = report_input.crowd.submitted
    submitted = places if counted is None else counted
    yield "Assignments", None if submitted is None else str(submitted)
    unit = "pair of texts" if report_input.in_pairs else "text"
    size = plural(study.texts_per_hit or 0, unit, "pairs of texts" if report_input.in_pairs else None)
    yield "Size of a task", f"at most {size}" if study.texts_per_hit else None
    names = [condition.name or condition.training for condition in report_input.conditions]
    alone = "one for everybody" if report_input.has_single_condition else None
    yield "Conditions", "; ".join(name for name in names if name) or alone


def _registered(report_input: ReportInput) -> str | None:
    """Where, as the researchers state, or in the log of Assay where that has it from before the first submission."""
    plan, first = report_input.plan, report_input.study.collected_from
    if plan is None:
        return None
    if plan.registered_at is None or first is None or plan.registered_at > first:
        return f"{plan.registered_where}; whether before the data is not known" if plan.registered_where else None
    logged = f"in the log of Assay, {moment(plan.registered_at)}, SHA-256 {plan.sha256}"
    return f"{plan.registered_where}; {logged}" if plan.registered_where else logged


def _when(study: StudyFacts) -> str | None:
    """From the first to the last submission, as far as they are known."""
    if study.collected_from is None:
        return None
    until = f" to {moment(study.collected_to)}" if study.collected_to else ""
    return f"online, from {moment(study.collected_from)}{until}"


def _criterion(report_input: ReportInput) -> Answers:
    names = dict.fromkeys(rating.criterion for rating in report_input.ratings)
    yield "Name of the criterion", ", ".join(map(name_criterion, names)) or None
    instructions = report_input.study.instructions
    definition = f"in the instructions: {instructions}" if instructions else None
    yield "Definition of the criterion as given to evaluators", definition
    yield "Correctness, goodness or a feature; form, content or both", report_input.statement("criterion")


def _mode(report_input: ReportInput) -> Answers:
    yield "Objective or subjective", "subjective"
    modes = ["relative" if answer in RELATIVE else "absolute" for answer in _answers(report_input).values()]
    pairs = "relative" if any(rating.partner for rating in report_input.ratings) else "absolute"
    yield "Absolute or relative", " and ".join(dict.fromkeys(modes)) or pairs
    yield "Intrinsic or extrinsic", "intrinsic"


def _elicitation(report_input: ReportInput, computed: Computed) -> Answers:
    study = report_input.study
    yield "Question shown to evaluators", study.question if study.question != "not recorded" else None
    yield from _scale(report_input)
    ratings = report_input.ratings_on_criteria
    criteria = len({criterion for _, criterion in ratings})
    excluded = "0" if report_input.ratings else None
    spread = describe_range(min(ratings.values()), max(ratings.values())) if ratings else excluded
    yield "Responses for each text", f"{spread} on each of {criteria} criteria" if criteria > 1 else spread
    ending = "; with intervals where the results show them" if computed.has_intervals else ""
    yield "Statistics used", f"{', '.join(computed.statistics)}{ending}" if computed.statistics else None
    agreement = " and ".join(computed.agreement)
    yield "Inter-rater agreement", f"{agreement}, in the results" if agreement else None
    yield "Intra-rater agreement", None


def _answers(report_input: ReportInput) -> dict[str, AnswerType]:
    """What the answers on each criterion are."""
    criteria = dict.fromkeys(rating.criterion for rating in report_input.ratings) or dict(report_input.study.answers)
    return {criterion: report_input.answer_of(criterion) for criterion in criteria}


def _scale(report_input: ReportInput) -> Answers:
    """The scale that is recorded, which is that of the first criterion, and what else was answered on the others."""
    study = report_input.study
    first = study.answers[0][0] if study.answers else ""
    of_first = f" ({name_criterion(first)})" if len(study.answers) > 1 else ""
    answer = report_input.answer_of(first) if study.answers else None
    if answer is AnswerType.NUMBER:
        codes = [label.code for label in study.scale]
        size, values = str(max(codes) - min(codes) + 1) if codes else None, f"whole numbers, {study.numbers}"
    else:
        size = str(len(study.scale)) if study.scale else None
        values = ", ".join(label.name for label in study.scale)
    others = "; ".join(_others(report_input, first))
    yield "Size of the scale", size and f"{size}{of_first}"
    yield "Values of the scale", "; ".join(filter(None, [f"{values}{of_first}", others])) if study.scale else None
    yield "How the scale is shown", SHOWN_AS.get(answer) if report_input.pages else None
    kind = answer or (AnswerType.PREFERENCE if report_input.in_pairs else None)
    scores = study.coding if report_input.has_coding else SCORED_OTHERWISE.get(kind, UNORDERED) if kind else UNORDERED
    yield "How responses become scores", f"{scores}{of_first}"


def _others(report_input: ReportInput, first: str) -> Iterator[str]:
    """Of each further criterion the answers that occur: which others its raters were offered is not recorded."""
    names = {label.name for label in report_input.study.scale}
    for criterion, _ in report_input.study.answers:
        rated = {rating.value: rating.label for rating in report_input.ratings if rating.criterion == criterion}
        if criterion == first or not rated:
            continue
        if report_input.answer_of(criterion) is AnswerType.NUMBER:
            yield f"{float(min(rated)):g} to {float(max(rated)):g} occur ({name_criterion(criterion)})"
        elif not names.issuperset(rated.values()):
            yield f"{', '.join(rated[value] for value in sorted(rated))} occur ({name_criterion(criterion)})"
        else:
            yield f"the same labels ({name_criterion(criterion)})"


def _ethics(report_input: ReportInput) -> Answers:
    yield "Approval by an ethics committee", report_input.crowd.ethics
    yield "Personal data in the texts or the answers", describe_personal(report_input, "evaluators")
    yield "Consent", report_input.crowd.consent
    yield "Pay", _pay(report_input)
    yield "Impact assessment", report_input.statement("impact")


def describe_personal(report_input: ReportInput, raters: str) -> str:
    """What may be personal in the data. raters: what the form calls them."""
    if not report_input.is_rated and not report_input.comments:
        return f"{'No' if raters[0].isupper() else 'no'} answers of {raters.lower()} yet"
    comments = "; comments may contain personal data" if report_input.comments else ""
    return f"{raters} appear under pseudonyms only{comments}"


def _pay(report_input: ReportInput) -> str | None:
    """The hourly wage where all arms pay alike; else what each pays."""
    sentences = [*report_input.crowd.pays]
    if len(arms_by_reward(report_input)) > 1:
        sentences.insert(0, f"{describe_rewards(report_input)} per assignment{for_whom(report_input)}.")
    elif report_input.money.wage_cents is not None and VOLUNTEERS not in sentences:
        wage = money(report_input.money.wage_cents, report_input.money.currency)
        sentences.insert(0, f"{wage} per hour at the median time{for_whom(report_input)}.")
    return " ".join(sentences) or None


def count_answered(entries: tuple[Entry, ...]) -> str:
    """`31 of 44 questions`."""
    return f"{sum(entry.answer is not None for entry in entries)} of {plural(len(entries), 'question')}"
