"""The plan before the data: what was decided, kept in the log when the study is published, and what differs from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.models import Cell, Statement, Study

SETTINGS = (
    "task", "question", "noun", "mode", "seed", "raters_per_text", "evaluators_per_cell", "texts_per_hit", "mix",
    "references_per_hit", "gold_per_hit", "repeats_per_hit", "checks_per_hit", "in_nines", "once", "margin_points",
    "reward_cents", "currency", "floor_cents", "assignment_seconds", "minimum_approved_hits",
    "minimum_percent_approved", "country", "stop_rule", "stop_width", "most_raters", "compare_first",
    "compare_second", "compare_criterion", "compare_margin", "compare_family",
    "compare_raters",
)  # fmt: skip
STATED = (Statement.Key.PLAN, Statement.Key.POWER, Statement.Key.REGISTERED)


@dataclass(frozen=True, slots=True)
class Planned:
    """The plan as it was when the study was published. text: canonical JSON, of which `sha256` is the digest."""

    at: datetime
    plan: Mapping[str, Any]
    text: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


def plan_of(study: Study) -> dict[str, Any]:
    """What is decided of the study now, JSON-ready."""
    cells = Cell.objects.filter(arm__study=study).select_related("arm__study", "generator").order_by("pk")
    words = study.wordings.last()
    stated = study.statements.filter(key__in=STATED).values_list("key", "body")
    return {
        "schema_version": 1,
        "study": study.name,
        "settings": {name: getattr(study, name) for name in SETTINGS} | _draw(study),
        "cells": [{"name": str(cell), "reward_cents": cell.reward_cents} for cell in cells],
        "texts": study.texts.judged().count(),
        "words_sha256": words.digest if words else None,
        "stated": dict(stated),
    }


def _draw(study: Study) -> dict[str, str]:
    """The seed of the draw, where it was chosen: that of the marketplace comes with its log, and was not planned."""
    return {"draw_seed": study.draw_seed} if study.draw_seed else {}


def planned(study: Study) -> Planned | None:
    """The plan in the log; None for a study that was not published, or was before plans were kept there."""
    first = study.audit.filter(verb="publish").order_by("number").first()
    plan = first.facts.get("plan") if first else None
    if first is None or plan is None:
        return None
    return Planned(first.at, plan, json.dumps(plan, sort_keys=True, ensure_ascii=False))


def differences(study: Study, plan: Mapping[str, Any]) -> list[str]:
    """Return what differs from the plan, a sentence each."""
    now = plan_of(study)
    sentences = [
        f"{name} is {now['settings'][name]}, and {value} was planned."
        for name, value in plan["settings"].items()
        if now["settings"].get(name, value) != value
    ]
    sentences += [f"The {part} are not those of the plan." for part in ("cells", "texts") if now[part] != plan[part]]
    if now["words_sha256"] != plan["words_sha256"]:
        sentences.append("The words of the pages are not those of the plan.")
    return sentences
