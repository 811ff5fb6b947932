"""The files by which other programs start the processes of deploy/processes.py: compose.yaml and the systemd units."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from deploy.processes import PORT, PROXY, WEB, Process, processes_of

WRITTEN_BY = "# Written by `python -m deploy forms` from deploy/processes.py; change it there."
# One machine with containers has a broker; with systemd the embedded work loop is enough.
COMPOSE, SYSTEMD = processes_of(broker=True), processes_of(broker=False)
RUN = "/srv/assay/.venv/bin/python -m deploy"

COMPOSE_HEAD = f"""{WRITTEN_BY}
#
#   STUDY_HOST=study.example.org TASK_HOST=tasks.example.org SITE_CONTACT=ada@example.org \\
#       docker compose -f deploy/compose.yaml up -d --build
#
# Secrets are made at the first start, in the volume `files` (installation.env); the owner's link is in the log of
# `prepare`. Both names must lead to this machine, where ports 80 and 443 are free.
name: assay

x-assay: &assay
  image: assay
  build:
    context: ..
    dockerfile: deploy/Containerfile
  restart: unless-stopped
  environment:
    ALLOWED_HOSTS: ${{STUDY_HOST:?the host name for people}},${{TASK_HOST:?another host name, for tasks}}
    SITE_CONTACT: ${{SITE_CONTACT:?the email address of whoever runs this site}}
    DATABASE_URL: postgres://assay@database:5432/assay
    CELERY_BROKER_URL: redis://broker:6379/0
    TRUSTED_PROXIES: "1"
    EMAIL_HOST: ${{EMAIL_HOST:-}}
    EMAIL_HOST_USER: ${{EMAIL_HOST_USER:-}}
    EMAIL_HOST_PASSWORD: ${{EMAIL_HOST_PASSWORD:-}}
    DEFAULT_FROM_EMAIL: ${{DEFAULT_FROM_EMAIL:-assay@localhost}}
  volumes:
    - files:/var/lib/assay
    - backups:/backups

x-prepared: &prepared
  prepare:
    condition: service_completed_successfully

services:
  keys:
    <<: *assay
    restart: "no"
    command: [keys, --database-password=/keys/database]
    volumes:
      - files:/var/lib/assay
      - keys:/keys

  database:
    image: docker.io/library/postgres:15
    restart: unless-stopped
    environment:
      POSTGRES_USER: assay
      POSTGRES_PASSWORD_FILE: /keys/database
    volumes:
      - keys:/keys:ro
      - database:/var/lib/postgresql/data
    depends_on:
      keys:
        condition: service_completed_successfully

  broker:
    image: docker.io/library/redis:7
    restart: unless-stopped

  prepare:
    <<: *assay
    restart: on-failure
    command: [prepare]
    depends_on:
      database:
        condition: service_started
"""
COMPOSE_PROXY = """  proxy:  # {purpose}
    image: docker.io/library/caddy:2
    restart: unless-stopped
    environment:
      STUDY_HOST: ${{STUDY_HOST}}
      TASK_HOST: ${{TASK_HOST}}
      SITE_CONTACT: ${{SITE_CONTACT}}
      UPSTREAM: web:{port}
    ports: ["80:80", "443:443", "443:443/udp"]
    volumes:
      - ./proxy/Caddyfile:/etc/caddy/Caddyfile:ro
      - certificates:/data
    networks:
      default:
        # The processes reach the marketplace by its own name, without leaving this network.
        aliases:
          - ${{STUDY_HOST}}
          - ${{TASK_HOST}}
    depends_on: [web]
"""
COMPOSE_TAIL = """volumes:
  files:
  backups:
  keys:
  database:
  certificates:
"""
UNIT = f"""{WRITTEN_BY}
[Unit]
Description=Assay: %i
PartOf=assay.target
After=network-online.target postgresql.service

[Service]
User=assay
WorkingDirectory=/srv/assay
Environment=ASSAY_VAR=/var/lib/assay
ExecStart={RUN} run %i
Restart=always
RestartSec=2
TimeoutStopSec=60
AmbientCapabilities=CAP_NET_BIND_SERVICE
NoNewPrivileges=true
ProtectSystem=strict
ReadWritePaths=/var/lib/assay
PrivateTmp=true
"""


def compose() -> str:
    """The text of compose.yaml: PostgreSQL, Redis, a proxy, and every process of an installation with a broker."""
    services = "\n".join(_service(process) for process in COMPOSE)
    return f"{COMPOSE_HEAD}\n{services}\n{COMPOSE_TAIL}"


def units() -> Iterator[tuple[str, str]]:
    """File names and texts of the systemd units: a template for one process, and the target of all of them."""
    wanted = " ".join(f"assay@{process.name}.service" for process in SYSTEMD if not process.optional)
    yield "assay@.service", UNIT
    yield (
        "assay.target",
        f"{WRITTEN_BY}\n[Unit]\nDescription=Assay\nWants={wanted}\n\n[Install]\nWantedBy=multi-user.target\n",
    )


def files() -> dict[str, str]:
    """Each file below deploy/ that is written from the declaration, with its text."""
    return {"compose.yaml": compose(), **{f"systemd/{name}": text for name, text in units()}}


def write(folder: Path) -> None:
    """Write the files."""
    for name, text in files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _service(process: Process) -> str:
    if process is PROXY:
        return COMPOSE_PROXY.format(purpose=process.purpose, port=PORT)
    words = ["run", process.name, *([f"--address=0.0.0.0:{PORT}"] if process is WEB else [])]
    lines = [f"  {process.name}:  # {process.purpose}", "    <<: *assay", f"    command: [{', '.join(words)}]"]
    lines += [f"    profiles: [{process.name}]"] if process.optional else []
    return "\n".join([*lines, "    depends_on: *prepared", ""])
