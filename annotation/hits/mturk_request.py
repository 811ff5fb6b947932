"""Build the marketplace request of a HIT."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from django.conf import settings
from django.core import signing
from django.urls import reverse

from annotation.design.kinds import find_kind, kind_called
from annotation.design.task_kind import TaskKind
from annotation.design.wording import Wording, from_json
from annotation.exceptions import QuestionError, QuestionTooLargeError
from annotation.hits.cell_keys import CELL, cell_key
from annotation.hits.render import Arm, ShownLine, ShownText, hit_page
from annotation.models import AttentionCheck, Hit, HitItem, Study, Text
from annotation.mturk.answer_xml import CHANNEL, DEVICE
from annotation.mturk.question_xml import external_question, html_question
from annotation.mturk.records import HitOrder, Requirement
from annotation.pricing.currency import DEFAULT_CURRENCY
from annotation.pricing.wages import WorkTime, hit_time

APPROVED_HITS = "00000000000000000040"
PERCENT_APPROVED = "000000000000000000L0"
LOCALE = "00000000000000000071"


def hit_order(
    hit: Hit,
    *,
    token: str,
    passes: tuple[str, ...] = (),
    original: Requirement | None = None,
    drawn: bool = False,
) -> HitOrder:
    """The order for `hit`. passes: qualification types that let a person in once (`assay:once`).

    original: of a study that repeats another, whether people must have taken part there, or must not.
    drawn: the marketplace assigns people to the cells of the study, so the order names the cell.
    Raises QuestionError when its page cannot be sent.
    """
    study, wording = hit.study, wording_of(hit)
    return HitOrder(
        title=wording.fill_nouns(wording.title),
        description=wording.fill_nouns(wording.description),
        keywords=_keywords(wording, hit, drawn),
        reward_cents=hit.cell.reward_cents,
        currency=study.currency,
        max_assignments=hit.max_assignments,
        assignment_seconds=study.assignment_seconds,
        lifetime_seconds=study.lifetime_seconds,
        auto_approval_seconds=study.auto_approval_seconds,
        question=_question(hit, wording),
        annotation=token,
        token=token,
        requirements=(
            *history_requirements(study),
            *(Requirement(type_id, "DoesNotExist") for type_id in passes),
            *([original] if original else []),
        ),
    )


def _keywords(wording: Wording, hit: Hit, drawn: bool) -> str:
    study = hit.study
    tag = f"assay:study={study.channel_tag}" if study.channel_tag else ""
    cell = f"{CELL}{cell_key(study, hit.cell_id)}" if drawn else ""
    # Dollars, which every marketplace pays in, go without saying.
    currency = "" if study.currency == DEFAULT_CURRENCY else f"assay:currency={study.currency}"
    minutes = f"assay:minutes={planned_minutes(hit, wording)}"
    device = DEVICE if settings.NOTE_DEVICES else ""
    return ", ".join(word for word in (wording.keywords, tag, cell, currency, minutes, device, CHANNEL) if word)


def planned_minutes(hit: Hit, wording: Wording) -> int:
    """Whole minutes that a HIT of this one's condition takes by plan: those of its first HIT, so all read alike."""
    first = Hit.objects.filter(study_id=hit.study_id, cell_id=hit.cell_id).order_by("slot", "pk").first() or hit
    return max(1, math.ceil(time_of(lines_of(first), wording).median / 60))


def time_of(lines: Sequence[ShownLine], wording: Wording) -> WorkTime:
    """The estimated time of a HIT that shows these lines."""
    texts = [text for line in lines for text in (line.text, line.partner) if text]
    words = sum(len(text.body.split()) + len(text.context.split()) for text in texts)
    remarks = len(lines) if wording.follow_ups else 0
    judgments = len(lines) * len(wording.criteria)
    seconds = kind_called(wording.kind).judgment_seconds
    return hit_time(words, judgments=judgments, remarks=remarks, judgment_seconds=seconds)


def _question(hit: Hit, wording: Wording) -> str:
    """The page itself, or where it is too large for that, the address at which we serve it."""
    try:
        return html_question(page_of(hit, wording))
    except QuestionTooLargeError:
        return external_question(page_address(hit))


def page_address(hit: Hit) -> str:
    """Where we serve the page of a HIT; the address cannot be guessed from another's."""
    return settings.HIT_ORIGIN + reverse("hit-page", args=[_SEAL.sign(str(hit.pk))])


def hit_at(token: str) -> Hit | None:
    """The HIT whose page an address names."""
    try:
        pk = int(_SEAL.unsign(token))
    except (signing.BadSignature, ValueError):
        return None
    return Hit.objects.select_related("study", "cell__arm", "wording").filter(pk=pk).first()


_SEAL = signing.Signer(salt="annotation.hit-page", sep=".")


def wording_of(hit: Hit) -> Wording:
    """The version the HIT was designed with. Raises QuestionError where it has none (an imported HIT)."""
    if hit.wording is None:
        raise QuestionError(f"The HIT {hit.slot} of {hit.study} has no wording.")
    return from_json(hit.wording.body)


def page_of(hit: Hit, wording: Wording, lines: Sequence[ShownLine] | None = None, *, shuffle: bool = True) -> str:
    """The HTML of the HIT's page. lines: where they are read already. shuffle False: as they are stored, to look at."""
    return hit_page(
        wording, lines_of(hit) if lines is None else lines, arm=arm_of(hit), seed=hit.study.seed, shuffle=shuffle
    )


def arm_of(hit: Hit) -> Arm:
    arm: Arm = hit.cell.arm.training  # type: ignore[assignment]
    return arm


def lines_of(hit: Hit) -> list[ShownLine]:
    """What the HIT shows, by position: texts, pairs and attention checks."""
    return lines_of_all([hit])[hit.pk]


def lines_of_all(hits: Collection[Hit]) -> dict[int, list[ShownLine]]:
    """The same of several HITs, by their primary keys, in two queries."""
    lines: dict[int, list[ShownLine]] = {hit.pk: [] for hit in hits}
    kinds = {hit.pk: find_kind(hit.study.task) for hit in hits}
    for item in HitItem.objects.filter(hit__in=lines).select_related("text__context", "partner__context"):
        lines[item.hit_id].append(_line(item, kinds[item.hit_id]))
    for check in AttentionCheck.objects.filter(hit__in=lines):
        lines[check.hit_id].append(ShownLine(check.position, expected=check.expected))
    return {pk: sorted(hit_lines, key=lambda line: line.position) for pk, hit_lines in lines.items()}


def _line(item: HitItem, kind: TaskKind | None) -> ShownLine:
    group = ""
    if kind is not None and kind.keeps_contexts:
        group = f"{item.text.context_id}-{item.text.generator_id}" if kind.in_order else str(item.text.context_id)
    return ShownLine(item.position, _text(item.text), _text(item.partner) if item.partner else None, group=group)


def _text(text: Text) -> ShownText:
    return ShownText(text.body, text.context.body if text.context else "")


def history_sentences(study: Study) -> tuple[str, ...]:
    """The same in words."""
    sentences = []
    if study.minimum_approved_hits:
        sentences.append(f"more than {study.minimum_approved_hits} approved HITs")
    if study.minimum_percent_approved:
        sentences.append(f"more than {study.minimum_percent_approved}% approved")
    if study.country:
        sentences.append(f"a country of {study.country}")
    return tuple(sentences)


def history_settings(study: Study) -> tuple[str, ...]:
    """The settings by which the study asks for nothing of that, as commands, the web API and Python name them."""
    numbers = ("minimum_approved_hits", "minimum_percent_approved")
    return (*(f"{name}=0" for name in numbers if getattr(study, name)), *(("country=''",) if study.country else ()))


def history_requirements(study: Study) -> tuple[Requirement, ...]:
    """What the study asks of the accounts of a marketplace; 0 and an empty country ask nothing and are not sent.

    A marketplace checks it for accounts. Assay's does not check it for people who come by an invitation.
    """
    requirements = []
    if study.minimum_approved_hits:
        requirements.append(Requirement(APPROVED_HITS, "GreaterThan", integer=study.minimum_approved_hits))
    if study.minimum_percent_approved:
        requirements.append(Requirement(PERCENT_APPROVED, "GreaterThan", integer=study.minimum_percent_approved))
    if study.country:
        requirements.append(Requirement(LOCALE, "EqualTo", country=study.country))
    return tuple(requirements)
