"""Check that the marketplace's balances equal their ledger rows."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.marketplace.money.balance_check import check_balances


class Command(BaseCommand):
    help = "Compare every stored balance with the sum of its ledger rows; fails when any differs."

    def handle(self, *args: Any, **options: Any) -> None:
        proof = check_balances()
        for fault in proof.faults:
            self.stderr.write(fault)
        if proof.faults:
            raise CommandError(f"{len(proof.faults)} differences found.")
        self.stdout.write(f"{proof.accounts} accounts and {proof.postings} postings agree with the ledger.")
