"""UpdateNotificationSettings, SendTestEventNotification."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.ids import NOBODYS_ID
from annotation.marketplace.models import Event, Subscription
from annotation.marketplace.notifications import events
from annotation.marketplace.notifications.documents import gather_one
from annotation.marketplace.notifications.endpoints import receiver_for
from annotation.marketplace.operations.finding import own_type
from annotation.marketplace.operations.registry import Call, operation

VERSIONS = frozenset({"2006-05-05", events.USUAL_VERSION})
# How the types begin that are about an assignment.
OF_WORK = ("Assignment", "Rejection")


@operation("UpdateNotificationSettings", writes=True)
def update_notification_settings(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    """Set, replace, switch off or on what is told of HITs of a type. A first specification is active unless told."""
    hit_type = own_type(call, given["HITTypeId"])
    if "Notification" not in given and "Active" not in given:
        raise InvalidParameterError("UpdateNotificationSettings needs Notification or Active.")
    changes: dict[str, Any] = {"active": given["Active"]} if "Active" in given else {}
    if "Notification" in given:
        if events.PING in given["Notification"]["EventTypes"]:
            raise InvalidParameterError("EventTypes: Ping can be sent by SendTestEventNotification only.")
        changes |= _checked(call, given["Notification"])
        Subscription.objects.update_or_create(hit_type=hit_type, defaults=changes)
    elif not Subscription.objects.filter(hit_type=hit_type).update(**changes):
        raise InvalidParameterError(f"HITType {hit_type.type_id} has no Notification yet that Active could switch.")
    return {}


@operation("SendTestEventNotification", writes=True)
def send_test_event_notification(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    """A message as if the event had happened to a HIT that does not exist, whatever EventTypes says."""
    asked, event_type = _checked(call, given["Notification"]), given["TestEventType"]
    of_hit, of_work = event_type != events.PING, event_type.startswith(OF_WORK)
    event = Event.objects.create(
        requester=call.requester,
        transport=asked["transport"],
        destination=asked["destination"],
        endpoint=asked["endpoint"],
        version=asked["version"],
        event_type=event_type,
        happened_at=call.now,
        type_id=NOBODYS_ID if of_hit else "",
        hit_id=NOBODYS_ID if of_hit else "",
        assignment_id=NOBODYS_ID if of_work else "",
    )
    gather_one(event, now=timezone.now())
    return {}


def _checked(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    """A NotificationSpecification as a row's fields.

    Raises InvalidParameterError (version, no event), RequestRefusedError (InvalidTransportEndpoint).
    """
    if given["Version"] not in VERSIONS:
        raise InvalidParameterError(
            f"Version must be one of {', '.join(sorted(VERSIONS))}; it is {given['Version']:.40}."
        )
    if not given["EventTypes"]:
        raise InvalidParameterError("EventTypes must name at least one event.")
    return {
        "transport": given["Transport"],
        "destination": given["Destination"],
        "endpoint": receiver_for(call.requester, given["Transport"], given["Destination"]),
        "version": given["Version"],
        "event_types": sorted(set(given["EventTypes"])),
    }
