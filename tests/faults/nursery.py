"""Commands as processes that can be killed, without the price of starting Python: children of a prepared process.

    python -m tests.faults.nursery     (reads one JSON line of jobs, answers one JSON line of exit statuses)

A job is {"argv": [...], "point": name or null, "nth": n, "after": seconds or null}; those of a line run side by side.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from typing import Any

PATIENCE = 120.0


def _child(job: dict[str, Any]) -> None:
    from django.core.management import ManagementUtility

    from tests.faults import kill_points as points

    status = 1
    try:
        if job.get("point"):
            points.doom(job["point"], job.get("nth", 1))
        sys.stdin.close()
        ManagementUtility(["manage.py", *job["argv"]]).execute()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001 - the child ends here, whatever it was
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def _run(jobs: list[dict[str, Any]]) -> list[int]:
    started = time.monotonic()
    children: dict[int, int] = {}
    for number, job in enumerate(jobs):
        pid = os.fork()
        if not pid:
            _child(job)
        children[pid] = number
    found = [0] * len(jobs)
    while children:
        for pid in list(children):
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                found[children.pop(pid)] = os.waitstatus_to_exitcode(status)
                continue
            limit = jobs[children[pid]].get("after") or PATIENCE
            if time.monotonic() - started > limit:
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
    return found


def main() -> None:
    import django

    django.setup()
    from django.core.management import get_commands, load_command_class

    for name in (
        "publish", "work", "collect", "approve", "top_up", "fair_pay", "notify", "pause", "resume", "stop_recruitment",
        "close",
    ):  # fmt: skip
        load_command_class(get_commands()[name], name)
    from django.core.checks import run_checks

    from annotation import settings as conf
    from annotation.mturk.client import Market

    # The checks before a command read all addresses, and clients large models: children find both read already.
    run_checks()
    Market(conf.endpoint())._queue(conf.queue())
    answers = os.fdopen(os.dup(1), "w")
    # What children say goes to the log that is standard error.
    os.dup2(2, 1)
    for line in sys.stdin:
        answers.write(json.dumps(_run(json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
