"""From pairs of texts to tokens; whatever would silently be scored as something else is an error."""

from __future__ import annotations

from typing import Any

from metrics.errors import BadInput
from metrics.likelihood.errors import EmptyText, ForeignTokenizer, TextTooLong, UnknownTokens, excerpt
from metrics.likelihood.packing import Job
from metrics.likelihood.records import Layout, Pair

# Vocabularies are padded to round sizes; a tokenizer that leaves more of it unused belongs to another model.
UNUSED_SHARE = 0.1
MIN_UNUSED = 256


class Encoding:
    """A model's tokenizer and a layout.

    window: most tokens a causal model (or an encoder) reads, None for no limit; target_window: of a decoder.
    decoder_start: first token of an encoder-decoder model's decoder; None for a causal model.
    """

    def __init__(
        self,
        tokenizer: Any,
        layout: Layout,
        *,
        window: int | None,
        target_window: int | None = None,
        decoder_start: int | None = None,
    ) -> None:
        self.tokenizer, self.layout = tokenizer, layout
        self.window, self.target_window, self.decoder_start = window, target_window, decoder_start
        self.eos: int | None = tokenizer.eos_token_id
        self.start: int | None = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else self.eos
        if layout.include_eos and self.eos is None:
            raise BadInput("the tokenizer has no end-of-text token; choose include_eos=False", column="include_eos")
        if layout.long_texts == "slide" and decoder_start is not None:
            raise BadInput("windows slide over causal models only", column="long_texts")

    def jobs(self, pair: Pair, name: str) -> list[Job]:
        """The tokens of a pair; several jobs where windows slide. name: what an error calls the pair."""
        context, candidate = pair
        if not candidate.strip():
            raise EmptyText(f"{name} is empty, so it has no probability per token.")
        joined = f"{self.layout.joiner}{candidate}" if context else candidate
        if self.decoder_start is not None:
            return [self._two_sided(context, joined, name)]
        return self._causal_jobs(context, joined, name)

    def prompt(self, context: str, name: str) -> tuple[int, ...]:
        """The tokens that a causal model reads before a candidate; never none."""
        ids = self._without_eos(self._ids(context, name, special=True))
        if self.layout.start == "always" or (not ids and self.layout.start == "auto"):
            if self.start is None:
                raise BadInput(f"{name} has no context and the tokenizer has no start token to put before it")
            ids = [*ids, self.start]
        if not ids:
            raise BadInput(f"{name} has no context, and its first token needs a token before it")
        return tuple(ids)

    def _causal_jobs(self, context: str, candidate: str, name: str) -> list[Job]:
        prefix = self.prompt(context, name)
        target = self._target(candidate, name)
        read = len(prefix) + len(target) - 1
        if self.window is None or read <= self.window:
            return [Job(prefix, target)]
        if self.layout.long_texts == "slide":
            return slide_windows(prefix + target, first=len(prefix), window=self.window)
        hint = " Choose long_texts='slide' for sliding windows."
        raise TextTooLong(f"{name} with its context", tokens=read, window=self.window, hint=hint)

    def _two_sided(self, context: str, candidate: str, name: str) -> Job:
        prefix = self.source(context, name)
        lead = self.lead(candidate)
        target = self._target(candidate, name)
        read = len(lead) + len(target) - 1
        if self.target_window is not None and read > self.target_window:
            raise TextTooLong(name, tokens=read, window=self.target_window)
        return Job(prefix, target, lead)

    def source(self, context: str, name: str) -> tuple[int, ...]:
        """The tokens that an encoder reads; never none."""
        prefix = self._ids(context, name, special=True) or [token for token in (self.eos,) if token is not None]
        if not prefix:
            raise BadInput(f"{name} has no context, and the encoder needs at least one token")
        if self.window is not None and len(prefix) > self.window:
            raise TextTooLong(f"The context of {name}", tokens=len(prefix), window=self.window)
        return tuple(prefix)

    def lead(self, candidate: str) -> tuple[int, ...]:
        """What the decoder starts with: its start token and what the tokenizer puts before every text."""
        bare = self.tokenizer(text_target=candidate, add_special_tokens=False)["input_ids"]
        full = self.tokenizer(text_target=candidate)["input_ids"]
        before = next((i for i in range(len(full)) if full[i : i + len(bare)] == bare), 0)
        return (*[token for token in (self.decoder_start,) if token is not None], *full[:before])

    def _target(self, candidate: str, name: str) -> tuple[int, ...]:
        ids = self._ids(candidate, name, special=False)
        if not ids:
            raise EmptyText(f"{name} ({excerpt(candidate)}) has no token, so it has no probability per token.")
        return (*ids, self.eos) if self.layout.include_eos and self.eos is not None else tuple(ids)

    def _ids(self, text: str, name: str, *, special: bool) -> list[int]:
        if not text and not special:
            return []
        # `verbose` would warn of long texts, which are an error here.
        ids: list[int] = self.tokenizer(text, add_special_tokens=special, verbose=False)["input_ids"]
        unknown = self.tokenizer.unk_token_id
        if self.layout.unknown == "error" and unknown is not None and unknown != self.eos and unknown in ids:
            raise UnknownTokens(
                f"{name} ({excerpt(text)}) holds text that the tokenizer knows no token for; "
                "choose unknown='count' to score the unknown token instead."
            )
        return ids

    def _without_eos(self, ids: list[int]) -> list[int]:
        return ids[:-1] if ids and ids[-1] == self.eos and ids[-1] != self.tokenizer.bos_token_id else ids


def slide_windows(ids: tuple[int, ...], *, first: int, window: int) -> list[Job]:
    """Jobs that score ids[first:] once each, in windows of `window` tokens that overlap by half."""
    step = max(1, window // 2)
    jobs = []
    while first < len(ids):
        start = max(0, -(-(first - window) // step) * step)
        after = min(len(ids), start + window + 1)
        jobs.append(Job(ids[start:first], ids[first:after]))
        first = after
    return jobs


def check_tokenizer(tokenizer: Any, *, rows: int, name: str, eos: Any) -> None:
    """Raise ForeignTokenizer where the tokenizer cannot belong to a model with `rows` embeddings.

    eos: the model's own end-of-text token(s), where it names any.
    """
    known = len(tokenizer)
    if known > rows:
        raise ForeignTokenizer(
            f"The tokenizer of {name} knows {known} tokens and the model has room for {rows}: it belongs to another."
        )
    if rows - known > max(MIN_UNUSED, UNUSED_SHARE * rows):
        raise ForeignTokenizer(
            f"The tokenizer of {name} knows {known} tokens of the model's {rows}: it belongs to another model."
        )
    named = eos if isinstance(eos, list | tuple) else [eos]
    if tokenizer.eos_token_id is not None and any(token is not None and token >= known for token in named):
        raise ForeignTokenizer(f"The model {name} ends texts with the token {eos}, which its tokenizer does not know.")
