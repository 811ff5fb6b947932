"""The requester side's records: one module per concept. Constraints live in the database, not only in Python."""

from annotation.models.audit import AuditEvent
from annotation.models.batch import Batch, BatchEvent, BatchHit
from annotation.models.decision import Decision
from annotation.models.detector import Detection, Detector
from annotation.models.draw_record import DrawRecord
from annotation.models.evidence import CheckCounts, Evidence, PersonEvidence
from annotation.models.exclusion import RuleSet
from annotation.models.flag import Flag
from annotation.models.hit import AttentionCheck, Hit, HitItem, ItemRole
from annotation.models.hold import Hold, Look
from annotation.models.housekeeping import HousekeepingMark
from annotation.models.imported_report import ImportedReport
from annotation.models.intent import Intent
from annotation.models.job import Job
from annotation.models.judgment import Judgment, Scale, ScaleLabel
from annotation.models.marketplace_event import MarketplaceEvent
from annotation.models.member_invitation import MemberInvitation
from annotation.models.money import LedgerEntry
from annotation.models.pace import Turn
from annotation.models.participation import Participation, WayIn
from annotation.models.person_request import PersonRequest
from annotation.models.plan import PaperAnswers, SealedPlan
from annotation.models.presentation import CheckAnswer, PracticeAnswer, Presentation, Remark
from annotation.models.release import Release, SharingAnswer, SharingObjection
from annotation.models.replication import Replication
from annotation.models.result import Result
from annotation.models.review import Codebook, Coding, Rejection, Reply
from annotation.models.saved_mapping import SavedMapping
from annotation.models.scores import ScoreFile
from annotation.models.scoring_job import ScoringChunk, ScoringJob
from annotation.models.selection import Selection
from annotation.models.snapshot import Snapshot, SnapshotContent
from annotation.models.statement import ShareLink, Statement
from annotation.models.study import Arm, Cell, Membership, Role, Study, StudyGroup
from annotation.models.submission import Device, Parse, Submission
from annotation.models.text import Context, Generator, Likelihood, Scoring, Text
from annotation.models.wording import OncePass, StudyWording
from annotation.models.worker import Worker, WorkerIdentity

__all__ = [
    "Arm",
    "AttentionCheck",
    "AuditEvent",
    "Batch",
    "BatchEvent",
    "BatchHit",
    "Cell",
    "CheckAnswer",
    "CheckCounts",
    "Codebook",
    "Coding",
    "Context",
    "Decision",
    "Detection",
    "Detector",
    "Device",
    "DrawRecord",
    "Evidence",
    "Flag",
    "Generator",
    "Hit",
    "HitItem",
    "Hold",
    "HousekeepingMark",
    "ImportedReport",
    "Intent",
    "ItemRole",
    "Job",
    "Judgment",
    "LedgerEntry",
    "Likelihood",
    "Look",
    "MarketplaceEvent",
    "MemberInvitation",
    "Membership",
    "OncePass",
    "PaperAnswers",
    "Parse",
    "Participation",
    "PersonEvidence",
    "PersonRequest",
    "PracticeAnswer",
    "Presentation",
    "Rejection",
    "Release",
    "Remark",
    "Replication",
    "Reply",
    "Result",
    "Role",
    "RuleSet",
    "SavedMapping",
    "Scale",
    "ScaleLabel",
    "ScoreFile",
    "Scoring",
    "ScoringChunk",
    "ScoringJob",
    "SealedPlan",
    "Selection",
    "ShareLink",
    "SharingAnswer",
    "SharingObjection",
    "Snapshot",
    "SnapshotContent",
    "Statement",
    "Study",
    "StudyGroup",
    "StudyWording",
    "Submission",
    "Text",
    "Turn",
    "WayIn",
    "Worker",
    "WorkerIdentity",
]
