"""The stub as a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from annotation.rehearsal.prolific_stub.controls import Controls

ROOT = Path(__file__).resolve().parents[3]


@contextmanager
def running(*, state: Path | None = None, log: Path | None = None, port: int = 0) -> Iterator[Controls]:
    """Start the stub on a free port of this machine, or `port`; ends it afterwards. Yields its controls."""
    command = [sys.executable, "-m", "annotation.rehearsal.prolific_stub.serve_stub", "--port", str(port)]
    for name, file in (("--state", state), ("--log", log)):
        command += [name, str(file)] if file is not None else []
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)  # noqa: S603
    assert process.stdout is not None  # noqa: S101  it is a pipe
    try:
        address = process.stdout.readline().strip()
        if not address:
            raise RuntimeError("The Prolific stub did not start.")
        controls = Controls(address)
        try:
            yield controls
        finally:
            controls.close()
    finally:
        process.terminate()
        process.wait(timeout=10)
        process.stdout.close()
