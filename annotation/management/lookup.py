"""What the commands share: loading a study, and errors as one sentence."""

from __future__ import annotations

from argparse import _ActionsContainer
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError

from annotation.accounts.models import User
from annotation.exceptions import AssayError
from annotation.models import Role, Study

COMMAND_LINE = "command line"


def allowed_roles(required: Role) -> tuple[str, ...]:
    """Return `required` and the roles above it: they are declared from the highest to the lowest."""
    return tuple(Role.values[: Role.values.index(required) + 1])


def study_called(name: str, *, by: User | None = None, roles: Sequence[str] = ()) -> Study:
    """Return the study of that name. by: a user who needs one of `roles` on it. Raises CommandError (exit code 2)."""
    if not name.isprintable():  # no study is called so; letters of a broken locale reach no database
        raise CommandError(f"There is no study called {name!r}.", returncode=2)
    try:
        return (Study.objects if by is None else Study.objects.with_role(by, *roles)).get(name=name)
    except Study.DoesNotExist:
        where = "" if by is None else f" on which {by.get_username()} may do this"
        raise CommandError(f"There is no study called {name}{where}.", returncode=2) from None


def add_actor(parser: _ActionsContainer) -> None:
    """Add the option that names who acts."""
    parser.add_argument("--as", dest="as_user", metavar="USER", help="user who does this; needs a role that allows it")


def actor_of(options: Mapping[str, Any]) -> tuple[User | None, str]:
    """Return who acts, and the name for the log. Raises CommandError for an unknown user."""
    name = options.get("as_user")
    if not name:
        return None, COMMAND_LINE
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None:
        raise CommandError(f"There is no active user named {name!r}.", returncode=2)
    return user, user.get_username()


@contextmanager
def sentences() -> Iterator[None]:
    """Turn errors of the requester side into one sentence and exit code 2."""
    try:
        yield
    except AssayError as error:
        raise CommandError(str(error), returncode=2) from error
