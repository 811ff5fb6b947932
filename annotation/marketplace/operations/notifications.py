"""UpdateNotificationSettings, SendTestEventNotification."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.ids import NOBODYS_ID
from annotation.marketplace.models import Event, Subscription
from annotation.marketplace.notifications import events
from annotation.marketplace.notifications.documents import gather_event
from annotation.marketplace.notifications.endpoints import receiver_for
from annotation.marketplace.operations.finding import load_hit_type
from annotation.marketplace.operations.registry import Call, operation

VERSIONS = frozenset({"2006-05-05", events.USUAL_VERSION})
# How the types begin that are about an assignment.
OF_WORK = ("Assignment", "Rejection")


@operation("UpdateNotificationSettings", writes=True)
def update_notification_settings(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Set, replace, switch off or on what is told of HITs of a type. A first specification is active unless told."""
    hit_type = load_hit_type(call, parameters["HITTypeId"])
    if "Notification" not in parameters and "Active" not in parameters:
        raise InvalidParameterError("UpdateNotificationSettings needs Notification or Active.")
    changes: dict[str, Any] = {"active": parameters["Active"]} if "Active" in parameters else {}
    if "Notification" in parameters:
        if events.PING in parameters["Notification"]["EventTypes"]:
            raise InvalidParameterError("EventTypes: Ping can be sent by SendTestEventNotification only.")
        changes |= _checked(call, parameters["Notification"])
        Subscription.objects.update_or_create(hit_type=hit_type, defaults=changes)
    elif not Subscription.objects.filter(hit_type=hit_type).update(**changes):
        raise InvalidParameterError(f"HITType {hit_type.type_id} has no Notification yet that Active could switch.")
    return {}


@operation("SendTestEventNotification", writes=True)
def send_test_event_notification(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """A message as if the event had happened to a HIT that does not exist, whatever EventTypes says."""
    receiver, event_type = _checked(call, parameters["Notification"]), parameters["TestEventType"]
    of_hit, of_work = event_type != events.PING, event_type.startswith(OF_WORK)
    event = Event.objects.create(
        requester=call.requester,
        transport=receiver["transport"],
        destination=receiver["destination"],
        endpoint=receiver["endpoint"],
        version=receiver["version"],
        event_type=event_type,
        happened_at=call.now,
        type_id=NOBODYS_ID if of_hit else "",
        hit_id=NOBODYS_ID if of_hit else "",
        assignment_id=NOBODYS_ID if of_work else "",
    )
    gather_event(event, now=timezone.now())
    return {}


def _checked(call: Call, specification: dict[str, Any]) -> dict[str, Any]:
    """A NotificationSpecification as a row's fields.

    Raises InvalidParameterError (version, no event), RequestRefusedError (InvalidTransportEndpoint).
    """
    if specification["Version"] not in VERSIONS:
        raise InvalidParameterError(
            f"Version must be one of {', '.join(sorted(VERSIONS))}; it is {specification['Version']:.40}."
        )
    if not specification["EventTypes"]:
        raise InvalidParameterError("EventTypes must name at least one event.")
    return {
        "transport": specification["Transport"],
        "destination": specification["Destination"],
        "endpoint": receiver_for(call.requester, specification["Transport"], specification["Destination"]),
        "version": specification["Version"],
        "event_types": sorted(set(specification["EventTypes"])),
    }
