"""Measure what the numbers, their intervals and the test are worth, and write the pages that say so: `make truth`.

Simulated studies are kept in var/truth, what is counted of them in tests/benchmarks/simulation_studies/kept, and both
are used again while the code behind them is unchanged: a run that was stopped goes on, on another machine from the
counts. Long at full size: `--studies` and `--headline` make it shorter, `--only unequal` simulates one section and
takes the others as they were counted, `--confirm` does one piece of each row of changed code again and keeps the row if
it is the same.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from annotation.rehearsal import implied_truths
from annotation.rehearsal.world import validity as demo
from annotation.rehearsal.world.truths import TRUTHS_FILE
from tests.benchmarks.simulation_studies import validity
from tests.benchmarks.simulation_studies.kept import Kept
from tests.benchmarks.simulation_studies.running import simulate
from tests.benchmarks.simulation_studies.store import FOLDER, ROOT
from tests.benchmarks.simulation_studies.works import Sums, Work

PAGE = ROOT / "docs" / "validity.md"
KEPT = Path(__file__).with_name("kept") / "validity.json"
STUDIES, HEADLINE = 2000, 10_000
EVERY = 10  # pieces after which the counts are written


def write_validity(options: argparse.Namespace) -> None:
    """Simulate what is missing of docs/validity.md and write it."""
    full = (options.studies, options.headline) == (STUDIES, HEADLINE)
    given = validity.plan(options.studies, options.headline)
    kept = Kept(options.kept or (KEPT if full else FOLDER / "kept.json"), earlier=bool(options.only or options.look))
    if not options.look:
        if options.confirm:
            confirm(given.of_section(options.only), kept, options.processes)
        waiting = given.missing(kept, options.only)
        print(f"{len(waiting)} of {len(given.jobs())} pieces of work are to be done.", flush=True)
        for done, _ in enumerate(simulate(waiting, options.processes), start=1):
            if done % EVERY == 0:
                kept.take(given.works())
    if options.demo and not options.look and not options.only:
        sizes = ["--studies", str(4 * options.demo), "--coverage", str(options.demo)]
        implied_truths.main()
        demo.main([*sizes, "--processes", str(options.processes), "--truths", str(TRUTHS_FILE)])
    kept.take(given.works())
    options.page.write_text("\n".join(validity.lines(given, kept)), encoding="utf-8")
    print(f"The demo's lines:\n\n{validity.demo_table(given, kept)}\nWrote {options.page}.", flush=True)


def confirm(works: list[Work | Sums], kept: Kept, processes: int) -> None:
    """Keep counts of changed code where the pieces that are done again come out as they were; name the others."""
    stale = kept.stale(works)
    print(f"{len(stale)} rows rest on code that has changed.", flush=True)
    for done, _ in enumerate(simulate([job for _, jobs in stale for job in jobs], processes), start=1):
        if done % EVERY == 0:
            kept.confirm(stale)
    changed = kept.confirm(stale)
    print(f"Not as they were: {', '.join(changed) or 'none'}.", flush=True)


# A page more: a function here that simulates what it needs and writes it.
PAGES: tuple[Callable[[argparse.Namespace], None], ...] = (write_validity,)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure what the numbers and their intervals are worth.")
    parser.add_argument("--studies", type=int, default=STUDIES, help="simulated studies behind each row")
    parser.add_argument("--headline", type=int, default=HEADLINE, help="in the main worlds of HUSE")
    parser.add_argument(
        "--demo", type=int, default=2000, help="studies of the demo's design, four times as many besides"
    )
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--look", action="store_true", help="simulate nothing: write the pages from what is there")
    parser.add_argument("--only", choices=validity.ONLY, help="simulate this section alone")
    parser.add_argument("--confirm", action="store_true", help="keep rows of changed code whose pieces come out alike")
    parser.add_argument("--page", type=Path, default=PAGE, help="where the tables of docs/validity.md go")
    parser.add_argument("--kept", type=Path, help="where its counts lie (at full size: beside the code)")
    options = parser.parse_args(arguments)
    begin = time.time()
    for write in PAGES:
        write(options)
    print(f"Done after {(time.time() - begin) / 60:.0f} minutes.", flush=True)


if __name__ == "__main__":
    main()
