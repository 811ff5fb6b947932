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


def user_named(name: str | None) -> User | None:
    """Return the user of that name; None for None. Raises CommandError."""
    if name is None:
        return None
    try:
        return User.objects.get(username=name)
    except User.DoesNotExist:
        raise CommandError(f"There is no user named {name!r}.", returncode=2) from None


def add_owner(parser: _ActionsContainer) -> None:
    """Add the options that name the owner of a new study, and who acts."""
    parser.add_argument(
        "--owner",
        metavar="USER",
        help="owner of the study (default: --as USER, else the only superuser, else the only user)",
    )
    add_actor(parser)


def owner_of(options: Mapping[str, Any]) -> User | None:
    """Return who will own a new study; None where nobody can sign in yet: the first who can sees every study.

    Raises CommandError for an unknown user, and where the owner must be named because there are several.
    """
    if owner := user_named(options.get("owner")) or actor_of(options)[0]:
        return owner
    active = User.objects.filter(is_active=True).order_by("username")
    superusers = list(active.filter(is_superuser=True))
    # Accounts of requesters and of programs have no password.
    people = [user for user in active if user.is_superuser or user.has_usable_password()]
    for users in (superusers, people):
        if len(users) == 1:
            return users[0]
    if not people:
        return None
    names = ", ".join(user.get_username() for user in (superusers or people)[:10])
    raise CommandError(f"Who will own the study? Name a user by --owner, such as one of: {names}.", returncode=2)


@contextmanager
def sentences() -> Iterator[None]:
    """Turn errors of the requester side into one sentence and exit code 2."""
    try:
        yield
    except AssayError as error:
        raise CommandError(str(error), returncode=2) from error
