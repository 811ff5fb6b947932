"""Studies in which sentences occur that chance does not bring, in seeds from 300 on, and what they need.

Each has the seed whose study it changes, the changes, and the sentences (by template) that it is there for.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import Any

from annotation.models import AuditEvent, DrawRecord, ScoreFile, Study
from annotation.studies.preregistration import plan_of

FIRST_RARE = 300
ALL_PAID: dict[str, Any] = {"outcome": "approved", "extras": (0, 0), "raters": 5}
BOTH: dict[str, Any] = {**ALL_PAID, "texts": 10, "k": 3, "generators": ("alpha", "beta"), "contexts": True}
EVALUATORS: dict[str, Any] = {**ALL_PAID, "texts": 4, "arms": ("none",), "per_hit": 9, "generators": ("alpha",)}
PAIR = (("compare_criterion", "typicality"), ("compare_first", "beta"), ("compare_second", "alpha"))
MARGIN = (("margin_points", 20),)
RARE: tuple[tuple[int, dict[str, Any], tuple[str, ...]], ...] = (
    (
        0,
        {
            **BOTH,
            "twist": "second",
            "settings": (*PAIR, ("compare_raters", "new")),
            "logged": True,
            "registered": "osf.io/1",
        },
        ("answer.better", "statistics.plan"),
    ),
    (0, {**BOTH, "settings": (("compare_margin", 4.0),), "logged": True}, ("answer.equivalent",)),
    (0, {**BOTH, "twist": "sides apart"}, ("answer.not-comparable",)),
    (
        1,
        {
            **EVALUATORS,
            "texts": 20,
            "arms": ("none", "instructions"),
            "settings": (("arm_assignment", "drawn"), ("draw_seed", "7")),
        },
        ("methods.draw",),
    ),
    (1, {**EVALUATORS, "settings": MARGIN, "logged": True}, ("methods.equivalence", "summary.equivalence")),
    (1, {**EVALUATORS, "settings": MARGIN, "logged": True, "twist": "worse"}, ("summary.equivalence-untestable",)),
    (1, {**EVALUATORS, "twist": "mostly worse"}, ("summary.accuracy-worse",)),
    (2, {**ALL_PAID, "settings": (("mode", "imported"),)}, ("methods.none-left-out",)),
    (0, {**BOTH, "outcome": "excluded", "without": "quality"}, ("methods.excluded",)),
    (0, {**BOTH, "without": "quality"}, ("methods.none-excluded",)),
    (0, {**BOTH, "without": "ratings"}, ("warnings.unknown_raters",)),
    (0, {**BOTH, "without": "section"}, ("warnings.missing_section",)),
    (0, {**BOTH, "twist": "constant"}, ("warnings.no_variance",)),
    (0, {**BOTH, "twist": "impossible"}, ("warnings.disjoint_support", "warnings.zero_probability")),
    (
        2,
        {"outcome": "unrated", "files": ("automatic",)},
        ("warnings.tiny_model", "warnings.uncalibrated", "paper.table-automatic"),
    ),
    (
        2,
        {"outcome": "unrated", "files": ("nnd",)},
        ("paper.table-nnd", "figures.pass-rates", "figures.pass-rate-curve"),
    ),
    (0, {**BOTH, "twist": "counted"}, ("figures.hj-by-frequency",)),
    (0, {**BOTH, "texts": 18, "twist": "divided", "outcome": "rules"}, ("tables.exclusions-changes",)),
    (0, {**BOTH, "texts": 20, "per_hit": 1, "twist": "raters apart"}, ("summary.differs",)),
    (0, {**BOTH, "texts": 20, "per_hit": 1, "twist": "raters apart", "generators": ("alpha",)}, ()),
    (2, {**ALL_PAID, "texts": 6, "settings": (("status", "published"),)}, ()),
    (105, {**ALL_PAID, "preset": "which-of-k twice"}, ()),
    (
        2,
        {"raters": 2, "shown": (8, 8, 1, 2)},
        ("shortened.rows", "shortened.texts", "shortened.days", "shortened.appendix"),
    ),
    (
        0,
        {**BOTH, "twist": "second", "settings": (*PAIR, ("compare_margin", 4.9)), "logged": True},
        ("answer.better-within",),
    ),
    (
        0,
        {**BOTH, "twist": "second", "settings": (("compare_margin", 4.9),), "logged": True},
        ("answer.worse-within",),
    ),
)
SECTION = "letters"  # of a package that is not installed
VALUE = {
    "value": 0.5,
    "n": 8,
    "interval": {"low": 0.25, "high": 0.75, "level": 0.8, "method": "wilson", "target": "texts"},
    "settings": {},
    "flags": [],
    "signature": "h|n:8",
}
COUNTS = {"passed": 4, "failed": 4, "ties": 0, "contexts": 4, "wilson": None, "bootstrap": None}
DOCUMENTS: dict[str, dict[str, Any]] = {
    "automatic": {
        "thresholds": {"low": 0.4, "high": 0.4, "calibrated": False},
        "texts": {
            f"{side}{at:02d}": {
                **{"fp": (at + 1) / 10, "buckets": [5 - at, at + 1, 2, 1], "fractions": [1, 2, 3, 4], "n": 9},
                **{"mean_rank": 3.0, "mean_entropy": 1.0, "distinct_2": 0.5, "longest_repeat": 2, "verdict": "u"},
            }
            for side in ("ref", "alpha")
            for at in range(4)
        },
        "backend": {"model": "assay-tiny"},
        **dict.fromkeys(("h", "u", "m", "mean_fp"), VALUE),
    },
    "nnd": {
        "schema_version": 1,
        "models": [
            {
                "model": "small",
                "overall": {**VALUE, **COUNTS},
                "by_category": {key: {**VALUE, **COUNTS} for key in ("grammar", "negation")},
            }
        ],
        "comparisons": [],
        "curve": [
            {
                "family": "small",
                "category": category,
                "axis": "parameters",
                "x": 10.0**at,
                "model": f"small {at}",
                "value": at / 10,
                "low": at / 20,
                "high": at / 10 + 0.1,
                "n": 8,
            }
            for category in ("all", "grammar")
            for at in (6, 7, 8)
        ],
    },
}


def log_plan(study: Study, now: datetime) -> None:
    """Write the plan into the log, as publishing does."""
    AuditEvent.objects.record(study, "publish", actor="ada", now=now, plan=plan_of(study))


def draw_people(study: Study, now: datetime) -> None:
    """Write the log of a draw: everybody who worked, and two who left."""
    if study.arm_assignment != Study.ArmAssignment.DRAWN:
        return
    worked = list(study.participations.order_by("pk").values_list("worker__pseudonym", "arm_id"))
    cells = {cell.arm_id: cell for cell in study_cells(study)}
    people = [(name, cells[arm]) for name, arm in worked] + [
        (name, next(iter(cells.values()))) for name in ("x1", "x2")
    ]
    drawn = [(DrawRecord.Kind.DRAWN, *person) for person in people]
    left = [(DrawRecord.Kind.LEFT, *person) for person in people[-2:]]
    DrawRecord.objects.bulk_create(
        DrawRecord(study=study, number=number, kind=kind, person=name, cell=cell, at=now)
        for number, (kind, name, cell) in enumerate((*drawn, *left), 1)
    )


def study_cells(study: Study) -> list[Any]:
    return [cell for arm in study.arms.order_by("pk") for cell in arm.cells.order_by("pk")]


def attach_files(study: Study, kinds: tuple[str, ...], now: datetime) -> None:
    """Keep a file of scores of each kind with the study."""
    for kind in kinds:
        body = json.dumps(DOCUMENTS[kind])
        digest = hashlib.sha256(body.encode()).hexdigest()
        model = "assay-tiny" if kind == "automatic" else "small"
        ScoreFile.objects.create(
            study=study, kind=kind, name=f"{kind}.json", sha256=digest, document=body, model=model, attached_at=now
        )
