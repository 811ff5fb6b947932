"""Work of people from Prolific on the desk: whether it is theirs, a rejection's category, asking them to return it."""

from __future__ import annotations

from datetime import datetime

from annotation.exceptions import StateError
from annotation.models import AuditEvent, Intent, Study, Submission
from annotation.mturk import prolific
from annotation.mturk.client import Market
from annotation.mturk.prolific import ProlificSubmissionRecord

# What Prolific calls the reason that a check of ours found, the weightiest first.
CATEGORIES_OF_FLAGS = {
    "incomplete": "NO_DATA",
    "attention": "FAILED_CHECK",
    "gold": "FAILED_CHECK",
    "too_fast": "TOO_QUICKLY",
    "quick_assignment": "TOO_QUICKLY",
    "short_reasons": "LOW_EFFORT",
    "repeated_reasons": "LOW_EFFORT",
}
MAX_REASON_CHARS = 500


def find_prolific_work(study: Study, submission: Submission, market: Market) -> ProlificSubmissionRecord | None:
    """Return the person's submission on Prolific; None where they came another way.

    The marketplace is asked only about studies that were published on Prolific. Raises MarketError.
    """
    if not study.intents.filter(kind=Intent.Kind.RECRUIT).exists():
        return None
    return prolific.get_work(market, submission.market_id)


def category_for(study: Study, submission: Submission, market: Market, category: str) -> str | None:
    """Return the category of a rejection as `propose_rejection` takes it: None where the person came another way."""
    return category if find_prolific_work(study, submission, market) else None


def suggest_category(submission: Submission) -> str:
    """Return the category of the weightiest check that flagged the work, "" where none has one."""
    kinds = set(submission.flags.values_list("kind", flat=True))
    return next((category for kind, category in CATEGORIES_OF_FLAGS.items() if kind in kinds), "")


def ask_to_return(
    study: Study, submission: Submission, *, reason: str, market: Market, actor: str, now: datetime
) -> None:
    """Ask the person to return their submission; they decide, and are not paid if they do.

    Raises StateError at `reason`, or for work that did not come from Prolific; MarketError.
    """
    text = reason.strip()
    if not 1 <= len(text) <= MAX_REASON_CHARS:
        raise StateError(f"A reason has 1 to {MAX_REASON_CHARS} characters.").at("reason")
    if find_prolific_work(study, submission, market) is None:
        raise StateError("This person did not come from Prolific, so they cannot be asked to return the work.")
    prolific.request_return(market, submission.market_id, [text])
    facts = {"assignment": submission.market_id}
    AuditEvent.objects.record(study, "ask_to_return", actor=actor, now=now, **facts)
