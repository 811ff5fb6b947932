"""Try deploy/proxy/nginx.conf with a real nginx before an installation, and print what was seen:

    python -m tests.deploy.try_nginx    # needs nginx and openssl; ports of its own, 127.0.0.1 and localhost as names

In the file only names, ports, paths and the address of the installation are replaced.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
import httpx

from tests.faults.guardian import guarded
from tests.faults.installation import Installation, installed
from tests.faults.servers import ROOT, free_port, manage, wait_for

SHIPPED = ROOT / "deploy" / "proxy" / "nginx.conf"
STUDY, TASKS = "127.0.0.1", "localhost"
SECRET = "S3CRETtoken"
MIB = 1024 * 1024
NEW_KEY = """
from annotation.accounts.models import AccessKey, User
row, secret = AccessKey.objects.issue(User.objects.get(username="lab"))
print(row.key_id, secret)
"""


def recipe(folder: Path, *, http: int, https: int, upstream: int) -> str:
    """The shipped file with this trial's names, ports and paths, in the frame that Debian's nginx.conf gives it."""
    text = SHIPPED.read_text()
    for old, new in {
        "study.example.org hits.example.org": f"{STUDY} {TASKS}",
        "listen 80;": f"listen 127.0.0.1:{http};",
        "listen 443 ssl": f"listen 127.0.0.1:{https} ssl",
        "https://$host$request_uri": f"https://$host:{https}$request_uri",
        "/etc/ssl/assay": str(folder),
        "/var/log/nginx": str(folder),
        "127.0.0.1:8000": f"127.0.0.1:{upstream}",
    }.items():
        assert old in text, f"{SHIPPED} does not say {old}"
        text = text.replace(old, new)
    user = "user root;\n" if os.geteuid() == 0 else ""
    temporary = "".join(
        f"    {name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    frame = f"{user}pid {folder}/pid;\nerror_log {folder}/error.log;\ndaemon off;\nevents {{}}\n"
    return f"{frame}http {{\n{temporary}    access_log off;\n{text}\n}}\n"


@contextmanager
def proxied() -> Iterator[tuple[Installation, int, int, Path]]:
    """An installation in production's settings behind nginx; the ports of http and https, and nginx's folder."""
    http, https = free_port(), free_port()
    origins = {
        "WORKER_ORIGIN": f"https://{STUDY}:{https}",
        "CONSOLE_ORIGIN": f"https://{STUDY}:{https}",
        "HIT_ORIGIN": f"https://{TASKS}:{https}",
        "TRUSTED_PROXIES": "1",
    }
    folder = Path(tempfile.mkdtemp(prefix="assay-nginx-"))
    with guarded(folder), installed("sqlite", extra=origins) as site:
        site.restart({"DJANGO_SETTINGS_MODULE": "deploy.settings.production"})
        names = ["-subj", "/CN=localhost", "-addext", f"subjectAltName=DNS:{TASKS},IP:{STUDY}"]
        key, certificate = folder / "privkey.pem", folder / "fullchain.pem"
        files = ["-keyout", str(key), "-out", str(certificate)]
        making = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
        subprocess.run([*making, *names, *files], check=True, capture_output=True)
        file = folder / "nginx.conf"
        file.write_text(recipe(folder, http=http, https=https, upstream=site.port))
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        subprocess.run([program, "-t", "-q", "-c", str(file)], check=True)
        with running([program, "-c", str(file)], folder / "output"):
            wait_for(lambda: answers(f"http://{STUDY}:{http}/"), "nginx")
            yield site, http, https, folder
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running(command: list[str], output: Path) -> Iterator[None]:
    """Run nginx. Its first process is asked to end, and ends the others: a kill would leave them behind."""
    with output.open("w") as log:
        first = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
    try:
        yield
    finally:
        first.terminate()
        first.wait(timeout=30)


def answers(address: str) -> bool:
    try:
        return httpx.get(address, trust_env=False, timeout=5).status_code > 0
    except httpx.TransportError:
        return False


def look(site: Installation, http: int, https: int, folder: Path) -> Iterator[tuple[str, bool, Any]]:
    """What is tried, whether it went as the recipe says, and what was seen."""
    visitor = httpx.Client(verify=str(folder / "fullchain.pem"), trust_env=False, timeout=60)
    study, tasks = f"https://{STUDY}:{https}", f"https://{TASKS}:{https}"
    answer = visitor.get(f"http://{STUDY}:{http}/hits/?a=1")
    seen = answer.status_code, answer.headers.get("location")
    yield "plain HTTP is sent to HTTPS", seen == (301, f"{study}/hits/?a=1"), seen
    answer = visitor.get(f"{study}/console/sign-in/")
    cookies = answer.headers.get_list("set-cookie")
    secure = bool(cookies) and all("Secure" in row for row in cookies)
    yield "the sign-in page, whose cookies are Secure", secure, answer.status_code
    form = dict(re.findall(r'<input[^>]* name="([^"]+)"[^>]* value="([^"]*)"', answer.text))
    data, headers = {**form, "username": "x", "password": "y"}, {"Referer": f"{study}/console/sign-in/"}
    sent = visitor.post(f"{study}/console/sign-in/", data=data, headers=headers)
    yield "a form is believed (CSRF, Origin)", sent.status_code != 403, sent.status_code
    statuses = [visitor.get(f"{host}/health/live").status_code for host in (study, tasks)]
    yield "both names are answered", statuses == [200, 200], statuses
    try:
        other: Any = visitor.get(f"{study}/", headers={"Host": "other.example"}).status_code
    except httpx.RemoteProtocolError:
        other = "closed without an answer"
    yield "another name gets nothing", other == "closed without an answer", other
    claimed = visitor.get(f"{study}/metrics", headers={"X-Forwarded-For": "127.0.0.1"}).status_code
    yield "who claims to come from this machine reads no /metrics", claimed == 404, claimed
    # An answer that does not wait for the whole body may reach nginx after its connection was closed: 502.
    for path, megabytes, expected in (
        ("/hits/", 7, {413}),
        ("/hits/", 5, {403, 502}),
        ("/api/v1/imports/batch", 7, {401, 502}),
    ):
        answer = visitor.post(f"{study}{path}", content=b"x" * (megabytes * MIB))
        said = "sentence" if "larger than the site accepts" in answer.text else ""
        right = answer.status_code in expected and bool(said) == (expected == {413})
        yield f"{megabytes} MB to {path}", right, f"{answer.status_code} {said}".strip()
    balance = _balance(site, study, folder)
    yield "a signed call of the Requester API", balance == "100000.00", balance
    visitor.get(f"{study}/shared/{SECRET}/?PROLIFIC_PID={SECRET}")
    written = (folder / "assay.log").read_text() + (folder / "assay-error.log").read_text()
    line = next(row for row in written.splitlines() if "/shared/" in row)
    clean = not any(word in written for word in (SECRET, "PROLIFIC_PID", "127.0.0.1"))
    yield "the log has no token, no query and no address", clean, line


def _balance(site: Installation, study: str, folder: Path) -> str:
    key, secret = manage(site.environment, "shell", "-v0", "-c", NEW_KEY).split()[-2:]
    client = boto3.client(
        "mturk",
        endpoint_url=f"{study}/mturk/",
        region_name="us-east-1",
        aws_access_key_id=key,
        aws_secret_access_key=secret,
        verify=str(folder / "fullchain.pem"),
    )
    return str(client.get_account_balance()["AvailableBalance"])


def main(say: Callable[[str], object] = print) -> int:
    """Print each trial; 1 where one did not go as the recipe says."""
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    version = subprocess.run([program, "-v"], capture_output=True, text=True, check=True).stderr.strip()
    wrong = 0
    with proxied() as (site, http, https, folder):
        for what, right, seen in look(site, http, https, folder):
            wrong += not right
            say(f"{'ok' if right else 'WRONG':5}  {what}: {seen}")
    say(f"{version}; {wrong} wrong")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
