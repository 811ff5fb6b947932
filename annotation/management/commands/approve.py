import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.jobs.celery_tasks import wake
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Role, Submission
from annotation.review import assignment as desk
from annotation.review.approve import approve
from annotation.review.assignment import Preview

ANY = "any"


def _told(seen: Preview) -> str:
    fees = f" and ${seen.fee_cents / 100:,.2f} in fees" if seen.fee_cents else ""
    return (
        f"{len(seen.submissions)} submissions wait: ${seen.cents / 100:,.2f} in rewards{fees}, "
        f"${seen.total_cents / 100:,.2f} in all; {seen.flagged} of them are flagged."
    )


class Command(StudyCommand):
    help = (
        "Approve payment of every submission of a study that nobody has decided on (manage.py work tells the market)."
    )

    least = Role.REVIEWER

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--yes", nargs="?", const=ANY, default="", metavar="CODE",
            help="approve without asking; with the code that was shown: only where nothing has changed since",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        study, user, _ = self.asked(options)
        mine = Submission.objects.filter(hit__study=study)
        seen = desk.preview_of(study, mine)
        self.stdout.write(_told(seen))
        with sentences():
            shown = self._confirmed(seen, options["yes"]) if seen.submissions else seen.shown
            found = approve(study, mine, actor=user, now=timezone.now(), shown=shown)
        self.stdout.write(f"{found.decided} approved ({found.already} had been decided before)")
        if found.proposed:
            self.stdout.write(f"{found.proposed} wait for a second person, for somebody proposed to refuse them.")
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
