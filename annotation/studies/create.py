"""Create a study with its owner, under a name that is free."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction

from annotation.accounts.models import User
from annotation.design.configure import check_margin
from annotation.design.kinds import DEFAULT, default_wording, kind_called, labels_of
from annotation.design.task_kind import check_questions
from annotation.design.wording import Wording, as_json
from annotation.exceptions import DesignError, StateError
from annotation.models import AuditEvent, Membership, Role, Scale, Study, StudyGroup, StudyWording
from annotation.pricing.currency import DEFAULT_CURRENCY, check_currency


@dataclass(frozen=True, slots=True)
class Plan:
    """The design of a study; the defaults are those of HUSE (Hashimoto et al. 2019, Appendix A.3)."""

    question: str = ""
    noun: str = "text"
    seed: int = 1
    raters_per_text: int = 20
    texts_per_hit: int = 25
    currency: str = DEFAULT_CURRENCY
    reward_cents: int = 100
    assignment_seconds: int = 3600
    minimum_approved_hits: int | None = None
    minimum_percent_approved: int | None = None
    country: str = ""
    evaluators_per_cell: int | None = None
    mix: str = "balanced"
    references_per_hit: int | None = None
    gold_per_hit: int = 0
    repeats_per_hit: int = 0
    checks_per_hit: int = 0
    margin_points: int | None = None
    compare_first: str = ""
    compare_second: str = ""
    compare_criterion: str = ""
    compare_margin: float | None = None
    compare_family: str = ""
    compare_raters: str = ""
    in_nines: bool = False
    once: bool = False
    budget_cents: int | None = None
    floor_cents: int | None = None
    lifetime_seconds: int = 7 * 24 * 3600
    auto_approval_seconds: int = 3 * 24 * 3600
    retain_until: datetime | None = None


def create(
    name: str,
    *,
    mode: str,
    plan: Plan,
    actor: str,
    now: datetime,
    owner: User | None = None,
    scale: Scale | None = None,
    wording: Wording | None = None,
    group: StudyGroup | None = None,
) -> Study:
    """A new draft study: the typicality task in our own words unless a `wording` says otherwise.

    scale: of an imported study, whose labels are those of its file. group: studies that nobody enters twice.

    Raises StateError when the name is taken, DesignError when the name or a value is out of its range.
    """
    with transaction.atomic():
        if Study.objects.filter(name=name).exists():
            raise StateError(f"There is already a study called {name}.").at("name")
        words = wording or default_wording(DEFAULT.name, noun=plan.noun)
        check_questions(kind_called(words.kind), words)
        first = words.criteria[0]
        study = Study(
            name=name,
            mode=mode,
            task=words.kind,
            group=group,
            scale=scale or Scale.objects.matching(first.scale, labels_of(words, first)),
            **{field: getattr(plan, field) for field in plan.__dataclass_fields__ if field not in ("noun", "currency")},
            currency=check_currency(plan.currency),
            noun=words.noun,
            # Tasks stand in a list with their pay, and whoever takes one is in its arm.
            arm_assignment="" if mode == Study.Mode.IMPORTED else Study.ArmAssignment.CHOSEN,
        )
        try:
            study.full_clean()
        except ValidationError as error:
            field, sentences = next(iter(error.message_dict.items()))
            raise DesignError(f"The study's {field} cannot be used: {' '.join(sentences)}").at(field) from error
        check_margin(study)
        study.save()
        reword(study, words, now=now)
        if owner:
            Membership.objects.create(study=study, user=owner, role=Role.OWNER)
        AuditEvent.objects.record(study, "create", actor=actor, now=now, mode=mode)
    return study


def reword(study: Study, wording: Wording, *, now: datetime, actor: str = "") -> StudyWording:
    """Make `wording` the study's, as a new version unless it is the one in use. HITs keep the version they have.

    To go back to an old version, give its words: they are the latest then.

    actor: who changed it, for the audit log ("" while the study is made).

    Raises StateError where the study asks for another kind of task.
    """
    if wording.kind != study.task:
        raise StateError(f"The study {study.name} is a {study.task} task; the task text is for {wording.kind}.")
    check_questions(kind_called(wording.kind), wording)
    digest = wording.digest()
    with transaction.atomic():
        last = study.wordings.select_for_update().last()
        if last and last.digest == digest:
            return last
        version = StudyWording.objects.create(
            study=study, version=last.version + 1 if last else 1, digest=digest, body=as_json(wording), created_at=now
        )
        if actor:
            AuditEvent.objects.record(study, "reword", actor=actor, now=now, version=version.version, digest=digest)
        if actor and not study.hits.exists():
            first = wording.criteria[0]
            scale = Scale.objects.matching(first.scale, labels_of(wording, first))
            Study.objects.filter(pk=study.pk).update(scale=scale, noun=wording.noun)
    return version
