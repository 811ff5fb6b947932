"""manage.py arrange: the former name of set_conditions, which stays for one release."""

from __future__ import annotations

from annotation.management.commands import set_conditions
from annotation.management.commands._renamed import RenamedCommand


class Command(RenamedCommand, set_conditions.Command):
    new_name = "set_conditions"
