"""10,000 random steps of requesters and workers, with faults on, then the proof of the books.

    python -m tests.benchmarks.prove_ledger [steps] [seed]

It runs on a test database of its own (DATABASE_URL says on which kind), which is removed afterwards.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path


def main(steps: int, seed: int) -> int:
    """Live, prove, print; the exit status is 1 when anything differs."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "deploy.settings.test")
    import django

    django.setup()
    from django.db import connection

    if connection.vendor == "sqlite":
        # Beside the file that a test run may be using.
        own = Path(connection.settings_dict["TEST"]["NAME"]).with_name(f"test-ledger-{os.getpid()}.sqlite3")
        connection.settings_dict["TEST"]["NAME"] = str(own)
    name = connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        return _prove(steps, seed)
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)


def _prove(steps: int, seed: int) -> int:
    from annotation.marketplace.core import clock
    from annotation.marketplace.money.balance_check import check_balances
    from tests.marketplace.random_life import Life, counted_faults, doubled_hits, hold_faults

    start = time.perf_counter()
    life = Life(seed, clock.now())
    life.run(steps)
    proof = check_balances()
    faults = [*proof.faults, *hold_faults(life.now), *counted_faults(), *doubled_hits()]
    print(f"{steps:,} steps with seed {seed} in {time.perf_counter() - start:.0f} s")
    for what, count in sorted(life.counts.items()):
        print(f"  {count:6,} {what}")
    print(f"{proof.accounts} accounts and {proof.postings:,} postings: {len(faults)} differences")
    for fault in faults:
        print(f"  {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    sys.exit(main(*[*arguments, *(10_000, 1)[len(arguments) :]]))
