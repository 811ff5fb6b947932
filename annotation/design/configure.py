"""Change the settings of a draft, unless its HITs were created with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction

from annotation.design.kinds import asks
from annotation.design.wording import as_json, from_json, rename_texts
from annotation.exceptions import DesignError, StateError
from annotation.models import AuditEvent, Study, StudyWording
from annotation.pricing.currency import check_currency
from metrics.data.answer_types import AnswerType

DEALT = {"seed", "raters_per_text", "texts_per_hit", "evaluators_per_cell", "mix", "references_per_hit", "gold_per_hit",
         "repeats_per_hit", "checks_per_hit", "in_nines", "once", "reward_cents", "noun", "currency"}  # fmt: skip
# These are looked at when work is published or paid, not when texts are dealt: they may change after the layout.
LATER = {"question", "budget_cents", "floor_cents", "assignment_seconds", "lifetime_seconds",
         "auto_approval_seconds", "country", "minimum_approved_hits", "minimum_percent_approved", "mode",
         "margin_points", "compare_first", "compare_second", "compare_criterion", "compare_margin",
         "compare_family", "compare_raters", "draw_seed"}  # fmt: skip
# These are never sent to a marketplace: they may change at any time.
EVER = {"retain_until"}


def configure(study: Study, changes: Mapping[str, object], *, actor: str, now: datetime) -> list[str]:
    """Set these fields of a draft (how long ids are kept: of any study); the names of those that are different now.

    Raises StateError once the study is published, or where a change would need its HITs to be created again;
    DesignError naming the value that is out of its range.
    """
    if unknown := sorted(set(changes) - DEALT - LATER - EVER):
        raise DesignError(f"A study has no setting {unknown[0]}.").at(unknown[0])
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        changed = sorted(name for name, value in changes.items() if getattr(locked, name) != value)
        _require_changeable(locked, changed)
        if "currency" in changed:
            _change_currency(locked, changes)
        for name in changed:
            setattr(locked, name, changes[name])
        _check(locked, changed)
        if changed:
            locked.save(update_fields=changed)
            if "noun" in changed:
                _rename(locked, now)
            values = {name: _as_fact(changes[name]) for name in changed}
            AuditEvent.objects.record(locked, "configure", actor=actor, now=now, changed=values)
    for name in changed:
        setattr(study, name, changes[name])
    return changed


def _require_changeable(study: Study, changed: list[str]) -> None:
    if study.status != Study.Status.DRAFT and set(changed) - EVER:
        raise StateError(f"The study {study.name} is {study.status}; its settings are fixed.")
    dealt = sorted(DEALT.intersection(changed))
    if dealt and study.hits.exists():
        problem = f"The tasks of {study.name} use its {dealt[0]}. Discard the tasks, then change it."
        raise StateError(problem).at(dealt[0])


def _change_currency(study: Study, changes: Mapping[str, object]) -> None:
    """Require every amount of the study anew, as none is converted; conditions then pay the study's reward."""
    currency = check_currency(str(changes["currency"]))
    if currency != changes["currency"]:
        raise DesignError(f"Write the currency as {currency}.").at("currency")
    amounts = {"reward_cents": "reward per task", "budget_cents": "budget", "floor_cents": "minimum hourly pay"}
    for name, words in amounts.items():
        if getattr(study, name) and name not in changes:
            raise DesignError(
                f"The {words} of {study.name} is in {study.currency} and is not converted. "
                f"Enter it in {currency} together with the currency."
            ).at("currency")
    study.arms.update(reward_cents=None)


def _check(study: Study, changed: Sequence[str]) -> None:
    """The new values alone: an imported study may hold others that nobody would choose today."""
    try:
        study.clean_fields(exclude=[field.name for field in Study._meta.fields if field.name not in changed])
        study.clean()
        study.validate_constraints()
    except ValidationError as error:
        field, sentences = next(iter(error.message_dict.items()))
        raise DesignError(f"The study's {field} cannot be used: {' '.join(sentences)}").at(field) from error
    if "margin_points" in changed:
        check_margin(study)


def check_margin(study: Study) -> None:
    """Raise DesignError for a margin around chance where nobody guesses who wrote a text."""
    if study.margin_points is not None and not asks(study.task, AnswerType.TWO_SIDED):
        problem = (
            "The study's margin_points cannot be used: A margin around chance is of studies of human or machine only."
        )
        raise DesignError(problem).at("margin_points")


def _rename(study: Study, now: datetime) -> None:
    """The pages call the texts so too: a new version of the wording, unless it does already."""
    last = study.wordings.last()
    before = from_json(last.body) if last else None
    if last is None or before is None or before.noun == study.noun:
        return
    wording = rename_texts(before, study.noun)
    StudyWording.objects.create(
        study=study, version=last.version + 1, digest=wording.digest(), body=as_json(wording), created_at=now
    )


def _as_fact(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value
