"""How probable models find texts: backends behind one protocol, and fast, resumable scoring of many pairs.

`import metrics.likelihood` is light; torch and transformers come with the backend that needs them (`open_model`).
"""

from __future__ import annotations

from metrics.likelihood.decoding import Decoding, decoded, decoding_from
from metrics.likelihood.errors import ModelUnavailable
from metrics.likelihood.records import Layout, LogProbs, ModelCard, Pair, Reader, Scored, TokenStatistics, TokenStats
from metrics.likelihood.scoring import FileStore, Store, content_key, score_all

TINY = "assay-tiny"

__all__ = [
    "TINY",
    "Decoding",
    "FileStore",
    "Layout",
    "LogProbs",
    "ModelCard",
    "Pair",
    "Reader",
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
) -> Reader:
    """Open a language model of a folder or of the Hugging Face hub (loads torch), or `assay-tiny`.

    Args:
        name: folder, or name on the hub such as `gpt2`; `assay-tiny`: the byte n-gram model that comes with Assay, for
            trying out (its numbers say nothing about texts; of the options only `layout` and `decoding` concern it).
        revision: commit or tag on the hub; None: the default branch.
        tokenizer: folder or name, where it is not the model's own.
        dtype: number format of the weights: `float32`, `float16` or `bfloat16`.
        device: `cpu`, `cuda` or `cuda:1`.
        allow_download: whether files that are not on this machine may be downloaded.
        layout: how a pair becomes tokens; None: the defaults of `Layout`.
        decoding: the sampling distribution whose log-probabilities are computed; None: the model's own, at temperature
            1.
        budget: tokens in one batch; None: 1024 on a CPU, 16384 on a GPU.

    Returns:
        A backend for `score_all`, with a `card` that identifies model, revision, tokenizer and settings.

    Raises:
        ModelUnavailable: the model is not here, or torch or transformers is not installed.
        ForeignTokenizer: the tokenizer does not belong to the model.
        OutOfMemory: the model does not fit on the device.
        BadInput: an option that is not allowed.

    Source:
        Hashimoto, Zhang and Liang (2019), section 4.1 (log p of the generator under its own sampling distribution).

    Example:
        >>> from metrics import open_model
        >>> from metrics.likelihood.errors import ModelUnavailable
        >>> try:
        ...     model = open_model("/models/not-on-this-machine")
        ... except ModelUnavailable:
        ...     print("Use a local folder, or allow_download=True.")
        Use a local folder, or allow_download=True.
    """
    if name == TINY:
        from metrics.likelihood.tiny import open_tiny

        return open_tiny(layout=layout, decoding=decoding)
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
