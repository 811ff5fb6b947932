"""`python -m metrics loglik PAIRS.jsonl --model PATH`: log p of candidates given their contexts."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from metrics.cli.arguments import Commands
from metrics.data.to_json import json_text
from metrics.likelihood import Decoding, FileStore, Layout, LogProbs, Pair, Scored, score_all
from metrics.likelihood.opening import Opening
from metrics.likelihood.recorded import read_rows
from metrics.likelihood.scoring import log_prob_json

COMMAND_ORDER = 70  # in the help

SCHEMA_VERSION = 1


def add(commands: Commands) -> None:
    """Add the command and its arguments."""
    loglik: Any = commands.add_parser("loglik", help="log-probabilities of texts under a language model")
    loglik.add_argument("pairs", type=Path, metavar="PAIRS.jsonl", help="objects with candidate [context, id]")
    loglik.add_argument("--model", required=True, help="folder or hub name; with --server, the server's name for it")
    loglik.add_argument("--server", metavar="URL", help="an OpenAI-compatible server, e.g. http://127.0.0.1:8000/v1")
    loglik.add_argument("--end", default="", help="with --server: the end-of-text token as text, so that it counts")
    loglik.add_argument("--store", type=Path, metavar="FILE", help="store scores in this file and continue from it")
    add_model_options(loglik)
    loglik.add_argument("--json", action="store_true", help="JSON instead of a table")
    loglik.add_argument("--out", type=Path, metavar="FILE", help="output file (default: standard output)")
    loglik.set_defaults(run=run)


def add_model_options(command: Any) -> None:
    """Add the options of a local model, of the token sequence and of the decoding."""
    command.add_argument("--revision", help="revision on the hub")
    command.add_argument("--tokenizer", metavar="PATH", help="path of the tokenizer, if it is not with the model")
    command.add_argument("--dtype", choices=("float32", "bfloat16", "float16"), default="float32")
    command.add_argument("--device", default="cpu", help="cpu (default) or cuda")
    command.add_argument("--allow-download", action="store_true", help="download the model if it is not local")
    command.add_argument(
        "--temperature", type=float, default=1.0, help="temperature of the decoding that log p is for (1)"
    )
    command.add_argument("--top-k", type=int)
    command.add_argument("--top-p", type=float)
    command.add_argument("--no-eos", action="store_true", help="exclude the end-of-text token from the sum and from N")
    command.add_argument("--start-token", choices=("auto", "always", "never"), default="auto")
    command.add_argument("--joiner", default="", help="text between a context and its candidate, e.g. a space")
    command.add_argument("--unknown", choices=("error", "count"), default="error", help="texts with unknown tokens")
    command.add_argument("--long-texts", choices=("error", "slide"), default="error")


def run(arguments: argparse.Namespace) -> str:
    """The text of the command. Raises MetricsError."""
    rows = read_rows(arguments.pairs)
    backend = open_backend(arguments)
    pairs = [pair for _, pair, _ in rows]
    store = FileStore(arguments.store) if arguments.store else None
    scores = score_all(backend, pairs, store=store, progress=show_progress if sys.stderr.isatty() else None)
    names = [str(record.get("id", row)) for row, _, record in rows]
    return build_document(backend, names, pairs, scores) if arguments.json else table(backend, names, scores)


def open_backend(arguments: argparse.Namespace) -> LogProbs:
    """The backend that the arguments name."""
    return read_opening(arguments).open()


def read_opening(arguments: argparse.Namespace) -> Opening:
    """What the arguments say of a backend."""
    return Opening(
        arguments.model,
        server=arguments.server or "",
        end=arguments.end,
        revision=arguments.revision,
        tokenizer=arguments.tokenizer,
        dtype=arguments.dtype,
        device=arguments.device,
        allow_download=arguments.allow_download,
        decoding=Decoding(arguments.temperature, arguments.top_k, arguments.top_p),
        layout=Layout(
            not arguments.no_eos, arguments.start_token, arguments.joiner, arguments.unknown, arguments.long_texts
        ),
    )


def show_progress(done: int, of: int) -> None:
    """One line on the screen, rewritten."""
    sys.stderr.write(f"\r{done} of {of} texts scored" + ("\n" if done == of else ""))
    sys.stderr.flush()


def build_document(backend: LogProbs, names: Sequence[str], pairs: Sequence[Pair], scores: Sequence[Scored]) -> str:
    """Everything as JSON; -inf as the text `-inf`."""
    card = backend.card
    return json_text(
        {
            "schema_version": SCHEMA_VERSION,
            "model": card.model,
            "revision": card.revision,
            "tokenizer": card.tokenizer,
            "dtype": card.dtype,
            "decoding": str(card.decoding),
            "include_eos": card.layout.include_eos,
            "signature": card.signature,
            "scores": [
                {"id": name, "candidate": pair[1], "log_prob": log_prob_json(score.log_prob), "tokens": score.tokens}
                for name, pair, score in zip(names, pairs, scores, strict=True)
            ],
        }
    )


def table(backend: LogProbs, names: Sequence[str], scores: Sequence[Scored]) -> str:
    """One line a text: id, log p, tokens, log p a token."""
    width = max(4, *(len(name) for name in names))
    lines = [f"{'id':<{width}}  {'log p':>12} {'tokens':>7} {'per token':>10}"]
    for name, score in zip(names, scores, strict=True):
        lines.append(f"{name:<{width}}  {score.log_prob:12.4f} {score.tokens:7d} {score.mean:10.4f}")
    return "\n".join([*lines, "", backend.card.signature]) + "\n"
