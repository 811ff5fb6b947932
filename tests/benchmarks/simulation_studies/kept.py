"""The counts of every piece of work in one small file beside the code: a run goes on from it on any machine."""

from __future__ import annotations

import functools
import json
import math
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.benchmarks.simulation_studies.store import ROOT, Job, digest
from tests.benchmarks.simulation_studies.tallies import Tally, Total
from tests.benchmarks.simulation_studies.works import Sums, Work, values_total

COUNTING = ("tests/benchmarks/simulation_studies/tallies.py", "tests/benchmarks/simulation_studies/works.py")
FILES = (
    "pairwise",
    "demo",
    "crossed",
    "report",
    "kinds",
    "planned",
    "decision",
    "skewed",
)  # pieces whose names begin so lie in a file of that name


class Kept:
    """Counts by the name of the piece, each with the code that it rests on.

    Entries of other code are not used; with `earlier` they are, where nothing newer is there.
    """

    def __init__(self, path: Path, *, earlier: bool = False):
        self.path, self.earlier = path, earlier
        self._entries: dict[str, dict[str, Any]] = {}
        for file in (path, *(path.with_name(f"{name}.json") for name in FILES)):
            if file.exists():
                self._entries |= json.loads(file.read_text("utf-8"))

    def done(self, job: Job, work: Work | Sums) -> bool:
        """Whether nothing has to be simulated: its arrays or its counts are there."""
        return job.file.exists() or self._own(job, work) is not None

    def tallies(self, work: Work) -> list[Tally] | None:
        """One a measure, over the chunks that are there; None where none is or the target is missing."""
        means = self._means(work)
        if means is None:
            return None
        parts = [[Tally.read(each) for each in found] for found in self._chunks(work, means)]
        whole: list[Tally] | None = None
        for part in parts:
            whole = [a + b for a, b in zip(whole, part, strict=True)] if whole else part
        return whole

    def totals(self, work: Sums) -> Total | None:
        """Sums over the chunks that are there; None where none is."""
        found = [self._total(job, work) for job in work.chunks]
        there = [each for each in found if each]
        return sum(there[1:], start=there[0]) if there else None

    def take(self, works: list[Work | Sums]) -> None:
        """Count what was simulated and not counted yet, and write all that belongs to `works`."""
        for work in works:
            if isinstance(work, Work):
                self.tallies(work)
            else:
                self.totals(work)
        names = {job.name for work in works for job in work.jobs()}
        lines: dict[Path, list[str]] = {}
        for name in sorted(names & set(self._entries)):
            lines.setdefault(self._file(name), []).append(f"{json.dumps(name)}: {json.dumps(self._entries[name])}")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        for file, own in lines.items():
            file.write_text("{\n" + ",\n".join(own) + "\n}\n", encoding="utf-8")

    def versions(self, works: Iterable[Work | Sums]) -> dict[str, list[str]]:
        """Rows by the code that they were counted on: "" for that of today, else the commits, in their order."""
        rows: dict[str, list[str]] = {}
        for work in works:
            # As `_chunks`: where a chunk is of today's code, those of earlier code are not in the row.
            current = [job for job in work.chunks if self._own(job, work) is not None]
            target = [work.target] if isinstance(work, Work) and work.target else []
            used = [*target, *(current or work.chunks)]
            earlier = [job for job in used if job.name in self._entries and self._own(job, work) is None]
            commits = dict.fromkeys(self._entries[job.name].get("commit", "unknown") for job in earlier)
            if any(job.name in self._entries for job in work.jobs()):
                rows.setdefault(", ".join(commits), []).append(work.world if isinstance(work, Work) else work.name)
        return rows

    def _file(self, name: str) -> Path:
        first = name.split(" ", 1)[0]
        return self.path.with_name(f"{first}.json") if first in FILES else self.path

    def known(self, job: Job, work: Work | Sums) -> bool:
        """Whether it was ever counted, by this code or by earlier code."""
        return self.done(job, work) or job.name in self._entries

    def stale(self, works: list[Work | Sums]) -> list[tuple[Work | Sums, list[Job]]]:
        """Rows with counts of changed code, and what to do again of each: the target, and the shortest chunk."""
        found = []
        for work in works:
            old = [job for job in work.jobs() if job.name in self._entries and self._own(job, work) is None]
            if old:
                chunks = [job for job in work.chunks if job.name in self._entries]
                target = [work.target] if isinstance(work, Work) and work.target else []
                found.append((work, [*target, *chunks[-1:]]))
        return found

    def confirm(self, stale: list[tuple[Work | Sums, list[Job]]]) -> list[str]:
        """Sign all counts of a row with the code of today where the pieces done again give the counts that were kept.

        Rows whose pieces are not all done are left alone. Returns the pieces that came out otherwise.
        """
        otherwise = []
        for work, jobs in stale:
            if not all(job.file.exists() for job in jobs):
                continue
            changed = [job.name for job in jobs if not _same(self._again(job, work), self._entries[job.name]["counts"])]
            otherwise += changed
            for job in work.jobs() if not changed else ():
                if job.name in self._entries:
                    self._entries[job.name]["code"] = _code(job, work)
        return otherwise

    def _again(self, job: Job, work: Work | Sums) -> Any:
        if isinstance(work, Work) and job is not work.target:
            means = Total.read(self._entries[work.target.name]["counts"]).means() if work.target else ()
            return [asdict(each) for each in work.count(job.arrays(), means)]
        return asdict(work.sums(job.arrays()) if isinstance(work, Sums) else values_total(job.arrays()))

    def _means(self, work: Work) -> tuple[float, ...] | None:
        if work.target is None:
            return ()
        found = self._total(work.target, work)
        return found.means() if found else None

    def _chunks(self, work: Work, means: tuple[float, ...]) -> Iterator[Any]:
        # Counts of earlier code stand in only where none is of today's: one row is of one code.
        current = [job for job in work.chunks if self.done(job, work)]
        for job in current or work.chunks:
            made = self._entry(job, work, lambda job=job: [asdict(each) for each in work.count(job.arrays(), means)])
            if made is not None:
                yield made

    def _total(self, job: Job, work: Work | Sums) -> Total | None:
        sums = work.sums if isinstance(work, Sums) else values_total
        made = self._entry(job, work, lambda: asdict(sums(job.arrays())))
        return None if made is None else Total.read(made)

    def _entry(self, job: Job, work: Work | Sums, count: Callable[[], Any]) -> Any:
        """The counts of one piece: kept, or counted now where its arrays are there."""
        own = self._own(job, work)
        if own is None and job.file.exists():
            own = {"code": _code(job, work), "commit": commit(), "counts": count()}
            self._entries[job.name] = own
        if own is None and self.earlier:
            own = self._entries.get(job.name)
        return None if own is None else own["counts"]

    def _own(self, job: Job, work: Work | Sums) -> dict[str, Any] | None:
        entry = self._entries.get(job.name)
        return entry if entry and entry["code"] == _code(job, work) else None


@functools.lru_cache(maxsize=1)
def commit() -> str:
    """Of the tree that counts, in 8 digits; "unknown" where git does not say."""
    asked = ["git", "rev-parse", "--short=8", "HEAD"]
    answer = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    return answer.stdout.strip() or "unknown"


def _same(found: Any, kept: Any) -> bool:
    """Whether counts are equal, sums of floats but for rounding."""
    if isinstance(found, dict):
        found, kept = ({"0" if key == "-0" else key: own for key, own in one.items()} for one in (found, kept))
        return found.keys() == kept.keys() and all(_same(found[key], kept[key]) for key in found)
    if isinstance(found, list | tuple):
        return len(found) == len(kept) and all(map(_same, found, kept))
    return bool(found == kept or math.isclose(found, kept, rel_tol=1e-9, abs_tol=1e-9))


def _code(job: Job, work: Work | Sums) -> str:
    if isinstance(work, Sums):
        return digest([job.code], COUNTING)
    return digest([job.code, work.target.code if work.target else ""], (*COUNTING, *work.counting))
