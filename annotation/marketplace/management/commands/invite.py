"""Channels, invitation links and invited people: one JSON object per call."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.db.models import Count, Q
from django.utils.dateparse import parse_date, parse_datetime

from annotation.marketplace.assignments.expire_due import catch_up
from annotation.marketplace.channels.kinds import KINDS, LINK
from annotation.marketplace.core import clock
from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.invitations import channel_plan, completion, mailing, open_channel, participants
from annotation.marketplace.models import Channel, Link, Participant, Requester

Payload = dict[str, Any]


class Command(BaseCommand):
    help = "Open and close ways in to a study (channels, links, invited people), and see who came. Prints JSON."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        self._add_channel_actions(actions)
        self._add_link_actions(actions)
        self._add_people_actions(actions)

    def _add_channel_actions(self, actions: Any) -> None:
        create = actions.add_parser("create", help="a new channel; an invitation gets a first link for many")
        create.add_argument("channel", metavar="NAME")
        create.add_argument("--requester", required=True)
        create.add_argument("--study", default="", metavar="TAG", help="of HIT types with the keyword assay:study=TAG")
        create.add_argument("--hit-type", action="append", default=[], metavar="ID", help="a HIT type (repeatable)")
        create.add_argument("--kind", choices=sorted(KINDS), default=LINK)
        create.add_argument("--no-link", action="store_true", help="make no link yet")
        _plan_options(create)
        _link_options(create)
        change = actions.add_parser("change", help="set what is named; a changed consent text is asked for again")
        change.add_argument("channel")
        _plan_options(change)
        shown = actions.add_parser("list", help="the channels with their links and numbers")
        shown.add_argument("--requester", help="of this requester only")
        texts = actions.add_parser("texts", help="texts for everything of a requester that no channel has its own for")
        texts.add_argument("--requester", required=True)
        _text_options(texts)

    def _add_link_actions(self, actions: Any) -> None:
        link = actions.add_parser("link", help="one more link for many, or --single N links for one person each")
        link.add_argument("channel")
        link.add_argument("--single", type=int, metavar="N")
        _link_options(link)
        close = actions.add_parser("close", help="admit no new participants: through the channel, or through one link")
        close.add_argument("channel")
        close.add_argument("--link", metavar="ID", help="the link's id, as list shows it")

    def _add_people_actions(self, actions: Any) -> None:
        guests = actions.add_parser("people", help="invite the people of a CSV (columns email or id, and perhaps name)")
        guests.add_argument("channel")
        guests.add_argument("file", type=Path)
        guests.add_argument("--out", type=Path, required=True, help="where to write their links (CSV)")
        _link_options(guests)
        mail = actions.add_parser("mail", help="mail links to those invited who were not mailed yet")
        mail.add_argument("channel")
        mail.add_argument(
            "--again", action="store_true", help="a reminder to those mailed who did not begin or decline"
        )
        _link_options(mail)
        status = actions.add_parser("status", help="progress of each participant")
        status.add_argument("channel")
        status.add_argument("--names", action="store_true", help="with addresses, names and the ids of panels")
        codes = actions.add_parser("codes", help="the completion codes issued so far")
        codes.add_argument("channel")
        verify = actions.add_parser(
            "verify", help="show the participation that a completion code proves (exit code 1: unknown code)"
        )
        verify.add_argument("code")

    def handle(self, *args: Any, **options: Any) -> None:
        catch_up(clock.now())
        act: Callable[[Payload], Payload] = getattr(self, f"_{options['action']}")
        try:
            payload = act(options)
        except InvalidParameterError as error:
            raise CommandError(str(error), returncode=2) from None
        self.stdout.write(json.dumps(payload, indent=1, default=_plain))
        if payload.get("valid") is False:
            raise CommandError("Unknown completion code.", returncode=1)

    @transaction.atomic
    def _create(self, options: Payload) -> Payload:
        channel = open_channel.open_channel(
            _requester(options["requester"]),
            name=options["channel"],
            kind=options["kind"],
            study=options["study"],
            type_ids=options["hit_type"],
            plan=_plan(options),
            now=clock.now(),
        )
        payload = _channel_payload(channel)
        if KINDS[channel.kind].by_link and not options["no_link"]:
            plan = _link_plan(options)
            payload["link"] = open_channel.new_link(channel, plan, now=clock.now())
            self._warn_of_codes(plan)
        return payload

    def _warn_of_codes(self, plan: channel_plan.LinkPlan) -> None:
        if plan.has_personal_codes:
            self.stderr.write(
                "{code} is another code for each person. Most panels know one completion code for a study: if yours "
                "does, make a link with --completion-code CODE."
            )

    def _change(self, options: Payload) -> Payload:
        channel = _channel(options["channel"])
        open_channel.change_channel(channel, _plan(options), now=clock.now())
        return _channel_payload(channel)

    def _texts(self, options: Payload) -> Payload:
        requester = _requester(options["requester"])
        open_channel.set_texts(requester, consent=_text(options["consent"]), debrief=_text(options["debrief"]))
        versions = {name: str(getattr(requester, name) or "") for name in ("consent", "debrief")}
        return {"requester": requester.account_name, **versions}

    def _list(self, options: Payload) -> Payload:
        rows = Channel.objects.select_related("requester__user", "consent").order_by("pk")
        if options["requester"]:
            rows = rows.filter(requester=_requester(options["requester"]))
        return {"channels": [{**_channel_payload(channel), **_numbers(channel)} for channel in rows]}

    def _link(self, options: Payload) -> Payload:
        channel, plan = _channel(options["channel"]), _link_plan(options)
        if options["single"] is None:
            links = [open_channel.new_link(channel, plan, now=clock.now())]
            self._warn_of_codes(plan)
        else:
            links = open_channel.new_personal_links(channel, plan, number=options["single"], now=clock.now())
        return {"channel": channel.channel_id, "links": links}

    def _close(self, options: Payload) -> Payload:
        channel = _channel(options["channel"])
        if options["link"] is None:
            open_channel.close(channel, now=clock.now())
            return {"channel": channel.channel_id, "closed": True}
        link = Link.objects.filter(channel=channel, link_id=options["link"]).first()
        if link is None:
            raise InvalidParameterError(f"The channel {channel.name!r} has no link {options['link']!r}.")
        open_channel.close_link(link, now=clock.now())
        return {"channel": channel.channel_id, "link": link.link_id, "closed": True}

    def _people(self, options: Payload) -> Payload:
        channel, out = _channel(options["channel"]), options["out"]
        if out.exists():
            raise CommandError(f"{out} exists; name a new file, as links are shown once.", returncode=2)
        try:
            with options["file"].open(encoding="utf-8-sig", newline="") as lines:
                guests = participants.read(lines)
            # Opened before anybody is invited: what is shown once must have a place to be shown.
            with out.open("x", encoding="utf-8", newline="") as links, transaction.atomic():
                imported = participants.invite(channel, guests, _link_plan(options), now=clock.now())
                participants.write_links(imported.new, links)
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{error}. No invitations were created.", returncode=2) from None
        except InvalidParameterError as error:
            out.unlink(missing_ok=True)
            raise InvalidParameterError(f"{error} No invitations were created.") from None
        return {
            "channel": channel.channel_id,
            "invited": len(imported.new),
            "invited_before": imported.before,
            "links": str(out),
        }

    def _mail(self, options: Payload) -> Payload:
        channel = _channel(options["channel"])
        done = mailing.send(channel, _link_plan(options), again=options["again"], now=clock.now())
        return {"channel": channel.channel_id, **dataclasses.asdict(done)}

    def _status(self, options: Payload) -> Payload:
        channel = _channel(options["channel"])
        hidden = set() if options["names"] else {"email", "name", "external_id", "panel_ids"}
        rows = [dataclasses.asdict(state) for state in participants.states(channel)]
        shown = [{key: value for key, value in row.items() if key not in hidden} for row in rows]
        return {**_channel_payload(channel), **_numbers(channel), "people": shown}

    def _codes(self, options: Payload) -> Payload:
        channel = _channel(options["channel"])
        rows = Participant.objects.filter(channel=channel, finished_at__isnull=False)
        rows = rows.select_related("link").order_by("finished_at", "pk")
        codes = [{"code": row.shown_code, "issued_at": row.finished_at} for row in rows]
        return {"channel": channel.channel_id, "codes": codes}

    def _verify(self, options: Payload) -> Payload:
        verified = completion.verify(options["code"])
        if verified is None:
            return {"valid": False}
        return {
            "valid": True,
            "requester": verified.channel.requester.account_name,
            "channel": verified.channel.name,
            "study": verified.channel.study,
            "issued_at": verified.issued_at,
            "handed_in": verified.handed_in,
            "withdrawn": verified.withdrawn,
        }


def _plan_options(parser: CommandParser) -> None:
    parser.add_argument("--title", help="the study's name as people read it")
    parser.add_argument("--opens", type=_moment, help="such as 2026-12-01 or 2026-12-01T09:00Z")
    parser.add_argument("--closes", type=_moment)
    parser.add_argument("--people", type=int, help="maximum number of participants")
    parser.add_argument("--pays", choices=Requester.Pays.values, help="how these people are paid")
    parser.add_argument("--pay-words", help="what they read of it, such as: a 10 euro voucher by mail")
    parser.add_argument("--retain-until", type=_moment, help="when what is known of them is deleted")
    _text_options(parser)


def _text_options(parser: CommandParser) -> None:
    parser.add_argument("--consent", type=Path, metavar="FILE", help="text to agree to (an empty file: none)")
    parser.add_argument("--debrief", type=Path, metavar="FILE", help="text shown at the end")


def _link_options(parser: CommandParser) -> None:
    parser.add_argument(
        "--id-parameter", action="append", default=[], metavar="NAME",
        help="address parameter that carries a person's id elsewhere, such as PROLIFIC_PID (repeatable)",
    )  # fmt: skip
    parser.add_argument("--id-optional", action="store_true", help="admit participants without the parameter, too")
    parser.add_argument(
        "--keep-parameter", action="append", default=[], metavar="NAME",
        help="further address parameter to keep with the id (repeatable); of links with an id parameter PROLIFIC_PID, "
        "STUDY_ID and SESSION_ID are kept anyway",
    )  # fmt: skip
    parser.add_argument("--return-url", default="", help="where people go at the end; may hold {code}, {external_id}")
    parser.add_argument(
        "--completion-code", default="", metavar="CODE",
        help="the study's one completion code, as a panel such as Prolific knows it (else: one for each person)",
    )  # fmt: skip
    parser.add_argument("--link-expires", type=_moment)


def _plan(options: Payload) -> channel_plan.Plan:
    return channel_plan.Plan(
        title=options["title"],
        opens_at=options["opens"],
        closes_at=options["closes"],
        max_participants=options["people"],
        pays=options["pays"],
        pay_words=options["pay_words"],
        consent=_text(options["consent"]),
        debrief=_text(options["debrief"]),
        retain_until=options["retain_until"],
    )


def _link_plan(options: Payload) -> channel_plan.LinkPlan:
    names = tuple(options["id_parameter"])
    return channel_plan.LinkPlan(
        names, options["id_optional"], options["return_url"], options["link_expires"],
        stored_parameters=tuple(options["keep_parameter"]), completion_code=options["completion_code"],
    )  # fmt: skip


def _moment(text: str) -> datetime:
    """A moment in UTC; of a date alone its beginning. Raises ValueError, which argparse reports."""
    day = parse_date(text)
    moment = datetime.combine(day, time()) if day and len(text) == len("2026-12-01") else parse_datetime(text)
    if moment is None:
        raise ValueError(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _text(file: Path | None) -> str | None:
    if file is None:
        return None
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} cannot be read: {error}.", returncode=2) from None


def _requester(name: str) -> Requester:
    requester = Requester.objects.select_related("user", "consent", "debrief").filter(user__username=name).first()
    if requester is None:
        raise CommandError(f"There is no requester called {name}.", returncode=2)
    return requester


def _channel(name: str) -> Channel:
    """By id, or by name where one requester alone has such a channel."""
    rows = Channel.objects.select_related("requester__user", "requester__consent", "consent", "debrief")
    channels = list(rows.filter(Q(channel_id=name) | Q(name=name))[:2])
    if len(channels) != 1:
        reason = "Several requesters have" if channels else "There is no"
        raise CommandError(f"{reason} a channel called {name}; use its id." if channels else
                           f"{reason} channel called {name}.", returncode=2)  # fmt: skip
    return channels[0]


def _channel_payload(channel: Channel) -> Payload:
    return {
        "channel": channel.channel_id,
        "name": channel.name,
        "requester": channel.requester.account_name,
        "kind": channel.kind,
        "study": channel.study,
        "hit_types": list(channel.hit_types.order_by("pk").values_list("type_id", flat=True)),
        "opens_at": channel.opens_at,
        "closes_at": channel.closes_at,
        "closed_at": channel.closed_at,
        "retain_until": channel.retain_until,
        "purged_at": channel.purged_at,
        "people_at_most": channel.most_people,
        "pays": channel.pays or channel.requester.pays,
        "consent_version": str(channel.consent or channel.requester.consent or ""),
    }


def _numbers(channel: Channel) -> Payload:
    people_of = Participant.objects.filter(channel=channel).aggregate(
        **{word: Count("pk", filter=Q(**{f"{word}_at__isnull": False})) for word in
           ("mailed", "opened", "began", "finished", "withdrawn")},
        known=Count("pk"),
    )  # fmt: skip
    shared = Link.objects.filter(channel=channel, participant=None).order_by("pk")
    return {
        "numbers": {**people_of, "declined": channel.refusals.count()},
        "links": [
            {"link": link.link_id, "closed_at": link.closed_at, "expires_at": link.expires_at} for link in shared
        ],
        "personal_links": Link.objects.filter(channel=channel).exclude(participant=None).count(),
    }


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    raise TypeError(type(value).__name__)
