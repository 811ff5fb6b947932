"""Likelihoods of candidates: from a backend, a mapping, or a file of log-probabilities made elsewhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from metrics.data.csv_files import MINUS_INFINITY, Row, read_rows
from metrics.data.frames import Frame
from metrics.data.items import LARGEST, LOG_PROB_TOLERANCE, LONGEST
from metrics.data.json_files import Record, read_records
from metrics.errors import BadInput, InsufficientData, join_names
from metrics.likelihood.records import Pair, Scored
from metrics.nnd.records import Candidate, TestSet


class Scores(Protocol):
    """Says how likely candidates are; None for one without a score."""

    def of(self, candidates: Sequence[Candidate]) -> Sequence[Scored | None]:
        """Scores in the order of the candidates (each a text of its own)."""
        ...


class FromModel:
    """A backend (`LogProbs.score`) or any function from pairs (context, candidate) to scores."""

    def __init__(self, score: Callable[[Sequence[Pair]], Sequence[Scored]]):
        self.score = score

    def of(self, candidates: Sequence[Candidate]) -> Sequence[Scored | None]:
        """All pairs in one call; None for a blank text, which has no token. Raises InsufficientData without texts."""
        without = [candidate.id for candidate in candidates if candidate.text is None]
        if without:
            raise InsufficientData(
                f"A model needs the texts, and the tests hold none for {len(without)} candidate(s): "
                f"{join_names(without)}."
            )
        texts = [(candidate.text or "").strip() and candidate.text for candidate in candidates]
        pairs = [(each.context or "", text) for each, text in zip(candidates, texts, strict=True) if text]
        scored = self.score(pairs)
        if len(scored) != len(pairs):
            raise BadInput(f"{len(pairs)} pairs were given and {len(scored)} scores came back", column="scores")
        scores = iter(scored)
        return [next(scores) if text else None for text in texts]


class FromFile:
    """Scores by the candidate's id, else by its texts (context, candidate)."""

    def __init__(self, by_id: Mapping[str, Scored | None], by_texts: Mapping[Pair, Scored | None]):
        self.by_id, self.by_texts = by_id, by_texts

    def of(self, candidates: Sequence[Candidate]) -> Sequence[Scored | None]:
        """None where the file says nothing of a candidate."""
        return [self._score_of(candidate) for candidate in candidates]

    def _score_of(self, candidate: Candidate) -> Scored | None:
        if candidate.id in self.by_id:
            return self.by_id[candidate.id]
        return None if candidate.text is None else self.by_texts.get((candidate.context or "", candidate.text))


def log_likelihood(scored: Scored, name: str) -> float:
    """LL = sum of log P over N tokens (Laban et al. 2022, eq. 1), nats per token, in [-inf, 0]. Raises BadInput."""
    value, tokens = scored.log_prob, scored.tokens
    if math.isnan(value) or value > LOG_PROB_TOLERANCE or -math.inf < value < -LARGEST:
        rule = f"a log-probability is a number from -1e100 to 0 or -inf, not {value:g}"
        raise BadInput(rule, where=f"candidate {name}", column="log_prob")
    if isinstance(tokens, bool) or not isinstance(tokens, int) or not 1 <= tokens <= LONGEST:
        raise BadInput("tokens is a whole number from 1 to 1e9", where=f"candidate {name}", column="tokens")
    return value / tokens


def candidates_of(tests: TestSet) -> list[Candidate]:
    """Each candidate of the tests once (by id), in the order of the tests: what a model must score."""
    by_id: dict[str, Candidate] = {}
    for test in tests.tests:
        by_id.setdefault(test.high.id, test.high)
        by_id.setdefault(test.low.id, test.low)
    return list(by_id.values())


def read_scores(path: Path | Frame) -> FromFile:
    """Scores from JSON lines, a CSV (.csv, .tsv) or a DataFrame: log_prob, tokens, and id or (context, candidate).

    The output of `loglik --json` is read too. log_prob: the natural total; -inf is allowed (in JSON -Infinity or
    "-inf"), null or blank where there is none. A row may hold id and texts; each is named once. Raises BadInput.
    """
    by_id: dict[str, Scored | None] = {}
    by_texts: dict[Pair, Scored | None] = {}
    if not isinstance(path, Path) or path.suffix.lower() in (".csv", ".tsv"):
        for row in read_rows(path, ("log_prob", "tokens")):
            _store(row, row.cells, _from_row(row), by_id, by_texts)
    else:
        for record in read_records(path, within="scores"):
            _store(record, _names(record), _from_record(record), by_id, by_texts)
    return FromFile(by_id, by_texts)


def _names(record: Record) -> dict[str, str]:
    names = {"id": record.name("id")} if "id" in record.values else {}
    if "candidate" in record.values:
        names["candidate"] = record.text("candidate")
        names["context"] = record.text("context", blank=True) if "context" in record.values else ""
    return names


def _store(
    place: Row | Record,
    names: Mapping[str, str],
    scored: Scored | None,
    by_id: dict[str, Scored | None],
    by_texts: dict[Pair, Scored | None],
) -> None:
    name = names.get("id")
    if not name and not names.get("candidate"):
        raise place.error("id", "the row names no candidate: it needs an id, or a context and a candidate")
    if name:
        if name in by_id:
            raise place.error("id", f"the candidate {name!r} was scored before")
        by_id[name] = scored
    if names.get("candidate"):
        pair = (names.get("context", ""), names["candidate"])
        if by_texts.setdefault(pair, scored) != scored:
            raise place.error("candidate", "the same context and candidate were given another score before")


def _from_row(row: Row) -> Scored | None:
    text = row.cells["log_prob"]
    if not text:
        return None
    tokens = row.number("tokens")
    if tokens.denominator != 1:
        raise row.error("tokens", "tokens is a whole number from 1 to 1e9")
    value = -math.inf if text.lower() in MINUS_INFINITY else float(row.number("log_prob"))
    return _checked(row, Scored(value, tokens.numerator))


def _from_record(record: Record) -> Scored | None:
    value = record.get("log_prob")
    if value is None:
        return None
    if value == -math.inf or (isinstance(value, str) and value.lower() in MINUS_INFINITY):
        number = -math.inf
    else:
        number = record.number("log_prob")
    return _checked(record, Scored(number, record.get("tokens")))


def _checked(place: Row | Record, scored: Scored) -> Scored:
    try:
        log_likelihood(scored, "")
    except BadInput as error:
        raise place.error(error.column or "log_prob", error.rule) from None
    return scored
