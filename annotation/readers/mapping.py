"""How the columns of a batch-results file are to be read: a small TOML file (docs/import.md explains every key)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from annotation.readers.records import ScaleRecord, Source, Unit

NUMBER = "{i}"
ANSWER = "{answer}"

Identity = Literal["hit", "text"]
Blank = Literal["refuse", "skip"]
Count = Literal["whitespace", "single blanks"]


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a value: a column (its name may hold {i}, the text's number), or the same in every row."""

    column: str = ""
    value: str = ""

    def name(self, number: str) -> str:
        """The column's name for the text with this number; "" for a fixed value."""
        return self.column.replace(NUMBER, number)

    def read(self, cells: Mapping[str, str], number: str) -> str:
        return cells[self.name(number)] if self.column else self.value


@dataclass(frozen=True, slots=True)
class ItemGroup:
    """Texts of a HIT whose columns are named alike. `log_probs` gives log p columns by generator."""

    text: Place
    rating: Place
    source: Place
    generator: Place
    context: Place | None = None
    context_id: Place | None = None
    id: Place | None = None
    log_prob: Place | None = None
    length: Place | None = None
    log_probs: tuple[tuple[str, Place], ...] = ()

    def inputs(self) -> tuple[Place, ...]:
        """The places of everything but the rating."""
        single = (self.text, self.source, self.generator, self.context, self.context_id, self.id)
        places = [place for place in (*single, self.log_prob, self.length) if place is not None and place.column]
        return (*places, *(place for _, place in self.log_probs))

    def numbers(self, fields: Collection[str]) -> tuple[str, ...]:
        """The numbers of the group's texts: those that a text column has, in numerical order; ("",) without {i}."""
        if NUMBER not in self.text.column:
            return ("",)
        before, _, after = self.text.column.partition(NUMBER)
        pattern = re.compile(re.escape(before) + r"(\d+)" + re.escape(after) + r"\Z")
        return tuple(sorted((match[1] for name in fields if (match := pattern.match(name))), key=int))

    def input_columns(self, number: str) -> tuple[str, ...]:
        return tuple(place.name(number) for place in self.inputs())


@dataclass(frozen=True, slots=True)
class Columns:
    """Names of the columns that a marketplace adds; all but `hit` and `worker` may be absent from the file."""

    hit: str = "HITId"
    worker: str = "WorkerId"
    assignment: str = "AssignmentId"
    status: str = "AssignmentStatus"
    accepted: str = "AcceptTime"
    submitted: str = "SubmitTime"
    seconds: str = "WorkTimeInSeconds"
    reward: str = "Reward"
    created: str = "CreationTime"
    max_assignments: str = "MaxAssignments"
    duration: str = "AssignmentDurationInSeconds"
    auto_approval: str = "AutoApprovalDelayInSeconds"
    feedback: str = "RequesterFeedback"
    approve: str = "Approve"
    reject: str = "Reject"


@dataclass(frozen=True, slots=True)
class BatchMapping:
    """A whole mapping. `answers`: how the file writes a rating -> its label."""

    name: str
    items: tuple[ItemGroup, ...]
    scale: ScaleRecord
    answers: Mapping[str, str]
    sources: Mapping[str, Source]
    columns: Columns = Columns()
    question: str = ""
    noun: str = "text"
    provider: str = "mturk"
    identity: Identity = "hit"
    blank: Blank = "refuse"
    count: Count = "whitespace"
    unit: Unit = "whitespace"
    decoding: str = ""
    log_prob_decoding: str = ""

    def rating_columns(self, group: ItemGroup, number: str) -> tuple[str, ...]:
        """The column(s) of a rating: one, or one for each way of answering where the name holds {answer}."""
        name = group.rating.name(number)
        return tuple(name.replace(ANSWER, answer) for answer in self.answers) if ANSWER in name else (name,)

    def needed(self, fields: Collection[str]) -> tuple[str, ...]:
        """Every column that this file must have, given the numbers that its text columns show."""
        names = [self.columns.hit, self.columns.worker]
        for group in self.items:
            for number in group.numbers(fields) or (NUMBER,):
                names += [*group.input_columns(number), *self.rating_columns(group, number)]
        return tuple(dict.fromkeys(names))

    def fits(self, fields: Collection[str]) -> bool:
        """Whether the file has every column that the mapping reads."""
        return all(name in fields for name in self.needed(fields))
