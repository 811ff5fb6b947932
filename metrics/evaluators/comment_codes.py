"""Codes of evaluators' comments: counts, both denominators, agreement of coders (Clark et al. 2021, section 2.5, A.3).

A comment may get several labels of a codebook, or Null alone, which is not analysed. The paper's table 3 divides by
labels (its rows sum to 100), its text by comments ("45 of 150 comments"); both are given, and named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metrics.data.arrays import Ints
from metrics.errors import BadInput, InsufficientData, join_names
from metrics.inference.clustered_means import contexts_repeat, number_contexts, share_by_context
from metrics.inference.distributions import check_level
from metrics.types import Estimate, Setting
from metrics.version import __version__

Agreement = Callable[[Sequence[int], Sequence[int]], Estimate]
NULL = "null"


@dataclass(frozen=True, slots=True)
class Codebook:
    """Codes by category. A name occurs once among categories and codes, and none is `null`. Raises BadInput."""

    categories: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        names = [*self.categories, *self.codes]
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        if twice or NULL in names or not self.codes:
            rule = f"a codebook has codes, each name once and none {NULL!r}" + (
                f": {join_names(twice)}" if twice else ""
            )
            raise BadInput(rule, where="codebook")

    @property
    def codes(self) -> tuple[str, ...]:
        """Every code, by category."""
        return tuple(code for codes in self.categories.values() for code in codes)


CLARK = Codebook(
    {
        "form": ("grammar", "level of detail", "genre"),
        "content": ("repetition", "factuality", "consistency", "common sense", "coherence"),
        "machine capabilities": ("writer intent and expression",),
    }
)


@dataclass(frozen=True, slots=True)
class Coded:
    """The labels one coder gave one comment: at least one code of the codebook, or `null` alone."""

    comment: str
    coder: str
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CodeRow:
    """One code, or one category (whose code is None).

    labels: how often it was given; comments: comments with it at least once.
    share_of_labels: labels over all labels without Null. share_of_comments: comments over all comments, Null ones
    included. Shares in [0, 1]; their intervals are for new comments.
    """

    category: str
    code: str | None
    labels: int
    comments: int
    share_of_labels: Estimate
    share_of_comments: Estimate


@dataclass(frozen=True, slots=True)
class CodeTable:
    """Categories and their codes in the codebook's order, with both denominators and the comments coded Null."""

    rows: tuple[CodeRow, ...]
    labels: int
    comments: int
    null_comments: int


def code_table(
    coded: Iterable[Coded],
    codebook: Codebook = CLARK,
    *,
    writers: Mapping[str, str] | None = None,
    level: float = 0.95,
) -> CodeTable:
    """Counts and shares of each category and code, over comments coded (or adjudicated) once each.

    writers: who wrote each comment; those of one person belong together, and intervals are for new people. None:
    each comment is of somebody else.
    All comments Null: shares of labels are None, flag `no_labels`. One comment: no interval, flag `one_unit`.
    Raises BadInput (unknown code, Null together with a code, a comment coded twice), InsufficientData (no comment).
    """
    check_level(level)
    listed = _check(coded, codebook)
    comments = [entry.comment for entry in listed]
    if len(set(comments)) < len(comments):
        twice = [name for name in dict.fromkeys(comments) if comments.count(name) > 1]
        raise BadInput(f"a table takes each comment once (adjudicate first), and {join_names(twice)} occur more often")
    labels = np.array([[code in entry.codes for code in codebook.codes] for entry in listed], dtype=np.int64)
    report = _Report(labels, number_contexts([(writers or {}).get(name) for name in comments]), level)
    rows, start = [], 0
    for category, codes in codebook.categories.items():
        rows.append(report.row(category, None, labels[:, start : start + len(codes)]))
        rows += [report.row(category, code, labels[:, [start + i]]) for i, code in enumerate(codes)]
        start += len(codes)
    null = sum(entry.codes == (NULL,) for entry in listed)
    return CodeTable(tuple(rows), int(labels.sum()), len(listed), null)


class _Report:
    """Rows of one table: what they share is kept once."""

    def __init__(self, labels: Ints, writer: Ints, level: float):
        self.each, self.writer, self.level = labels.sum(axis=1), writer, level
        self.settings: dict[str, Setting] = {"comments": len(labels), "labels": int(labels.sum())}

    def row(self, category: str, code: str | None, chosen: Ints) -> CodeRow:
        codes_per_comment = chosen.sum(axis=1)
        has_code = (codes_per_comment > 0).astype(np.int64)
        name = category if code is None else code
        return CodeRow(
            category,
            code,
            int(codes_per_comment.sum()),
            int(has_code.sum()),
            self._share("share_of_labels", name, codes_per_comment, self.each),
            self._share("share_of_comments", name, has_code, np.ones_like(codes_per_comment)),
        )

    def _share(self, measure: str, name: str, hits: Ints, totals: Ints) -> Estimate:
        share, n = share_by_context(hits, totals, self.writer), int(totals.sum())
        flags = () if share.units > 1 else ("one_unit",) if share.units else ("no_labels",)
        settings = {**self.settings, "code": name, "denominator": "labels" if "labels" in measure else "comments"}
        signature = f"{measure}|code:{name}|n:{n}|comments:{len(self.each)}|v:{__version__}"
        drawn = "people" if contexts_repeat(self.writer) else "comments"
        return Estimate(share.value, n, share.interval(self.level, drawn), settings, flags, signature)


def coder_agreement(
    coded: Iterable[Coded], coders: tuple[str, str], measure: Agreement, codebook: Codebook = CLARK
) -> dict[str, Estimate]:
    """Agreement of two coders on each code, given or not, over the comments both coded; Null is a code here too.

    measure: from two equally long lists of 0 and 1, one entry a comment (Cohen's kappa, for example).
    Raises InsufficientData where no comment was coded by both, BadInput as `code_table`.
    """
    both = _pairs(coded, coders, codebook)
    return {
        code: measure([int(code in a.codes) for a, _ in both], [int(code in b.codes) for _, b in both])
        for code in (*codebook.codes, NULL)
    }


def _pairs(coded: Iterable[Coded], coders: tuple[str, str], codebook: Codebook) -> list[tuple[Coded, Coded]]:
    if coders[0] == coders[1]:
        raise BadInput("agreement takes two different coders", column="coder")
    by_coder: dict[str, dict[str, Coded]] = {coder: {} for coder in coders}
    for entry in _check(coded, codebook):
        if entry.coder in by_coder:
            by_coder[entry.coder][entry.comment] = entry
    first, second = (by_coder[coder] for coder in coders)
    both = [(entry, second[comment]) for comment, entry in first.items() if comment in second]
    if not both:
        raise InsufficientData(f"No comment was coded by both {coders[0]} and {coders[1]}.")
    return both


def _check(coded: Iterable[Coded], codebook: Codebook) -> list[Coded]:
    listed = list(coded)
    if not listed:
        raise InsufficientData("No coded comment is left to count.")
    known, seen = {*codebook.codes, NULL}, set[tuple[str, str]]()
    for entry in listed:
        where = f"comment {entry.comment}"
        if unknown := [code for code in entry.codes if code not in known]:
            raise BadInput(f"{join_names(unknown)} is not in the codebook", where=where, column="codes")
        if not entry.codes or len(set(entry.codes)) < len(entry.codes):
            raise BadInput(f"a comment has at least one label (or {NULL!r}), each once", where=where, column="codes")
        if NULL in entry.codes and len(entry.codes) > 1:
            raise BadInput(f"{NULL!r} cannot be combined with another label", where=where, column="codes")
        if (entry.comment, entry.coder) in seen:
            raise BadInput(f"coder {entry.coder} codes it more than once", where=where, column="coder")
        seen.add((entry.comment, entry.coder))
    return listed
