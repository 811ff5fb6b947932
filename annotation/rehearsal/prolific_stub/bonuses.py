"""Bonuses: set up by lines, then paid. The payment is repeated as often as it is asked for."""

from __future__ import annotations

from annotation.rehearsal.prolific_stub import money, submissions
from annotation.rehearsal.prolific_stub.account_state import AccountState
from annotation.rehearsal.prolific_stub.answers import ApiError, Record, StubAnswer
from annotation.rehearsal.prolific_stub.request_shapes import BonusPayments, bonus_lines
from annotation.rehearsal.prolific_stub.routing import ApiCall, operation


@operation("create_bonuses")
def create_bonuses(call: ApiCall) -> StubAnswer:
    """A batch that is not paid yet. Unknown ids are named."""
    body = call.body_as(BonusPayments)
    study = call.world.get("studies", body.study_id)
    lines = [(_submission_of(key, study, call.world), cents, key) for key, cents in bonus_lines(body.csv_bonuses)]
    unknown = [key for submission, _, key in lines if submission is None]
    if unknown:
        raise ApiError(400, {"csv_bonuses": [f"took no part in this study: {', '.join(unknown)}"]})
    cost = money.price(sum(cents for _, cents, _ in lines), call.world.settings)
    batch: Record = {
        "id": call.world.new_id(),
        "study": study["id"],
        "amount": cost.amount,
        "lines": [[submission, cents] for submission, cents, _ in lines],
        "payments": 0,
    }
    call.world.bonus_batches[batch["id"]] = batch
    return StubAnswer(201, {"id": batch["id"], "study": study["id"], **cost.to_json()})


def _submission_of(key: str, study: Record, world: AccountState) -> str | None:
    rows = world.submissions_of(study)
    return next((row["id"] for row in rows if key in (row["id"], row["participant_id"])), None)


@operation("pay_bonuses")
def pay_bonuses(call: ApiCall) -> StubAnswer:
    """Pay a batch, after the answer. Asked twice, people are paid twice."""
    batch = call.world.get("bonus_batches", call.names["batch"])
    study = call.world.studies[batch["study"]]
    cost = money.price(batch["amount"], call.world.settings).total_amount
    if cost > money.available_cents(call.world.workspace_of(study), call.world):
        raise ApiError(400, f"The balance is too low: the bonuses cost {cost}.")
    call.world.waiting_effects.append({"kind": "pay", "batch": batch["id"]})
    if not call.world.settings.is_slow:
        submissions.settle(call.world)
    return StubAnswer(202, "The bonuses are being paid.")
