"""manage.py recruit STUDY: the channels by which people come to a study."""

from __future__ import annotations

import csv
from argparse import BooleanOptionalAction
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from annotation.management.commands import _recruit_prolific
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Role, Study
from annotation.mturk.channels import NAMED, PAYS, ChannelRecord, ChannelSettings, InvitedPeople
from annotation.mturk.client import Market
from annotation.recruiting.add_codes import read_codes
from annotation.recruiting.change_channel import change_channel, close_channel, reopen_channel
from annotation.recruiting.invite_people import invite_people, mail_people, read_guests
from annotation.recruiting.open_channel import NAMES, ChannelPlan, open_channel
from annotation.recruiting.queries import channels_of, people_of
from annotation.recruiting.study_tag import role_for_retention
from annotation.settings import endpoint

STATUS, CHANGE, CLOSE, REOPEN, PEOPLE, MAIL = "status", "change", "close", "reopen", "people", "mail"
DEEDS = [*NAMES, STATUS, CHANGE, CLOSE, REOPEN, PEOPLE, MAIL, *_recruit_prolific.DEEDS]
# On Prolific they spend the study's money.
OWNER_DEEDS = {"publish-prolific", "add-places", "book-fees"}
# What removes a number of places or a time, and the settings that can be removed, by the option that sets them.
NONE = "none"
REMOVABLE = {
    "places": "places",
    "overlap": "overlap",
    "max_tasks": "max_tasks",
    "opens_at": "opens",
    "closes_at": "closes",
    "retain_until": "delete_data",
}


class Command(StudyCommand):
    help = "Open channels (link, list, team, accounts, prolific), show what became of them, change and close them."
    required_role = Role.EDITOR

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("deed", choices=DEEDS)
        parser.add_argument("--channel", metavar="NAME", default="", help="name of the channel (default: its kind)")
        parser.add_argument("--file", type=Path, metavar="CSV", help="people to invite: columns email or id, and name")
        parser.add_argument("--out", type=Path, metavar="CSV", help="new file for the links, which are shown once")
        parser.add_argument("--remind", action="store_true", help="mail: once more to people who have not begun")
        _add_settings(parser)
        _recruit_prolific.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        deed = options["deed"]
        study, _, actor = self.study_and_actor(options)
        if options["delete_data"] is not None:
            study, _, actor = self.study_and_actor(options, role_for_retention(study))
        if deed in OWNER_DEEDS:
            study, _, actor = self.study_and_actor(options, Role.OWNER)
        who: dict[str, Any] = {"market": Market(endpoint()), "actor": actor, "now": timezone.now()}
        with sentences():
            if deed in NAMES:
                self._open(study, options, who)
            elif deed == STATUS:
                self._status(study, who["market"], who["now"])
            else:
                self._act(study, options, who)

    def _open(self, study: Study, options: dict[str, Any], who: dict[str, Any]) -> None:
        kind = options["deed"]
        guests = _guests(options) if kind in NAMED else []
        known = [row for row in channels_of(study, who["market"]) if row.name == (options["channel"] or NAMES[kind])]
        if known and known[0].kind == kind and guests:
            channel = known[0]
        else:
            channel = open_channel(study, ChannelPlan(kind, options["channel"], _settings(options)), **who)
        self.stdout.write(f"Channel {channel.name} ({channel.kind}) is open to the study {study.name}.")
        if channel.link:
            self.stdout.write(f"Address to send: {channel.link}")
        if guests:
            with options["out"].open("x", encoding="utf-8", newline="") as links:
                invited = invite_people(study, channel.channel_id, guests, **who)
                _write_links(invited, csv.writer(links, lineterminator="\n"))
            self.stdout.write(
                f"{len(invited.new)} people invited ({invited.before} had been before). Links: {options['out']}"
            )
        if study.status == Study.Status.DRAFT:
            self.stdout.write(f"People who come now read that it has not begun. Next: manage.py publish {study.name}")

    def _status(self, study: Study, market: Market, now: datetime) -> None:
        channels = channels_of(study, market)
        for channel in channels:
            funnel = channel.funnel
            self.stdout.write(f"{channel.name}  {channel.kind}  {channel.state(now)}  {channel.link}".rstrip())
            not_admitted = ", ".join(f"{word} {number}" for word, number in funnel.refused.items())
            self.stdout.write(
                f"  invited {channel.invited}, opened {funnel.opened}, consented {funnel.consented}, "
                f"began {funnel.began}, finished {funnel.finished} (early {funnel.stopped}), "
                f"returned {funnel.returned}, withdrew {funnel.withdrew}"
            )
            if channel.overlap is not None:
                self.stdout.write(f"  each text is rated by {channel.overlap} of the team")
            if channel.max_tasks is not None:
                self.stdout.write(f"  each person does at most {channel.max_tasks} tasks")
            if channel.codes_left is not None:
                self.stdout.write(f"  codes left {channel.codes_left}, finished without a code {channel.codes_missing}")
            if not_admitted:
                self.stdout.write(f"  not admitted: {not_admitted}")
        if not channels:
            self.stdout.write(f"No channels yet. Next: manage.py recruit {study.name} link")

    def _act(self, study: Study, options: dict[str, Any], who: dict[str, Any]) -> None:
        channel = _channel(study, options["channel"], who["market"])
        deed, number = options["deed"], channel.channel_id
        if deed in _recruit_prolific.DEEDS:
            _recruit_prolific.DEEDS[deed](study, number, options, who, self.stdout.write)
            return
        if deed == PEOPLE:
            for person in people_of(study, number, who["market"]):
                name = person.name or person.email or person.external_id or person.participant_id
                self.stdout.write(f"{name}  {person.state}  {person.submitted} submitted")
            return
        if deed == MAIL:
            mailed = mail_people(study, number, remind=options["remind"], **who)
            self.stdout.write(f"{mailed.sent} mails sent, {mailed.left} left over.")
            return
        if deed == CHANGE:
            changed = change_channel(study, number, _settings(options), **who)
        else:
            changed = (close_channel if deed == CLOSE else reopen_channel)(study, number, **who)
        self.stdout.write(f"Channel {changed.name}: {changed.state(who['now'])}.")


def _add_settings(parser: CommandParser) -> None:
    parser.add_argument("--title", help="the study's name as people read it")
    parser.add_argument("--places", type=_places, metavar="N", help=f"number of people who may take part, or {NONE}")
    parser.add_argument(
        "--overlap", type=_places, metavar="K", help=f"team: each text is rated by K of it, or {NONE}: by everybody"
    )
    parser.add_argument(
        "--max-tasks", type=_places, metavar="N", help=f"team: each person does N tasks at most, or {NONE}: no limit"
    )
    parser.add_argument(
        "--opens", type=_moment, metavar="TIME", help=f"such as 2026-12-01 or 2026-12-01T09:00Z (UTC), or {NONE}"
    )
    parser.add_argument("--closes", type=_moment, metavar="TIME", help=f"when admission ends, or {NONE}")
    parser.add_argument(
        "--delete-data", type=_moment, metavar="TIME", help=f"when names and panel ids are deleted, or {NONE}"
    )
    parser.add_argument("--pays", choices=PAYS, help="how people are paid")
    parser.add_argument("--pay-words", help="what they read of it, such as: a 10 euro voucher by mail")
    parser.add_argument("--consent", type=Path, metavar="FILE", help="text to agree to (an empty file: none)")
    parser.add_argument("--debrief", type=Path, metavar="FILE", help="text shown at the end")
    parser.add_argument("--return-url", help="where people go at the end; may hold {code}, {external_id}")
    parser.add_argument("--completion-code", help="one code for everybody (default: one for each person)")
    parser.add_argument("--codes", type=Path, metavar="FILE", help="a list of codes, one per line")
    parser.add_argument("--stop-code", help="code of people who stop before the last task")
    parser.add_argument("--contact", help="whom people write to")
    parser.add_argument(
        "--id-parameter", action="append", metavar="NAME", help="address parameter with a person's id (repeatable)"
    )
    parser.add_argument(
        "--id-optional",
        action=BooleanOptionalAction,
        default=None,
        help="admit people without that parameter, too (default: leave it as it is; a new link admits none of them)",
    )


def _settings(options: dict[str, Any]) -> ChannelSettings:
    names = options["id_parameter"]
    removable = {field: options[name] for field, name in REMOVABLE.items()}
    return ChannelSettings(
        title=options["title"],
        **{field: value for field, value in removable.items() if value != NONE},
        empty=tuple(field for field, value in removable.items() if value == NONE and options["deed"] == CHANGE),
        pays=options["pays"],
        pay_words=options["pay_words"],
        consent=_text(options["consent"]),
        debrief=_text(options["debrief"]),
        return_url=options["return_url"],
        completion_code=options["completion_code"],
        codes=read_codes((_text(options["codes"]) or "").splitlines()),
        stop_code=options["stop_code"],
        contact=options["contact"],
        id_parameters=tuple(names) if names else None,
        id_optional=options["id_optional"],
    )


def _guests(options: dict[str, Any]) -> list[Any]:
    if options["file"] is None and options["out"] is None:
        return []
    if options["file"] is None or options["out"] is None:
        raise CommandError("--file names the people and --out the new file for their links: give both.", returncode=2)
    if options["out"].exists():
        raise CommandError(f"{options['out']} exists; name a new file, as links are shown once.", returncode=2)
    return read_guests((_text(options["file"]) or "").splitlines(keepends=True))


def _write_links(invited: InvitedPeople, out: Any) -> None:
    out.writerow(("email", "id", "name", "link"))
    for person in invited.new:
        cells = (person.email, person.external_id, person.name, person.link)
        # A spreadsheet would run what begins with these signs.
        out.writerow([f"'{cell}" if cell[:1] in set("=+-@\t\r") else cell for cell in cells])


def _channel(study: Study, name: str, market: Market) -> ChannelRecord:
    channels = channels_of(study, market)
    for channel in channels:
        if channel.name == name or (not name and len(channels) == 1):
            return channel
    names = ", ".join(channel.name for channel in channels) or "none yet"
    raise CommandError(f"Name a channel of the study by --channel; it has: {names}.", returncode=2)


def _text(file: Path | None) -> str | None:
    if file is None:
        return None
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} cannot be read: {error}.", returncode=2) from None


def _places(text: str) -> int | str:
    return text if text == NONE else int(text)


def _moment(text: str) -> datetime | str:
    """A moment in UTC; of a date alone its beginning. Raises ValueError, which argparse reports."""
    if text == NONE:
        return text
    day = parse_date(text) if "T" not in text else None
    moment = datetime.combine(day, time()) if day else parse_datetime(text)
    if moment is None:
        raise ValueError(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
