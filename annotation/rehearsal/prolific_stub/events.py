"""Hooks: secrets, subscriptions with their confirmation, signed deliveries and their retries."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import queue
import secrets
import threading
from datetime import UTC, datetime
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from annotation.rehearsal.prolific_stub.account_state import AccountState
from annotation.rehearsal.prolific_stub.accounts import body_of
from annotation.rehearsal.prolific_stub.answers import ApiError, Record, StubAnswer, listing
from annotation.rehearsal.prolific_stub.routing import ApiCall, operation

EVENT_TYPES = {
    "study.status.change": "A study has another status.",
    "study.progress.change": "A study has other submissions.",
    "submission.status.change": "A submission has another status.",
    "study.has_high_return_rate": "Many people return a study.",
}
MAX_TRIES = 12
TIMEOUT_SECONDS = 5


@operation("list_event_types")
def list_event_types(call: ApiCall) -> StubAnswer:
    """Every event to which one can subscribe."""
    rows = [{"event_type": name, "description": text} for name, text in EVENT_TYPES.items()]
    return listing(rows, call.query, call.path)


@operation("list_secrets")
def list_secrets(call: ApiCall) -> StubAnswer:
    """The secret of a workspace."""
    rows = [row for row in call.world.secrets.values() if row["workspace_id"] == call.query["workspace_id"]]
    return StubAnswer(200, {"results": rows})


@operation("create_secret")
def create_secret(call: ApiCall) -> StubAnswer:
    """The workspace's secret; an earlier secret is no longer valid."""
    workspace = call.world.get("workspaces", body_of(call.body)["workspace_id"])["id"]
    row = {"id": call.world.new_id(), "value": secrets.token_urlsafe(32), "workspace_id": workspace}
    call.world.secrets[workspace] = row
    return StubAnswer(201, row)


def _check(sent: Record, world: AccountState) -> None:
    if "event_type" in sent and sent["event_type"] not in EVENT_TYPES:
        raise ApiError(400, {"event_type": ["is not an event"]})
    schemes = ("https://", "http://") if world.settings.http_hooks_allowed else ("https://",)
    if "target_url" in sent and not sent["target_url"].startswith(schemes):
        raise ApiError(400, {"target_url": ["must be a public https address"]})


def _shown(row: Record) -> Record:
    return {name: value for name, value in row.items() if name not in ("secret", "is_confirmed")}


@operation("list_subscriptions")
def list_subscriptions(call: ApiCall) -> StubAnswer:
    """Enabled subscriptions, of a workspace where it is named."""
    enabled = call.query.get("is_enabled", "true").lower() == "true"
    workspace = call.query.get("workspace_id")
    rows = [row for row in call.world.subscriptions.values() if row["is_enabled"] is enabled]
    return StubAnswer(200, {"results": [_shown(row) for row in rows if workspace in (None, row["workspace_id"])]})


@operation("create_subscription")
def create_subscription(call: ApiCall) -> StubAnswer:
    """A subscription that is silent until it is confirmed with the secret in the answer's header."""
    sent = body_of(call.body)
    if sent["workspace_id"] not in call.world.secrets:
        raise ApiError(400, {"workspace_id": ["create a secret first"]})
    _check(sent, call.world)
    row = sent | {"id": call.world.new_id(), "is_enabled": True, "is_confirmed": False}
    row["secret"] = secrets.token_urlsafe(16)
    call.world.subscriptions[row["id"]] = row
    return StubAnswer(201, _shown(row), {"X-Hook-Secret": row["secret"]})


@operation("get_subscription")
def get_subscription(call: ApiCall) -> StubAnswer:
    """A subscription."""
    return StubAnswer(200, _shown(call.world.get("subscriptions", call.names["subscription"])))


@operation("confirm_subscription")
def confirm_subscription(call: ApiCall) -> StubAnswer:
    """Deliveries begin."""
    row = call.world.get("subscriptions", call.names["subscription"])
    if body_of(call.body)["secret"] != row["secret"]:
        raise ApiError(400, {"secret": ["is not the secret of this subscription"]})
    row["is_confirmed"] = True
    return StubAnswer(200, _shown(row))


@operation("update_subscription")
def update_subscription(call: ApiCall) -> StubAnswer:
    """Another state, address or event."""
    row, sent = call.world.get("subscriptions", call.names["subscription"]), body_of(call.body)
    _check(sent, call.world)
    row |= sent
    return StubAnswer(200, _shown(row))


@operation("delete_subscription")
def delete_subscription(call: ApiCall) -> StubAnswer:
    """No more deliveries."""
    call.world.get("subscriptions", call.names["subscription"])
    del call.world.subscriptions[call.names["subscription"]]
    return StubAnswer(204)


@operation("list_events")
def list_events(call: ApiCall) -> StubAnswer:
    """The deliveries of a subscription."""
    key = call.world.get("subscriptions", call.names["subscription"])["id"]
    rows = [row for row in call.world.deliveries.values() if row["subscription"] == key]
    rows = [row for row in rows if call.query.get("status", row["status"]) == row["status"]]
    rows = [row for row in rows if call.query.get("resource_id", row["resource_id"]) == row["resource_id"]]
    return listing(rows, call.query, call.path)


def notify(world: AccountState, workspace: str, body: Record) -> None:
    """Note a delivery of an event for each confirmed subscription, and send it unless it is held or lost."""
    for row in list(world.subscriptions.values()):
        concerned = row["workspace_id"] == workspace and row["event_type"] == body["event_type"]
        if not (concerned and row["is_enabled"] and row["is_confirmed"]):
            continue
        delivery = {
            "id": world.new_id(),
            "subscription": row["id"],
            "datetime_created": world.now(),
            "event_type": body["event_type"],
            "resource_id": body["resource_id"],
            "status": "PENDING",
            "target_url": row["target_url"],
            "payload": body,
            "tries": 0,
        }
        world.deliveries[delivery["id"]] = delivery
        if world.settings.loses_hooks:
            delivery["status"] = "LOST"
        elif world.settings.hooks == "sent":
            post(world, delivery)


def post(world: AccountState, delivery: Record) -> None:
    """Send a delivery by the sender's thread, as often and as wrongly as the settings say."""
    # Prolific's bytes have spaces after separators: whoever writes the JSON again gets another signature.
    raw = json.dumps(delivery["payload"]).encode()
    for _ in range(world.settings.hook_copies):
        _queue.put((world, delivery, _request(world, delivery, raw)))


def _request(world: AccountState, delivery: Record, raw: bytes) -> Request:
    row = world.subscriptions.get(delivery["subscription"])
    secret = world.secrets[row["workspace_id"]]["value"] if row else ""
    stamp = str(int(datetime.now(UTC).timestamp()) - world.settings.hook_age_seconds)
    signature = base64.b64encode(hmac.new(secret.encode(), stamp.encode() + raw, hashlib.sha256).digest()).decode()
    headers = {
        "Content-Type": "application/json",
        "X-Prolific-Request-Timestamp": stamp,
        "X-Prolific-Request-Signature": signature[::-1] if world.settings.has_wrong_signatures else signature,
        "X-Event-ID": delivery["id"],
        "X-Timestamp": delivery["datetime_created"],
    }
    return Request(delivery["target_url"], data=raw, headers=headers, method="POST")  # noqa: S310  tests name it


_queue: queue.Queue[tuple[AccountState, Record, Request]] = queue.Queue()


def _send_all() -> None:
    while True:
        world, delivery, request = _queue.get()
        status = 0
        try:
            with urlopen(request, timeout=TIMEOUT_SECONDS) as response:  # noqa: S310  tests name it
                status = response.status
        except HTTPError as error:
            status = error.code
        except (URLError, OSError):
            status = 0
        delivery["tries"] += 1
        delivery["last_status"] = status
        delivery["status"] = "SUCCEEDED" if 200 <= status < 300 else "FAILED"
        if delivery["tries"] >= MAX_TRIES and delivery["status"] == "FAILED":
            world.subscriptions.get(delivery["subscription"], {})["is_enabled"] = False
        _queue.task_done()


def start_sender() -> None:
    """Send deliveries, one after another, until the process ends."""
    threading.Thread(target=_send_all, daemon=True).start()


def wait_until_sent() -> None:
    """Return when every delivery that was to be sent has had its answer."""
    _queue.join()
