"""manage.py rehearsal_crowd STUDY: simulated people come to a published rehearsal and do what is on offer."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Count

from annotation.management.lookup import sentences, study_called
from annotation.models import Study
from annotation.rehearsal import certificates
from annotation.rehearsal.crowd.crowd import Day, Member, work_through
from annotation.rehearsal.passer_truths import known_truths
from annotation.rehearsal.passers import Passer, places
from annotation.rehearsal.script import sign_in_url


class Command(BaseCommand):
    help = "Let simulated people do the HITs of a published rehearsal, over HTTP on the worker site that is served."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="NAME")
        parser.add_argument("--seed", type=int, default=1)
        certificates.add_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        study, seed = study_called(options["study"]), options["seed"]
        if study.mode != Study.Mode.REHEARSAL:
            raise CommandError(
                f"The study {study} is {study.mode}; simulated people come to rehearsals only.", returncode=2
            )
        if not _open(study):
            raise CommandError(f"The study {study} has no HIT with a free place at the marketplace.", returncode=2)
        with sentences(), certificates.trusting(options["ca_bundle"]):
            day = _let_them_come(study, seed).or_nothing()
        if options["verbosity"]:
            self.stdout.write(f"{day.handed_in} assignments were submitted; {day.refused} could not be accepted.")
            for truth in known_truths(study):
                self.stdout.write(
                    f"Truth of {truth.criterion}, {truth.source}: {truth.value:.4f} over {truth.texts} texts."
                )


def _let_them_come(study: Study, seed: int) -> Day:
    """Let people do the HITs that are dealt to them; where they are assigned to conditions, what each finds there."""
    turns = places(_open(study), once=study.once)
    if study.arm_assignment != Study.ArmAssignment.DRAWN:
        return _come(study, turns, seed, first=0)
    hits = [address for address, _, _ in _open(study)]
    free = sum(count for _, count, _ in _open(study))
    in_cell = max(Counter(study.hits.exclude(market_id=None).values_list("cell", flat=True)).values())
    each = 1 if study.once else in_cell
    day, come = Day(0, 0), 0
    while day.handed_in < free:
        people = -(-(free - day.handed_in) // each)
        more = _come(study, [[hits[at % len(hits)]] * each for at in range(people)], seed, first=come)
        day, come = Day(day.handed_in + more.handed_in, day.refused + more.refused, more.reasons), come + people
        if not more.handed_in:
            break
    return day


def _come(study: Study, turns: list[list[str]], seed: int, *, first: int) -> Day:
    names = [f"{study.uuid.hex[:8]}-{first + at}" for at in range(len(turns))]
    approved = (study.minimum_approved_hits or 0) + 1  # more than that many are asked for
    members = [Member(sign_in_url(name, seed, approved=approved), Passer(name, seed)) for name in names]
    return work_through(list(zip(members, turns, strict=True)))


def _open(study: Study) -> list[tuple[str, int, int]]:
    """Address, free places and page of each HIT that is out."""
    hits = study.hits.exclude(market_id=None).annotate(got=Count("submissions")).order_by("slot")
    return [
        (f"{settings.WORKER_ORIGIN}/hits/{hit.market_id}/", hit.max_assignments - hit.got, hit.page or 0)
        for hit in hits
        if hit.max_assignments > hit.got
    ]
