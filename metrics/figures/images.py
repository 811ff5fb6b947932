"""PNG and PDF files of pages and charts, by a Chromium.

Chromium is found by one setting, its path; where it is absent, PNG and PDF raise NoBrowser, and nothing else
is affected. It runs without network, in an empty profile that is thrown away.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    # In a process of its own, on a busy machine, a sandboxed frame comes too late for one picture in eight.
    "--disable-features=IsolateSandboxedIframes",
)


class NoBrowser(RuntimeError):  # noqa: N818 - what it says
    """PNG or PDF was asked for, and no Chromium can make it; the message says what to set."""


def png(
    page: Path,
    path: Path,
    *,
    chromium: Path | None,
    width: int = 1200,
    height: int = 900,
    dark: bool = False,
    sandbox: bool = True,
    timeout: float = 120,
) -> Path:
    """Picture of an HTML or SVG file, `width` x `height` CSS pixels. Raises NoBrowser."""
    scheme = f"--blink-settings=preferredColorScheme={0 if dark else 1}"
    extra = (f"--window-size={width},{height}", scheme, f"--screenshot={path.resolve()}")
    return _run(page, path, extra, chromium=chromium, sandbox=sandbox, timeout=timeout)


def pdf(page: Path, path: Path, *, chromium: Path | None, sandbox: bool = True, timeout: float = 120) -> Path:
    """Print an HTML or SVG file, by its print style. Raises NoBrowser."""
    extra = ("--no-pdf-header-footer", f"--print-to-pdf={path.resolve()}")
    return _run(page, path, extra, chromium=chromium, sandbox=sandbox, timeout=timeout)


def find_browser(chromium: Path | None, kind: str) -> Path:
    """The browser. Raises NoBrowser where there is none to make that kind of file."""
    if chromium is None or not chromium.is_file():
        shown = "none is set" if chromium is None else f"there is none at {chromium}"
        raise NoBrowser(f"{kind} needs a Chromium, and {shown}: install one and set CHROMIUM to its path.")
    return chromium


def _run(
    page: Path, path: Path, extra: tuple[str, ...], *, chromium: Path | None, sandbox: bool, timeout: float
) -> Path:
    browser = find_browser(chromium, path.suffix.lstrip(".").upper())
    flags = (*FLAGS, *(() if sandbox else ("--no-sandbox",)), *extra)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [str(browser), *flags, f"--user-data-dir={profile}", page.resolve().as_uri()]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)  # noqa: S603
        except subprocess.TimeoutExpired:
            raise NoBrowser(f"Chromium did not finish {path.name} within {timeout:g} seconds.") from None
    if done.returncode or not path.is_file():
        raise NoBrowser(f"Chromium could not make {path.name}: {done.stderr.strip()[-300:] or 'it said nothing'}.")
    return path
