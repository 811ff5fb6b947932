"""Which certificates a rehearsal trusts, where the site is served over HTTPS with one of its own."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management.base import CommandError

# The crowd's clients go by the first, boto3 by the second.
_NAMES = ("SSL_CERT_FILE", "AWS_CA_BUNDLE")


def add_argument(parser: ArgumentParser) -> None:
    """The option of commands that go to the site."""
    parser.add_argument(
        "--ca-bundle",
        type=Path,
        metavar="FILE",
        help="PEM file of certificates to trust, for a site over HTTPS with one of its own (or set SSL_CERT_FILE)",
    )


@contextmanager
def trusting(file: Path | None) -> Iterator[None]:
    """Trust the certificates in `file` for as long as this lasts. Raises CommandError for a file that there is not."""
    if file is None:
        yield
        return
    if not file.is_file():
        raise CommandError(f"--ca-bundle: there is no file {file}.", returncode=2)
    before = {name: os.environ.get(name) for name in _NAMES}
    os.environ.update(dict.fromkeys(_NAMES, str(file.resolve())))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            os.environ.update({name: value} if value is not None else {})
