"""Files that people bring, and somebody who does the long work."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from annotation.accounts.models import User
from annotation.hits.batches.create_batch import BatchPlan, create_batch
from annotation.jobs.run import run_due
from annotation.models import Batch, Job

HEADER = "id,text,source,generator,log_prob\n"
REFERENCES = [f"r{at},Reference number {at} is about the harbour,reference,,-{at + 4}\n" for at in range(10)]
MODELS = [f"m{at},Model number {at} is about the roof,model,tiny,-{at + 5}\n" for at in range(10)]
SOUND = HEADER + "".join(REFERENCES + MODELS)
BROKEN = HEADER + "r0,Good,reference,,\nr0,Twice,reference,,\nm0,,model,tiny,-3\n"


def csv(content: str, name: str = "texts.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode(), "text/csv")


def brought(client: Client, address: str, content: str, **more: str) -> Job:
    """Upload a file by a page's form and let the work loop check it."""
    answer = client.post(address, {"file": csv(content), **more})
    assert answer.status_code == 302, answer.content.decode()
    run_due(clock=timezone.now)
    return Job.objects.get(uuid=answer["Location"].rstrip("/").split("/")[-1])


def draft_batch(owner: User, folder: Path, now: datetime) -> Batch:
    """A batch of a template and a table of two rows."""
    template = (
        '<script src="https://assets.crowd.aws/crowd-html-elements.js"></script><crowd-form>'
        '<crowd-classifier name="mood" header="Which mood?" categories="[\'good\', \'bad\']">'
        "<classification-target>${text}</classification-target></crowd-classifier></crowd-form>"
    )
    plan = BatchPlan("moods", "Which mood?", "Read one sentence.", "text, mood", 10, 3, 600, 604_800, 259_200)
    table = folder / "sentences.csv"
    table.write_text('text,source\nWhat a day.,a\n"It rained & rained.",b\n')
    return create_batch(template, table, plan, owner=owner, now=now)
