"""End what a fault run has started, where the run itself was ended from outside (a kill, a time limit).

    python -m tests.faults.guardian FOLDER    # started by `guarded`; waits until its standard input ends

Its servers, its processes and its folder are known by the folder's name, which nothing else has.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DONE = "done"
ROUNDS, PAUSE = 20, 0.2


@contextmanager
def guarded(folder: Path) -> Iterator[None]:
    """Have everything that works in this folder ended, and the folder deleted, should this process die inside."""
    # A session of its own: what ends this process's group leaves the guardian to its work.
    with subprocess.Popen(
        [sys.executable, "-m", "tests.faults.guardian", str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        start_new_session=True,
        text=True,
    ) as guardian:
        try:
            yield
        finally:
            with suppress(BrokenPipeError):
                guardian.communicate(DONE)


def processes_in(folder: Path) -> list[int]:
    """Processes whose command line, environment or working folder names this folder; not this one."""
    name, found = os.fsencode(folder), []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            texts = [(entry / file).read_bytes() for file in ("cmdline", "environ")]
            if any(name in text for text in [*texts, os.fsencode((entry / "cwd").readlink())]):
                found.append(int(entry.name))
    return [pid for pid in found if pid != os.getpid()]


def end_all(folder: Path) -> None:
    """Kill what works in the folder, until nothing does, and delete it with what is mounted there."""
    for _ in range(ROUNDS):
        pids = processes_in(folder)
        for pid in pids:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if not pids:
            break
        time.sleep(PAUSE)
    mounted = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for place in mounted:
        if Path(place).is_relative_to(folder):
            subprocess.run(["umount", "-l", place], check=False)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    if sys.stdin.read() != DONE:
        end_all(Path(sys.argv[1]))
