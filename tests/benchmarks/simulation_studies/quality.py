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
HEAD = """# What the quality checks are worth

Made by `make truth` (`python -m tests.benchmarks.simulation_studies.quality`). [people.md](people.md) measures the
model of people on crowds written separately. This page measures each check, and the order of the queue where
people do one or two tasks.

The crowds are simulated: a tenth are spammers, as many of each kind as can be. A study has 8 tasks of 20 submissions,
and there are {seeds} studies (seeds) of each design. Honest raters read. Their labels are those of the rehearsal's
readers. They need the time that reading takes and two seconds more (lognormal, sd .5 of the log). They paste 3% and
copy 2% of their explanations, write a word or two in 5% and what many write in 1%. A straight-liner gives one label
to all but 3% of the texts. A random clicker gives any label in an honest reader's time, and one who is too fast any
label in .7 s. A copier explains by the text itself, and a paster types next to nothing. These habits are assumed;
another crowd has others.

Checks raise flags. With the model of people they order the queue. They exclude and reject nobody.
"""
RECALL = """Of the submissions of each kind, the share among the {share:.0%} most suspicious of the study, in per
cent ± the Monte-Carlo error. Each submission is ranked by all work of its rater in the study.

The oracle knows where every text lies, who can have which bias and noise, and the laws that made the work. The most
that can be known is what somebody finds who knows all of that but where the texts lie, which only the answers show
(exact posterior chances, by Gibbs sampling; in tasks of 25 texts not computed, a dash).

In tasks of 25 texts the order finds nearly all that the oracle finds. The model of people was made while looking at
such tasks. In tasks of five texts the order finds fewer random clickers and pasters than can be known; checks of
writing style weigh little in it, since honest people paste too. Honest work among the most suspicious is what a
reviewer looks at in vain."""
FLAGGED = """Share of the submissions of honest raters beyond the threshold of each check, in per cent; a dash where
these designs have nothing for it to measure. A check above 5% in either design is in no default rule.
Nor is one that judges people by answers of which these designs ask none (attention checks, gold texts,
repeated texts, practice), or by the answers to the question of interest (straight lines, one answer,
agreement, mean answer, competence, spread of the labels, like clicks without reading). Checks of
writing style (short, repeated and pasted explanations, and their language) raise flags only: honest
people write tersely, dictate, paste from notes or write in a second language."""

BEFOREHAND = """Approval rate, number of approved tasks and country are requirements of the task: the marketplace
lets nobody else accept it. Its API names no worker's rate or country, so no submission can be
measured by them. A qualification test and an endurance stage also belong before the work. Assay sets
no such test. A study that needs one asks for it by a qualification made on the marketplace."""


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
    head = ["design", "kind", "order of the queue", "most that can be known", "oracle", "submissions"]
    rows = [row for name, arrays in found.items() for row in recall_rows(name, arrays)]
    yield "\n".join(section("Bad work among the most suspicious", RECALL.format(share=LOOKED_AT), table(head, rows)))
    columns = ["check", "in the default rules", *found]
    yield "\n".join(section("Honest raters beyond a threshold", FLAGGED, table(columns, list(flag_rows(found)))))
    yield f"## What no check measures\n\n{BEFOREHAND}\n"


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
        yield [one.title, "yes" if one.default else "flags only" if one.flags else "no", *rates]


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
