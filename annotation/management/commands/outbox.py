from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db.models import Count
from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.models import Intent, Role, Study
from annotation.outbox.retry import drop, retry
from annotation.publishing.progress import progress


class Command(StudyCommand):
    help = "Show how far a study is out: HITs, work, money, effects that wait or failed and why; retry or drop those."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        mend = parser.add_mutually_exclusive_group()
        mend.add_argument("--retry", action="store_true", help="try failed effects again, under the tokens they had")
        mend.add_argument("--drop", action="store_true", help="give failed effects up (decisions on pay excepted)")

    def handle(self, *args: Any, **options: Any) -> None:
        mends = options["retry"] or options["drop"]
        study, _, actor = self.asked(options, Role.EDITOR if mends else Role.VIEWER)
        if mends:
            verb = retry if options["retry"] else drop
            done = verb(study, actor=actor, now=timezone.now())
            self.stdout.write(f"{done.effects} effects; ${done.released_cents / 100:,.2f} are no longer set aside.")
        self._tell(study)
        failed = study.intents.filter(state=Intent.State.FAILED)
        for kind, outcome, number in failed.values_list("kind", "outcome").annotate(n=Count("pk")).order_by("kind"):
            self.stderr.write(f"failed: {number} x {kind}: {outcome}")
        if failed.exists():
            raise CommandError("Mend the cause, then --retry; or give them up by --drop.", returncode=1)

    def _tell(self, study: Study) -> None:
        now = progress(study)
        budget = "no limit" if now.budget_cents is None else f"${now.budget_cents / 100:,.2f}"
        self.stdout.write(
            f"{study} is {study.status}. HITs: {now.published} of {now.hits} published. Work: {now.collected} of "
            f"{now.places} places collected, {now.inside} people inside, {now.free} places on offer, {now.judged} "
            f"judgments. Money: ${now.spent_cents / 100:,.2f} spent, ${now.reserved_cents / 100:,.2f} set aside, "
            f"budget {budget}."
        )
        rows = study.intents.order_by("kind", "state").values_list("kind", "state").annotate(n=Count("pk"))
        for kind, state, number in rows:
            self.stdout.write(f"  {kind:<12} {state:<8} {number}")
