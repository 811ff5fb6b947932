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
    help = "Why do these numbers differ? Compare a study with the marketplace, HIT by HIT, with reasons and mends."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--adopt", action="store_true", help="write down ids of HITs that were created and lost")
        parser.add_argument("--close-ghost", metavar="HIT_ID", help="let nobody new into a HIT that no study knows")
        parser.add_argument(
            "--write-off", action="store_true", help="take HITs that the marketplace no longer has for gone"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        mends = options["adopt"] or options["close_ghost"] or options["write_off"]
        study, _, actor = self.asked(options, Role.EDITOR if mends else Role.VIEWER)
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
                    self.stdout.write("Run `manage.py work` to tell the marketplace.")
            found = compare(study, market=market)
        self.stdout.write(f"{found.ours} HITs here, {found.theirs} there; {len(found.differences)} differences.")
        for one in found.differences:
            name = f"HIT {one.hit}" if one.hit else "a ghost"
            self.stdout.write(
                f"{name} {one.market_id}: here {one.ours}, there {one.theirs}. {one.reason} Mend: {one.mend}."
            )
