"""Costs, fees and tax, in minor units, and what of a balance is committed."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.rehearsal.prolific_stub.account_state import AccountState, Settings
from annotation.rehearsal.prolific_stub.answers import Record

FREE_STATUSES = ("RETURNED", "REJECTED", "TIMED-OUT")
DRAFT_STATUSES = ("UNPUBLISHED", "SCHEDULED")


@dataclass(frozen=True)
class PricedAmount:
    """Parts of a cost in minor units: what people receive, Prolific's fee, the tax on the fee."""

    amount: int
    fees: int
    vat: int

    @property
    def total_amount(self) -> int:
        """What the balance pays."""
        return self.amount + self.fees + self.vat

    def to_json(self) -> Record:
        """Return the parts under the names that the API uses for a batch of bonuses."""
        return {"amount": self.amount, "fees": self.fees, "vat": self.vat, "total_amount": self.total_amount}


def price(amount: int, settings: Settings) -> PricedAmount:
    """Return what paying people `amount` costs; fee and tax are rounded half up to a whole minor unit."""
    fees = _per_mille(amount, settings.fee_per_mille)
    return PricedAmount(amount, fees, _per_mille(fees, settings.vat_per_mille))


def _per_mille(amount: int, rate: int) -> int:
    return (amount * rate + 500) // 1000


def price_places(study: Record, settings: Settings) -> PricedAmount:
    """Return what all places of a study cost."""
    return price(study["reward"] * study["total_available_places"], settings)


def committed(study: Record, world: AccountState) -> PricedAmount:
    """Return what a published study holds: all its places; once it has ended, the submissions that hold a place."""
    if study["status"] in DRAFT_STATUSES:
        return PricedAmount(0, 0, 0)
    if study["status"] != "COMPLETED":
        return price_places(study, world.settings)
    holding = [row for row in world.submissions_of(study) if row["status"] not in FREE_STATUSES]
    return price(study["reward"] * len(holding), world.settings)


def paid_rewards(study: Record, world: AccountState) -> PricedAmount:
    """Return what approved submissions were paid."""
    return price(sum(row["paid_cents"] for row in world.submissions_of(study)), world.settings)


def paid_bonuses(study: Record, world: AccountState) -> PricedAmount:
    """Return what bonuses were paid, every payment counted, also a repeated payment of the same batch."""
    batches = [batch for batch in world.bonus_batches.values() if batch["study"] == study["id"]]
    costs = [price(batch["amount"], world.settings) for batch in batches for _ in range(batch["payments"])]
    return PricedAmount(sum(c.amount for c in costs), sum(c.fees for c in costs), sum(c.vat for c in costs))


def available_cents(workspace: str, world: AccountState) -> int:
    """Return what a workspace can still spend."""
    studies = [study for study in world.studies.values() if world.workspace_of(study) == workspace]
    held = sum(committed(study, world).total_amount + paid_bonuses(study, world).total_amount for study in studies)
    return world.settings.balance_cents - held


def total_cents(workspace: str, world: AccountState) -> int:
    """Return a workspace's balance with what its studies hold but have not paid."""
    studies = [study for study in world.studies.values() if world.workspace_of(study) == workspace]
    paid = sum(paid_rewards(study, world).total_amount + paid_bonuses(study, world).total_amount for study in studies)
    return world.settings.balance_cents - paid
