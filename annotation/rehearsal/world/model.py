"""The generator of the rehearsal world: a tiny decoder-only transformer, run in plain numpy.

p_model(y) covers every word and the END that closes the headline. Two rules make it a proper distribution over
headlines of 1 to MAX_WORDS words: END cannot come first, and after MAX_WORDS words it comes with certainty. At a
temperature t each step is softmax(logits / t), renormalised over what is allowed there; this is the distribution that
`sample` draws from and that `log_prob` scores.

The weights file holds float32 arrays: `embed` (words + 2, d; row 0 END, last row the beginning), `place`
(MAX_WORDS + 1, d), per layer i `i.norm1`, `i.norm2` (d), `i.query`, `i.key`, `i.value`, `i.mix` (d, d), `i.up` (d, 4d),
`i.down` (4d, d), then `norm` (d); `heads` is a whole number and `words` the vocabulary, one word a line, as bytes.
Blocks: x + attention(rms(x)), x + down(relu(up(rms(x)))); logits = rms(x) @ embed[:-1].T.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .vocabulary import END, MAX_WORDS, UNKNOWN, Ids, Vocabulary

WEIGHTS_FILE = Path(__file__).with_name("weights.npz")

F32 = NDArray[np.float32]
Past = list[tuple[F32, F32]]

EPSILON = np.float32(1e-5)
BATCH = 1024


@dataclass(frozen=True)
class TinyTransformer:
    """Weights by name, the number of attention heads, and the words of the ids."""

    weights: Mapping[str, F32]
    heads: int
    vocabulary: Vocabulary

    @classmethod
    def load(cls, path: Path = WEIGHTS_FILE) -> TinyTransformer:
        """Read a weights file written by `train`."""
        with np.load(path) as stored:
            arrays = {name: stored[name] for name in stored.files}
        words = arrays.pop("words").tobytes().decode("utf-8").split("\n")
        heads = int(arrays.pop("heads"))
        return cls(arrays, heads, Vocabulary(tuple(words)))

    @property
    def layers(self) -> int:
        return sum(name.endswith(".query") for name in self.weights)

    def logits(self, inputs: NDArray[np.int64], past: Past | None = None) -> tuple[F32, Past]:
        """Unmasked logits after each input position, (n, length, words + 1), and the keys and values so far.

        inputs: (n, length) embedding rows; the beginning is words + 1. `past` holds earlier positions of the rows.
        """
        w = self.weights
        start = past[0][0].shape[2] if past else 0
        x = w["embed"][inputs] + w["place"][start : start + inputs.shape[1]]
        memory: Past = []
        for layer in range(self.layers):
            attended, cache = self._attend(layer, _rms(x, w[f"{layer}.norm1"]), past[layer] if past else None)
            memory.append(cache)
            x = x + attended
            x = x + np.maximum(_rms(x, w[f"{layer}.norm2"]) @ w[f"{layer}.up"], 0) @ w[f"{layer}.down"]
        return _rms(x, w["norm"]) @ w["embed"][:-1].T, memory

    def _attend(self, layer: int, x: F32, past: tuple[F32, F32] | None) -> tuple[F32, tuple[F32, F32]]:
        n, length, width = x.shape
        query, key, value = (
            (x @ self.weights[f"{layer}.{name}"]).reshape(n, length, self.heads, -1).transpose(0, 2, 1, 3)
            for name in ("query", "key", "value")
        )
        if past is not None:
            key, value = np.concatenate([past[0], key], axis=2), np.concatenate([past[1], value], axis=2)
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(width // self.heads))
        visible = np.arange(key.shape[2])[None, :] <= np.arange(key.shape[2] - length, key.shape[2])[:, None]
        scores = np.where(visible, scores, np.float32(-np.inf))
        share = np.exp(scores - scores.max(axis=-1, keepdims=True))
        share /= share.sum(axis=-1, keepdims=True)
        mixed = (share @ value).transpose(0, 2, 1, 3).reshape(n, length, width)
        return mixed @ self.weights[f"{layer}.mix"], (key, value)

    def log_prob(self, ids: Ids, temperature: float = 1.0) -> NDArray[np.float64]:
        """Natural log p_model of each row of `ids` (n, MAX_WORDS + 1) at a temperature > 0; END counted. Shape (n,).

        -inf for what the model cannot say: an unknown word, no word, or more than MAX_WORDS words.
        """
        return self.log_probs(ids, [temperature])[0]

    def log_probs(self, ids: Ids, temperatures: Sequence[float]) -> NDArray[np.float64]:
        """`log_prob` at several temperatures in one pass, (len(temperatures), n)."""
        for temperature in temperatures:
            check_temperature(temperature)
        total = np.full((len(temperatures), len(ids)), -np.inf)
        sayable = np.flatnonzero((ids[:, 0] != END) & ~(ids == UNKNOWN).any(axis=1) & (ids[:, MAX_WORDS] == END))
        sayable = sayable[np.argsort((ids[sayable] != END).sum(axis=1), kind="stable")]
        for first in range(0, len(sayable), BATCH):
            rows = sayable[first : first + BATCH]
            total[:, rows] = self._score(ids[rows], temperatures)
        return total

    def _score(self, ids: Ids, temperatures: Sequence[float]) -> NDArray[np.float64]:
        count = (ids != END).sum(axis=1)
        length = min(int(count.max()) + 1, MAX_WORDS)  # the END after MAX_WORDS words is certain
        target = ids[:, :length].astype(np.int64)
        begin = np.full((len(ids), 1), len(self.vocabulary) + 1)
        logits, _ = self.logits(np.hstack([begin, target[:, :-1]]))
        logits[:, 0, END] = -np.inf
        inside = np.arange(length) <= count[:, None]
        chosen = np.take_along_axis(logits, target[:, :, None], axis=2)[:, :, 0]
        top = logits.max(axis=2)
        result = np.empty((len(temperatures), len(ids)))
        for index, temperature in enumerate(temperatures):
            scale = np.float32(1 / temperature)
            normaliser = np.log(np.exp((logits - top[:, :, None]) * scale).sum(axis=2))
            step = (chosen - top) * scale - normaliser
            result[index] = np.where(inside, step, 0).sum(axis=1, dtype=np.float64)
        return result

    def log_chances(self, ids: Ids, temperature: float = 1.0) -> NDArray[np.float64]:
        """log p of every id where each word of the headlines stands, (n, most words of a row, words + 1).

        ids: (n, MAX_WORDS + 1) of words that the model knows. Beyond the end of a row the values say nothing.
        """
        check_temperature(temperature)
        length = max(1, min(int((ids != END).sum(axis=1).max(initial=1)), MAX_WORDS))
        target = ids[:, :length].astype(np.int64)
        begin = np.full((len(ids), 1), len(self.vocabulary) + 1)
        logits, _ = self.logits(np.hstack([begin, target[:, :-1]]))
        scaled = logits.astype(np.float64) / temperature
        scaled[:, 0, END] = -np.inf
        scaled -= scaled.max(axis=2, keepdims=True)
        return np.asarray(scaled - np.log(np.exp(scaled).sum(axis=2, keepdims=True)))

    def sample(self, n: int, temperature: float, rng: np.random.Generator) -> Ids:
        """`n` independent headlines drawn word by word at the temperature, with replacement: ids (n, MAX_WORDS + 1)."""
        check_temperature(temperature)
        ids = np.zeros((n, MAX_WORDS + 1), dtype=np.int16)
        for first in range(0, n, BATCH):
            rows = min(BATCH, n - first)
            ids[first : first + rows, :MAX_WORDS] = self._draw(rows, temperature, rng)
        return ids

    def _draw(self, n: int, temperature: float, rng: np.random.Generator) -> NDArray[np.int64]:
        drawn = np.zeros((n, MAX_WORDS), dtype=np.int64)
        current = np.full(n, len(self.vocabulary) + 1)
        rows, past = np.arange(n), None
        for position in range(MAX_WORDS):
            logits, past = self.logits(current[:, None], past)
            chance = self.next_chances(logits[:, 0], position, temperature)
            edges = chance.cumsum(axis=1)
            current = (edges <= rng.random(len(rows))[:, None] * edges[:, -1:]).sum(axis=1)
            drawn[rows, position] = current
            going = np.flatnonzero(current != END)
            if not len(going):
                break
            rows, current = rows[going], current[going]
            past = [(key[going], value[going]) for key, value in past]
        return drawn

    @staticmethod
    def next_chances(logits: F32, position: int, temperature: float) -> NDArray[np.float64]:
        """Probabilities of the next id (n, words + 1) from logits at a word position below MAX_WORDS."""
        scaled = logits.astype(np.float64) / temperature
        if position == 0:
            scaled[:, END] = -np.inf
        scaled -= scaled.max(axis=1, keepdims=True)
        chance = np.exp(scaled)
        return chance / chance.sum(axis=1, keepdims=True)


def _rms(x: F32, gain: F32) -> F32:
    scale: F32 = np.sqrt((x * x).mean(axis=-1, keepdims=True) + EPSILON)
    return x / scale * gain


def check_temperature(temperature: float) -> None:
    """Raise ValueError for 0 or below: the limit 0 is the most likely word, not a distribution to sample."""
    if not temperature > 0:
        raise ValueError(f"temperature must be above 0, not {temperature}")


def weights_digest(path: Path = WEIGHTS_FILE) -> str:
    """SHA-256 of the weights file, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
