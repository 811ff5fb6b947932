"""A job that reads an upload gets so much memory and no more: one file must not take a machine down."""

from __future__ import annotations

import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def memory_limit(more_bytes: int | None) -> Iterator[None]:
    """Raise MemoryError within, where the process would take so many bytes more than it has; None: no limit.

    Only where the job has the process's main thread, as in a worker: the limit holds for all threads of a process.
    """
    if more_bytes is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    limit = _address_space() + more_bytes
    allowed = before[0] if before[0] != resource.RLIM_INFINITY else limit
    resource.setrlimit(resource.RLIMIT_AS, (min(limit, allowed), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _address_space() -> int:
    """The bytes of addresses that the process has now; 64 GiB where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 64 * 1024**3
    return pages * resource.getpagesize()
