"""The Requester API by boto3. No other module imports boto3."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from annotation.crowd.records import Endpoint, HitOrder, Requirement, SubmittedWork
from annotation.exceptions import MarketClosedError, MarketError

TURK = "AWS.MechanicalTurk."
PASSING = {"ThrottlingException", "ServiceFault", "RequestTimeout", "InternalFailure", "ServiceUnavailable"}
PAGE = 100
ONCE = "assay:once"


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
        self.url = endpoint.url
        self._ahead: timedelta | None = None
        on_this_machine = host in {"localhost", "127.0.0.1", "::1"}
        self._client = boto3.client(
            "mturk",
            endpoint_url=endpoint.url,
            region_name=endpoint.region,
            aws_access_key_id=endpoint.access_key,
            aws_secret_access_key=endpoint.secret_key,
            config=Config(
                retries={"mode": "standard", "max_attempts": 10},
                # A proxy named in the environment would swallow calls to loopback.
                proxies={} if on_this_machine else None,
            ),
        )

    def now(self) -> datetime:
        """The market's time, by the Date header of its last answer; asks for one if there was none yet."""
        if self._ahead is None:
            self.balance_cents()
        return datetime.now(UTC) + (self._ahead or timedelta(0))

    def balance_cents(self) -> int:
        """What is left to spend."""
        return int(Decimal(self._call("get_account_balance")["AvailableBalance"]) * 100)

    def create_hit(self, order: HitOrder) -> str:
        """Create the HIT and return its id; the id of the HIT that its token made before, if it did."""
        try:
            answer = self._call("create_hit", **_create_parameters(order))
        except MarketError as error:
            if error.code == TURK + "HitAlreadyExists":
                return _quoted_id(error)
            raise
        return str(answer["HIT"]["HITId"])

    def find_hit(self, annotation: str) -> str | None:
        """The HIT that carries this RequesterAnnotation: how one is found after its token was forgotten (24 h)."""
        for hit in self._pages("list_hits", "HITs"):
            if hit.get("RequesterAnnotation") == annotation:
                return str(hit["HITId"])
        return None

    def once_pass(self, name: str) -> str:
        """The qualification type of that name by which Assay's marketplace lets each person in once (`assay:once`).

        Made at the first call; the same one afterwards.
        """
        try:
            answer = self._call(
                "create_qualification_type",
                Name=name,
                Description="Held by people who have taken part. Each person takes part once.",
                Keywords=ONCE,
                QualificationTypeStatus="Active",
            )
            return str(answer["QualificationType"]["QualificationTypeId"])
        except MarketError as error:
            if "already created" not in str(error):
                raise
        own = {"Query": name, "MustBeRequestable": False, "MustBeOwnedByCaller": True}
        for row in self._pages("list_qualification_types", "QualificationTypes", **own):
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
            )

    def approve(self, assignment_id: str, *, feedback: str = "") -> None:
        """Approve; an assignment that is already approved (by us, or by the clock) stays so."""
        self._decide("approve_assignment", assignment_id, "Approved", feedback)

    def reject(self, assignment_id: str, *, feedback: str) -> None:
        """Reject with a reason; an assignment that is already rejected stays so."""
        self._decide("reject_assignment", assignment_id, "Rejected", feedback)

    def _decide(self, operation: str, assignment_id: str, wanted: str, feedback: str) -> None:
        try:
            self._call(operation, AssignmentId=assignment_id, RequesterFeedback=feedback)
        except MarketError as error:
            if error.code != TURK + "InvalidAssignmentState":
                raise
            found = self._call("get_assignment", AssignmentId=assignment_id)["Assignment"]["AssignmentStatus"]
            if found != wanted:
                raise

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
        try:
            answer: dict[str, Any] = getattr(self._client, operation)(**parameters)
        except ClientError as error:
            raise _market_error(error) from error
        except BotoCoreError as error:
            raise MarketError(f"The marketplace could not be reached: {error}", permanent=False) from error
        stamp = answer["ResponseMetadata"]["HTTPHeaders"].get("date")
        if stamp:
            self._ahead = parsedate_to_datetime(stamp).astimezone(UTC) - datetime.now(UTC)
        return answer


def _market_error(error: ClientError) -> MarketError:
    """The Turk code stands beside the error, not in it; throttling and faults pass by themselves."""
    code = error.response.get("Error", {}).get("Code", "")
    message = error.response.get("Error", {}).get("Message") or error.response.get("Message") or str(error)
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400)
    return MarketError(
        f"The marketplace refused: {message}",
        code=error.response.get("TurkErrorCode") or code,
        permanent=status < 500 and code not in PASSING,
    )


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
        "Reward": f"{order.reward_cents // 100}.{order.reward_cents % 100:02d}",
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
