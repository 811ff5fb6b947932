"""manage.py read_by_model: the former name of score_by_model, which stays for one release."""

from __future__ import annotations

from annotation.management.commands import score_by_model
from annotation.management.commands._renamed import RenamedCommand


class Command(RenamedCommand, score_by_model.Command):
    new_name = "score_by_model"
