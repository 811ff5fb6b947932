"""docs/validity.md: which studies are simulated for it, and its text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from annotation.rehearsal.world.truths import load
from annotation.rehearsal.world.validity_page import page as demo_page
from tests.benchmarks.simulation_studies import (
    choice_studies,
    crossed_studies,
    decision_studies,
    demo_studies,
    huse_studies,
    judging_studies,
    kind_studies,
    pairwise_studies,
    planned_studies,
    report_studies,
    size_studies,
    skewed_studies,
)
from tests.benchmarks.simulation_studies.coverage import Row, row
from tests.benchmarks.simulation_studies.huse_rows import TITLES
from tests.benchmarks.simulation_studies.kept import Kept
from tests.benchmarks.simulation_studies.page import coverage_table, section, summary, table, versions, within
from tests.benchmarks.simulation_studies.printed_intervals import UNMEASURED
from tests.benchmarks.simulation_studies.store import Job
from tests.benchmarks.simulation_studies.wording import EARLIER, HEAD, SECTIONS, UNFINISHED
from tests.benchmarks.simulation_studies.works import Sums, Work, in_rounds
from tests.benchmarks.worlds import ONE_SOURCE, UNEQUAL, WORLDS

# Sections with coverage.
SIMULATED = (
    "huse",
    "one source",
    "unequal",
    "differences",
    "accuracy",
    "hj",
    "alpha",
    "nnd",
    "pairwise",
    "crossed",
    "report",
    "kinds",
    "verdicts",
    "skewed",
    "demo",
)
ONLY = (*SIMULATED, "planned", "size", "bias")  # what can be simulated alone
Bias = tuple[tuple[int, int, Sums], ...]


@dataclass(frozen=True)
class Plan:
    """All studies to simulate: works with coverage and verdicts by section, plans, designs of the test, sizes."""

    covered: dict[str, tuple[Work, ...]]
    decisions: dict[str, tuple[Sums, ...]]
    planned: tuple[Sums, ...]
    sizes: tuple[Sums, ...]
    bias: Bias

    def works(self) -> list[Work | Sums]:
        rows = [work for works in self.covered.values() for work in works]
        decisions = [work for works in self.decisions.values() for work in works]
        return [*rows, *decisions, *self.planned, *self.sizes, *(cell for _, _, cell in self.bias)]

    def jobs(self) -> list[Job]:
        """Every piece of work, an early look of all sections first."""
        return in_rounds(self.works())

    def of_section(self, only: str | None) -> list[Work | Sums]:
        """Works of one section, or all."""
        if not only:
            return self.works()
        more = {
            "planned": self.planned,
            "size": self.sizes,
            "bias": tuple(cell for _, _, cell in self.bias),
            **self.decisions,
        }
        return [*self.covered.get(only, ()), *more.get(only, ())]

    def missing(self, kept: Kept, only: str | None = None) -> list[Job]:
        """Pieces that are neither simulated nor counted. only: of one section."""
        waiting = {job.name for work in self.of_section(only) for job in work.jobs() if not kept.done(job, work)}
        return [job for job in self.jobs() if job.name in waiting]

    def unknown(self, kept: Kept) -> int:
        """Pieces that were never counted, by whatever code."""
        return len({job.name for work in self.works() for job in work.jobs() if not kept.known(job, work)})


def plan(studies: int, headline: int) -> Plan:
    """studies: a row; headline: in the main worlds of HUSE."""
    huse = tuple(huse_studies.huse_works(studies, headline))
    covered = {
        "huse": tuple(work for work in huse if work.world in WORLDS),
        "one source": tuple(work for work in huse if work.world in ONE_SOURCE),
        "unequal": tuple(work for work in huse if work.world in UNEQUAL),
        "differences": tuple(huse_studies.difference_works(studies)),
        "accuracy": tuple(judging_studies.accuracy_works(studies)),
        "hj": tuple(judging_studies.hj_works(5 * studies)),
        "alpha": tuple(judging_studies.alpha_works(studies)),
        "nnd": tuple(judging_studies.quiz_works(studies)),
        "pairwise": tuple(pairwise_studies.pairwise_works(studies)),
        "crossed": tuple(crossed_studies.crossed_works(studies)),
        "report": (*report_studies.report_works(studies), *choice_studies.choice_works(studies)),
        "kinds": tuple(kind_studies.kind_works(studies)),
        "verdicts": tuple(decision_studies.coverage_works()),
        "skewed": tuple(skewed_studies.skewed_works(studies)),
        "demo": tuple(demo_studies.demo_works(studies)),
    }
    return Plan(
        covered,
        {
            "verdicts": tuple(decision_studies.decision_works()),
            "skewed": tuple(skewed_studies.skewed_decisions()),
        },
        tuple(planned_studies.planned_works()),
        tuple(size_studies.size_works(studies)),
        tuple(huse_studies.bias_works()),
    )


def lines(given: Plan, kept: Kept) -> Iterator[str]:
    """The page, part by part, from what is there."""
    yield HEAD
    waiting = len(given.missing(kept))
    missing = given.unknown(kept) if kept.earlier else waiting
    if missing:
        yield UNFINISHED.format(missing=missing)
    if waiting > missing:
        yield EARLIER.format(earlier=waiting - missing)
    parts = {name: [row for work in works for row in _rows(work, kept)] for name, works in given.covered.items()}
    yield _section("in short", summary([row for rows in parts.values() for row in rows]))
    for name, rows in parts.items():
        code = versions(kept.versions(given.of_section(name)))
        decided = _decided(given.decisions.get(name, ()), kept)
        yield _section(name, code, *decided, coverage_table(rows))
    for name, works, shown in (
        ("planned", given.planned, _planned(given.planned, kept)),
        ("size", given.sizes, _sizes(given.sizes, kept)),
        ("bias", [work for _, _, work in given.bias], _bias(given.bias, kept)),
    ):
        yield _section(name, versions(kept.versions(works)), shown)
    yield _section("listed", "".join(f"- `{column}`: {why}\n" for column, why in UNMEASURED.items()))
    yield demo_page(load())


def demo_table(given: Plan, kept: Kept) -> str:
    """How often the intervals of the demo's lines hold the truths that it prints."""
    return coverage_table([row for work in given.covered["demo"] for row in _rows(work, kept)])


def _rows(work: Work, kept: Kept) -> list[Row]:
    found = kept.tallies(work)
    return [row(work.world, name, tally) for name, tally in zip(work.measures, found or (), strict=bool(found))]


def _decided(works: Iterable[Sums], kept: Kept) -> Iterator[str]:
    """How often verdicts are wrong, and the power."""
    totals = [(work.name, total) for work in works if (total := kept.totals(work))]
    if totals:
        yield decision_studies.decision_table(totals)
    if any(name == "power" for name, _ in totals):
        yield decision_studies.power_table(totals)


def _planned(works: Iterable[Sums], kept: Kept) -> str:
    """How often studies of a planned size decide."""
    return planned_studies.planned_table([(work.name, found) for work in works if (found := kept.totals(work))])


def _section(name: str, *parts: str) -> str:
    title, text = SECTIONS[name]
    return "\n".join(section(title, text, *parts))


def _sizes(designs: Iterable[Sums], kept: Kept) -> str:
    found = [(design.name, kept.totals(design)) for design in designs]
    rows = [
        [name, *(within(share, total.studies) for share in total.means()), str(total.studies)]
        for name, total in found
        if total
    ]
    return table(["design", "HUSE, p", "HUSE, mid-p", "HUSE-Q, p", "HUSE-Q, mid-p", "studies"], rows)


def _bias(cells: Bias, kept: Kept) -> str:
    means = {(texts, ratings): found.means() for texts, ratings, work in cells if (found := kept.totals(work))}
    counts = list(dict.fromkeys(ratings for _, ratings, _ in cells))
    rows = [
        [str(texts), *(", ".join(f"{mean:.3f}" for mean in means.get((texts, r), ())) for r in counts)]
        for texts in dict.fromkeys(texts for texts, _, _ in cells)
    ]
    return table(["texts", *(f"{r} ratings: {', '.join(TITLES)}" for r in counts)], rows)
