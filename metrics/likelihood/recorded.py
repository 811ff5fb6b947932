"""Log-probabilities made elsewhere, read from a file and looked up by content."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from metrics.errors import BadInput, MissingLogProb
from metrics.likelihood.decoding import Decoding
from metrics.likelihood.errors import excerpt
from metrics.likelihood.records import Layout, ModelCard, Pair, Scored

ABOVE_ZERO = 1e-6


class Recorded:
    """A backend that knows the pairs of one JSON Lines file: `context`, `candidate`, `log_prob`, `tokens`.

    `log_prob` may be a list, one number a token; then `tokens` may be absent. The other things a score is made of
    (model, decoding, whether EOS counts) are what the caller says of the file.
    """

    def __init__(
        self, path: Path, *, model: str = "", decoding: Decoding | None = None, layout: Layout | None = None
    ) -> None:
        """Raises BadInput naming the row and the column."""
        self.scores: dict[Pair, Scored] = {}
        for row, pair, record in read_rows(path):
            scored = _scored(record, row, path.name)
            if self.scores.setdefault(pair, scored) != scored:
                raise BadInput("the same pair has another log-probability before", row=row, where=path.name)
        self._card = ModelCard(
            model or path.name, "recorded", "unknown", "unknown", decoding or Decoding(), layout or Layout()
        )

    @property
    def card(self) -> ModelCard:
        """What the caller said of the file."""
        return self._card

    def score(self, pairs: Sequence[Pair]) -> list[Scored]:
        """The file's scores. Raises MissingLogProb naming the candidates that the file does not know."""
        missing = [excerpt(pair[1]) for pair in pairs if pair not in self.scores]
        if missing:
            raise MissingLogProb(missing)
        return [self.scores[pair] for pair in pairs]


def read_rows(path: Path) -> list[tuple[int, Pair, dict[str, Any]]]:
    """(row, pair, the whole object) for every line of a JSON Lines file of pairs. Raises BadInput."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise BadInput(f"the file cannot be read ({reason})", where=path.name) from None
    rows = []
    for row, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        rows.append((row, *_pair(line, row, path.name)))
    if not rows:
        raise BadInput("the file has no pairs", where=path.name)
    return rows


def _pair(line: str, row: int, where: str) -> tuple[Pair, dict[str, Any]]:
    try:
        record = json.loads(line)
    except ValueError:
        raise BadInput("is not JSON", row=row, where=where) from None
    if not isinstance(record, dict):
        raise BadInput("must be an object with context and candidate", row=row, where=where)
    context, candidate = record.get("context") or "", record.get("candidate")
    if not isinstance(context, str):
        raise BadInput("must be text", row=row, column="context", where=where)
    if not isinstance(candidate, str) or not candidate.strip():
        raise BadInput("must be a text that is not empty", row=row, column="candidate", where=where)
    return (context, candidate), record


def _scored(record: dict[str, Any], row: int, where: str) -> Scored:
    log_prob = record.get("log_prob")
    values: list[Any] = log_prob if isinstance(log_prob, list) else [log_prob]
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError):
        raise BadInput("must be a number or a list of numbers", row=row, column="log_prob", where=where) from None
    if not numbers or any(math.isnan(value) or value > ABOVE_ZERO for value in numbers):
        raise BadInput("must be 0 or less", row=row, column="log_prob", where=where)
    tokens = record.get("tokens", len(numbers) if isinstance(log_prob, list) else None)
    if isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 1:
        raise BadInput("must be a whole number of at least 1", row=row, column="tokens", where=where)
    return Scored(min(0.0, math.fsum(numbers)), tokens)
