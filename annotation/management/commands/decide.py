"""manage.py decide STUDY ASSIGNMENT: make one decision of a reviewer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db.models import QuerySet
from django.utils import timezone

from annotation.jobs.celery_tasks import wake
from annotation.management.commands._study import StudyCommand
from annotation.management.lookup import sentences
from annotation.models import Role, Study, Submission
from annotation.mturk.client import Market
from annotation.outbox.decision_intents import WINDOW
from annotation.review import approve as review
from annotation.review import assignment, exclude, reject
from annotation.review.prolific_work import ask_to_return, category_for
from annotation.settings import endpoint


class Command(StudyCommand):
    help = (
        "Decide on an assignment as --as USER: approve it, propose or confirm a rejection, reverse or uphold one, or "
        "exclude it from the analysis. You can undo an approval for ten minutes."
    )
    required_role = Role.REVIEWER

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("assignment", metavar="ASSIGNMENT")
        deed = parser.add_mutually_exclusive_group(required=True)
        deed.add_argument("--approve", action="store_true")
        deed.add_argument("--undo", action="store_true", help="undo a decision while it can be undone")
        deed.add_argument("--propose", metavar="REASON", help="propose a rejection; the worker reads the reason")
        deed.add_argument(
            "--ask-return", metavar="REASON", help="ask a person from Prolific to return the submission; they decide"
        )
        deed.add_argument("--drop", action="store_true", help="withdraw a proposed rejection")
        deed.add_argument("--second", action="store_true", help="confirm the rejection that another reviewer proposed")
        deed.add_argument("--overturn", metavar="REASON", help="reverse a rejection: approve the assignment")
        deed.add_argument("--uphold", action="store_true", help="uphold a rejection after reading the worker's reply")
        deed.add_argument("--leave-out", metavar="REASON", help="exclude from the analysis; payment stays as it is")
        deed.add_argument("--take-back-in", action="store_true", help="include in the analysis again")
        deed.add_argument("--reply", metavar="TEXT", help="store the worker's reply")

        parser.add_argument("--category", help="Prolific's, of a proposed rejection of a person who came from there")

    def handle(self, *args: Any, **options: Any) -> None:
        study, user, _ = self.study_and_actor(options)
        if user is None:
            raise CommandError("--as USER is required.", returncode=2)
        submission = assignment.submission(study, options["assignment"])
        if submission is None:
            raise CommandError("The study has no such assignment.", returncode=2)
        with sentences():
            _decide(study, submission, options, {"actor": user, "now": timezone.now()})
        wake(study.pk)
        self.stdout.write("Done.")


def _decide(study: Study, submission: Submission, options: dict[str, Any], who: dict[str, Any]) -> None:
    action = next((name for name in ACTIONS if options[name]), "reply")
    if action == "propose":
        category = category_for(study, submission, Market(endpoint()), options["category"] or "")
        who = {**who, "category": category}
    ACTIONS[action](study, submission, options[action] or "", who)


def _approve(study: Study, submission: Submission, _: object, who: dict[str, Any]) -> None:
    if not review.approve(study, _row(submission), window=WINDOW, individually=True, **who).decided:
        raise CommandError("Payment of this assignment has been decided.", returncode=2)


def _row(submission: Submission) -> QuerySet[Submission]:
    return Submission.objects.filter(pk=submission.pk)


# Each option's action, called with the study, the submission, the option's value, and who acts when.
ACTIONS: dict[str, Callable[[Study, Submission, str, dict[str, Any]], object]] = {
    "approve": _approve,
    "undo": lambda study, submission, _, who: review.undo_decisions(study, _row(submission), **who),
    "drop": lambda study, submission, _, who: reject.withdraw_proposal(study, submission, **who),
    "second": lambda study, submission, _, who: reject.confirm_rejection(study, submission, **who),
    "uphold": lambda study, submission, _, who: reject.uphold_rejection(study, submission, **who),
    "take_back_in": lambda study, submission, _, who: exclude.include_submissions(study, _row(submission), **who),
    "leave_out": lambda study, submission, reason, who: exclude.exclude_submissions(
        study, _row(submission), reason=reason, **who
    ),
    "propose": lambda study, submission, reason, who: reject.propose_rejection(study, submission, reason=reason, **who),
    "ask_return": lambda study, submission, reason, who: ask_to_return(
        study,
        submission,
        reason=reason,
        market=Market(endpoint()),
        actor=who["actor"].get_username(),
        now=who["now"],
    ),
    "overturn": lambda study, submission, reason, who: reject.reverse_rejection(
        study, submission, reason=reason, **who
    ),
    "reply": lambda study, submission, body, who: reject.record_reply(study, submission, body=body, **who),
}
