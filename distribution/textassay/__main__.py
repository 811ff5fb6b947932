"""The command `textassay`: the measures, the demo, and every command of the studio."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from metrics import __version__

MEASURES = ("huse", "evaluators", "nnd", "hscore", "better", "hj", "alpha", "raters", "choices", "loglik", "report")
NEEDS_STUDIO = "needs Django and the other packages of the studio. Install them: pip install 'textassay[studio]'"
HELP = f"""textassay {__version__}: human evaluation of generated text.

Measures of files (textassay COMMAND --help):
  huse          typicality ratings: HUSE, HUSE-Q, HUSE-D
  evaluators    human or machine: accuracy, agreement, the effect of training
  nnd           near-negative tests
  hscore        human-likelihood
  better        which source is better, in one sentence
  hj, alpha     human judgments of each text, agreement of raters
  raters        models of raters next to the mean
  choices       forced choices among several texts
  loglik        log-probabilities by a language model
  report        the report of a study's snapshot (of a study by its name: the studio's)

The studio (pip install 'textassay[studio]'):
  demo          the four measures on simulated studies, each beside its truth
  serve         the console, the marketplace and the worker site on this machine
  manage        lists all commands of the studio; textassay COMMAND runs one

A studio elsewhere:
  mcp           its tools for a language model (pip install 'textassay[mcp]')
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns its exit code: 2 where the words of the command cannot be carried out."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or words[0] in {"-h", "--help", "help"}:
        sys.stdout.write(HELP)
        return 0
    if words[0] == "--version":
        sys.stdout.write(f"textassay {__version__}\n")
        return 0
    if words[0] == "mcp":
        return _serve_model(words[1:])
    if words[0] in MEASURES and not _names_study(words):
        from metrics.__main__ import main as measure

        return measure(words)
    return _run_studio(words)


def _names_study(words: list[str]) -> bool:
    """Whether `report` is of a study of the studio: its name comes first, and no file here has it."""
    name = words[1] if len(words) > 1 else ""
    return words[0] == "report" and bool(re.fullmatch(r"\w[\w-]*", name)) and not Path(name).exists()


def _serve_model(words: list[str]) -> int:
    try:
        from annotation.client.model_tools import main as serve
    except ModuleNotFoundError as error:
        sys.stderr.write(f"textassay mcp needs {error.name}. Install it: pip install 'textassay[mcp]'\n")
        return 2
    return serve(words)


def _run_studio(words: list[str]) -> int:
    try:
        import django  # noqa: F401 - only whether the studio is installed
    except ModuleNotFoundError:
        sys.stderr.write(f"textassay {words[0]} {NEEDS_STUDIO}\n")
        return 2
    os.environ.setdefault("ASSAY_VAR", str(data_folder()))
    Path(os.environ["ASSAY_VAR"]).mkdir(parents=True, exist_ok=True)
    command: Callable[[list[str]], None] = {"demo": _demo, "serve": _serve}.get(words[0], _manage)
    command(words)
    return 0


def data_folder() -> Path:
    """Where an installation writes its database, uploads and reports: the user's folder for application data."""
    from platformdirs import user_data_path

    return user_data_path("textassay", appauthor=False)


def _demo(words: list[str]) -> None:
    from annotation.rehearsal.__main__ import main as rehearse

    sys.argv = ["textassay demo", *words[1:]]
    rehearse()


def _serve(words: list[str]) -> None:
    from manage import main as manage

    manage(["textassay", "migrate", "--verbosity", "0"])
    manage(["textassay", "serve", "--work", *words[1:]])


def _manage(words: list[str]) -> None:
    from manage import main as manage

    manage(["textassay", *(words[1:] if words[0] == "manage" else words)])


if __name__ == "__main__":
    sys.exit(main())
