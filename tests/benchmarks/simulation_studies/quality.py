"""How well the evidence finds who does not read, and whom it wrongs: docs/quality.md, made by `make truth`."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from annotation.quality.filters import FILTERS
from annotation.quality.measure import measure_work
from annotation.rehearsal.world import World
from tests.benchmarks.simulation_studies.crowd_worlds import EXPLAINED, KINDS, TYPICALITY, Setting, study
from tests.benchmarks.simulation_studies.informed import informed, laws
from tests.benchmarks.simulation_studies.page import section, table
from tests.benchmarks.simulation_studies.running import simulate
from tests.benchmarks.simulation_studies.store import ROOT, Arrays, Job

PAGE = ROOT / "docs" / "quality.md"
LOOKED_AT = 0.15
CHUNK = 25
SOURCES = (
    "tests/benchmarks/simulation_studies/crowd_worlds.py", "tests/benchmarks/simulation_studies/informed.py",
    "tests/benchmarks/simulation_studies/quality.py",
    "annotation/quality/filters_answers.py", "annotation/quality/measure.py", "annotation/quality/click_model.py",
    "annotation/quality/competence.py", "annotation/quality/filters.py", "annotation/quality/filters_timing.py",
    "annotation/quality/filters_explanations.py", "annotation/quality/work_table.py", "metrics/worker_models/mace.py",
    "annotation/quality/people.py", "metrics/worker_models/people.py", "metrics/worker_models/ways_of_working.py",
    "metrics/worker_models/duplicates.py", "metrics/worker_models/text_places.py",
)  # fmt: skip
HEAD = """# What the evidence about workers is worth

Made by `make truth` (`python -m tests.benchmarks.simulation_studies.quality`). Simulated crowds, a tenth of which are
spammers, as many of each kind as can be; 8 HITs of 20 assignments a study, {seeds} studies (seeds) of each design.
Honest workers
read: their labels are those of the rehearsal's readers, they need the time that reading takes and two seconds more
(lognormal, sd .5 of the log), paste 3 % and copy 2 % of their explanations, write a word or two in 5 % and what many
write in 1 %. A straight-liner gives one label to all but 3 % of the texts, a random clicker any label in an honest
reader's time, one who is too fast any label in .7 s, a copier explains by the text itself, a paster types next to
nothing. These habits are assumed; another crowd has others.

Filters order the queue and raise flags; they exclude and reject nobody.
"""
RECALL = """Of the assignments of each kind, the share among the {share:.0%} most suspicious of its study, in per cent ±
its Monte-Carlo error. People do one or two HITs, and each assignment is ranked by all that its worker did in the study.
The oracle knows where every text lies, who could have which bias and noise, and the very laws that made the work. The
most that can be known is what somebody finds who knows all of that but where the texts lie, which only the answers tell
(exact posterior chances, by Gibbs sampling; a dash where we find what the oracle finds): no order made from the work
alone finds more of all kinds together on average. Five points below the oracle were aimed at for clicks in HITs of five
texts; that is about as much as can be known at all, and we have to learn the crowd's habits besides.
Honest work among the most suspicious is what a reviewer looks at in vain."""
FLAGGED = """Share of the assignments of honest workers that each filter flags, in per cent; a dash where these designs
give it nothing to look at. A filter above 5 % in either design is off by default, as is one that judges people by
answers of which these designs ask none (checks, gold, repeats, practice); those that use the study's own answers to the
question of interest (F9 to F13, A1) are in no default rule whatever they do, and F9 raises flags. Filters that look
only at how somebody writes (F14, F16, F19, F20) raise flags and are in no default rule either: in a simulated crowd
they hit every one of the 16 among 60 honest people who wrote tersely, dictated, pasted from notes or wrote German."""

BEFOREHAND = """Approval rate, number of approved tasks and country (F1) are requirements of the HIT: the marketplace
lets nobody else accept it, and its API tells a requester no worker's rate or country, so no submission can be measured
by them. A qualification test (F2) and an endurance stage (F3) are off, as the specification has them. They too belong
before the work: whoever handed in work has passed, so that `GetQualificationScore` (which answers only for a
requester's own tests, and only for people who hold one) could tell nothing more against them; whoever failed handed in
nothing. Assay sets no such test; a study that needs one asks for it by a qualification made on the marketplace."""


def crowds(setting: Setting, studies: int, seed: tuple[int, ...]) -> Arrays:
    """kinds: (assignments,); ours, informed, oracle: among the most suspicious; flags, looked (at): (assignments,
    filters). Where reasons are asked for, the informed look too; of long HITs the oracle's is ours already."""
    world, rng = World.load(), np.random.default_rng(seed)
    dice = np.random.default_rng((*seed, 1))
    known = laws(setting, world, dice) if setting.reasons else None
    kinds, ours, knowing, oracle, flags, looked = [], [], [], [], [], []
    for _ in range(studies):
        made = study(setting, world, rng)
        found = measure_work(made.work)
        kinds.append(made.kind)
        ours.append(top(found.suspicion))
        knowing.append(top(informed(setting, made, known, dice)) if known else np.zeros(0, dtype=np.bool_))
        oracle.append(top(made.oracle))
        flags.append(np.stack([found.raised[one.kind] for one in FILTERS], axis=1))
        looked.append(np.stack([found.measured[one.kind].n > 0 for one in FILTERS], axis=1))
    parts = {"kinds": kinds, "ours": ours, "informed": knowing, "oracle": oracle, "flags": flags, "looked": looked}
    return {name: np.concatenate(part) for name, part in parts.items()}


def top(score: np.ndarray) -> np.ndarray:
    """Whether each is among the highest LOOKED_AT share; ties in the order of the assignments."""
    chosen = np.zeros(len(score), dtype=np.bool_)
    chosen[np.argsort(-score, kind="stable")[: round(LOOKED_AT * len(score))]] = True
    return chosen


def jobs(seeds: int) -> dict[str, list[Job]]:
    """By design: chunks of studies."""
    return {
        setting.name: [
            Job(f"crowds {setting.name} {i}", crowds, (setting, min(CHUNK, seeds - begin), (2036, place, i)), SOURCES)
            for i, begin in enumerate(range(0, seeds, CHUNK))
        ]
        for place, setting in enumerate((TYPICALITY, EXPLAINED))
    }


def joined(jobs: Sequence[Job]) -> Arrays:
    """The arrays of all chunks, end to end."""
    chunks = [job.arrays() for job in jobs]
    return {key: np.concatenate([chunk[key] for chunk in chunks]) for key in chunks[0]}


def lines(seeds: int, by_design: dict[str, list[Job]]) -> Iterator[str]:
    """The page, part by part."""
    found = {name: joined(own) for name, own in by_design.items()}
    yield HEAD.format(seeds=seeds)
    head = ["design", "kind", "found", "most that can be known", "found by the oracle", "assignments"]
    rows = [row for name, arrays in found.items() for row in recall_rows(name, arrays)]
    yield "\n".join(section("Who is found", RECALL.format(share=LOOKED_AT), table(head, rows)))
    columns = ["filter", "on by default", *found]
    yield "\n".join(section("Whom the filters wrong", FLAGGED, table(columns, list(flag_rows(found)))))
    yield f"## What no filter measures\n\n{BEFOREHAND}\n"


def recall_rows(name: str, arrays: Arrays) -> Iterator[list[str]]:
    for k, kind in enumerate(KINDS):
        own = arrays["kinds"] == k
        if own.any():
            shares = (recall(arrays[part], own) for part in ("ours", "informed", "oracle"))
            yield [name, kind, *shares, f"{own.sum():,}"]


def recall(chosen: np.ndarray, own: np.ndarray) -> str:
    return per_cent(float(chosen[own].mean()), int(own.sum())) if len(chosen) else "–"


def flag_rows(found: dict[str, Arrays]) -> Iterator[list[str]]:
    for i, one in enumerate(FILTERS):
        rates = [flagged(arrays, i) for arrays in found.values()]
        yield [f"{one.id} {one.title}", "yes" if one.default else "flags only" if one.flags else "no", *rates]


def flagged(arrays: Arrays, i: int) -> str:
    honest = arrays["kinds"] == 0
    nothing = not arrays["looked"][:, i].any()
    return "–" if nothing else per_cent(float(arrays["flags"][honest, i].mean()), int(honest.sum()))


def per_cent(share: float, n: int) -> str:
    return f"{100 * share:.1f} ± {100 * math.sqrt(share * (1 - share) / n):.1f}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure what the evidence about workers is worth.")
    parser.add_argument("--seeds", type=int, default=100, help="simulated studies of each design")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--page", type=Path, default=PAGE, help="where the tables go")
    options = parser.parse_args(arguments)
    by_design = jobs(options.seeds)
    list(simulate([job for own in by_design.values() for job in own], options.processes))
    options.page.write_text("\n".join(lines(options.seeds, by_design)), encoding="utf-8")
    print(f"Wrote {options.page}.", flush=True)


if __name__ == "__main__":
    main()
