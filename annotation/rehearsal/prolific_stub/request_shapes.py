"""The shape of every request of the API: method, path, query and body, with types, required fields and ranges.

Source: the fields that Prolific's public API reference documents. A field that is not named is an error.
Amounts are whole minor units (cents, pence), but for the lines of bonus payments, which are decimals.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AnyUrl, BaseModel, ConfigDict, Field, field_validator, model_validator

Text = Annotated[str, Field(min_length=1)]
Ids = Annotated[list[Text], Field(min_length=1)]
Places = Annotated[int, Field(ge=1)]
Cents = Annotated[int, Field(ge=1)]

STUDY_ACTIONS = Literal["PUBLISH", "SCHEDULE_PUBLISH", "CANCEL_PUBLISH", "PAUSE", "START", "STOP"]
STUDY_LABELS = Literal[
    "survey",
    "writing_task",
    "annotation",
    "decision_making_task",
    "interview",
    "ai_annotation",
    "ai_evaluation",
    "other",
]
SUBMISSION_ACTIONS = Literal["APPROVE", "REJECT", "COMPLETE", "RETURN", "START", "SCREEN_OUT", "UNREJECT", "UNRETURN"]
REJECTION_CATEGORIES = Literal[
    "TOO_QUICKLY",
    "TOO_SLOWLY",
    "FAILED_INSTRUCTIONS",
    "INCOMP_LONGITUDINAL",
    "FAILED_CHECK",
    "LOW_EFFORT",
    "MALINGERING",
    "NO_CODE",
    "BAD_CODE",
    "NO_DATA",
    "UNSUPP_DEVICE",
    "OTHER",
]
MIN_REJECTION_CHARACTERS = 100
MAX_BULK_SUBMISSIONS = 1000
BONUS_LINE = re.compile(r"^(?P<id>[^,\s]+),(?P<amount>[0-9]+(?:\.[0-9]{1,2})?)$")
PLACEHOLDERS = ("{{%PROLIFIC_PID%}}", "{{%STUDY_ID%}}", "{{%SESSION_ID%}}")


class Shape(BaseModel):
    """A body whose fields are all named and of exactly their type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ReviewAction(Shape):
    """What happens to a submission that ends on a code."""

    action: Literal["AUTOMATICALLY_APPROVE", "MANUALLY_REVIEW", "REQUEST_RETURN", "DYNAMIC_PAYMENT"]
    return_reason: str | None = None


class GroupAction(Shape):
    """Into or out of a participant group."""

    action: Literal["ADD_TO_PARTICIPANT_GROUP", "REMOVE_FROM_PARTICIPANT_GROUP"]
    participant_group: Text


class ScreenOutAction(Shape):
    """A fixed payment to who is screened out."""

    action: Literal["FIXED_SCREEN_OUT_PAYMENT"]
    fixed_screen_out_reward: Cents
    slots: Places


class CompletionCode(Shape):
    """A way a submission can end."""

    code: Text
    code_type: Text
    actions: Annotated[list[ReviewAction | GroupAction | ScreenOutAction], Field(min_length=1)]
    actor: Literal["participant", "researcher"] = "participant"

    @model_validator(mode="after")
    def _approve_or_review(self) -> CompletionCode:
        names = {action.action for action in self.actions}
        if {"AUTOMATICALLY_APPROVE", "MANUALLY_REVIEW"} <= names:
            raise ValueError("AUTOMATICALLY_APPROVE and MANUALLY_REVIEW exclude each other")
        return self


class SelectFilter(Shape):
    """Choices of a filter, as the strings that the list of filters names."""

    filter_id: Text
    selected_values: Ids
    weightings: dict[str, float] | None = None


class Range(Shape):
    """Bounds of a range, either may be left open."""

    lower: float | str | None = None
    upper: float | str | None = None


class RangeFilter(Shape):
    """Bounds of a filter."""

    filter_id: Text
    selected_range: Range
    weightings: list[dict[str, float]] | None = None


Filters = list[SelectFilter | RangeFilter]


class SubmissionsConfig(Shape):
    """How often and how many at once."""

    max_submissions_per_participant: Annotated[int, Field(ge=1)] = 1
    max_concurrent_submissions: Annotated[int, Field(ge=-1)] = -1
    auto_rejection_categories: list[Literal["EXCEPTIONALLY_FAST"]] = []


class AccessDetail(Shape):
    """An address of a study with several."""

    external_url: Text
    total_allocation: Places


class StudyFields(Shape):
    """Every field that may be sent for a study; a draft may change all of them."""

    name: Text | None = None
    internal_name: str | None = None
    description: Text | None = None
    external_study_url: Text | None = None
    prolific_id_option: Literal["question", "url_parameters", "not_required"] | None = None
    total_available_places: Places | None = None
    estimated_completion_time: Annotated[float, Field(gt=0)] | None = None
    maximum_allowed_time: Annotated[float, Field(gt=0, lt=24 * 60)] | None = None
    reward: Cents | None = None
    completion_codes: Annotated[list[CompletionCode], Field(min_length=1)] | None = None
    filters: Filters | None = None
    filter_set_id: Text | None = None
    filter_set_version: int | None = None
    device_compatibility: list[Literal["desktop", "tablet", "mobile"]] | None = None
    peripheral_requirements: list[Literal["audio", "camera", "download", "microphone"]] | None = None
    project: Text | None = None
    submissions_config: SubmissionsConfig | None = None
    study_labels: Annotated[list[STUDY_LABELS], Field(max_length=1)] | None = None
    content_warnings: Annotated[list[Literal["sensitive", "explicit"]], Field(max_length=1)] | None = None
    content_warning_details: str | None = None
    naivety_distribution_rate: Annotated[float, Field(ge=0, le=1)] | None = None
    metadata: str | None = None
    is_external_study_url_secure: bool | None = None
    access_details: Annotated[list[AccessDetail], Field(min_length=1)] | None = None
    publish_at: str | None = None

    @field_validator("external_study_url")
    @classmethod
    def _is_address(cls, address: str | None) -> str | None:
        if address is not None:
            bare = address
            for placeholder in PLACEHOLDERS:
                bare = bare.replace(placeholder, "x")
            if AnyUrl(bare).scheme not in ("http", "https"):
                raise ValueError("must be an http or https address")
        return address

    @model_validator(mode="after")
    def _is_consistent(self) -> StudyFields:
        codes = [code.code for code in self.completion_codes or []]
        if len(set(codes)) < len(codes):
            raise ValueError("completion_codes: each code must be unique within a study")
        if self.filters and self.filter_set_id:
            raise ValueError("filters: cannot be combined with filter_set_id")
        minutes = self.estimated_completion_time
        if self.maximum_allowed_time and minutes and self.maximum_allowed_time < min_allowed_minutes(minutes):
            raise ValueError(f"maximum_allowed_time: at least {min_allowed_minutes(minutes)} minutes")
        return self


class CreateStudy(StudyFields):
    """A new draft."""

    name: Text
    description: Text
    prolific_id_option: Literal["question", "url_parameters", "not_required"]
    total_available_places: Places
    estimated_completion_time: Annotated[float, Field(gt=0)]
    reward: Cents
    completion_codes: Annotated[list[CompletionCode], Field(min_length=1)]

    @model_validator(mode="after")
    def _has_addresses(self) -> CreateStudy:
        if (self.external_study_url is None) == (self.access_details is None):
            raise ValueError("external_study_url: send it or access_details")
        allocated = sum(detail.total_allocation for detail in self.access_details or [])
        if self.access_details and allocated != self.total_available_places:
            raise ValueError("access_details: allocations must sum to total_available_places")
        return self


def min_allowed_minutes(minutes: float) -> int:
    """Return the fewest minutes after which a submission may time out: two, twice the estimate, twice its root."""
    return math.floor(2 + 2 * minutes + 2 * math.sqrt(minutes))


class StudyTransition(Shape):
    """A study's next state."""

    action: STUDY_ACTIONS
    publish_at: str | None = None

    @field_validator("publish_at")
    @classmethod
    def _is_moment(cls, moment: str | None) -> str | None:
        if moment is not None:
            datetime.fromisoformat(moment)
        return moment


class CloneStudy(Shape):
    """A copy of a study."""

    block_previous_participants: bool = True


class StudyCost(Shape):
    """What a study of these figures would cost."""

    reward: Cents
    total_available_places: Places


class EligibilityCount(Shape):
    """How many people pass every filter."""

    filters: Filters


class CreateProject(Shape):
    """A project in a workspace."""

    title: Text
    description: str | None = None


class CreateGroup(Shape):
    """A participant group."""

    name: Text
    workspace_id: Text
    description: str | None = None
    participant_ids: list[Text] | None = None


class UpdateGroup(Shape):
    """Another name, or all members anew."""

    name: Text | None = None
    participant_ids: list[Text] | None = None


class GroupMembers(Shape):
    """Who joins or leaves a group."""

    participant_ids: Ids


class CompletionCodeData(Shape):
    """A payment that depends on the work."""

    percentage_of_reward: Annotated[float, Field(ge=8, le=99)]
    message_to_participant: str | None = None


class SubmissionTransition(Shape):
    """A decision about a submission."""

    action: SUBMISSION_ACTIONS
    message: str | None = None
    rejection_category: REJECTION_CATEGORIES | None = None
    completion_code: Text | None = None
    completion_code_data: CompletionCodeData | None = None

    @model_validator(mode="after")
    def _is_complete(self) -> SubmissionTransition:
        if self.action == "REJECT":
            if len(self.message or "") < MIN_REJECTION_CHARACTERS:
                raise ValueError(f"message: at least {MIN_REJECTION_CHARACTERS} characters")
            if self.rejection_category is None:
                raise ValueError("rejection_category: required to reject")
        if self.action == "COMPLETE" and self.completion_code is None:
            raise ValueError("completion_code: required to complete")
        return self


class BulkApprove(Shape):
    """Many approvals at once."""

    submission_ids: Annotated[list[Text], Field(min_length=1, max_length=MAX_BULK_SUBMISSIONS)] | None = None
    study_id: Text | None = None
    participant_ids: Annotated[list[Text], Field(min_length=1, max_length=MAX_BULK_SUBMISSIONS)] | None = None

    @model_validator(mode="after")
    def _names_people(self) -> BulkApprove:
        by_study = self.study_id is not None and self.participant_ids is not None
        if by_study == (self.submission_ids is not None):
            raise ValueError("submission_ids: send them, or study_id with participant_ids")
        return self


class RequestReturn(Shape):
    """Why a person is asked to return."""

    request_return_reasons: Ids


class BonusPayments(Shape):
    """Bonuses as lines of id and decimal amount in whole units."""

    study_id: Text
    csv_bonuses: Text

    @field_validator("csv_bonuses")
    @classmethod
    def _has_lines(cls, text: str) -> str:
        bonus_lines(text)
        return text


def bonus_lines(text: str) -> list[tuple[str, int]]:
    """Return id and amount in minor units of each line. Raises ValueError for a line of another form."""
    lines = []
    for number, line in enumerate(text.strip().split("\n"), start=1):
        match = BONUS_LINE.match(line.strip())
        if match is None:
            raise ValueError(f"line {number} must be an id, a comma and an amount such as 1.50")
        cents = int(Decimal(match["amount"]) * 100)
        if cents <= 0:
            raise ValueError(f"line {number}: the amount must be above 0")
        lines.append((match["id"], cents))
    return lines


class SendMessage(Shape):
    """To a person."""

    recipient_id: Text
    study_id: Text
    body: Text


class SendBulkMessage(Shape):
    """To several people."""

    ids: Ids
    study_id: Text
    body: Text


class SendGroupMessage(Shape):
    """To a participant group."""

    participant_group_id: Text
    body: Text
    study_id: Text | None = None


class CreateSecret(Shape):
    """A secret with which hooks are signed."""

    workspace_id: Text


class CreateSubscription(Shape):
    """Events to an address."""

    workspace_id: Text
    event_type: Text
    target_url: Text


class ConfirmSubscription(Shape):
    """The secret of the answer that made the subscription."""

    secret: Text


class UpdateSubscription(Shape):
    """Another state, address or event."""

    is_enabled: bool | None = None
    target_url: Text | None = None
    event_type: Text | None = None


class CreateTestParticipant(Shape):
    """A person for tests."""

    email: Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+$")]


@dataclass(frozen=True)
class RequestShape:
    """A request: its method, its path below /api/v1 with names in braces, its body, and the query that it takes."""

    method: str
    path: str
    body: type[Shape] | None = None
    query: frozenset[str] = frozenset()
    required_query: frozenset[str] = frozenset()


def _of(method: str, path: str, body: type[Shape] | None = None, query: str = "", required: str = "") -> RequestShape:
    return RequestShape(method, path, body, frozenset(f"{query} {required}".split()), frozenset(required.split()))


_PAGE = "page page_size ordering"
_WINDOW = "limit offset ordering"
REQUESTS = {
    "get_user": _of("GET", "/users/me/"),
    "list_workspaces": _of("GET", "/workspaces/", query=_WINDOW),
    "get_workspace": _of("GET", "/workspaces/{workspace}/"),
    "get_balance": _of("GET", "/workspaces/{workspace}/balance/"),
    "list_projects": _of("GET", "/workspaces/{workspace}/projects/", query=_WINDOW),
    "create_project": _of("POST", "/workspaces/{workspace}/projects/", CreateProject),
    "get_project": _of("GET", "/projects/{project}/"),
    "list_project_studies": _of("GET", "/projects/{project}/studies/", query=f"{_PAGE} {_WINDOW}"),
    "list_studies": _of("GET", "/studies/", query=f"state {_WINDOW}"),
    "create_study": _of("POST", "/studies/", CreateStudy),
    "get_study": _of("GET", "/studies/{study}/"),
    "update_study": _of("PATCH", "/studies/{study}/", StudyFields),
    "delete_study": _of("DELETE", "/studies/{study}/"),
    "transition_study": _of("POST", "/studies/{study}/transition/", StudyTransition),
    "clone_study": _of("POST", "/studies/{study}/clone/", CloneStudy),
    "get_study_cost": _of("GET", "/studies/{study}/cost/", query="is_projected"),
    "count_submissions": _of("GET", "/studies/{study}/submissions/counts/"),
    "list_study_submissions": _of("GET", "/studies/{study}/submissions/", query=_WINDOW),
    "create_test_study": _of("POST", "/studies/{study}/test-study/"),
    "calculate_cost": _of("POST", "/study-cost-calculator/", StudyCost),
    "list_filters": _of("GET", "/filters/", query=f"workspace_id detailed filter_tag {_WINDOW}"),
    "get_distribution": _of("GET", "/filters/{filter}/distribution/", query="workspace_id distribution_filters"),
    "count_eligible": _of("POST", "/eligibility-count/", EligibilityCount),
    "list_groups": _of("GET", "/participant-groups/", query=f"workspace_id project_id filter active {_WINDOW}"),
    "create_group": _of("POST", "/participant-groups/", CreateGroup),
    "get_group": _of("GET", "/participant-groups/{group}/"),
    "update_group": _of("PATCH", "/participant-groups/{group}/", UpdateGroup),
    "delete_group": _of("DELETE", "/participant-groups/{group}/"),
    "list_members": _of("GET", "/participant-groups/{group}/participants/", query=_WINDOW),
    "add_members": _of("POST", "/participant-groups/{group}/participants/", GroupMembers),
    "remove_members": _of("DELETE", "/participant-groups/{group}/participants/", GroupMembers),
    "list_submissions": _of(
        "GET", "/submissions/", query=f"status submitted_from submitted_before {_PAGE}", required="study"
    ),
    "get_submission": _of("GET", "/submissions/{submission}/"),
    "transition_submission": _of("POST", "/submissions/{submission}/transition/", SubmissionTransition),
    "request_return": _of("POST", "/submissions/{submission}/request-return/", RequestReturn),
    "bulk_approve": _of("POST", "/submissions/bulk-approve/", BulkApprove),
    "create_bonuses": _of("POST", "/submissions/bonus-payments/", BonusPayments),
    "pay_bonuses": _of("POST", "/bulk-bonus-payments/{batch}/pay/"),
    "list_messages": _of("GET", "/messages/", query="user_id created_after excluded_sender_ids"),
    "list_unread": _of("GET", "/messages/unread/"),
    "send_message": _of("POST", "/messages/", SendMessage),
    "send_bulk_message": _of("POST", "/messages/bulk/", SendBulkMessage),
    "send_group_message": _of("POST", "/messages/participant-group/", SendGroupMessage),
    "list_event_types": _of("GET", "/hooks/event-types/", query=_WINDOW),
    "list_secrets": _of("GET", "/hooks/secrets/", required="workspace_id"),
    "create_secret": _of("POST", "/hooks/secrets/", CreateSecret),
    "list_subscriptions": _of("GET", "/hooks/subscriptions/", query=f"is_enabled workspace_id {_WINDOW}"),
    "create_subscription": _of("POST", "/hooks/subscriptions/", CreateSubscription),
    "get_subscription": _of("GET", "/hooks/subscriptions/{subscription}/"),
    "confirm_subscription": _of("POST", "/hooks/subscriptions/{subscription}/", ConfirmSubscription),
    "update_subscription": _of("PATCH", "/hooks/subscriptions/{subscription}/", UpdateSubscription),
    "delete_subscription": _of("DELETE", "/hooks/subscriptions/{subscription}/"),
    "list_events": _of("GET", "/hooks/subscriptions/{subscription}/events/", query=f"status resource_id {_WINDOW}"),
    "create_test_participant": _of("POST", "/researchers/participants/", CreateTestParticipant),
}
