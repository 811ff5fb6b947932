"""Prepare an installation, run one of its processes, or run all of them on this machine."""

from __future__ import annotations

import argparse
import errno
import hashlib
import os
import re
import secrets
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from shutil import which

from deploy import forms
from deploy.first_start import InstallationError, make_keys, prepare, store_database_password
from deploy.processes import PORT, PROCESSES, PROXY, WEB, Process, processes_of
from deploy.settings.environment import ROOT, installation_file, read_installation, text

# What an operator decides at the first start: option, environment variable, and what it is.
CHOICES = (
    ("hosts", "ALLOWED_HOSTS", "STUDY,TASKS", "the host name for people, and another for tasks"),
    ("contact", "SITE_CONTACT", "EMAIL", "who runs this site: stands below every page, and in certificates"),
    ("database", "DATABASE_URL", "URL", "postgres://... (without: SQLite)"),
    ("broker", "CELERY_BROKER_URL", "URL", "redis://...: Celery workers in place of the work loop"),
)
MEMORY = Path("/dev/shm")  # noqa: S108 - the folder in it is looked at before it is used
LABEL = r"[a-z0-9]([a-z0-9-]*[a-z0-9])?"
HOST_NAME = re.compile(rf"{LABEL}(\.{LABEL})*\Z")
BEGINNINGS = {
    "database": ("postgres://", "postgresql://", "sqlite:///"),
    "broker": ("redis://", "rediss://"),
}
VARIABLE = {option: variable for option, variable, *_ in CHOICES}


def main(words: Sequence[str]) -> int:
    """Run a command. Returns its exit code: 2, with a sentence, where an installation cannot be made or started."""
    options = parser().parse_args(words)
    if options.command == "forms":
        forms.write(Path(options.folder))
        return 0
    read_installation(always=True)
    if options.command == "run":
        return _run(next(process for process in PROCESSES if process.name == options.process), options.address)
    try:
        return _start(options)
    except InstallationError as error:
        sys.stderr.write(f"{error}\n")
        return 2


def parser() -> argparse.ArgumentParser:
    """The words of the command."""
    made = argparse.ArgumentParser(prog="python -m deploy", description=__doc__)
    commands = made.add_subparsers(dest="command", required=True)
    keys = commands.add_parser("keys", help="make the secrets of a new installation")
    keys.add_argument("--database-password", type=Path, metavar="FILE", help="store the database's password there, too")
    preparing = commands.add_parser("prepare", help="make secrets, tables, static files and a link for the first owner")
    starting = commands.add_parser("start", help="prepare, and run every process on this machine until stopped")
    for command in (keys, preparing, starting):
        for option, _, metavar, meaning in CHOICES:
            command.add_argument(f"--{option}", metavar=metavar, help=meaning)
        command.add_argument(
            "--secrets", type=Path, metavar="FILE", help="installation.env of the backup's installation"
        )
    for command in (preparing, starting):
        command.add_argument(
            "--restore", type=Path, metavar="BACKUP", help="restore this first, into an empty database"
        )
    starting.add_argument("--without-proxy", action="store_true", help="another program serves HTTPS")
    running = commands.add_parser("run", help="run one process")
    running.add_argument("process", choices=[process.name for process in PROCESSES])
    for command in (starting, running):
        command.add_argument("--address", default=f"127.0.0.1:{PORT}", help="where the web process listens")
    writing = commands.add_parser("forms", help="write compose.yaml and the systemd units from deploy/processes.py")
    writing.add_argument("folder", nargs="?", default=str(ROOT / "deploy"))
    return made


def _start(options: argparse.Namespace) -> int:
    choices = _choices(options)
    if options.command == "start":
        _require_free(options.address)
    if not installation_file().exists():
        _require(choices)
        if getattr(options, "restore", None):
            _require_backup(options.restore, options.secrets)
        # Visitors come through a proxy on this machine.
        choices.setdefault("TRUSTED_PROXIES", "1")
        choices |= _browser()
        if options.command == "keys" and options.database_password:
            choices["DATABASE_PASSWORD"] = secrets.token_hex(32)
    if make_keys(choices, secrets_of=options.secrets):
        _say(f"Made {installation_file()}. Keep a copy in another place: no backup holds its secrets.")
    if options.command == "keys":
        if options.database_password:
            store_database_password(options.database_password)
        return 0
    prepare(backup=options.restore, say=_say)
    return 0 if options.command == "prepare" else _run_all(options.address, with_proxy=not options.without_proxy)


def _choices(options: argparse.Namespace) -> dict[str, str]:
    """What the operator named, by variable. Raises InstallationError for what cannot be one, before it is stored."""
    chosen = {option: getattr(options, option).strip() for option in VARIABLE if getattr(options, option)}
    if hosts := chosen.get("hosts"):
        names = [name.strip().lower() for name in hosts.split(",")]
        if wrong := [name for name in names if not HOST_NAME.match(name)]:
            raise InstallationError(
                f"--hosts takes host names without https:// and without a port, such as "
                f"study.example.org,tasks.example.org, not {wrong[0]!r}. Nothing was made."
            )
        chosen["hosts"] = ",".join(names)
    if (contact := chosen.get("contact")) and "@" not in contact:
        raise InstallationError(
            f"--contact takes a mail address such as ada@example.org, not {contact!r}. Nothing was made."
        )
    for option, beginnings in BEGINNINGS.items():
        if option in chosen and not chosen[option].startswith(beginnings):
            raise InstallationError(
                f"--{option} takes a URL that begins with {' or '.join(beginnings)}. Nothing was made."
            )
    return {VARIABLE[option]: value for option, value in chosen.items() if value}


def _require(choices: dict[str, str]) -> None:
    for option, variable, metavar, meaning in CHOICES[:2]:
        if not (choices.get(variable) or text(variable, "")):
            raise InstallationError(f"Name {meaning}: --{option} {metavar}.")
    study, _, tasks = (choices.get("ALLOWED_HOSTS") or text("ALLOWED_HOSTS")).partition(",")
    if not tasks or study == tasks:
        raise InstallationError(
            "--hosts needs two host names of this machine, such as study.example.org,tasks.example.org: what a "
            "requester puts into a task may not share a host with anybody's session."
        )


def _require_backup(backup: Path, secrets_file: Path | None) -> None:
    """Before secrets are made that would not be those of the backup."""
    if not backup.is_file():
        raise InstallationError(f"The backup {backup} does not exist. Nothing was made.")
    if not (secrets_file or text("SECRET_KEY", "")):
        raise InstallationError(
            "A backup can be read with the secrets of its installation alone: name the copy of its installation.env "
            "by --secrets FILE. Nothing was made."
        )


def _require_free(address: str) -> None:
    """Before the long work, that no other program listens where the web process will. Other faults it names itself."""
    host, _, port = address.rpartition(":")
    if not port.isdigit():
        return
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((host.strip("[]"), int(port)))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise InstallationError(
                    f"Port {port} of {host or 'this machine'} is taken: another program listens there, perhaps another "
                    f"installation. Choose another port, such as --address {host}:{int(port) + 1}. Nothing was made."
                ) from None


def _browser() -> dict[str, str]:
    """The browser that prints reports, where this machine has one; as root it runs without its sandbox."""
    path = "" if text("CHROMIUM", "") else which("chromium")
    root = {"CHROMIUM_NO_SANDBOX": "yes"} if os.geteuid() == 0 else {}
    return {"CHROMIUM": path, **root} if path else {}


def _run(process: Process, address: str) -> int:
    """Become the process."""
    command, env = _command(process, address), _environment(process, address)
    os.chdir(ROOT)
    os.execvpe(command[0], command, env)  # noqa: S606 - a command of deploy/processes.py


def _run_all(address: str, *, with_proxy: bool) -> int:
    """Run every process of this machine, each again where it ends, until a signal comes."""
    from annotation.management.keep_running import keep_running

    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    logs = _var() / "logs"
    logs.mkdir(exist_ok=True)
    rows = processes_of(broker=bool(text("CELERY_BROKER_URL", "")))
    chosen = [process for process in rows if not process.optional]
    if not with_proxy or not which(PROXY.command[0]):
        chosen.remove(PROXY)
        _say(f"No proxy was started. Have one with HTTPS lead to http://{address} (deploy/proxy).")
    os.chdir(ROOT)
    keepers = []
    for process in chosen:
        words = _command(process, address), _environment(process, address), logs / f"{process.name}.log", stop
        keepers.append(threading.Thread(target=keep_running, args=words))
        keepers[-1].start()
    _say(f"Running: {', '.join(process.name for process in chosen)}. Logs: {logs}. Stop with Ctrl-C.")
    for keeper in keepers:
        keeper.join()
    return 0


def _var() -> Path:
    return installation_file().parent


def _command(process: Process, address: str) -> list[str]:
    words = process.words(address=address, var=str(_var()))
    return [sys.executable, *words[1:]] if words[0] == "python" else words


def _environment(process: Process, address: str) -> dict[str, str]:
    """What a process needs beside the installation's file."""
    own = {"ASSAY_VAR": str(_var())}
    if process is WEB:
        # Each of several web processes answers /metrics for all of them.
        metrics = _metrics_folder()
        for earlier in metrics.iterdir():
            earlier.unlink()
        own["PROMETHEUS_MULTIPROC_DIR"] = str(metrics)
    if process is PROXY:
        study, _, tasks = text("ALLOWED_HOSTS").partition(",")
        own |= {"STUDY_HOST": study, "TASK_HOST": tasks, "UPSTREAM": text("UPSTREAM", address)}
        own |= {"XDG_DATA_HOME": str(_var()), "XDG_CONFIG_HOME": str(_var())}
    return {**os.environ, **own}


def _metrics_folder() -> Path:
    """The folder of the web processes' counts, in memory where it can be.

    They are mapped files with holes: on a disk that is full, writing into a hole ends the process (SIGBUS).
    """
    name = hashlib.sha256(str(_var()).encode()).hexdigest()[:16]
    in_memory = MEMORY / f"assay-metrics-{name}"
    try:
        in_memory.mkdir(mode=0o700, exist_ok=True)
        # Everybody may make a folder there: one of another user is not used.
        if not in_memory.is_symlink() and in_memory.stat().st_uid == os.geteuid():
            return in_memory
    except OSError:
        pass  # there is no such file system
    on_disk = _var() / "metrics"
    on_disk.mkdir(exist_ok=True)
    return on_disk


def _say(sentence: str) -> None:
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
