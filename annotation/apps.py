from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.core.management.base import CommandError
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder
from django.db.models.signals import pre_migrate

# The last of the migrations that were made before the first release and are one step now.
LAST_EARLIER = "0030_job_lay_out"


class AnnotationConfig(AppConfig):
    name = __name__.rpartition(".")[0]
    label = "annotation"
    verbose_name = "Studies"

    def ready(self) -> None:
        pre_migrate.connect(stop_at_outdated_tables, sender=self)
        checks.register(check_host_of_tasks, checks.Tags.security, deploy=True)


def check_host_of_tasks(**_: Any) -> list[checks.CheckMessage]:
    """Refuse one host name for tasks and for pages that people sign in to (a port does not make a second host)."""
    tasks = urlsplit(settings.HIT_ORIGIN).hostname
    if tasks not in {urlsplit(origin).hostname for origin in (settings.WORKER_ORIGIN, settings.CONSOLE_ORIGIN)}:
        return []
    return [
        checks.Error(
            f"Tasks written by requesters are shown on the host of sessions, {tasks}.",
            hint="Give HIT_ORIGIN a host name of its own that leads to the same server.",
            id="assay.E001",
        )
    ]


def stop_at_outdated_tables(using: str, **_: Any) -> None:
    """Stop at a database that was left in the middle of the earlier migrations.

    It has 0001_initial on record, so that nothing would be applied, and its tables would miss columns.
    """
    applied = {name for app, name in MigrationRecorder(connections[using]).applied_migrations() if app == "annotation"}
    if "0002_immutable_rows" in applied and LAST_EARLIER not in applied:
        raise CommandError(
            "This database was made by an earlier version of Assay, before its migrations became one step. Check out "
            'the commit before "Write one first migration for each application", run manage.py migrate there, then '
            "run it here again. Nothing was changed."
        )
