"""manage.py batches create | list | show | publish | results | review | cancel: batches from a template and a table."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation import settings as conf
from annotation.exceptions import AssayError
from annotation.hits.batches import publish_batch as publishing
from annotation.hits.batches.check_page import check_page
from annotation.hits.batches.create_batch import BatchPlan, check_batch, create_batch
from annotation.hits.batches.queries import batches_of, log_of, price, progress_of, works_of
from annotation.hits.batches.results_file import file_names, write_results
from annotation.hits.batches.review_file import apply_review, plan_review
from annotation.hits.batches.template import decode_template, page_of
from annotation.ledger import endpoint_fees
from annotation.management.lookup import actor_of, add_actor, owner_of, sentences
from annotation.models import Batch
from annotation.mturk.client import Market
from annotation.pricing.currency import format_money, parse_amount

DAY, MINUTE = 24 * 3600, 60


class Command(BaseCommand):
    help = (
        "Batches of HITs from a template with ${variables} and a CSV: create, publish, gather results, review, cancel."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        deeds = parser.add_subparsers(dest="deed", required=True)
        self._add_create(deeds.add_parser("create", help="check template and table, and store a draft"))
        add_actor(deeds.add_parser("list", help="list batches, newest first"))
        for name, summary in (
            ("show", "price, progress and log of a batch"),
            ("publish", "publish a draft, or continue"),
            ("results", "write the results in the columns of the requester site"),
            ("review", "apply a reviewed results file (X under Approve, a reason under Reject)"),
            ("cancel", "end a batch; a draft is deleted"),
        ):
            deed = deeds.add_parser(name, help=summary)
            deed.add_argument("number", type=int, metavar="NUMBER", help="number of the batch, as `list` shows it")
            add_actor(deed)
            if name == "results":
                deed.add_argument("--out", type=Path, required=True, metavar="DIR")
            if name == "review":
                deed.add_argument("file", type=Path, metavar="FILE")
            if name in ("publish", "review", "cancel"):
                sure = deed.add_mutually_exclusive_group(required=True)
                sure.add_argument("--dry-run", action="store_true", help="show what would be done; change nothing")
                sure.add_argument("--yes", action="store_true", help="do it")

    def _add_create(self, deed: ArgumentParser) -> None:
        deed.add_argument("name", metavar="NAME")
        deed.add_argument("--template", type=Path, required=True, metavar="HTML")
        deed.add_argument("--table", type=Path, required=True, metavar="CSV")
        deed.add_argument("--title", required=True)
        deed.add_argument("--description", required=True)
        deed.add_argument("--keywords", default="")
        deed.add_argument("--reward", required=True, help="dollars per assignment, such as 0.50")
        deed.add_argument("--assignments", type=int, default=1, help="per row (default 1)")
        deed.add_argument("--minutes", type=int, default=60, help="time per assignment (default 60)")
        deed.add_argument("--days", type=int, default=7, help="until tasks expire (default 7)")
        deed.add_argument("--approve-after", type=int, default=3, metavar="DAYS", help="until approval (default 3)")
        deed.add_argument("--leave", action="append", default=[], metavar="NAME", help="leave ${NAME} as written")
        deed.add_argument("--dry-run", action="store_true", help="check the files; store nothing")
        add_actor(deed)

    def handle(self, *args: Any, **options: Any) -> None:
        deeds: dict[str, Callable[[dict[str, Any]], None]] = {
            "create": self._create,
            "list": self._list,
            "show": self._show,
            "publish": self._publish,
            "results": self._results,
            "review": self._review,
            "cancel": self._cancel,
        }
        with sentences():
            deeds[options["deed"]](options)

    def _create(self, options: dict[str, Any]) -> None:
        owner = owner_of(options)
        if owner is None:
            raise CommandError("--as USER is required: a batch has an owner.", returncode=2)
        plan = _plan_of(options)
        template = decode_template(_read(options["template"]))
        market = Market(conf.endpoint())
        if options["dry_run"]:
            rows = check_batch(template, options["table"], plan, market=market)[1]
            self.stdout.write(f"{len(rows):,} rows, each a HIT. Nothing was stored.")
            self._tell_check(page_of(template, rows[0].cells, title=plan.title))
            return
        batch = create_batch(template, options["table"], plan, owner=owner, now=timezone.now(), market=market)
        self.stdout.write(f"Draft {batch.number}: {batch.hits.count():,} rows, {_total(batch)} with fees.")
        first = batch.hits.first()
        self._tell_check(page_of(template, first.cells if first else {}, title=plan.title))

    def _tell_check(self, page: str) -> None:
        check = check_page(page)
        self.stdout.write(f"Answers: {', '.join(check.fields) or 'no named field'}.")
        if check.form_added:
            self.stdout.write("The template has no form or submit button: both are added around it.")
        for name, values in (
            ("Links out of the task", check.links),
            ("Forms that send elsewhere (answers are submitted here instead)", check.sends_to),
            ("Scripts use what a task does not have", check.storage),
            ("Left as written", check.left),
            ("Two fields of the same flat answer (all arrive in taskAnswers)", check.colliding),
        ):
            if values:
                self.stdout.write(f"{name}: {', '.join(values)}.")
        if check.opens:
            self.stdout.write("A script opens an address out of the task.")

    def _list(self, options: dict[str, Any]) -> None:
        user = actor_of(options)[0]
        for batch in (batches_of(user) if user else Batch.objects.all()).order_by("-pk"):
            self.stdout.write(f"{batch.number}  {batch.state:10}  {batch.hits.count():,} rows  {batch.name}")

    def _show(self, options: dict[str, Any]) -> None:
        batch = _batch_of(options)
        self.stdout.write(f"{batch.name}: {batch.state}, {batch.hits.count():,} rows, {_total(batch)} with fees.")
        if batch.state != Batch.State.DRAFT:
            seen = progress_of(batch, Market(conf.endpoint()))
            self.stdout.write(
                f"Tasks {seen.hits:,}; places open {seen.open:,}, in progress {seen.working:,}, "
                f"to review {seen.submitted:,}, reviewed {seen.decided:,}."
            )
        for event in log_of(batch):
            self.stdout.write(f"{event.at:%Y-%m-%d %H:%M} {event.actor} {event.verb} {event.facts}")

    def _publish(self, options: dict[str, Any]) -> None:
        batch = _batch_of(options)
        if options["dry_run"]:
            self.stdout.write(f"{batch.hits.count():,} rows, {_total(batch)} with fees. Nothing was published.")
            return
        market, actor = Market(conf.endpoint()), actor_of(options)[1]
        tasks = publishing.publish_batch(batch, market=market, clock=timezone.now, tell=_silent, actor=actor)
        self.stdout.write(f"{tasks:,} tasks published.")

    def _results(self, options: dict[str, Any]) -> None:
        batch, folder = _batch_of(options), options["out"]
        works, actor = works_of(batch, Market(conf.endpoint()), _silent), actor_of(options)[1]
        rows = write_results(batch, works, folder, now=timezone.now(), actor=actor)
        self.stdout.write(f"{rows:,} assignments: {', '.join(str(folder / name) for name in file_names(batch))}")

    def _review(self, options: dict[str, Any]) -> None:
        batch, market = _batch_of(options), Market(conf.endpoint())
        plan = plan_review(options["file"], works_of(batch, market, _silent))
        for row, sentence in plan.problems:
            self.stderr.write(f"Row {row}: {sentence}")
        approve, reject = plan.counts()
        if options["yes"]:
            actor = actor_of(options)[1]
            apply_review(
                batch,
                plan,
                confirmed=(approve, reject),
                market=market,
                tell=_silent,
                actor=actor,
                now=timezone.now(),
            )
            self.stdout.write(f"Approved: {approve:,}. Rejected: {reject:,}.")
        else:
            self.stdout.write(f"To approve: {approve:,}. To reject: {reject:,}. Nothing was decided.")

    def _cancel(self, options: dict[str, Any]) -> None:
        batch = _batch_of(options)
        if options["dry_run"]:
            self.stdout.write(f"{batch.hits.exclude(market_id='').count():,} tasks would end. Nothing was changed.")
            return
        if publishing.cancel_batch(batch, actor=actor_of(options)[1], now=timezone.now()):
            ended = publishing.end_tasks(batch, market=Market(conf.endpoint()), tell=_silent)
            self.stdout.write(f"Canceled; {ended:,} tasks ended.")
        else:
            self.stdout.write("The draft was deleted.")


def _silent(_step: str, _done: int, _of: int) -> None:
    """A command shows its end."""


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise AssayError(f"{path} cannot be read: {error.strerror}.") from error


def _plan_of(options: dict[str, Any]) -> BatchPlan:
    return BatchPlan(
        name=options["name"],
        title=options["title"],
        description=options["description"],
        keywords=options["keywords"],
        reward_cents=parse_amount(options["reward"], "USD"),
        max_assignments=options["assignments"],
        assignment_seconds=options["minutes"] * MINUTE,
        lifetime_seconds=options["days"] * DAY,
        auto_approval_seconds=options["approve_after"] * DAY,
        literal=tuple(options["leave"]),
    )


def _batch_of(options: dict[str, Any]) -> Batch:
    user = actor_of(options)[0]
    batch = (batches_of(user) if user else Batch.objects.all()).filter(number=options["number"]).first()
    if batch is None:
        whose = f" of {user.get_username()}" if user else ""
        raise CommandError(f"There is no batch {options['number']}{whose}.", returncode=2)
    return batch


def _total(batch: Batch) -> str:
    return format_money(price(batch, endpoint_fees()).total_cents, "USD")
