"""manage.py set_conditions STUDY: set the conditions (training, domain, generator) of a draft."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation.design.arrange_cells import arrange
from annotation.design.presets import CLARK, ArmPlan, CellPlan, clark_cells
from annotation.exceptions import DesignError
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Study
from annotation.pricing.currency import DEFAULT_CURRENCY


def cell(text: str) -> CellPlan:
    """Parse TRAINING[,DOMAIN[,GENERATOR]]; an empty part means all."""
    parts = [part.strip() for part in text.split(",")]
    if not 1 <= len(parts) <= 3 or not parts[0]:
        raise argparse.ArgumentTypeError(f"{text!r} does not have the form TRAINING,DOMAIN,GENERATOR")
    return CellPlan(*parts)


def reward(text: str) -> ArmPlan:
    """Parse TRAINING=CENTS."""
    training, equals, cents = text.partition("=")
    if not equals or not cents.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} does not have the form TRAINING=CENTS")
    return ArmPlan(training, int(cents))


class Command(StudyCommand):
    help = "Set a draft study's conditions: --clark for the paper's fifteen, or --cell for each."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--cell", type=cell, action="append", metavar="TRAINING,DOMAIN,GENERATOR")
        which.add_argument("--clark", action="store_true", help="every domain and generator, untrained and trained")
        parser.add_argument(
            "--reward",
            type=reward,
            action="append",
            default=[],
            metavar="TRAINING=CENTS",
            help="in minor units of the study's currency",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        with sentences():
            cells = _clark(study) if options["clark"] else options["cell"]
            # The paper's rewards are in dollars and are not converted.
            usual = CLARK.arms if study.currency == DEFAULT_CURRENCY else ()
            arms = {plan.training: plan for plan in (*usual, *options["reward"])}
            used = [
                arms.get(name, ArmPlan(name, study.reward_cents)) for name in dict.fromkeys(c.training for c in cells)
            ]
            count = arrange(study, used, cells, actor=actor, now=timezone.now())
        self.stdout.write(f"The study {study} has {count} cells.")


def _clark(study: Study) -> list[CellPlan]:
    domains = study.texts.judged().order_by("domain").values_list("domain", flat=True).distinct()
    generators = tuple(study.generators.order_by("pk").values_list("name", flat=True))
    if not domains or not generators:
        raise DesignError(
            f"The study {study.name} has no text of a generator yet, and the paper's conditions follow the domains and "
            "generators of the texts. Add texts first."
        )
    return clark_cells(tuple(domains), generators)
