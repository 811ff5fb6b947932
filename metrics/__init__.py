"""Measures of generated text from human judgments: pure Python, no Django, no network.

HUSE, HUSE-Q and HUSE-D from judged items (`evaluate`), HJ from ratings (`sum_ratings`, `human_judgments`), the
classifier behind them (`classify`, `reference_share`), theory (`theoretical_huse`), and JSON (`result_json`).
"""

from metrics.errors import (
    BadInput,
    DegenerateInput,
    InsufficientData,
    MetricsError,
    MissingHJ,
    MissingLogProb,
    OneClass,
)
from metrics.huse import evaluate
from metrics.judgments import HumanJudgments, human_judgments, sum_ratings
from metrics.resampling import huse_arrays, subsample_interval, subsample_sd
from metrics.serialise import estimate_json, modes_json, result_json
from metrics.shading import classify, reference_share
from metrics.theory import feature_bound, theoretical_huse, total_variation
from metrics.types import (
    MODEL,
    REFERENCE,
    Classified,
    Estimate,
    HumanJudgment,
    HuseResult,
    Interval,
    Item,
    Rating,
    RatingSums,
)
from metrics.version import __version__

__all__ = [
    "MODEL",
    "REFERENCE",
    "BadInput",
    "Classified",
    "DegenerateInput",
    "Estimate",
    "HumanJudgment",
    "HumanJudgments",
    "HuseResult",
    "InsufficientData",
    "Interval",
    "Item",
    "MetricsError",
    "MissingHJ",
    "MissingLogProb",
    "OneClass",
    "Rating",
    "RatingSums",
    "__version__",
    "classify",
    "estimate_json",
    "evaluate",
    "feature_bound",
    "human_judgments",
    "huse_arrays",
    "modes_json",
    "reference_share",
    "result_json",
    "subsample_interval",
    "subsample_sd",
    "sum_ratings",
    "theoretical_huse",
    "total_variation",
]
