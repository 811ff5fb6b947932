"""Create or find a worker of the marketplace, and make a sign-in link."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.marketplace.core import clock
from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.models import WorkerAccount
from annotation.marketplace.workers.open_accounts import Record, open_worker
from annotation.marketplace.workers.sessions import new_link


class Command(BaseCommand):
    help = "Create or find the worker NAME; print the worker id and a sign-in link that works once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--worker-id", help="the id to give, A and capital letters and digits")
        parser.add_argument("--approved", type=int, help="assignments approved so far")
        parser.add_argument("--percent", type=int, help="percent of them approved (used from 100 submitted on)")
        parser.add_argument("--locale", help="where the worker is: DE, US or US-CA")
        parser.add_argument("--email", help="where messages of requesters are mailed to")
        parser.add_argument("--payee", help="account or address for payouts, written into payout batches")
        parser.add_argument("--no-link", action="store_true", help="make no sign-in link")
        parser.add_argument(
            "--if-new", action="store_true", help="do nothing where the worker ID has an account, of whatever name"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["if_new"] and WorkerAccount.objects.filter(worker_id=options["worker_id"]).exists():
            return
        record = Record(
            options["approved"], options["percent"], options["locale"], email=options["email"], payee=options["payee"]
        )
        try:
            worker = open_worker(options["name"], worker_id=options["worker_id"], record=record, now=clock.now())
        except InvalidParameterError as error:
            raise CommandError(str(error)) from None
        credentials = {"worker_id": worker.worker_id}
        if not options["no_link"]:
            credentials["sign_in_url"] = new_link(worker, now=timezone.now())
        if options["json"]:
            self.stdout.write(json.dumps(credentials))
            return
        for name, value in credentials.items():
            self.stdout.write(f"{name}: {value}")
