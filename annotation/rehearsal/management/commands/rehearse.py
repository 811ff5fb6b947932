from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db.models import Q
from django.utils import timezone
from tqdm import tqdm

from annotation.crowd.client import Market
from annotation.crowd.records import Endpoint
from annotation.doors import sentences
from annotation.flows.add_texts import add_texts
from annotation.flows.collect import collect
from annotation.flows.create import create
from annotation.flows.design import design as lay_out
from annotation.flows.export import export
from annotation.flows.publish import publish
from annotation.flows.read import read
from annotation.flows.review import approve
from annotation.flows.score import score
from annotation.flows.work import work
from annotation.models import Study, Submission
from annotation.rehearsal import script
from annotation.rehearsal.server import ServerError, served
from annotation.rehearsal.truth import truths_of
from annotation.rehearsal.world import World
from annotation.rehearsal.world.study import Design

ACTOR = "rehearsal"


class Command(BaseCommand):
    help = "Rehearse a whole HUSE study on a simulated crowd, through the marketplace over HTTP, and write its report."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--seed", type=int, default=1, help="same seed, same report apart from dates")
        parser.add_argument("--name", help="the study's name (default: rehearsal and the time)")
        parser.add_argument("--out", type=Path, help="where the report goes (default: var/reports/NAME)")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["name"] or script.stamped(timezone.now())
        out = options["out"] or settings.VAR / "reports" / name
        with sentences():
            study = self._prepare(name, seed=options["seed"])
            with served():
                self._run(study, seed=options["seed"])
            self._report(study, out, seed=options["seed"])

    def _prepare(self, name: str, *, seed: int) -> Study:
        self.world, self.design = World.load(), Design()
        self._step(f"Writing {self.design.texts} headlines: references and a tiny model at three temperatures")
        plan = script.plan(self.design, seed=seed)
        study = create(name, mode="rehearsal", plan=plan, actor=ACTOR, now=timezone.now())
        add_texts(study, script.texts(self.world, self.design, seed=seed), actor=ACTOR, now=timezone.now())
        found = lay_out(study, actor=ACTOR, now=timezone.now())
        dollars = found.total_cents / 100
        self._step(f"Laid out {found.hits} HITs with {found.assignments} assignments: ${dollars:,.2f} with fees")
        self.dollars = -(-found.total_cents // 100)
        return study

    def _run(self, study: Study, *, seed: int) -> None:
        key = script.requester(f"rehearsal-{study.pk}", dollars=self.dollars)
        market = Market(Endpoint(key["endpoint_url"], key["access_key"], key["secret_key"], provider="rehearsal"))
        mine = Q(study=study)
        publish(study, actor=ACTOR, now=timezone.now())
        self._step("Publishing to the marketplace, through boto3")
        self._must(work(mine, market=market, clock=timezone.now))

        members = script.crowd(self.world, self.design, seed=seed)
        total = study.hits.count() * study.raters_per_text
        with tqdm(total=total, desc=f"{len(members)} simulated workers rate", unit=" assignments", mininterval=1) as bar:
            script.rate(members, self.design, seed=seed, progress=bar.update)

        self._step("Collecting, reading and approving")
        collect(study, market=market, now=market.now())
        read(study, now=timezone.now())
        submissions = Submission.objects.filter(hit__study=study)
        approve(study, submissions, actor=None, now=timezone.now())
        self._must(work(mine, market=market, clock=timezone.now))

    def _report(self, study: Study, out: Path, *, seed: int) -> None:
        self._step("Measuring")
        facts = score(study, truths=truths_of(study))
        ...

    def _step(self, sentence: str) -> None:
        self.stdout.write(f"{sentence} ...")
        self.stdout.flush()
