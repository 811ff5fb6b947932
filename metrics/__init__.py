"""Measures of generated text from human judgments: pure Python, no Django, no network.

HUSE, HUSE-Q and HUSE-D from judged items (`evaluate`), HJ from ratings (`sum_ratings`, `human_judgments`), the
classifier behind them (`classify`, `reference_share`), theory (`theoretical_huse`), and JSON (`result_json`).
How well evaluators tell machine from human texts (`evaluate_judgments`, `measure_accuracy`), tests on one number an
evaluator (`one_sample_t`, `two_sample_t`, `one_way_anova`, `tukey_kramer`, `equivalence`) in a declared `Family`, plans
(`sample_size`, `t_power`, `minimum_effect`), and codes of comments (`code_table`).
"""

from metrics.accuracy import Accuracy, evaluator_accuracies, item_accuracies, measure_accuracy
from metrics.anova import one_way_anova, tukey_kramer
from metrics.comments import Codebook, Coded, code_table, coder_agreement, disagreements
from metrics.equivalence import Margin, equivalence, equivalence_of_two
from metrics.errors import (
    BadInput,
    DegenerateInput,
    InsufficientData,
    MetricsError,
    MissingHJ,
    MissingLogProb,
    OneClass,
)
from metrics.evaluators import Evaluation, evaluate_judgments
from metrics.huse import evaluate
from metrics.judged import HUMAN, MACHINE, Judged, Judgments, by_condition, check_judgments
from metrics.judgments import HumanJudgments, human_judgments, sum_ratings
from metrics.multiplicity import Family, adjust
from metrics.power import (
    accuracy_difference,
    accuracy_effect,
    family_error,
    minimum_effect,
    sample_size,
    t_power,
)
from metrics.resampling import huse_arrays, subsample_interval, subsample_sd
from metrics.serialise import estimate_json, modes_json, result_json
from metrics.serialise_evaluators import evaluation_json
from metrics.shading import classify, reference_share
from metrics.significance import binomial_test, one_sample_t, two_sample_t
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
    "HUMAN",
    "MACHINE",
    "MODEL",
    "REFERENCE",
    "Accuracy",
    "BadInput",
    "Classified",
    "Codebook",
    "Coded",
    "DegenerateInput",
    "Estimate",
    "Evaluation",
    "Family",
    "HumanJudgment",
    "HumanJudgments",
    "HuseResult",
    "InsufficientData",
    "Interval",
    "Item",
    "Judged",
    "Judgments",
    "Margin",
    "MetricsError",
    "MissingHJ",
    "MissingLogProb",
    "OneClass",
    "Rating",
    "RatingSums",
    "__version__",
    "accuracy_difference",
    "accuracy_effect",
    "adjust",
    "binomial_test",
    "by_condition",
    "check_judgments",
    "classify",
    "code_table",
    "coder_agreement",
    "disagreements",
    "equivalence",
    "equivalence_of_two",
    "estimate_json",
    "evaluate",
    "evaluate_judgments",
    "evaluation_json",
    "evaluator_accuracies",
    "family_error",
    "feature_bound",
    "human_judgments",
    "huse_arrays",
    "item_accuracies",
    "measure_accuracy",
    "minimum_effect",
    "modes_json",
    "one_sample_t",
    "one_way_anova",
    "reference_share",
    "result_json",
    "sample_size",
    "subsample_interval",
    "subsample_sd",
    "sum_ratings",
    "t_power",
    "theoretical_huse",
    "total_variation",
    "tukey_kramer",
    "two_sample_t",
]
