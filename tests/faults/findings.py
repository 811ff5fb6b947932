"""What must not have happened, counted on both sides from their own tables."""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass, fields

from django.db.models import Count, Q, Sum

from annotation.marketplace import models as market
from annotation.marketplace.money.balance_check import check_balances as prove_marketplace
from annotation.models import Decision, Intent, Study, Submission, WorkerIdentity
from annotation.studies.audit_check import prove

# What the marketplace adds about device and channel is not the worker's answer, and is stored elsewhere.
MARKET_NOTES = re.compile(r"<Answer>\s*<QuestionIdentifier>assay:\w+</QuestionIdentifier>.*?</Answer>\s*", re.DOTALL)


@dataclass(frozen=True)
class Findings:
    """Each of these is 0 in a study that came through whole."""

    duplicate_hits: int
    lost_hits: int
    lost_submissions: int
    altered_answers: int
    unread_submissions: int
    double_payments: int
    unpaid_approvals: int
    double_bonuses: int
    unpaid_bonuses: int
    refusals_that_differ: int
    qualifications_that_differ: int
    lost_notices: int
    blocks_that_differ: int
    budget_overruns: int
    cents_that_differ: int
    cents_still_set_aside: int
    faults_of_the_log: int
    faults_of_the_market_s_books: int

    @property
    def clean(self) -> bool:
        return not any(astuple(self))

    def told(self) -> dict[str, int]:
        return {field.name.replace("market_s", "market's").replace("_", " "): getattr(self, field.name)
                for field in fields(self)}  # fmt: skip


def findings(study: Study) -> Findings:
    """Count over one study that has ended."""
    study.refresh_from_db()
    keys = list(study.intents.filter(kind="create_hit").values_list("key", flat=True))
    hits = market.Hit.objects.filter(annotation__in=keys)
    by_key = dict(hits.order_by().values_list("annotation").annotate(n=Count("pk")))
    work = market.Assignment.objects.filter(hit__in=hits, state__in=market.Assignment.SUBMITTED_STATES)
    ours = dict(Submission.objects.filter(hit__study=study).values_list("market_id", "raw"))
    theirs = {
        assignment: MARKET_NOTES.sub("", answer)
        for assignment, answer in work.values_list("assignment_id", "submission__answer")
    }
    approved = set(
        Decision.objects.filter(submission__hit__study=study, matter="payment", verdict="approve").values_list(
            "submission__market_id", flat=True
        )
    )
    rewards = _postings(work, "reward")
    bonuses = dict(
        market.BonusPayment.objects.filter(assignment__in=work)
        .order_by()
        .values_list("assignment__assignment_id")
        .annotate(n=Count("pk"))
    )
    promised = set(
        Submission.objects.filter(
            pk__in=Intent.objects.filter(study=study, kind="bonus").values("subject")
        ).values_list("market_id", flat=True)
    )
    spent = _spent(work)
    booked = set(
        Submission.objects.filter(pk__in=study.ledger.filter(kind="reward").values("intent__subject")).values_list(
            "market_id", flat=True
        )
    )
    return Findings(
        duplicate_hits=sum(n - 1 for n in by_key.values()),
        lost_hits=len(set(keys) - set(by_key)),
        lost_submissions=len(set(theirs) - set(ours)),
        altered_answers=sum(ours[key] != theirs[key] for key in set(ours) & set(theirs)),
        unread_submissions=Submission.objects.filter(hit__study=study).exclude(parse__problem="").count(),
        double_payments=sum(n - 1 for n in rewards.values()),
        unpaid_approvals=len(approved - set(rewards)) + len(approved - booked),
        double_bonuses=sum(n - 1 for n in bonuses.values()),
        unpaid_bonuses=len(promised - set(bonuses)),
        refusals_that_differ=_refusals_that_differ(study),
        qualifications_that_differ=_qualifications_that_differ(study),
        lost_notices=_lost_notices(study),
        blocks_that_differ=_blocks_that_differ(study),
        budget_overruns=int(max(spent, study.spent_cents + study.reserved_cents) > (study.budget_cents or 0)),
        cents_that_differ=abs(spent - study.spent_cents),
        cents_still_set_aside=study.reserved_cents,
        faults_of_the_log=len(prove(study).faults),
        faults_of_the_market_s_books=len(prove_marketplace().faults),
    )


def _refusals_that_differ(study: Study) -> int:
    """Refusals of which the marketplace was told and knows nothing, or that stand there though nobody decided so."""
    told = Intent.objects.filter(study=study, kind="reject", state="done").values("subject")
    refused = Submission.objects.filter(pk__in=told)
    ids = set(refused.values_list("market_id", flat=True))
    stand = Decision.objects.filter(submission__in=refused, matter="payment", verdict="reject")
    standing = set(stand.values_list("submission__market_id", flat=True))
    mine = market.Assignment.objects.filter(
        assignment_id__in=Submission.objects.filter(hit__study=study).values_list("market_id", flat=True)
    )
    known = set(mine.exclude(rejected_at=None).values_list("assignment_id", flat=True))
    theirs = set(mine.filter(state=market.Assignment.State.REJECTED).values_list("assignment_id", flat=True))
    return len(ids ^ known) + len(standing ^ theirs)


def _qualifications_that_differ(study: Study) -> int:
    """People who have not what they were to be given, or have still what was to be taken back."""
    wanted: dict[tuple[str, str], bool] = {}
    rows = Intent.objects.filter(study=study, kind__in=["grant", "revoke"], state="done").order_by("pk")
    for kind, subject, details in rows.values_list("kind", "subject", "details"):
        wanted[details["type"], _external(subject)] = kind == "grant"
    held = market.QualificationGrant.objects.filter(status="Granted")
    have = set(held.values_list("qualification_type__type_id", "worker__worker_id"))
    return sum((key in have) != should for key, should in wanted.items())


def _lost_notices(study: Study) -> int:
    """Notices that were intended and stand on nobody's page."""
    rows = Intent.objects.filter(study=study, kind="notify").exclude(state="dropped")
    wanted = {(_external(subject), details["text"]) for subject, details in rows.values_list("subject", "details")}
    return len(wanted - set(market.WorkerMessage.objects.values_list("worker__worker_id", "text")))


def _blocks_that_differ(study: Study) -> int:
    """People who are blocked there though the last word here was another, or the other way round."""
    rows = Intent.objects.filter(study=study, kind__in=["block", "unblock"], state="done").order_by("pk")
    last = {_external(subject): kind == "block" for kind, subject in rows.values_list("kind", "subject")}
    there = set(market.WorkerBlock.objects.values_list("worker__worker_id", flat=True))
    return sum((who in there) != should for who, should in last.items())


def _external(worker: int) -> str:
    return WorkerIdentity.objects.get(worker=worker).external_id


def _postings(work: object, purpose: str) -> dict[str, int]:
    rows = market.LedgerEntry.objects.filter(assignment__in=work, purpose=purpose)
    return dict(rows.order_by().values_list("assignment__assignment_id").annotate(n=Count("posting", distinct=True)))


def _spent(work: object) -> int:
    """Cents that left the requester for this work: out of the balance, or out of what was on hold."""
    account = market.LedgerEntry.Account
    rows = market.LedgerEntry.objects.filter(Q(account=account.REQUESTER) | Q(account=account.HELD))
    paid = rows.filter(assignment__in=work, purpose__in=["reward", "bonus"])
    return -int(paid.aggregate(sum=Sum("amount_cents", default=0))["sum"])
