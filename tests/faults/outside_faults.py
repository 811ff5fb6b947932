"""The faults from outside: a full disk, files out of reach, a locked database, no broker, a clock that jumps."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg

from tests.faults.installation import Installation, installed
from tests.faults.outside import Trial, tried
from tests.faults.servers import free_port

DISK_MB = 700
LIBRARY = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
TABLES = (
    "marketplace_assignment",
    "marketplace_submission",
    "annotation_study",
    "annotation_job",
    "annotation_intent",
)


@dataclass(frozen=True)
class Section:
    """The words above a fault's trials, and these, each for a number of seconds."""

    head: str
    trials: tuple[Callable[[float], Trial], ...]


@contextmanager
def small_disk(megabytes: int, under: Path | None = None) -> Iterator[Path]:
    """A file system of its own in memory."""
    folder = under or Path(tempfile.mkdtemp(prefix="assay-disk-"))
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)
        with suppress(OSError):
            folder.rmdir()


@contextmanager
def on_small_disk(engine: str) -> Iterator[Installation]:
    with small_disk(DISK_MB) as folder, installed(engine, folder=folder) as installation:
        yield installation


@contextmanager
def disk_full(installation: Installation) -> Iterator[None]:
    """A file takes all the room that is left, again and again while others give some back."""
    filler = installation.folder / "filler"
    with filler.open("ab", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            with suppress(OSError):
                while True:
                    file.write(b"x" * size)
    try:
        yield
    finally:
        filler.unlink()
        if installation.postgres is not None and not _runs(installation):
            installation.postgres._start()


def _runs(installation: Installation) -> bool:
    assert installation.postgres is not None
    try:
        psycopg.connect(installation.postgres.url, connect_timeout=5).close()
    except psycopg.OperationalError as error:
        # A server that recovers answers, with a refusal.
        return "starting up" in str(error) or "recovery" in str(error)
    return True


@contextmanager
def locked_file(installation: Installation) -> Iterator[None]:
    holder = sqlite3.connect(installation.var / "assay.sqlite3", timeout=30, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        holder.execute("ROLLBACK")
        holder.close()


@contextmanager
def locked_tables(installation: Installation) -> Iterator[None]:
    assert installation.postgres is not None
    with psycopg.connect(installation.postgres.url) as holder:
        holder.execute(f"LOCK TABLE {', '.join(TABLES)} IN ACCESS EXCLUSIVE MODE")
        try:
            yield
        finally:
            holder.rollback()


@contextmanager
def without_broker(installation: Installation) -> Iterator[None]:
    assert installation.redis is not None
    installation.redis.stop()
    try:
        yield
    finally:
        installation.redis._start()


class Store:
    """The S3 server of moto, which is a test server; what it holds stays while it is stopped."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        import boto3
        from moto.server import ThreadedMotoServer

        self.address, self.port, self._made = address, free_port(), ThreadedMotoServer
        self.start()
        keys = {"AWS_ACCESS_KEY_ID": "lab", "AWS_SECRET_ACCESS_KEY": "lab", "AWS_DEFAULT_REGION": "us-east-1"}
        os.environ.update(keys)
        boto3.client("s3", endpoint_url=self.url).create_bucket(Bucket="files")
        self.environment = {**keys, "FILES_BUCKET": "files", "FILES_ENDPOINT_URL": self.url}

    @property
    def url(self) -> str:
        return f"http://{self.address}:{self.port}"

    def start(self) -> None:
        self._server = self._made(ip_address=self.address, port=self.port, verbose=False)
        self._server.start()

    def stop(self) -> None:
        self._server.stop()


def storage_away(seconds: float) -> Trial:
    store = Store()

    @contextmanager
    def fault(_: Installation) -> Iterator[None]:
        store.stop()
        try:
            yield
        finally:
            store.start()

    what = "The bucket of uploads and jobs' files gave no answer (the S3 server of moto, stopped)."
    return tried("A bucket that is away", what, installed("sqlite", extra=store.environment), fault, seconds)


def folder_unwritable(seconds: float) -> Trial:
    @contextmanager
    def fault(installation: Installation) -> Iterator[None]:
        uploads = installation.var / "uploads"
        with small_disk(8, uploads):
            subprocess.run(["mount", "-o", "remount,ro", str(uploads)], check=True)
            yield

    what = "The folder of uploads was read-only."
    return tried("A folder that cannot be written", what, installed("sqlite"), fault, seconds)


def clock(engine: str, offset: str) -> Callable[[float], Trial]:
    def trial(seconds: float) -> Trial:
        file = Path(tempfile.mkdtemp(prefix="assay-clock-")) / "offset"
        file.write_text("+0\n")
        extra = {
            "LD_PRELOAD": LIBRARY,
            "FAKETIME_TIMESTAMP_FILE": str(file),
            "FAKETIME_NO_CACHE": "1",
        }

        @contextmanager
        def fault(_: Installation) -> Iterator[None]:
            _replace(file, offset)
            try:
                yield
            finally:
                _replace(file, "+0")

        what = f"The clock of every process jumped by {offset} (libfaketime) and later back; that of commands did not."
        if engine == "PostgreSQL":
            what = what.replace("that of commands", "those of the database server and of commands")
        return tried(f"{engine}: a clock {offset} off", what, installed(engine.lower(), extra=extra), fault, seconds)

    return trial


def _replace(file: Path, offset: str) -> None:
    """As a whole: a process may read it at any moment."""
    other = file.with_suffix(".new")
    other.write_text(f"{offset}\n")
    other.replace(file)
    time.sleep(0.1)


def _trial(title: str, what: str, engine: str, fault: Callable[[Installation], object], *, broker: bool = False):  # type: ignore[no-untyped-def]
    return lambda seconds: tried(title, what, installed(engine, broker=broker), fault, seconds)  # type: ignore[arg-type]


def _disk(engine: str, title: str) -> Callable[[float], Trial]:
    what = "A file took the last byte of the disk that holds the database, uploads and jobs' files."
    return lambda seconds: tried(title, what, on_small_disk(engine), disk_full, seconds)


SECTIONS = {
    "disk": Section("## A disk that is full\n", (_disk("sqlite", "SQLite"), _disk("postgresql", "PostgreSQL"))),
    "storage": Section("## Files out of reach\n", (storage_away, folder_unwritable)),
    "locked": Section(
        "## A database that is locked\n",
        (
            _trial("SQLite", "Another process held the write lock.", "sqlite", locked_file),
            _trial("PostgreSQL", "A session held its tables in ACCESS EXCLUSIVE MODE.", "postgresql", locked_tables),
        ),
    ),
    "broker": Section(
        "## A broker that is away\n",
        (_trial("Redis", "Redis was killed, and started again empty.", "postgresql", without_broker, broker=True),),
    ),
    "clock": Section(
        "## A clock an hour off\n\nWhere it jumps ahead, the time for a task that a person holds is over: "
        "what is submitted then is not accepted.\n",
        tuple(clock(engine, offset) for engine in ("SQLite", "PostgreSQL") for offset in ("+1h", "-1h")),
    ),
}
