"""manage.py outbox STUDY: show progress and marketplace actions; retry or discard failed ones."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db.models import Count
from django.utils import timezone

from annotation.management.commands._study import StudyCommand
from annotation.models import Intent, Role, Study
from annotation.outbox.retry import drop, retry
from annotation.pricing.currency import format_money
from annotation.publishing.progress import progress


class Command(StudyCommand):
    help = "Show progress and pending or failed marketplace actions; retry or discard them."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        repair = parser.add_mutually_exclusive_group()
        repair.add_argument("--retry", action="store_true", help="retry failed actions, with the same request tokens")
        repair.add_argument("--drop", action="store_true", help="discard failed actions (except decisions on payment)")

    def handle(self, *args: Any, **options: Any) -> None:
        changes = options["retry"] or options["drop"]
        study, _, actor = self.study_and_actor(options, Role.EDITOR if changes else Role.VIEWER)
        if changes:
            verb = retry if options["retry"] else drop
            done = verb(study, actor=actor, now=timezone.now())
            self.stdout.write(
                f"{done.effects} actions; {format_money(done.released_cents, study.currency)} are no longer reserved."
            )
        self._tell(study)
        failed = study.intents.filter(state=Intent.State.FAILED)
        for kind, outcome, number in failed.values_list("kind", "outcome").annotate(n=Count("pk")).order_by("kind"):
            self.stderr.write(f"failed: {number} x {kind}: {outcome}")
        if failed.exists():
            raise CommandError("Fix the cause and use --retry, or discard with --drop.", returncode=1)

    def _tell(self, study: Study) -> None:
        now = progress(study)
        budget = "no limit" if now.budget_cents is None else f"{format_money(now.budget_cents, study.currency)}"
        self.stdout.write(
            f"{study} is {study.status}. HITs: {now.published} of {now.hits} published. Work: {now.collected} of "
            f"{now.places} places collected, {now.inside} assignments in progress, {now.free} places available, "
            f"{now.judged} judgments. Money: {format_money(now.spent_cents, study.currency)} spent, "
            f"{format_money(now.reserved_cents, study.currency)} reserved, budget {budget}."
        )
        rows = study.intents.order_by("kind", "state").values_list("kind", "state").annotate(n=Count("pk"))
        for kind, state, number in rows:
            self.stdout.write(f"  {kind:<12} {state:<8} {number}")
