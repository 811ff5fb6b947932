"""What the marketplace's benchmarks stand on: databases of their own, servers in processes, stored work, clients."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import boto3
import httpx
import psycopg
from botocore.config import Config
from psycopg import sql

ROOT = Path(__file__).resolve().parents[2]
TICKS = os.sysconf("SC_CLK_TCK")
QUESTION = (
    '<HTMLQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2011-11-11/HTMLQuestion.xsd">'
    "<HTMLContent><![CDATA[<!DOCTYPE html><html><body><form><p>{}</p><input name='a'></form></body></html>]]>"
    "</HTMLContent><FrameHeight>0</FrameHeight></HTMLQuestion>"
)
HIT = {
    "Title": "Rate a text",
    "Description": "Read it and say how typical it is.",
    "Reward": "0.05",
    "LifetimeInSeconds": 864_000,
    "AssignmentDurationInSeconds": 3_600,
    "MaxAssignments": 9,
    "Question": QUESTION.format("Rate this."),
}

# Run inside the project: ROWS assignments of ten a HIT, a tenth of them undecided, with their answers and money.
SEED = """
import datetime, uuid
from django.db import connection
from annotation.marketplace.core import clock
from annotation.marketplace.models import *
rows, now = {rows}, clock.now()
lab = Requester.objects.get(user__username="bench")
old = now - datetime.timedelta(days=1)
kind = HitType.objects.create(requester=lab, title="Seeded", description="d", reward_cents=5, assignment_seconds=600,
    auto_approval_seconds=2592000, requirements=[], digest="seeded", created_at=old)
workers = WorkerAccount.objects.bulk_create(WorkerAccount(name=f"seed {{i}}", created_at=old) for i in range(200))
hits = Hit.objects.bulk_create([Hit(requester=lab, hit_type=kind, kind="HTMLQuestion", question={question!r},
    max_assignments=10, submitted=1, completed=9, status="Reviewable", created_at=old, expiration=now, settled_at=now,
    due_at=now + datetime.timedelta(days=120)) for i in range(rows // 10)], batch_size=500)
due = now + datetime.timedelta(days=29)
for start in range(0, len(hits), 500):
    made = Assignment.objects.bulk_create([Assignment(hit=hit, worker=workers[(7 * j + number) % 200],
        state="Submitted" if j == 9 else "Approved", accepted_at=old, deadline=now, submitted_at=old,
        auto_approval_at=due, approved_at=None if j == 9 else now, due_at=due if j == 9 else None)
        for number, hit in enumerate(hits[start:start + 500]) for j in range(10)], batch_size=1000)
    Submission.objects.bulk_create([Submission(assignment=a, raw="[]", answer="<QuestionFormAnswers/>" * 20,
        received_at=now) for a in made], batch_size=1000)
    entries = []
    for a in made:
        if a.state == "Approved":
            posting = uuid.uuid4()
            entries += [LedgerEntry(posting=posting, purpose="reward", assignment=a, posted_at=now, amount_cents=cents,
                account=account, requester=lab if account == "requester" else None,
                worker_id=a.worker_id if account == "worker" else None)
                for account, cents in (("requester", -6), ("worker", 5), ("house", 1))]
    LedgerEntry.objects.bulk_create(entries, batch_size=1000)
with connection.cursor() as cursor:
    cursor.execute("ANALYZE")
"""


@dataclass(frozen=True)
class Server:
    """A served web process."""

    pid: int
    origin: str

    def cpu(self) -> float:
        """Seconds of processor time used so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text("ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


@dataclass(frozen=True)
class Market:
    """A database with a requester, and the web processes that serve it."""

    environment: dict[str, str]
    servers: tuple[Server, ...]
    access_key: str
    secret_key: str
    tree: Path = ROOT  # the checkout that is served

    def client(self, number: int = 0) -> Any:
        """A boto3 client of one of the web processes."""
        return boto3.client(
            "mturk",
            endpoint_url=f"{self.servers[number % len(self.servers)].origin}/mturk/",
            region_name="us-east-1",
            aws_access_key_id=self.access_key,
            aws_secret_access_key=self.secret_key,
            config=Config(retries={"mode": "standard", "max_attempts": 1}, max_pool_connections=16, proxies={}),
        )

    def seed(self, rows: int) -> None:
        """Store `rows` handed-in assignments."""
        manage(self.environment, "shell", "-v0", "-c", SEED.format(rows=rows, question=HIT["Question"]))

    def browser(self) -> httpx.Client:
        """A browser in which a new worker is signed in."""
        name = f"worker-{uuid.uuid4().hex[:8]}"
        link = json.loads(manage(self.environment, "worker", name, "--json"))["sign_in_url"]
        browser = httpx.Client(trust_env=False, base_url=self.servers[0].origin)
        path = "/hits/enter/" + link.rpartition("/enter/")[2]
        browser.get(path)
        browser.post(path, data={"csrfmiddlewaretoken": browser.cookies["csrftoken"]})
        return browser


def manage(environment: dict[str, str], *arguments: str, tree: Path = ROOT) -> str:
    command = [sys.executable, str(tree / "manage.py"), *arguments]
    done = subprocess.run(command, env=environment, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"manage.py {arguments[0]} failed: {done.stderr[-4000:]}")
    return done.stdout


@contextmanager
def market(postgres: str, *, processes: int, rows: int = 0, threads: int = 8, tree: Path = ROOT) -> Iterator[Market]:
    """A migrated database beside the one named by `postgres` ("": an SQLite file), served; dropped afterwards.

    tree: the checkout whose code serves it.
    """
    with _database(postgres) as url:
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "deploy.settings.development",
            "DATABASE_URL": url,
            "LOG_LEVEL": "ERROR",
        }
        manage(environment, "migrate", "--verbosity", "0", tree=tree)
        requester = manage(environment, "create_requester", "bench", "--balance", "1000000.00", "--json", tree=tree)
        key = json.loads(requester)
        running = [_serve(environment, threads, tree) for _ in range(processes)]
        try:
            servers = tuple(Server(process.pid, _origin(process)) for process in running)
            found = Market(environment, servers, key["access_key"], key["secret_key"], tree)
            if rows:
                found.seed(rows)
            yield found
        finally:
            for process in running:
                process.terminate()
                process.wait(timeout=30)


@contextmanager
def _database(postgres: str) -> Iterator[str]:
    """The URL of an empty database, dropped afterwards."""
    name = f"assay_bench_{uuid.uuid4().hex[:10]}"
    if not postgres:
        with TemporaryDirectory() as folder:
            yield f"sqlite:///{folder}/{name}.sqlite3"
        return
    with psycopg.connect(postgres, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield re.sub(r"/[^/]*$", f"/{name}", postgres)
        finally:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _serve(environment: dict[str, str], threads: int, tree: Path) -> subprocess.Popen[str]:
    command = [sys.executable, str(tree / "manage.py"), "serve", "--port", "0", "--threads", str(threads)]
    return subprocess.Popen(command, env=environment, cwd=tree, stdout=subprocess.PIPE, text=True)


def _origin(process: subprocess.Popen[str]) -> str:
    line = process.stdout.readline() if process.stdout else ""
    found = re.search(r"http://127\.0\.0\.1:\d+", line)
    if found is None:
        raise RuntimeError(f"the server did not start: {line}")
    return found[0]
