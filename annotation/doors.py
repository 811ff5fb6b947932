"""What the commands share: finding a study, and saying errors in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError

from annotation.exceptions import AssayError
from annotation.models import Study


def study_called(name: str) -> Study:
    """The study of that name, or a CommandError (exit code 2)."""
    try:
        return Study.objects.get(name=name)
    except Study.DoesNotExist:
        raise CommandError(f"There is no study called {name}.", returncode=2) from None


@contextmanager
def sentences() -> Iterator[None]:
    """Turn errors of the requester side into one sentence and exit code 2."""
    try:
        yield
    except AssayError as error:
        raise CommandError(str(error), returncode=2) from error
