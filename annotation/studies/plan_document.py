"""What a plan holds: facts of the design, and answers to what the design does not know. Nothing is guessed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.design.kinds import asks
from annotation.models import PaperAnswers, RuleSet, SealedPlan, Study, Submission
from annotation.studies.preregistration import plan_of
from metrics.data.answer_types import AnswerType
from metrics.inference.power import accuracy_difference, minimum_effect

SCHEMA, SCHEMA_VERSION = "assay-plan", 1
MAX_LETTERS = 4000
# Key, label, hint: in the order of the page.
QUESTIONS = (
    ("description", "Description", "What the study is about and why, in a few sentences."),
    ("hypotheses", "Hypotheses", "Each with its direction."),
    (
        "primary",
        "Primary measure",
        "The one measure that answers the question. The main comparison of the design is added.",
    ),
    ("analyses", "Analyses", "Test or interval, level, and what result would support each hypothesis."),
    ("exclusions", "Exclusions", "Who and what is excluded from the analysis. Locked exclusion rules are added."),
    ("missing_data", "Missing data", "What happens with incomplete answers."),
    ("sample_size", "Reason for the sample size", "Power or precision, and how it was calculated."),
    ("randomization", "Assignment to conditions", "How people come to their condition."),
    ("existing_data", "Existing data", "Data that you know already, such as pilots or older ratings."),
    ("blinding", "Blinding", "Who does not know conditions or results, and until when."),
    ("transformations", "Transformations and indices", "Scores that are computed from the answers."),
    ("exploratory", "Exploratory analyses", "What else you may look at, without a hypothesis."),
    ("other", "Other", ""),
)
KEYS = tuple(key for key, _, _ in QUESTIONS)


@dataclass(frozen=True, slots=True)
class PlanQuestion:
    """Something that a plan must say. needed: whether the plan is incomplete without it, for this study."""

    key: str
    label: str
    hint: str
    needed: bool


def questions(document: Mapping[str, Any]) -> list[PlanQuestion]:
    """What people are asked, by what the design does not say already."""
    settings = document["settings"]
    is_compared, is_divided = bool(settings["compare_first"]), len(document["cells"]) > 1
    needed = {
        "primary": not is_compared,
        "exclusions": document["rules"] is None,
        "sample_size": document["power"] is None,
        "randomization": is_divided and "draw_seed" not in settings,
        "exploratory": False,
        "other": False,
    }
    return [PlanQuestion(key, label, hint, needed.get(key, True)) for key, label, hint in QUESTIONS]


def answers_of(study: Study) -> dict[str, str]:
    """What people answered so far."""
    row = PaperAnswers.objects.filter(study=study, paper=PaperAnswers.Paper.PLAN).first()
    return dict(row.answers) if row else {}


def document_of(study: Study, answers: Mapping[str, str]) -> dict[str, Any]:
    """The plan as it would be sealed now, JSON-ready."""
    plan = plan_of(study)
    rules = RuleSet.objects.filter(study=study).order_by("-number").first()
    return {
        **plan,
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "scale": [[label.label, label.code] for label in study.scale.labels.order_by("pk")],
        "rules": None if rules is None else {"number": rules.number, "name": rules.name, "rules": rules.rules},
        "power": power_sentence(plan["settings"]),
        "submissions": Submission.objects.filter(hit__study=study).count(),
        "answers": {key: answers[key] for key in KEYS if answers.get(key)},
    }


def power_sentence(settings: Mapping[str, Any]) -> str | None:
    """Say what effect the planned evaluators and texts would detect; None for another task, or where texts decide."""
    people, texts = settings["evaluators_per_cell"], settings["texts_per_hit"]
    if not asks(settings["task"], AnswerType.TWO_SIDED) or not people or people < 2:
        return None
    effect = minimum_effect(people, design="one_sample")
    points = 100 * accuracy_difference(effect, texts)
    return (
        f"Calculated from the plan: {people} evaluators of {texts} texts each find an accuracy {points:.1f} percentage "
        f"points from 50% with a power of .8, by a two-sided t-test at 5% (d = {effect:.3f})."
    )


def canonical(document: Mapping[str, Any]) -> str:
    """The text of which the digest is taken."""
    return json.dumps(document, sort_keys=True, ensure_ascii=False)


def digest_of(text: str) -> str:
    """SHA-256 of a document's text."""
    return hashlib.sha256(text.encode()).hexdigest()


def read_document(row: SealedPlan) -> dict[str, Any]:
    """A sealed plan as it was sealed."""
    document: dict[str, Any] = json.loads(row.document)
    return document


def answers_in(row: SealedPlan) -> dict[str, str]:
    """What people had answered when it was sealed."""
    return dict(read_document(row)["answers"])
