"""Share options and output of the commands that import."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError, _ActionsContainer
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.utils import timezone
from tqdm import tqdm

from annotation.accounts.models import User
from annotation.importing.import_study import WorkImported, import_work
from annotation.management.lookup import actor_of, add_owner, owner_of
from annotation.readers.records import CollectedWork
from annotation.readers.tabular import DELIMITERS

BAD_INPUT = 2


def owner_and_actor(options: Mapping[str, Any]) -> tuple[User | None, str]:
    """Return the owner of what is imported, and the name for the log."""
    return owner_of(options), actor_of(options)[1]


def add_file_options(parser: CommandParser, *, mapping: str) -> None:
    """Add the options of every import."""
    parser.add_argument("--study", required=True, metavar="NAME", help="name of the study")
    parser.add_argument("--mapping", type=Path, metavar="FILE", help=mapping)
    add_owner(parser)
    add_delimiter(parser)
    add_dry_run(parser)


Parsed = TypeVar("Parsed")


def read_mapping(path: Path, parse: Callable[[dict[str, Any]], Parsed]) -> Parsed:
    """Read a mapping of columns from a JSON file. Raises CommandError naming what is wrong."""
    try:
        return parse(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise CommandError(f"The mapping {path} cannot be used: {error}", returncode=BAD_INPUT) from None


def add_dry_run(parser: _ActionsContainer) -> None:
    parser.add_argument("--dry-run", action="store_true", help="check the files and show the result; change nothing")


def import_records(work: CollectedWork, options: Mapping[str, Any]) -> WorkImported:
    """Import the records as the study that the options name; with --dry-run take everything back at the end."""
    owner, actor = owner_and_actor(options)
    with transaction.atomic():
        done = import_work(work, name=options["study"], actor=actor, now=timezone.now(), owner=owner)
        transaction.set_rollback(options["dry_run"])
    return done


def add_delimiter(parser: _ActionsContainer) -> None:
    known = ", ".join(DELIMITERS)
    parser.add_argument(
        "--delimiter",
        type=_delimiter,
        metavar="SIGN",
        help=f"separator of cells: {known}, or the character itself (default: detected)",
    )


def _delimiter(word: str) -> str:
    sign = DELIMITERS.get(word, "\t" if word == "\\t" else word)
    if len(sign) != 1 or sign in '"\r\n' or sign.isalnum():
        known = ", ".join(DELIMITERS)
        raise ArgumentTypeError(f"{word!r} cannot separate cells; use one of {known}, or another single character")
    return sign


def delimiter_of(options: dict[str, Any]) -> str | None:
    """Return the requested character; a call from Python may give its name."""
    return DELIMITERS.get(options["delimiter"], options["delimiter"])


@contextmanager
def bar(what: str, unit: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on a terminal only; it takes how much of how much is done."""
    with tqdm(desc=what, unit=unit, unit_scale=True, disable=None, leave=False) as shown:

        def moved(done: int, of: int) -> None:
            shown.total = of
            shown.update(done - shown.n)

        yield moved


def tell_imported(out: Any, done: WorkImported, warnings: Iterable[str], *, dry_run: bool = False) -> None:
    """Print what an import stored (or would store), its warnings, and the next step."""
    for warning in warnings:
        out.write(f"Warning: {warning}")
    verb = "Dry run, nothing was changed. Would import" if dry_run else "Imported"
    out.write(
        f"{verb} {done.judgments} judgments of {done.texts} texts: {done.submissions} submissions "
        f"by {done.workers} workers in {done.hits} HITs, as the study {done.study}."
    )
    rejected = f"{done.rejected} were rejected; they are also" if done.rejected else "All are"
    out.write(f"{rejected} part of the analysis: payment and analysis are separate decisions.")
    if not dry_run:
        out.write(f"Next: manage.py report {done.study} --out DIR")
