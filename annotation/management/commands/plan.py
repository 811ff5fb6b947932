"""manage.py plan: estimate cost, hourly pay and precision of a study before anything is spent."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from annotation.collecting import counts as collecting_counts
from annotation.exceptions import DesignError
from annotation.management.lookup import sentences, study_called
from annotation.pricing.currency import DEFAULT_CURRENCY, check_currency, format_money, parse_amount
from annotation.pricing.fees import Fees
from annotation.pricing.precision import Layout, Option, next_options, options
from annotation.pricing.quotes import Quote, Terms, quote
from annotation.pricing.wages import (
    Wage,
    WorkTime,
    estimated_time,
    floor_for,
    measured_time,
    reward_for_floor,
    wage,
)
from annotation.reports.study_pilot import pilot_of
from metrics.errors import MetricsError
from metrics.planning import Pilot, known_pilots, prior_pilot


def counts(text: str) -> list[int]:
    """Whole numbers above 0, with commas between."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of whole numbers such as 50,100,200")
    return numbers


def add_pay(parser: CommandParser) -> None:
    """Add the options that say what an assignment pays."""
    parser.add_argument("--currency", default=DEFAULT_CURRENCY, metavar="CODE", help="of every amount (ISO 4217)")
    parser.add_argument("--reward", metavar="AMOUNT", help="of a HIT, such as 1.25 (default: 1.00 in dollars)")
    parser.add_argument("--bonus", default="0", metavar="AMOUNT")
    parser.add_argument("--excluded", type=float, default=0.0, help="share of work expected to be replaced")
    parser.add_argument("--fees", choices=[*Fees], default="", help="fees of the marketplace (default: MTURK_FEES)")
    parser.add_argument("--masters", action="store_true")
    parser.add_argument("--large-hits", action="store_true", help="do not split HITs into nine places")


class Command(BaseCommand):
    help = (
        "Price a design, show the wage it pays and how exact HUSE will be, learning from a finished study (PILOT) or "
        "from a named prior study."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("pilot", nargs="?", metavar="PILOT", help="a study with ratings to learn from")
        parser.add_argument("--prior", choices=known_pilots(), default=next(iter(known_pilots())))
        parser.add_argument("--generator", default="", help="of the pilot, where it compares several")
        parser.add_argument("--contexts", type=counts, default=[50, 100, 200], metavar="N,N", help="references")
        parser.add_argument("--raters", type=counts, default=[5, 10, 20], metavar="N,N", help="for each text")
        parser.add_argument("--generators", type=int, default=1, help="compared in the study (references are shared)")
        parser.add_argument("--texts-per-hit", type=int, default=25)
        add_pay(parser)
        parser.add_argument("--seconds", type=float, help="for one HIT, where it was measured elsewhere")
        parser.add_argument("--words-a-text", type=float, default=60, help="to estimate the time, context included")
        parser.add_argument("--floor", metavar="AMOUNT", help="minimum per hour (default: 15.00 in dollars, else none)")
        parser.add_argument("--budget", metavar="AMOUNT")
        parser.add_argument(
            "--more", metavar="AMOUNT", help="also show what this amount more would add (default: 100.00 in dollars)"
        )
        parser.add_argument("--studies", type=int, default=400, help="simulated for each design")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        with sentences():
            try:
                plan = _plan(with_amounts(options))
            except (MetricsError, ValueError) as error:
                raise CommandError(str(error), returncode=2) from None
        self.stdout.write(json.dumps(plan.as_json(), indent=1) if options["json"] else plan.text())


def with_amounts(options: dict[str, Any]) -> dict[str, Any]:
    """The options with their amounts in minor units. Raises DesignError for a bad amount or a missing reward."""
    currency = check_currency(options["currency"])
    usual = {"reward": "1.00", "more": "100.00"} if currency == DEFAULT_CURRENCY else {"more": "0"}
    texts = {name: options.get(name) or usual.get(name) for name in ("reward", "bonus", "floor", "budget", "more")}
    if texts["reward"] is None:
        raise DesignError(f"Enter --reward in {currency}: there is no usual reward in it.").at("reward")
    amounts = {name: None if text is None else parse_amount(text, currency) for name, text in texts.items()}
    return {**options, **amounts, "currency": currency, "floor": floor_for(amounts["floor"], currency)}


@dataclass(frozen=True)
class _Plan:
    """Everything the command shows. more: what the next dollars add to the last option, whose bill and wage it is."""

    pilot: Pilot
    table: list[Option]
    more: list[Option]
    bill: Quote
    time: WorkTime
    pay: Wage
    extra: int
    budget: int | None
    currency: str

    def money(self, minor: int | None) -> str:
        return format_money(minor, self.currency)

    def as_json(self) -> dict[str, Any]:
        return {
            "schema_version": 1,
            "pilot": self.pilot.name,
            "currency": self.currency,
            "bill": {**asdict(self.bill), "total": self.bill.total, "saving": self.bill.saving},
            "wage": asdict(self.pay),
            "table": [asdict(option) for option in self.table],
            "more": [asdict(option) for option in self.more],
        }

    def text(self) -> str:
        buys = [*self._buys(), ""] if self.extra else []
        return "\n".join([*self._rows(), "", *buys, *self._bill(), "", *self._wage()])

    def _rows(self) -> list[str]:
        head = f"Expected from {self.pilot.name} ({self.pilot.n} texts); half-widths of 95% intervals:"
        title = f"{'contexts':>8} {'raters':>6} {'cost':>11} {'HUSE':>6} {'':>6} {'HUSE-Q':>6} {'':>6} {'HUSE-D':>6}"
        return [head, title, *(self._row(option) for option in self.table)]

    def _row(self, option: Option) -> str:
        mean, half = option.precision.mean, option.precision.half_width
        cells = " ".join(f"{mean[name]:6.2f} ±{half(name):5.3f}" for name in ("huse", "huse_q", "huse_d"))
        return f"{option.layout.contexts:>8} {option.layout.raters:>6} {self.money(option.cents):>11} {cells}"

    def _buys(self) -> list[str]:
        largest = self.table[-1]
        heading = f"{self.money(self.extra)} more than {_name(largest)} buy"
        if not self.more:
            return [f"{heading} nothing: a whole rater or HIT costs more."]
        return [f"{heading}:", *(f"{self._row(option)}  {option.bought}" for option in self.more)]

    def _bill(self) -> list[str]:
        lines = [f"  {line.what:<24} {line.count:>7,} x {self.money(line.each)} = {self.money(line.cents)}"
                 for line in self.bill.lines]  # fmt: skip
        total = f"  {'total':<24} {'':>7}           {self.money(self.bill.total)} in {self.bill.hits} HITs"
        split = "HITs of nine places" if self.bill.in_nines else "large HITs"
        saved = f"; {split} {'save' if self.bill.in_nines else 'cost'} {self.money(self.bill.saving)}"
        over = self.bill.missing(self.budget)
        warn = [f"  {self.money(over)} over the budget of {self.money(self.budget or 0)}"] if over else []
        return [f"Bill of {_name(self.table[-1])}:", *lines, total + (saved if self.bill.saving else ""), *warn]

    def _wage(self) -> list[str]:
        how = "measured" if self.pay.measured else "estimated"
        quartiles = " / ".join(f"{self.money(cents)}" for cents in (self.pay.quick, self.pay.median, self.pay.slow))
        lines = [f"Hourly pay ({how}; quick quarter / median / slow quarter): {quartiles}"]
        if self.pay.floor is not None and self.pay.slow_below_floor:
            who = "half" if self.pay.below_floor else "a quarter"
            reward_cents = reward_for_floor(self.time, floor=self.pay.floor)
            lines.append(
                f"  At least {who} of the workers would earn less than {self.money(self.pay.floor)}: "
                f"a reward of {self.money(reward_cents)} would pay it to three quarters of them."
            )
        return lines


def _name(option: Option) -> str:
    return f"{option.layout.contexts} contexts with {option.layout.raters} raters"


def _plan(arguments: dict[str, Any]) -> _Plan:
    terms = terms_of(arguments)
    if arguments["generators"] < 1 or arguments["texts_per_hit"] < 1:
        raise ValueError("A study compares at least one generator and a HIT holds at least one text.")
    pilot = _pilot(arguments)
    shape = (arguments["generators"], arguments["texts_per_hit"])
    layouts = [Layout(n, r, *shape) for n in arguments["contexts"] for r in arguments["raters"]]
    how = {"studies": arguments["studies"], "seed": arguments["seed"]}
    with tqdm(total=len(layouts), desc="simulating", unit=" designs", disable=arguments["json"] or None) as bar:
        table = options(pilot, terms, layouts, progress=lambda done, _: bar.update(done - bar.n), **how)
    extra = arguments["more"]
    more = next_options(pilot, terms, layouts[-1], cents=extra, **how) if extra else []
    time = _time(arguments)
    pay = wage(terms.reward_cents + terms.bonus_cents, time, floor=arguments["floor"])
    bill = quote(layouts[-1].pages, layouts[-1].raters, terms)
    return _Plan(pilot, table, more, bill, time, pay, arguments["more"], arguments["budget"], arguments["currency"])


def terms_of(arguments: dict[str, Any]) -> Terms:
    """What an assignment pays, from the options of the command line. Raises ValueError."""
    return Terms(
        arguments["reward"],
        Fees(arguments["fees"] or settings.MTURK_FEES),
        arguments["bonus"],
        masters=arguments["masters"],
        excluded=arguments["excluded"],
        in_nines=not arguments["large_hits"],
    )


def _pilot(arguments: dict[str, Any]) -> Pilot:
    if not arguments["pilot"]:
        return prior_pilot(arguments["prior"])
    return pilot_of(study_called(arguments["pilot"]), arguments["generator"])


def _time(arguments: dict[str, Any]) -> WorkTime:
    if arguments["pilot"]:
        seconds = [
            duration for duration in collecting_counts.work_seconds(study_called(arguments["pilot"])) if duration > 0
        ]
        if len(seconds) > 1:
            return measured_time(seconds)
    texts = arguments["texts_per_hit"]
    if arguments["seconds"]:
        return estimated_time(0, judgments=1, seconds_a_judgment=arguments["seconds"])
    return estimated_time(arguments["words_a_text"] * texts, judgments=texts, seconds_a_judgment=8, other_seconds=60)
