"""Submissions: lists, decisions, requests to return, completion from the researcher's side."""

from __future__ import annotations

from datetime import datetime

from annotation.rehearsal.prolific_stub import events, studies
from annotation.rehearsal.prolific_stub.account_state import AccountState
from annotation.rehearsal.prolific_stub.answers import ApiError, Record, StubAnswer, listing
from annotation.rehearsal.prolific_stub.request_shapes import (
    BulkApprove,
    CompletionCodeData,
    RequestReturn,
    SubmissionTransition,
)
from annotation.rehearsal.prolific_stub.routing import ApiCall, operation

# From a status by an action to the next; an action that leads to the present status is ignored.
DECISIONS = {
    ("AWAITING REVIEW", "APPROVE"): "APPROVED",
    ("AWAITING REVIEW", "REJECT"): "REJECTED",
    ("AWAITING REVIEW", "RETURN"): "RETURNED",
    ("ACTIVE", "RETURN"): "RETURNED",
    ("RESERVED", "RETURN"): "RETURNED",
    ("RESERVED", "START"): "ACTIVE",
    ("ACTIVE", "SCREEN_OUT"): "SCREENED OUT",
}
RESTORING = {("REJECTED", "UNREJECT"): "AWAITING REVIEW", ("RETURNED", "UNRETURN"): "AWAITING REVIEW"}
RESULTS = {
    "APPROVE": "APPROVED",
    "REJECT": "REJECTED",
    "RETURN": "RETURNED",
    "START": "ACTIVE",
    "SCREEN_OUT": "SCREENED OUT",
}
ROW_FIELDS = ("id", "participant_id", "status", "started_at", "completed_at", "study_code", "return_requested")


def set_status(submission: Record, status: str, world: AccountState) -> None:
    """Give a submission its status; an approval pays the reward; a change is an event."""
    if submission["status"] == status:
        return
    submission["status"] = status
    study = world.studies[submission["study_id"]]
    if status == "APPROVED":
        submission["paid_cents"] = study["reward"]
        submission["approvals"] += 1
    body = {
        "event_type": "submission.status.change",
        "resource_id": submission["id"],
        "participant_id": submission["participant_id"],
        "status": status,
    }
    events.notify(world, world.workspace_of(study), body)
    studies.settle_status(study, world)


def end_on_code(submission: Record, code: Record, data: CompletionCodeData | None, world: AccountState) -> None:
    """Carry out the actions of a completion code."""
    submission |= {"study_code": code["code"], "completed_at": world.now()}
    names = [action["action"] for action in code["actions"]]
    for action in code["actions"]:
        _move_member(submission, action, world)
    if "REQUEST_RETURN" in names:
        submission["return_requested"] = world.now()
    if "FIXED_SCREEN_OUT_PAYMENT" in names:
        reward = next(a["fixed_screen_out_reward"] for a in code["actions"] if "fixed_screen_out_reward" in a)
        submission["paid_cents"] = reward
        set_status(submission, "SCREENED OUT", world)
    elif "DYNAMIC_PAYMENT" in names:
        if data is None:
            raise ApiError(400, {"completion_code_data": ["required for a code with DYNAMIC_PAYMENT"]})
        reward = world.studies[submission["study_id"]]["reward"]
        submission["paid_cents"] = int(reward * data.percentage_of_reward / 100)
        set_status(submission, "PARTIALLY APPROVED", world)
    else:
        set_status(submission, "APPROVED" if "AUTOMATICALLY_APPROVE" in names else "AWAITING REVIEW", world)


def _move_member(submission: Record, action: Record, world: AccountState) -> None:
    group = world.groups.get(action.get("participant_group", ""))
    if group is None:
        return
    members = [person for person in group["participant_ids"] if person != submission["participant_id"]]
    if action["action"] == "ADD_TO_PARTICIPANT_GROUP":
        members.append(submission["participant_id"])
    group["participant_ids"] = members


def _row(submission: Record, world: AccountState) -> Record:
    siblings = [row for row in world.submissions_of({"id": submission["study_id"]}) if row is not submission]
    same = any(row["participant_id"] == submission["participant_id"] for row in siblings)
    row = {name: submission[name] for name in ROW_FIELDS}
    study = world.studies[submission["study_id"]]
    return row | {
        "study_id": submission["study_id"],
        "has_siblings": same,
        "reward": study["reward"],
        "time_taken": _seconds(submission),
        "bonus_payments": submission["bonus_payments"],
        "star_awarded": False,
        "ip": "192.0.2.1",
        "strata": {"sex": "Prefer not to say"},
    }


def _seconds(submission: Record) -> float | None:
    if submission["completed_at"] is None:
        return None
    start, end = (datetime.fromisoformat(submission[name]) for name in ("started_at", "completed_at"))
    return (end - start).total_seconds()


def _detail(submission: Record) -> Record:
    return {
        "id": submission["id"],
        "study_id": submission["study_id"],
        "parent_study_id": None,
        "participant": submission["participant_id"],
        "status": submission["status"],
        "started_at": submission["started_at"],
        "completed_at": submission["completed_at"],
        "entered_code": submission["study_code"],
        "bonus_payments": submission["bonus_payments"],
        "return_requested": submission["return_requested"],
    }


@operation("list_submissions")
def list_submissions(call: ApiCall) -> StubAnswer:
    """A study's submissions by pages, also by status and day (DD/MM/YYYY)."""
    rows = call.world.submissions_of(call.world.get("studies", call.query["study"]))
    status = call.query.get("status", "").upper().replace("_", " ")
    rows = [row for row in rows if status in ("", row["status"])]
    for name, later in (("submitted_from", True), ("submitted_before", False)):
        if name in call.query:
            day = _day(name, call.query[name])
            rows = [row for row in rows if row["completed_at"] and (row["completed_at"][:10] >= day) is later]
    return listing([_row(row, call.world) for row in _ordered(rows, call.query)], {"page": "1"} | call.query, call.path)


def _day(name: str, text: str) -> str:
    try:
        return datetime.strptime(text, "%d/%m/%Y").date().isoformat()  # noqa: DTZ007  a day has no zone
    except ValueError:
        raise ApiError(400, {name: ["must have the form DD/MM/YYYY"]}) from None


def _ordered(rows: list[Record], query: dict[str, str]) -> list[Record]:
    name = query.get("ordering", "started_at")
    if name.lstrip("-") not in ROW_FIELDS:
        raise ApiError(400, {"ordering": ["unknown field"]})
    return sorted(rows, key=lambda row: str(row[name.lstrip("-")] or ""), reverse=name.startswith("-"))


@operation("list_study_submissions")
def list_study_submissions(call: ApiCall) -> StubAnswer:
    """A study's submissions by limit and offset."""
    rows = call.world.submissions_of(call.world.get("studies", call.names["study"]))
    return listing([_row(row, call.world) for row in _ordered(rows, call.query)], call.query, call.path)


@operation("get_submission")
def get_submission(call: ApiCall) -> StubAnswer:
    """A submission."""
    return StubAnswer(200, _detail(call.world.get("submissions", call.names["submission"])))


@operation("transition_submission")
def transition_submission(call: ApiCall) -> StubAnswer:
    """A decision. Repeated it is ignored; after another decision it is a conflict."""
    submission, body = call.world.get("submissions", call.names["submission"]), call.body_as(SubmissionTransition)
    if body.action == "COMPLETE":
        _complete(submission, body, call.world)
        return StubAnswer(200, _detail(submission))
    if RESULTS.get(body.action) == submission["status"]:
        return StubAnswer(200, _detail(submission))
    table = DECISIONS | (RESTORING if call.world.settings.decisions_may_be_restored else {})
    status = table.get((submission["status"], body.action))
    if status is None:
        raise ApiError(409, f"{body.action} is not possible: the submission is {submission['status']}.")
    if body.action == "REJECT":
        submission |= {"rejection_message": body.message, "rejection_category": body.rejection_category}
    set_status(submission, status, call.world)
    return StubAnswer(200, _detail(submission))


def _complete(submission: Record, body: SubmissionTransition, world: AccountState) -> None:
    codes = world.studies[submission["study_id"]]["completion_codes"]
    code = next((code for code in codes if code["code"] == body.completion_code), None)
    if code is None:
        raise ApiError(400, {"completion_code": ["is not a code of this study"]})
    if code.get("actor") != "researcher":
        raise ApiError(400, {"completion_code": ["is a code that the participant enters"]})
    if submission["study_code"] == code["code"]:
        return
    if submission["status"] not in ("RESERVED", "ACTIVE"):
        raise ApiError(409, f"COMPLETE is not possible: the submission is {submission['status']}.")
    end_on_code(submission, code, body.completion_code_data, world)


@operation("request_return")
def request_return(call: ApiCall) -> StubAnswer:
    """A message that asks the person to return; they decide."""
    submission, body = call.world.get("submissions", call.names["submission"]), call.body_as(RequestReturn)
    if submission["status"] not in ("ACTIVE", "AWAITING REVIEW"):
        raise ApiError(409, f"A return can not be requested: the submission is {submission['status']}.")
    submission["return_requested"] = submission["return_requested"] or call.world.now()
    submission["return_reasons"] = [*submission["return_reasons"], *body.request_return_reasons]
    names = {"id": submission["id"], "status": submission["status"], "participant": submission["participant_id"]}
    return StubAnswer(200, names | {"return_requested": submission["return_requested"]})


@operation("bulk_approve")
def bulk_approve(call: ApiCall) -> StubAnswer:
    """Many approvals, carried out after the answer."""
    body = call.body_as(BulkApprove)
    ids = body.submission_ids
    if ids is None:
        study = call.world.get("studies", str(body.study_id))
        people = {row["participant_id"]: row["id"] for row in call.world.submissions_of(study)}
        ids = [people.get(person, person) for person in body.participant_ids or ()]
    unknown = [key for key in ids if key not in call.world.submissions]
    if unknown:
        raise ApiError(400, {"submission_ids": [f"unknown: {', '.join(unknown)}"]})
    call.world.waiting_effects.append({"kind": "approve", "ids": ids})
    if not call.world.settings.is_slow:
        settle(call.world)
    return StubAnswer(200, "The submissions are being approved.")


def settle(world: AccountState) -> None:
    """Carry out what was answered but not done yet: bulk approvals and bonus payments."""
    waiting, world.waiting_effects = world.waiting_effects, []
    for effect in waiting:
        if effect["kind"] == "approve":
            rows = [world.submissions[key] for key in effect["ids"]]
            for row in rows:
                if row["status"] == "AWAITING REVIEW":
                    set_status(row, "APPROVED", world)
        else:
            batch = world.bonus_batches[effect["batch"]]
            batch["payments"] += 1
            for key, cents in batch["lines"]:
                world.submissions[key]["bonus_payments"].append(cents)
