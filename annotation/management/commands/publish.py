"""manage.py publish STUDY: check a study and queue its HITs for the marketplace."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from annotation.design.lay_out import design
from annotation.exceptions import AssayError
from annotation.jobs.celery_tasks import wake
from annotation.jobs.check_study import check_study
from annotation.management.commands._study import StudyCommand
from annotation.management.commands.configure import tasks_created
from annotation.management.commands.preflight import describe_preflight
from annotation.management.lookup import sentences
from annotation.models import Role, Study
from annotation.mturk.channels import LINK
from annotation.mturk.client import Market
from annotation.pricing.currency import format_money
from annotation.publishing.publish import publish
from annotation.recruiting.open_channel import ChannelPlan, open_channel
from annotation.recruiting.queries import channels_of
from annotation.settings import endpoint


class Command(StudyCommand):
    help = "Create a study's HITs if needed, check them, and queue them for publishing (`manage.py work` sends them)."

    required_role = Role.OWNER

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--by-invitation",
            action="store_true",
            help="open to people of its channels only (opens a link if there is none)",
        )
        parser.add_argument(
            "--wave",
            action="store_true",
            help="only the next condition, for a marketplace that cannot restrict workers to one condition",
        )
        parser.add_argument("--yes", action="store_true", help="publish without asking for the study's name")

    def handle(self, *args: Any, **options: Any) -> None:
        study, _, actor = self.study_and_actor(options)
        with sentences():
            if not study.hits.exists():
                self.stdout.write(tasks_created(design(study, actor=actor, now=timezone.now()), study.currency))
            self._confirm(study, by_name=not options["yes"], by_invitation=options["by_invitation"])
            publication = publish(
                study,
                actor=actor,
                now=timezone.now(),
                by_invitation=options["by_invitation"],
                wave=options["wave"],
            )
        self.stdout.write(f"HITs to create: {publication.intended} (queued before: {publication.already}).")
        if study.channel_tag:
            self.stdout.write(f"Open by invitation only; the tag of its channels is {study.channel_tag}")
            self._show_link(study, actor)
        if not wake(study.pk):
            self.stdout.write("Run `manage.py work` to send them.")

    def _show_link(self, study: Study, actor: str) -> None:
        """The link to send; where it cannot be made now, how to make it later. The study is published already."""
        market = Market(endpoint())
        if not market.ours:
            return
        try:
            channels = channels_of(study, market)
            if not channels:
                channels = [open_channel(study, ChannelPlan(LINK), market=market, actor=actor, now=timezone.now())]
        except AssayError as error:
            self.stderr.write(
                f"The study is published, but it has no channel: {error} Open one with `manage.py recruit {study.name} "
                "link`."
            )
            return
        for channel in channels:
            self.stdout.write(f"Channel {channel.name} ({channel.kind}): {channel.link or 'one link per person'}")
        self.stdout.write(
            "Send the links to the people you invite. For a panel, a list of people or other texts, see `manage.py "
            "recruit --help` and docs/link-study.md."
        )

    def _confirm(self, study: Study, *, by_name: bool, by_invitation: bool) -> None:
        """Say what will be created and spent; an error stops, and a person types the study's name."""
        result = check_study(study, endpoint=endpoint(), by_invitation=by_invitation)
        self.stdout.write(describe_preflight(result, currency=study.currency))
        if result.errors:
            raise CommandError(f"{len(result.errors)} errors: nothing was published.", returncode=2)
        if (
            by_name
            and input(f"Type {study.name} to spend up to {format_money(result.total_cents, study.currency)}: ").strip()
            != study.name
        ):
            raise CommandError("That is not the study's name: nothing was published.", returncode=2)
