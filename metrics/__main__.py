"""Command line: `python -m metrics COMMAND FILE [--json] [--seed N] [--out FILE]`."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Sequence
from operator import attrgetter
from types import ModuleType

from metrics import cli
from metrics.cli.arguments import Parser
from metrics.cli.output import write_text
from metrics.errors import MetricsError


def commands() -> list[ModuleType]:
    """Every module of `metrics.cli` that is a command, by its order."""
    names = [module.name for module in pkgutil.iter_modules(cli.__path__)]
    modules = [importlib.import_module(f"{cli.__name__}.{name}") for name in names]
    return sorted((module for module in modules if hasattr(module, "COMMAND_ORDER")), key=attrgetter("COMMAND_ORDER"))


def build_parser() -> Parser:
    """The arguments of every command; each command sets `run`."""
    top = Parser(prog="python -m metrics", description="Measures of generated text from human judgments.")
    subparsers = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in commands():
        command.add(subparsers)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0, or 2 with one sentence on stderr."""
    parsed = build_parser().parse_args(arguments)
    try:
        write_text(parsed.run(parsed), parsed.out)
    except MetricsError as error:
        sys.stderr.write(" ".join(str(error).split()) + "\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
