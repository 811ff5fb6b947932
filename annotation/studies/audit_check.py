"""Check the log: its chain of hashes is unbroken, and money and decisions agree with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Q

from annotation import ledger
from annotation.models import AuditEvent, Decision, Intent, LedgerEntry, Study, Submission

VERDICTS = {"pay": "approve", "refuse": "reject"}


@dataclass(frozen=True, slots=True)
class Proof:
    """Rows of the chain that were checked, and one sentence for each fault, the first altered row first."""

    rows: int
    faults: tuple[str, ...]


def prove(study: Study) -> Proof:
    """Check the chain of hashes, the ledger against the chain, the sums, and decisions against the chain."""
    broken = AuditEvent.objects.first_broken(study)
    chain = () if broken is None else (f"Row {broken.number} of the log ({broken.verb}, {broken.at:%Y-%m-%d %H:%M}) "
    "is the first that was altered, or follows one that is missing.",)  # fmt: skip
    rows = AuditEvent.objects.filter(study=study).count()
    return Proof(rows, (*chain, *_money(study), *_decisions(study), *_sent(study), *_sums(study)))


def _money(study: Study) -> Iterator[str]:
    """Compare every payment with the log, and the other way round."""
    logged = {
        (event.facts["intent"], kind): int(event.facts[kind])
        for event in AuditEvent.objects.filter(study=study, verb="pay").order_by("number").iterator(chunk_size=2000)
        for kind in LedgerEntry.SPENT
        if kind in event.facts
    }
    paid = LedgerEntry.objects.filter(study=study, kind__in=LedgerEntry.SPENT).order_by("pk")
    if logged:
        for pk, key, kind, cents in paid.values_list("pk", "intent__key", "kind", "cents").iterator():
            logged_cents = logged.pop((key, kind), None)
            if logged_cents != cents:
                yield f"Ledger row {pk} ({kind}) is {cents} cents; the log says {logged_cents}."
    # Nothing is booked of a fee of nothing.
    for (key, kind), cents in ((entry, cents) for entry, cents in logged.items() if cents):
        yield f"The log records {cents} cents ({kind}, intent {key[:12]}) that are missing from the ledger."


def _decisions(study: Study) -> Iterator[str]:
    """Compare every payment decision with the log, and the other way round."""
    logged, complete = _chained(study)
    rows = Decision.objects.filter(submission__hit__study=study, matter="payment").order_by("pk")
    for pk, assignment, verdict in rows.values_list("pk", "submission__market_id", "verdict").iterator():
        chained = logged.pop(assignment, None)
        if chained not in (verdict, None):
            yield f"Decision {pk} on {assignment} says {verdict}; the log says that it was decided: {chained}."
        elif chained is None and complete:
            yield f"Decision {pk} on {assignment} says {verdict}; the log does not record it."
    for assignment, chained in logged.items() if complete else ():
        yield f"The log records a decision on {assignment} ({chained}) that does not exist."


def _chained(study: Study) -> tuple[dict[str, str], bool]:
    """The last decision on each assignment by the log, and whether it names them all.

    An imported study brings its decisions along, and earlier versions wrote only how many were approved.
    """
    logged: dict[str, str] = {}
    complete = study.mode != Study.Mode.IMPORTED
    events = AuditEvent.objects.filter(study=study, verb__in=["approve", "undo", "reject", "overturn", "follow"])
    for verb, facts in events.order_by("number").values_list("verb", "facts").iterator(chunk_size=2000):
        named = facts.get("assignments", [facts["assignment"]] if "assignment" in facts else None)
        if named is None or (verb == "follow" and "refused" not in facts):
            complete = False
            continue
        if verb == "undo":
            for assignment in named:
                logged.pop(assignment, None)
            continue
        refused = set(named) if verb == "reject" else set(facts.get("refused", []))
        logged |= {assignment: "reject" if assignment in refused else "approve" for assignment in named}
    return logged, complete


def _sent(study: Study) -> Iterator[str]:
    """Compare what was sent to the marketplace with the decisions."""
    events = AuditEvent.objects.filter(study=study, verb__in=VERDICTS).order_by("number")
    sent = {
        event.facts["assignment"]: VERDICTS[event.verb]
        for event in events.iterator(chunk_size=2000)
        if "bonus" not in event.facts
    }
    rows = Decision.objects.filter(submission__hit__study=study, matter="payment").order_by("pk")
    for pk, assignment, verdict in rows.values_list("pk", "submission__market_id", "verdict").iterator():
        sent_verdict = sent.get(assignment)
        if sent_verdict is not None and sent_verdict != verdict and not _on_its_way(study, assignment):
            yield f"Decision {pk} on {assignment} says {verdict}; the log says {sent_verdict}."


def _on_its_way(study: Study, assignment: str) -> bool:
    """Whether a later decision waits to be sent."""
    mine = Submission.objects.filter(hit__study=study, market_id=assignment).values("pk")
    waiting = Q(state__in=[Intent.State.WAITING, Intent.State.CLAIMED, Intent.State.FAILED])
    return study.intents.filter(waiting, kind__in=[Intent.Kind.APPROVE, Intent.Kind.REJECT], subject__in=mine).exists()


def _sums(study: Study) -> Iterator[str]:
    sums = ledger.sums(study)
    if not sums.agree:
        yield (
            f"The study stores {sums.stored_spent} cents spent and {sums.stored_reserved} reserved; its rows sum to "
            f"{sums.spent} and {sums.reserved}."
        )
