from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Q
from django.utils import timezone
from tqdm import tqdm

from annotation.collecting.collect import collect
from annotation.collecting.parse_submissions import read
from annotation.design.arrange_cells import arrange
from annotation.design.lay_out import Design as Laid
from annotation.design.lay_out import design as lay_out
from annotation.design.presets import CLARK
from annotation.design.queries import arm_assignment
from annotation.importing.add_texts import add_texts
from annotation.management.lookup import add_owner, owner_of, sentences
from annotation.models import Study, Submission
from annotation.mturk.client import Market
from annotation.mturk.records import Endpoint
from annotation.outbox.worker import Work, work
from annotation.pricing.currency import DEFAULT_CURRENCY, format_money
from annotation.publishing.publish import publish
from annotation.rehearsal import certificates, clark, script
from annotation.rehearsal.backend import TinyModel
from annotation.rehearsal.evaluators import evaluators_text
from annotation.rehearsal.implied_truths import ImpliedTruths, find_truths
from annotation.rehearsal.lines import MeasureLine, accuracy_lines, huse_lines, lines_text
from annotation.rehearsal.server import served
from annotation.rehearsal.truth import known_truths
from annotation.rehearsal.without_crowd import score_human_likelihood, take_near_negative_tests
from annotation.rehearsal.world import Design, World
from annotation.reports.evaluator_judgments import FACTORS, score_evaluators
from annotation.reports.export import Exported, export
from annotation.reports.take_snapshot import take
from annotation.review.approve import approve
from annotation.studies.create import Plan, create
from annotation.texts.log_probs.score_now import score_texts
from metrics.report.build import report_of
from metrics.report.formats.plain_text import table
from metrics.report.records import Truth
from metrics.report.result import Report
from metrics.report.wording import plural

ACTOR = "rehearsal"
EVALUATED = "human-or-machine"


@dataclass(frozen=True, slots=True)
class AllFour:
    """The studies of a rehearsal of all four papers: typicality, and human or machine."""

    design: Design
    size: clark.Size


class Command(BaseCommand):
    help = "Rehearse a whole HUSE study on a simulated crowd, through the marketplace over HTTP, and write its report."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--preset",
            choices=["all", "huse-2019", "clark-2021"],
            default="huse-2019",
            help="all: both studies, and the measures without a crowd, with their truths",
        )
        parser.add_argument(
            "--evaluators", type=int, help="per condition (clark-2021: 130; all: four times the raters of a text)"
        )
        parser.add_argument("--seed", type=int, default=1, help="same seed, same report except for dates")
        parser.add_argument("--texts", type=int, default=100, help="texts per source (truths are known for 100)")
        parser.add_argument("--raters", type=int, default=20, help="raters per text (truths are known for 20)")
        parser.add_argument("--currency", default=DEFAULT_CURRENCY, help="ISO 4217, of reward and play money")
        parser.add_argument("--reward", help="per task, in the currency (default: 1.00 in dollars)")
        parser.add_argument("--name", help="the study's name (default: rehearsal and the time)")
        parser.add_argument("--out", type=Path, help="folder of the report (default: var/reports/NAME)")
        add_owner(parser)
        certificates.add_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        wish, self.owner = wished(options), owner_of(options)
        # A rehearsal goes out on our own marketplace, whichever one the settings name.
        settings.MTURK_FEES = settings.MARKETPLACE_FEES
        settings.PSEUDONYM_SEED = f"rehearsal {options['seed']}"
        with certificates.trusting(options["ca_bundle"]):
            if isinstance(wish, AllFour):
                self._all(options, wish)
            elif isinstance(wish, clark.Size):
                self._clark(options, wish)
            else:
                self._huse(options, wish)

    def _all(self, options: dict[str, Any], wish: AllFour) -> None:
        """The measures of all four papers, each printed beside its truth."""
        seed, name = options["seed"], options["name"] or script.stamped(timezone.now())
        out = options["out"] or settings.VAR / "reports" / name
        world = World.load()
        with sentences():
            plan = script.plan(wish.design, seed=seed)
            rated, cents = self._prepare(name, world, wish.design, plan, seed=seed)
            judged, layout = self._prepare_clark(f"{name}-{EVALUATED}", world, wish.size, seed=seed)
            with served(tell=self._step):
                self._run(rated, world, wish.design, cents=cents, seed=seed)
                market = self._publish(judged, cents=layout.total_cents)
                self._evaluate(world, judged, layout.assignments, seed=seed)
                self._close(judged, market)
            self._step("Building near-negative tests from the ratings; the model takes them, and reads every text")
            truths = find_truths(world, wish.design)
            lines = self._measure_without_crowd(rated, world, wish.design, truths, out)
            self._step("Measuring")
            command = f"manage.py rehearse --preset all --seed {seed}"
            report, _ = self._export(rated, out, command, seed=seed, truths=known_truths(wish.design))
            self._export(judged, out / EVALUATED, command, seed=seed)
            lines = [*huse_lines(report), *accuracy_lines(score_evaluators(judged), truths.accuracies), *lines]
        self.stdout.write(f"\n{lines_text(lines)}\n")
        for folder in (out, out / EVALUATED):
            self.stdout.write(f"The report: {_relative(folder / 'report.html')}")

    def _huse(self, options: dict[str, Any], design: Design) -> None:
        """Texts of several decodings, each rated by many."""
        seed = options["seed"]
        name = options["name"] or script.stamped(timezone.now())
        world = World.load()
        with sentences():
            plan = script.plan(design, seed=seed, pay=script.pay_in(options["currency"], options["reward"]))
            study, cents = self._prepare(name, world, design, plan, seed=seed)
            with served(tell=self._step):
                self._run(study, world, design, cents=cents, seed=seed)
            self._report(study, options["out"] or settings.VAR / "reports" / name, design, seed=seed)

    def _measure_without_crowd(
        self, study: Study, world: World, design: Design, truths: ImpliedTruths, out: Path
    ) -> list[MeasureLine]:
        tests = take_near_negative_tests(study, world, design, truths, out, actor=ACTOR, now=timezone.now())
        return [*tests, *score_human_likelihood(study, world, truths, out, actor=ACTOR, now=timezone.now())]

    def _clark(self, options: dict[str, Any], size: clark.Size) -> None:
        """Fifteen cells of evaluators, each person in one of them."""
        seed, name = options["seed"], options["name"] or script.stamped(timezone.now())
        out = options["out"] or settings.VAR / "reports" / name
        world = World.load()
        with sentences():
            study, layout = self._prepare_clark(name, world, size, seed=seed)
            with served(tell=self._step):
                market = self._publish(study, cents=layout.total_cents)
                self._evaluate(world, study, layout.assignments, seed=seed)
                self._close(study, market)
            self._tell(study, out)

    def _prepare_clark(self, name: str, world: World, size: clark.Size, *, seed: int) -> tuple[Study, Laid]:
        self._step(f"Writing {size.texts} headlines of each source for {plural(len(size.domains), 'domain')}")
        words = clark.wording(world, seed=seed)
        plan = clark.plan(size, seed=seed)
        study = create(
            name, mode="rehearsal", plan=plan, wording=words, actor=ACTOR, now=timezone.now(), owner=self.owner
        )
        add_texts(study, clark.texts(world, size, seed=seed), actor=ACTOR, now=timezone.now())
        arrange(study, CLARK.arms, clark.cells(size), actor=ACTOR, now=timezone.now())
        layout = lay_out(study, actor=ACTOR, now=timezone.now())
        cost = f"{format_money(layout.total_cents, study.currency)} at most"
        self._step(
            f"Created {layout.hits} HITs in {layout.cells} conditions with {layout.assignments} assignments, {cost}"
        )
        return study, layout

    def _evaluate(self, world: World, study: Study, places: int, *, seed: int) -> None:
        members = clark.evaluators(world, places, seed=seed)
        turns = clark.turns(study)
        with tqdm(
            total=places, desc="evaluators", unit=" assignments", mininterval=1, ascii=True, file=self.stdout
        ) as b:
            day = clark.take_part(members, turns, progress=b.update)
        sentence = clark.tries_again("evaluator-00001", turns[-1], seed=seed)
        if day.handed_in != places or not sentence:
            raise CommandError(
                f"{day.handed_in} of {places} took part; the answer to a second try was {sentence!r}.", returncode=1
            )
        self._step(f"A worker who tries a second HIT reads: {sentence}")

    def _publish(self, study: Study, *, cents: int) -> Market:
        key = script.requester(f"rehearsal-{study.pk}", balance=cents, currency=study.currency)
        market = Market(Endpoint(key["endpoint_url"], key["access_key"], key["secret_key"], provider="rehearsal"))
        publish(study, actor=ACTOR, now=timezone.now())
        self._step("Publishing to the marketplace through boto3")
        self._must(work(Q(study=study), market=market, clock=timezone.now))
        return market

    def _close(self, study: Study, market: Market) -> None:
        self._step("Collecting, reading and approving")
        collect(study, market=market, now=timezone.now())
        read(study, now=timezone.now())
        approve(study, Submission.objects.filter(hit__study=study), actor=None, now=timezone.now())
        self._must(work(Q(study=study), market=market, clock=timezone.now))

    def _tell(self, study: Study, out: Path) -> None:
        self._step("Measuring")
        judged = score_evaluators(study)
        out.mkdir(parents=True, exist_ok=True)
        with (out / "judgments.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["rater", "item", "truth", "rating", *FACTORS])
            for judgment in judged:
                values = [judgment.rater, judgment.item, judgment.truth, judgment.rating]
                rows.writerow([*values, *judgment.factors.values()])
        text = evaluators_text(judged, assigned=arm_assignment(study))
        self.stdout.write(f"\n{text}\n\nThe judgments: {_relative(out / 'judgments.csv')}")

    def _prepare(self, name: str, world: World, design: Design, plan: Plan, *, seed: int) -> tuple[Study, int]:
        self._step(
            f"Writing {design.texts} headlines: references, and a tiny model at {len(design.temperatures)} temperatures"
        )
        study = create(name, mode="rehearsal", plan=plan, actor=ACTOR, now=timezone.now(), owner=self.owner)
        add_texts(study, script.texts(world, design, seed=seed), actor=ACTOR, now=timezone.now())
        for t in design.temperatures:
            name, model = script.generator_name(t), TinyModel(world, t)
            score_texts(study, backend=model, generator=name, actor=ACTOR, now=timezone.now())
        layout = lay_out(study, actor=ACTOR, now=timezone.now())
        cost = f"{format_money(layout.total_cents, study.currency)} at most"
        self._step(f"Created {layout.hits} HITs with {layout.assignments} assignments, {cost}")
        return study, layout.total_cents

    def _run(self, study: Study, world: World, design: Design, *, cents: int, seed: int) -> None:
        market = self._publish(study, cents=cents)
        self._rate(world, design, seed=seed)
        self._close(study, market)

    def _rate(self, world: World, design: Design, *, seed: int) -> None:
        members = script.crowd(world, design, seed=seed)
        total = -(-design.texts // design.texts_per_hit) * design.ratings
        what = f"{len(members)} simulated workers"
        with tqdm(total=total, desc=what, unit=" assignments", mininterval=1, ascii=True, file=self.stdout) as bar:
            day = script.rate(members, design, seed=seed, progress=bar.update)
        day.or_nothing()
        if day.refused:
            raise CommandError(f"The crowd could not accept {day.refused} assignments.", returncode=1)

    def _report(self, study: Study, out: Path, design: Design, *, seed: int) -> None:
        self._step("Measuring")
        command = f"manage.py rehearse --seed {seed}"
        report, done = self._export(study, out, command, seed=seed, truths=known_truths(design))
        self.stdout.write(f"\n{table(report)}")
        others = ", ".join(path.name for path in done.paths if path.suffix != ".html")
        self.stdout.write(f"The report: {_relative(out / 'report.html')}\nOther files: {others}")

    def _export(
        self, study: Study, out: Path, command: str, *, seed: int, truths: Mapping[str, Truth] | None = None
    ) -> tuple[Report, Exported]:
        """Take a snapshot, and write its report."""
        snapshot = take(study, actor=ACTOR, reason="rehearsal", now=timezone.now(), command=command, truths=truths)
        report = report_of(snapshot, seed=seed)
        at = snapshot.header.created_at
        return report, export(report, out, study=study, actor=ACTOR, now=at, snapshot=snapshot)

    def _must(self, done: Work) -> None:
        """A rehearsal stops where a real study would wait for a person."""
        if done.failed or done.waiting:
            raise CommandError(
                f"{done.failed} marketplace actions failed and {done.waiting} are pending: see the intents.",
                returncode=1,
            )

    def _step(self, sentence: str) -> None:
        self.stdout.write(f"{sentence} ...")
        self.stdout.flush()


def _relative(path: Path) -> Path:
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def wished(options: Mapping[str, Any]) -> AllFour | clark.Size | Design:
    """The studies asked for; CommandError (exit code 2) with a sentence where they cannot be."""
    if options["preset"] == "huse-2019":
        with sentences():
            script.pay_in(options["currency"], options["reward"])
        return _design(options)
    if options["currency"] != DEFAULT_CURRENCY or options["reward"] is not None:
        raise CommandError(
            "--currency and --reward are for --preset huse-2019. clark-2021 pays in dollars.", returncode=2
        )
    if options["preset"] == "all":
        design, evaluators = _design(options), options["evaluators"] or 4 * options["raters"]
        return AllFour(design, clark.four_trainings(options["texts"], evaluators))
    return _size(options)


def _size(options: Mapping[str, Any]) -> clark.Size:
    evaluators = 130 if options["evaluators"] is None else options["evaluators"]
    size = clark.Size(texts=min(options["texts"], 50), evaluators=evaluators)
    if options["seed"] < 0 or size.evaluators < 1 or size.texts < 5:
        raise CommandError("--seed is at least 0, --evaluators at least 1 and --texts at least 5.", returncode=2)
    return size


def _design(options: Mapping[str, Any]) -> Design:
    texts, raters = options["texts"], options["raters"]
    design = Design(references=texts, generated=texts, ratings=raters)
    if options["seed"] < 0:
        raise CommandError("--seed is a whole number of at least 0.", returncode=2)
    if not 20 <= texts <= 1000:
        raise CommandError("--texts is a whole number from 20 to 1000.", returncode=2)
    if not 1 <= raters <= design.crowd:
        raise CommandError(f"--raters is a whole number from 1 to {design.crowd}.", returncode=2)
    return design
