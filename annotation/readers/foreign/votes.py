"""Votes between two systems, one a row, as records: which system stood first, which second, and who won."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from annotation.readers.cells import key_of, name_of
from annotation.readers.columns import Cells, Names
from annotation.readers.cross_checks import digest
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.ratings import ItemReader
from annotation.readers.records import HitRecord, JudgmentRecord, LabelRecord, ScaleRecord, SubmissionRecord
from annotation.readers.rows import Row

CRITERION = "preference"
Won = Literal["first", "second", "tie"]
# As a study of pairs has them, from the first to the second.
LABELS = {
    "first": LabelRecord("The first", "1"),
    "tie": LabelRecord("No difference", "0"),
    "second": LabelRecord("The second", "-1"),
}
# Names of the two columns of systems, and how a file that has them calls the winner. Numbers are no such words: 1 may
# be the first of 1 and 2, or the second of 0 and 1.
COLUMNS = (
    ("left", "right"),
    ("first", "second"),
    ("model_a", "model_b"),
    ("system_a", "system_b"),
    ("model_1", "model_2"),
    ("system_1", "system_2"),
    ("model_x", "model_y"),
    ("system_x", "system_y"),
)
SIDES = COLUMNS[0]
WINNER = ("winner", "preference", "preferred", "chosen", "choice", "vote")
CONTEXT = ("prompt", "prompt_id", "question_id", "question", "context", "context_id", "instruction", "item")
_MORE = (("a", "b"), ("x", "y"))
WORDS: Mapping[Won, tuple[str, ...]] = {
    "first": tuple(first for first, _ in (*COLUMNS, *_MORE)),
    "second": tuple(second for _, second in (*COLUMNS, *_MORE)),
    "tie": (
        "tie",
        "tie (bothbad)",
        "both",
        "both_bad",
        "bothbad",
        "neither",
        "equal",
        "same",
        "draw",
        "no difference",
        "no preference",
    ),
}
LONGEST_ID = 200


class Choices(Protocol):
    """What of a mapping is read here. sides: not empty where the first stood on the left."""

    @property
    def first(self) -> str: ...
    @property
    def second(self) -> str: ...
    @property
    def first_text(self) -> str: ...
    @property
    def second_text(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def rater(self) -> str: ...
    @property
    def item(self) -> str: ...
    @property
    def context_text(self) -> str: ...
    @property
    def sides(self) -> str: ...
    @property
    def references(self) -> tuple[str, ...]: ...
    @property
    def first_words(self) -> tuple[str, ...]: ...
    @property
    def second_words(self) -> tuple[str, ...]: ...
    @property
    def tie_words(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Vote:
    """A row: both systems, what the winner is called, and who won; None where that word is unknown."""

    first: str
    second: str
    answer: str
    won: Won | None


def vote_of(cells: Mapping[str, str], chosen: Choices) -> Vote:
    """Read the vote of a row. The winner is named by a word that the mapping has, by its system, or by a usual word."""
    first, second = (cells.get(name, "").strip() for name in (chosen.first, chosen.second))
    answer = cells.get(chosen.value, "").strip()
    stated: tuple[tuple[Won, Collection[str]], ...] = (
        ("first", chosen.first_words),
        ("second", chosen.second_words),
        ("tie", chosen.tie_words),
    )
    systems: tuple[tuple[Won, Collection[str]], ...] = (("first", (first,)), ("second", (second,)))
    won = _named(answer, (*stated, *systems)) or _named(
        answer.casefold(),
        (
            ("first", (*WORDS["first"], chosen.first.casefold())),
            ("second", (*WORDS["second"], chosen.second.casefold())),
            ("tie", WORDS["tie"]),
        ),
    )
    return Vote(first, second, answer, won)


def _named(answer: str, words: Iterable[tuple[Won, Collection[str]]]) -> Won | None:
    return next((won for won, known in words if answer and answer in known), None)


class VoteReader:
    """Takes votes one by one. Each pair of a context is a HIT of its own: a text may stand in many pairs."""

    def __init__(self, findings: Findings, items: ItemReader, chosen: Choices) -> None:
        self.findings, self.items, self.chosen = findings, items, chosen
        self.submissions: list[SubmissionRecord] = []
        self._hits: dict[frozenset[str], tuple[str, tuple[str, str], dict[str, int]]] = {}
        self._won: set[Won] = set()

    def take(self, row: Row) -> None:
        """Read one vote; what breaks a rule is noted."""
        chosen, findings, before = self.chosen, self.findings, self.findings.total
        vote = vote_of(row.cells, chosen)
        for column, system in ((chosen.first, vote.first), (chosen.second, vote.second)):
            if not system:
                findings.problem(row.line, column, "the system is not named", Code.MISSING_GENERATOR)
            else:
                name_of(system, row.line, column, findings, limit=100)
        if vote.first and vote.first == vote.second:
            findings.problem(row.line, chosen.second, f"{vote.first!r} is not compared with itself")
        if vote.won is None:
            rule = f"{vote.answer[:60]!r} does not say which won: left, right or tie, the name of one of the two "
            rule += "systems, or a word of first_words, second_words or tie_words"
            findings.problem(row.line, chosen.value, rule)
        rater = row.cells.get(chosen.rater, "").strip() if chosen.rater else ""
        worker = key_of(rater, row.line, chosen.rater, findings, limit=100) if rater else f"row {row.line}"
        if findings.total > before or vote.won is None or worker is None:
            return
        first = self._text(row, vote.first, chosen.first, chosen.first_text)
        second = self._text(row, vote.second, chosen.second, chosen.second_text)
        if findings.total == before:
            self._keep(row, vote.won, first, second, worker)

    def _text(self, row: Row, system: str, column: str, wording: str) -> str:
        """Take a system's text of the row's context where it is new; return its id."""
        chosen, cells = self.chosen, row.cells
        context = cells.get(chosen.item, "").strip() if chosen.item else ""
        context_text = cells.get(chosen.context_text, "") if chosen.context_text else ""
        body = cells.get(wording, "") if wording else ""
        key = f"{context}: {system}" if context else system
        if body or context_text or len(key) > LONGEST_ID:
            key = f"t-{digest(context, context_text, system, body).hex()[:16]}"
        if key in self.items.rows:
            return key
        by_people = system in chosen.references
        values = {"id": key, "text": body, "source": "reference" if by_people else "model", "context": context}
        values |= {"context_text": context_text, "generator": "" if by_people else system}
        names = {"text": wording or column, "generator": column, "context": chosen.item}
        names |= {"context_text": chosen.context_text}
        named = {field: name for field, name in names.items() if name}
        self.items.take(Cells(row.line, Names(named), {named.get(name, name): cell for name, cell in values.items()}))
        return key

    def _keep(self, row: Row, won: Won, first: str, second: str, worker: str) -> None:
        name, _, raters = self._hits.setdefault(
            frozenset((first, second)), (f"pair {len(self._hits) + 1}", (first, second), {})
        )
        if (line := raters.setdefault(worker, row.line)) != row.line:
            rule = f"{worker!r} judges these two in row {line} already"
            self.findings.problem(row.line, self.chosen.rater, rule)
            return
        self._won.add(won)
        changed = False if self.chosen.sides else None
        judgment = JudgmentRecord(first, 0, LABELS[won].label, CRITERION, second, changed)
        raw = tuple((column, cell) for column, cell in row.cells.items() if column != self.chosen.rater)
        self.submissions.append(SubmissionRecord(name, f"rows-{row.line}", worker, raw, (judgment,)))

    def hits(self) -> tuple[HitRecord, ...]:
        """Each pair of texts."""
        return tuple(
            HitRecord(name, (first,), len(raters), partners=(second,))
            for name, (first, second), raters in self._hits.values()
        )

    def scale(self) -> ScaleRecord:
        """The answers that occur."""
        return ScaleRecord("", tuple(label for won, label in LABELS.items() if won in self._won))


def preview_votes(rows: Iterable[Row], chosen: Choices) -> Iterator[dict[str, str]]:
    """The votes of some rows as they would be read."""
    for row in rows:
        vote = vote_of(row.cells, chosen)
        yield {
            "row": str(row.line),
            "rater": row.cells.get(chosen.rater, "").strip() if chosen.rater else "",
            "value": LABELS[vote.won].label if vote.won else "?",
            "answer": vote.answer,
            "source": "",
            "generator": "",
            "text": f"{vote.first} – {vote.second}",
        }


def guess_pair(plain: Mapping[str, str], first: Callable[[tuple[str, ...]], str]) -> dict[str, str] | None:
    """The columns of a file of votes; None of any other file. plain: the file's name of a column by its plain name."""
    value = first(WINNER)
    pair = next(((plain[a], plain[b]) for a, b in COLUMNS if a in plain and b in plain), None)
    if pair is None or not value:
        return None
    sides = "left" if all(name in plain for name in SIDES) else ""
    return {"first": pair[0], "second": pair[1], "value": value, "item": first(CONTEXT), "sides": sides}
