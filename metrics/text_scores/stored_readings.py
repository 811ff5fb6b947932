"""What a language model read, stored as it comes, so that reading many texts goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from metrics.likelihood import Reader
from metrics.likelihood.scoring import append_lines
from metrics.text_scores.machine_scores import read_by
from metrics.text_scores.token_predictions import Backend, Predictions, check_predictions


class ReadingStore:
    """A JSON Lines file of texts as a model read them; a torn last line is dropped.

    path: the file to which readings are appended. earlier: files of runs that stopped, which are only read.
    """

    def __init__(self, path: Path, earlier: Sequence[Path] = ()) -> None:
        self.path = path
        self.records = {key: record for file in (*earlier, path) if file.exists() for key, record in _records(file)}

    def read(self, model: Reader, texts: Mapping[str, str]) -> tuple[list[Predictions], dict[str, float]]:
        """As `read_by`, but only texts that this model has not read yet are read. Raises BadInput as `append_lines`."""
        keys = {name: _key(model, text) for name, text in texts.items()}
        missing = {name: text for name, text in texts.items() if keys[name] not in self.records}
        if missing:
            read, curvatures = read_by(model, missing)
            new = {keys[text.id]: _record(text, curvatures[text.id]) for text in read}
            append_lines(self.path, [json.dumps({"key": key, **record}) for key, record in new.items()])
            self.records |= new
        predictions = [_predictions(name, self.records[key]) for name, key in keys.items()]
        return predictions, {name: self.records[key]["curvature"] for name, key in keys.items()}


def _key(model: Reader, text: str) -> str:
    """Of a text under a model: equal texts are read once."""
    return hashlib.sha256(f"{model.card.signature}\0{text}".encode()).hexdigest()


def _record(text: Predictions, curvature: float) -> dict[str, Any]:
    backend = text.backend
    return {
        "tokens": text.tokens,
        "probability": text.probability.tolist(),
        "top_probability": text.top_probability.tolist(),
        "rank": text.rank.tolist(),
        "entropy": None if text.entropy is None else text.entropy.tolist(),
        "entropy_of": text.entropy_of,
        "backend": [backend.model, backend.revision, backend.tokenizer, backend.dtype, backend.context_length],
        "curvature": curvature,
    }


def _predictions(name: str, record: Mapping[str, Any]) -> Predictions:
    return check_predictions(
        name,
        record["tokens"],
        record["probability"],
        record["top_probability"],
        rank=record["rank"],
        entropy=record["entropy"],
        entropy_of=record["entropy_of"],
        backend=Backend(*record["backend"]),
    )


def _records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            record = json.loads(line)
            yield record.pop("key"), record
        except (ValueError, KeyError, AttributeError):
            continue
