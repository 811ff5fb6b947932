"""The installation that is photographed: `make demo` in small, served from this process."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.screenshots.shots import World

ROOT = Path(__file__).resolve().parents[2]
SIZE = ("--texts", "40", "--raters", "6", "--seed", "3")


def rehearsed(folder: Path) -> None:
    """A finished rehearsal in `folder`: its database and its report."""
    command = [sys.executable, "-m", "annotation.rehearsal", "--folder", str(folder), *SIZE]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def served(folder: Path) -> Iterator[World]:
    """Serve the rehearsal in `folder` for as long as pictures are taken."""
    os.environ["DATABASE_URL"] = f"sqlite:///{folder / 'assay.sqlite3'}"
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings.development")
    import django

    django.setup()
    from django.core.management import call_command
    from waitress import create_server

    from annotation.management.commands.serve import application, follow_port

    call_command("migrate", verbosity=0)
    server = create_server(application(), host="127.0.0.1", port=0, threads=8)
    follow_port(server.effective_port)
    threading.Thread(target=server.run, daemon=True).start()
    try:
        yield _peopled(f"http://127.0.0.1:{server.effective_port}", folder)
    finally:
        server.close()


def _peopled(origin: str, folder: Path) -> World:
    from django.utils import timezone

    from annotation.flows import jobs
    from annotation.flows.create import Plan, create
    from annotation.flows.unblind import unblind
    from annotation.models import Membership, Role, Study
    from annotation.running import run_due

    study = Study.objects.get(name="demo")
    draft = Study.objects.filter(name="draft").first() or create(
        "draft", mode="live", plan=Plan(question="How natural is each reply?"), actor="owner", now=timezone.now()
    )
    owner, newcomer = (_user(name) for name in ("owner", "newcomer"))
    for one in (study, draft):
        Membership.objects.get_or_create(study=one, user=owner, role=Role.OWNER)
    if unblind(study, actor="owner", now=timezone.now()):
        jobs.ask("report", by=owner, now=timezone.now(), study=study)
        run_due()
    cookies = {"owner": _session(owner, origin), "newcomer": _session(newcomer, origin), "worker": _worker(origin)}
    return World(origin, folder, cookies, str(study.uuid), str(draft.uuid), **_more(owner, draft))


def _more(owner: Any, draft: Any) -> dict[str, str]:
    """Work that waits for decisions, a pile of 10,000 texts, and a job that failed."""
    from django.utils import timezone

    from annotation.flows.assess import assess
    from annotation.flows.create import Plan, create
    from annotation.models import Job, Membership, Role, Study, Submission, Text
    from tests.annotation.review.world import make

    judged, now = Study.objects.filter(name="judged").first(), timezone.now()
    if judged is None:
        judged = make(workers=8, hits=4, texts=10, reasons=True, now=now)
        assess(judged, now=now)
        large = create("large", mode="live", plan=Plan(noun="headline"), actor="owner", now=now)
        words = "The council votes on the harbour, the bridge and the old station again, number {}"
        texts = (Text(study=large, key=f"r{at:05d}", body=words.format(at), source="reference") for at in range(10_000))
        Text.objects.bulk_create(texts, batch_size=1_000)
        Job.objects.create(
            study=draft, kind="report", state="failed", created_at=now, finished_at=now, asked_by=owner,
            problem="The study draft cannot be scored: it has no ratings.",
        )  # fmt: skip
        for one in (judged, large):
            Membership.objects.create(study=one, user=owner, role=Role.OWNER)
    work = Submission.objects.filter(hit__study=judged).select_related("worker").order_by("pk")[0]
    return {
        "judged": str(judged.uuid),
        "large": str(Study.objects.get(name="large").uuid),
        "failed": str(Job.objects.get(state="failed").uuid),
        "assignment": work.market_id,
        "worker": work.worker.pseudonym,
    }


def _user(name: str) -> Any:
    from annotation.accounts.models import User

    return User.objects.get_or_create(username=name)[0]


def _session(user: Any, origin: str) -> list[dict[str, Any]]:
    from django.conf import settings
    from django.test import Client

    client = Client()
    client.force_login(user)
    return [{"name": settings.SESSION_COOKIE_NAME, "value": client.session.session_key, "url": origin}]


def _worker(origin: str) -> list[dict[str, Any]]:
    from django.core.management import call_command

    out = io.StringIO()
    call_command(
        "worker", "photographed", "--approved", "500", "--percent", "99", "--locale", "US", "--json", stdout=out
    )
    link = json.loads(out.getvalue())["sign_in_url"]
    answer = httpx.get(link, trust_env=False, timeout=30)
    return [{"name": name, "value": value, "url": f"{origin}/hits/"} for name, value in answer.cookies.items()]
