"""Scoring many pairs with any backend: each content once, contexts kept together, resumable, with progress."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from metrics.errors import BadInput
from metrics.likelihood.records import LogProbs, Pair, Scored

CHUNK = 256
Progress = Callable[[int, int], None]


class Store(Protocol):
    """Where scores are kept as they come, by content key."""

    def known(self, keys: Iterable[str]) -> Mapping[str, Scored]:
        """Those of the keys that are scored already."""
        ...

    def keep(self, scores: Mapping[str, Scored]) -> None:
        """Keep these for good."""
        ...


def content_key(signature: str, pair: Pair) -> str:
    """SHA-256 of what a score depends on: the backend's signature, the context and the candidate."""
    parts = json.dumps([signature, *pair], ensure_ascii=False)
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()


def score_all(
    backend: LogProbs,
    pairs: Sequence[Pair],
    *,
    store: Store | None = None,
    progress: Progress | None = None,
    chunk: int = CHUNK,
) -> list[Scored]:
    """Score many pairs of context and candidate with a backend: log p of each candidate.

    Pairs of equal content, and those in the store, are not scored again.

    Args:
        backend: what `open_model` gives, or anything with a `card` and `score(pairs)`.
        pairs: (context, candidate), both texts; a context may be "".
        store: keeps every finished chunk, so that an interrupted run continues; None: nothing is stored.
        progress: called with (pairs of different content done, of how many); None: no calls.
        chunk: about how many pairs are scored at a time, at least 1.

    Returns:
        One `Scored` for each pair, in order: natural log-probability in [-inf, 0] and its number of tokens.

    Raises:
        MetricsError: a named error of `metrics.likelihood.errors` from the backend, such as `TextTooLong`.

    Source:
        Laban, Wu, Murdoch and Xiong (2022), equation 1; Hashimoto, Zhang and Liang (2019), section 4.1.

    Example:
        >>> from types import SimpleNamespace
        >>> from metrics import score_all
        >>> from metrics.likelihood import Scored
        >>> class LengthModel:
        ...     card = SimpleNamespace(signature="a model that counts letters")
        ...     def score(self, pairs):
        ...         return [Scored(-float(len(candidate)), len(candidate.split())) for _, candidate in pairs]
        >>> score_all(LengthModel(), [("Who wrote Faust?", "Goethe wrote it.")])
        [Scored(log_prob=-16.0, tokens=3)]
    """
    signature = backend.card.signature
    keys = {pair: content_key(signature, pair) for pair in dict.fromkeys(pairs)}
    scores = dict(store.known(keys.values())) if store else {}
    todo = [pair for pair in keys if keys[pair] not in scores]
    done = len(keys) - len(todo)
    if progress:
        progress(done, len(keys))
    for part in chunks(todo, chunk):
        scored = {keys[pair]: score for pair, score in zip(part, backend.score(part), strict=True)}
        if store:
            store.keep(scored)
        scores.update(scored)
        done += len(part)
        if progress:
            progress(done, len(keys))
    return [scores[keys[pair]] for pair in pairs]


def chunks(pairs: Sequence[Pair], size: int) -> Iterator[list[Pair]]:
    """Pairs by like length of context, about `size` at a time; the candidates of a context stay together."""
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(pair[0], []).append(pair)
    part: list[Pair] = []
    for context in sorted(groups, key=lambda text: (-len(text), text)):
        if part and len(part) + len(groups[context]) > size:
            yield part
            part = []
        part.extend(groups[context])
        while len(part) >= 2 * size:
            yield part[:size]
            part = part[size:]
    if part:
        yield part


class FileStore:
    """A JSON Lines file of scores, appended chunk by chunk and flushed to the disk; a torn last line is dropped."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.scores = dict(_lines(path)) if path.exists() else {}

    def known(self, keys: Iterable[str]) -> Mapping[str, Scored]:
        """Those of the keys that the file holds."""
        return {key: self.scores[key] for key in keys if key in self.scores}

    def keep(self, scores: Mapping[str, Scored]) -> None:
        """Append these. Raises BadInput where the file cannot be written."""
        lines = [
            json.dumps({"key": key, "log_prob": log_prob_json(score.log_prob), "tokens": score.tokens})
            for key, score in scores.items()
        ]
        append_lines(self.path, lines)
        self.scores.update(scores)


def append_lines(path: Path, lines: Sequence[str]) -> None:
    """Append lines behind a torn last one, and flush them to the disk. Raises BadInput where that cannot be done."""
    try:
        torn = path.exists() and path.stat().st_size and not path.read_bytes().endswith(b"\n")
        with path.open("a", encoding="utf-8") as file:
            file.write(("\n" if torn else "") + "\n".join(lines) + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise BadInput(f"the file cannot be written ({error.strerror})", where=str(path)) from None


def log_prob_json(log_prob: float) -> float | str:
    """A log-probability as JSON has it: -inf as the text `-inf`."""
    return "-inf" if log_prob == -math.inf else log_prob


def _lines(path: Path) -> Iterator[tuple[str, Scored]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            record = json.loads(line)
            yield record["key"], Scored(float(record["log_prob"]), int(record["tokens"]))
        except (ValueError, KeyError, TypeError):
            continue
