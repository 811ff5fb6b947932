"""What can go wrong between a text and its log-probability. Each message is one sentence that names the text."""

from __future__ import annotations

from metrics.errors import MetricsError

EXCERPT = 40


def excerpt(text: str) -> str:
    """The beginning of a text, for a sentence."""
    line = " ".join(text.split())
    return repr(line if len(line) <= EXCERPT else f"{line[:EXCERPT]}...")


class EmptyText(MetricsError):  # noqa: N818 - named like the errors of the package
    """A candidate without a token: its log-probability would be 0 over 0 tokens."""


class TextTooLong(MetricsError):  # noqa: N818
    """A text does not fit the model's window. Carries `tokens` and `window`."""

    def __init__(self, name: str, *, tokens: int, window: int, hint: str = "") -> None:
        self.tokens, self.window = tokens, window
        super().__init__(f"{name} takes {tokens} tokens and the model's window is {window}; nothing was cut.{hint}")


class UnknownTokens(MetricsError):  # noqa: N818
    """A text holds what the tokenizer has no token for, so the model gives it no probability of its own."""


class ForeignTokenizer(MetricsError):  # noqa: N818
    """The tokenizer does not belong to the model."""


class NotANumber(MetricsError):  # noqa: N818
    """The model's logits are not numbers (NaN), or all of a step's are infinite."""


class OutOfMemory(MetricsError):  # noqa: N818
    """Even one text alone does not fit into memory."""


class ModelUnavailable(MetricsError):  # noqa: N818
    """The model is not here, may not be downloaded, is gated, or cannot be read."""


class ServerFailed(MetricsError):  # noqa: N818
    """A scoring server answered with an error, broke off, or answered in another shape."""
