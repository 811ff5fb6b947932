"""Every column of a report that can print an estimate with its interval, and where its coverage is measured.

`printed_columns` walks the report's sections, comparisons and tables; `MEASURED` says for each column which section of
docs/validity.md counts it, `UNMEASURED` why none does. A column in neither fails
`tests/metrics/report/test_printed_intervals.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.simulation_studies.store import ROOT

FOLDERS = ("metrics/report/sections", "metrics/report/comparison", "metrics/tables")
KINDS = {"estimate", "share_estimate", "range"}


def printed_columns() -> list[str]:
    """`module: column` of every column of a kind that prints an interval; `*` stands for what is filled in."""
    found = {name for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.py")) for name in _columns(path)}
    return sorted(found)


def _columns(path: Path) -> Iterator[str]:
    module = f"{path.parent.name}/{path.stem}"
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Column"):
            continue
        kind = node.args[2] if len(node.args) > 2 else next((k.value for k in node.keywords if k.arg == "kind"), None)
        if kind is not None and (not isinstance(kind, ast.Constant) or kind.value in KINDS):
            yield f"{module}: {_text(node.args[0])}"


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values)
    return "*"


# Column, and the section of docs/validity.md (`validity.SIMULATED`) that has its rows.
MEASURED = {
    "comparison/huse: *": "differences",
    "comparison/people: accuracy": "accuracy",
    "comparison/people: confident": "crossed",
    "comparison/people: f1": "accuracy",
    "comparison/people: human": "crossed",
    "sections/agreement: alpha_*": "alpha",
    "sections/answer: difference": "verdicts",
    "sections/agreement: icc": "crossed",
    "sections/by_source: auc_detector": "crossed",
    "sections/by_source: auc_fp": "crossed",
    "sections/by_source: detector": "crossed",
    "sections/by_source: mean_fp": "demo",
    "sections/equivalence: value": "accuracy",
    "sections/exclusions: headline": "huse",
    "sections/explanations: kappa": "crossed",
    "sections/external_scores: overall": "nnd",
    "sections/external_scores: rate": "nnd",
    "sections/frequency: r": "crossed",
    "sections/human_or_machine: accuracy": "accuracy",
    "sections/human_or_machine: d": "crossed",
    "sections/human_or_machine: difference": "crossed",
    "sections/human_or_machine: g": "crossed",
    "sections/human_or_machine: value": "accuracy",
    "sections/huse: *": "huse",
    "sections/machine_scores: mean_fp": "demo",
    "sections/named_scores: auc": "crossed",
    "sections/named_scores: mean": "crossed",
    "sections/rating_scales: difference": "crossed",
    "sections/rating_scales: log_strength": "pairwise",
    "sections/rating_scales: mean": "crossed",
    "tables/evaluators: accuracy": "accuracy",
    "tables/evaluators: alpha_nominal": "alpha",
    "tables/evaluators: alpha_ordinal": "alpha",
    "tables/evaluators: confident": "crossed",
    "tables/evaluators: f1": "accuracy",
    "tables/evaluators: human": "crossed",
    "tables/evaluators: precision": "crossed",
    "tables/evaluators: recall": "accuracy",
    "tables/exclusions: huse_d": "huse",
    "tables/exclusions: huse_q": "huse",
    "tables/huse: huse": "huse",
    "tables/huse: huse_d": "huse",
    "tables/huse: huse_q": "huse",
}
NO_INTERVAL = "has none: a range of numbers that were set or counted"
NOT_SIMULATED = "not simulated yet"
UNMEASURED = {
    "comparison/compare: ratings_per_text": NO_INTERVAL,
    "comparison/huse: ratings": NO_INTERVAL,
    "comparison/reproduction: pearson": "correlation of two studies' values of the same sources: not simulated yet",
    "comparison/reproduction: spearman": "correlation of two studies' values of the same sources: not simulated yet",
    "sections/agreement: value": "spread of raters and texts of the mixed model: has none",
    "sections/answer: mean": "mean of one source, by the rule of the difference: not simulated yet",
    "sections/answer: ranks": "rank sets, which hold jointly: not simulated yet",
    "sections/answer: superiority": "probability of superiority, by the rule of the difference: not simulated yet",
    "sections/by_source: *": "shares of tokens by rank, which share texts: not simulated yet",
    "sections/by_source: mauve": "has none",
    "sections/by_source: share": "shares of tokens by rank, which share texts: not simulated yet",
    "sections/condition_assignment: difference": "largest difference of drop-out, Newcombe: not simulated yet",
    "sections/equivalence: margin": NO_INTERVAL,
    "sections/explanations: share_of_comments": NOT_SIMULATED,
    "sections/explanations: share_of_labels": NOT_SIMULATED,
    "sections/external_scores: difference": "differences of pass rates on the same tests: not simulated yet",
    "sections/external_scores: gap": "correlation over a handful of systems: has none",
    "sections/external_scores: printed": "correlation over a handful of systems: has none",
    "sections/external_scores: tau": "tau over a handful of systems, Fieller: not simulated yet",
    "sections/human_or_machine: smallest": "has none: a smallest effect by formula",
    "sections/huse: p": "a permutation p with its Monte-Carlo error; the size of the test has a section",
    "sections/machine_scores: h": "share of verdicts of independent texts, Wilson: not simulated yet",
    "sections/machine_scores: m": "share of verdicts of independent texts, Wilson: not simulated yet",
    "sections/machine_scores: u": "share of verdicts of independent texts, Wilson: not simulated yet",
    "sections/machine_scores: value": "agreement with people on known texts: not simulated yet",
    "sections/rating_scales: preferred": "win rate, by the same clusters as the strengths: not simulated yet",
    "sections/rating_scales: share": "share of each label, clustered by rater: not simulated yet",
    "tables/huse: log_prob_only": "the rule of HUSE-Q on log p, which has no raters: not simulated yet",
    "tables/huse: ratings": NO_INTERVAL,
}
