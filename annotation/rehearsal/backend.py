"""The rehearsal's tiny model as a backend: its texts are scored on the same way as those of any other model."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.rehearsal.world import World
from annotation.rehearsal.world.model import weights_digest
from metrics.errors import BadInput
from metrics.likelihood import Decoding, Layout, ModelCard, Pair, Scored
from metrics.likelihood.errors import EmptyText, UnknownTokens, excerpt

NAME = "rehearsal-headlines"


class TinyModel:
    """`metrics.likelihood.LogProbs` of the world's model at a temperature; it runs without torch."""

    def __init__(self, world: World, temperature: float) -> None:
        self.world, self.temperature = world, temperature

    @property
    def card(self) -> ModelCard:
        """Return the model card; the revision is a hash of the weights."""
        revision = f"sha256:{weights_digest()[:16]}"
        return ModelCard(NAME, revision, NAME, "float32", Decoding(self.temperature), Layout(start="always"))

    def score(self, pairs: Sequence[Pair]) -> list[Scored]:
        """log p of headlines, each alone: its words and the end of the headline count.

        Raises BadInput for a headline with a context, EmptyText, UnknownTokens for a word that the model does not know.
        """
        headlines = [headline for _, headline in pairs]
        for context, headline in pairs:
            if context:
                raise BadInput(f"the rehearsal's model reads no context, and {excerpt(headline)} has one")
            if not headline.strip():
                raise EmptyText("A headline is empty, so it has no probability per token.")
            unknown = [word for word in headline.casefold().split() if word not in self.world.model.vocabulary.index]
            if unknown:
                raise UnknownTokens(f"The rehearsal's model does not know the word {unknown[0]!r}.")
        log_probs = self.world.log_prob_model(headlines, self.temperature)
        lengths = self.world.lengths(headlines)
        return [Scored(min(0.0, float(log_prob)), int(n)) for log_prob, n in zip(log_probs, lengths, strict=True)]
