"""manage.py collect STUDY: fetch submissions from the marketplace and parse them."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from annotation import settings as conf
from annotation.collecting.collect import collect
from annotation.collecting.parse_submissions import read
from annotation.collecting.withdraw import withdraw, withdrawn_on
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.mturk.client import Market
from annotation.reports.take_snapshot import take_after_withdrawal


class Command(StudyCommand):
    help = "Fetch submissions from the marketplace, store them unchanged, and parse them into judgments."

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, _ = self.study_and_actor(options)
        with sentences():
            market = Market(conf.endpoint())
            got = collect(study, market=market, now=timezone.now())
            withdrawn = withdraw(study, withdrawn_on(study, market=market), actor="marketplace", now=timezone.now())
            understood = read(study, now=timezone.now())
            if withdrawn.submissions:
                take_after_withdrawal(study, actor="marketplace", now=timezone.now())
        self.stdout.write(
            f"{got.new} new submissions, {understood.judgments} judgments; {understood.unreadable} could not be read; "
            f"{got.open_hits} HITs still open"
        )
        if withdrawn.submissions:
            self.stdout.write(
                f"{withdrawn.submissions} submissions were withdrawn: {withdrawn.judgments} judgments erased"
            )
