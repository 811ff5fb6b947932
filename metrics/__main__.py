"""Command line: `python -m metrics COMMAND FILE [--json] [--seed N] [--out FILE]`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from metrics.cli import alpha, choices, evaluators, hj, hscore, huse, loglik, nnd, raters, report
from metrics.cli.arguments import Parser
from metrics.cli.output import write_text
from metrics.errors import MetricsError

COMMANDS = (huse, hj, alpha, raters, evaluators, choices, nnd, hscore, loglik, report)


def build_parser() -> Parser:
    """The arguments of every command; each command sets `run`."""
    top = Parser(prog="python -m metrics", description="Measures of generated text from human judgments.")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands)
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
