"""One thread for linear algebra in small steps.

A matrix product of a few milliseconds that is spread over threads waits for the slowest of them; where another
process holds a core that is tens of milliseconds each time. Fits that take hundreds of such steps run on one thread.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def single_thread() -> Iterator[None]:
    """Limit BLAS to one thread inside."""
    importlib.import_module("scipy.linalg")  # brings a BLAS of its own, and a limit reaches only what is loaded
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"):
        yield
