"""manage.py scoring: the former name of scoring_status, which stays for one release."""

from __future__ import annotations

from annotation.management.commands import scoring_status
from annotation.management.commands._renamed import RenamedCommand


class Command(RenamedCommand, scoring_status.Command):
    new_name = "scoring_status"
