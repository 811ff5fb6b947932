"""Texts that people agree to or are told at the end, each kept under its hash."""

from __future__ import annotations

import hashlib

from django.db import models


class WordingManager(models.Manager["Wording"]):
    def of(self, text: str) -> Wording:
        """The row of `text`, made on first sight. Line ends and outer blank lines are not part of a version."""
        plain = "\n".join(line.rstrip() for line in text.strip().splitlines())
        digest = hashlib.sha256(plain.encode()).hexdigest()
        return self.get_or_create(digest=digest, defaults={"text": plain})[0]


class Wording(models.Model):
    """A text. Its version is the SHA-256 of its characters, so that a changed text is another version."""

    digest = models.CharField(max_length=64, unique=True)
    text = models.TextField()

    objects = WordingManager()

    def __str__(self) -> str:
        return self.version

    @property
    def version(self) -> str:
        """The first twelve digits of the hash: enough to name it on a page."""
        return self.digest[:12]
