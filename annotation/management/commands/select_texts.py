"""manage.py select_texts STUDY --minimum-words 100 ...: select the texts of a draft that are judged."""

from __future__ import annotations

import argparse
import csv
import json
import tomllib
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.management.commands._imports import BAD_INPUT, bar
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Study
from annotation.texts.select import TextsSelected, repeat_selection, select_texts

EXAMPLES = """The rules run in the order of this list. For another order, or a rule twice, write a plan: --plan FILE.

examples:
  look first:   manage.py select_texts pilot --minimum-words 100 --no-duplicates --dry-run
  as Clark et al. 2021 did for stories:
                manage.py select_texts pilot --starts-with "Once upon a time" --minimum-words 100 --truncate 100 \\
                    --priming priming.txt --split evaluate=50 --by domain
  the same again, from what is stored:
                manage.py select_texts pilot --repeat

docs/import.md explains every rule and plan files."""


class Command(StudyCommand):
    help = (
        "Choose which of a draft's texts are judged: named rules, each counted. The rules and what each did are "
        "stored and go into the report. Every run starts from all texts of the study, as they were imported."
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        kwargs.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        return super().create_parser(prog_name, subcommand, epilog=EXAMPLES, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--plan", type=Path, metavar="FILE", help="rules in TOML or JSON, in place of those below")
        parser.add_argument("--seed", type=int, help="of every draw (default: the study's)")
        parser.add_argument("--dry-run", action="store_true", help="show what each rule would do; change nothing")
        parser.add_argument("--drop-log-probs", action="store_true", help="delete those of texts that are cut")
        parser.add_argument("--repeat", action="store_true", help="run the stored selection again and compare")
        rules = parser.add_argument_group("rules")
        rules.add_argument("--no-duplicates", action="store_true", help="remove duplicate texts")
        rules.add_argument("--starts-with", metavar="TEXT", help="keep texts that begin so")
        rules.add_argument("--minimum-words", type=int, metavar="N")
        rules.add_argument("--maximum-words", type=int, metavar="N")
        rules.add_argument(
            "--vocabulary", type=Path, metavar="FILE", help="keep texts of these words only; one word per line"
        )
        rules.add_argument(
            "--frequent-words", type=int, metavar="N", help="or of the references' N most frequent words"
        )
        rules.add_argument("--forbid", type=Path, metavar="FILE", help="exclude texts with one of these words")
        rules.add_argument("--exclude", type=Path, metavar="FILE", help="CSV with id and reason: texts to exclude")
        rules.add_argument("--priming", type=Path, metavar="FILE", help="priming texts, blank lines between them")
        rules.add_argument("--most-overlap", type=float, metavar="SHARE", help="with --priming (default 0.8)")
        rules.add_argument("--truncate", type=int, metavar="N", help="cut where the sentence that reaches N words ends")
        rules.add_argument("--pairs", action="store_true", help="keep contexts with a reference and a model's text")
        rules.add_argument("--split", metavar="NAME=N,...", help="disjoint random draws; the first is judged")
        rules.add_argument("--by", action="append", choices=("domain", "side"), help="draw in each domain, each side")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        with sentences():
            if options["repeat"]:
                self._repeat(study)
                return
            with bar("Selecting", " steps") as progress:
                done = select_texts(
                    study,
                    _plan(options),
                    actor=actor,
                    now=timezone.now(),
                    dry_run=options["dry_run"],
                    drop_log_probs=options["drop_log_probs"],
                    progress=progress,
                )
        self._tell(done, study)

    def _repeat(self, study: Study) -> None:
        again = repeat_selection(study)
        if not again.same:
            raise CommandError(f"Selection {again.number} does not come out the same: {again.why}.", returncode=1)
        self.stdout.write(f"Selection {again.number}, run again, comes out the same.")

    def _tell(self, done: TextsSelected, study: Study) -> None:
        self.stdout.write(f"{done.pool:>8} texts in the study {study}")
        for line in done.funnel:
            cut = f", {line.changed} cut" if line.changed else ""
            note = f" ({line.note})" if line.note else ""
            self.stdout.write(f"{-line.removed:>8} {line.told}: {line.after} left{cut}{note}")
        sides = ", ".join(f"{count} of {side}" for side, count in done.by_side.items())
        self.stdout.write(f"{done.kept:>8} texts are judged: {sides}")
        if done.dropped:
            goes = "would lose" if done.number is None else "lost"
            self.stdout.write(f"{done.dropped} texts {goes} their log-probabilities, because their wording changes.")
        outcome = "Dry run: nothing was changed." if done.number is None else f"Stored as selection {done.number}."
        self.stdout.write(outcome)


def _plan(options: dict[str, Any]) -> dict[str, Any]:
    seed = {} if options["seed"] is None else {"seed": options["seed"]}
    steps = _steps(options)
    if options["plan"] is None:
        return {"steps": steps, **seed}
    if steps:
        raise CommandError("Give either --plan or rules, not both.", returncode=BAD_INPUT)
    return {**_read_plan(options["plan"]), **seed}


def _read_plan(path: Path) -> dict[str, Any]:
    content = _read(path)
    try:
        plan = json.loads(content) if path.suffix.lower() == ".json" else tomllib.loads(content)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{path.name} is not a plan: {error}", returncode=BAD_INPUT) from None
    if not isinstance(plan, dict):
        raise CommandError(f"{path.name} is not a plan: no table found.", returncode=BAD_INPUT)
    return plan


def _steps(options: dict[str, Any]) -> list[dict[str, Any]]:
    """The rules asked for by options, in the order of the help."""
    steps: list[dict[str, Any]] = []

    def add(rule: str, requested: Any, **settings: Any) -> None:
        if requested:
            steps.append({"rule": rule, **settings})

    def count(name: str) -> bool:
        return options[name] is not None

    add("duplicates", options["no_duplicates"])
    add("starts-with", count("starts_with"), text=options["starts_with"])
    add("minimum-words", count("minimum_words"), words=options["minimum_words"])
    add("maximum-words", count("maximum_words"), words=options["maximum_words"])
    if options["vocabulary"]:
        add("vocabulary", True, words=_read(options["vocabulary"]).split())
    add("vocabulary", count("frequent_words"), most_frequent=options["frequent_words"])
    if options["forbid"]:
        add("forbidden-words", True, words=_read(options["forbid"]).split())
    if options["exclude"]:
        add("exclude", True, texts=_reasons(options["exclude"]))
    if options["priming"]:
        share = {} if options["most_overlap"] is None else {"share": options["most_overlap"]}
        add("overlap", True, priming=_paragraphs(options["priming"]), **share)
    add("truncate", count("truncate"), words=options["truncate"])
    add("pairs", options["pairs"])
    if options["split"]:
        sizes = _sizes(options["split"])
        add("split", True, sizes=sizes, judge=next(iter(sizes)), by=options["by"] or [])
    return steps


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise CommandError(f"{path} cannot be read ({error.strerror}).", returncode=BAD_INPUT) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise CommandError(f"{path.name}, row {line}: not UTF-8.", returncode=BAD_INPUT) from None


def _paragraphs(path: Path) -> list[str]:
    lines = _read(path).splitlines()
    texts: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            texts[-1].append(line)
        elif texts[-1]:
            texts.append([])
    return ["\n".join(text) for text in texts if text]


def _reasons(path: Path) -> dict[str, str]:
    """Ids and reasons from a CSV with these two columns."""
    reasons: dict[str, str] = {}
    try:
        rows = list(csv.DictReader(_read(path).splitlines(keepends=True), strict=True))
    except csv.Error as error:
        raise CommandError(f"{path.name} is not CSV: {error}.", returncode=BAD_INPUT) from None
    for number, row in enumerate(rows, start=2):
        key, reason = (row.get("id") or "").strip(), (row.get("reason") or "").strip()
        if not key or not reason:
            lacking = "reason" if key else "id"
            raise CommandError(f"{path.name}, row {number}: the column {lacking!r} is empty.", returncode=BAD_INPUT)
        if key in reasons:
            raise CommandError(f"{path.name}, row {number}: duplicate ID {key!r}.", returncode=BAD_INPUT)
        reasons[key] = reason
    if not reasons:
        raise CommandError(f"{path.name} names no text; it needs the columns id and reason.", returncode=BAD_INPUT)
    return reasons


def _sizes(words: str) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for word in words.split(","):
        name, _, size = word.partition("=")
        if not name.strip() or not size.strip().isascii() or not size.strip().isdigit() or name.strip() in sizes:
            raise CommandError(f"--split {words!r} does not have the form evaluate=50,prompt=50.", returncode=BAD_INPUT)
        sizes[name.strip()] = int(size)
    return sizes
