"""Create a study with its owner, or refuse a name that is taken."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction

from annotation.accounts.models import User
from annotation.exceptions import DesignError, StateError
from annotation.models import AuditEvent, Membership, Role, Scale, Study
from annotation.scales import TYPICALITY, TYPICALITY_LABELS


@dataclass(frozen=True, slots=True)
class Plan:
    """How a study is laid out; the defaults are those of HUSE (Hashimoto et al. 2019, Appendix A.3)."""

    question: str = ""
    noun: str = "text"
    seed: int = 1
    raters_per_text: int = 20
    texts_per_hit: int = 25
    reward_cents: int = 100
    assignment_seconds: int = 3600
    minimum_approved_hits: int | None = None
    minimum_percent_approved: int | None = None
    country: str = ""


def create(
    name: str,
    *,
    mode: str,
    plan: Plan,
    actor: str,
    now: datetime,
    owner: User | None = None,
    scale: Scale | None = None,
) -> Study:
    """A new draft study on the typicality scale unless another `scale` is given.

    Raises StateError when the name is taken, DesignError when the name or a value is out of its range.
    """
    with transaction.atomic():
        if Study.objects.filter(name=name).exists():
            raise StateError(f"There is already a study called {name}.")
        study = Study(
            name=name,
            mode=mode,
            scale=scale or Scale.objects.ensure(TYPICALITY, TYPICALITY_LABELS),
            **{field: getattr(plan, field) for field in plan.__dataclass_fields__},
        )
        try:
            study.full_clean()
        except ValidationError as error:
            field, sentences = next(iter(error.message_dict.items()))
            raise DesignError(f"The study's {field} cannot be used: {' '.join(sentences)}") from error
        study.save()
        if owner:
            Membership.objects.create(study=study, user=owner, role=Role.OWNER)
        AuditEvent.objects.record(study, "create", actor=actor, now=now, mode=mode)
    return study
