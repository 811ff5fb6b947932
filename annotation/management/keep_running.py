"""A command that shall run is started again where it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

LOOK_SECONDS, BEGIN_ANEW_SECONDS = 0.2, 2.0


def keep_running(command: Sequence[str], env: Mapping[str, str], log: Path, stop: threading.Event) -> None:
    """Run a command until `stop`, and again whenever it ends before: killed, say, for want of memory.

    What it began ends with it: web processes whose parent was killed hold its port for up to half a minute.
    """
    with log.open("a") as log_file:
        while not stop.is_set():
            process = subprocess.Popen(  # noqa: S603
                command, env=env, stdout=log_file, stderr=subprocess.STDOUT, process_group=0
            )
            while process.poll() is None and not stop.wait(LOOK_SECONDS):
                pass
            if process.returncode is None:
                _end(process)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if not stop.is_set():
                log_file.write(f"It ended with {process.returncode}; it starts again.\n")
                log_file.flush()
                stop.wait(BEGIN_ANEW_SECONDS)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
