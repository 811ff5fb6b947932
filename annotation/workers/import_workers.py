"""Workers of an old list at the marketplace of this installation: accounts, qualifications, blocks."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass

from django.core.management import call_command

from annotation.exceptions import StateError
from annotation.mturk.client import Market
from annotation.readers.worker_list import WorkerList

Tell = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class WorkersImported:
    """How many workers were in the list, scores granted and workers blocked."""

    workers: int
    scores: int
    blocks: int


def import_workers(listed: WorkerList, *, market: Market, tell: Tell) -> WorkersImported:
    """Open the accounts that are not there, grant the scores and set the blocks. Again, it changes nothing more.

    Raises StateError where the marketplace is another one, MarketError where it refuses.
    """
    if not market.ours:
        raise StateError("Worker IDs can be imported to the marketplace of this installation only.")
    types = {name: market.named_qualification(name) for name in listed.qualifications}
    scores = blocks = 0
    for done, worker in enumerate(listed.workers):
        tell("Importing workers", done, len(listed.workers))
        _open_account(worker.worker_id)
        for name, score in worker.scores:
            market.grant(types[name], worker.worker_id, score)
            scores += 1
        if worker.block:
            market.block(worker.worker_id, reason=worker.block)
            blocks += 1
    return WorkersImported(len(listed.workers), scores, blocks)


def _open_account(worker_id: str) -> None:
    """By the command's name: this side does not import the marketplace. The ID may have an account of another name."""
    call_command("create_worker", worker_id, worker_id=worker_id, if_new=True, no_link=True, stdout=io.StringIO())
