"""One object that holds the rehearsal world: who writes, who is copied, how people read."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .grammar import RULES_FILE, Grammar
from .model import TinyTransformer, weights_digest
from .raters import LABELS, Crowd, RaterProfile, TextFeatures, label_codes, rule_digest, text_features, text_keys
from .vocabulary import Ids, token_counts

LENGTH_UNIT = "model_token"


@dataclass(frozen=True)
class Fingerprint:
    """What the world is made of, as SHA-256 in hex: weights file, grammar rules, the raters' judgment rule."""

    weights: str
    grammar: str
    raters: str

    @classmethod
    def shipped(cls) -> Fingerprint:
        return cls(weights_digest(), hashlib.sha256(RULES_FILE.read_bytes()).hexdigest(), rule_digest())


@dataclass(frozen=True)
class World:
    """The shipped grammar (reference), tiny model (generator) and raters.

    Every log-probability is natural, covers a headline's words and its END, and belongs to independent draws with
    replacement: a model that repeats itself is to be seen repeating itself, so no text is ever dropped as a duplicate.
    """

    grammar: Grammar
    model: TinyTransformer

    @classmethod
    def load(cls) -> World:
        """Read the shipped grammar and weights (about 0.1 s)."""
        grammar, model = Grammar.shipped(), TinyTransformer.load()
        if grammar.vocabulary != model.vocabulary:
            raise ValueError("the weights were trained on other words than the grammar's: run the training again")
        return cls(grammar, model)

    def sample_references(self, n: int, rng: np.random.Generator) -> list[str]:
        """`n` independent headlines of the grammar."""
        return self._decode(self.grammar.sample(n, rng))

    def sample_model(self, n: int, temperature: float, rng: np.random.Generator) -> list[str]:
        """`n` independent headlines of the model, sampled word by word at the temperature."""
        return self._decode(self.model.sample(n, temperature, rng))

    def log_prob_ref(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """log p_ref (n,), <= 0; -inf for what the grammar cannot say."""
        return self.grammar.log_prob(self._encode(texts))

    def log_prob_model(self, texts: Sequence[str], temperature: float) -> NDArray[np.float64]:
        """log p_model (n,) under the model as sampled at the temperature, <= 0; -inf for what it cannot say."""
        return self.model.log_prob(self._encode(texts), temperature)

    def lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Length (n,) in LENGTH_UNIT: the words and the END, which is what the log-probabilities cover."""
        return token_counts(self._encode(texts))

    def features(self, texts: Sequence[str]) -> TextFeatures:
        """What simulated raters need of these texts."""
        return self.features_of(self._encode(texts), texts)

    def features_of(self, ids: Ids, texts: Sequence[str]) -> TextFeatures:
        """`features` of texts whose ids are known already."""
        return text_features(text_keys(texts), self.grammar.log_prob(ids), token_counts(ids))

    def labels(self, texts: Sequence[str], rater: RaterProfile, seed: int) -> list[str]:
        """The labels, as worded in LABELS, that one rater gives to these texts; the same whatever their order."""
        no_others = np.zeros((len(texts), 1), dtype=np.int64)
        codes = label_codes(self.features(texts), Crowd.of([rater]), no_others, seed)
        return [LABELS[code] for code in codes[:, 0]]

    def _encode(self, texts: Sequence[str]) -> Ids:
        return self.grammar.vocabulary.encode(texts)

    def _decode(self, ids: Ids) -> list[str]:
        return self.grammar.vocabulary.decode(ids)
