"""manage.py plan_decision: texts, raters and money for a wanted power, or what a budget cannot reach."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.commands.plan import add_pay, counts, terms_of, with_amounts
from annotation.management.lookup import sentences, study_called
from annotation.pricing.currency import format_money
from annotation.pricing.decision_plan import RATERS, DecisionPlan, PlannedStudy, plan_decision
from annotation.reports.study_pilot import pilot_of, spreads_of
from metrics.errors import MetricsError
from metrics.planning import known_pilots, prior_pilot
from metrics.planning.decisions import FEWEST, KINDS, LARGEST, Assumed, Decision
from metrics.planning.rating_power import RatingSpreads, spreads_of_pilot
from metrics.planning.study_size import StudySize

SPREADS = ("text", "slope", "severity", "noise")
NAMES = {
    "ratings": "a difference of {:g} in mean rating",
    "huse_q": "a difference of {:g} in HUSE-Q",
    "huse": "HUSE below 1",
}


def spreads(text: str) -> RatingSpreads:
    """Standard deviations by name: text=0.8,noise=1.2; those not named are 0."""
    try:
        values = {name: float(value) for name, _, value in (part.partition("=") for part in text.split(","))}
        return RatingSpreads(**{**dict.fromkeys(SPREADS, 0.0), **values})
    except (TypeError, ValueError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a list such as text=0.8,slope=0.2,severity=0.5,noise=1.2"
        ) from None


class Command(BaseCommand):
    help = (
        "Find the cheapest study that decides with the power you want: a difference of mean ratings, of HUSE-Q, or "
        "HUSE below 1. Assumptions come from a finished study (PILOT), from a prior study, or are stated."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("decision", choices=KINDS, help="what to decide")
        parser.add_argument("difference", nargs="?", type=float, help="to find: in units of the rating, or of HUSE-Q")
        parser.add_argument("--power", type=float, default=0.8)
        parser.add_argument(
            "--alpha", type=float, default=0.05, help="of the two-sided test, of all comparisons (0.05)"
        )
        parser.add_argument("--comparisons", type=int, default=1, help="declared in the family (1)")
        parser.add_argument("--pilot", metavar="STUDY", help="a study with ratings to learn from")
        parser.add_argument("--generator", default="", help="of the pilot, where it compares several")
        parser.add_argument("--prior", choices=known_pilots(), default=next(iter(known_pilots())))
        parser.add_argument(
            "--spreads", type=spreads, metavar="NAME=SD,..", help="stated: text, slope, severity, noise"
        )
        parser.add_argument("--raters", type=counts, default=list(RATERS), metavar="N,N", help="for each text, to try")
        parser.add_argument("--generators", type=int, default=2, help="in the study, besides the references (2)")
        parser.add_argument("--texts-per-hit", type=int, default=25)
        parser.add_argument("--tasks", type=float, default=1.0, help="that one person does, on average (1)")
        add_pay(parser)
        parser.add_argument("--budget", metavar="AMOUNT")
        parser.add_argument("--studies", type=int, default=1000, help="simulated for each design (1000)")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        with sentences():
            try:
                arguments = with_amounts(options)
                plan = _plan(arguments, self._show_progress if arguments["decision"] != "ratings" else None)
            except (MetricsError, ValueError) as error:
                raise CommandError(str(error), returncode=2) from None
        self.stdout.write(_json(plan, arguments) if options["json"] else "\n".join(_lines(plan, arguments)))

    def _show_progress(self, done: int, of: int) -> None:
        self.stderr.write(f"Simulating studies: {done} of {of} numbers of raters tried.")


def _plan(arguments: dict[str, Any], progress: Callable[[int, int], object] | None) -> DecisionPlan:
    decision = Decision(
        arguments["decision"], arguments["difference"], arguments["power"], arguments["alpha"], arguments["comparisons"]
    )
    decision.check()
    size = StudySize(FEWEST, 2, arguments["texts_per_hit"], arguments["generators"], arguments["tasks"])
    return plan_decision(
        decision,
        _assumed(arguments),
        terms_of(arguments),
        size,
        raters=arguments["raters"],
        budget=arguments["budget"],
        progress=progress,
    )


def _assumed(arguments: dict[str, Any]) -> Assumed:
    """What is stated goes before what a pilot shows, and that before a prior study."""
    how = (arguments["studies"], arguments["seed"])
    if arguments["decision"] == "ratings":
        if arguments["spreads"]:
            return Assumed(None, arguments["spreads"], *how)
        if arguments["pilot"]:
            return Assumed(None, spreads_of(study_called(arguments["pilot"])), *how)
        return Assumed(None, spreads_of_pilot(prior_pilot(arguments["prior"])), *how)
    if arguments["pilot"]:
        return Assumed(pilot_of(study_called(arguments["pilot"]), arguments["generator"]), None, *how)
    return Assumed(prior_pilot(arguments["prior"]), None, *how)


def _json(plan: DecisionPlan, arguments: dict[str, Any]) -> str:
    document = {"schema_version": 1, "currency": arguments["currency"], "assumed": _source(arguments)}
    return json.dumps({**document, **asdict(plan), "missing": plan.missing}, indent=1)


def _source(arguments: dict[str, Any]) -> str:
    if arguments["decision"] == "ratings" and arguments["spreads"]:
        return "stated: " + ", ".join(f"{name} {getattr(arguments['spreads'], name):g}" for name in SPREADS)
    return f"the study {arguments['pilot']}" if arguments["pilot"] else f"the prior study {arguments['prior']}"


def _lines(plan: DecisionPlan, arguments: dict[str, Any]) -> list[str]:
    decision, currency = plan.decision, arguments["currency"]
    what = NAMES[decision.kind].format(decision.difference)
    head = [f"To find {what} with a power of {decision.power:g} (assumed: {_source(arguments)}):"]
    if plan.cheapest is None:
        head.append(f"No study of up to {LARGEST:,} contexts reaches it.")
    else:
        head.append(f"{'contexts':>8} {'texts':>6} {'raters':>6} {'people':>6} {'cost':>11} {'power':>6}")
        head += [_row(planned, currency) for planned in plan.reaching]
        head.append("Raters are those of each text; people are different raters of the study.")
    if plan.budget is not None:
        head += ["", *_budget(plan, currency)]
    return head


def _row(planned: PlannedStudy, currency: str) -> str:
    cost = format_money(planned.cents, currency)
    sizes = f"{planned.contexts:>8,} {planned.texts:>6,} {planned.raters:>6} {planned.people:>6,}"
    return f"{sizes} {cost:>11} {planned.power:>6.2f}"


def _budget(plan: DecisionPlan, currency: str) -> list[str]:
    budget = format_money(plan.budget, currency)
    if plan.cheapest is not None and not plan.missing:
        return [f"The first is within the budget of {budget}."]
    lines = [f"No plan within the budget of {budget} reaches it."]
    if plan.cheapest is not None:
        cost, more = format_money(plan.cheapest.cents, currency), format_money(plan.missing, currency)
        lines.append(f"The cheapest that does costs {cost}, {more} more.")
    if plan.within is None:
        return [*lines, f"The budget pays for no study of {FEWEST} contexts."]
    best = plan.within
    return [
        *lines,
        f"Within it, {best.contexts:,} contexts with {best.raters} raters reach a power of {best.power:.2f}.",
    ]
