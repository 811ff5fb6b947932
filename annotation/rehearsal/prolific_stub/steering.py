"""What tests do to the stub, below /_stub: settings, faults, people, decisions on Prolific's site, hooks, facts."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, fields

from annotation.rehearsal.prolific_stub import events, faults, money, people, studies, submissions
from annotation.rehearsal.prolific_stub.account_state import AccountState, Settings
from annotation.rehearsal.prolific_stub.answers import ApiError, Record

PREFIX = "/_stub/"


def change_settings(world: AccountState, data: Record) -> Record:
    """Set the named settings; returns all."""
    known = {item.name for item in fields(Settings)}
    if set(data) - known:
        raise ApiError(400, f"Unknown settings: {sorted(set(data) - known)}")
    for name, value in data.items():
        setattr(world.settings, name, value)
    return asdict(world.settings)


def add_fault(world: AccountState, data: Record) -> Record:
    """Add a rule: operation, kind, times, skip, retry_after_seconds."""
    try:
        world.faults.append(faults.rule(data))
    except ValueError as error:
        raise ApiError(400, str(error)) from None
    return {"faults": world.faults}


def clear_faults(world: AccountState, data: Record) -> Record:
    """Forget all rules."""
    world.faults.clear()
    return {}


def play(world: AccountState, data: Record) -> Record:
    """A person's deed: reserve, arrive, complete, return, timeout, message; `study` where there are several."""
    person = people.participant(world, str(data["person"]))
    deed = data["deed"]
    if deed == "message":
        return people.write(world, person, data.get("study"), data["body"])
    if deed in ("arrive", "reserve"):
        study = world.get("studies", data.get("study") or next(reversed(world.studies), ""))
        if study["status"] == "PUBLISHING":
            studies.set_status(study, "ACTIVE", world)
        return people.arrive(world, person, study) if deed == "arrive" else people.reserve(world, person, study)
    rows = [row for row in world.submissions.values() if row["participant_id"] == person["id"]]
    rows = [row for row in rows if data.get("study", row["study_id"]) == row["study_id"]]
    if not rows:
        raise ApiError(404, f"Person {data['person']} has no submission.")
    submission = rows[-1]
    if deed == "complete":
        people.complete(world, submission, data.get("code"))
    elif deed == "return":
        people.return_place(world, submission)
    elif deed == "timeout":
        people.time_out(world, submission)
    else:
        raise ApiError(400, f"Unknown deed: {deed}")
    return submission


def decide(world: AccountState, data: Record) -> Record:
    """A decision on Prolific's own site, or any status, also one that nobody knows yet."""
    submission = world.get("submissions", data["submission"])
    submissions.set_status(submission, data["status"], world)
    return submission


def pay_by_hand(world: AccountState, data: Record) -> Record:
    """A bonus that is paid on Prolific's own site."""
    submission = world.get("submissions", data["submission"])
    batch: Record = {
        "id": world.new_id(),
        "study": submission["study_id"],
        "amount": data["cents"],
        "lines": [[submission["id"], data["cents"]]],
        "payments": 1,
    }
    world.bonus_batches[batch["id"]] = batch
    submission["bonus_payments"].append(data["cents"])
    return submission


def set_study_status(world: AccountState, data: Record) -> Record:
    """A study's status changed on Prolific's own site, or a status that nobody knows yet."""
    study = world.get("studies", data["study"])
    studies.set_status(study, data["status"], world)
    return study


def settle(world: AccountState, data: Record) -> Record:
    """Carry out the approvals and payments that wait."""
    submissions.settle(world)
    return {}


def move_clock(world: AccountState, data: Record) -> Record:
    """Let time pass; places that were reserved over ten minutes ago time out."""
    world.clock_seconds += int(data["seconds"])
    if data["seconds"] >= 600:
        for row in [row for row in world.submissions.values() if row["status"] == "RESERVED"]:
            people.time_out(world, row)
    return {"now": world.now()}


def release_hooks(world: AccountState, data: Record) -> Record:
    """Send the held hooks in the order `sent`, `reversed` or `shuffled` (with `seed`)."""
    held = [row for row in world.deliveries.values() if row["status"] == "PENDING" and not row["tries"]]
    if data.get("order") == "reversed":
        held.reverse()
    elif data.get("order") == "shuffled":
        random.Random(data.get("seed", 0)).shuffle(held)
    for row in held:
        events.post(world, row)
    return {"sent": len(held)}


def retry_hooks(world: AccountState, data: Record) -> Record:
    """Send failed hooks once more, with the same event id."""
    failed = [row for row in world.deliveries.values() if row["status"] == "FAILED" and row["tries"] < events.MAX_TRIES]
    for row in failed:
        events.post(world, row)
    return {"sent": len(failed)}


def facts(world: AccountState, data: Record) -> Record:
    """Return what happened, for comparisons: each study with its money, submissions and bonuses; what was doubled."""
    rows = list(world.submissions.values())
    return {
        "studies": [_study_facts(study, world) for study in world.studies.values()],
        "submissions": rows,
        "batches": list(world.bonus_batches.values()),
        "doubled_payments": sum(max(0, batch["payments"] - 1) for batch in world.bonus_batches.values()),
        "statuses": dict(Counter(row["status"] for row in rows)),
        "available_cents": {key: money.available_cents(key, world) for key in world.workspaces},
        "total_cents": {key: money.total_cents(key, world) for key in world.workspaces},
        "groups": list(world.groups.values()),
        "messages": list(world.messages.values()),
        "deliveries": list(world.deliveries.values()),
        "subscriptions": list(world.subscriptions.values()),
    }


def _study_facts(study: Record, world: AccountState) -> Record:
    return studies.shown(study, world) | {
        "committed": money.committed(study, world).to_json(),
        "paid_rewards": money.paid_rewards(study, world).to_json(),
        "paid_bonuses": money.paid_bonuses(study, world).to_json(),
    }


COMMANDS: dict[str, Callable[[AccountState, Record], Record]] = {
    "settings": change_settings,
    "faults": add_fault,
    "faults/clear": clear_faults,
    "play": play,
    "decide": decide,
    "bonus": pay_by_hand,
    "study-status": set_study_status,
    "settle": settle,
    "clock": move_clock,
    "hooks/release": release_hooks,
    "hooks/retry": retry_hooks,
    "facts": facts,
}
