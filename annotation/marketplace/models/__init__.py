"""What the marketplace stores. Money is integer cents, times are aware UTC, ids shown outside are random."""

from annotation.marketplace.models.assignments import Assignment, Draft, Submission
from annotation.marketplace.models.clock import ClockOffset
from annotation.marketplace.models.faults import FaultPlan
from annotation.marketplace.models.hits import Hit, HitType
from annotation.marketplace.models.money import BonusPayment, LedgerEntry, Payout
from annotation.marketplace.models.notifications import (
    Document,
    Endpoint,
    Event,
    NoticeAccount,
    QueueMessage,
    SigningKey,
    Subscription,
    Transport,
)
from annotation.marketplace.models.qualifications import (
    QualificationGrant,
    QualificationRequest,
    QualificationType,
    TestAttempt,
)
from annotation.marketplace.models.relations import WorkerBlock, WorkerMessage
from annotation.marketplace.models.requesters import Requester, RequestToken
from annotation.marketplace.models.workers import OneTimeLink, WorkerAccount, WorkerSession

__all__ = [
    "Assignment",
    "BonusPayment",
    "ClockOffset",
    "Document",
    "Draft",
    "Endpoint",
    "Event",
    "FaultPlan",
    "Hit",
    "HitType",
    "LedgerEntry",
    "NoticeAccount",
    "OneTimeLink",
    "Payout",
    "QualificationGrant",
    "QualificationRequest",
    "QualificationType",
    "QueueMessage",
    "RequestToken",
    "Requester",
    "SigningKey",
    "Submission",
    "Subscription",
    "TestAttempt",
    "Transport",
    "WorkerAccount",
    "WorkerBlock",
    "WorkerMessage",
    "WorkerSession",
]
