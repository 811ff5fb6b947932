"""How probable models find texts: backends behind one protocol, and fast, resumable scoring of many pairs.

`import metrics.likelihood` is light; torch and transformers come with the backend that needs them (`open_model`).
"""

from metrics.likelihood.decoding import Decoding, decoded, decoding_from
from metrics.likelihood.records import Layout, LogProbs, ModelCard, Pair, Scored, TokenStatistics, TokenStats

__all__ = [
    "Decoding",
    "Layout",
    "LogProbs",
    "ModelCard",
    "Pair",
    "Scored",
    "TokenStatistics",
    "TokenStats",
    "decoded",
    "decoding_from",
]
