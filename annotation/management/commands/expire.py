"""manage.py expire: the former name of stop_recruitment, which stays for one release."""

from __future__ import annotations

from annotation.management.commands import stop_recruitment
from annotation.management.commands._renamed import RenamedCommand


class Command(RenamedCommand, stop_recruitment.Command):
    new_name = "stop_recruitment"
