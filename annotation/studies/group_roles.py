"""Roles that the groups of an identity provider give: added and taken away at each sign-in, never beyond the map.

Only what groups have given is taken away again. A role that a person gave by hand stays, and comes back where a group
had given a larger one.
"""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from annotation.accounts.models import AccountEvent, ProviderIdentity, User
from annotation.exceptions import StateError
from annotation.models import Membership, Role, Study
from annotation.studies.members import enrol

ACTOR = "assay"
INSTALLATION = ""
ORDER = {Role.VIEWER: 0, Role.REVIEWER: 1, Role.EDITOR: 2, Role.OWNER: 3}
STARTED, ENDED, LAST = "owner by a group", "no owner any more by groups", "last owner; groups give no role"

log = logging.getLogger(__name__)


def apply_groups(user: User, groups: frozenset[str], *, now: datetime) -> None:
    """Give `user` the roles that OIDC_ROLES has for these groups, and take away those that groups gave before and do
    not give any more. The last owner of the installation, and of a study, stays one."""
    with transaction.atomic():
        identity = ProviderIdentity.objects.select_for_update().filter(user=user, issuer=settings.OIDC_ISSUER).first()
        if identity is None or not (settings.OIDC_ROLES or identity.roles):
            return
        stored = _changed(user, _expected_roles(groups), dict(identity.roles), now=now)
        if stored != identity.roles:
            identity.roles = stored
            identity.save(update_fields=["roles"])


def disconnect(user: User, *, now: datetime) -> list[str]:
    """Forget which people of providers the user is, and take away the roles that their groups gave.

    Returns where a role stays, as nobody else is an owner there: of the installation (""), of a study (its name).
    """
    with transaction.atomic():
        stay: list[str] = []
        for identity in ProviderIdentity.objects.select_for_update().filter(user=user):
            stored = _changed(user, {}, dict(identity.roles), now=now)
            stay += [str(Study.objects.get(uuid=uuid)) if uuid else INSTALLATION for uuid in stored]
            identity.delete()
        return stay


def _changed(user: User, expected: dict[str, str], before: dict[str, Any], *, now: datetime) -> dict[str, Any]:
    """Change the user's roles to what is expected of groups; what groups have given then."""
    stored = _installation(user, INSTALLATION in expected, before.pop(INSTALLATION, None), now=now)
    for uuid in sorted(before.keys() | expected.keys() - {INSTALLATION}):
        if study := Study.objects.filter(uuid=uuid).first():
            stored |= _study(study, user, expected.get(uuid), before.get(uuid), now=now)
    return stored


def unknown_studies() -> list[str]:
    """Names in OIDC_ROLES that no study has."""
    names = {study for _, _, study in settings.OIDC_ROLES if study}
    return sorted(names - set(Study.objects.filter(name__in=names).values_list("name", flat=True)))


def _expected_roles(groups: frozenset[str]) -> dict[str, str]:
    """By study (or the installation) the largest role that one of the groups has in the map."""
    rules = [(role, study) for group, role, study in settings.OIDC_ROLES if group in groups]
    uuids = dict(Study.objects.filter(name__in=[study for _, study in rules if study]).values_list("name", "uuid"))
    roles: dict[str, str] = {}
    for role, study in sorted(rules, key=lambda rule: ORDER[Role(rule[0])]):
        if not study or study in uuids:
            roles[str(uuids[study]) if study else INSTALLATION] = role
    return roles


def _installation(user: User, expected: bool, before: Any, *, now: datetime) -> dict[str, Any]:
    """Make the user an owner of the installation, or no longer one; what of it groups have given."""
    # Of two last owners who sign in at the same moment, one stays.
    owners = list(User.objects.select_for_update().filter(is_superuser=True, is_active=True).order_by("pk"))
    is_owner = user.pk in {owner.pk for owner in owners}
    by_group = {INSTALLATION: {"role": Role.OWNER.value, "before": None}}
    if expected and not is_owner:
        _set_owner(user, True, STARTED, now=now)
        return by_group
    if expected or before is None or not is_owner:
        return by_group if before is not None and is_owner else {}
    if len(owners) == 1:
        AccountEvent.objects.create(user=user, actor=ACTOR, verb=LAST, at=now)
        return by_group
    _set_owner(user, False, ENDED, now=now)
    return {}


def _set_owner(user: User, owner: bool, verb: str, *, now: datetime) -> None:
    user.is_superuser = user.is_staff = owner
    user.save(update_fields=["is_superuser", "is_staff"])
    AccountEvent.objects.create(user=user, actor=ACTOR, verb=verb, at=now)


def _study(study: Study, user: User, expected: str | None, before: Any, *, now: datetime) -> dict[str, Any]:
    """Change the user's role on a study to what is expected; what of it groups have given."""
    Study.objects.select_for_update().get(pk=study.pk)
    held = Membership.objects.filter(study=study, user=user).values_list("role", flat=True).first()
    by_group = before is not None and held == before["role"]
    by_hand = before["before"] if by_group else held
    larger = expected is not None and (by_hand is None or ORDER[Role(expected)] > ORDER[Role(by_hand)])
    role = expected if larger else by_hand
    if role != held:
        try:
            enrol(study, user, role, actor=ACTOR, now=now, why="groups of the identity provider")
        except StateError as error:
            log.warning("%s keeps the role %s on %s: %s", user, held, study, error)
            return {str(study.uuid): before}
    return {str(study.uuid): {"role": role, "before": by_hand}} if larger else {}
