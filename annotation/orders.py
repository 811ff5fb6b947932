"""From a HIT of ours to what the marketplace is asked for."""

from __future__ import annotations

from annotation.crowd.questions import html_question
from annotation.crowd.records import HitOrder, Requirement
from annotation.models import Hit, Study
from annotation.rendering import Choice, ShownText, typicality_page

APPROVED_HITS = "00000000000000000040"
PERCENT_APPROVED = "000000000000000000L0"
LOCALE = "00000000000000000071"


def hit_order(hit: Hit, *, token: str) -> HitOrder:
    """The order for `hit`. Raises QuestionError when its page cannot be sent."""
    study = hit.study
    items = hit.items.select_related("text__context").order_by("position")
    texts = [ShownText(item.text.body, item.text.context.body if item.text.context else "") for item in items]
    choices = [Choice(label.label, label.gloss) for label in study.scale.labels.order_by("pk")]
    return HitOrder(
        title=f"How typical is each {study.noun}? ({len(texts)} short texts)",
        description=f"Read {len(texts)} short texts and say for each how often you would come across one like it.",
        keywords=_keywords(study),
        reward_cents=study.reward_cents,
        max_assignments=hit.max_assignments,
        assignment_seconds=study.assignment_seconds,
        lifetime_seconds=study.lifetime_seconds,
        auto_approval_seconds=study.auto_approval_seconds,
        question=html_question(typicality_page(texts, choices=choices, noun=study.noun)),
        annotation=token,
        token=token,
        requirements=_requirements(study),
    )


def _keywords(study: Study) -> str:
    usual = "survey, reading, text, judgment"
    return f"{usual}, assay:study={study.channel_tag}" if study.channel_tag else usual


def _requirements(study: Study) -> tuple[Requirement, ...]:
    found = []
    if study.minimum_approved_hits is not None:
        found.append(Requirement(APPROVED_HITS, "GreaterThan", integer=study.minimum_approved_hits))
    if study.minimum_percent_approved is not None:
        found.append(Requirement(PERCENT_APPROVED, "GreaterThan", integer=study.minimum_percent_approved))
    if study.country:
        found.append(Requirement(LOCALE, "EqualTo", country=study.country))
    return tuple(found)
