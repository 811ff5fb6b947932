"""Participant groups and messages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from annotation.rehearsal.prolific_stub.account_state import RESEARCHER, AccountState
from annotation.rehearsal.prolific_stub.accounts import body_of
from annotation.rehearsal.prolific_stub.answers import ApiError, Record, StubAnswer, listing
from annotation.rehearsal.prolific_stub.routing import ApiCall, operation

MAX_DAYS = 30


def _shown(group: Record) -> Record:
    row = {name: value for name, value in group.items() if name != "participant_ids"}
    return row | {"participant_count": len(group["participant_ids"]), "project_id": None, "organisation_id": None}


@operation("list_groups")
def list_groups(call: ApiCall) -> StubAnswer:
    """The groups of a workspace, or all."""
    workspace = call.query.get("workspace_id")
    groups = [group for group in call.world.groups.values() if workspace in (None, group["workspace_id"])]
    active = [group for group in groups if not group["is_deleted"]]
    return listing([_shown(group) for group in active], call.query, call.path)


@operation("create_group")
def create_group(call: ApiCall) -> StubAnswer:
    """A group. Sent twice, it makes two."""
    sent = body_of(call.body)
    call.world.get("workspaces", sent["workspace_id"])
    group = {"description": None, "participant_ids": [], **sent, "id": call.world.new_id(), "is_deleted": False}
    call.world.groups[group["id"]] = group
    return StubAnswer(201, _shown(group))


@operation("get_group")
def get_group(call: ApiCall) -> StubAnswer:
    """A group."""
    return StubAnswer(200, _shown(call.world.get("groups", call.names["group"])))


@operation("update_group")
def update_group(call: ApiCall) -> StubAnswer:
    """Another name or all other members."""
    group = call.world.get("groups", call.names["group"])
    group |= body_of(call.body)
    return StubAnswer(200, _shown(group))


@operation("delete_group")
def delete_group(call: ApiCall) -> StubAnswer:
    """The group stays readable, and is in no list."""
    call.world.get("groups", call.names["group"])["is_deleted"] = True
    return StubAnswer(204)


def _members(group: Record, call: ApiCall) -> StubAnswer:
    rows = [{"participant_id": person, "datetime_created": call.world.now()} for person in group["participant_ids"]]
    return listing(rows, call.query, call.path)


@operation("list_members")
def list_members(call: ApiCall) -> StubAnswer:
    """Who is in a group."""
    return _members(call.world.get("groups", call.names["group"]), call)


@operation("add_members")
def add_members(call: ApiCall) -> StubAnswer:
    """Members who are in it already are ignored."""
    group, sent = call.world.get("groups", call.names["group"]), body_of(call.body)["participant_ids"]
    group["participant_ids"] = list(dict.fromkeys([*group["participant_ids"], *sent]))
    return _members(group, call)


@operation("remove_members")
def remove_members(call: ApiCall) -> StubAnswer:
    """People who are not in it are ignored."""
    group, sent = call.world.get("groups", call.names["group"]), body_of(call.body)["participant_ids"]
    group["participant_ids"] = [person for person in group["participant_ids"] if person not in sent]
    return _members(group, call)


def add_message(world: AccountState, *, sender: str, recipient: str, study: str | None, body: str) -> Record:
    """Store a message and return it."""
    message: Record = {
        "id": world.new_id(),
        "sender_id": sender,
        "recipient_id": recipient,
        "body": body,
        "sent_at": world.now(),
        "type": "message",
        "channel_id": f"channel-{recipient if sender == RESEARCHER else sender}",
        "data": {"study_id": study},
        "is_read": sender == RESEARCHER,
    }
    world.messages[message["id"]] = message
    return message


def _messages(rows: list[Record]) -> StubAnswer:
    hidden = ("recipient_id", "is_read")
    return StubAnswer(200, {"results": [{k: v for k, v in row.items() if k not in hidden} for row in rows]})


@operation("list_messages")
def list_messages(call: ApiCall) -> StubAnswer:
    """Messages with a person, or all of the last days: one of the two must be named."""
    person, after = call.query.get("user_id"), call.query.get("created_after")
    if person is None and after is None:
        raise ApiError(400, {"user_id": ["send it or created_after"]})
    rows = list(call.world.messages.values())
    if person is not None:
        rows = [row for row in rows if person in (row["sender_id"], row["recipient_id"])]
    if after is not None:
        rows = [row for row in rows if row["sent_at"] > _recent(after)]
    return _messages(rows)


def _recent(after: str) -> str:
    try:
        moment = datetime.fromisoformat(after)
    except ValueError:
        raise ApiError(400, {"created_after": ["must be ISO 8601"]}) from None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if moment < datetime.now(UTC) - timedelta(days=MAX_DAYS, minutes=1):
        raise ApiError(400, {"created_after": [f"at most {MAX_DAYS} days ago"]})
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@operation("list_unread")
def list_unread(call: ApiCall) -> StubAnswer:
    """Messages from people that were not read; this reads none."""
    return _messages([row for row in call.world.messages.values() if not row["is_read"]])


def _send(call: ApiCall, recipients: list[str], study: str | None, body: str) -> StubAnswer:
    unknown = [person for person in recipients if person not in call.world.participants]
    if unknown:
        raise ApiError(400, {"recipient_id": [f"unknown: {', '.join(unknown)}"]})
    for person in recipients:
        add_message(call.world, sender=RESEARCHER, recipient=person, study=study, body=body)
    return StubAnswer(204)


@operation("send_message")
def send_message(call: ApiCall) -> StubAnswer:
    """To a person."""
    sent = body_of(call.body)
    return _send(call, [sent["recipient_id"]], sent["study_id"], sent["body"])


@operation("send_bulk_message")
def send_bulk_message(call: ApiCall) -> StubAnswer:
    """To several people."""
    sent = body_of(call.body)
    return _send(call, sent["ids"], sent["study_id"], sent["body"])


@operation("send_group_message")
def send_group_message(call: ApiCall) -> StubAnswer:
    """To a group."""
    sent = body_of(call.body)
    group = call.world.get("groups", sent["participant_group_id"])
    return _send(call, group["participant_ids"], sent.get("study_id"), sent["body"])
