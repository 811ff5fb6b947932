"""manage.py compare: the former name of reconcile, which stays for one release."""

from __future__ import annotations

from annotation.management.commands import reconcile
from annotation.management.commands._renamed import RenamedCommand


class Command(RenamedCommand, reconcile.Command):
    new_name = "reconcile"
