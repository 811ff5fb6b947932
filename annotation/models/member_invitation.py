"""Links by which colleagues come to a study or to the installation."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.study import Role, Study


class MemberInvitation(models.Model):
    """A link that gives a role on `study` once; without a study it gives an account. Of its token a hash is stored."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, null=True, blank=True, related_name="member_invitations")
    role = models.CharField(max_length=10, choices=Role.choices, blank=True)
    token_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(study=None, role="") | Q(study__isnull=False, role__in=Role.values),
                name="member_invitation_has_a_role_on_a_study",
            ),
            models.CheckConstraint(
                condition=Q(used_at=None) | Q(revoked_at=None), name="member_invitation_is_used_or_revoked"
            ),
        ]

    def __str__(self) -> str:
        return f"invitation {self.pk} to {self.study or 'the installation'}"
