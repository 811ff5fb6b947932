"""NotifyWorkers, CreateWorkerBlock, DeleteWorkerBlock, ListWorkerBlocks."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, OuterRef

from annotation.marketplace.core.paging import page
from annotation.marketplace.errors import InvalidParameterError
from annotation.marketplace.models import Assignment, WorkerAccount, WorkerBlock
from annotation.marketplace.operations.finding import known_worker
from annotation.marketplace.operations.registry import Call, operation
from annotation.marketplace.workers import messages

DECIDED = (Assignment.State.APPROVED, Assignment.State.REJECTED)
STRANGER = "Cannot send a notification to a worker who has not done any work for you"


@operation("NotifyWorkers", writes=True)
def notify_workers(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Write to workers whose work the caller has approved or rejected; each of the others is a HardFailure."""
    worker_ids = list(dict.fromkeys(parameters["WorkerIds"]))
    decided = Assignment.objects.filter(worker=OuterRef("pk"), hit__requester=call.requester, state__in=DECIDED)
    known = WorkerAccount.objects.filter(Exists(decided), worker_id__in=worker_ids)
    receivers = {worker.worker_id: worker for worker in known}
    messages.send(
        call.requester,
        list(receivers.values()),
        subject=parameters["Subject"],
        text=parameters["MessageText"],
        now=call.now,
    )
    return {
        "NotifyWorkersFailureStatuses": [
            {"WorkerId": name, "NotifyWorkersFailureCode": "HardFailure", "NotifyWorkersFailureMessage": STRANGER}
            for name in worker_ids
            if name not in receivers
        ]
    }


@operation("CreateWorkerBlock", writes=True)
def create_block(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """The worker can accept none of the caller's HITs; work that is under way may be finished."""
    if not parameters["Reason"].strip():
        raise InvalidParameterError("CreateWorkerBlock needs a Reason.")
    WorkerBlock.objects.update_or_create(
        requester=call.requester,
        worker=known_worker(parameters["WorkerId"]),
        defaults={"reason": parameters["Reason"], "blocked_at": call.now},
    )
    return {}


@operation("DeleteWorkerBlock", writes=True)
def delete_block(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Lift a block; nothing happens when there is none."""
    WorkerBlock.objects.filter(requester=call.requester, worker=known_worker(parameters["WorkerId"])).delete()
    return {}


@operation("ListWorkerBlocks", writes=False)
def list_blocks(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    return page(
        WorkerBlock.objects.filter(requester=call.requester).select_related("worker"),
        parameters,
        keys=["id"],
        scope=["ListWorkerBlocks", call.requester.pk],
        member="WorkerBlocks",
        shape=lambda row: {"WorkerId": row.worker.worker_id, "Reason": row.reason},
    )
