"""Dawid-Skene and MACE on 1 million ratings beside crowd-kit 1.4.2, on one thread.

    python -m tests.benchmarks.bench_workers [rounds] [--python FILE]

100,000 items, 10 ratings each, 2,000 raters of planted skill, 4 labels. Both sides get whole numbers: we arrays,
crowd-kit the data frame it asks for (made beforehand, not timed). Dawid-Skene without smoothing, 20 EM iterations on
both sides (tolerance 0), whose posteriors are compared; MACE with 10 restarts of 50 iterations against crowd-kit's
first restart of 50. Our loops are loaded beforehand, as crowd-kit is. crowd-kit stands in an environment that is made
in a temporary folder and thrown away.
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from metrics.compiled import switch as compiled
from metrics.worker_models.dawid_skene import dawid_skene
from metrics.worker_models.mace import mace
from tests.benchmarks.temporary_site import beside

PACKAGE = "1.4.2"
ITEMS, RATERS, EACH, LABELS = 100_000, 2_000, 10, 4
ITERATIONS, SLOW_ROUNDS = 20, 1
Columns = tuple[np.ndarray, np.ndarray, np.ndarray]


def ratings() -> Columns:
    """item, rater, label: raters are right with chances of .4 to .95."""
    rng = np.random.default_rng(0)
    truth, accuracy = rng.integers(0, LABELS, ITEMS), np.linspace(0.4, 0.95, RATERS)
    item = np.repeat(np.arange(ITEMS), EACH)
    # Raters sit in EACH blocks; an item takes one of each, so nobody rates it twice.
    block = RATERS // EACH
    rater = (np.arange(EACH) * block + rng.integers(0, block, (ITEMS, EACH))).ravel()
    rater = rng.permutation(RATERS)[rater]
    wrong = (truth[item] + rng.integers(1, LABELS, len(item))) % LABELS
    return item, rater, np.where(rng.random(len(item)) < accuracy[rater], truth[item], wrong)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of processor time (one thread: what else the machine does does not count), and the answer."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def ours_in(columns: Columns, rounds: int) -> tuple[float, float, Any]:
    """Best seconds of Dawid-Skene and of MACE, and Dawid-Skene's answer."""
    dawid_skene(*columns, smoothing=0, iterations=1, tolerance=0)  # loops are compiled once
    skene = [
        timed(lambda: dawid_skene(*columns, smoothing=0, iterations=ITERATIONS, tolerance=0)) for _ in range(rounds)
    ]
    knowing = [timed(lambda: mace(*columns, starts=10, iterations=50))[0] for _ in range(SLOW_ROUNDS)]
    return min(seconds for seconds, _ in skene), min(knowing), skene[0][1]


def main(rounds: int = 3) -> None:
    """Time and print."""
    threadpool_limits(1)
    compiled.load_kernels()
    columns = ratings()
    skene, knowing, answer = ours_in(columns, rounds)
    print(f"Dawid-Skene, ours, {answer.iterations} iterations      {skene:8.2f} s")
    print(f"MACE, ours, 10 restarts               {knowing:8.2f} s")
    if not importlib.util.find_spec("crowdkit"):
        print("crowd-kit was not timed: it could not be installed.")
        return
    beside_crowd_kit(columns, skene, knowing, answer)


def beside_crowd_kit(columns: Columns, skene: float, knowing: float, answer: Any) -> None:
    """The same by crowd-kit."""
    pandas, kit = importlib.import_module("pandas"), importlib.import_module("crowdkit.aggregation")
    frame = pandas.DataFrame(dict(zip(("task", "worker", "label"), columns, strict=True)))
    theirs = kit.DawidSkene(n_iter=answer.iterations, tol=-np.inf)
    seconds, probabilities = timed(lambda: theirs.fit_predict_proba(frame))
    order = np.argsort(answer.items)
    apart = np.abs(answer.posterior[order] - probabilities.sort_index().sort_index(axis=1).to_numpy()).max()
    print(f"Dawid-Skene, crowd-kit, {len(theirs.loss_history_)} iterations {seconds:8.2f} s")
    print(f"crowd-kit / ours                      {seconds / skene:8.1f}x")
    print(f"largest difference of a posterior     {apart:8.1e}")
    first, _ = timed(lambda: kit.MACE(n_restarts=1, n_iter=50, random_state=0).fit(frame))
    print(f"MACE, crowd-kit, first restart        {first:8.2f} s")
    print(f"crowd-kit's first restart / our ten   {first / knowing:8.2f}x")


if __name__ == "__main__":
    beside("tests.benchmarks.bench_workers", "crowdkit", f"crowd-kit=={PACKAGE}", main, rounds=3)
