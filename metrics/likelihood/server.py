"""A completions server (the shape of OpenAI's, which vLLM and others answer) that returns prompt log-probabilities."""

from __future__ import annotations

import http.client
import json
import math
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from metrics.errors import BadInput
from metrics.likelihood.decoding import Decoding
from metrics.likelihood.errors import EmptyText, ServerFailed, excerpt
from metrics.likelihood.records import Layout, ModelCard, Pair, Scored

BATCH = 16
TRIES = 3
TIMEOUT = 120.0


class CompletionsServer:
    """Scores by `POST {url}/completions` with `echo`, `max_tokens: 0` and `logprobs: 1`.

    url: up to and with `/v1`. end: text that the model's end-of-text token is written as (`</s>`); it is put behind
    every candidate and counts, or with "" nothing does. A server answers for the model's own distribution only.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str,
        revision: str = "unknown",
        api_key: str = "",
        end: str = "",
        joiner: str = "",
        batch: int = BATCH,
        timeout: float = TIMEOUT,
    ) -> None:
        """Raises BadInput for an address other than http(s)."""
        self.address = urlsplit(url)
        if self.address.scheme not in ("http", "https") or not self.address.hostname:
            raise BadInput(f"the address must begin with http:// or https://, not {url!r}", column="url")
        self.api_key, self.end, self.joiner, self.batch, self.timeout = api_key, end, joiner, batch, timeout
        layout = Layout(include_eos=bool(end), start="never", joiner=joiner)
        self._card = ModelCard(model, revision, "the server's", "the server's", Decoding(), layout)

    @property
    def card(self) -> ModelCard:
        """Return what the scores come from."""
        return self._card

    def score(self, pairs: Sequence[Pair]) -> list[Scored]:
        """log p of each candidate. Raises ServerFailed after TRIES broken answers; use `score_all` with a store and
        small chunks, and what was scored before is kept."""
        for _, candidate in pairs:
            if not candidate.strip():
                raise EmptyText("A candidate is empty, so it has no probability per token.")
        scores: list[Scored] = []
        for start in range(0, len(pairs), self.batch):
            part = pairs[start : start + self.batch]
            scores += self._scored(part)
        return scores

    def _scored(self, pairs: Sequence[Pair]) -> list[Scored]:
        heads = [f"{context}{self.joiner}" if context else "" for context, _ in pairs]
        prompts = [f"{head}{candidate}{self.end}" for head, (_, candidate) in zip(heads, pairs, strict=True)]
        request = {"model": self._card.model, "prompt": prompts, "max_tokens": 0, "echo": True, "logprobs": 1}
        answer = self._request(json.dumps(request | {"temperature": 1.0}).encode())
        choices = answer.get("choices")
        if not isinstance(choices, list) or len(choices) != len(prompts):
            count = len(choices) if isinstance(choices, list) else 0
            raise ServerFailed(f"The server answered {count} texts of {len(prompts)}.")
        try:
            ordered = sorted(choices, key=lambda choice: int(choice.get("index", 0)))
            return [
                read_scored(choice, before=len(pair[0]), after=len(prompt), text=pair[1])
                for choice, prompt, pair in zip(ordered, prompts, pairs, strict=True)
            ]
        except ServerFailed:
            raise
        except (AttributeError, TypeError, ValueError):
            raise ServerFailed("The server's answer has not the shape of completions with log-probabilities.") from None

    def _request(self, body: bytes) -> dict[str, Any]:
        last = ""
        for _ in range(TRIES):
            try:
                status, text = self._posted(body)
            except (OSError, http.client.HTTPException) as error:
                last = f"broke off ({type(error).__name__})"
                continue
            if status >= http.client.INTERNAL_SERVER_ERROR or status == http.client.TOO_MANY_REQUESTS:
                last = f"answered {status}"
                continue
            if status != http.client.OK:
                raise ServerFailed(f"The server answered with status {status}: {' '.join(text.split())[:200]}")
            return _document(text)
        raise ServerFailed(f"The server {self.address.netloc} {last}, {TRIES} times; what was scored before is kept.")

    def _posted(self, body: bytes) -> tuple[int, str]:
        secure = self.address.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        line = kind(self.address.hostname or "", self.address.port, timeout=self.timeout)
        headers = {"Content-Type": "application/json"}
        if self.api_key:
            headers["Authorization"] = f"Bearer {self.api_key}"
        try:
            line.request("POST", f"{self.address.path.rstrip('/')}/completions", body, headers)
            answer = line.getresponse()
            return answer.status, answer.read().decode("utf-8", "replace")
        finally:
            line.close()


def _document(text: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except ValueError:
        raise ServerFailed("The server's answer is not JSON.") from None
    if not isinstance(document, dict):
        raise ServerFailed("The server's answer is not an object.")
    return document


def read_scored(choice: dict[str, Any], *, before: int, after: int, text: str) -> Scored:
    """The candidate's part of an echoed prompt, characters `before` to `after` of it (some servers add a token).

    Raises ServerFailed where the server gives no log-probabilities, or where a token reaches over the border.
    """
    logprobs = choice.get("logprobs") or {}
    values, offsets = logprobs.get("token_logprobs"), logprobs.get("text_offset")
    if not values or not offsets or len(values) != len(offsets):
        raise ServerFailed("The server returns no log-probabilities of prompts (echo with logprobs).")
    mine = [(value, offset) for value, offset in zip(values, offsets, strict=True) if before <= offset < after]
    if not mine or (before and mine[0][1] != before):
        raise ServerFailed(
            f"A token holds the end of the context and the beginning of {excerpt(text)}; "
            "let the candidate, not the context, begin with the space between them."
        )
    if mine[0][0] is None:
        raise ServerFailed(
            f"The server gives no log-probability for the first token of {excerpt(text)}: it has no context."
        )
    numbers = [float(value) for value, _ in mine]
    if any(math.isnan(number) for number in numbers):
        raise ServerFailed(f"The server gives a log-probability that is not a number for {excerpt(text)}.")
    return Scored(min(0.0, math.fsum(numbers)), len(numbers))
