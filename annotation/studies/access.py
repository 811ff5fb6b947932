"""Roles on a study: their ranks and the studies that a user may see."""

from __future__ import annotations

from django.db.models import OuterRef, QuerySet, Subquery, Value

from annotation.accounts.models import User
from annotation.models import Membership, Role, Study

RANKS = {Role.VIEWER: 0, Role.REVIEWER: 1, Role.EDITOR: 2, Role.OWNER: 3}


def studies_of(user: User) -> QuerySet[Study]:
    """The studies that `user` may see, each with the `role` held on it."""
    if user.is_superuser:
        return Study.objects.annotate(role=Value(str(Role.OWNER)))
    held = Membership.objects.filter(user=user, study=OuterRef("pk")).values("role")[:1]
    return Study.objects.visible_to(user).annotate(role=Subquery(held))


def role_reaches(held: str, role: Role) -> bool:
    """Whether the role `held` ("" for none) includes `role`."""
    return bool(held) and RANKS[Role(held)] >= RANKS[role]


def may(study: Study, min_role: str) -> bool:
    """Whether the role held on a study (one of `studies_of`) is at least `least`."""
    return RANKS[Role(study.role)] >= RANKS[Role(min_role)]  # type: ignore[attr-defined]
