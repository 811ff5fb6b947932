"""What every command shares: one sentence for a wrong argument, and the options --seed, --level, --json, --out."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, Protocol

Run = Callable[[argparse.Namespace], str]


class Commands(Protocol):
    """Where a command adds itself: what `ArgumentParser.add_subparsers` gives."""

    def add_parser(self, name: str, *, help: str) -> Parser:
        """The parser of a new command."""
        ...


class Parser(argparse.ArgumentParser):
    """Parse arguments; report a wrong one in one sentence."""

    def error(self, message: str) -> NoReturn:
        """Exit with 2 and the message as a sentence."""
        self.exit(2, f"{message[:1].upper()}{message[1:]}.\n")


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError("a seed is a whole number of at least 0")
    return int(text)


def common_options(
    command: argparse.ArgumentParser,
    *,
    seed: str = "",
    level: float = 0.95,
    level_option: str = "--level",
    stored: str = "",
) -> None:
    """Add the options every command has.

    seed: what it seeds, for the help; "" where the command draws no random numbers. level_option: its name, where the
    command has another level too. stored: where the file names a seed and a level: both are None where nobody does.
    """
    first = f"{stored}, else " if stored else ""
    seeded = f"seed of {seed} ({first}0)" if seed else "no effect: this command draws no random numbers"
    leveled = f"level of the interval ({first}{level:g})"
    command.add_argument("--seed", type=_seed, default=None if stored else 0, help=seeded)
    command.add_argument(level_option, type=float, default=None if stored else level, help=leveled)
    command.add_argument("--json", action="store_true", help="JSON instead of a table")
    command.add_argument("--out", type=Path, metavar="FILE", help="output file (default: standard output)")
