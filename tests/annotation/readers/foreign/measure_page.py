"""100,000 rows through the page, on a new database: python -m tests.annotation.readers.foreign.measure_page [ROWS]."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import threading
import time
from pathlib import Path


def peak_mb() -> int:
    match = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(match[1]) // 1024 if match else 0


def write(path: Path, rows: int) -> None:
    """A sheet with a prompt, a text by a person and one by a model in each row."""
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(["prompt", "human", "gpt2"])
    for at in range(rows):
        sheet.append(
            [f"Prompt {at}", f"A person wrote text {at} about rain.", f"The model wrote text {at} about rain."]
        )
    book.save(path)


def main(rows: int) -> None:
    """Print seconds and peak memory of each step, with the progress that was seen."""
    with tempfile.TemporaryDirectory() as name:
        os.environ |= {
            "DATABASE_URL": f"sqlite:///{name}/db.sqlite3",
            "DJANGO_SETTINGS_MODULE": "deploy.settings.development",
        }
        import django

        django.setup()
        from django.conf import settings
        from django.core.management import call_command

        settings.VAR, settings.ALLOWED_HOSTS = Path(name), ["*"]
        call_command("migrate", verbosity=0)
        path = Path(name) / "wide.xlsx"
        write(path, rows)
        print(f"{rows:,} rows, {path.stat().st_size / 1e6:.0f} MB; {peak_mb()} MB before", flush=True)
        _through_the_page(path, rows)


def _through_the_page(path: Path, rows: int) -> None:
    from django.test import Client
    from django.utils import timezone
    from lxml import html

    from annotation.accounts.models import User
    from annotation.jobs.run import run_due
    from annotation.models import Job
    from annotation.studies.create import Plan, create

    owner = User.objects.create_superuser("owner")
    study = create("large", mode="rehearsal", plan=Plan(), actor="owner", now=timezone.now(), owner=owner)
    client = Client()
    client.force_login(owner)

    def step(what: str, deed: object) -> object:
        seen: set[str] = set()
        stop = threading.Event()

        def watch() -> None:
            while not stop.wait(0.3):
                seen.update(f"{job.step} {job.done:,}" for job in Job.objects.filter(state="running"))

        watcher = threading.Thread(target=watch)
        watcher.start()
        began = time.monotonic()
        result = deed()  # type: ignore[operator]
        stop.set()
        watcher.join()
        print(
            f"{what}: {time.monotonic() - began:.0f} s, peak {peak_mb()} MB, {len(seen)} steps of progress seen",
            flush=True,
        )
        return result

    with path.open("rb") as file:
        answer = step("upload", lambda: client.post(f"/console/studies/{study.uuid}/texts/add/", {"file": file}))
    step("first look", lambda: run_due())
    look = Job.objects.get()
    address = f"/console/studies/{study.uuid}/texts/add/{look.uuid}/"
    (form,) = [form for form in html.fromstring(client.get(address).content).forms if form.xpath('.//*[@id="columns"]')]
    values: dict[str, list[str]] = {}
    for name, value in form.form_values():
        values.setdefault(name, []).append(value)
    client.post(address, values)
    step("check", lambda: run_due())
    check = Job.objects.get(kind="check_texts")
    client.post(f"/console/studies/{study.uuid}/texts/confirm/", {"job": check.uuid})
    step("store", lambda: run_due())
    print(f"{study.texts.count():,} texts in the study; {answer}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
