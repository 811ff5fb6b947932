"""Do pieces of work on several processes and tell of each."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed

from tests.benchmarks.simulation_studies.store import Job


def simulate(waiting: Sequence[Job], processes: int) -> Iterator[Job]:
    """Do each, telling of it, and give it when it is done."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")
    begin = time.time()
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), initializer=_alone) as pool:
        running = {pool.submit(job.run): job for job in waiting}
        for done, ended in enumerate(as_completed(running), start=1):
            ended.result()
            print(f"{time.time() - begin:7.0f} s  {done}/{len(waiting)}  {running[ended].name}", flush=True)
            yield running[ended]


def _alone() -> None:
    """Each process has one core."""
    from metrics.compiled import switch as compiled

    compiled.THREADS = 1
