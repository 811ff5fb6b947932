"""Reads of coded explanations: the codebook that holds, how far the coding is, how far two coders agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.models import Codebook, Coding, Remark, Study
from annotation.quality.codebooks import DEFAULTS, book_of, read_lines
from metrics.agreement.kappa import cohen_kappa
from metrics.errors import MetricsError
from metrics.evaluators.comment_codes import NULL, Coded, coder_agreement
from metrics.types import Estimate

__all__ = ["Agreement", "CodingProgress", "coding_progress", "codings", "current", "kappas", "read_lines"]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Cohen's kappa of the two coders on one code."""

    code: str
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class CodingProgress:
    """A purpose's codebook (None before its first version), its codes, and what has been coded by it.

    category: of each code ("" of the one for none).
    """

    purpose: str
    title: str
    book: Codebook | None
    codes: tuple[str, ...]
    category: Mapping[str, str]
    lines: str
    remarks: int
    coded_twice: int
    agreement: tuple[Agreement, ...]

    @property
    def criteria(self) -> bool:
        """Whether coders judge the work, for which they see the answer that is explained."""
        return self.purpose == Codebook.Purpose.CRITERIA


def current(study: Study, purpose: str) -> Codebook | None:
    """The latest version of a codebook."""
    return Codebook.objects.filter(study=study, purpose=purpose).order_by("-number").first()


def coding_progress(study: Study, purpose: str) -> CodingProgress:
    """How far the coding is."""
    held = current(study, purpose)
    book = book_of(held.categories if held else DEFAULTS[purpose])
    rows = codings(held) if held else []
    pairs = _pairs(rows)
    return CodingProgress(
        purpose=purpose,
        title=str(Codebook.Purpose(purpose).label),
        book=held,
        codes=(*book.codes, NULL),
        category={code: name for name, codes in book.categories.items() for code in codes} | {NULL: ""},
        lines="\n".join(f"{name}: {', '.join(codes)}" for name, codes in book.categories.items()),
        remarks=Remark.objects.filter(presentation__submission__hit__study=study).count(),
        coded_twice=len(pairs),
        agreement=_agreement(pairs, held),
    )


def kappas(study: Study, purpose: str) -> dict[str, float | None]:
    """Cohen's kappa by code, of the latest version of the codebook by which two people coded."""
    by_code: dict[str, float | None] = {}
    for book in Codebook.objects.filter(study=study, purpose=purpose).order_by("number"):
        by_code |= {agreement.code: agreement.kappa.value for agreement in _agreement(_pairs(codings(book)), book)}
    return by_code


def codings(held: Codebook) -> list[Coding]:
    """What the coders gave, before anything was settled."""
    return list(Coding.objects.filter(codebook=held, adjudicated=False).order_by("remark", "at", "pk"))


def _pairs(rows: list[Coding]) -> list[tuple[Coding, Coding]]:
    """The two codings of each explanation that has two, always the same of two people first: Cohen's kappa compares
    two people's margins, whichever of them was first at an explanation."""
    by_remark: dict[int, list[Coding]] = {}
    for row in sorted(rows, key=lambda row: row.coder_id):
        by_remark.setdefault(row.remark_id, []).append(row)
    return [(rows_of_remark[0], rows_of_remark[1]) for rows_of_remark in by_remark.values() if len(rows_of_remark) > 1]


def _agreement(pairs: list[tuple[Coding, Coding]], held: Codebook | None) -> tuple[Agreement, ...]:
    """One coder against the other: any two people may have coded an explanation."""
    if held is None or not pairs:
        return ()
    coded = [
        Coded(str(coding.remark_id), coder, tuple(coding.codes))
        for pair in pairs
        for coder, coding in zip(("first", "second"), pair, strict=True)
    ]
    try:
        kappa_by_code = coder_agreement(coded, ("first", "second"), cohen_kappa, book_of(held.categories))
    except MetricsError:
        return ()
    return tuple(Agreement(code, kappa) for code, kappa in kappa_by_code.items())
