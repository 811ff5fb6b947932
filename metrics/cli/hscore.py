"""`python -m metrics hscore --format gltr|text FILE...`: automatic human-likelihood of texts."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from metrics.cli.arguments import Commands, common_options
from metrics.cli.output import flags_line, format_cell, write_text
from metrics.data.text_files import read_text
from metrics.data.to_json import json_text
from metrics.errors import BadInput, InsufficientData
from metrics.likelihood import open_model
from metrics.pages.tokens import token_page
from metrics.text_scores.gltr import read_gltr
from metrics.text_scores.h_findings import HFindings, Rules, parse_thresholds, summarise_texts
from metrics.text_scores.h_score import TextScore
from metrics.text_scores.known_texts import read_human_shares, read_origins
from metrics.text_scores.machine_scores import read_by, reading_layout
from metrics.text_scores.token_predictions import Backend, Predictions

COMMAND_ORDER = 60  # in the help

FORMATS = ("gltr", "text")
UNCALIBRATED = (
    "UNCALIBRATED: the threshold was not calibrated on texts of known origin (--calibrate); read Fp, not the verdicts."
)


def add(commands: Commands) -> None:
    """Add the command and its arguments."""
    command = commands.add_parser("hscore", help="Fp and shares of human-like texts, from a model's predictions")
    command.add_argument("files", type=Path, nargs="+", metavar="FILE", help="one text each")
    command.add_argument("--format", choices=FORMATS, required=True, help="gltr: GLTR's JSON; text: plain text")
    command.add_argument("--model", help="text: the model that reads the texts, a folder or hub name")
    command.add_argument("--revision", help="text: revision on the hub")
    command.add_argument("--dtype", choices=("float32", "bfloat16", "float16"), default="float32")
    command.add_argument("--device", default="cpu", help="text: cpu (default) or cuda")
    command.add_argument("--allow-download", action="store_true", help="text: download the model if it is not local")
    command.add_argument("--long-texts", choices=("error", "slide"), default="error", help="text: beyond the window")
    command.add_argument(
        "--backend", metavar="NAME", default="", help="the model behind the predictions, for the record"
    )
    command.add_argument("--per-word", action="store_true", help="average the tokens of a word first")
    limits = command.add_mutually_exclusive_group()
    limits.add_argument("--threshold", metavar="FP[:FP]", help="human-like below it; two: undecided between (0.40)")
    limits.add_argument(
        "--calibrate", type=Path, metavar="CSV", help="columns text (file name), truth (human, machine)"
    )
    command.add_argument("--method", choices=("youden", "normal"), default="youden", help="of the calibration (youden)")
    command.add_argument("--band", action="store_true", help="calibration: undecided between the two medians")
    command.add_argument("--people", type=Path, metavar="CSV", help="columns text, human_share: agreement with people")
    command.add_argument("--page", type=Path, metavar="HTML", help="output file of the texts, colored by rank")
    common_options(command, seed="the folds of the calibration")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> str:
    """The text of the command. Raises MetricsError."""
    texts, curvatures = _texts(arguments)
    names = [text.id for text in texts]
    findings = summarise_texts(
        texts,
        rules=Rules(
            parse_thresholds(arguments.threshold),
            per_word=arguments.per_word,
            method=arguments.method,
            band=arguments.band,
            level=arguments.level,
            seed=arguments.seed,
        ),
        origins=read_origins(arguments.calibrate, names) if arguments.calibrate else None,
        human_share=read_human_shares(arguments.people) if arguments.people else None,
        curvatures=curvatures,
    )
    if arguments.page:
        write_text(token_page(texts, findings.result.thresholds), arguments.page)
    return json_text(findings.document()) if arguments.json else table(findings)


def table(findings: HFindings) -> str:
    """One line a text, then the collection."""
    scores, result, backend = findings.scores, findings.result, findings.backend
    calibration, people = findings.calibration, findings.people
    lines = [] if result.thresholds.calibrated else [UNCALIBRATED]
    lines.append(f"{'text':<32}{'Fp':>7}{'tokens':>8}{'mean rank':>11}{'entropy':>9}  verdict")
    lines += [_line(score) for score in scores]
    shares = "  ".join(f"{name} {format_cell(getattr(result, name))}" for name in ("h", "u", "m"))
    lines += [
        shares,
        f"mean Fp {format_cell(result.mean_fp)}; n = {result.h.n} texts; backend: {backend.model or 'not recorded'}",
    ]
    estimates = [result.h, result.mean_fp]
    if calibration:
        lines.append(
            f"threshold {calibration.threshold:.4f} by {calibration.method}: AUC {format_cell(calibration.auc)}, "
            f"Youden J {format_cell(calibration.youden_j)}, "
            f"accuracy on texts held out {format_cell(calibration.held_out)}"
        )
        estimates.append(calibration.held_out)
    if people:
        lines.append(
            f"with people: agreement {format_cell(people.agreement)}, kappa {format_cell(people.kappa)}, "
            f"AUC {format_cell(people.auc)}, "
            f"Spearman with the share who said human {format_cell(people.correlation)}; undecided {people.undecided}"
        )
        estimates += [people.agreement, people.kappa, people.auc, people.correlation]
    return "\n".join([*lines, result.h.signature, *flags_line(estimates)]) + "\n"


def _line(score: TextScore) -> str:
    entropy = "none" if score.mean_entropy is None else f"{score.mean_entropy:.3f}"
    return f"{score.id:<32}{score.fp:>7.4f}{score.n:>8}{score.mean_rank:>11.1f}{entropy:>9}  {score.verdict}"


def _texts(arguments: argparse.Namespace) -> tuple[list[Predictions], dict[str, float]]:
    """The texts' predictions, and Fast-DetectGPT's score of each where a model reads them."""
    names = [path.name for path in arguments.files]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise BadInput(f"two files are called {twice[0]!r}", column="FILE")
    if arguments.format == "gltr":
        if arguments.model:
            raise BadInput("the predictions are in the files; --backend names the model", column="--model")
        return [read_gltr(path, backend=Backend(model=arguments.backend)) for path in arguments.files], {}
    if not arguments.model:
        raise BadInput("plain texts need a model that reads them", column="--model")
    contents = [_content(path) for path in arguments.files]
    return _predict_by_model(arguments, names, contents)


def _content(path: Path) -> str:
    text = read_text(path, "text")
    if not text.strip():
        raise InsufficientData(f"{path.name} holds no text to score.")
    return text.rstrip("\r\n")  # the text ends before the line ends of the file


def _predict_by_model(
    arguments: argparse.Namespace, names: Sequence[str], contents: Sequence[str]
) -> tuple[list[Predictions], dict[str, float]]:
    """Score the texts by the model, each behind the start token and without the end token."""
    layout = reading_layout(arguments.long_texts)
    model = open_model(
        arguments.model,
        revision=arguments.revision,
        dtype=arguments.dtype,
        device=arguments.device,
        allow_download=arguments.allow_download,
        layout=layout,
    )
    return read_by(model, dict(zip(names, contents, strict=True)))
