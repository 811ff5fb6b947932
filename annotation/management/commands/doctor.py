"""manage.py doctor: what is wrong with this installation, each fault with its cure."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from annotation.jobs.diagnosis import diagnose

MARKS = {"ok": "ok     ", "warning": "WARNING", "fault": "FAULT  "}


class Command(BaseCommand):
    help = (
        "Check settings, database, disk, queue, hosts, clock, certificates, mail and Chromium; name each fault and its "
        "cure. Nothing is changed. Exit status 1 where there is a fault."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        symptoms = diagnose(now=timezone.now())
        for symptom in symptoms:
            self.stdout.write(f"{MARKS[symptom.state]}  {symptom.subject}: {symptom.sentence}")
            if symptom.cure and symptom.state != "ok":
                self.stdout.write(f"         -> {symptom.cure}")
        faults, warnings = (sum(symptom.state == state for symptom in symptoms) for state in ("fault", "warning"))
        self.stdout.write(f"{faults} fault(s), {warnings} warning(s).")
        if faults:
            sys.exit(1)
