"""Measures of generated text from human judgments: pure Python, no Django, no network.

HUSE, HUSE-Q and HUSE-D from judged items (`evaluate`), HJ from ratings (`sum_ratings`, `human_judgments`), the
classifier behind them (`classify`, `reference_share`), theory (`theoretical_huse`), and JSON (`result_json`).
Around HUSE: `huse_q_only` without log p, `permutation_test`, `replicate_curve` and `size_curve`, `sensitivity_table`,
`rater_component` and `evaluate_rated`, `compare_models`, `find_examples`, `dominance_region`.
"""

from metrics.comparison import Comparison, Difference, compare_models
from metrics.components import RaterComponent, binomial_component, evaluate_rated, rater_component
from metrics.curves import Curve, CurvePoint, replicate_curve, size_curve
from metrics.dominance import DominanceRegion, dominance_region, iso_huse
from metrics.errors import (
    BadInput,
    DegenerateInput,
    InsufficientData,
    MetricsError,
    MissingHJ,
    MissingLogProb,
    OneClass,
)
from metrics.examples import Example, Examples, find_examples
from metrics.huse import evaluate, huse_q_only
from metrics.judgments import HumanJudgments, human_judgments, sum_ratings
from metrics.permutation import PermutationTest, permutation_test
from metrics.resampling import huse_arrays, subsample_interval, subsample_sd
from metrics.sensitivity import Sensitivity, SensitivityRow, sensitivity_table
from metrics.serialise import estimate_json, modes_json, record_json, result_json
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
    "Comparison",
    "Curve",
    "CurvePoint",
    "DegenerateInput",
    "Difference",
    "DominanceRegion",
    "Estimate",
    "Example",
    "Examples",
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
    "PermutationTest",
    "RaterComponent",
    "Rating",
    "RatingSums",
    "Sensitivity",
    "SensitivityRow",
    "__version__",
    "binomial_component",
    "classify",
    "compare_models",
    "dominance_region",
    "estimate_json",
    "evaluate",
    "evaluate_rated",
    "feature_bound",
    "find_examples",
    "human_judgments",
    "huse_arrays",
    "huse_q_only",
    "iso_huse",
    "modes_json",
    "permutation_test",
    "rater_component",
    "record_json",
    "reference_share",
    "replicate_curve",
    "result_json",
    "sensitivity_table",
    "size_curve",
    "subsample_interval",
    "subsample_sd",
    "sum_ratings",
    "theoretical_huse",
    "total_variation",
]
