"""SummEval (Fabbri et al. 2021): summaries rated 1 to 5 on four attributes by three experts and five workers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Literal

from metrics.data.json_files import Record, read_records
from metrics.nnd.build import Options, build_tests
from metrics.nnd.orders import best_above_others, likert_majority
from metrics.nnd.records import Candidate, TestSet

ATTRIBUTES = ("consistency", "coherence", "fluency", "relevance")
HIGH, LOW = "high", "low"
TOP = 5

Annotators = Literal["expert", "turker"]
Split = Literal["odd", "even", "all"]


def summeval_tests(
    path: Path, *, annotators: Annotators = "expert", split: Split = "odd", options: Options | None = None
) -> TestSet:
    """For each attribute: summaries a strict majority gave a 5, against the others of the same document.

    path: JSON lines: id (document), model_id, decoded (summary), text (document, where the file was paired with the
    documents), expert_annotations and turker_annotations (lists of a score per attribute). split: rows are numbered
    from 0; `odd` is the half the published numbers come from. Raises BadInput, InsufficientData.
    """
    skipped: Counter[str] = Counter()
    candidates, seen = [], dict[str, int]()
    for number, record in enumerate(read_records(path)):
        name = f"{record.name('id')}/{record.name('model_id')}"
        if name in seen:
            raise record.error("model_id", f"duplicate summary {name}, first in row {seen[name]}")
        seen[name] = record.row
        if split != "all" and (number % 2 == 1) != (split == "odd"):
            skipped["summaries_of_the_other_half"] += 1
            continue
        candidates += [_candidate(record, name, attribute, annotators) for attribute in ATTRIBUTES]
    settings = {"annotators": annotators, "split": split, "top_score": TOP}
    candidates.sort(key=lambda candidate: ATTRIBUTES.index(candidate.part))
    order = best_above_others(HIGH, [LOW])
    return build_tests(candidates, order, "summeval", options=options, skipped=skipped, settings=settings)


def _candidate(record: Record, name: str, attribute: str, annotators: Annotators) -> Candidate:
    key = f"{annotators}_annotations"
    scores = [annotation.number(attribute) for annotation in record.records(key)]
    if not scores:
        raise record.error(key, "the summary has no rating")
    if any(not 1 <= score <= TOP for score in scores):
        raise record.error(key, f"a rating of {attribute} lies between 1 and {TOP}")
    return Candidate(
        id=name,
        context_id=record.name("id"),
        context=record.text("text") if "text" in record.values else None,
        text=record.text("decoded"),
        label=HIGH if likert_majority(scores, TOP) else LOW,
        marks=(attribute,),
        part=attribute,
        system=record.name("model_id"),
    )
