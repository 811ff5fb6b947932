"""The facts of the ethics pack: what is stored of a study, and what people entered for the pack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from django.db import transaction

from annotation import settings
from annotation.design.kinds import find_kind
from annotation.design.wording import from_json
from annotation.exceptions import StateError
from annotation.models import Arm, AuditEvent, PaperAnswers, Study
from annotation.publishing.cost_estimate import estimate_study
from annotation.reports.papers.pack_texts import ANSWER_KEYS, LANGUAGES, VERSION
from annotation.studies.rows import require_rows

MAX_LETTERS = 4000
DAY = 24 * 3600


@dataclass(frozen=True, slots=True)
class PackFacts:
    """What the sentences state; None: not known, and then nothing is said. answers: by key, in the pack's language.

    reward_cents: of a task, where all conditions pay the same; else reward_range. hourly_cents: at the median time.
    """

    texts_per_task: int | None = None
    pairs_per_task: int | None = None
    minutes: int | None = None
    measured: bool = False
    allowed_minutes: int | None = None
    checks: int | None = None
    reward_cents: int | None = None
    reward_range: tuple[int, int] | None = None
    hourly_cents: int | None = None
    currency: str = ""
    volunteers: bool | None = None
    approval_days: int | None = None
    # What the software does, whatever the study: people return tasks, have pseudonyms, and can be shown what is stored.
    can_return: bool = True
    pseudonyms: bool = True
    can_show_person: bool = True
    has_comments: bool | None = None
    retain_until: date | None = None
    device_days: int | None = None
    on_prolific: bool | None = None
    has_withdrawal_code: bool | None = None
    sharing_question: str | None = None
    contact: str | None = None
    ethics: str | None = None
    sheet_version: str | None = None
    answers: Mapping[str, str] = field(default_factory=dict)


def check_language(language: str) -> str:
    """The language. Raises StateError for one without templates."""
    if language not in LANGUAGES:
        raise StateError(f"There are no texts in {language!r}; there are {', '.join(LANGUAGES)}.").at("language")
    return language


def pack_answers(study: Study, language: str) -> dict[str, str]:
    """What people entered in that language."""
    row = PaperAnswers.objects.filter(study=study, paper=PaperAnswers.Paper.ETHICS, language=language).first()
    return dict(row.answers) if row else {}


def save_pack_answers(study: Study, language: str, answers: Mapping[str, str], *, actor: str, now: datetime) -> None:
    """Store what the pack needs beyond the study; "" deletes an answer. Raises StateError."""
    require_rows(study)
    check_language(language)
    for key, text in answers.items():
        if key not in ANSWER_KEYS:
            raise StateError(f"The pack has no item called {key}; there are {', '.join(ANSWER_KEYS)}.")
        if len(text) > MAX_LETTERS:
            raise StateError(f"An answer has at most {MAX_LETTERS} characters; this one has {len(text)}.").at(key)
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        stored = pack_answers(study, language) | {key: text.strip() for key, text in answers.items()}
        PaperAnswers.objects.update_or_create(
            study=study,
            paper=PaperAnswers.Paper.ETHICS,
            language=language,
            defaults={"answers": {key: text for key, text in stored.items() if text}},
        )
        AuditEvent.objects.record(
            study, "ethics_answers", actor=actor, now=now, language=language, keys=sorted(answers)
        )


def facts_of(study: Study, language: str) -> PackFacts:
    """The facts as they are now."""
    stated = dict(study.statements.values_list("key", "body"))
    bill = estimate_study(study).estimate
    by_arm = Arm.objects.filter(study=study).values_list("reward_cents", flat=True)
    rewards = sorted({study.reward_cents if cents is None else cents for cents in by_arm} or {study.reward_cents})
    kind = find_kind(study.task)
    ways = list(study.ways_in.values_list("kind", "pays"))
    last = study.wordings.last()
    wording = from_json(last.body) if last else None
    on_channel = bool(study.channel_tag) or bool(ways)
    return PackFacts(
        # Of a task that shows contexts with all their texts the number is not fixed: nothing is said.
        texts_per_task=study.texts_per_hit if kind and not (kind.in_pairs or kind.keeps_contexts) else None,
        pairs_per_task=study.texts_per_hit if kind and kind.in_pairs else None,
        minutes=None if bill.minutes is None else max(1, round(bill.minutes)),
        measured=bool(bill.wage and bill.wage.measured),
        allowed_minutes=study.assignment_seconds // 60,
        checks=study.checks_per_hit or None,
        reward_cents=rewards[0] if len(rewards) == 1 and bill.wage else None,
        reward_range=(rewards[0], rewards[-1]) if len(rewards) > 1 else None,
        hourly_cents=bill.wage.median if bill.wage and len(rewards) == 1 else None,
        currency=study.currency,
        volunteers=bool(ways) and all(pays == "volunteer" for _, pays in ways),
        approval_days=study.auto_approval_seconds // DAY or None,
        has_comments=bool(wording and wording.follow_ups),
        sharing_question=wording.fill_nouns(wording.sharing) if wording and wording.sharing else None,
        retain_until=study.retain_until.date() if study.retain_until else None,
        device_days=settings.device_days(),
        on_prolific=any(kind == "prolific" for kind, _ in ways),
        has_withdrawal_code=on_channel,
        contact=stated.get("contact"),
        ethics=stated.get("ethics"),
        sheet_version=VERSION,
        answers=pack_answers(study, language),
    )
