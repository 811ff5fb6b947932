"""Run every command of docs/operating.md in an empty Debian 12, count and time the steps:

    debootstrap --variant=minbase --include=ca-certificates bookworm /var/tmp/empty
    python -m tests.operating --root /var/tmp/empty

As root, on a machine whose ports 80, 443 and 8000 are free. The folder gets this machine's settings of package clients,
the checkout, and an authority of its own that signs the certificates (a Caddy inside the folder).
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.operating.steps import ELSEWHERE, HERE, PAGE, SYSTEM, Step, steps

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 1_500.0
CLIENTS = ("etc/apt/sources.list.d", "etc/apt/apt.conf.d", "etc/pip.conf", "etc/resolv.conf", "root/.config/pip")
CHECKOUT = {SYSTEM: "/", HERE: "/srv/assay", ELSEWHERE: "/srv/elsewhere"}
NAMES = ("study.example.org", "tasks.example.org", "authority.example.org")
AUTHORITY = """{
	admin off
	skip_install_trust
	auto_https disable_redirects
	http_port 8081
	https_port 8443
}
https://authority.example.org:8443 {
	tls internal
	acme_server
}
"""
# Those that this machine trusts, for package clients: the folder's own list is written anew there.
AUTHORITIES = "root/authorities.crt"
TRUST = "root/authority/caddy/pki/authorities/local/root.crt"
# What docs/operating.md says that an installation answers: address, status, where it leads.
ANSWERS = (
    ("https://study.example.org/hits/", "302", "https://study.example.org/hits/sign-in/"),
    ("https://tasks.example.org/hits/", "302", "https://study.example.org/hits/"),
    ("https://tasks.example.org/admin/", "302", "https://study.example.org/admin/"),
    ("http://study.example.org/hits/", "308", "https://study.example.org/hits/"),
)


def main() -> int:
    """Run the steps; 1 where one fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.operating", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--root", type=Path, required=True, help="a folder with an empty Debian 12")
    root = parser.parse_args().root.resolve()
    place(root)
    timed: list[tuple[float, str]] = []
    with mounted(root), ExitStack() as authority, ExitStack() as installation:
        for step in steps(PAGE.read_text(encoding="utf-8")):
            if step.place != SYSTEM and not (root / TRUST).exists():
                authority.enter_context(certifying(root))
            began = time.monotonic()
            if step.command.startswith("make start"):
                installation.close()  # what runs is stopped before it is started elsewhere
                outcome = installation.enter_context(started(root, step))
            else:
                outcome = carry_out(root, step)
            timed.append((time.monotonic() - began, outcome))
            print(f"{len(timed):>2}. {timed[-1][0]:6.1f} s  {outcome}  [{step.place}] {step.command}", flush=True)
    failed = sum(outcome != "ok" for _, outcome in timed)
    print(f"{len(timed)} commands, {sum(seconds for seconds, _ in timed):.0f} s, {failed} failed.")
    return bool(failed)


def place(root: Path) -> None:
    """The checkout (twice: here and elsewhere), the settings of package clients, names and folders."""
    for name in CLIENTS:
        source, target = Path("/") / name, root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        elif source.is_file():
            shutil.copyfile(source, target)
    shutil.copyfile("/etc/ssl/certs/ca-certificates.crt", root / AUTHORITIES)
    # The folder is thrown away: its packages need not wait for the disk.
    (root / "etc/dpkg/dpkg.cfg.d/unsafe-io").write_text("force-unsafe-io\n")
    (root / "etc/apt/sources.list").unlink(missing_ok=True)
    (root / "etc/hosts").write_text("".join(f"127.0.0.1 {name}\n" for name in ("localhost", *NAMES)))
    (root / "backup").mkdir(exist_ok=True)
    listing = ["git", "ls-files", "-co", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    for checkout in (CHECKOUT[HERE], CHECKOUT[ELSEWHERE]):
        for name in names:
            if (ROOT / name).is_file():
                target = root / checkout[1:] / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, target)


@contextmanager
def mounted(root: Path) -> Iterator[None]:
    """What programs expect of a machine: /proc and /dev."""
    for name in ("proc", "dev"):
        subprocess.run(["mount", "--rbind", f"/{name}", str(root / name)], check=True)
    try:
        yield
    finally:
        for name in ("dev", "proc"):
            subprocess.run(["umount", "--lazy", "--recursive", str(root / name)], check=False)


def inside(root: Path, step: Step) -> list[str]:
    """The command with the folder as its machine, and an environment of its own."""
    kept = [f"{name}={value}" for name, value in os.environ.items() if name.startswith("PIP_") and name != "PIP_CERT"]
    kept += [f"PIP_CERT=/{AUTHORITIES}"]
    own = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "DEBIAN_FRONTEND=noninteractive", *kept]
    own += ["ACME_CA=https://authority.example.org:8443/acme/local/directory"]
    # boto3 and httpx bring lists of authorities of their own, in which that of this trial is not.
    own += [f"{name}=/etc/ssl/certs/ca-certificates.crt" for name in ("AWS_CA_BUNDLE", "SSL_CERT_FILE")]
    return ["chroot", str(root), "env", "-i", *own, "sh", "-c", f"cd {CHECKOUT[step.place]} && exec {step.command}"]


def carry_out(root: Path, step: Step) -> str:
    """A command that ends: "ok", or its status and what it wrote."""
    done = subprocess.run(inside(root, step), capture_output=True, text=True, timeout=PATIENCE, check=False)
    if "doctor" in step.command:
        print(done.stdout)
    if not done.returncode:
        return "ok"
    return f"status {done.returncode}: {(done.stdout + done.stderr)[-1500:]}"


@contextmanager
def certifying(root: Path) -> Iterator[None]:
    """A certificate authority inside the folder, which that machine trusts."""
    folder = root / "root/authority"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Caddyfile").write_text(AUTHORITY)
    command = "env XDG_DATA_HOME=/root/authority caddy run --config /root/authority/Caddyfile --adapter caddyfile"
    with running(root, Step(SYSTEM, command), folder / "log"):
        wait(lambda: (root / TRUST).exists(), 60)
        time.sleep(1)
        shutil.copyfile(root / TRUST, root / "usr/local/share/ca-certificates/authority.crt")
        carry_out(root, Step(SYSTEM, "update-ca-certificates"))
        yield


@contextmanager
def started(root: Path, step: Step) -> Iterator[str]:
    """An installation that runs, and whether it answers as the page says."""
    log = root / f"root/start-{step.place}.log"
    with running(root, step, log) as process:
        wait(lambda: "Running:" in log.read_text() or process.poll() is not None, PATIENCE)
        wait(lambda: ask(root, ANSWERS[0][0]) == ANSWERS[0][1:], 90)
        answers = {address: ask(root, address) for address, *_ in ANSWERS}
        wrong = {address: answers[address] for address, *right in ANSWERS if answers[address] != tuple(right)}
        yield "ok" if not wrong else f"{wrong}; {log.read_text()[-1500:]}"


@contextmanager
def running(root: Path, step: Step, log: Path) -> Iterator[subprocess.Popen[str]]:
    """A command that goes on, and ends with what it started."""
    with log.open("w") as file:
        process = subprocess.Popen(inside(root, step), stdout=file, stderr=file, text=True, start_new_session=True)
        try:
            yield process
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(timeout=90)


def ask(root: Path, address: str) -> tuple[str, str]:
    """Status and Location of an address, with the certificates that the machine trusts."""
    command = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code} %{redirect_url}", "--max-time", "10"]
    command += ["--cacert", str(root / "etc/ssl/certs/ca-certificates.crt")]
    command += [
        word for name in NAMES for word in ("--resolve", f"{name}:443:127.0.0.1", "--resolve", f"{name}:80:127.0.0.1")
    ]
    done = subprocess.run([*command, address], capture_output=True, text=True, check=False)
    status, _, leads_to = done.stdout.partition(" ")
    return status, leads_to


def wait(holds: Callable[[], bool], seconds: float) -> None:
    """Until it holds; what does not come is seen afterwards."""
    ends = time.monotonic() + seconds
    while not holds() and time.monotonic() < ends:
        time.sleep(0.5)


if __name__ == "__main__":
    sys.exit(main())
