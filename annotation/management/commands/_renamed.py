"""Run a command by its former name, and print the new name on stderr."""

from __future__ import annotations

from typing import Any, ClassVar

from django.core.management.base import BaseCommand


class RenamedCommand(BaseCommand):
    """Comes before the command's class in the bases of an alias; remove the alias after one release."""

    new_name: ClassVar[str]

    def handle(self, *args: Any, **options: Any) -> None:
        former = type(self).__module__.rpartition(".")[2]
        self.stderr.write(f"`manage.py {former}` is now called `manage.py {self.new_name}`.")
        super().handle(*args, **options)
