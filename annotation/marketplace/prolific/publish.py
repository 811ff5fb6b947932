"""A study comes to Prolific: publishing is asked for here, carried out by the work loop, found again after a kill."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from annotation.marketplace.channels.reach import hits_of
from annotation.marketplace.errors import InvalidParameterError, RequestRefusedError
from annotation.marketplace.models import Channel, ProlificAccount, ProlificAction, ProlificStudy
from annotation.marketplace.prolific import actions
from annotation.marketplace.prolific.answers import ProlificError
from annotation.marketplace.prolific.client import Client
from annotation.marketplace.prolific.price import StudyQuote
from annotation.marketplace.prolific.records import StudyRecord
from annotation.marketplace.prolific.study_draft import MAX_PLACES, fields_of, names_people

State = ProlificStudy.State
Kind = ProlificAction.Kind
UNPUBLISHED, COMPLETED, AWAITING = "UNPUBLISHED", "COMPLETED", "AWAITING REVIEW"
CONFLICT = 409
# What a study is called once it is as asked for.
REACHED = {Kind.PAUSE: "PAUSED", Kind.START: "ACTIVE", Kind.STOP: COMPLETED}
VERBS = {Kind.PAUSE: "PAUSE", Kind.START: "START", Kind.STOP: "STOP"}


@transaction.atomic
def ask_to_publish(
    study: ProlificStudy, account: ProlificAccount, quote: StudyQuote, *, total: int, now: datetime
) -> ProlificStudy:
    """Have the study created and published at the price that was shown; asked again it changes nothing.

    Raises InvalidParameterError (another price by now), RequestRefusedError (what prevents publishing).
    """
    locked = ProlificStudy.objects.select_for_update(of=("self",)).select_related("channel__requester").get(pk=study.pk)
    if locked.state != State.DRAFT:
        return locked
    if locked.channel.closed_at is not None:
        raise RequestRefusedError("ProlificStudyState", "The channel is closed. Reopen it before you publish.")
    if quote.problems:
        raise RequestRefusedError("ProlificStudyState", " ".join(quote.problems))
    if quote.total != total:
        problem = f"The price is {quote.total} by now, not {total}. Nothing was published. Look at the price again."
        raise InvalidParameterError(problem).at("TotalMinor")
    locked.state, locked.total_minor, locked.bonus_reserve_minor = State.REQUESTED, quote.total, quote.bonus_reserve
    locked.currency, locked.workspace_id, locked.project_id = (
        account.currency,
        account.workspace_id,
        account.project_id,
    )
    locked.save()
    actions.queue(locked, Kind.CREATE, now=now)
    return locked


@transaction.atomic
def ask_to_change(study: ProlificStudy, kind: str, *, now: datetime) -> ProlificStudy:
    """Have a published study paused, started again or stopped, which closes the channel, too.

    Raises RequestRefusedError before it is published.
    """
    _check_published(study)
    if kind == Kind.STOP:
        others = ProlificAction.objects.filter(study=study, state=ProlificAction.State.WAITING)
        others.filter(kind__in=[Kind.PAUSE, Kind.START, Kind.PLACES]).delete()
        # By an address that somebody has copied no one comes either.
        Channel.objects.filter(pk=study.channel_id, closed_at=None).update(closed_at=now)
    actions.queue(study, kind, now=now)
    return study


@transaction.atomic
def ask_for_places(study: ProlificStudy, places: int, *, total: int | None, now: datetime) -> ProlificStudy:
    """Have a study take `places` people in all. Raises InvalidParameterError for fewer than it has."""
    _check_published(study)
    locked = ProlificStudy.objects.select_for_update(of=("self",)).select_related("channel__requester").get(pk=study.pk)
    if not (locked.places or 0) <= places <= MAX_PLACES:
        problem = f"A study at Prolific has {locked.places} places and can only be given more, up to {MAX_PLACES}."
        raise InvalidParameterError(problem).at("Places")
    if places == locked.places:
        return locked
    per_place = locked.bonus_reserve_minor / (locked.places or 1)
    # Rounded up: Prolific rounds fee and tax of the sum, which is at most this.
    scaled = -(-(locked.total_minor or 0) * places // (locked.places or 1))
    locked.places, locked.bonus_reserve_minor = places, round(per_place * places)
    locked.total_minor = total if total is not None else scaled
    locked.save(update_fields=["places", "total_minor", "bonus_reserve_minor"])
    # The handler reads the number of places when it is carried out.
    actions.queue(locked, Kind.PLACES, now=now)
    return locked


def follow_door(channel: Channel, kind: str, *, now: datetime) -> None:
    """A channel was closed or opened again: Prolific sends people only while they are admitted."""
    study = ProlificStudy.objects.filter(channel=channel, state=State.PUBLISHED).exclude(status=COMPLETED).first()
    if study is not None:
        opposite = {Kind.PAUSE: Kind.START, Kind.START: Kind.PAUSE}[Kind(kind)]
        waiting = ProlificAction.objects.filter(study=study, kind=opposite, state=ProlificAction.State.WAITING)
        waiting.delete()
        actions.queue(study, kind, now=now)


def _check_published(study: ProlificStudy) -> None:
    if study.state != State.PUBLISHED:
        raise RequestRefusedError("ProlificStudyState", "The study is not published at Prolific yet.")


def create(study: ProlificStudy, client: Client, *, now: datetime) -> None:
    """Create the draft at Prolific, unless an earlier try did. Raises ProlificError."""
    if study.prolific_id:
        return
    if not study.group_id:
        _store_group(study, client)
    offered = {row.filter_id for row in client.list_filters()} if names_people(study) else set()
    known = client.find_study(study.project_id, study.key)
    _store_created(study, known or client.create_study(fields_of(study, offered)), now=now)


def _store_group(study: ProlificStudy, client: Client) -> None:
    """The group of people who took part, by which another study can exclude them."""
    name = f"Assay {study.key}"
    study.group_id = client.find_group(study.workspace_id, name) or client.create_group(study.workspace_id, name)
    ProlificStudy.objects.filter(pk=study.pk).update(group_id=study.group_id)


@transaction.atomic
def _store_created(study: ProlificStudy, record: StudyRecord, *, now: datetime) -> None:
    study.prolific_id, study.status, study.state = record.study_id, record.status, State.CREATED
    study.save(update_fields=["prolific_id", "status", "state"])
    actions.queue(study, Kind.PUBLISH, now=now)


def publish(study: ProlificStudy, client: Client, *, now: datetime) -> None:
    """Publish the draft, unless an earlier try did. Raises ProlificError."""
    record = client.get_study(study.prolific_id)
    if record.status == UNPUBLISHED:
        if not hits_of(study.channel).exists():
            raise ProlificError("The study's tasks are not on the marketplace yet.", later=True)
        client.transition_study(study.prolific_id, "PUBLISH")
        record = client.get_study(study.prolific_id)
    _store_status(study, record, now=now)


def _store_status(study: ProlificStudy, record: StudyRecord, *, now: datetime) -> None:
    study.status, study.state, study.sync_due_at = record.status, State.PUBLISHED, now
    study.save(update_fields=["status", "state", "sync_due_at"])


def change(study: ProlificStudy, kind: str, client: Client, *, now: datetime) -> None:
    """Pause, start or stop, unless the study is so already. Raises ProlificError."""
    record = client.get_study(study.prolific_id)
    # With all places taken there is nothing to pause.
    settled = {REACHED[Kind(kind)], COMPLETED} | (set() if kind == Kind.STOP else {AWAITING})
    if record.status not in settled:
        try:
            client.transition_study(study.prolific_id, VERBS[Kind(kind)])
        except ProlificError as error:
            if error.status != CONFLICT or record.status != AWAITING:
                raise
            # It ends when the last submission is decided, if it cannot be ended before.
            raise ProlificError(str(error), status=error.status, later=True) from None
        record = client.get_study(study.prolific_id)
    _store_status(study, record, now=now)


def add_places(study: ProlificStudy, client: Client, *, now: datetime) -> None:
    """Give the study its places, unless it has them. Raises ProlificError."""
    record = client.get_study(study.prolific_id)
    if record.places < (study.places or 0):
        record = client.update_study(study.prolific_id, {"total_available_places": study.places})
    if record.places < (study.places or 0):
        raise ProlificError(f"Prolific says that the study has {record.places} places.", later=True)
    _store_status(study, record, now=now)
