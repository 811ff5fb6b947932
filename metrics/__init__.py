"""Measures of generated text from human judgments: pure Python, no Django, no network.

Thirty-one names, in the order of the papers behind them:

HUSE (Hashimoto, Zhang and Liang 2019): `evaluate`, `evaluate_rated`, `huse_q_only`, and HJ by `sum_ratings` and
`human_judgments`. Human or machine (Clark et al. 2021): `evaluate_judgments`, `compare_conditions`. Near-negative
distinction (Laban et al. 2022): `build_tests`, `administer_tests`, `pass_rates`. Automatic human-likelihood (Çano and
Bojar 2020): `score_text`, `h_score`. Log-probabilities: `open_model`, `score_all`. Agreement: `krippendorff_alpha`,
`cohen_kappa`, `intraclass_correlations`. Models of raters and preferences: `dawid_skene`, `mace`, `mixed_model`,
`bradley_terry_votes`. Planning: `expected_precision`, `crossed_power`. Reports: `build_report`, `write_report`.
Records: `Item`, `Rating`, `EvaluatorJudgment`, `Candidate`, `Estimate`; every error is a `MetricsError`.

These names are stable. All others are imported as `metrics.<package>.<module>` and may move. A name's module is loaded
when the name is first used, so `import metrics` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from metrics.version import __version__ as __version__

if TYPE_CHECKING:
    from metrics.agreement.intraclass import intraclass_correlations
    from metrics.agreement.kappa import cohen_kappa
    from metrics.agreement.krippendorff import krippendorff_alpha
    from metrics.data.evaluator_judgments import EvaluatorJudgment
    from metrics.data.human_judgment import human_judgments, sum_ratings
    from metrics.errors import MetricsError
    from metrics.evaluators.conditions import compare_conditions
    from metrics.evaluators.evaluate import evaluate_judgments
    from metrics.huse.estimate import evaluate, huse_q_only
    from metrics.huse.variance_components import evaluate_rated
    from metrics.inference.bradley_terry import bradley_terry_votes
    from metrics.inference.mixed_model import mixed_model
    from metrics.likelihood import open_model
    from metrics.likelihood.scoring import score_all
    from metrics.nnd.administer import administer_tests
    from metrics.nnd.build import build_tests
    from metrics.nnd.rates import pass_rates
    from metrics.nnd.records import Candidate
    from metrics.planning.crossed import crossed_power
    from metrics.planning.huse_precision import expected_precision
    from metrics.report.build import build_report
    from metrics.report.formats.write import write_report
    from metrics.text_scores.h_score import h_score, score_text
    from metrics.types import Estimate, Item, Rating
    from metrics.worker_models.dawid_skene import dawid_skene
    from metrics.worker_models.mace import mace

__all__ = [  # noqa: RUF022 - in the order of the papers
    "evaluate",
    "evaluate_rated",
    "huse_q_only",
    "sum_ratings",
    "human_judgments",
    "evaluate_judgments",
    "compare_conditions",
    "build_tests",
    "administer_tests",
    "pass_rates",
    "score_text",
    "h_score",
    "open_model",
    "score_all",
    "krippendorff_alpha",
    "cohen_kappa",
    "intraclass_correlations",
    "dawid_skene",
    "mace",
    "mixed_model",
    "bradley_terry_votes",
    "expected_precision",
    "crossed_power",
    "build_report",
    "write_report",
    "Item",
    "Rating",
    "EvaluatorJudgment",
    "Candidate",
    "Estimate",
    "MetricsError",
]

_MODULES = {
    "evaluate": "huse.estimate",
    "evaluate_rated": "huse.variance_components",
    "huse_q_only": "huse.estimate",
    "sum_ratings": "data.human_judgment",
    "human_judgments": "data.human_judgment",
    "evaluate_judgments": "evaluators.evaluate",
    "compare_conditions": "evaluators.conditions",
    "build_tests": "nnd.build",
    "administer_tests": "nnd.administer",
    "pass_rates": "nnd.rates",
    "score_text": "text_scores.h_score",
    "h_score": "text_scores.h_score",
    "open_model": "likelihood",
    "score_all": "likelihood.scoring",
    "krippendorff_alpha": "agreement.krippendorff",
    "cohen_kappa": "agreement.kappa",
    "intraclass_correlations": "agreement.intraclass",
    "dawid_skene": "worker_models.dawid_skene",
    "mace": "worker_models.mace",
    "mixed_model": "inference.mixed_model",
    "bradley_terry_votes": "inference.bradley_terry",
    "expected_precision": "planning.huse_precision",
    "crossed_power": "planning.crossed",
    "build_report": "report.build",
    "write_report": "report.formats.write",
    "Item": "types",
    "Rating": "types",
    "EvaluatorJudgment": "data.evaluator_judgments",
    "Candidate": "nnd.records",
    "Estimate": "types",
    "MetricsError": "errors",
}


def __getattr__(name: str) -> Any:
    """Load the module of a public name when the name is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__})
