"""The Requester API by boto3. No other module imports boto3."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from email.utils import parsedate_to_datetime
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

import boto3
from botocore import session as botocore_session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from annotation.exceptions import MarketClosedError, MarketError
from annotation.mturk.call_limit import CONNECT_SECONDS, READ_SECONDS, CallLimit
from annotation.mturk.rate_limit import Pace
from annotation.mturk.records import (
    AccountCounts,
    Endpoint,
    HitOrder,
    PaidBonus,
    QueuedMessage,
    RequesterName,
    Requirement,
    SeenDraw,
    SeenHit,
    SubmittedWork,
)
from metrics.data.currency import minor_digits, plain_amount

TURK = "AWS.MechanicalTurk."
PASSING = {"ThrottlingException", "ServiceFault", "RequestTimeout", "InternalFailure", "ServiceUnavailable"}
PAGE = 100
ONCE = "assay:once"
# The header in which Assay's marketplace states its fees.
FEES = "x-assay-fees"
HELD_BACK = (
    "This study is for other workers. Your earlier work and its payment stay as they are. This ends automatically."
)
TOOK_PART = "Held by people who took part in an earlier study, which another study repeats."
ASSAY_PROVIDERS = frozenset({"assay", "rehearsal"})
# The path of queues at a compatible endpoint; Amazon's had none.
QUEUES = "/sqs/"
# Operations of Assay's own marketplace that Amazon's API never had, described as botocore reads it.
SERVICE_MODEL = Path(__file__).resolve().parent / "service"
EVENTS = (
    "AssignmentAccepted",
    "AssignmentAbandoned",
    "AssignmentReturned",
    "AssignmentSubmitted",
    "AssignmentApproved",
    "HITExpired",
    "HITReviewable",
)


# Only Assay's marketplace has this event; another one rejects a subscription to it.
ASSAY_EVENTS = (*EVENTS, "RejectionAnswered")

_creation = Lock()


@cache
def _assay_session() -> Any:
    """A session that knows the operations of Assay's own marketplace. It reads botocore's files once."""
    core = botocore_session.get_session()
    core.get_component("data_loader").search_paths.append(str(SERVICE_MODEL))
    return boto3.Session(botocore_session=core)


class Market:
    """One requester's view of a marketplace. Every failure is a MarketError that says if trying again can help."""

    def __init__(self, endpoint: Endpoint) -> None:
        host = urlsplit(endpoint.url).hostname or ""
        if host == "amazonaws.com" or host.endswith(".amazonaws.com"):
            raise MarketClosedError(
                f"{host} belongs to Amazon Mechanical Turk, which closed on 30 September 2026. "
                "Leave MTURK_ENDPOINT_URL unset for Assay's own marketplace, or name another compatible endpoint.",
                code="Closed",
            )
        self.provider = endpoint.provider
        # Assay's own marketplace does some things that no other does.
        self.ours = endpoint.provider in ASSAY_PROVIDERS
        self.url = endpoint.url
        self._ahead: timedelta | None = None
        self._quoted_fees = ""
        self._subscribed: set[str] = set()
        self._sqs: Any = None
        self._assay: Any = None
        self._pace = Pace(endpoint)
        on_this_machine = host in {"localhost", "127.0.0.1", "::1"}
        self._access = {
            "region_name": endpoint.region,
            "aws_access_key_id": endpoint.access_key,
            "aws_secret_access_key": endpoint.secret_key,
            "config": Config(
                retries={"mode": "standard", "max_attempts": endpoint.attempts},
                connect_timeout=CONNECT_SECONDS,
                read_timeout=READ_SECONDS,
                # A proxy named in the environment would swallow calls to loopback.
                proxies={} if on_this_machine else None,
            ),
        }
        self._client = boto3.client("mturk", endpoint_url=endpoint.url, **self._access)
        CallLimit(self._client)

    def now(self) -> datetime:
        """The market's time, by the Date header of its last answer; asks for one if there was none yet."""
        if self._ahead is None:
            self.balance_cents()
        return datetime.now(UTC) + (self._ahead or timedelta(0))

    @property
    def quoted_fees(self) -> str:
        """The fee rules that the marketplace named in its last answer (none, mturk); "" where it named none."""
        return self._quoted_fees

    def balance_cents(self, currency: str = "USD") -> int:
        """What is left to spend in a currency, in minor units. Marketplaces other than Assay's know dollars only."""
        if currency == "USD":
            return int(Decimal(self._call("get_account_balance")["AvailableBalance"]) * 100)
        if not self.ours:
            raise MarketError(f"This marketplace pays in dollars only, and the study pays in {currency}.")
        rows = self.call_extension("list_balances")["Balances"]
        texts = (row["AvailableBalance"] for row in rows if row["Currency"] == currency)
        return int(Decimal(next(texts, "0")).scaleb(minor_digits(currency)))

    def create_hit(self, order: HitOrder) -> str:
        """Create the HIT and return its id; the id of the HIT that its token made before, if it did."""
        try:
            answer = self._call("create_hit", **_create_parameters(order))
        except MarketError as error:
            if error.code == TURK + "HitAlreadyExists":
                return _quoted_id(error)
            raise
        return str(answer["HIT"]["HITId"])

    def check_question(self, question: str) -> None:
        """Raise MarketError for a question that no HIT may have; only Assay's own marketplace checks it before."""
        if self.ours:
            self.call_extension("check_question", Question=question)

    def find_hit(self, annotation: str) -> str | None:
        """Return the HIT with this RequesterAnnotation, for use after its token has expired (24 hours)."""
        for hit in self._pages("list_hits", "HITs"):
            if hit.get("RequesterAnnotation") == annotation:
                return str(hit["HITId"])
        return None

    def hits(self) -> Iterator[SeenHit]:
        """Every HIT of the account that was not disposed of, newest first."""
        for row in self._pages("list_hits", "HITs"):
            yield _seen_hit(row)

    def hit(self, hit_id: str) -> SeenHit:
        """One HIT as it is now."""
        return _seen_hit(self._call("get_hit", HITId=hit_id)["HIT"])

    def still(self, hit_id: str) -> SeenHit | None:
        """One HIT as it is now; None where the marketplace says that there is none of that id."""
        try:
            return self.hit(hit_id)
        except MarketError as error:
            if error.code != TURK + "HITDoesNotExist":
                raise
            return None

    def add_places(self, hit_id: str, places: int, *, token: str) -> None:
        """Add assignments to the HIT; a second call with the same token adds none."""
        self._once(
            "create_additional_assignments_for_hit",
            HITId=hit_id,
            NumberOfAdditionalAssignments=places,
            UniqueRequestToken=token,
        )

    def prolong(self, hit_id: str, until: datetime) -> None:
        """Let the HIT be found until then."""
        self._call("update_expiration_for_hit", HITId=hit_id, ExpireAt=until)

    def expire(self, hit_id: str) -> None:
        """Expire the HIT: workers with an open assignment can still submit. A deleted HIT stays so."""
        past = datetime(2015, 1, 1, tzinfo=UTC)
        self._call_unless_deleted("update_expiration_for_hit", HITId=hit_id, ExpireAt=past)

    def delete_hit(self, hit_id: str) -> None:
        """Delete a HIT whose submissions are all decided; a deleted HIT stays so."""
        self._call_unless_deleted("delete_hit", HITId=hit_id)

    def send_bonus(
        self, assignment_id: str, *, worker_id: str, cents: int, reason: str, token: str, currency: str = "USD"
    ) -> None:
        """Pay a bonus in minor units of a currency; again with the same token, nothing more."""
        self._once(
            "send_bonus",
            WorkerId=worker_id,
            AssignmentId=assignment_id,
            BonusAmount=plain_amount(cents, currency),
            Reason=reason,
            UniqueRequestToken=token,
        )

    def bonuses(self, assignment_id: str) -> Iterator[PaidBonus]:
        """The bonuses that were paid for an assignment."""
        for row in self._pages("list_bonus_payments", "BonusPayments", AssignmentId=assignment_id):
            yield PaidBonus(row["AssignmentId"], round(Decimal(row["BonusAmount"]) * 100), row.get("Reason", ""))

    def grant(self, type_id: str, worker_id: str, value: int) -> None:
        """Give a worker a qualification without a notification."""
        self._call(
            "associate_qualification_with_worker",
            QualificationTypeId=type_id,
            WorkerId=worker_id,
            IntegerValue=value,
            SendNotification=False,
        )

    def revoke(self, type_id: str, worker_id: str) -> None:
        """Revoke a qualification without a notification; a worker without it stays so."""
        try:
            self._call(
                "disassociate_qualification_from_worker", QualificationTypeId=type_id, WorkerId=worker_id, Reason=""
            )
        except MarketError as error:
            if not error.code.startswith(TURK + "InvalidQualification"):
                raise

    def block(self, worker_id: str, *, reason: str) -> None:
        """Keep a worker out of all HITs of the account; again, it changes nothing."""
        self._call("create_worker_block", WorkerId=worker_id, Reason=reason)

    def unblock(self, worker_id: str) -> None:
        """End a block; where there is none, it changes nothing."""
        self._call("delete_worker_block", WorkerId=worker_id)

    def notify(self, worker_id: str, *, subject: str, text: str) -> None:
        """Write to a worker whose work was decided on. Raises MarketError (NotNotified) where that cannot be done."""
        answer = self._call("notify_workers", Subject=subject, MessageText=text, WorkerIds=[worker_id])
        if failed := answer.get("NotifyWorkersFailureStatuses"):
            why = _hide_worker_ids(failed[0]["NotifyWorkersFailureMessage"], [worker_id])
            raise MarketError(f"The worker was not written to: {why}")

    def subscribe(self, hit_id: str, *, queue: str) -> None:
        """Have events of HITs of this HIT's type sent to a queue, or to a topic (its ARN)."""
        type_id = self.hit(hit_id).type_id
        if type_id in self._subscribed:
            return
        transport = "SNS" if queue.startswith("arn:") else "SQS"
        events = ASSAY_EVENTS if self.ours else EVENTS
        notification = {
            "Destination": queue,
            "Transport": transport,
            "Version": "2014-08-15",
            "EventTypes": list(events),
        }
        self._call("update_notification_settings", HITTypeId=type_id, Notification=notification, Active=True)
        self._subscribed.add(type_id)

    def requester(self) -> RequesterName:
        """Whose account this is, and the name that people read (Assay's own marketplace only)."""
        return _requester_name(self._answer(self._assay_client().get_requester))

    def name_requester(self, name: str) -> RequesterName:
        """Let people read `name` as who asks (Assay's own marketplace only)."""
        return _requester_name(self._answer(self._assay_client().update_requester, DisplayName=name))

    def count_workers(self, requirements: Sequence[Requirement]) -> AccountCounts:
        """How many accounts there are and how many meet `requirements` (Assay's own marketplace only)."""
        rows = [_requirement(requirement) for requirement in requirements]
        answer = self._answer(self._assay_client().count_workers, QualificationRequirements=rows)
        return AccountCounts(answer["Accounts"], answer["Qualified"])

    def call_extension(self, operation: str, **members: Any) -> dict[str, Any]:
        """Carry out an operation that Amazon's API never had (Assay's own marketplace only).

        A MarketError names the member at fault as its `field`.
        """
        return self._answer(getattr(self._assay_client(), operation), **members)

    def draws(self, tag: str, *, after: int) -> tuple[str, list[SeenDraw]]:
        """The seed and the lines after the number `after` of the log of a study's draw; ("", []) where nothing is drawn
        (Assay's own marketplace only)."""
        seed, draws, token = "", list[SeenDraw](), None
        while True:
            page: dict[str, Any] = {"MaxResults": PAGE, **({"NextToken": token} if token else {})}
            answer = self._answer(self._assay_client().list_draws, Study=tag, After=after, **page)
            seed, token = answer.get("Seed", ""), answer.get("NextToken")
            draws += [
                SeenDraw(row["Number"], row["Kind"], row["WorkerId"], row["Cell"], row["Time"].astimezone(UTC))
                for row in answer["Events"]
            ]
            if not token or not answer["Events"]:
                return seed, draws

    def set_draw_seed(self, tag: str, seed: str) -> None:
        """Have people of a study assigned by `seed`; again, it changes nothing (Assay's own marketplace only).

        Raises MarketError once somebody was assigned by another seed.
        """
        self._answer(self._assay_client().set_draw_seed, Study=tag, Seed=seed)

    def _assay_client(self) -> Any:
        if self._assay is None:
            with _creation:  # of clients by one session: botocore lets one thread at a time
                self._assay = _assay_session().client("assay", endpoint_url=self.url, **self._access)
            CallLimit(self._assay)
        return self._assay

    def messages(self, queue: str) -> list[QueuedMessage]:
        """Up to ten messages of the queue; they come back after a while unless they are deleted."""
        answer = self._answer(self._queue(queue).receive_message, QueueUrl=queue, MaxNumberOfMessages=10)
        return [QueuedMessage(row["Body"], row["ReceiptHandle"]) for row in answer.get("Messages", [])]

    def delete_message(self, queue: str, handle: str) -> None:
        """The message has been understood and stored."""
        self._answer(self._queue(queue).delete_message, QueueUrl=queue, ReceiptHandle=handle)

    def _queue(self, queue: str) -> Any:
        if self._sqs is None:
            parts = urlsplit(queue)
            address = f"{parts.scheme}://{parts.netloc}{QUEUES}"
            self._sqs = boto3.client("sqs", endpoint_url=address, **self._access)
            CallLimit(self._sqs)
        return self._sqs

    def _once(self, operation: str, **parameters: Any) -> None:
        """A call with a token: that it was done before is its success."""
        try:
            self._call(operation, **parameters)
        except MarketError as error:
            if error.code != TURK + "DuplicateRequest" and "was already done by the request" not in str(error):
                raise

    def _call_unless_deleted(self, operation: str, **parameters: Any) -> None:
        try:
            self._call(operation, **parameters)
        except MarketError as error:
            is_deleted = error.code == TURK + "HITDoesNotExist" or "'Disposed'" in str(error)
            if not is_deleted:
                raise

    def once_pass(self, name: str) -> str:
        """The qualification type of that name by which Assay's marketplace lets each person in once (`assay:once`).

        Made at the first call; the same one afterwards.
        """
        description = "Held by people who have taken part. Each person takes part once."
        return self._ensure_qualification_type(name, Description=description, Keywords=ONCE)

    def hold_mark(self, name: str) -> str:
        """The qualification type of that name, which people have who are kept out of a study for a while.

        Made at the first call; the same one afterwards.
        """
        return self._ensure_qualification_type(name, Description=HELD_BACK)

    def took_part_mark(self, name: str) -> str:
        """The qualification type of that name, which people have who took part in a study that another repeats.

        Made at the first call; the same one afterwards.
        """
        return self._ensure_qualification_type(name, Description=TOOK_PART)

    def named_qualification(self, name: str) -> str:
        """The account's qualification type of that name, made at the first call."""
        return self._ensure_qualification_type(name, Description=f"{name} (from a list of workers)")

    def _ensure_qualification_type(self, name: str, **properties: Any) -> str:
        try:
            answer = self._call("create_qualification_type", Name=name, QualificationTypeStatus="Active", **properties)
            return str(answer["QualificationType"]["QualificationTypeId"])
        except MarketError as error:
            if "already created" not in str(error):
                raise
        query = {"Query": name, "MustBeRequestable": False, "MustBeOwnedByCaller": True}
        for row in self._pages("list_qualification_types", "QualificationTypes", **query):
            if row["Name"] == name:
                return str(row["QualificationTypeId"])
        raise MarketError(f"The qualification {name} is there, but is not listed yet.", permanent=False)

    def submitted(self, hit_id: str) -> Iterator[SubmittedWork]:
        """All submitted, approved and rejected assignments of a HIT, to the last page."""
        for row in self._pages("list_assignments_for_hit", "Assignments", HITId=hit_id):
            yield SubmittedWork(
                assignment_id=row["AssignmentId"],
                hit_id=row["HITId"],
                worker_id=row["WorkerId"],
                status=row["AssignmentStatus"],
                answer=row.get("Answer", ""),
                accepted_at=row["AcceptTime"].astimezone(UTC),
                submitted_at=row["SubmitTime"].astimezone(UTC),
                approves_at=_time(row, "AutoApprovalTime"),
                approved_at=_time(row, "ApprovalTime"),
                rejected_at=_time(row, "RejectionTime"),
                feedback=row.get("RequesterFeedback", ""),
            )

    def approve(self, assignment_id: str, *, feedback: str = "", override: bool = False) -> None:
        """Approve; an assignment that is already approved (by a person, or automatically) stays so.

        override: a rejection becomes an approval.
        """
        more = {"OverrideRejection": True} if override else {}
        self._decide("approve_assignment", assignment_id, ("Approved",), feedback, **more)

    def reject(self, assignment_id: str, *, feedback: str) -> bool:
        """Reject with a reason; an assignment that is already rejected stays so. False: auto-approval came before."""
        return self._decide("reject_assignment", assignment_id, ("Rejected", "Approved"), feedback) == "Rejected"

    def _decide(self, operation: str, assignment_id: str, settled: tuple[str, ...], feedback: str, **more: Any) -> str:
        """The state that it is in: the first of `settled`, or another of these that cannot be changed any more."""
        try:
            self._call(operation, AssignmentId=assignment_id, RequesterFeedback=feedback, **more)
        except MarketError as error:
            return self.state_after(error, assignment_id, settled)
        return settled[0]

    def state_after(self, error: MarketError, assignment_id: str, settled: tuple[str, ...]) -> str:
        """The state, of `settled`, for which a decision was refused: it was made before. Raises `error` for another."""
        if error.code != TURK + "InvalidAssignmentState":
            raise error
        status = str(self._call("get_assignment", AssignmentId=assignment_id)["Assignment"]["AssignmentStatus"])
        if status not in settled:
            raise error
        return status

    def _pages(self, operation: str, member: str, **parameters: Any) -> Iterator[dict[str, Any]]:
        """Every row of a listing: until a page is empty or names no next one."""
        token = None
        while True:
            if token:
                parameters["NextToken"] = token
            answer = self._call(operation, MaxResults=PAGE, **parameters)
            rows = answer.get(member, [])
            yield from rows
            token = answer.get("NextToken")
            if not rows or not token:
                return

    def _call(self, operation: str, **parameters: Any) -> dict[str, Any]:
        answer = self._answer(getattr(self._client, operation), **parameters)
        headers = answer["ResponseMetadata"]["HTTPHeaders"]
        self._quoted_fees = headers.get(FEES, "")
        stamp = headers.get("date")
        if stamp:
            self._ahead = parsedate_to_datetime(stamp).astimezone(UTC) - datetime.now(UTC)
        return answer

    def _answer(self, operation: Callable[..., dict[str, Any]], **parameters: Any) -> dict[str, Any]:
        self._pace.wait()
        try:
            return operation(**parameters)
        except ClientError as error:
            raise _market_error(error, _worker_ids(parameters)) from error
        except BotoCoreError as error:
            reason = _hide_worker_ids(str(error), _worker_ids(parameters))
            sentence = f"The marketplace could not be reached: {reason}"
            raise MarketError(sentence, permanent=False, away=True) from error


def _requester_name(answer: Mapping[str, Any]) -> RequesterName:
    return RequesterName(answer["AccountName"], answer.get("DisplayName", ""))


def _worker_ids(parameters: Mapping[str, Any]) -> list[str]:
    """Workers that a call is about."""
    return [str(worker_id) for worker_id in (parameters.get("WorkerId"), *parameters.get("WorkerIds", ())) if worker_id]


def _hide_worker_ids(text: str, people: Sequence[str]) -> str:
    """A marketplace's words without the ids that it repeats: they are shown to people who may not see them."""
    for worker_id in people:
        text = text.replace(worker_id, "(id not shown)")
    return text


def _market_error(error: ClientError, people: Sequence[str]) -> MarketError:
    """Build the error; the Turk code is next to the error in the response. Throttling and faults are temporary."""
    code = error.response.get("Error", {}).get("Code", "")
    message = error.response.get("Error", {}).get("Message") or error.response.get("Message") or str(error)
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400)
    refusal = MarketError(
        f"Marketplace error: {_hide_worker_ids(message, people)}",
        code=error.response.get("TurkErrorCode") or code,
        permanent=status < 500 and code not in PASSING,
        away=status >= 500,
    )
    return refusal.at(str(error.response.get("Field") or ""))


def _quoted_id(error: MarketError) -> str:
    """The HIT id in: The HIT with ID "3..." already exists."""
    parts = str(error).split('"')
    if len(parts) < 3 or not parts[1]:
        raise MarketError(f"The marketplace named no HIT: {error}", code=error.code)
    return parts[1]


def _create_parameters(order: HitOrder) -> dict[str, Any]:
    return {
        "Title": order.title,
        "Description": order.description,
        "Keywords": order.keywords,
        "Reward": plain_amount(order.reward_cents, order.currency),
        "MaxAssignments": order.max_assignments,
        "AssignmentDurationInSeconds": order.assignment_seconds,
        "LifetimeInSeconds": order.lifetime_seconds,
        "AutoApprovalDelayInSeconds": order.auto_approval_seconds,
        "Question": order.question,
        "RequesterAnnotation": order.annotation,
        "UniqueRequestToken": order.token,
        "QualificationRequirements": [_requirement(requirement) for requirement in order.requirements],
    }


def _requirement(requirement: Requirement) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if requirement.integer is not None:
        values["IntegerValues"] = [requirement.integer]
    if requirement.country:
        values["LocaleValues"] = [{"Country": requirement.country}]
    return {
        "QualificationTypeId": requirement.qualification_type_id,
        "Comparator": requirement.comparator,
        **values,
    }


def _seen_hit(row: dict[str, Any]) -> SeenHit:
    return SeenHit(
        market_id=str(row["HITId"]),
        annotation=str(row.get("RequesterAnnotation", "")),
        status=str(row["HITStatus"]),
        places=int(row["MaxAssignments"]),
        free=int(row.get("NumberOfAssignmentsAvailable", 0)),
        inside=int(row.get("NumberOfAssignmentsPending", 0)),
        decided=int(row.get("NumberOfAssignmentsCompleted", 0)),
        expires_at=row["Expiration"].astimezone(UTC),
        title=str(row.get("Title", "")),
        type_id=str(row.get("HITTypeId", "")),
        created_at=_time(row, "CreationTime"),
    )


def _time(row: Mapping[str, Any], member: str) -> datetime | None:
    return row[member].astimezone(UTC) if member in row else None
