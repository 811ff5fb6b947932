"""manage.py fair_pay STUDY: show the median hourly pay of each arm, and raise it by bonuses."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation.jobs.celery_tasks import wake
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Role
from annotation.pricing.currency import format_money
from annotation.pricing.wages import floor_for
from annotation.review.fair_pay import raise_pay
from annotation.review.wages import arm_wages


class Command(StudyCommand):
    help = "Show the median hourly pay of each training arm. --pay raises it to the minimum by bonuses."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--floor",
            type=int,
            metavar="CENTS",
            help="minimum per hour, in minor units (default: the study's, else 15 dollars)",
        )
        parser.add_argument(
            "--pay", action="store_true", help="pay the difference; run again, it pays only what is still missing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options, Role.OWNER if options["pay"] else Role.VIEWER)
        floor = floor_for(study.floor_cents if options["floor"] is None else options["floor"], study.currency)
        money = partial(format_money, currency=study.currency)
        for wage in arm_wages(study, floor_cents=floor):
            self.stdout.write(
                f"{wage.name}: {money(wage.wage_cents)} per hour at the median of {wage.median_seconds:,.0f} s "
                f"({wage.n} submissions); {money(wage.lacking_cents)} per submission below the minimum"
            )
        if not options["pay"]:
            return
        with sentences():
            done = raise_pay(study, floor_cents=floor, actor=actor, now=timezone.now())
        fees = ", fees included" if done.reserved_cents != done.cents else ""
        self.stdout.write(f"{done.bonuses} bonuses, {money(done.cents)}; {money(done.reserved_cents)} reserved{fees}.")
        if done.bonuses and not wake(study.pk):
            self.stdout.write("Run `manage.py work` to pay them.")
