"""manage.py reconcile STUDY: compare a study with the marketplace, HIT by HIT, and fix what differs."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation import settings as conf
from annotation.collecting.reconcile import adopt, close_ghost, compare, write_off
from annotation.jobs.celery_tasks import wake
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Role
from annotation.mturk.client import Market


class Command(StudyCommand):
    help = "Compare a study with the marketplace, HIT by HIT: each difference with its reason and its fix."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--adopt", action="store_true", help="store the ids of HITs that were created but not recorded"
        )
        parser.add_argument("--close-ghost", metavar="HIT_ID", help="expire a HIT that belongs to no study")
        parser.add_argument(
            "--write-off", action="store_true", help="mark HITs that the marketplace no longer has as deleted"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        changes = options["adopt"] or options["close_ghost"] or options["write_off"]
        study, _, actor = self.study_and_actor(options, Role.EDITOR if changes else Role.VIEWER)
        who: dict[str, Any] = {"actor": actor, "now": timezone.now()}
        with sentences():
            market = Market(conf.endpoint())
            if options["adopt"]:
                self.stdout.write(f"{adopt(study, market=market, **who)} HITs adopted.")
            if options["write_off"]:
                self.stdout.write(f"{write_off(study, market=market, **who)} HITs written off.")
            if options["close_ghost"]:
                close_ghost(study, options["close_ghost"], market=market, **who)
                if not wake(study.pk):
                    self.stdout.write("Run `manage.py work` to carry this out on the marketplace.")
            comparison = compare(study, market=market)
        self.stdout.write(
            f"{comparison.ours} HITs here, {comparison.theirs} on the marketplace; "
            f"{len(comparison.differences)} differences."
        )
        for difference in comparison.differences:
            name = f"HIT {difference.hit}" if difference.hit else "Ghost HIT"
            self.stdout.write(
                f"{name} {difference.market_id}: here {difference.ours}, there {difference.theirs}. "
                f"{difference.reason} Fix: {difference.mend}."
            )
