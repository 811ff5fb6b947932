"""People played by tests: they take a place, start, complete with a code, return, time out, write."""

from __future__ import annotations

import hashlib

from annotation.rehearsal.prolific_stub import filters, money, submissions
from annotation.rehearsal.prolific_stub.account_state import RESEARCHER, AccountState
from annotation.rehearsal.prolific_stub.answers import ApiError, Record
from annotation.rehearsal.prolific_stub.correspondence import add_message

COMPLETION_ADDRESS = "https://app.prolific.com/submissions/complete?cc="


def participant(world: AccountState, number: str) -> Record:
    """Return person N, who has the same id in each run."""
    key = hashlib.sha256(f"participant {number}".encode()).hexdigest()[:24]
    return world.participants.setdefault(key, {"id": key})


def reserve(world: AccountState, person: Record, study: Record) -> Record:
    """Hold a place for a person. Raises ApiError (409) where there is no place for them."""
    rows = world.submissions_of(study)
    holding = [row for row in rows if row["status"] not in money.FREE_STATUSES]
    if study["status"] != "ACTIVE":
        raise ApiError(409, f"The study is {study['status']}.")
    if len(holding) >= study["total_available_places"]:
        raise ApiError(409, "All places are taken.")
    config = study["submissions_config"]
    if sum(row["participant_id"] == person["id"] for row in rows) >= config.get("max_submissions_per_participant", 1):
        raise ApiError(409, "This person took part already.")
    running = sum(row["status"] in ("RESERVED", "ACTIVE") for row in rows)
    if 0 <= config.get("max_concurrent_submissions", -1) <= running:
        raise ApiError(409, "As many people as may are taking part at this moment.")
    earlier = {row["study_id"] for row in world.submissions.values() if row["participant_id"] == person["id"]}
    if not filters.is_eligible(study["filters"] or [], person, world.groups, earlier):
        raise ApiError(409, "The filters of the study exclude this person.")
    submission: Record = {
        "id": world.new_id(),
        "study_id": study["id"],
        "participant_id": person["id"],
        "status": "RESERVED",
        "started_at": world.now(),
        "completed_at": None,
        "study_code": None,
        "return_requested": None,
        "return_reasons": [],
        "bonus_payments": [],
        "paid_cents": 0,
        "approvals": 0,
    }
    world.submissions[submission["id"]] = submission
    return submission


def address_for(study: Record, submission: Record) -> str:
    """Return the study's address with this person's ids in it."""
    address = str(study["external_study_url"] or study["access_details"][0]["external_url"])
    for name, value in (
        ("PROLIFIC_PID", submission["participant_id"]),
        ("STUDY_ID", study["id"]),
        ("SESSION_ID", submission["id"]),
    ):
        address = address.replace("{{%" + name + "%}}", value)
    return address


def arrive(world: AccountState, person: Record, study: Record) -> Record:
    """Take a place, or the reserved place, and start."""
    mine = [row for row in world.submissions_of(study) if row["participant_id"] == person["id"]]
    reserved = next((row for row in mine if row["status"] == "RESERVED"), None)
    submission = reserved or reserve(world, person, study)
    submissions.set_status(submission, "ACTIVE", world)
    return {
        "participant_id": person["id"],
        "session_id": submission["id"],
        "study_id": study["id"],
        "address": address_for(study, submission),
    }


def complete(world: AccountState, submission: Record, entered: str | None) -> None:
    """End with a code, a wrong code, or none. What is completed already stays as it is."""
    if submission["status"] not in ("ACTIVE", "RESERVED"):
        return
    codes = world.studies[submission["study_id"]]["completion_codes"]
    code = next((code for code in codes if code["code"] == entered), None)
    theirs = world.settings.people_may_enter_researcher_codes
    if code is not None and (theirs or code.get("actor", "participant") == "participant"):
        submissions.end_on_code(submission, code, None, world)
        return
    submission |= {"study_code": entered, "completed_at": world.now()}
    submissions.set_status(submission, "AWAITING REVIEW", world)


def return_place(world: AccountState, submission: Record) -> None:
    """Return a submission, before or after completing it."""
    if submission["status"] not in ("RESERVED", "ACTIVE", "AWAITING REVIEW"):
        raise ApiError(409, f"A submission that is {submission['status']} cannot be returned.")
    submissions.set_status(submission, "RETURNED", world)


def time_out(world: AccountState, submission: Record) -> None:
    """Let the time run out."""
    if submission["status"] not in ("RESERVED", "ACTIVE"):
        raise ApiError(409, f"A submission that is {submission['status']} cannot time out.")
    submissions.set_status(submission, "TIMED-OUT", world)


def write(world: AccountState, person: Record, study: str | None, body: str) -> Record:
    """Write to the researcher."""
    return add_message(world, sender=person["id"], recipient=RESEARCHER, study=study, body=body)
