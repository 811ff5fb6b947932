"""The task kinds that are installed: those of this folder, one line each, and those that other packages register.

A package registers its kind by an entry point of the group `assay.task_kinds`, which names a `TaskKind`. A kind that
cannot be loaded is left out, and `broken_kinds` says why: no other study suffers from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from types import MappingProxyType

from annotation.design.criteria import Criterion, Labels
from annotation.design.kinds.direct_assessment.kind import KIND as DIRECT_ASSESSMENT
from annotation.design.kinds.document_rating.kind import KIND as DOCUMENT_RATING
from annotation.design.kinds.error_labels.kind import KIND as ERROR_LABELS
from annotation.design.kinds.human_or_machine.kind import KIND as HUMAN_OR_MACHINE
from annotation.design.kinds.likert.kind import KIND as LIKERT
from annotation.design.kinds.pairwise.kind import KIND as PAIRWISE
from annotation.design.kinds.typicality.kind import KIND as TYPICALITY
from annotation.design.kinds.which_machine.kind import KIND as WHICH_MACHINE
from annotation.design.task_kind import MAX_NAME_CHARS, TaskKind, Unit
from annotation.design.wording import Wording, rename_texts
from annotation.exceptions import DesignError
from metrics.data.answer_types import AnswerType

GROUP = "assay.task_kinds"
DEFAULT = TYPICALITY
# In the order of the gallery.
BUILT_IN = (
    TYPICALITY,
    HUMAN_OR_MACHINE,
    WHICH_MACHINE,
    LIKERT,
    DIRECT_ASSESSMENT,
    PAIRWISE,
    ERROR_LABELS,
    DOCUMENT_RATING,
)


@cache
def _load() -> tuple[Mapping[str, TaskKind], Mapping[str, str]]:
    kinds = {kind.name: kind for kind in BUILT_IN}
    broken: dict[str, str] = {}
    for entry in entry_points(group=GROUP):
        try:
            kind = entry.load()
        except Exception as error:  # noqa: BLE001 - another package's code may raise anything when it is imported
            broken[entry.name] = f"{entry.value} cannot be loaded: {type(error).__name__}: {error}"
            continue
        if reason := _fault_of(kind, kinds):
            broken[entry.name] = f"{entry.value} {reason}"
        else:
            kinds[kind.name] = kind
    return MappingProxyType(kinds), MappingProxyType(broken)


def _fault_of(kind: object, kinds: Mapping[str, TaskKind]) -> str:
    """Why the value of an entry point is not registered; "" where it is."""
    if not isinstance(kind, TaskKind):
        return "is not a TaskKind."
    if kind.name in kinds:
        return f"has the name {kind.name}, which is in use."
    if not kind.name.isidentifier() or len(kind.name) > MAX_NAME_CHARS:
        return f"has the name {kind.name!r}: a name is an identifier of at most {MAX_NAME_CHARS} characters."
    return "" if kind.wording.kind == kind.name else f"has words for {kind.wording.kind}, not for {kind.name}."


def installed_kinds() -> Mapping[str, TaskKind]:
    """Every kind by name, in the order of the gallery."""
    return _load()[0]


def broken_kinds() -> Mapping[str, str]:
    """Entry points that were left out, by name, each with the reason."""
    return _load()[1]


def find_kind(name: str) -> TaskKind | None:
    """The kind of that name; None where it is not installed."""
    return installed_kinds().get(name)


def unit_of(name: str) -> Unit:
    """What a task of that kind holds a number of; texts where it is not installed."""
    kind = find_kind(name)
    return kind.unit if kind else "text"


def kind_called(name: str) -> TaskKind:
    """The kind of that name. Raises DesignError, naming the package that is missing or broken."""
    if kind := find_kind(name):
        return kind
    if name in broken_kinds():
        raise DesignError(f"The task type {name} is not available: {broken_kinds()[name]}")
    known = ", ".join(installed_kinds())
    raise DesignError(
        f"The task type {name} is not installed: install the package that registers it under {GROUP}. "
        f"Installed are {known}."
    )


def title_of(name: str) -> str:
    """What a report calls the kind; its name where it is not installed."""
    kind = find_kind(name)
    return kind.title if kind else name


def asks(name: str, answer: AnswerType) -> bool:
    """Whether the kind of that name asks for such answers; False where it is not installed."""
    kind = find_kind(name)
    return kind is not None and kind.answer is answer


def is_for_huse(name: str) -> bool:
    """Whether ratings of that kind give HUSE; False where it is not installed."""
    kind = find_kind(name)
    return kind is not None and kind.for_huse


def labels_of(wording: Wording, criterion: Criterion) -> Labels:
    """Every label that can be the answer; those of the words where the kind is not installed."""
    kind = find_kind(wording.kind)
    return kind.labels_of(criterion) if kind else criterion.labels


def answers_of(wording: Wording) -> dict[str, AnswerType]:
    """What an answer to each question is, by criterion; empty where the kind is not installed."""
    kind = find_kind(wording.kind)
    return {criterion.name: kind.answer_of(criterion) for criterion in wording.criteria} if kind else {}


def default_wording(name: str, *, noun: str = "", nouns: str = "") -> Wording:
    """Assay's words for a kind of task. Raises DesignError for an unknown one."""
    wording = kind_called(name).wording
    return rename_texts(wording, noun, nouns) if noun else wording
