"""manage.py approve STUDY: approve every undecided submission."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.jobs.celery_tasks import wake
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Role, Submission
from annotation.pricing.currency import format_money
from annotation.review import assignment
from annotation.review.approve import approve
from annotation.review.assignment import Preview

ANY = "any"


def _describe(seen: Preview, *, currency: str) -> str:
    fees = f" and {format_money(seen.fee_cents, currency)} in fees" if seen.fee_cents else ""
    return (
        f"{len(seen.submissions)} submissions to decide: {format_money(seen.cents, currency)} in rewards{fees}, "
        f"{format_money(seen.total_cents, currency)} in total; {seen.flagged} of them are flagged."
    )


class Command(StudyCommand):
    help = "Approve every undecided submission of a study. `manage.py work` carries it out on the marketplace."

    required_role = Role.REVIEWER

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--yes", nargs="?", const=ANY, default="", metavar="CODE",
            help="approve without asking; with CODE: only if nothing has changed since the code was shown",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        study, user, _ = self.study_and_actor(options)
        mine = Submission.objects.filter(hit__study=study)
        seen = assignment.preview_of(study, mine)
        self.stdout.write(_describe(seen, currency=study.currency))
        with sentences():
            shown = self._confirmed(seen, options["yes"]) if seen.submissions else seen.shown
            done = approve(study, mine, actor=user, now=timezone.now(), shown=shown)
        self.stdout.write(f"{done.decided} approved ({done.already} were decided before)")
        if done.proposed:
            self.stdout.write(f"{done.proposed} need a second reviewer (rejection proposed).")
        wake(study.pk)

    def _confirmed(self, seen: Preview, yes: str) -> str:
        """The code of what may be approved: what was just shown, or what was shown before."""
        if yes:
            return seen.shown if yes == ANY else yes
        if sys.stdin is None or sys.stdin.closed or not sys.stdin.isatty():
            raise CommandError(f"Nothing was approved. To approve exactly this, add --yes {seen.shown}", returncode=2)
        if input("Approve them? Type yes: ").strip().lower() != "yes":
            raise CommandError("Nothing was approved.", returncode=2)
        return seen.shown
