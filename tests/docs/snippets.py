"""Run the shell commands of README.md and docs as their readers do, each page in an empty folder:

    python -m tests.docs.snippets [PAGE ...]

The wheel is built and installed, with what the studio needs, into an environment of its own, which
`--environment FOLDER` keeps for the next time. Beside each folder lies a checkout, which `make` and `manage.py` belong
to. Servers listen on free ports of this machine and end with their page.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from annotation.rehearsal.crowd.browser import Answer, Browser
from tests.docs.commands import ROOT, shell_lines
from tests.docs.journeys import JOURNEYS, Journey

PATIENCE = 600.0
TABLES = "tables"  # the folder of an installation that has nothing else yet
_SERVES = re.compile(r"^(?:\S*python )?(?:manage\.py|textassay|make) serve\b|--serve-only|^make docs\b")
_ANY_PORT = re.compile(r"--(?:port|serve) 0\b")
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
_EXPORT = re.compile(r"^export ")


def main(arguments: Sequence[str]) -> int:
    """Run the pages, or those named; 1 where a command fails."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.docs.snippets", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="such as README.md (default: all)")
    parser.add_argument(
        "--environment", type=Path, help="the folder of the environment, made there where it is missing"
    )
    chosen = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # servers end with it, and folders go
    known = {page for journey in JOURNEYS for page in journey.pages}
    if unknown := set(chosen.pages) - known:
        parser.error(f"no commands are run for {', '.join(sorted(unknown))}; choose among {', '.join(sorted(known))}")
    with tempfile.TemporaryDirectory() as folder:
        environment = chosen.environment or Path(folder) / "environment"
        if not (environment / "bin" / "textassay").exists():
            install(environment, Path(folder) / "built")
        checkout = copy_checkout(Path(folder) / "checkout", environment)
        developed = copy_checkout(Path(folder) / "developed", Path(sys.prefix))
        make_tables(checkout)
        failed = sum(
            run(journey, developed if journey.of_developer else checkout, Path(folder) / str(number))
            for number, journey in enumerate(JOURNEYS)
            if not chosen.pages or set(chosen.pages) & set(journey.pages)
        )
    print(f"{failed} failed.")
    return bool(failed)


def install(environment: Path, built: Path) -> None:
    """An environment with the wheel of this checkout, what the studio needs, and the pandas of a researcher."""
    print("Building the wheel and installing it ...", flush=True)
    hatchling = [sys.executable, "-m", "hatchling", "build", "-d", str(built), "-t", "wheel"]
    subprocess.run(hatchling, cwd=ROOT, check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    pip = [str(environment / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, f"{next(built.glob('*.whl'))}[studio]", "pandas"], check=True)


def copy_checkout(folder: Path, environment: Path) -> Path:
    """What git has of this checkout, with the environment as its `.venv`."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    (folder / ".venv").mkdir()
    for path in environment.resolve().iterdir():
        (folder / ".venv" / path.name).symlink_to(path)
    for installed in ("yes", "no", "dev"):  # so that `make` installs nothing
        mark = folder / ".venv" / f".installed-{installed}"
        mark.unlink(missing_ok=True)
        mark.touch()
    return folder


def make_tables(checkout: Path) -> None:
    """Make the tables of an installation once, for every reader who has read pages before."""
    surroundings = {**os.environ, "ASSAY_VAR": str(checkout.parent / TABLES)}
    migrate = [str(checkout / ".venv" / "bin" / "python"), "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(migrate, cwd=checkout, env=surroundings, check=True)


def run(journey: Journey, checkout: Path, folder: Path) -> int:
    """Run the commands of a journey; how many failed."""
    failed = 0
    with ExitStack() as servers:
        reader = Reader(journey, checkout, folder, servers)
        for page, line in typed_lines(journey):
            began = time.monotonic()
            fault = reader.carry_out(line)
            failed += bool(fault)
            print(f"{time.monotonic() - began:5.1f} s  {'FAILED' if fault else 'ok'}  [{page}] {line}", flush=True)
            if fault:
                print("         " + fault.replace("\n", "\n         "), flush=True)
    return failed


def typed_lines(journey: Journey) -> Iterator[tuple[str, str]]:
    """(page, command) of a journey in the order of typing, with those that come before and between."""
    yield from (("before", line) for line in journey.before)
    for page in journey.pages:
        for line in shell_lines(ROOT / page):
            if reason_not_to_run(journey, line) is None:
                yield page, line
                yield from (("between", after) for part, after in journey.after.items() if part in line)
    yield from (("sentence", line) for line in journey.in_sentences)


def reason_not_to_run(journey: Journey, line: str) -> str | None:
    """Why a command of a page is not run, or None."""
    return next((reason for part, reason in journey.not_run.items() if part in line), None)


class Reader:
    """Somebody in a folder with the journey's files, who types commands."""

    def __init__(self, journey: Journey, checkout: Path, folder: Path, servers: ExitStack) -> None:
        self.journey, self.folder, self.servers = journey, folder, servers
        folder.mkdir()
        for path in checkout.iterdir():
            (folder / path.name).symlink_to(path)
        for name, content in journey.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        if journey.before or journey.has_tables:
            shutil.copytree(folder.parent / TABLES, folder / "var")
        self.address = "http://127.0.0.1:8000"
        self.surroundings = {
            "PATH": f"{folder}/.venv/bin:{os.environ['PATH']}",
            "HOME": str(folder),
            "ASSAY_VAR": str(folder / "var"),
            "NO_PROXY": "127.0.0.1,localhost",
            "PYTHONWARNINGS": "ignore",
            "PYTHONUNBUFFERED": "1",
        }
        if "CHROMIUM" in os.environ:
            self.surroundings["CHROMIUM"] = os.environ["CHROMIUM"]

    def carry_out(self, line: str) -> str:
        """Run a command. Returns what is wrong, "" where nothing is."""
        if line == "WORK":
            return self._work()
        for stands_for, written in self.journey.reader_writes.items():
            line = line.replace(stands_for, written)
        line = line.replace("http://127.0.0.1:8000", self.address)
        if _EXPORT.match(line):
            assigned = (word.partition("=") for word in shlex.split(line, comments=True)[1:])
            self.surroundings |= {name: value for name, _, value in assigned}
            return ""
        line = re.sub(r"^((?:\S*python )?manage\.py)\b", r".venv/bin/python manage.py", line)
        return self._serve(line) if _SERVES.search(line) else self._run(line)

    def _run(self, line: str) -> str:
        answer = next((words for part, words in self.journey.typed.items() if part in line), "")
        keyboard, typed = pty.openpty()  # some commands ask persons alone
        os.write(keyboard, f"{answer}\n".encode())
        try:
            done = subprocess.run(
                ["bash", "-c", line],
                cwd=self.folder,
                env=self.surroundings,
                stdin=typed,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"not ended after {PATIENCE:.0f} s"
        finally:
            os.close(keyboard)
            os.close(typed)
        for name, where in self.journey.remembered.items():
            if value := re.search(where, done.stdout):
                self.surroundings[name] = value[1]
        if link := re.search(r"sign_in_url\W+(http\S+?)[\"\s]", done.stdout):
            self.link = link[1]
        # curl ends with 0 where it is answered by a problem.
        refused = line.startswith("curl") and re.search(r'"status": ?[45]', done.stdout)
        if done.returncode == 0 and not refused:
            return ""
        return f"status {done.returncode}\n{(done.stdout + done.stderr)[-2000:].strip()}"

    def _serve(self, line: str) -> str:
        """Start a server on a free port, and wait for its address."""
        line = line.partition("#")[0].strip()
        if not _ANY_PORT.search(line):
            line += ' SERVE="--port 0"' if line.startswith("make") else " --port 0"
        log = self.folder / "served.log"
        self.servers.close()  # of several, a reader has one at a time
        with log.open("w") as file:
            process = subprocess.Popen(
                ["bash", "-c", line],
                cwd=self.folder,
                env=self.surroundings,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )
        self.servers.callback(end, process)
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends and process.poll() is None:
            if address := _ADDRESS.search(log.read_text()):
                self.address = address[0]
                return ""
            time.sleep(0.2)
        return f"no address, or ended\n{log.read_text()[-2000:]}"

    def _work(self) -> str:
        """A worker signs in by the last link and answers every task on offer."""
        with Browser(self.link) as browser:
            for offer in list(browser.offers()):
                sheet = browser.accept(offer)
                browser.hand_in(sheet, [Answer(field.labels[0], 1500) for field in sheet.fields])
        return ""


def end(process: subprocess.Popen[bytes]) -> None:
    """End a server and what it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
