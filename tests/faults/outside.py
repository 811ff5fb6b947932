"""Faults from outside, each upon an installation in which a study is under way; what people meet, and what is left.

    python -m tests.faults.outside disk storage locked broker clock    # writes their sections of docs/reliability.md
    python -m tests.faults.outside locked --seconds 25

A person submits without a pause, a reviewer opens the list of studies, creates a study and uploads a file (over the web
API), an operator asks for the site's health, before, during and after the fault. Afterwards the study is decided, paid
and closed, and the audits of the fault run count.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from tests.faults.installation import Installation
from tests.faults.sections import table, write_section

ROOT = Path(__file__).resolve().parents[2]
BATCH = '"HITId","WorkerId","Input.text","Answer.quality"\n"h1","w1","A text","4"\n"h1","w2","A text","5"\n'
EVERY, CALM, PATIENCE, LIVE_SECONDS = 2.0, 6.0, 240.0, 5.0
# More places than are filled while a fault lasts, so that somebody can still submit after it.
PAGES = 120
# People who have a task open when the fault begins.
HOLDERS = 6
KEPT = ROOT / "build" / "outside-faults.jsonl"


@dataclass
class Trial:
    """One fault upon one installation: what each met in each of the three times, and what was left."""

    title: str
    what: str
    seconds: float = 0.0
    met: dict[str, dict[str, int]] = field(default_factory=dict)
    well_after: float = 0.0
    recorded: int = 0
    longest: float = 0.0
    doctor: list[str] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)
    found: dict[str, int] = field(default_factory=dict)
    # Processes of the web before the fault, and those of them that were there after it.
    web: tuple[int, int] = (0, 0)
    day: str = field(default_factory=lambda: datetime.now(UTC).date().isoformat())


class Probes:
    """A reviewer with a session and a token, and an operator, who ask the same again and again."""

    def __init__(self, installation: Installation) -> None:
        from django.core.management import call_command

        self.site = installation
        link, token = io.StringIO(), io.StringIO()
        call_command("sign_in_link", "ada", "--create", "--owner", stdout=link)
        call_command("tokens", "ada", "--new", "probe", stdout=token, stderr=io.StringIO())
        self.token = token.getvalue().strip()
        self.browser = httpx.Client(trust_env=False, timeout=60, follow_redirects=True)
        address = re.search(r"http\S+", link.getvalue())
        assert address, link.getvalue()
        page = self.browser.get(address[0])
        form = dict(re.findall(r'<input[^>]* name="([^"]+)"[^>]* value="([^"]*)"', page.text))
        self.browser.post(str(page.url), data=form, headers={"Referer": str(page.url)})
        self.number = 0

    def ask(self) -> list[tuple[str, str, bool]]:
        """Who and what, what was answered, and whether it was as usual."""
        self.number += 1
        head = {"Authorization": f"Bearer {self.token}"}
        study = {"name": f"probe-{self.number}-{time.time():.0f}", "preset": "huse-2019", "mode": "rehearsal"}
        return [
            self._one("reviewer: the list of studies", "GET", "/console/"),
            self._one("reviewer: create a study", "POST", "/api/v1/studies", headers=head, json=study),
            self._one(
                "reviewer: upload a file",
                "POST",
                "/api/v1/imports/batch",
                headers=head,
                data={"name": f"batch-{self.number}"},
                files={"file": ("batch.csv", BATCH.encode(), "text/csv")},
            ),
            self._one("operator: /health/ready", "GET", "/health/ready"),
        ]

    def _one(self, who: str, method: str, path: str, **sent: Any) -> tuple[str, str, bool]:
        from tests.faults.persistent import _sentence

        began = time.monotonic()
        try:
            answer = self.browser.request(method, self.site.origin + path, **sent)
        except httpx.TransportError as error:
            return who, f"no answer ({type(error).__name__})", False
        took = time.monotonic() - began
        slow = " (after more than 10 s)" if took > 10 else ""
        if path.startswith("/health"):
            wrong = [
                name
                for name, value in answer.json().get("checks", answer.json()).items()
                if value not in {"ok", True, "ready", 200}
            ]
            words = "" if answer.status_code == 200 else ", ".join(wrong)
        else:
            words = "" if answer.status_code < 400 else _sentence(answer)
        return who, f"{answer.status_code} {words}".strip() + slow, answer.status_code < 400


class Liveness(threading.Thread):
    """A monitor of a process's life, which asks once a second and gives up after as long as `doctor` does."""

    def __init__(self, installation: Installation) -> None:
        super().__init__(daemon=True)
        self.address, self.over = f"{installation.origin}/health/live", threading.Event()
        self.answers: Counter[str] = Counter()

    def run(self) -> None:
        while not self.over.wait(1):
            try:
                status = httpx.get(self.address, timeout=LIVE_SECONDS, trust_env=False).status_code
                self.answers[f"operator: /health/live|{status}"] += 1
            except httpx.TransportError:
                self.answers[f"operator: /health/live|no answer within {LIVE_SECONDS:.0f} s"] += 1


def tried(
    title: str,
    what: str,
    site: AbstractContextManager[Installation],
    fault: Callable[[Installation], AbstractContextManager[None]],
    seconds: float,
) -> Trial:
    """Let the fault happen to the installation for so long."""
    trial = Trial(title, what)
    with site as installation:
        os.environ.update(installation.environment)
        import django

        django.setup()
        from tests.faults.findings import findings
        from tests.faults.installed_life import InstalledLife, acknowledged, link_of
        from tests.faults.persistent import Met, Persistent

        met, life = Met(), InstalledLife("outside", PAGES, Met())
        life.life.found()
        life.command("publish", "outside", "--yes")
        life.until(life.published, "publishing")
        probes, over = Probes(installation), threading.Event()
        person = threading.Thread(target=_submit, args=[life, met, over], daemon=True)
        person.start()
        lives = Liveness(installation)
        lives.start()
        _watch(trial, probes, met, lives, "before", CALM)
        before = len(installation.log())
        holders = [Persistent(link_of(f"holder-{number}"), met) for number in range(HOLDERS)]
        pages = [holder.open_task("outside") for holder in holders]
        serving = _web(installation)
        with fault(installation):
            began = time.monotonic()
            # People who had a task open submit it, one after the other.
            late = [
                threading.Timer(number * seconds / HOLDERS, holder.submit, page)
                for number, (holder, page) in enumerate(zip(holders, pages, strict=True))
            ]
            for each in late:
                each.daemon = True
                each.start()
            _watch(trial, probes, met, lives, "during", seconds)
            trial.doctor = doctor(installation)
            trial.seconds = time.monotonic() - began
        ended, recorded = time.monotonic(), len(met.recorded)
        while not (all(fine for *_, fine in probes.ask()) and len(met.recorded) > recorded):
            if time.monotonic() > ended + PATIENCE:
                trial.well_after = -1
                break
            time.sleep(0.3)
        else:
            trial.well_after = time.monotonic() - ended
        _watch(trial, probes, met, lives, "after", CALM)
        over.set()
        lives.over.set()
        person.join(timeout=60)
        for each in late:
            each.join(timeout=60)
        trial.web = len(serving), len(serving & _web(installation))
        trial.tracebacks = unexpected(installation.log()[before:])
        _close(life)
        told = findings(life.study()).told()
        trial.found = {**told, "acknowledged answers that are lost or altered": acknowledged(met)}
        trial.recorded, trial.longest = len(met.recorded), met.longest
    return trial


def _web(installation: Installation) -> set[int]:
    return {victim.pid for victim in installation.victims() if victim.name == "web"}


def _submit(life: Any, met: Any, over: threading.Event) -> None:
    from django.db import connections

    from tests.faults.installed_life import link_of
    from tests.faults.persistent import Persistent

    # The next people, when one has done all.
    for number in range(20):
        if over.is_set():
            break
        link = link_of(f"person-{number}")
        Persistent(link, met, pace=0.4).rates(life.name, until=over.is_set)
    connections.close_all()


def _watch(trial: Trial, probes: Probes, met: Any, lives: Liveness, when: str, seconds: float) -> None:
    rows: Counter[str] = Counter()
    lived = lives.answers.copy()
    began, recorded = time.monotonic(), len(met.recorded)
    sentences, answers = met.sentences.copy(), met.answers.copy()
    while time.monotonic() < began + seconds:
        for who, said, _ in probes.ask():
            rows[f"{who}|{said}"] += 1
        time.sleep(EVERY)
    rows.update(lives.answers - lived)
    rows["worker: submit|200 recorded"] = len(met.recorded) - recorded
    for answer, number in (met.answers - answers).items():
        rows[f"worker: pages, accept and submit|{answer}"] = number
    for sentence, number in (met.sentences - sentences).items():
        rows[f"worker: submit|{sentence}"] = number
    trial.met[when] = {row: number for row, number in rows.items() if number}
    print(trial.title, when, json.dumps(trial.met[when], indent=1), flush=True)


def _close(life: Any) -> None:
    name = life.name
    life.command("stop_recruitment", name)
    life.until(lambda: life.idle() and life.over(), "the end of recruiting")
    life.until(life.all_read, "collecting")
    life.command("approve", name, "--yes")
    life.until(life.idle, "approving")
    life.command("close", name)
    life.until(life.idle, "closing")


def doctor(installation: Installation) -> list[str]:
    """The faults that `manage.py doctor` names, run with the clock of this machine."""
    environment = {name: value for name, value in installation.environment.items() if name != "LD_PRELOAD"}
    try:
        ran = subprocess.run(
            [sys.executable, "manage.py", "doctor"],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ["`doctor` did not end within 90 s"]
    printed = (ran.stdout + ran.stderr).replace(str(installation.var), "VAR")
    lines = [line for line in printed.splitlines() if line.startswith("FAULT")]
    return [" ".join(line.split()) for line in lines] or printed.strip().splitlines()[-1:]


def unexpected(log: str) -> list[str]:
    """The last line of each kind of traceback."""
    last = re.findall(r"Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)+(\S.*)", log)
    return [f"{number} x {line[:140]}" for line, number in Counter(last).most_common(8)]


def page(trials: list[Trial], head: str) -> str:
    """A section of docs/reliability.md."""
    parts = [head]
    for trial in trials:
        rows: dict[str, dict[str, list[str]]] = {}
        for when, answers in trial.met.items():
            for key, number in answers.items():
                who, _, said = key.partition("|")
                # The first sentence says what happened; those after it what to do.
                rows.setdefault(who, {}).setdefault(when, []).append(f"{number} x {said.split('. ')[0]}")
        cells = [
            [who, *("; ".join(each.get(when, [])) or "-" for when in ("before", "during", "after"))]
            for who, each in sorted(rows.items())
        ]
        wrong = {name: number for name, number in trial.found.items() if number}
        well = f"{trial.well_after:.0f} s after it ended" if trial.well_after >= 0 else f"not within {PATIENCE:.0f} s"
        parts += [
            f"\n**{trial.title}, {trial.day}.** {trial.what} It lasted {trial.seconds:.0f} s. All was well {well}. "
            f"{trial.recorded} submissions were acknowledged, the slowest after {trial.longest:.0f} s. "
            + (
                f"Audits: {', '.join(f'{number} {name}' for name, number in wrong.items())}."
                if wrong
                else f"All {len(trial.found)} audits: 0."
            )
            + (f" Of {trial.web[0]} processes of the web, {trial.web[1]} lived through it." if trial.web[0] else ""),
            "",
            table(["", "before", "during", "after"], cells),
            "",
            "`doctor` during the fault: "
            + "; ".join(": ".join(line.rstrip(".").split(": ")[:2]) for line in trial.doctor)
            + ".",
        ]
        # What the system says of a connection is told again by the library that made it.
        kinds = [line.partition(": ")[0] for line in trial.tracebacks if "ConnectionRefused" not in line]
        if kinds:
            lines = "; ".join(f"`{kind}`" for kind in dict.fromkeys(kinds))
            parts.append(f"\nErrors with a traceback in the logs: {lines}.")
    return "\n".join(parts)


def main() -> int:
    """Let each fault happen and write its section; 1 where an audit is not 0, or all was not well again."""
    from tests.faults.outside_faults import SECTIONS

    parser = argparse.ArgumentParser(prog="python -m tests.faults.outside", description=__doc__)
    parser.add_argument("faults", nargs="*", choices=[*SECTIONS, []], default=list(SECTIONS))
    parser.add_argument("--seconds", type=float, default=60.0, help="how long a fault lasts")
    parser.add_argument("--kept", type=Path, default=KEPT, help="where the trials are kept that were carried out")
    parser.add_argument("--trial", type=int, action="append", help="only the trial of this number, from 0")
    parser.add_argument("--part", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part is not None:
        section = SECTIONS[options.faults[0]]
        print(json.dumps(asdict(section.trials[options.part](options.seconds))))
        return 0
    failed = False
    for name in options.faults:
        for number in options.trial or range(len(SECTIONS[name].trials)):
            trial = _alone(name, number, options.seconds)
            _keep(options.kept, name, trial)
            failed |= trial.well_after < 0 or any(trial.found.values())
            write_section(ROOT / "docs" / "reliability.md", name, page(kept(options.kept, name), SECTIONS[name].head))
    return int(failed)


def _keep(file: Path, name: str, trial: Trial) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as lines:
        lines.write(json.dumps([name, asdict(trial)]) + "\n")


def kept(file: Path, name: str) -> list[Trial]:
    """The trials of a section that were carried out, the latest of each title."""
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    return list({row["title"]: Trial(**row) for section, row in rows if section == name}.values())


def _alone(name: str, number: int, seconds: float) -> Trial:
    """One trial in a process of its own: settings are read once."""
    words = [sys.executable, "-m", "tests.faults.outside", name, "--part", str(number), "--seconds", str(seconds)]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as ran:
        assert ran.stdout is not None
        last = ""
        for line in ran.stdout:
            print(line, end="", flush=True)
            last = line
    if ran.returncode:
        raise SystemExit(f"The trial {name} {number} did not come to its end.")
    return Trial(**json.loads(last))


if __name__ == "__main__":
    sys.exit(main())
