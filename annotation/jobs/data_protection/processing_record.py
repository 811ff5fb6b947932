"""The record of processing activities (GDPR Article 30) of an installation and each study, from what is stored.

What the database cannot know, such as the address of the controller, is listed as a question. Nothing is guessed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Q, QuerySet

from annotation.jobs.backups.back_up import LAST
from annotation.models import (
    AuditEvent,
    Device,
    HousekeepingMark,
    Look,
    Participation,
    PersonRequest,
    Remark,
    Statement,
    Study,
    Submission,
    WayIn,
    WorkerIdentity,
)

# Of the installation, what only people know; and what a study states under these keys.
ASK_INSTALLATION = (
    "Name and contact of the controller (your institution), and of its data protection officer.",
    "Legal basis of the processing, such as consent or a task in the public interest.",
    "Where the server and its backups are, and who else can read them.",
)
ASK_STUDY = {
    Statement.Key.CONTACT: "Whom participants can write to.",
    Statement.Key.ETHICS: "Ethics board and approval number, or why none was needed.",
    Statement.Key.CONSENT: "How consent was asked.",
}
RECIPIENTS = {
    "prolific": "Prolific: which submissions are approved or rejected, and bonuses",
    "link": "No one besides the team: participants come by a link",
    "list": "The mail server, where invitations are mailed",
    "team": "No one besides the team, whose members rate the texts",
    "accounts": "No one besides the team: participants have accounts at this marketplace",
    "rehearsal": "No one: raters are simulated",
}


@dataclass(frozen=True, slots=True)
class ProcessingLine:
    """A row of the record: the heading that Article 30 asks for, and what is stored of it."""

    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class ProcessingRecord:
    """The record of an installation or a study, with the questions that are open."""

    name: str
    at: datetime
    lines: tuple[ProcessingLine, ...]
    questions: tuple[str, ...]

    def markdown(self) -> str:
        """The record as a document."""
        parts = [f"# Record of processing: {self.name}", f"As stored on {self.at:%Y-%m-%d %H:%M} UTC.", ""]
        parts += [f"**{line.heading}.** {line.text}\n" for line in self.lines]
        if self.questions:
            parts += ["## To be answered by you", "", *(f"- {question}" for question in self.questions), ""]
        return "\n".join(parts)

    def json(self) -> str:
        """The record for programs."""
        return json.dumps({**asdict(self), "at": self.at.isoformat(timespec="seconds")}, ensure_ascii=False, indent=1)


def record_of_installation(*, now: datetime) -> ProcessingRecord:
    """What this installation processes of people, over all studies."""
    studies = Study.objects.exclude(mode=Study.Mode.REHEARSAL)
    undated = studies.filter(retain_until=None, participations__worker__identity__isnull=False).distinct().count()
    mark = HousekeepingMark.objects.first()
    lines = [
        ProcessingLine(
            "Purpose",
            f"Human evaluations of texts: {studies.count():,} studies. Rehearsals, whose raters are simulated, are not "
            "counted.",
        ),
        ProcessingLine("Persons", "Participants and workers who rate texts; members of the research team."),
        ProcessingLine("Data", _stored_sentence(_identities_of_people(), _submissions_of_people())),
        ProcessingLine("Recipients", _recipients(WayIn.objects.exclude(study__mode=Study.Mode.REHEARSAL))),
        ProcessingLine(
            "Deletion",
            f"Worker IDs on the retention date of their studies; studies with IDs and without a date: {undated:,}. "
            f"Device codes after {settings.DEVICE_DAYS} days, uploaded files after {settings.UPLOADS_DAYS}, delivered "
            f"notifications after {settings.MARKETPLACE_NOTICES_DAYS}, logs of sign-ins and events after "
            f"{settings.MARKETPLACE_EVENT_LOG_DAYS}. "
            + (
                f"Last run: {mark.at:%Y-%m-%d %H:%M} UTC."
                if mark
                else "This deletion has never run: start the work loop."
            ),
        ),
        ProcessingLine("Security", _security_sentence()),
        ProcessingLine(
            "Requests by persons",
            f"Access: {_requests(PersonRequest.Kind.ACCESS)}. Erasure: {_requests(PersonRequest.Kind.ERASURE)}. "
            f"Looks at a worker ID: {Look.objects.count():,}, each with user, time and reason.",
        ),
    ]
    questions = list(ASK_INSTALLATION)
    if undated:
        questions.append(f"A retention date for each of the {undated:,} studies without one.")
    return ProcessingRecord("this installation", now, tuple(lines), tuple(questions))


def record_of_study(study: Study, *, now: datetime) -> ProcessingRecord:
    """What one study processes of people."""
    stated = dict(study.statements.values_list("key", "body"))
    people = WorkerIdentity.objects.filter(worker__participations__study=study)
    until = f"{study.retain_until:%Y-%m-%d}" if study.retain_until else "no date is set"
    lines = [
        ProcessingLine("Purpose", study.question or "not stated"),
        ProcessingLine("Contact", stated.get(Statement.Key.CONTACT, "not stated")),
        ProcessingLine("Ethics", stated.get(Statement.Key.ETHICS, "not stated")),
        ProcessingLine("Consent", stated.get(Statement.Key.CONSENT, "not stated")),
        ProcessingLine("Data", _stored_sentence(people, Submission.objects.filter(hit__study=study))),
        ProcessingLine("Recipients", _recipients(study.ways_in.all())),
        ProcessingLine("Deletion", f"Worker IDs: {until}. Device codes: after {settings.DEVICE_DAYS} days."),
        ProcessingLine("Team", ", ".join(f"{role}: {number}" for role, number in _roles(study)) or "no members"),
    ]
    questions = [question for key, question in ASK_STUDY.items() if key not in stated]
    if not study.question:
        questions.insert(0, "What the study asks, in a sentence.")
    if study.retain_until is None:
        questions.append("The day on which worker IDs are deleted.")
    return ProcessingRecord(f"study {study.name}", now, tuple(lines), tuple(questions))


def _identities_of_people() -> QuerySet[WorkerIdentity]:
    """Those of whom is known more than that they are simulated raters of rehearsals."""
    rehearsal = Q(study__mode=Study.Mode.REHEARSAL)
    of_people = Participation.objects.filter(~rehearsal).values("worker")
    simulated = Participation.objects.filter(rehearsal).values("worker")
    return WorkerIdentity.objects.filter(Q(worker__in=of_people) | ~Q(worker__in=simulated))


def _submissions_of_people() -> QuerySet[Submission]:
    return Submission.objects.exclude(hit__study__mode=Study.Mode.REHEARSAL)


def _stored_sentence(people: QuerySet[WorkerIdentity], work: QuerySet[Submission]) -> str:
    comments = Remark.objects.filter(presentation__submission__in=work).count()
    devices = Device.objects.filter(submission__in=work).count()
    return (
        f"Worker IDs behind pseudonyms: {people.count():,}. Submissions under pseudonyms: {work.count():,}. "
        f"Comments in free text: {comments:,}. Device codes: {devices:,}. Names, email "
        "addresses and panel IDs of participants are stored by the marketplace of this installation."
    )


def _recipients(ways: QuerySet[WayIn]) -> str:
    kinds = sorted(set(ways.values_list("kind", flat=True)))
    return ". ".join(dict.fromkeys(RECIPIENTS.get(kind, f"Channel {kind}") for kind in kinds)) or "None so far"


def _security_sentence() -> str:
    last = settings.VAR / LAST
    proven = json.loads(last.read_text(encoding="utf-8"))["at"] if last.exists() else "never"
    return (
        "Files, pages and logs have random pseudonyms; the IDs are in one table, shown by permission and logged. "
        f"Roles decide who sees a study. Secrets are encrypted. Each study has a log of linked hashes "
        f"({AuditEvent.objects.count():,} rows). Last backup that was restored for a test: {proven}."
    )


def _requests(kind: str) -> int:
    return PersonRequest.objects.filter(kind=kind).count()


def _roles(study: Study) -> Sequence[tuple[str, int]]:
    counts: dict[str, int] = {}
    for role in study.memberships.order_by("role").values_list("role", flat=True):
        counts[role] = counts.get(role, 0) + 1
    return tuple(counts.items())
