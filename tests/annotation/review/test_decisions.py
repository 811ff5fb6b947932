"""Decisions of the desk: they wait for their window, can be taken back inside it, and refusing takes two people."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models import Q

from annotation.accounts.models import User
from annotation.exceptions import StateError
from annotation.models import AuditEvent, Decision, Flag, Hit, Intent, LedgerEntry, Rejection, Study, Submission
from annotation.outbox.decision_intents import WINDOW
from annotation.outbox.queue import take
from annotation.quality.rules import Rule
from annotation.review import approve as review
from annotation.review import exclude, queue, reject
from tests.annotation.review.factories import NOW, make, member

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("mturk_fees")]
REASON = "One label was given for all twenty-five texts."
LATER = NOW + WINDOW + timedelta(seconds=1)


@pytest.fixture
def study(db: None) -> Study:
    return make(workers=4, hits=2, texts=2)


@pytest.fixture
def ada(study: Study) -> User:
    return member(study, "reviewer", "ada")


@pytest.fixture
def bea(study: Study) -> User:
    return member(study, "reviewer", "bea")


def rows(study: Study, n: int | None = None):
    found = Submission.objects.filter(hit__study=study).order_by("pk")
    return Submission.objects.filter(pk__in=list(found.values_list("pk", flat=True)[:n]))


def due(study: Study, now=NOW) -> Intent | None:
    return take(Q(study=study), now=now)


def test_a_decision_waits_for_its_window_before_the_marketplace_hears_of_it(study, ada):
    assert review.approve(study, rows(study, 1), actor=ada, now=NOW, window=WINDOW).decided == 1
    assert due(study) is None
    assert due(study, LATER).kind == "approve"


def test_a_decision_never_waits_past_the_markets_own_approval(study, ada):
    late = rows(study, 1).get()
    Study.objects.filter(pk=study.pk).update(auto_approval_seconds=7 * 60)
    study.refresh_from_db()
    review.approve(study, rows(study, 1), actor=ada, now=late.submitted_at, window=WINDOW)
    # Seven minutes until the clock approves, less five to be carried out.
    assert Intent.objects.get(subject=late.pk).not_before == late.submitted_at + timedelta(minutes=2)


def test_too_late_for_a_window_leaves_at_once(study, ada):
    review.approve(study, rows(study, 1), actor=ada, now=NOW + timedelta(days=4), window=WINDOW)
    assert Intent.objects.get(study=study).not_before is None


def test_what_is_taken_back_inside_the_window_never_reaches_the_marketplace(study, ada):
    review.approve(study, rows(study, 3), actor=ada, now=NOW, window=WINDOW)
    assert review.undo_decisions(study, rows(study, 2), actor=ada, now=NOW + timedelta(minutes=9)) == 2
    assert Decision.objects.count() == 1
    assert [due(study, LATER).subject, due(study, LATER)] == [rows(study, 3).last().pk, None]


def test_what_a_colleague_has_just_taken_back_is_not_called_told(study, ada, bea):
    review.approve(study, rows(study, 1), actor=ada, now=NOW, window=WINDOW)
    review.undo_decisions(study, rows(study, 1), actor=ada, now=NOW)
    with pytest.raises(StateError, match="It may already have been undone"):
        review.undo_decisions(study, rows(study, 1), actor=bea, now=NOW)


def test_what_was_taken_back_can_be_decided_again(study, ada):
    review.approve(study, rows(study, 1), actor=ada, now=NOW, window=WINDOW)
    review.undo_decisions(study, rows(study, 1), actor=ada, now=NOW)
    review.approve(study, rows(study, 1), actor=ada, now=NOW, window=WINDOW)
    assert due(study, LATER) is not None
    assert due(study, LATER) is None


@pytest.mark.parametrize("moment", [LATER, NOW + WINDOW])
def test_after_the_window_nothing_is_taken_back(study, ada, moment):
    review.approve(study, rows(study, 1), actor=ada, now=NOW, window=WINDOW)
    with pytest.raises(StateError, match="Too late to undo"):
        review.undo_decisions(study, rows(study, 1), actor=ada, now=moment)
    assert Decision.objects.count() == 1


def test_what_a_worker_of_ours_holds_already_is_not_taken_back(study, ada):
    review.approve(study, rows(study, 1), actor=ada, now=NOW, window=WINDOW)
    Intent.objects.update(state="taken", taken_at=NOW, attempts=1)
    with pytest.raises(StateError):
        review.undo_decisions(study, rows(study, 1), actor=ada, now=NOW)


def test_approved_and_left_out_are_two_decisions_taken_back_together(study, ada):
    review.approve(study, rows(study, 1), actor=ada, now=NOW, window=WINDOW, leave_out="Did not read.")
    assert set(Decision.objects.values_list("matter", "verdict")) == {("payment", "approve"), ("analysis", "exclude")}
    review.undo_decisions(study, rows(study, 1), actor=ada, now=NOW)
    assert not Decision.objects.exists()


def test_refusing_takes_a_reason_and_a_second_person(study, ada, bea):
    one = rows(study, 1).get()
    with pytest.raises(StateError, match="20 to 1024 characters"):
        reject.propose_rejection(study, one, reason="no", actor=ada, now=NOW)
    reject.propose_rejection(study, one, reason=REASON, actor=ada, now=NOW)
    with pytest.raises(StateError, match="second reviewer"):
        reject.confirm_rejection(study, one, actor=ada, now=NOW)
    assert not Decision.objects.exists()
    reject.confirm_rejection(study, one, actor=bea, now=NOW)
    assert (Decision.objects.get().reason, Intent.objects.get().kind) == (REASON, "reject")
    assert due(study) is None


def test_nobody_is_refused_without_a_proposal_and_none_that_is_decided(study, ada, bea):
    one = rows(study, 1).get()
    with pytest.raises(StateError, match="No rejection is proposed"):
        reject.confirm_rejection(study, one, actor=bea, now=NOW)
    review.approve(study, rows(study, 1), actor=ada, now=NOW)
    with pytest.raises(StateError, match="has been decided"):
        reject.propose_rejection(study, one, reason=REASON, actor=ada, now=NOW)


def test_a_guard_stands_on_the_rate_of_rejections(study, ada, bea):
    first, second = rows(study, 2)
    for one in (first, second):
        reject.propose_rejection(study, one, reason=REASON, actor=ada, now=NOW)
    reject.confirm_rejection(study, first, actor=bea, now=NOW)
    with pytest.raises(StateError, match="1 of 8 rejected"):
        reject.confirm_rejection(study, second, actor=bea, now=NOW)
    reject.confirm_rejection(study, second, actor=bea, now=NOW, beyond_guard=True)
    assert Decision.objects.filter(verdict="reject").count() == 2


def test_approving_takes_a_proposal_off_the_table(study, ada):
    reject.propose_rejection(study, rows(study, 1).get(), reason=REASON, actor=ada, now=NOW)
    review.approve(study, rows(study, 1), actor=ada, now=NOW, individually=True)
    assert not Rejection.objects.exists()


def test_a_rejection_that_was_told_can_only_become_an_approval(study, ada, bea):
    one = rows(study, 1).get()
    reject.propose_rejection(study, one, reason=REASON, actor=ada, now=NOW)
    reject.confirm_rejection(study, one, actor=bea, now=NOW)
    with pytest.raises(StateError, match="sent to the marketplace"):
        reject.reverse_rejection(study, one, reason="The texts were alike.", actor=ada, now=NOW)
    Intent.objects.update(state="done", finished_at=LATER)
    reject.reverse_rejection(study, one, reason="The texts were alike.", actor=ada, now=LATER)
    again = Intent.objects.get(kind="approve")
    assert again.details == {"override": True}
    # The reward of a dollar and a fifth of it for the marketplace are set aside anew.
    assert LedgerEntry.objects.filter(intent=again).values_list("cents", flat=True).get() == 120


def test_after_thirty_days_the_marketplace_keeps_its_rejection(study, ada, bea):
    one = rows(study, 1).get()
    reject.propose_rejection(study, one, reason=REASON, actor=ada, now=NOW)
    reject.confirm_rejection(study, one, actor=bea, now=NOW)
    Intent.objects.update(state="done")
    with pytest.raises(StateError, match="30 days"):
        reject.reverse_rejection(study, one, reason="Too late.", actor=ada, now=one.submitted_at + timedelta(days=31))


def test_leaving_out_and_refusing_payment_are_different_decisions(study, ada):
    exclude.exclude_submissions(study, rows(study, 1), reason="Straight line.", actor=ada, now=NOW)
    assert queue.undecided(study, now=NOW).count() == 8
    assert not Intent.objects.exists()
    exclude.include_submissions(study, rows(study, 1), actor=ada, now=NOW)
    assert Decision.objects.get().verdict == "include"


def test_every_deed_is_in_the_log_and_names_nobodys_real_id(study, ada, bea):
    review.approve(study, rows(study, 2), actor=ada, now=NOW, window=WINDOW)
    review.undo_decisions(study, rows(study, 1), actor=ada, now=NOW)
    reject.propose_rejection(study, rows(study, 1).get(), reason=REASON, actor=bea, now=NOW)
    verbs = list(AuditEvent.objects.order_by("number").values_list("verb", flat=True))
    assert verbs == ["approve", "undo", "propose_rejection"]
    assert AuditEvent.objects.first_broken(study) is None
    assert "REALID" not in str(list(AuditEvent.objects.values_list("facts", flat=True)))


@pytest.mark.parametrize(("length", "taken"), [(0, False), (19, False), (20, True), (1024, True), (1025, False)])
def test_a_reason_has_what_a_sentence_takes_and_the_marketplace_carries(study, ada, length: int, taken: bool):
    """RequesterFeedback of RejectAssignment holds at most 1,024 characters; blanks around it do not count."""
    one = rows(study, 1).get()
    words = f"  {'w' * length}\n"
    if taken:
        assert len(reject.propose_rejection(study, one, reason=words, actor=ada, now=NOW).reason) == length
    else:
        with pytest.raises(StateError, match=f"20 to 1024 characters; this one has {length}"):
            reject.propose_rejection(study, one, reason=words, actor=ada, now=NOW)


def test_one_in_twenty_may_be_refused_and_no_more(ada, bea):
    big = make(workers=20, hits=2, texts=1, name="big")
    for at, one in enumerate(rows(big, 3)):
        reject.propose_rejection(big, one, reason=REASON, actor=ada, now=NOW)
        if at < 2:
            reject.confirm_rejection(big, one, actor=bea, now=NOW)
        else:
            with pytest.raises(StateError, match="2 of 40 rejected"):
                reject.confirm_rejection(big, one, actor=bea, now=NOW)
    # What is taken back makes room again.
    review.undo_decisions(big, rows(big, 1), actor=bea, now=NOW)
    reject.confirm_rejection(big, rows(big, 3).last(), actor=bea, now=NOW)


def test_a_refusal_never_waits_past_the_markets_own_approval(study, ada, bea):
    one = rows(study, 1).get()
    Study.objects.filter(pk=study.pk).update(auto_approval_seconds=12 * 60)
    study.refresh_from_db()
    reject.propose_rejection(study, one, reason=REASON, actor=ada, now=one.submitted_at)
    reject.confirm_rejection(study, one, actor=bea, now=one.submitted_at)
    # Twelve minutes until the clock approves, less five: before the ten of the window are over.
    told_at = one.submitted_at + timedelta(minutes=7)
    assert Intent.objects.get(subject=one.pk).not_before == told_at
    with pytest.raises(StateError, match="Too late to undo"):
        review.undo_decisions(study, rows(study, 1), actor=bea, now=told_at)
    assert review.undo_decisions(study, rows(study, 1), actor=bea, now=told_at - timedelta(seconds=1)) == 1


def test_what_the_clock_has_approved_is_not_refused(study, ada, bea):
    one = rows(study, 1).get()
    due = queue.due_at(study, one)
    reject.propose_rejection(study, one, reason=REASON, actor=ada, now=due - timedelta(seconds=1))
    with pytest.raises(StateError, match="auto-approved this"):
        reject.confirm_rejection(study, one, actor=bea, now=due)
    assert not Decision.objects.exists()


def test_a_rejection_can_be_overturned_to_the_last_second_of_its_thirty_days(study, ada, bea):
    one = rows(study, 1).get()
    reject.propose_rejection(study, one, reason=REASON, actor=ada, now=NOW)
    reject.confirm_rejection(study, one, actor=bea, now=NOW)
    Intent.objects.update(state="done")
    last = one.submitted_at + timedelta(days=30)
    for reason in (" ", "w" * 1025):
        with pytest.raises(StateError, match="1 to 1024 characters"):
            reject.reverse_rejection(study, one, reason=reason, actor=ada, now=last)
    with pytest.raises(StateError, match="30 days"):
        reject.reverse_rejection(study, one, reason="Ours.", actor=ada, now=last + timedelta(seconds=1))
    reject.reverse_rejection(study, one, reason="Ours.", actor=ada, now=last)
    assert Decision.objects.get().verdict == "approve"
    with pytest.raises(StateError, match="Only a rejection"):
        reject.reverse_rejection(study, one, reason="Again.", actor=ada, now=last)


def test_the_marketplace_overturns_nothing_of_a_hit_that_it_deleted(study, ada, bea):
    one = rows(study, 1).get()
    reject.propose_rejection(study, one, reason=REASON, actor=ada, now=NOW)
    reject.confirm_rejection(study, one, actor=bea, now=NOW)
    Intent.objects.update(state="done")
    Hit.objects.update(market_status=Hit.DISPOSED)
    with pytest.raises(StateError, match="deleted the HIT"):
        reject.reverse_rejection(study, rows(study, 1).get(), reason="Ours.", actor=ada, now=NOW)


def test_an_approval_never_becomes_a_rejection(study, ada, bea):
    review.approve(study, rows(study, 1), actor=ada, now=NOW)
    Intent.objects.update(state="done")
    one = rows(study, 1).get()
    for refusing in (
        lambda: reject.propose_rejection(study, one, reason=REASON, actor=ada, now=NOW),
        lambda: reject.confirm_rejection(study, one, actor=bea, now=NOW),
        lambda: reject.reverse_rejection(study, one, reason=REASON, actor=ada, now=NOW),
    ):
        with pytest.raises(StateError):
            refusing()
    assert Decision.objects.get().verdict == "approve"


@pytest.mark.parametrize("by_rules", [True, False])
def test_taking_back_an_approval_that_left_out_leaves_the_analysis_as_it_was(study, ada, bea, by_rules: bool):
    """What rules, or a colleague, had decided about the analysis stands again, with its reason and its name."""
    if by_rules:
        Flag.objects.create(submission=rows(study, 1).get(), kind="held", sentence="On hold.", raised_at=NOW)
        exclude.apply_rules(exclude.fix_rules(study, "held", [Rule("held")], actor=bea, now=NOW), actor=bea, now=NOW)
    else:
        exclude.exclude_submissions(study, rows(study, 1), reason="Asleep.", actor=bea, now=NOW)
    told = "submission", "matter", "verdict", "reason", "actor", "rule_set", "at"
    before = list(Decision.objects.values_list(*told))
    assert len(before) == 1
    review.approve(study, rows(study, 1), actor=ada, now=LATER, window=WINDOW, leave_out="Did not read.")
    review.undo_decisions(study, rows(study, 1), actor=ada, now=LATER)
    assert list(Decision.objects.values_list(*told)) == before


def test_what_was_kept_by_hand_is_kept_again_after_an_undo(study, ada):
    exclude.exclude_submissions(study, rows(study, 1), reason="Asleep.", actor=ada, now=NOW)
    exclude.include_submissions(study, rows(study, 1), actor=ada, now=NOW)
    review.approve(study, rows(study, 1), actor=ada, now=LATER, window=WINDOW, leave_out="Did not read.")
    review.undo_decisions(study, rows(study, 1), actor=ada, now=LATER)
    assert Decision.objects.get().verdict == "include"


def test_rules_that_hold_no_more_are_not_brought_back_by_an_undo(study, ada):
    Flag.objects.create(submission=rows(study, 1).get(), kind="held", sentence="On hold.", raised_at=NOW)
    exclude.apply_rules(exclude.fix_rules(study, "held", [Rule("held")], actor=ada, now=NOW), actor=ada, now=NOW)
    review.approve(study, rows(study, 1), actor=ada, now=NOW, window=WINDOW, leave_out="Did not read.")
    none = exclude.fix_rules(study, "none", [], actor=ada, now=NOW)
    exclude.apply_rules(none, actor=ada, now=NOW + timedelta(minutes=1))
    review.undo_decisions(study, rows(study, 1), actor=ada, now=NOW + timedelta(minutes=2))
    assert not Decision.objects.exists()


def test_of_two_proposals_the_first_stands(study, ada, bea):
    one = rows(study, 1).get()
    reject.propose_rejection(study, one, reason=REASON, actor=ada, now=NOW)
    with pytest.raises(StateError, match="ada has already proposed a rejection"):
        reject.propose_rejection(study, one, reason="Another reason of another person.", actor=bea, now=NOW)
    reject.propose_rejection(study, one, reason="The same person says it better.", actor=ada, now=NOW)
    proposal = Rejection.objects.get()
    assert (proposal.proposed_by, proposal.reason) == (ada, "The same person says it better.")


def test_nobody_agrees_to_a_reason_that_they_have_not_read(study, ada, bea):
    one = rows(study, 1).get()
    read = reject.propose_rejection(study, one, reason=REASON, actor=ada, now=NOW).proposed_at
    anew = reject.propose_rejection(
        study, one, reason="You are a spammer and a liar.", actor=ada, now=LATER
    ).proposed_at
    with pytest.raises(StateError, match="was changed after you opened"):
        reject.confirm_rejection(study, one, actor=bea, now=LATER, read=read)
    assert not Decision.objects.exists()
    reject.confirm_rejection(study, one, actor=bea, now=LATER, read=anew)
    assert Decision.objects.get().verdict == "reject"


def test_approving_many_leaves_to_the_second_person_what_a_colleague_proposes_to_refuse(study, ada, bea):
    reject.propose_rejection(study, rows(study, 1).get(), reason=REASON, actor=ada, now=NOW)
    done = review.approve(study, rows(study), actor=bea, now=NOW)
    assert (done.decided, done.already, done.proposed) == (7, 0, 1)
    assert Rejection.objects.get().submission == rows(study, 1).get()
    assert not Decision.objects.filter(submission=rows(study, 1).get()).exists()
