"""How probable models find texts: backends behind one protocol, and fast, resumable scoring of many pairs.

`import metrics.likelihood` is light; torch and transformers come with the backend that needs them (`open_model`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from metrics.likelihood.decoding import Decoding, decoded, decoding_from
from metrics.likelihood.errors import ModelUnavailable
from metrics.likelihood.records import Layout, LogProbs, ModelCard, Pair, Scored, TokenStatistics, TokenStats
from metrics.likelihood.scoring import FileStore, Store, content_key, score_all

if TYPE_CHECKING:
    from metrics.likelihood.huggingface import HuggingFace

__all__ = [
    "Decoding",
    "FileStore",
    "Layout",
    "LogProbs",
    "ModelCard",
    "Pair",
    "Scored",
    "Store",
    "TokenStatistics",
    "TokenStats",
    "content_key",
    "decoded",
    "decoding_from",
    "open_model",
    "score_all",
]


def open_model(
    name: str,
    *,
    revision: str | None = None,
    tokenizer: str | None = None,
    dtype: str = "float32",
    device: str = "cpu",
    allow_download: bool = False,
    layout: Layout | None = None,
    decoding: Decoding | None = None,
    budget: int | None = None,
) -> HuggingFace:
    """A Hugging Face model of a folder or a hub name; loads torch. Nothing is downloaded unless allowed.

    Raises ModelUnavailable (also where torch or transformers are not installed), ForeignTokenizer, OutOfMemory or
    BadInput.
    """
    try:
        from metrics.likelihood.huggingface import HuggingFace
    except ImportError as error:
        raise ModelUnavailable(f"Scoring by a local model needs {error.name}, which is not installed.") from None
    return HuggingFace.open(
        name,
        revision=revision,
        tokenizer=tokenizer,
        dtype=dtype,
        device=device,
        allow_download=allow_download,
        layout=layout,
        decoding=decoding,
        budget=budget,
    )
