"""What workers are owed, as a batch for a payment service, and back."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.marketplace.assignments.expire_due import catch_up
from annotation.marketplace.core import clock
from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.workers import payouts


class Command(BaseCommand):
    help = "Export what workers are owed as a CSV batch, or mark the lines of a batch as paid or failed."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        export = actions.add_parser("export", help="a new batch of everything that is owed")
        export.add_argument("--batch", help="print this earlier batch again instead")
        export.add_argument("--out", type=Path, help="where to write it (default: standard output)")
        mark = actions.add_parser("mark", help="take in a batch whose column status says paid or failed")
        mark.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        catch_up(clock.now())
        if options["action"] == "export":
            self._export(options["batch"], options["out"])
        else:
            self._mark(options["file"])

    def _export(self, batch: str | None, out: Path | None) -> None:
        # Before anything is put into a batch; a file that is there may be an earlier batch with its marks.
        if out is not None and out.is_file():
            raise CommandError(f"{out} exists already. Name another file.")
        is_new = batch is None
        batch = batch or payouts.make_batch(now=clock.now())
        text = io.StringIO()
        count = payouts.write(batch or "", text)
        if not count and not is_new:
            raise CommandError(f"There is no batch {batch}.")
        if out is None:
            self.stdout.write(text.getvalue(), ending="")
        else:
            try:
                out.write_text(text.getvalue(), encoding="utf-8", newline="")
            except OSError as error:
                again = f" payouts export --batch {batch} prints it." if count else ""
                raise CommandError(f"{out} cannot be written: {error.strerror}.{again}") from None
        if count:
            self.stderr.write(f"Batch {batch}: {count} payouts (payouts export --batch {batch} prints it again).")
        else:
            self.stderr.write("No payouts due: the batch has its header alone.")

    def _mark(self, file: Path) -> None:
        try:
            with file.open(encoding="utf-8-sig", newline="") as lines:
                marked = payouts.settle(payouts.read(lines), now=clock.now())
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{file} cannot be read: {error}.") from None
        except InvalidParameterError as error:
            raise CommandError(f"{error} Nothing was marked.") from None
        self.stdout.write(f"{marked.paid} paid, {marked.failed} failed, {marked.before} were marked before.")
