"""Measures of generated text from human judgments: pure Python, no Django, no network.

HUSE, HUSE-Q and HUSE-D from judged items (`evaluate`), HJ from ratings (`sum_ratings`, `human_judgments`), the
classifier behind them (`classify`, `reference_share`), theory (`theoretical_huse`), and JSON (`result_json`).
How well evaluators tell machine from human texts (`evaluate_judgments`, `measure_accuracy`), tests on one number an
evaluator (`one_sample_t`, `two_sample_t`, `one_way_anova`, `tukey_kramer`, `equivalence`) in a declared `Family`, plans
(`sample_size`, `t_power`, `minimum_effect`), and codes of comments (`code_table`).
`compare_conditions` and `mixed_accuracy` set conditions of such a study against each other.
Around HUSE: `huse_q_only` without log p, `permutation_test`, `replicate_curve` and `size_curve`, `sensitivity_table`,
`rater_component` and `evaluate_rated`, `compare_models`, `find_examples`, `dominance_region`,
`exclusion_sensitivity` (of evaluators: `evaluator_exclusions`).
Agreement and reliability: `krippendorff_alpha`, `fleiss_kappa`, `cohen_kappa`, `intraclass_correlations`,
`raters_needed`; correlations `hj_frequency`, `kendall_tau`; crossed raters and items: `mixed_model`; raters without
gold: `dawid_skene`, `mace`; and `bradley_terry_votes`, `bradley_terry`, `mauve`, `reproduction_variation`,
`any_time_mean`, `prediction_powered_mean`, `standardise_by_rater`.
"""

from metrics.agreement.intraclass import IntraclassCorrelations, intraclass_correlations, raters_needed
from metrics.agreement.kappa import cohen_kappa, fleiss_kappa
from metrics.agreement.krippendorff import alpha_arrays, krippendorff_alpha
from metrics.data.evaluator_judgments import HUMAN, MACHINE, Judged, Judgments, by_condition, check_judgments
from metrics.data.human_judgment import HumanJudgments, human_judgments, sum_ratings
from metrics.data.to_json import estimate_json, modes_json, record_json, result_json
from metrics.errors import (
    BadInput,
    DegenerateInput,
    InsufficientData,
    MetricsError,
    MissingHJ,
    MissingLogProb,
    OneClass,
)
from metrics.evaluators.accuracy import Accuracy, evaluator_accuracies, item_accuracies, measure_accuracy
from metrics.evaluators.comment_codes import Codebook, Coded, code_table, coder_agreement, disagreements
from metrics.evaluators.conditions import ConditionComparison, ConditionPair, compare_conditions, mixed_accuracy
from metrics.evaluators.evaluate import Evaluation, evaluate_judgments
from metrics.evaluators.exclusion_sensitivity import evaluator_exclusions
from metrics.evaluators.to_json import evaluation_json
from metrics.huse.curves import Curve, CurvePoint, replicate_curve, size_curve
from metrics.huse.decision_surface import classify, reference_share
from metrics.huse.estimate import evaluate, huse_q_only
from metrics.huse.examples import Example, Examples, find_examples
from metrics.huse.exclusion_sensitivity import exclusion_sensitivity
from metrics.huse.model_differences import Comparison, Difference, compare_models
from metrics.huse.permutation_test import PermutationTest, permutation_test
from metrics.huse.quality_diversity import DominanceRegion, dominance_region, iso_huse
from metrics.huse.sensitivity import Sensitivity, SensitivityRow, sensitivity_table
from metrics.huse.subsampling import huse_arrays, subsample_sd
from metrics.huse.theory import feature_bound, theoretical_huse, total_variation
from metrics.huse.variance_components import RaterComponent, binomial_component, evaluate_rated, rater_component
from metrics.inference.anova import one_way_anova, tukey_kramer
from metrics.inference.anytime_valid import any_time_half_width, any_time_mean
from metrics.inference.bradley_terry import StrengthDifference, Strengths, bradley_terry, bradley_terry_votes
from metrics.inference.correlation import Correlation, FrequencyCorrelation, hj_frequency, kendall_tau
from metrics.inference.equivalence import Margin, equivalence, equivalence_of_two
from metrics.inference.error_rate_intervals import subsample_interval
from metrics.inference.mixed_model import MixedModel, mixed_model
from metrics.inference.multiple_testing import Family, adjust
from metrics.inference.power import (
    accuracy_difference,
    accuracy_effect,
    family_error,
    minimum_effect,
    sample_size,
    t_power,
)
from metrics.inference.prediction_powered import prediction_powered_mean
from metrics.inference.reproducibility import reproduction_variation
from metrics.inference.specification_curve import Exclusions, Specification
from metrics.inference.t_tests import binomial_test, one_sample_t, two_sample_t
from metrics.text_scores.mauve import mauve, mauve_of_features
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
from metrics.worker_models.dawid_skene import dawid_skene
from metrics.worker_models.mace import mace
from metrics.worker_models.standardise import Standardised, standardise_by_rater
from metrics.worker_models.votes import Consensus

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
    "Comparison",
    "ConditionComparison",
    "ConditionPair",
    "Consensus",
    "Correlation",
    "Curve",
    "CurvePoint",
    "DegenerateInput",
    "Difference",
    "DominanceRegion",
    "Estimate",
    "Evaluation",
    "Example",
    "Examples",
    "Exclusions",
    "Family",
    "FrequencyCorrelation",
    "HumanJudgment",
    "HumanJudgments",
    "HuseResult",
    "InsufficientData",
    "Interval",
    "IntraclassCorrelations",
    "Item",
    "Judged",
    "Judgments",
    "Margin",
    "MetricsError",
    "MissingHJ",
    "MissingLogProb",
    "MixedModel",
    "OneClass",
    "PermutationTest",
    "RaterComponent",
    "Rating",
    "RatingSums",
    "Sensitivity",
    "SensitivityRow",
    "Specification",
    "Standardised",
    "StrengthDifference",
    "Strengths",
    "__version__",
    "accuracy_difference",
    "accuracy_effect",
    "adjust",
    "alpha_arrays",
    "any_time_half_width",
    "any_time_mean",
    "binomial_component",
    "binomial_test",
    "bradley_terry",
    "bradley_terry_votes",
    "by_condition",
    "check_judgments",
    "classify",
    "code_table",
    "coder_agreement",
    "cohen_kappa",
    "compare_conditions",
    "compare_models",
    "dawid_skene",
    "disagreements",
    "dominance_region",
    "equivalence",
    "equivalence_of_two",
    "estimate_json",
    "evaluate",
    "evaluate_judgments",
    "evaluate_rated",
    "evaluation_json",
    "evaluator_accuracies",
    "evaluator_exclusions",
    "exclusion_sensitivity",
    "family_error",
    "feature_bound",
    "find_examples",
    "fleiss_kappa",
    "hj_frequency",
    "human_judgments",
    "huse_arrays",
    "huse_q_only",
    "intraclass_correlations",
    "iso_huse",
    "item_accuracies",
    "kendall_tau",
    "krippendorff_alpha",
    "mace",
    "mauve",
    "mauve_of_features",
    "measure_accuracy",
    "minimum_effect",
    "mixed_accuracy",
    "mixed_model",
    "modes_json",
    "one_sample_t",
    "one_way_anova",
    "permutation_test",
    "prediction_powered_mean",
    "rater_component",
    "raters_needed",
    "record_json",
    "reference_share",
    "replicate_curve",
    "reproduction_variation",
    "result_json",
    "sample_size",
    "sensitivity_table",
    "size_curve",
    "standardise_by_rater",
    "subsample_interval",
    "subsample_sd",
    "sum_ratings",
    "t_power",
    "theoretical_huse",
    "total_variation",
    "tukey_kramer",
    "two_sample_t",
]
