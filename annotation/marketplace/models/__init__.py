"""What the marketplace stores. Money is whole minor units, times are aware UTC, ids shown outside are random."""

from annotation.marketplace.models.assignments import Assignment, AssignmentDevice, Draft, Reply, Submission
from annotation.marketplace.models.channels import (
    Channel,
    ChannelCount,
    ChannelWording,
    Consent,
    Link,
    Participant,
    ParticipantIdentity,
    Refusal,
    SuppliedCode,
    WithdrawalKey,
)
from annotation.marketplace.models.clock import ClockOffset, PurgeMark, SweepMark
from annotation.marketplace.models.draws import Draw, DrawEvent, StudyDraw
from annotation.marketplace.models.hits import Hit, HitType
from annotation.marketplace.models.money import BonusPayment, LedgerEntry, Payout, RequesterBalance, WorkerBalance
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
from annotation.marketplace.models.payouts import PayoutFile, SettledEntry, Settlement
from annotation.marketplace.models.prolific import (
    ProlificAccount,
    ProlificAction,
    ProlificBonusBatch,
    ProlificBonusLine,
    ProlificEvent,
    ProlificIdentity,
    ProlificStudy,
    ProlificSubmission,
)
from annotation.marketplace.models.qualifications import (
    QualificationGrant,
    QualificationRequest,
    QualificationType,
    TestAttempt,
)
from annotation.marketplace.models.relations import WorkerBlock, WorkerMessage
from annotation.marketplace.models.requesters import Requester, RequesterRecord, RequestToken
from annotation.marketplace.models.sealed import SealedId
from annotation.marketplace.models.wordings import Wording
from annotation.marketplace.models.workers import (
    CountryStatement,
    OneTimeLink,
    Registration,
    Throttle,
    WorkerAccount,
    WorkerSession,
)

__all__ = [
    "Assignment",
    "AssignmentDevice",
    "BonusPayment",
    "Channel",
    "ChannelCount",
    "ChannelWording",
    "ClockOffset",
    "Consent",
    "CountryStatement",
    "Document",
    "Draft",
    "Draw",
    "DrawEvent",
    "Endpoint",
    "Event",
    "Hit",
    "HitType",
    "LedgerEntry",
    "Link",
    "NoticeAccount",
    "OneTimeLink",
    "Participant",
    "ParticipantIdentity",
    "Payout",
    "PayoutFile",
    "ProlificAccount",
    "ProlificAction",
    "ProlificBonusBatch",
    "ProlificBonusLine",
    "ProlificEvent",
    "ProlificIdentity",
    "ProlificStudy",
    "ProlificSubmission",
    "PurgeMark",
    "QualificationGrant",
    "QualificationRequest",
    "QualificationType",
    "QueueMessage",
    "Refusal",
    "Registration",
    "Reply",
    "RequestToken",
    "Requester",
    "RequesterBalance",
    "RequesterRecord",
    "SealedId",
    "SettledEntry",
    "Settlement",
    "SigningKey",
    "StudyDraw",
    "Submission",
    "Subscription",
    "SuppliedCode",
    "SweepMark",
    "TestAttempt",
    "Throttle",
    "Transport",
    "WithdrawalKey",
    "Wording",
    "WorkerAccount",
    "WorkerBalance",
    "WorkerBlock",
    "WorkerMessage",
    "WorkerSession",
]
