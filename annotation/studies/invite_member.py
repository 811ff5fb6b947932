"""Invite colleagues by a link that works once: to a study, with a role, or to the installation."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.accounts.models import User
from annotation.exceptions import StateError
from annotation.models import AuditEvent, MemberInvitation, Membership, Role, Study
from annotation.studies.access import role_reaches

LIFE = timedelta(days=7)
# Of one study, or of the installation, at the same time: more are a mistake or a program out of control.
MAX_PENDING = 50


class InvitationError(StateError):
    """A link that cannot be used. The sentence is for the person who opened it."""


@dataclass(frozen=True, slots=True)
class Issued:
    """The invitation, and its token, which is shown once."""

    invitation: MemberInvitation
    token: str

    @property
    def address(self) -> str:
        """What is sent to the colleague."""
        return f"{settings.CONSOLE_ORIGIN}{reverse('console:join', args=[self.token])}"


def invite_member(study: Study, role: str, *, by: User, now: datetime) -> Issued:
    """Create a link that makes its first user a member of the study. Raises StateError at 50 pending links."""
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        issued = _issue(by, now, study=study, role=Role(role))
        facts = {"invitation": issued.invitation.pk, "role": role}
        AuditEvent.objects.record(study, "invite_member", actor=by.get_username(), now=now, **facts)
    return issued


def invite_colleague(*, by: User, now: datetime) -> Issued:
    """Create a link to an account of this installation. Raises StateError for a user who does not own it."""
    if not by.is_superuser:
        raise StateError("Only an owner of the installation can invite colleagues to it.")
    return _issue(by, now)


def _issue(by: User, now: datetime, *, study: Study | None = None, role: str = "") -> Issued:
    if pending_invitations(study, now=now).count() >= MAX_PENDING:
        raise StateError(f"{MAX_PENDING} invitation links are pending. Revoke one, then create another.")
    token = secrets.token_urlsafe(32)
    row = MemberInvitation.objects.create(
        study=study, role=role, token_hash=_hashed(token), invited_by=by, created_at=now, expires_at=now + LIFE
    )
    return Issued(row, token)


def pending_invitations(study: Study | None, *, now: datetime) -> QuerySet[MemberInvitation]:
    """Return the links that still work, newest first; without a study those to the installation."""
    rows = MemberInvitation.objects.filter(study=study, used_at=None, revoked_at=None, expires_at__gt=now)
    return rows.select_related("invited_by").order_by("-pk")


def revoke_invitation(invitation: MemberInvitation, *, by: User, now: datetime) -> bool:
    """End a link before it was used; False where it was used or revoked before."""
    with transaction.atomic():
        rows = MemberInvitation.objects.filter(pk=invitation.pk, used_at=None, revoked_at=None)
        revoked = bool(rows.update(revoked_at=now))
        if revoked and invitation.study is not None:
            facts = {"invitation": invitation.pk, "role": invitation.role}
            actor = by.get_username()
            AuditEvent.objects.record(invitation.study, "revoke_invitation", actor=actor, now=now, **facts)
    return revoked


def find_invitation(token: str, *, now: datetime) -> MemberInvitation:
    """Return what the token of a link leads to. Raises InvitationError saying why it cannot be used."""
    rows = MemberInvitation.objects.select_related("study", "invited_by")
    row = rows.filter(token_hash=_hashed(token)).first()
    if row is None:
        raise InvitationError(_("This invitation link is not known. Copy it again, from the first letter to the last."))
    if row.used_at is not None:
        raise InvitationError(_("This invitation link was used before. Each link works once. Ask for a new one."))
    if row.revoked_at is not None or not _may_invite(row):
        raise InvitationError(_("This invitation link was revoked. Ask the person who sent it for a new one."))
    if row.expires_at <= now:
        raise InvitationError(_("This invitation link has expired. Ask the person who sent it for a new one."))
    return row


def _may_invite(row: MemberInvitation) -> bool:
    """Whether who made the link could make it now: a link is worth nothing once its maker may not invite any more."""
    by = row.invited_by
    if not by.is_active or by.is_superuser:
        return by.is_active
    return Membership.objects.filter(study=row.study_id, user=by, role=Role.OWNER).exists()


def role_held(invitation: MemberInvitation, user: User) -> str:
    """Return the role that `user` holds on the study of the link; "" for none."""
    rows = Membership.objects.filter(study=invitation.study_id, user=user)
    return rows.values_list("role", flat=True).first() or ""


def accept_invitation(token: str, user: User, *, now: datetime) -> MemberInvitation:
    """Spend the link: `user` gets its role. Of two uses at the same moment one finds it used.

    Raises InvitationError where the link cannot be used, or where the user holds that role or a higher one already: the
    link is not spent then, so that it can be passed on.
    """
    with transaction.atomic():
        row = find_invitation(token, now=now)
        if row.study is not None:
            Study.objects.select_for_update().get(pk=row.study.pk)
            if role_reaches(role_held(row, user), Role(row.role)):
                raise InvitationError(_("Your role on this study is as high already. The link was not used."))
        if not MemberInvitation.objects.filter(pk=row.pk, used_at=None, revoked_at=None).update(
            used_at=now, used_by=user
        ):
            raise InvitationError(_("This invitation link was used before. Each link works once. Ask for a new one."))
        if row.study is not None:
            Membership.objects.update_or_create(study=row.study, user=user, defaults={"role": row.role})
            facts = {"invitation": row.pk, "user": user.get_username(), "role": row.role}
            AuditEvent.objects.record(row.study, "join", actor=user.get_username(), now=now, **facts)
    return row


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
