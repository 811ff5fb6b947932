"""manage.py state: the former name of set_details, which stays for one release."""

from __future__ import annotations

from annotation.management.commands import set_details
from annotation.management.commands._renamed import RenamedCommand


class Command(RenamedCommand, set_details.Command):
    new_name = "set_details"
