"""What `build` computes: estimates, judgments, pictures and sentences, ready to be written in any format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date
from fractions import Fraction
from statistics import median
from typing import Any

from metrics.figures.hj_by_source import SourceRow
from metrics.figures.huse_scatter import Panel
from metrics.huse.permutation_test import PermutationTest
from metrics.report.checklists.completeness import ChecklistItem
from metrics.report.checklists.heds import Entry
from metrics.report.records import GeneratorFacts, ReportInput, Warn
from metrics.report.section import Section
from metrics.report.snapshot import Header
from metrics.report.wording import describe_range
from metrics.types import HuseResult, Interval, Item, Mode

MEASURES = ("huse", "huse_q", "huse_d", "log_prob_only")
TITLES = {"huse": "HUSE", "huse_q": "HUSE-Q", "huse_d": "HUSE-D", "log_prob_only": "log p only"}


@dataclass(frozen=True, slots=True)
class JudgedText:
    """One text with its judgment: HJ (None without ratings), its interval, and how many kept ratings it has."""

    item: Item
    hj: Fraction | None
    interval: Interval | None
    ratings: int


@dataclass(frozen=True, slots=True)
class GeneratorReport:
    """One generator: its results in both modes, its judged texts (references included) and its picture.

    null: the test against equal sources; None where it could not be run.
    """

    facts: GeneratorFacts
    modes: Mapping[Mode, HuseResult]
    judged: tuple[JudgedText, ...]
    panel: Panel
    null: PermutationTest | None = None

    @property
    def n(self) -> int:
        """Texts behind HUSE."""
        return self.modes["exact"].huse.n

    @property
    def differs(self) -> bool:
        """Whether the two modes print different numbers (beyond 1e-12)."""
        pairs = zip(*(self._values(mode) for mode in ("exact", "paper")), strict=True)
        return any(
            (a is None) != (b is None) or (a is not None and b is not None and abs(a - b) > 1e-12) for a, b in pairs
        )

    def _values(self, mode: Mode) -> tuple[float | None, ...]:
        return tuple(getattr(self.modes[mode], measure).value for measure in MEASURES)


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report. `level` is that of every interval; `seed` that of every draw; `k` the neighbours of HUSE.

    new_raters: whether intervals are for new raters where both exist; else for these alone.

    results: what each section computed, by its key. ratings_per_text: (kept ratings, number of texts with so many).
    warnings: what a reader must know. verdicts, limits: sentences of the summary: what the study says, and what
    cannot be concluded from it. sections: the same results in words, tables and figures, in order. checklist: what
    reviewers ask for, and whether it is recorded. sheet: the datasheet. methods: sentences of a methods section.
    items: checks of the texts themselves. snapshot: what it was computed from; None where no snapshot was taken.
    """

    input: ReportInput
    level: float
    seed: int
    k: int
    results: Mapping[str, Any]
    ratings_per_text: tuple[tuple[int, int], ...]
    warnings: tuple[Warn, ...]
    verdicts: tuple[str, ...]
    limits: tuple[str, ...]
    sections: tuple[Section, ...]
    checklist: tuple[ChecklistItem, ...]
    sheet: tuple[Entry, ...]
    methods: tuple[str, ...]
    items: Section
    snapshot: Header | None = None
    new_raters: bool = True

    @property
    def generators(self) -> tuple[GeneratorReport, ...]:
        """Those that have HUSE."""
        huse = self.results.get("huse")
        generators: tuple[GeneratorReport, ...] = huse.generators if huse else ()
        return generators

    @property
    def sources(self) -> tuple[SourceRow, ...]:
        """HJ by source, references first."""
        huse = self.results.get("huse")
        sources: tuple[SourceRow, ...] = huse.sources if huse else ()
        return sources

    @property
    def p_null(self) -> Mapping[str, float]:
        """Of equal sources, by generator."""
        huse = self.results.get("huse")
        p_values: Mapping[str, float] = huse.p_null if huse else {}
        return p_values

    @property
    def ratings_per_rater(self) -> str | None:
        """Fewest to most ratings of a rater in the analysis; labels of one answer are one. None without ratings."""
        answers = {(r.rater, r.unit, r.text, r.partner, r.criterion) for r in self.input.ratings if r.kept}
        counts = sorted(Counter(rater for rater, *_ in answers).values())
        if not counts:
            return None
        spread = describe_range(counts[0], counts[-1])
        middle = f", median {float(median(counts)):g}" if counts[0] < counts[-1] else ""
        criteria = len({criterion for *_, criterion in answers})
        return f"{spread}{middle}{f', on {criteria} criteria together' if criteria > 1 else ''}"

    @property
    def days(self) -> tuple[tuple[date, int], ...]:
        """Days (UTC) on which assignments were handed in, with how many."""
        counts = Counter(a.submitted_at.astimezone(UTC).date() for a in self.input.assignments if a.submitted_at)
        return tuple(sorted(counts.items()))

    @property
    def raters(self) -> int | None:
        """People who rated: as recorded, else as the ratings name them; None where neither is known."""
        return self.input.raters
