"""manage.py new_study NAME: create a draft study from a preset."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.design.presets import PRESETS, preset_called, preset_settings
from annotation.design.wording import Wording, as_json, from_json, rename_texts
from annotation.management.lookup import actor_of, add_owner, owner_of, sentences
from annotation.models import StudyGroup
from annotation.pricing.currency import DEFAULT_CURRENCY, check_currency, parse_amount
from annotation.studies.create import Plan, create

COMPARED = {"compare_first", "compare_second", "compare_criterion", "compare_family", "compare_raters"}
PLAIN = {"question", "noun", "mix", "country", "currency"} | COMPARED


def setting(text: str) -> tuple[str, object]:
    """FIELD=VALUE of a plan; empty for none."""
    name, equals, value = text.partition("=")
    known = {field.name for field in fields(Plan)}
    if not equals or name not in known:
        raise argparse.ArgumentTypeError(
            f"{text!r} does not have the form FIELD=VALUE; fields are {', '.join(sorted(known))}"
        )
    if name in PLAIN:
        return name, value
    if name in {"in_nines", "once"}:
        if value not in ("yes", "no"):
            raise argparse.ArgumentTypeError(f"{name} is yes or no, not {value!r}")
        return name, value == "yes"
    if value == "":
        return name, None
    if name == "retain_until":
        return name, _day(value)
    if name == "compare_margin":
        return name, _number(name, value)
    if not value.isdecimal():
        raise argparse.ArgumentTypeError(f"{name} is a whole number, not {value!r}")
    return name, int(value)


def _number(name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{name} is a number, not {value!r}") from None


def add_amounts(parser: CommandParser) -> None:
    """Options for the currency and amounts written in it."""
    parser.add_argument("--currency", default="", metavar="CODE", help="ISO 4217 code, such as EUR (default: USD)")
    parser.add_argument("--reward", metavar="AMOUNT", help="per task, in the study's currency, such as 1.25")
    parser.add_argument("--budget", metavar="AMOUNT", help="never exceeded, in the study's currency")
    parser.add_argument("--floor", metavar="AMOUNT", help="minimum pay per hour, in the study's currency")


def amounts(options: Mapping[str, Any], currency: str) -> dict[str, object]:
    """The amounts that were given, in minor units. Raises DesignError naming the rule."""
    names = ("reward", "budget", "floor")
    return {f"{name}_cents": parse_amount(options[name], currency) for name in names if options[name] is not None}


def _day(text: str) -> datetime:
    try:
        return datetime.combine(date.fromisoformat(text), time(), UTC)
    except ValueError:
        raise argparse.ArgumentTypeError(f"retain_until is a date such as 2027-06-30, not {text!r}") from None


class Command(BaseCommand):
    help = "Create a draft study from a preset. To edit the task text, use --print-wording and --wording."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="NAME", nargs="?")
        parser.add_argument("--preset", choices=PRESETS, default="huse-2019")
        parser.add_argument("--set", type=setting, action="append", default=[], metavar="FIELD=VALUE")
        add_amounts(parser)
        parser.add_argument("--noun", default="", help="what a text is called on the pages")
        parser.add_argument("--nouns", default="", help="its plural (default: in English, by rule)")
        parser.add_argument("--wording", type=Path, metavar="FILE", help="task text, as JSON")
        parser.add_argument("--print-wording", action="store_true", help="print the preset's task text and stop")
        parser.add_argument(
            "--group", default="", help="group of studies; a worker takes part in one condition of the group"
        )
        parser.add_argument(
            "--mode",
            choices=["rehearsal", "live"],
            default="rehearsal",
            help="rehearsal (default): simulated raters; live: real participants",
        )
        add_owner(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        preset, (_, actor) = preset_called(options["preset"]), actor_of(options)
        with sentences():
            wording = _wording({**options, "noun": options["noun"] or _noun_set(options["set"])}, preset.wording)
            if options["print_wording"]:
                self.stdout.write(json.dumps(as_json(wording), indent=1, ensure_ascii=False))
                return
            if not options["study"]:
                raise CommandError("Enter the name of the study.", returncode=2)
            chosen = dict(options["set"])
            currency = check_currency(options["currency"] or str(chosen.get("currency", DEFAULT_CURRENCY)))
            chosen |= {"currency": currency, **amounts(options, currency)}
            plan = Plan(**{**preset_settings(preset, currency), **chosen, "noun": wording.noun})
            owner = owner_of(options)
            group = StudyGroup.objects.get_or_create(name=options["group"])[0] if options["group"] else None
            study = create(
                options["study"], mode=options["mode"], plan=plan, wording=wording, group=group,
                owner=owner, actor=actor, now=timezone.now(),
            )  # fmt: skip
        self.stdout.write(f"The study {study} is a draft by {preset.name} ({preset.source}).")
        if owner:
            self.stdout.write(f"Owner: {owner.get_username()}")
        for field, reason in preset.differs.items():
            self.stdout.write(f"  {field}: {reason}")


def _wording(options: dict[str, Any], default: Wording) -> Wording:
    wording = default
    if options["wording"]:
        try:
            wording = from_json(json.loads(options["wording"].read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError, json.JSONDecodeError, AttributeError) as error:
            raise CommandError(f"{options['wording']} cannot be read as JSON: {error}", returncode=2) from None
    if options["noun"]:
        wording = rename_texts(wording, options["noun"], options["nouns"])
    return wording


def _noun_set(settings: list[tuple[str, object]]) -> str:
    """`--set noun=...` names the texts as `--noun` does."""
    return str(dict(settings).get("noun") or "")
