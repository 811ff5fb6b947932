"""When compiled loops are used: never to begin with for small work, always with the same numbers.

numba takes seconds to compile (once, where its cache can be written) and a third of a second to load. So loops are
used when a piece of work would take numpy longer than that, when a program asks for them (`load_kernels`), and when
the small pieces so far in this process together were worth loading them, or, where nothing is compiled yet, compiling.
Once loaded they serve small work too. Without numba everything runs in numpy.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

Part = TypeVar("Part")

THREADS = 2
COMPILING = 10.0  # times as dear as loading
_state: dict[str, Any] = {"kernels": None, "tried": False, "work": 0.0, "limit": None}


def load_kernels() -> bool:
    """Compile or load the loops now; whether there are any. For programs that repeat small pieces of work."""
    if not _state["tried"]:
        _state["tried"] = True
        try:
            _state["kernels"] = importlib.import_module("metrics.compiled.kernels")
        except ImportError:
            _state["kernels"] = None
    return _state["kernels"] is not None


def get_kernels(work: float = 0.0) -> Any:
    """Return the compiled loops, or None where numpy serves: not loaded and not worth it, or without numba.

    work: size of this piece in units of what is worth compiling for; pieces that numpy served add up.
    """
    if not _state["tried"]:
        _state["work"] += work
        if work > 1 or (_state["work"] > 1 and _state["work"] > _limit()):
            load_kernels()
    return _state["kernels"]


def _limit() -> float:
    """How much small work is worth the loops: little where numba's cache in this folder holds them already."""
    if _state["limit"] is None:
        cached = (Path(__file__).parent / "__pycache__").glob("kernels.plane_values*.nbi")
        _state["limit"] = 1.0 if any(cached) else COMPILING
    return float(_state["limit"])


def in_parts(work: Callable[[Any], Part], parts: Sequence[Any], threaded: bool) -> list[Part]:
    """work(part) for each part, in order; on two threads where the parts are coarse enough to be worth it."""
    if not threaded or len(parts) < 2:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(work, parts))
