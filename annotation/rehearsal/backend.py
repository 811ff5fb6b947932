"""The rehearsal's tiny model as a backend: its texts are scored on the same way as those of any other model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from annotation.rehearsal.world import World
from annotation.rehearsal.world.model import BATCH, weights_digest
from annotation.rehearsal.world.vocabulary import MAX_WORDS
from metrics.errors import BadInput
from metrics.likelihood import Decoding, Layout, ModelCard, Pair, Scored, TokenStats
from metrics.likelihood.errors import EmptyText, UnknownTokens, excerpt
from metrics.text_scores.vocabulary import META_SPACE

NAME = "rehearsal-headlines"


class TinyModel:
    """`metrics.likelihood.LogProbs` of the world's model at a temperature; it runs without torch.

    With the layout of `metrics.text_scores.machine_scores.reading_layout` it is a `Reader`: the end of a headline
    does not count there.
    """

    def __init__(self, world: World, temperature: float, *, layout: Layout | None = None) -> None:
        self.world, self.temperature = world, temperature
        self.layout = layout or Layout(start="always")

    @property
    def card(self) -> ModelCard:
        """Return the model card; the revision is a hash of the weights."""
        revision = f"sha256:{weights_digest()[:16]}"
        return ModelCard(NAME, revision, NAME, "float32", Decoding(self.temperature), self.layout)

    def score(self, pairs: Sequence[Pair]) -> list[Scored]:
        """log p of headlines, each alone: its words count, and the end of the headline where the layout says so.

        Raises BadInput for a headline with a context, EmptyText, UnknownTokens for a word that the model does not know.
        """
        if not self.layout.include_eos:
            stats = self.statistics(pairs)
            return [Scored(min(0.0, float(each.log_prob.sum())), len(each.tokens)) for each in stats]
        headlines = self._headlines(pairs)
        log_probs = self.world.log_prob_model(headlines, self.temperature)
        lengths = self.world.lengths(headlines)
        return [Scored(min(0.0, float(log_prob)), int(n)) for log_prob, n in zip(log_probs, lengths, strict=True)]

    def statistics(self, pairs: Sequence[Pair]) -> list[TokenStats]:
        """What the model predicted at each word; the end of the headline is not among them. Raises as `score`."""
        headlines = self._headlines(pairs)
        return [
            token_stats
            for first in range(0, len(headlines), BATCH)
            for token_stats in self._statistics(headlines[first : first + BATCH])
        ]

    def distributions(self, pair: Pair) -> NDArray[np.float32]:
        """log p of every word, and of the end, where each word of the headline stands: [N, V]. Raises as `score`."""
        headlines = self._headlines([pair])
        ids = self.world.grammar.vocabulary.encode(headlines)
        return self.world.model.log_chances(ids, self.temperature)[0].astype(np.float32)

    def _statistics(self, headlines: Sequence[str]) -> list[TokenStats]:
        ids = self.world.grammar.vocabulary.encode(headlines)
        rows = self.world.model.log_chances(ids, self.temperature)
        chances = np.exp(rows)
        finite = np.where(chances > 0, rows, 0.0)
        mean = (chances * finite).sum(axis=2)
        variance = (chances * finite**2).sum(axis=2) - mean**2
        target = ids[:, : rows.shape[1]].astype(np.int64)
        chosen = np.take_along_axis(rows, target[:, :, None], axis=2)
        rank = 1 + (rows > chosen).sum(axis=2)
        stats = []
        for row, words in enumerate(headline.split() for headline in headlines):
            n = slice(0, len(words))
            stats.append(
                TokenStats(
                    tokens=tuple(word if not at else META_SPACE + word for at, word in enumerate(words)),
                    log_prob=chosen[row, n, 0],
                    top_log_prob=rows[row].max(axis=1)[n],
                    rank=rank[row, n],
                    entropy=-mean[row, n],
                    mean=mean[row, n],
                    variance=np.maximum(0.0, variance[row, n]),
                )
            )
        return stats

    def _headlines(self, pairs: Sequence[Pair]) -> list[str]:
        headlines = [headline for _, headline in pairs]
        for context, headline in pairs:
            if context:
                raise BadInput(f"the rehearsal's model reads no context, and {excerpt(headline)} has one")
            if not headline.strip():
                raise EmptyText("A headline is empty, so it has no probability per token.")
            if len(headline.split()) > MAX_WORDS:
                raise BadInput(f"the rehearsal's model reads {MAX_WORDS} words, and {excerpt(headline)} has more")
            unknown = [word for word in headline.casefold().split() if word not in self.world.model.vocabulary.index]
            if unknown:
                raise UnknownTokens(f"The rehearsal's model does not know the word {unknown[0]!r}.")
        return headlines
