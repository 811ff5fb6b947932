"""The worker site's host, for Django's test client."""

from __future__ import annotations

import pytest


@pytest.fixture
def worker_host(settings) -> None:
    """Django's test client is on the worker site; tasks have a host of their own."""
    settings.WORKER_ORIGIN, settings.HIT_ORIGIN = "http://site.example", "http://hits.example"
    settings.ALLOWED_HOSTS = ["site.example", "hits.example"]
