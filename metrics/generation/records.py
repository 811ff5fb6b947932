"""What generation is asked for and what it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from metrics.errors import BadInput
from metrics.likelihood.decoding import Decoding
from metrics.types import Setting


@dataclass(frozen=True, slots=True)
class Priming:
    """Few-shot priming: the same examples before every prompt (Clark et al. 2021, section 2.2: three).

    separator: between them; None is the model's end-of-text token, as the paper has it. ids: what the examples
    are called, for the record.
    """

    examples: tuple[str, ...] = ()
    separator: str | None = None
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """How texts are sampled. seed: of all draws; a text's draws depend on the seed, its number and the attempt only."""

    decoding: Decoding = field(default_factory=Decoding)
    max_tokens: int = 100
    seed: int = 0
    priming: Priming = Priming()
    attempts: int = 5
    batch: int = 16

    def __post_init__(self) -> None:
        """Raise BadInput for settings that ask for nothing."""
        for name in ("max_tokens", "attempts", "batch"):
            if getattr(self, name) < 1:
                raise BadInput(f"{name} must be at least 1, not {getattr(self, name)}", column=name)


@dataclass(frozen=True, slots=True)
class Generated:
    """One sampled text.

    log_prob: natural, total over `token_ids` under the sampling distribution, from the pass that sampled them; the
    end-of-text token is among them where `stopped` is `end`. attempt: from 1; accepted: whether the caller's check
    took the last attempt. record: every setting that made it, JSON-ready.
    """

    text: str
    prompt: str
    token_ids: tuple[int, ...]
    log_prob: float
    stopped: Literal["end", "length"]
    attempt: int
    accepted: bool
    record: Mapping[str, Setting]

    @property
    def tokens(self) -> int:
        """N of `log_prob`."""
        return len(self.token_ids)
