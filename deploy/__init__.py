"""How Assay runs: settings, addresses, servers, the queue."""

from deploy.celery import app as celery_app

__all__ = ["celery_app"]
