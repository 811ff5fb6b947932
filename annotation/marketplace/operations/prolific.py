"""Prolific by the signed requester: the account, the draft and its price, publishing, following, deciding, paying.

Operations that call Prolific run outside a transaction. Ids of people at Prolific are in no answer.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Q, Sum

from annotation.marketplace.channels.kinds import PROLIFIC
from annotation.marketplace.core import clock
from annotation.marketplace.errors import InvalidParameterError, RequestRefusedError
from annotation.marketplace.models import (
    Assignment,
    ProlificAccount,
    ProlificAction,
    ProlificBonusBatch,
    ProlificStudy,
    ProlificSubmission,
)
from annotation.marketplace.operations.channels import load_channel
from annotation.marketplace.operations.finding import load_assignment
from annotation.marketplace.operations.registry import Call, extension_operation
from annotation.marketplace.prolific import accounts, actions, decide, pay, price, publish, study_draft
from annotation.marketplace.prolific.answers import ProlificError
from annotation.marketplace.prolific.records import WorkspaceRecord

# Fewer people are not counted by Prolific.
FEW = 25
# What waits where Prolific's cost lacks bonuses that it has accepted.
COST = "cost"
UNCHARGED = "The cost that Prolific shows does not include all bonuses yet."
Kind = ProlificAction.Kind
State = ProlificStudy.State
STUDY_PAGE = "https://app.prolific.com/researcher/workspaces/studies/"


@extension_operation("ConnectProlific", writes=False)
def connect_prolific(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Store a token that Prolific knows."""
    return _account_shape(accounts.connect(call.requester, parameters["Token"], now=call.now))


@extension_operation("DisconnectProlific", writes=True)
def disconnect_prolific(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Delete the token."""
    return _account_shape(accounts.disconnect(call.requester))


@extension_operation("GetProlificAccount", writes=False)
def get_prolific_account(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """The account, with its workspaces and balances as they are now."""
    return _account_shape(accounts.read_connection(call.requester))


@extension_operation("ChooseProlificProject", writes=False)
def choose_prolific_project(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Create further studies in a project."""
    workspace, project = parameters["WorkspaceId"], parameters["ProjectId"]
    return _account_shape(accounts.choose_project(call.requester, workspace, project))


@extension_operation("ListProlificFilters", writes=False)
def list_prolific_filters(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """The filters that Prolific offers."""
    account = accounts.connected(call.requester)
    with accounts.open_client(account) as client:
        try:
            rows = client.list_filters()
        except ProlificError as error:
            raise accounts.refusal_of(error) from None
    return {
        "Filters": [
            {
                "FilterId": row.filter_id,
                "Title": row.title,
                "Description": row.description,
                "Kind": row.kind,
                "Choices": [{"Value": value, "Label": label} for value, label in row.choices],
                "Lowest": row.lowest,
                "Highest": row.highest,
            }
            for row in rows
        ]
    }


@extension_operation("CountProlificPeople", writes=False)
def count_prolific_people(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """How many people pass the filters."""
    filters = study_draft.as_prolific_filters(study_draft.checked_filters(parameters["Filters"]))
    with accounts.open_client(accounts.connected(call.requester)) as client:
        try:
            people = client.count_eligible(filters)
        except ProlificError as error:
            if not error.later:
                raise InvalidParameterError(str(error)).at("Filters") from None
            raise accounts.refusal_of(error) from None
    return {"People": people, "TooFew": people < FEW}


@extension_operation("SetProlificDraft", writes=True)
def set_prolific_draft(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Set the members of the draft that are named."""
    return _study_shape(study_draft.set_draft(_study(call, parameters), parameters))


@extension_operation("QuoteProlificStudy", writes=False)
def quote_prolific_study(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """What publishing would cost now, and what prevents it."""
    quote = _quote(call, _study(call, parameters))
    return {
        "Currency": quote.currency,
        "RewardMinor": quote.reward,
        "Places": quote.places,
        "RewardsMinor": quote.rewards,
        "FeesMinor": quote.fees,
        "TotalMinor": quote.total,
        "BonusReserveMinor": quote.bonus_reserve,
        "AvailableMinor": quote.available,
        "HourlyMinor": quote.hourly,
        "Problems": quote.problems,
        "Warnings": quote.warnings,
    }


@extension_operation("PublishProlificStudy", writes=False)
def publish_prolific_study(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Have the study published at the price that was shown. Asked again it changes nothing."""
    study = _study(call, parameters)
    if study.state == State.DRAFT:
        account = accounts.connected(call.requester)
        quote = _quote(call, study)
        study = publish.ask_to_publish(study, account, quote, total=parameters["TotalMinor"], now=call.now)
    return _study_shape(study)


@extension_operation("PauseProlificStudy", writes=True)
def pause_prolific_study(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Admit no one else for now."""
    return _study_shape(publish.ask_to_change(_study(call, parameters), Kind.PAUSE, now=call.now))


@extension_operation("StartProlificStudy", writes=True)
def start_prolific_study(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Go on after a pause."""
    return _study_shape(publish.ask_to_change(_study(call, parameters), Kind.START, now=call.now))


@extension_operation("StopProlificStudy", writes=True)
def stop_prolific_study(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """End the study at Prolific."""
    return _study_shape(publish.ask_to_change(_study(call, parameters), Kind.STOP, now=call.now))


@extension_operation("AddProlificPlaces", writes=True)
def add_prolific_places(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Have the study take this number of people in all."""
    places, total = parameters["Places"], parameters.get("TotalMinor")
    return _study_shape(publish.ask_for_places(_study(call, parameters), places, total=total, now=call.now))


@extension_operation("GetProlificStudy", writes=False)
def get_prolific_study(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """The study as it was last read: status, money, people, what waits, what is unknown."""
    return _study_shape(_study(call, parameters))


@extension_operation("RetryProlificAction", writes=True)
def retry_prolific_action(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Try again what Prolific refused."""
    study = _study(call, parameters)
    actions.retry_failed(study, now=call.now)
    return _study_shape(study)


@extension_operation("ListProlificSubmissions", writes=False)
def list_prolific_submissions(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """The study's submissions, by keys of this side."""
    study = _study(call, parameters)
    known = Sum("bonus_lines__amount_minor", filter=Q(bonus_lines__batch__state="known"), default=0)
    rows = list(
        ProlificSubmission.objects.filter(study=study)
        .select_related("participant")
        .annotate(bonus=known)
        .order_by("pk")
    )
    works: dict[Any, list[str]] = {}
    submitted = Assignment.objects.filter(worker__channel=study.channel_id, state__in=Assignment.SUBMITTED_STATES)
    for worker, assignment_id in submitted.order_by("pk").values_list("worker", "assignment_id"):
        works.setdefault(worker, []).append(assignment_id)
    return {"Submissions": [_submission_shape(study, row, works) for row in rows]}


def _submission_shape(study: ProlificStudy, row: Any, works: dict[Any, list[str]]) -> dict[str, Any]:
    decision = {"APPROVED": "approved", "REJECTED": "rejected"}.get(row.status, "")
    if not hasattr(row, "bonus"):
        lines = row.bonus_lines.filter(batch__state=ProlificBonusBatch.State.KNOWN)
        row.bonus = lines.aggregate(sum=Sum("amount_minor", default=0))["sum"]
    return {
        "Key": row.key,
        "Status": row.status,
        "AssignmentIds": works.get(row.participant.worker_id or 0, []),
        "StartedAt": row.started_at,
        "CompletedAt": row.completed_at,
        "Path": study_draft.path_of(study, row.code),
        "Decision": decision,
        "ReturnRequestedAt": row.return_requested_at,
        "BonusMinor": row.bonus,
        "Note": row.note,
    }


@extension_operation("GetProlificWork", writes=False)
def get_prolific_work(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """The submission of the person of an assignment. Nothing of who came another way, or is not known there yet."""
    assignment = load_assignment(call, parameters["AssignmentId"])
    submission = decide.submission_of(assignment)
    if submission is None:
        return {"CameByProlific": decide.came_by_prolific(assignment)}
    works = {assignment.worker_id: _work_of(assignment.worker_id)}
    return {"CameByProlific": True, "Submission": _submission_shape(submission.study, submission, works)}


def _work_of(worker: Any) -> list[str]:
    submitted = Assignment.objects.filter(worker=worker, state__in=Assignment.SUBMITTED_STATES)
    return list(submitted.order_by("pk").values_list("assignment_id", flat=True))


@extension_operation("RejectProlificWork", writes=True)
def reject_prolific_work(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """RejectAssignment for people at Prolific: with a category, and a reason of at least 100 characters."""
    assignment = _prolific_work(call, parameters)
    feedback, category = parameters["RequesterFeedback"], parameters["Category"]
    decide.reject(assignment, feedback=feedback, category=category, now=call.now)
    return {}


@extension_operation("RequestProlificReturn", writes=True)
def request_prolific_return(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Have Prolific ask the person of an assignment to return their submission."""
    decide.ask_return(_prolific_work(call, parameters), parameters["Reasons"], now=call.now)
    return {}


@extension_operation("SettleProlificBonusBatch", writes=False)
def settle_prolific_bonus_batch(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    """Say whether a payment of bonuses was made whose answer did not come."""
    study = _study(call, parameters)
    batch = ProlificBonusBatch.objects.filter(study=study, batch_id=parameters["BatchId"]).first()
    if batch is None:
        raise InvalidParameterError("The study has no such batch of bonuses.").at("BatchId")
    with accounts.open_client(accounts.connected(call.requester)) as client:
        try:
            pay.settle_unknown(batch, parameters["Outcome"], client, now=call.now)
        except ProlificError as error:
            raise accounts.refusal_of(error) from None
    return _study_shape(study)


def _prolific_work(call: Call, parameters: dict[str, Any]) -> Assignment:
    assignment = load_assignment(call, parameters["AssignmentId"])
    if not decide.came_by_prolific(assignment):
        raise InvalidParameterError("The person of this assignment did not come by Prolific.").at("AssignmentId")
    return assignment


def _study(call: Call, parameters: dict[str, Any]) -> ProlificStudy:
    channel = load_channel(call, parameters)
    if channel.kind != PROLIFIC:
        raise InvalidParameterError("This channel does not lead to Prolific.").at("ChannelId")
    return ProlificStudy.objects.select_related("channel__requester").get(channel=channel)


def _quote(call: Call, study: ProlificStudy) -> price.StudyQuote:
    account = accounts.connected(call.requester)
    with accounts.open_client(account) as client:
        try:
            return price.quote_study(study, account, client)
        except ProlificError as error:
            raise accounts.refusal_of(error) from None


def _account_shape(connection: accounts.Connection) -> dict[str, Any]:
    account, chosen = connection.account, connection.chosen
    connected = account is not None and bool(account.token_sealed)
    if account is None or not connected:
        return {"Connected": False, "TokenEnd": "", "Email": "", "Currency": "", "Workspaces": []}
    return {
        "Connected": True,
        "TokenEnd": account.token_end,
        "Email": account.email,
        "Currency": account.currency,
        "AvailableMinor": chosen.available.units if chosen and chosen.available else None,
        "WorkspaceId": account.workspace_id,
        "ProjectId": account.project_id,
        "Workspaces": [_workspace_shape(row) for row in connection.workspaces],
    }


def _workspace_shape(row: WorkspaceRecord) -> dict[str, Any]:
    return {
        "WorkspaceId": row.workspace_id,
        "Title": row.title,
        "Currency": row.currency,
        "AvailableMinor": row.available.units if row.available else None,
        "Projects": [{"ProjectId": key, "Title": title} for key, title in row.projects],
    }


def _study_shape(study: ProlificStudy) -> dict[str, Any]:
    status = {State.DRAFT: "draft", State.REQUESTED: "publishing", State.CREATED: "publishing"}.get(State(study.state))
    account = ProlificAccount.objects.filter(requester=study.channel.requester_id).first()
    return {
        "ChannelId": study.channel.channel_id,
        "Status": status or study.status.lower(),
        "Address": f"{STUDY_PAGE}{study.prolific_id}" if study.prolific_id else "",
        "Name": study_draft.name_of(study),
        "InternalName": study.internal_name,
        "Description": study.description,
        "Minutes": study.minutes,
        "RewardMinor": study.reward_minor,
        "HighestRewardMinor": study.highest_reward_minor,
        "Places": study.places,
        "Devices": study.devices,
        "Labels": study.labels,
        "ContentWarnings": study.content_warnings,
        "ContentWarningDetails": study.content_warning_details,
        "Filters": study.filters,
        "ExcludesEarlier": study.excludes_earlier,
        "Currency": study.currency or (account.currency if account else ""),
        "TotalMinor": study.total_minor,
        "SpentMinor": study.spent_minor + study.fees_minor,
        "FeesMinor": study.fees_minor,
        **_money(study),
        "BonusReserveMinor": study.bonus_reserve_minor,
        "Counts": [{"Status": name, "Count": number} for name, number in sorted(study.counts.items())],
        "Waiting": _waiting(study),
        "UnknownBatches": _unknown_batches(study),
        "UnknownFields": [{"Name": name, "Value": text} for name, text in sorted(study.unknown_fields.items())],
        "LastSyncAt": study.synced_at,
        "SyncError": study.sync_error,
        "HooksWork": bool(account and account.hook_secret_sealed),
    }


def _money(study: ProlificStudy) -> dict[str, int]:
    return dict(zip(("PaidMinor", "BonusPaidMinor"), pay.read_sums(study), strict=True))


def _waiting(study: ProlificStudy) -> list[dict[str, Any]]:
    """What is to be done at Prolific, in the order in which it was asked for."""
    rows = ProlificAction.objects.filter(study=study).exclude(state=ProlificAction.State.DONE).order_by("pk")
    waiting = [
        {
            "Kind": row.kind,
            "Since": row.created_at,
            "Error": row.error,
            "Attempts": row.attempts,
            "Failed": row.state == ProlificAction.State.FAILED,
        }
        for row in rows
    ]
    batches = ProlificBonusBatch.objects.filter(study=study, state__in=ProlificBonusBatch.OPEN)
    for batch in batches.exclude(state=ProlificBonusBatch.State.UNKNOWN).order_by("pk"):
        waiting.append(
            {
                "Kind": "bonus",
                "Since": batch.created_at,
                "Error": batch.error,
                "Attempts": batch.attempts,
                "Failed": False,
            }
        )
    since = pay.uncharged_since(study, now=clock.now())
    if since is not None:
        waiting.append({"Kind": COST, "Since": since, "Error": UNCHARGED, "Attempts": 1, "Failed": False})
    return waiting


def _unknown_batches(study: ProlificStudy) -> list[dict[str, Any]]:
    rows = ProlificBonusBatch.objects.filter(study=study, state=ProlificBonusBatch.State.UNKNOWN).order_by("pk")
    return [
        {
            "BatchId": batch.batch_id,
            "AmountMinor": batch.amount_minor,
            "People": batch.lines.values("submission").distinct().count(),
            "SentAt": batch.sent_at,
            "Error": batch.error,
            "AlreadyPaidMinor": batch.shown_paid_minor,
        }
        for batch in rows
    ]


def refuse_without_category(assignment: Assignment) -> None:
    """Raises RequestRefusedError for work of people at Prolific, whose rejections need a category."""
    if decide.came_by_prolific(assignment):
        problem = (
            "The person came by Prolific, which asks for a category and at least 100 characters: "
            "use RejectProlificWork."
        )
        raise RequestRefusedError("ProlificCategoryNeeded", problem)
