"""Users, access keys and tokens, sessions of the console, second factors, and what was done to accounts."""

from __future__ import annotations

import base64
import hashlib
import secrets
from datetime import datetime

from django.contrib.auth.models import AbstractUser
from django.db import models

from annotation.accounts import vault


class User(AbstractUser):
    """A person who signs in to the console, or in whose name the Requester API is called."""


class AccessKeyManager(models.Manager["AccessKey"]):
    def issue(self, user: User) -> tuple[AccessKey, str]:
        """Create a key for `user`; returns the row and its secret, which is shown once."""
        secret = base64.b64encode(secrets.token_bytes(30)).decode()
        key_id = "AKIA" + base64.b32encode(secrets.token_bytes(10)).decode()
        return self.create(user=user, key_id=key_id, sealed_secret=vault.seal(secret)), secret

    def active(self) -> models.QuerySet[AccessKey]:
        return self.filter(revoked_at=None, user__is_active=True)


class AccessKey(models.Model):
    """A key pair for signing Requester API calls (SigV4). The secret is stored encrypted, never logged."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="access_keys")
    key_id = models.CharField(max_length=32, unique=True)
    sealed_secret = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = AccessKeyManager()

    def __str__(self) -> str:
        return self.key_id

    def secret(self) -> str:
        """The plain secret, for checking a signature."""
        return vault.unseal(self.sealed_secret)

    def revoke(self, *, now: datetime) -> None:
        type(self).objects.filter(pk=self.pk, revoked_at=None).update(revoked_at=now)


class EntryLink(models.Model):
    """A link that signs a user in to the console once. Only what its token hashes to is stored."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="entry_links")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"link for {self.user}"


class ApiTokenManager(models.Manager["ApiToken"]):
    def issue(self, user: User, *, name: str, now: datetime) -> tuple[ApiToken, str]:
        """A new token of `user` for the web API: the row, and the token itself, which is shown once."""
        token = "assay_" + secrets.token_urlsafe(32)
        return self.create(user=user, name=name[:60], digest=token_digest(token), created_at=now), token

    def find(self, token: str) -> ApiToken | None:
        """The token's row, while neither it nor the person has been shut out."""
        valid = self.filter(digest=token_digest(token), revoked_at=None, user__is_active=True)
        return valid.select_related("user").first()

    def user_of(self, token: str) -> User | None:
        """Whose token it is, while neither it nor the person has been shut out."""
        token_row = self.find(token)
        return token_row.user if token_row else None


def token_digest(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


class ApiToken(models.Model):
    """Lets programs act through the web API as the person who made it. Of the token only the SHA-256 is kept."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60, help_text="What it is for.")
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    calls = models.PositiveIntegerField(default=0, help_text="Calls in the present minute.")
    minute_ends = models.DateTimeField(null=True, blank=True)

    objects = ApiTokenManager()

    def __str__(self) -> str:
        return f"{self.user}: {self.name}"

    def revoke(self, *, now: datetime) -> None:
        type(self).objects.filter(pk=self.pk, revoked_at=None).update(revoked_at=now)


class ConsoleSession(models.Model):
    """A browser in which somebody is signed in to the console. network: the address, shortened."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="console_sessions")
    session_token = models.CharField(max_length=40, unique=True)
    device = models.CharField(max_length=60)
    network = models.CharField(max_length=45)
    began_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.user}: {self.device}"


class SecondFactor(models.Model):
    """What a person shows after the password: codes by time (RFC 6238), and codes that were printed, each once.

    confirmed_at: None until a first code has shown that the app has the secret. last_step: of the last code that was
    used; an older one is not believed again. recovery_hashes: of the printed codes that are left.
    """

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="second_factor")
    sealed_secret = models.TextField()
    confirmed_at = models.DateTimeField(null=True, blank=True)
    last_step = models.BigIntegerField(default=0)
    recovery_hashes = models.JSONField(default=list)
    failures = models.PositiveIntegerField(default=0)
    waits_until = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"second factor of {self.user}"


class AccountEvent(models.Model):
    """What was done to an account, by whom: second factors, sessions ended, sign-ins through a provider."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="account_events")
    actor = models.CharField(max_length=150)
    verb = models.CharField(max_length=40)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.user}: {self.verb}"


class ProviderIdentity(models.Model):
    """Who an account is at an OpenID Connect provider: bound at the first sign-in, so that a mail address that is given
    to somebody else there opens nothing here."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="provider_identities")
    issuer = models.URLField(max_length=300)
    subject = models.CharField(max_length=255)
    bound_at = models.DateTimeField()
    roles: models.JSONField = models.JSONField(
        default=dict,
        help_text='What groups gave at the last sign-in: role and earlier role by study (UUID; "": installation).',
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="identity_of_one_account"),
            models.UniqueConstraint(fields=["issuer", "user"], name="one_identity_at_a_provider"),
        ]

    def __str__(self) -> str:
        return f"{self.user} at {self.issuer}"
