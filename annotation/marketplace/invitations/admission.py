"""Admission by an invitation link: who the visitor is, what they see, and entering."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from annotation.marketplace.channels import admission_rules, consent, reach, tokens
from annotation.marketplace.channels.kinds import CODE, DEVICE, NO_CONSENT, PROLIFIC
from annotation.marketplace.core.row_locks import lock_requester
from annotation.marketplace.hits.eligibility import Eligibility, assess_newcomer
from annotation.marketplace.ids import worker_id
from annotation.marketplace.invitations import completion
from annotation.marketplace.invitations.sealed_ids import is_sealed
from annotation.marketplace.models import (
    Assignment,
    Channel,
    Hit,
    Link,
    Participant,
    ParticipantIdentity,
    ProlificStudy,
    QualificationGrant,
    QualificationType,
    WorkerAccount,
    WorkerBlock,
)

LONGEST_ID = 200
# Behind a person's ID it is the address at which Prolific takes mail for them: lists may name people by it.
PROLIFIC_MAIL = "@email.prolific.com"
# Of a place-holder that a panel has left unfilled: {{%PROLIFIC_PID%}}, ${e://Field/id}, [ID], <id>, %ID%.
UNFILLED = re.compile(r"[{}<>\[\]]|^%.*%$")
# What a script writes where it has no id.
NO_ID = frozenset({"null", "undefined"})
# Doors that lead in.
OPEN = frozenset({"welcome", "back"})


@dataclass(frozen=True)
class Visitor:
    """What a browser brings: the id in the address, the participants its cookie names, the worker signed in.

    `panel_ids`: what else of the address is stored with the id, by parameter.
    """

    external_id: str
    participants: Collection[str]
    worker: WorkerAccount | None
    panel_ids: Mapping[str, str] = field(default_factory=dict)
    # The address holds two ids.
    ambiguous: bool = False
    # mobile, tablet or desktop; "" where the browser does not say.
    device: str = ""


@dataclass(frozen=True)
class Door:
    """What the visitor of `link` sees.

    `word`: welcome, back (come in again), already, withdrawn, blocked, needs-id, odd-id, not-yet, closed, full,
    unqualified, device. `person` is who they are known as; `eligibility` says which requirements are not met.
    `elsewhere`: they began on another device than this one.
    """

    word: str
    link: Link
    person: Participant | None = None
    eligibility: Eligibility | None = None
    elsewhere: bool = False


class DoorClosedError(Exception):
    """What `look` says now does not lead in."""

    def __init__(self, door: Door) -> None:
        super().__init__(door.word)
        self.door = door


def link_of(token: str) -> Link | None:
    """The link whose address carries `token`."""
    rows = Link.objects.select_related("channel__requester__user", "channel__consent", "channel__requester__consent")
    return rows.select_related("participant").filter(token_hash=tokens.hashed(token)).first()


def look(link: Link, visitor: Visitor, *, now: datetime) -> Door:
    """Return what the visitor of `link` sees; nothing is written."""
    if visitor.ambiguous or not _is_readable(visitor.external_id, link):
        return Door("odd-id", link)
    person = _recognised(link, visitor)
    if person is not None and person.worker is not None:
        return replace(
            _for_known(link, person, person.worker, now),
            elsewhere=person.participant_id not in visitor.participants,
        )
    if link.participant is None and link.id_parameters and not link.id_optional and not visitor.external_id:
        return Door("needs-id", link)
    if _took_part_before(link.channel, visitor) or is_sealed(link.channel, _ids_of(link, visitor), now=now):
        return Door("already", link)
    if _began_elsewhere(link, visitor):
        return Door("other-link", link)
    others = _known_elsewhere(link, visitor)
    if WorkerBlock.objects.filter(requester=link.channel.requester_id, worker__in=others).exists():
        return Door("blocked", link)
    if _has_other_device(link.channel, visitor):
        return Door("device", link)
    return replace(_for_newcomers(link, now, others), person=person)


def _has_other_device(channel: Channel, visitor: Visitor) -> bool:
    """Whether the study at Prolific is for other devices than this one. Who is inside may change theirs."""
    if channel.kind != PROLIFIC or not visitor.device:
        return False
    rows = ProlificStudy.objects.filter(channel=channel).values_list("devices", flat=True)
    devices: list[str] = next(iter(rows), [])
    return bool(devices) and visitor.device not in devices


def _is_readable(external_id: str, link: Link) -> bool:
    """Whether an id can be that of one person: what stands for everybody would make one person of all."""
    if len(external_id) > LONGEST_ID or not external_id.isprintable():
        return False
    names = {name.lower() for name in link.id_parameters}
    return not UNFILLED.search(external_id) and external_id.lower() not in NO_ID | names


def _ids_of(link: Link, visitor: Visitor) -> tuple[str, ...]:
    """By what else than a cookie the visitor can be recognised: their id, and how an invited person is known."""
    rows = ParticipantIdentity.objects.filter(participant=link.participant) if link.participant else ()
    return (visitor.external_id, *(value for row in rows for value in (row.external_id, row.email)))


def _began_elsewhere(link: Link, visitor: Visitor) -> bool:
    """Whether the visitor takes part in the study by another channel: known by their id, address or browser."""
    channel = link.channel
    if not channel.study:
        return False
    named = _identified(link, visitor) or Q(participant_id__in=visitor.participants)
    others = Participant.objects.filter(
        named, channel__requester=channel.requester_id, channel__study=channel.study, began_at__isnull=False
    )
    return others.exclude(channel=channel).exists()


def _identified(link: Link, visitor: Visitor) -> Q:
    """Participants of the same id or address as the visitor's or the invited person's; Q() where neither is known."""
    known = ParticipantIdentity.objects.filter(participant=link.participant).first() if link.participant else None
    named, emails = Q(), {known.email} if known and known.email else set()
    for external_id in {visitor.external_id, known.external_id if known else ""} - {""}:
        named |= Q(identity__external_id=external_id)
        emails.add(f"{external_id}{PROLIFIC_MAIL}")
    for email in emails:
        named |= Q(identity__email=email)
        if email.endswith(PROLIFIC_MAIL):
            named |= Q(identity__external_id=email.removesuffix(PROLIFIC_MAIL))
    return named


def _known_elsewhere(link: Link, visitor: Visitor) -> list[WorkerAccount]:
    """Who the visitor is to the requester already: the account signed in here, a participant of another channel."""
    channel = link.channel
    accounts = [visitor.worker] if visitor.worker is not None and visitor.worker.channel_id is None else []
    named = _identified(link, visitor)
    if not visitor.external_id:
        named |= Q(participant_id__in=visitor.participants)
    people = Participant.objects.filter(named, channel__requester=channel.requester_id)
    rows = WorkerAccount.objects.filter(participant__in=people).exclude(channel=channel)
    return [*accounts, *rows[:20]]


def _recognised(link: Link, visitor: Visitor) -> Participant | None:
    """By the personal link, else by the id in the address, else by the browser's cookie."""
    if link.participant is not None:
        return link.participant
    rows = Participant.objects.select_related("worker", "channel").filter(channel=link.channel)
    if visitor.external_id:
        return rows.filter(identity__external_id=visitor.external_id).first()
    known = rows.filter(participant_id__in=visitor.participants, began_at__isnull=False)
    return known.order_by("-pk").first()


def _for_known(link: Link, person: Participant, worker: WorkerAccount, now: datetime) -> Door:
    """Return the entry of a known person; who has nothing left to do is told so before any text to agree to."""
    word = _again(link.channel, person, worker)
    if word == "back" and WorkerBlock.objects.filter(requester=link.channel.requester_id, worker=worker).exists():
        return Door("blocked", link, person)
    if word == "back":
        idle = not completion.count_submitted(worker) and not completion.held_by(worker).exists()
        if idle and not completion.has_work_left(worker, now):
            return replace(_work_for_newcomers(link, now, (worker,), usual="full"), person=person)
    return Door(word, link, person)


def _again(channel: Channel, person: Participant, worker: WorkerAccount) -> str:
    if person.withdrawn_at is not None:
        return "withdrawn"
    return "already" if person.finished_at is not None or _once_is_spent(channel, worker) else "back"


def _once_is_spent(channel: Channel, worker: WorkerAccount) -> bool:
    """Whether `worker` holds an assay:once qualification of the channel's study, and no task of it."""
    scope = reach.types_of(channel)
    if Assignment.objects.filter(worker=worker, hit__hit_type__in=scope, state=Assignment.State.ACCEPTED).exists():
        return False
    absent = {
        row["QualificationTypeId"]
        for requirements in scope.values_list("requirements", flat=True)
        for row in requirements
        if row["Comparator"] == "DoesNotExist"
    }
    once = QualificationType.objects.filter(
        type_id__in=absent, once=True, requester=channel.requester_id, deleted_at=None
    )
    held = QualificationGrant.objects.filter(worker=worker, status=QualificationGrant.Status.GRANTED)
    return held.filter(qualification_type__in=once).exists()


def _has_worked(channel: Channel, worker: WorkerAccount) -> bool:
    """Whether an account has taken part in the study of the channel: it is one person, whichever way it comes."""
    tasks = Assignment.objects.filter(worker=worker, hit__hit_type__in=reach.types_of(channel))
    submitted = tasks.filter(state__in=Assignment.SUBMITTED_STATES) if channel.study else tasks.none()
    return submitted.exists() or _once_is_spent(channel, worker)


def _took_part_before(channel: Channel, visitor: Visitor) -> bool:
    """As an account that is signed in here, or as a participant of another channel of the same study."""
    worker = visitor.worker
    if worker is not None and worker.channel_id is None and _has_worked(channel, worker):
        return True
    if not channel.study:
        return False
    others = Participant.objects.filter(
        channel__requester=channel.requester_id, channel__study=channel.study, began_at__isnull=False
    ).exclude(channel=channel)
    if visitor.external_id:
        others = others.filter(identity__external_id=visitor.external_id)
    else:
        others = others.filter(participant_id__in=visitor.participants)
    return any(
        participant.worker and (admission_rules.over(participant.worker) or _once_is_spent(channel, participant.worker))
        for participant in others[:20]
    )


def _for_newcomers(link: Link, now: datetime, others: Sequence[WorkerAccount]) -> Door:
    channel = link.channel
    if channel.closed_at or link.closed_at or _past(link.expires_at, now) or _past(channel.closes_at, now):
        return Door("closed", link)
    if channel.opens_at is not None and now < channel.opens_at:
        return Door("not-yet", link)
    begun = Participant.objects.filter(channel=channel, began_at__isnull=False).count()
    if channel.most_people is not None and begun >= channel.most_people:
        return Door("full", link)
    return _work_for_newcomers(link, now, others)


def _work_for_newcomers(link: Link, now: datetime, others: Sequence[WorkerAccount], usual: str = "welcome") -> Door:
    """Return whether there is a HIT that a new participant could accept: places, and requirements.

    `others`: who they are to the requester already; what these hold and must not have counts against the newcomer.
    """
    hits = reach.hits_of(link.channel)
    free = hits.filter(status=Hit.Status.ASSIGNABLE, expiration__gt=now)
    requirement_rows = list(
        reach.types_of(link.channel).filter(pk__in=free.values("hit_type")).values_list("requirements")
    )
    if requirement_rows:
        eligibilities = [assess_newcomer(requirements, others) for (requirements,) in requirement_rows]
        if any(eligibility.accept for eligibility in eligibilities):
            return Door(usual, link)
        return Door("unqualified", link, eligibility=min(eligibilities, key=lambda eligibility: len(eligibility.unmet)))
    if not hits.exists():
        return Door("not-yet", link)
    return Door("full" if hits.filter(expiration__gt=now).exists() else "closed", link)


def _past(moment: datetime | None, now: datetime) -> bool:
    return moment is not None and moment <= now


def note_opened(door: Door, *, now: datetime) -> None:
    """Remember when an invited person first saw their page."""
    if door.link.participant_id is not None:
        Participant.objects.filter(pk=door.link.participant_id, opened_at=None).update(opened_at=now)


@transaction.atomic
def enter(link: Link, visitor: Visitor, *, version: str, now: datetime) -> tuple[Participant, WorkerAccount]:
    """Let the visitor in: a new worker, or the one they are known as.

    `version` is the digest of the text they agreed to ("" where there is none). Of visitors at the same moment one
    after the other comes to this: the channel is locked. Raises DoorClosedError, also ("consent") when the text that
    holds is another by now.
    """
    channel = Channel.objects.select_for_update(no_key=True).get(pk=link.channel_id)
    # Before the person's own rows, as in a withdrawal: a task is drawn with the requester's row locked.
    lock_requester(channel.requester_id)
    fresh = Link.objects.select_related("participant__worker", "participant__channel").get(pk=link.pk)
    fresh.channel = channel
    door = look(fresh, visitor, now=now)
    if door.word not in OPEN:
        raise DoorClosedError(door)
    terms = consent.terms_of(channel)
    person = door.person
    agreed = person is not None and person.worker is not None and consent.agreed(person.worker, terms)
    if terms is not None and not agreed and version != terms.wording.digest:
        raise DoorClosedError(Door("consent", fresh, person))
    is_new = person is None or person.worker is None
    person, worker = _begun(person, channel, visitor, now)
    if is_new:
        _carry_over(worker, _known_elsewhere(fresh, visitor), channel, now)
    _keep_ids(person, visitor)
    Participant.objects.filter(pk=person.pk).update(link=fresh)
    if terms is not None:
        consent.agree(worker, terms, now=now)
    return person, worker


def _begun(
    person: Participant | None, channel: Channel, visitor: Visitor, now: datetime
) -> tuple[Participant, WorkerAccount]:
    if person is not None and person.worker is not None:
        return person, person.worker
    name = worker_id()
    worker = WorkerAccount.objects.create(worker_id=name, name=f"invited {name}", channel=channel, created_at=now)
    if person is None:
        person = Participant.objects.create(channel=channel, worker=worker, created_at=now, opened_at=now, began_at=now)
        return person, worker
    person.worker, person.began_at, person.declined_at = worker, now, None
    person.save(update_fields=["worker", "began_at", "declined_at"])
    return person, worker


def _carry_over(worker: WorkerAccount, others: Sequence[WorkerAccount], channel: Channel, now: datetime) -> None:
    """Give a new participant what the channel's tasks require and the same person has under another account."""
    requirements = reach.types_of(channel).values_list("requirements", flat=True)
    required = {row["QualificationTypeId"] for rows in requirements for row in rows if row["Comparator"] == "Exists"}
    if not required:
        return
    held = QualificationGrant.objects.filter(
        worker__in=others,
        qualification_type__type_id__in=required,
        qualification_type__requester=channel.requester_id,
        status=QualificationGrant.Status.GRANTED,
    )
    values = dict(held.values_list("qualification_type", "value"))
    QualificationGrant.objects.bulk_create(
        QualificationGrant(qualification_type_id=key, worker=worker, value=value, granted_at=now)
        for key, value in values.items()
    )


def _keep_ids(person: Participant, visitor: Visitor) -> None:
    """What the address said of the person, in the one row that retention deletes; of a later visit the later ids."""
    known = ParticipantIdentity.objects.filter(participant=person).first()
    if known is None:
        if visitor.external_id or visitor.panel_ids:
            ParticipantIdentity.objects.create(
                participant=person,
                channel=person.channel,
                external_id=visitor.external_id,
                panel_ids=dict(visitor.panel_ids),
            )
    elif visitor.panel_ids and person.channel.purged_at is None:
        known.panel_ids = {**known.panel_ids, **visitor.panel_ids}
        known.save(update_fields=["panel_ids"])


def way_back_of_declined(link: Link) -> str:
    """Where who does not agree is sent: to their panel with its code for that, where it has one; "" for nowhere."""
    return _way_back(link, NO_CONSENT)


def way_back_of(door: Door) -> str:
    """Where who is not let in is sent with a code of their panel; "" for nowhere."""
    return _way_back(door.link, DEVICE) if door.word == "device" else ""


def _way_back(link: Link, path: str) -> str:
    study = ProlificStudy.objects.filter(channel=link.channel_id).first()
    code = study.codes.get(path, "") if study is not None else ""
    return link.channel.return_url.replace(CODE, code) if code else ""


@transaction.atomic
def turn_away(link: Link, *, now: datetime) -> None:
    """Record that the visitor declined. Of an invited person this stays known, and no longer who they are."""
    terms = consent.terms_of(link.channel)
    consent.decline(link.channel.requester, link.channel, terms.wording if terms else None, now=now)
    if link.participant is None:
        return
    rows = Participant.objects.filter(pk=link.participant.pk, began_at=None, declined_at=None)
    if rows.update(declined_at=now):
        ParticipantIdentity.objects.filter(participant=link.participant).delete()
