"""docs/migrating.md is true: each of its files is written, and each of its lines run, in a clean folder.

Commands run in this process, behind the server of the tests instead of `serve`.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from django.core.management import call_command

from annotation.accounts.models import User
from annotation.models import Batch, Judgment, Study
from annotation.mturk.client import Market
from tests.marketplace.people import Person

PAGE = Path(__file__).resolve().parents[3] / "docs/migrating.md"
GOOD = [("taskAnswers", '[{"mood":{"label":"good"}}]')]


def blocks() -> Iterator[tuple[str, str]]:
    """What stands behind each fence (language and file), and the block."""
    for match in re.finditer(r"^```([^\n]*)\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL):
        yield match[1], match[2]


class Reader:
    """Somebody who does what the page says, in its order."""

    def __init__(self, site: str, worker: Callable[[str], Person], monkeypatch: pytest.MonkeyPatch) -> None:
        self.site, self.worker, self.monkeypatch = site, worker, monkeypatch
        self._ann: Person | None = None
        self.names: dict[str, Any] = {}
        self.printed: dict[str, str] = {}

    def take(self, kind: str, text: str) -> None:
        language, _, file = kind.partition(" ")
        if file:
            Path(file).write_text(text)
        elif language == "python":
            self._script(text)
        else:
            for line in text.splitlines():
                (self._export if line.startswith("export ") else self._command)(line)

    def _script(self, text: str) -> None:
        if "list_assignments_for_hit" in text and "create_hit" not in text:
            self.ann().do({"HITId": self.names["hit"]["HITId"]}, GOOD)
        out = io.StringIO()
        self.names["print"] = lambda *words: print(*words, file=out)
        exec(text, self.names)
        self.printed["script"] = out.getvalue()

    def _export(self, line: str) -> None:
        # A script of its own would read the keys anew; in this process, boto3 would go on with those it read before.
        self.monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
        lab = json.loads(self.printed["create_requester"])
        values = {"AWS_ACCESS_KEY_ID": lab["access_key"], "AWS_SECRET_ACCESS_KEY": lab["secret_key"]}
        for word in shlex.split(line)[1:]:
            name, _, value = word.partition("=")
            value = values.get(name, value).replace("http://127.0.0.1:8000", self.site)
            self.monkeypatch.setenv(name, value)

    def _command(self, line: str) -> None:
        program, manage, name, *words = shlex.split(line)
        assert (program, manage) == (".venv/bin/python", "manage.py"), line
        if name == "serve":
            return
        batch = Batch.objects.first()
        if batch is not None:
            words = [word.replace("NUMBER", str(batch.number)) for word in words]
        if "reviewed.csv" in words:
            self._review()
        out = io.StringIO()
        call_command(name, *words, stdout=out, stderr=out)
        self.printed[" ".join((name, *words[:1])) if name == "batches" else name] = out.getvalue()
        if name == "batches" and words[0] == "publish" and "--yes" in words and batch is not None:
            for row in batch.hits.all():
                self.ann().do({"HITId": row.market_id}, GOOD)

    def _review(self) -> None:
        (results,) = Path().glob("Batch_*_batch_results.csv")
        reader = csv.DictReader(io.StringIO(results.read_text()))
        with Path("reviewed.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(reader.fieldnames or ()))
            writer.writeheader()
            writer.writerows({**row, "Approve": "X"} for row in reader)

    def ann(self) -> Person:
        """The worker whose account the page made."""
        if self._ann is None:
            self._ann = self.worker("ann")
        return self._ann


def test_every_line_of_the_page_runs_in_a_clean_folder(
    olga: User,
    site: str,
    market: Market,
    worker: Callable[[str], Person],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    User.objects.filter(pk=olga.pk).update(is_superuser=True)
    (tmp_path / "clean").mkdir()
    monkeypatch.chdir(tmp_path / "clean")
    reader = Reader(site, worker, monkeypatch)
    for kind, text in blocks():
        reader.take(kind, text)
    assert '[{"mood":{"label":"good"}}]' in reader.printed["script"]
    assert reader.printed["batches review"] == "Approved: 2. Rejected: 0.\n"
    assert reader.printed["batches cancel"] == "Canceled; 2 tasks ended.\n"
    assert Study.objects.get().name == "old"
    assert Judgment.objects.count() == 2
    assert (tmp_path / "clean/report/report.html").exists()
    out = io.StringIO()
    call_command("create_worker", "A1OLDWORKER", "--json", stdout=out)
    assert json.loads(out.getvalue())["worker_id"] == "A1OLDWORKER"
