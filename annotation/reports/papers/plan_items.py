"""The plan in the items of two registries: the OSF preregistration form, and AsPredicted.

Source: the form "OSF Preregistration" of the Open Science Framework, without its fields on contributors, license,
subject and tags; the first nine questions of AsPredicted, which then asks for the type of
study and the source of data. The titles were compared with registrations that are public.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.design.kinds import find_kind, unit_of
from annotation.pricing.currency import format_money
from annotation.quality.filters import title_of
from annotation.studies.plan_document import questions
from metrics.data.country_names import name_country
from metrics.report.wording import plural

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PlanItem:
    """An item of a form with its words. missing: keys of answers that are not there yet."""

    title: str
    text: str
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Item:
    """How an item is filled: facts of the design first, then answers by their keys."""

    title: str
    facts: Callable[[Document], str]
    keys: tuple[str, ...] = ()


def _nothing(document: Document) -> str:
    return ""


def _question(document: Document) -> str:
    return str(document["settings"]["question"])


def _title(document: Document) -> str:
    return str(document["study"])


def _study_type(document: Document) -> str:
    number = len(document["cells"])
    if number > 1:
        return f"A study in which people rate texts, in {number} conditions."
    return "A study in which people rate texts, in one condition."


def _blinding(document: Document) -> str:
    return (
        "Task pages do not show the source of a text. Results stay hidden from the team until a member unblinds them, "
        "which the log of the study records."
    )


def _design(document: Document) -> str:
    settings = document["settings"]
    kind = find_kind(settings["task"])
    lines = [f"Task: {kind.title if kind else settings['task']}."]
    if len(document["cells"]) > 1:
        lines += [f"Condition: {cell['name'] or 'all texts'}." for cell in document["cells"]]
    unit = unit_of(settings["task"])
    lines.append(f"Texts: {document['texts']}. {unit.capitalize()}s per task: {settings['texts_per_hit']}.")
    for name, words in (("gold_per_hit", "with a known answer"), ("repeats_per_hit", "shown twice")):
        if settings[name]:
            lines.append(f"Texts {words} in each task: {settings[name]}.")
    if settings["checks_per_hit"]:
        lines.append(f"Attention checks in each task: {settings['checks_per_hit']}.")
    return " ".join(lines)


def _randomization(document: Document) -> str:
    settings = document["settings"]
    order = f"Texts are put into tasks and ordered at random by seed {settings['seed']}."
    draw = settings.get("draw_seed")
    return f"{order} People are assigned to conditions by a draw with seed {draw}." if draw else order


def _existing(document: Document) -> str:
    number = document["submissions"]
    if not number:
        return "No data had been collected when this version was written."
    return f"{plural(number, 'submission')} had been collected when this version was written."


def _procedures(document: Document) -> str:
    settings = document["settings"]
    pay = f"A task pays {format_money(settings['reward_cents'], settings['currency'])}."
    needs = []
    if settings["minimum_percent_approved"]:
        needs.append(f"an approval rate above {settings['minimum_percent_approved']}%")
    if settings["minimum_approved_hits"]:
        needs.append(f"more than {settings['minimum_approved_hits']} approved tasks")
    if settings["country"]:
        needs.append(f"a place in {name_country(settings['country'])}")
    once = " Each person takes part once." if settings["once"] else ""
    return f"{pay}{f' People need {_listed(needs)}.' if needs else ''}{once}"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _size(document: Document) -> str:
    settings = document["settings"]
    if settings["evaluators_per_cell"]:
        size = f"{settings['evaluators_per_cell']} people in each condition, one task each."
    else:
        size = f"{settings['raters_per_text']} raters for each {unit_of(settings['task'])}."
    return f"{size} Texts: {document['texts']}. Conditions: {len(document['cells'])}."


def _power(document: Document) -> str:
    return str(document["power"] or "")


def _stop(document: Document) -> str:
    settings = document["settings"]
    if settings["stop_rule"] == "width" and settings["stop_width"]:
        limit = f", with at most {settings['most_raters']} raters for a text" if settings["most_raters"] else ""
        width = f"{settings['stop_width']:g}"
        return f"Collection ends when the 95% interval of each text's mean is at most {width} wide{limit}."
    if settings["evaluators_per_cell"]:
        return "Collection ends when each condition has the planned number of people."
    return "Collection ends when each text has the planned number of raters."


def _manipulated(document: Document) -> str:
    names = [cell["name"] for cell in document["cells"] if cell["name"]]
    return f"Condition, with the levels {'; '.join(names)}." if len(names) > 1 else "None."


def _measured(document: Document) -> str:
    labels = ", ".join(f"{label} = {code}" for label, code in document["scale"])
    question = f"Question of the study: {_question(document)} " if _question(document) else ""
    return f"{question}Labels and codes of the first scale: {labels}."


def _comparison(document: Document) -> str:
    settings = document["settings"]
    if not settings["compare_first"]:
        return ""
    parts = [f"Main comparison: {settings['compare_first']} against {settings['compare_second']}"]
    if settings["compare_criterion"]:
        parts.append(f"on {settings['compare_criterion']}")
    return " ".join(parts) + "."


def _inference(document: Document) -> str:
    settings, sentences = document["settings"], []
    if settings["compare_margin"] is not None:
        sentences.append(f"Margin of equivalence of the main comparison: {settings['compare_margin']:g}.")
    if settings["margin_points"] is not None:
        sentences.append(f"Margin around chance: {settings['margin_points']} percentage points around 50%.")
    family = {
        "generators": "all pairs of generators",
        "sources": "all pairs of sources, references included",
        "main": "the main comparison alone",
    }.get(settings["compare_family"])
    if family:
        sentences.append(f"Tested together, with adjusted p-values: {family}.")
    return " ".join(sentences)


def _rules(document: Document) -> str:
    if document["rules"] is None:
        return ""
    names = [
        title_of(kind) if threshold is None else f"{title_of(kind)} (threshold {threshold:g})"
        for kind, threshold in document["rules"]["rules"]
    ]
    return f"Exclusion rules, version {document['rules']['number']}: {'; '.join(names) or 'none'}."


def _elsewhere(document: Document) -> str:
    stated = document["stated"]
    parts = [stated.get("plan", ""), stated.get("power", "")]
    if stated.get("registered"):
        parts.append(f"Also registered at {stated['registered']}.")
    return " ".join(part for part in parts if part)


OSF = (
    _Item("Title", _title),
    _Item("Description", _question, ("description",)),
    _Item("Hypotheses", _nothing, ("hypotheses",)),
    _Item("Study type", _study_type),
    _Item("Blinding", _blinding),
    _Item("Is there any additional blinding in this study?", _nothing, ("blinding",)),
    _Item("Study design", _design),
    _Item("Randomization", _randomization, ("randomization",)),
    _Item("Existing data", _existing),
    _Item("Explanation of existing data", _nothing, ("existing_data",)),
    _Item("Data collection procedures", _procedures),
    _Item("Sample size", _size),
    _Item("Sample size rationale", _power, ("sample_size",)),
    _Item("Stopping rule", _stop),
    _Item("Manipulated variables", _manipulated),
    _Item("Measured variables", _measured, ("primary",)),
    _Item("Indices", _nothing, ("transformations",)),
    _Item("Statistical models", _comparison, ("analyses",)),
    _Item("Transformations", _nothing, ("transformations",)),
    _Item("Inference criteria", _inference, ("analyses",)),
    _Item("Data exclusion", _rules, ("exclusions",)),
    _Item("Missing data", _nothing, ("missing_data",)),
    _Item("Exploratory analysis", _nothing, ("exploratory",)),
    _Item("Other", _elsewhere, ("other",)),
)
AS_PREDICTED = (
    _Item("1) Have any data been collected for this study already?", _existing, ("existing_data",)),
    _Item(
        "2) What's the main question being asked or hypothesis being tested in this study?", _question, ("hypotheses",)
    ),
    _Item("3) Describe the key dependent variable(s) specifying how they will be measured.", _measured, ("primary",)),
    _Item("4) How many and which conditions will participants be assigned to?", _design, ("randomization",)),
    _Item(
        "5) Specify exactly which analyses you will conduct to examine the main question/hypothesis.",
        lambda document: " ".join(filter(None, (_comparison(document), _inference(document)))),
        ("analyses",),
    ),
    _Item(
        "6) Describe exactly how outliers will be defined and handled, and your precise rule(s) for excluding "
        "observations.",
        _rules,
        ("exclusions", "missing_data"),
    ),
    _Item(
        "7) How many observations will be collected or what will determine sample size?",
        lambda document: " ".join(filter(None, (_size(document), _stop(document), _power(document)))),
        ("sample_size",),
    ),
    _Item("8) Anything else you would like to pre-register?", _elsewhere, ("transformations", "exploratory", "other")),
    _Item("9) Give a title for this AsPredicted pre-registration", _title),
    _Item("10) Type of study", _study_type),
    _Item("11) Data source", lambda document: f"Answers of people to the tasks of this study. {_procedures(document)}"),
)
FORMS = {"osf": ("OSF preregistration", OSF), "aspredicted": ("AsPredicted", AS_PREDICTED)}


def items_of(document: Document, form: str) -> list[PlanItem]:
    """The items of a form, each with its words, or with the keys of what must be asked."""
    needed = {question.key for question in questions(document) if question.needed}
    answers = document["answers"]
    filled = []
    for item in FORMS[form][1]:
        parts = [item.facts(document), *(answers[key] for key in item.keys if key in answers)]
        missing = tuple(key for key in item.keys if key in needed and key not in answers)
        text = "\n".join(part for part in parts if part)
        filled.append(PlanItem(item.title, text or ("" if missing else "None planned."), missing))
    return filled


def open_questions(document: Document) -> list[str]:
    """Keys of needed answers that are missing, in the order of the page."""
    answers = document["answers"]
    return [question.key for question in questions(document) if question.needed and question.key not in answers]
