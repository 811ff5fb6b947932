"""What the readers hand over: frozen records, checked one by one, ready to be stored together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

from metrics.data.criterion_names import TYPICAL

Source = Literal["reference", "model"]
Unit = Literal["whitespace", "model_token", "char"]
UNITS: tuple[Unit, ...] = ("whitespace", "model_token", "char")


@dataclass(frozen=True, slots=True)
class LikelihoodRecord:
    """log p of a text under one generator: natural, total, in [-inf, 0]; `length` of `unit`, at least 1.

    decoding: the sampling distribution it belongs to. written: the decimal as the file has it.
    """

    generator: str
    log_prob: float
    length: int
    unit: Unit
    decoding: str = ""
    written: str = ""


@dataclass(frozen=True, slots=True)
class TextRecord:
    """A text to be judged. `generator` is None for a reference; `row` is its line in the file, for messages.

    known_label: the right answer, where that is known (a gold text: shown to check raters, never evaluated).
    generation: every setting that made it, where Assay sampled or retrieved it.
    """

    id: str
    body: str
    source: Source
    generator: str | None = None
    decoding: str = ""
    context: str | None = None
    context_body: str = ""
    domain: str = ""
    likelihoods: tuple[LikelihoodRecord, ...] = ()
    corpus_count: int | None = None
    corpus_name: str = ""
    corpus_size: int | None = None
    known_label: str = ""
    row: int | None = None
    generation: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LabelRecord:
    """A label of a scale, the number it is averaged as (a decimal, as text) and its gloss."""

    label: str
    code: str
    gloss: str = ""


@dataclass(frozen=True, slots=True)
class ScaleRecord:
    """A scale: its labels in the order shown. An empty name asks for a name of the study's own."""

    name: str
    labels: tuple[LabelRecord, ...]


class JudgmentRecord(NamedTuple):
    """A label chosen for a text (by its id), at `position` (from 0) of the submission.

    criterion: what was asked. partner: the other text of a pair. turned: whether the partner stood on the left; None
    where that is not known.
    """

    text: str
    position: int
    label: str
    criterion: str = TYPICAL
    partner: str | None = None
    turned: bool | None = None


@dataclass(frozen=True, slots=True)
class RemarkRecord:
    """What a worker wrote about a text in answer to the named question."""

    text: str
    question: str
    body: str


@dataclass(frozen=True, slots=True)
class HitRecord:
    """A HIT: its id, its texts in the order shown, how many assignments it had, and the name of its condition.

    partners: of pairs, the other text of each; () of single texts.
    """

    id: str
    texts: tuple[str, ...]
    max_assignments: int
    condition: str = ""
    partners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConditionRecord:
    """A condition of the design under its name; "" where the design does not split by that part."""

    name: str
    training: str = "none"
    domain: str = ""
    generator: str = ""
    reward_cents: int | None = None


@dataclass(frozen=True, slots=True)
class SubmissionRecord:
    """One assignment. `worker` is the provider's id, stored with identities only; `raw` is the file's row(s) as read.

    payment: the decision in the file, or None; `feedback` its reason. left_out: why it is excluded from the analysis,
    "" where it is included. remarks: what the worker wrote. flags: (kind, sentence) of rules that it met.
    """

    hit: str
    assignment: str
    worker: str
    raw: tuple[tuple[str, str], ...]
    judgments: tuple[JudgmentRecord, ...]
    accepted_at: datetime | None = None
    submitted_at: datetime | None = None
    work_seconds: int | None = None
    payment: Literal["approve", "reject"] | None = None
    feedback: str = ""
    left_out: str = ""
    remarks: tuple[RemarkRecord, ...] = ()
    flags: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the work comes from, for the audit row and the report."""

    file: str
    sha256: str
    rows: int
    layout: str
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class CollectedWork:
    """A complete study as a file has it. `provider` names the worker ids' owner; `raw_format` the form of `raw`.

    submissions: they may be made as they are asked for. task: as a study has it. conditions: of the design; () where
    there is one only. evaluators_per_cell: wanted in each of them. scales: of the criteria whose labels are not those
    of `scale`.
    """

    texts: tuple[TextRecord, ...]
    hits: tuple[HitRecord, ...]
    submissions: Sequence[SubmissionRecord]
    scale: ScaleRecord
    provider: str
    raw_format: str
    provenance: tuple[Provenance, ...]
    question: str = ""
    noun: str = "text"
    reward_cents: int = 0
    assignment_seconds: int | None = None
    auto_approval_seconds: int | None = None
    warnings: tuple[str, ...] = ()
    task: str = TYPICAL
    conditions: tuple[ConditionRecord, ...] = ()
    evaluators_per_cell: int | None = None
    scales: Mapping[str, ScaleRecord] = field(default_factory=dict)
