"""The installation that is photographed: `make demo` in small, other studies beside it, served from this process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from annotation.rehearsal.__main__ import isolated_environment
from annotation.rehearsal.prolific_stub.process import running
from tests.screenshots.shots import World

ROOT = Path(__file__).resolve().parents[2]
SIZE = ("--texts", "40", "--raters", "6", "--seed", "3")
# A second study to compare with, and evaluators with their trainings.
BESIDE = (
    ("later", "--texts", "20", "--raters", "6", "--seed", "4"),
    ("evaluated", "--preset", "clark-2021", "--texts", "5", "--evaluators", "4"),
)


def rehearsed(folder: Path) -> None:
    """Finished rehearsals in `folder`: their database, and the report of the first."""
    _run("-m", "annotation.rehearsal", "--folder", str(folder), *SIZE)
    for name, *size in BESIDE:
        _run(
            "manage.py", "rehearse", "--name", name, "--out", str(folder / name), *size, **isolated_environment(folder)
        )


def _run(*words: str, **environment: str) -> None:
    subprocess.run(
        [sys.executable, *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL, env={**os.environ, **environment}
    )


@contextmanager
def served(folder: Path) -> Iterator[World]:
    """Serve the rehearsals in `folder` for as long as pictures are taken."""
    with serving(folder) as origin:
        yield _peopled(origin, folder)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve the installation in `folder`, which may be empty, beside a stand-in for Prolific; its origin."""
    os.environ["DATABASE_URL"] = f"sqlite:///{folder / 'assay.sqlite3'}"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings.development")
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    settings.VAR = folder
    call_command("migrate", verbosity=0)
    with running() as prolific:
        settings.PROLIFIC_API_URL = prolific.url
        yield from _served()


def _served() -> Iterator[str]:
    from waitress import create_server

    from annotation.management.commands.serve import application, follow_port, open_development_account

    server = create_server(application(), host="127.0.0.1", port=0, threads=8)
    follow_port(server.effective_port)
    open_development_account()
    threading.Thread(target=server.run, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.effective_port}"
    finally:
        server.close()


def _peopled(origin: str, folder: Path) -> World:
    from annotation.accounts.models import User
    from tests.screenshots import crowded, staged

    owner, newcomer = (User.objects.get_or_create(username=name)[0] for name in ("owner", "newcomer"))
    staged.plant(owner)
    staged.refresh(owner)
    invitation = crowded.plant(folder)
    cookies = {"owner": session(owner, origin), "newcomer": session(newcomer, origin)}
    cookies["half"] = session(_with_second_factor(), origin)
    return World(
        origin, folder, {**cookies, **crowded.people(invitation, folder)}, {**staged.ids(), **crowded.ids(invitation)}
    )


def _with_second_factor() -> Any:
    """Somebody of whom a code is wanted after the password."""
    from django.utils import timezone

    from annotation.accounts import vault
    from annotation.accounts.models import SecondFactor, User

    person, _ = User.objects.get_or_create(username="grace")
    sealed = vault.seal("JBSWY3DPEHPK3PXP" * 2)
    SecondFactor.objects.get_or_create(user=person, defaults={"sealed_secret": sealed, "confirmed_at": timezone.now()})
    return person


def session(user: Any, origin: str) -> list[dict[str, Any]]:
    """Cookies of a browser in which the user is signed in."""
    from django.conf import settings
    from django.test import Client

    client = Client()
    client.force_login(user)
    return [{"name": settings.SESSION_COOKIE_NAME, "value": client.session.session_key, "url": origin}]
