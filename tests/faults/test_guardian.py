"""A fault run that is ended from outside leaves no server behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.guardian import processes_in
from tests.faults.servers import ROOT, wait_for

# A run that starts a server and then waits. Like PostgreSQL, the server has left its parent.
RUN = """
import subprocess, sys, time
from pathlib import Path
from tests.faults.guardian import guarded
folder = Path(sys.argv[1])
with guarded(folder):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)", folder], start_new_session=True)
    print("started", flush=True)
    if sys.argv[2] == "waits":
        time.sleep(300)
"""


@pytest.mark.parametrize("ends", ["waits", "comes to its end"])
def test_what_a_run_has_started_ends_with_it_where_it_is_killed(tmp_path: Path, ends: str) -> None:
    folder = tmp_path / "assay-run"
    folder.mkdir()
    with subprocess.Popen([sys.executable, "-c", RUN, folder, ends], cwd=ROOT, stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"started\n"
        if ends == "waits":
            run.kill()
    if ends == "waits":
        wait_for(lambda: not folder.exists(), "the end of the folder")
        assert processes_in(folder) == []
        return
    # A run that comes to its end stops its servers itself; the guardian leaves them.
    (server,) = processes_in(folder)
    subprocess.run(["kill", "-9", str(server)], check=True)
    assert folder.exists()
