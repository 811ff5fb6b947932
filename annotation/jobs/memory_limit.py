"""A job gets so much memory and no more: one file, or one report, must not take a machine down."""

from __future__ import annotations

import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def memory_limit(more_bytes: int | None, *, with_files: bool = True) -> Iterator[None]:
    """Raise MemoryError within, where the process would take so many bytes more than it has; None: no limit.

    Only where the job has the process's main thread, as in a worker: the limit holds for all threads of a process.

    Args:
        with_files: count every address, those of mapped files, too; else what the process writes alone. A browser that
            the job starts has the same limit, and maps far more than it uses.
    """
    if more_bytes is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    counted, used = (resource.RLIMIT_AS, "VmSize") if with_files else (resource.RLIMIT_DATA, "VmData")
    before = resource.getrlimit(counted)
    limit = _bytes_of(used) + more_bytes
    allowed = before[0] if before[0] != resource.RLIM_INFINITY else limit
    resource.setrlimit(counted, (min(limit, allowed), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(counted, before)


def _bytes_of(name: str) -> int:
    """What the process has now, by its line in /proc/self/status; 64 GiB where the system does not say."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))
    except (OSError, StopIteration):
        return 64 * 1024**3
