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
    "sections/agreement: icc": "crossed",
    "sections/answer: difference": "verdicts",
    "sections/answer: mean": "report",
    "sections/answer: ranks": "report",
    "sections/answer: superiority": "report",
    "sections/by_source: *": "report",
    "sections/by_source: auc_detector": "crossed",
    "sections/by_source: auc_fp": "crossed",
    "sections/by_source: detector": "crossed",
    "sections/by_source: mean_fp": "demo",
    "sections/by_source: share": "report",
    "sections/chosen_texts: chosen": "report",
    "sections/chosen_texts: difference": "report",
    "sections/condition_assignment: difference": "report",
    "sections/equivalence: difference": "crossed",
    "sections/equivalence: value": "accuracy",
    "sections/exclusions: headline": "huse",
    "sections/explanations: kappa": "crossed",
    "sections/explanations: share_of_comments": "report",
    "sections/explanations: share_of_labels": "report",
    "sections/external_scores: difference": "report",
    "sections/external_scores: overall": "nnd",
    "sections/external_scores: rate": "nnd",
    "sections/external_scores: tau": "report",
    "sections/frequency: r": "crossed",
    "sections/human_or_machine: accuracy": "accuracy",
    "sections/human_or_machine: d": "crossed",
    "sections/human_or_machine: difference": "crossed",
    "sections/human_or_machine: g": "crossed",
    "sections/human_or_machine: value": "accuracy",
    "sections/huse: *": "huse",
    "sections/machine_scores: h": "report",
    "sections/machine_scores: m": "report",
    "sections/machine_scores: mean_fp": "demo",
    "sections/machine_scores: u": "report",
    "sections/machine_scores: value": "report",
    "sections/named_scores: auc": "crossed",
    "sections/named_scores: mean": "crossed",
    "sections/rating_scales: difference": "crossed",
    "sections/rating_scales: log_strength": "pairwise",
    "sections/rating_scales: mean": "report",
    "sections/rating_scales: preferred": "report",
    "sections/rating_scales: share": "report",
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
    "tables/huse: log_prob_only": "report",
}
NO_INTERVAL = "has none: a range of numbers that were set or counted"
UNMEASURED = {
    "comparison/compare: ratings_per_text": NO_INTERVAL,
    "comparison/compare: wage": NO_INTERVAL,
    "comparison/huse: ratings": NO_INTERVAL,
    "comparison/reproduction: pearson": "correlation of two studies' values of the same sources: has none",
    "comparison/reproduction: spearman": "correlation of two studies' values of the same sources: has none",
    "sections/agreement: value": "spread of raters and texts of the mixed model: has none",
    "sections/by_source: mauve": "has none",
    "sections/equivalence: margin": NO_INTERVAL,
    "sections/external_scores: gap": "correlation over a handful of systems: has none",
    "sections/external_scores: printed": "correlation over a handful of systems: has none",
    "sections/human_or_machine: smallest": "has none: a smallest effect by formula",
    "sections/huse: p": "a permutation p with its Monte-Carlo error; the size of the test has a section",
    "tables/huse: ratings": NO_INTERVAL,
}
