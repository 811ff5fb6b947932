"""The review desk's doors: who may come in, what each deed does, and that nobody's real id is ever shown."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone

from annotation.console.urls import of_judging, urlpatterns
from annotation.jobs import queue
from annotation.jobs.run import run_due
from annotation.models import (
    AuditEvent,
    Codebook,
    Coding,
    Decision,
    Evidence,
    Hold,
    Intent,
    Job,
    Look,
    Membership,
    Presentation,
    Rejection,
    Remark,
    RuleSet,
    Study,
    Submission,
    Worker,
)
from annotation.quality import assess
from annotation.review import reject
from tests.annotation.review.factories import judged, make, member

pytestmark = pytest.mark.django_db
READ_BY_ALL = ("quality", "quality-outcome", "quality-rules")
READ_BY_REVIEWERS = (
    "review-people",
    "review-people-card",
    "review",
    "review-assignment",
    "workers",
    "workers-page",
    "coding",
)
REASON = "One label was given for all of the texts of this HIT."


@pytest.fixture
def study(db: None) -> Study:
    return judged(workers=3, hits=2, texts=4, reasons=True, now=timezone.now())


@pytest.fixture
def enter(study: Study) -> Callable[..., Client]:
    def entered(role: str, name: str = "", **more: object) -> Client:
        client = Client()
        client.force_login(member(study, role, name, **more))
        return client

    return entered


def first(study: Study) -> Submission:
    return Submission.objects.filter(hit__study=study).order_by("pk").first()


def to(name: str, study: Study, *parts: object) -> str:
    return reverse(f"console:{name}", args=[study.uuid, *parts])


def addresses(study: Study, patterns=None, **more: object) -> dict[str, str]:
    """Every address of the judging pages (or of other patterns of the console), by name. `more`: other parts."""
    one, found = first(study), {}
    parts = {
        "assignment": one.market_id,
        "pseudonym": one.worker.pseudonym,
        "purpose": "criteria",
        "study_id": study.uuid,
        **more,
    }
    for name, wanted in _names(of_judging if patterns is None else patterns):
        given = {part: parts.get(part, study.uuid if "UUID" in kind else 1) for part, kind in wanted.items()}
        found[name] = reverse(
            f"console:{name}", kwargs={"study_id": study.uuid, **given} if patterns is None else given
        )
    return found


def _names(patterns, before=()):
    """Name, and the kind of each part, of every address below."""
    for one in patterns:
        wanted = {**dict(before), **{part: type(kind).__name__ for part, kind in one.pattern.converters.items()}}
        if hasattr(one, "url_patterns"):
            yield from _names(one.url_patterns, wanted)
        else:
            yield one.name, wanted


@pytest.mark.database
def test_the_sweep_knows_every_address(study):
    known = {key for key in get_resolver("annotation.console.urls").reverse_dict if isinstance(key, str)}
    assert {name for name, _ in _names(of_judging)} <= known
    assert len(addresses(study)) == 38


@pytest.mark.database
def test_a_viewer_can_change_nothing(study, enter):
    viewer = enter("viewer")
    before = [kind.objects.count() for kind in (Decision, Intent, RuleSet, Hold, Codebook, Look)]
    for name, address in addresses(study).items():
        assert viewer.post(address, {"codes": "null"}).status_code in {403, 405}, name
        assert viewer.get(address).status_code == (200 if name in READ_BY_ALL else 405) or name in READ_BY_REVIEWERS, (
            name
        )
    assert [viewer.get(addresses(study)[name]).status_code for name in READ_BY_REVIEWERS] == [403] * 7
    assert [kind.objects.count() for kind in (Decision, Intent, RuleSet, Hold, Codebook, Look)] == before


def test_a_stranger_finds_no_address(study):
    stranger = Client()
    stranger.force_login(member(make(workers=1, hits=1, texts=1, name="other"), "owner", "stranger"))
    for name, address in addresses(study).items():
        assert stranger.get(address).status_code in {404, 405}, name
        assert stranger.post(address).status_code in {404, 405}, name


def test_nobody_without_the_permission_receives_a_real_id_from_any_address(study, enter, caplog):
    owner = enter("owner", "olga")
    assert len(addresses(study, urlpatterns)) > 25
    for name, address in addresses(study, urlpatterns).items():
        given = {"look-reason": "Curious.", "chosen": first(study).market_id}
        for answer in (owner.get(address), owner.post(address, given)):
            assert b"REALID" not in answer.content, name
            assert "REALID" not in str(answer.headers), name
    assert "REALID" not in caplog.text
    assert not Look.objects.exists()


def test_with_the_permission_a_look_is_told_and_noted(study, enter):
    root = enter("owner", "root", is_superuser=True)
    address = to("workers-look", study, first(study).worker.pseudonym)
    assert b"REALID" not in root.post(address, {"look-reason": ""}).content
    assert not Look.objects.exists()
    assert b"A9REALIDjudged00000" in root.post(address, {"look-reason": "A complaint by mail."}).content
    assert Look.objects.get().reason == "A complaint by mail."
    logged = AuditEvent.objects.get(study=study, verb="look_up_worker_id")
    assert (logged.actor, logged.facts["reason"]) == ("root", "A complaint by mail.")


def test_approving_goes_on_to_the_next_and_can_be_taken_back(study, enter):
    reviewer, one = enter("reviewer"), first(study)
    answer = reviewer.post(to("review-approve", study, one.market_id), {"keep": ""}, follow=True)
    assert "You can undo your last decision" in answer.content.decode()
    assert one.market_id not in answer.redirect_chain[-1][0]
    reviewer.post(to("review-undo", study, one.market_id))
    assert not Decision.objects.exists()
    assert Intent.objects.get().state == "dropped"


def test_leaving_out_needs_a_reason_and_says_so_on_the_page(study, enter):
    reviewer, one = enter("reviewer"), first(study)
    answer = reviewer.post(to("review-approve", study, one.market_id), {"leave": "", "approve-leave_out": " "})
    assert (answer.status_code, Decision.objects.count()) == (422, 0)
    assert "Enter a reason for the exclusion." in answer.content.decode()
    reviewer.post(to("review-approve", study, one.market_id), {"leave": "", "approve-leave_out": "Did not read."})
    assert Decision.objects.count() == 2


def told(client: Client, address: str, **sent: object) -> list[str]:
    """The messages of the page that comes after a deed."""
    return [str(message) for message in client.post(address, sent, follow=True).context["messages"]]


@pytest.mark.parametrize(
    ("left", "says"),
    [
        (timedelta(days=1), "Approved. You can undo this for ten minutes."),
        (timedelta(minutes=9), "Approved. You can undo this until "),
        (timedelta(minutes=5), "Approved. The marketplace is notified at once."),
        (timedelta(minutes=-1), "Approved. The marketplace is notified at once."),
    ],
)
def test_how_long_a_decision_can_be_taken_back_is_told_as_it_is(study, enter, left: timedelta, says: str):
    """Five minutes before the marketplace approves by itself it must be told. The second was handed in an hour ago."""
    one = Submission.objects.filter(hit__study=study).order_by("pk")[1]
    seconds = (timedelta(hours=1) + left).total_seconds()
    Study.objects.filter(pk=study.pk).update(auto_approval_seconds=int(seconds))
    assert told(enter("reviewer"), to("review-approve", study, one.market_id))[0].startswith(says)


def test_refusing_takes_two_people_at_the_desk(study, enter):
    ada, bea, one = enter("reviewer", "ada"), enter("reviewer", "bea"), first(study)
    ada.post(to("review-propose", study, one.market_id), {"propose-reason": REASON})
    page = to("review-assignment", study, one.market_id)
    assert "A second reviewer decides" in ada.get(page).content.decode()
    assert "Confirm rejection" not in ada.get(page).content.decode()
    assert "Confirm rejection" in bea.get(page).content.decode()
    refused = ada.post(to("review-second", study, one.market_id))
    assert (refused.status_code, "second reviewer" in refused.content.decode()) == (409, True)
    bea.post(to("review-second", study, one.market_id))
    assert Decision.objects.get().verdict == "reject"


def test_a_proposal_that_was_worded_anew_is_read_before_it_is_agreed_to(study, enter):
    ada, bea, address = enter("reviewer", "ada"), enter("reviewer", "bea"), first(study).market_id
    ada.post(to("review-propose", study, address), {"propose-reason": REASON})
    opened = re.search(
        r'name="read" value="([^"]+)"', bea.get(to("review-assignment", study, address)).content.decode()
    )
    ada.post(to("review-propose", study, address), {"propose-reason": f"{REASON} And you are a liar."})
    refused = bea.post(to("review-second", study, address), {"read": opened[1]})
    assert (refused.status_code, "was changed after you opened" in refused.content.decode()) == (409, True)
    again = re.search(r'name="read" value="([^"]+)"', bea.get(to("review-assignment", study, address)).content.decode())
    bea.post(to("review-second", study, address), {"read": again[1]})
    assert Decision.objects.get().reason.endswith("liar.")


def test_only_an_owner_goes_beyond_the_guard(study, enter):
    ada, bea, olga = enter("reviewer", "ada"), enter("reviewer", "bea"), enter("owner", "olga")
    rows = list(Submission.objects.filter(hit__study=study).order_by("pk")[:2])
    for one in rows:
        ada.post(to("review-propose", study, one.market_id), {"propose-reason": REASON})
    bea.post(to("review-second", study, rows[0].market_id))
    assert bea.post(to("review-second", study, rows[1].market_id), {"beyond": "on"}).status_code == 409
    assert olga.post(to("review-second", study, rows[1].market_id), {"beyond": "on"}).status_code == 302


def test_a_bulk_action_shows_first_what_it_will_do(study, enter):
    reviewer = enter("reviewer")
    chosen = list(Submission.objects.filter(hit__study=study).values_list("market_id", flat=True)[:4])
    shown = reviewer.post(to("review-bulk", study), {"chosen": chosen, "action": "approve"}).content.decode()
    assert "Approve 4 submissions ($" in shown
    assert "$4.00" in shown
    assert not Decision.objects.exists()
    reviewer.post(to("review-bulk", study), {"chosen": chosen, "action": "approve", "confirmed": "on"})
    assert Decision.objects.filter(verdict="approve").count() == 4


def test_a_bulk_action_says_what_others_decided_since_it_was_shown(study, enter):
    ada, bea = enter("reviewer", "ada"), enter("reviewer", "bea")
    chosen = list(Submission.objects.filter(hit__study=study).order_by("pk").values_list("market_id", flat=True)[:4])
    assert "Approve 4 submissions ($" in bea.post(to("review-bulk", study), {"chosen": chosen}).content.decode()
    ada.post(to("review-approve", study, chosen[0]))
    ada.post(to("review-propose", study, chosen[1]), {"propose-reason": REASON})
    again = bea.post(to("review-bulk", study), {"chosen": chosen, "action": "approve"}).content.decode()
    assert "Approve 2 submissions ($" in again
    assert "(1 more needs a second reviewer: rejection proposed)" in again
    done = bea.post(to("review-bulk", study), {"chosen": chosen, "action": "approve", "confirmed": "on"}, follow=True)
    told = [str(message) for message in done.context["messages"]]
    assert told == [
        "2 approved. You can undo this for ten minutes.",
        "1 already decided and unchanged.",
        "1 needs a second reviewer (rejection proposed).",
    ]
    assert Rejection.objects.get().submission.market_id == chosen[1]


def test_a_bulk_action_on_nothing_promises_nothing(study, enter):
    given = {"action": "approve", "confirmed": "on"}
    assert told(enter("reviewer"), to("review-bulk", study), **given) == ["Nothing was approved."]
    assert not Decision.objects.exists()


def test_many_approvals_say_how_many_cannot_wait_for_ten_minutes(study, enter):
    Study.objects.filter(pk=study.pk).update(auto_approval_seconds=69 * 60)  # the second has nine minutes left
    chosen = list(Submission.objects.filter(hit__study=study).order_by("pk").values_list("market_id", flat=True)[:2])
    said = told(enter("reviewer"), to("review-bulk", study), chosen=chosen, action="approve", confirmed="on")
    assert said[1] == "Sent to the marketplace sooner, before it approves them automatically: 1."


def test_rules_are_fixed_then_applied(study, enter):
    editor = enter("editor")
    editor.post(to("quality-fix", study), {"name": "plan", "one_answer": "on", "straight_lining-at": ""})
    assert RuleSet.objects.get().rules == [["one_answer", None]]
    editor.post(to("quality-apply", study, 1))
    assert "in use" in editor.get(to("quality", study)).content.decode()
    told = editor.get(to("quality-outcome", study)).content.decode()
    assert "No decision on payment is recorded for 6 of 6 submissions." in told
    assert editor.get(to("quality-outcome", study), headers={"HX-Request": "true"}).content.decode() in told


STYLE = {"short_reasons", "repeated_reasons", "other_language", "pasted"}  # F14, F16, F19, F20


def test_filters_on_how_somebody_writes_are_ticked_only_with_the_papers_rules(study, enter):
    editor = enter("editor")

    def ticked(address):
        page = editor.get(address).content.decode()
        boxes = re.findall(r'<input type="checkbox" name="(\w+)"([^>]*)>', page)
        return {kind for kind, rest in boxes if "checked" in rest}

    default, papers = ticked(to("quality", study)), ticked(to("quality", study) + "?set=papers")
    assert papers - default == STYLE
    assert default == papers - STYLE != set()


def test_the_page_lists_rules_that_can_apply_and_all_others_behind_one_link(study, enter):
    editor = enter("editor")
    short, full = (editor.get(to("quality", study) + query).content.decode() for query in ("", "?all=1"))
    assert 'name="too_fast"' in short
    assert 'name="practice"' not in short
    assert 'name="practice"' in full
    assert 'href="?all=1#fix"' in short


def test_a_rule_from_the_long_list_stays_in_view_where_the_form_is_refused(study, enter):
    answer = enter("editor").post(to("quality-fix", study), {"name": "", "practice": "on"})
    assert answer.status_code == 422
    assert 'name="practice"' in answer.content.decode()


def test_gold_that_nobody_answers_as_known_is_shown_before_it_leaves_people_out(study, enter):
    study = judged(name="gilded", workers=5, hits=1, texts=4, now=timezone.now())
    gold = Presentation.objects.filter(text=study.texts.order_by("pk").first())
    study.texts.filter(pk=gold.first().text_id).update(known_label="no such answer")
    gold.update(role="gold")
    editor = enter("editor")
    Membership.objects.create(study=study, user_id=editor.session["_auth_user_id"], role="viewer")
    told = editor.get(to("quality", study)).content.decode()
    assert "Gold texts in doubt" in told
    assert "no such answer" in told


def test_a_share_that_is_no_share_is_refused_beside_its_field(study, enter):
    given = {"name": "plan", "too_fast": "on", "too_fast-at": "50"}
    answer = enter("editor").post(to("quality-fix", study), given)
    assert answer.status_code == 422
    assert "0.5 means 50%" in answer.content.decode()
    assert not RuleSet.objects.exists()


def test_measuring_anew_is_one_press(study, enter):
    Evidence.objects.all().delete()
    editor = enter("editor")
    job = editor.post(to("quality-measure", study)).url
    assert editor.post(to("quality-measure", study)).url == job
    run_due()
    assert Evidence.objects.count() == 6
    assert "Quality checks finished: 6 submissions" in editor.get(job).content.decode()


def test_quality_checks_that_are_canceled_while_they_measure_replace_nothing(study, enter, monkeypatch):
    Evidence.objects.all().delete()
    measure_work = assess.measure_work

    def cancel_first(work):
        queue.cancel(Job.objects.get(), actor="editor", now=timezone.now())
        return measure_work(work)

    monkeypatch.setattr(assess, "measure_work", cancel_first)
    enter("editor").post(to("quality-measure", study))
    run_due()
    assert Job.objects.get().problem == "Canceled by editor."
    assert not Evidence.objects.exists()


def test_a_hold_and_its_end(study, enter):
    editor, who = enter("editor"), first(study).worker.pseudonym
    until = (timezone.now() + timedelta(days=30)).date().isoformat()
    editor.post(to("workers-hold", study, who), {"hold-reason": "Too fast twice.", "hold-until": until})
    told = editor.get(to("workers-page", study, who)).content.decode()
    assert f"Excluded from future studies until {until} (editor-of-judged): Too fast twice." in told
    editor.post(to("workers-lift", study, who))
    assert Hold.objects.get().lifted_at is not None
    assert Hold.objects.get().lifted_by.username == "editor-of-judged"
    assert "by editor-of-judged." in editor.get(to("workers-page", study, who)).content.decode()
    log = html.unescape(editor.get(to("log", study)).content.decode())
    assert "excluded a worker from future studies" in log
    assert "ended a worker's exclusion from future studies" in log
    deeds = study.audit.filter(verb__in=["hold", "lift_hold"]).order_by("number")
    assert [(one.verb, one.actor, one.facts["worker"]) for one in deeds] == [
        ("hold", "editor-of-judged", who),
        ("lift_hold", "editor-of-judged", who),
    ]


def test_an_editor_writes_to_one_person_and_to_everybody(study, enter):
    editor, who = enter("editor"), first(study).worker
    words = {"notice-subject": "Thank you", "notice-text": "Your reasons helped us."}
    editor.post(to("review-approve", study, first(study).market_id), {"keep": ""})
    Intent.objects.update(state="done")
    told = editor.post(to("workers-write", study, who.pseudonym), words, follow=True).content.decode()
    assert "Message sent to 1 workers." in told
    told = editor.post(to("workers-write-all", study), words, follow=True).content.decode()
    assert "Message sent to 0 workers. Sent before: 1." in told
    refused = editor.post(to("workers-write-all", study), {**words, "notice-text": ""})
    assert refused.status_code == 422
    assert Intent.objects.filter(kind="notify").count() == 1


def test_a_hold_whose_last_day_is_over_holds_nobody_and_another_can_be_begun(study, enter):
    editor, who = enter("editor"), first(study).worker.pseudonym
    until = (timezone.now() + timedelta(days=30)).date().isoformat()
    again = {"hold-reason": "Too fast twice.", "hold-until": until}
    editor.post(to("workers-hold", study, who), again)
    Hold.objects.update(until=(timezone.now() - timedelta(days=1)).date())
    page = editor.get(to("workers-page", study, who)).content.decode()
    assert "Kept out of new studies" not in page
    assert "Earlier exclusions" in page
    assert 'name="hold-until"' in page
    editor.post(to("workers-hold", study, who), again)
    assert Hold.objects.filter(lifted_at=None).count() == 1
    assert not Hold.objects.exclude(lifted_by=None).exists()


def test_an_owner_blocks_somebody_and_ends_it_and_an_editor_does_not(study, enter):
    who, reason = first(study).worker, {"block-reason": "Pastes the text as the reason, after two holds."}
    editor, owner = enter("editor"), enter("owner", "olga")
    assert editor.post(to("workers-block", study, who.pseudonym), reason).status_code == 403
    refused = owner.post(to("workers-block", study, who.pseudonym), {"block-reason": "Bad."})
    assert (refused.status_code, b'name="block-reason"' in refused.content) == (422, True)
    owner.post(to("workers-block", study, who.pseudonym), reason)
    page = owner.get(to("workers-page", study, who.pseudonym)).content.decode()
    assert "Block requested, not yet confirmed by the marketplace: Pastes the text as the reason" in page
    Intent.objects.filter(kind="block").update(state="done")
    assert "Blocked on the marketplace: Pastes" in owner.get(to("workers-page", study, who.pseudonym)).content.decode()
    owner.post(to("workers-unblock", study, who.pseudonym))
    assert "after two holds" not in owner.get(to("workers-page", study, who.pseudonym)).content.decode()


def test_two_people_code_at_the_console_and_differ(study, enter):
    editor, ada = enter("editor"), enter("reviewer", "ada")
    editor.post(to("coding-book", study, "criteria"), {"lines": "criteria: mismatch, instructions, uninterpretable"})
    remark = Remark.objects.order_by("pk").first().pk
    editor.post(to("coding-code", study, "criteria", remark), {"codes": ["mismatch"]})
    ada.post(to("coding-code", study, "criteria", remark), {})
    assert "Differences to resolve" in editor.get(to("coding", study)).content.decode()
    editor.post(to("coding-settle", study, "criteria", remark), {"codes": ["mismatch"]})
    assert "Differences to resolve" not in editor.get(to("coding", study)).content.decode()


def test_codes_that_cannot_be_stand_beside_their_field_with_what_was_ticked(study, enter):
    editor = enter("editor")
    editor.post(to("coding-book", study, "criteria"), {"lines": "criteria: mismatch, instructions, uninterpretable"})
    remark = Remark.objects.order_by("pk").first().pk
    refused = editor.post(to("coding-code", study, "criteria", remark), {"codes": ["mismatch", "null"]})
    page = refused.content.decode()
    assert refused.status_code == 422
    assert 'href="#criteria-codes"' in page
    assert 'id="criteria-codes" class="wrong"' in page
    assert page.count("each once, or null alone.") == 2  # above, and beside the field
    assert page.count(" checked") == 2
    assert not Coding.objects.exists()
    for name in ("ada", "bob"):
        enter("reviewer", name).post(to("coding-code", study, "criteria", remark), {"codes": ["mismatch"]})
    late = editor.post(to("coding-code", study, "criteria", remark), {"codes": ["mismatch"]})
    assert (late.status_code, b"Two people have coded this" in late.content) == (422, True)
    early = editor.post(to("coding-settle", study, "criteria", remark + 1), {"codes": ["mismatch"]})
    assert (early.status_code, b"nothing to settle before" in early.content) == (422, True)


def test_the_source_of_a_text_is_not_shown_to_a_reviewer(study, enter):
    page = enter("reviewer").get(to("review-assignment", study, first(study).market_id)).content.decode()
    assert "The mayor opened bridge" in page
    assert "reference" not in page.lower()


def test_the_queue_asks_the_database_as_often_for_six_as_for_sixty(study, enter, django_assert_max_num_queries):
    reviewer = enter("reviewer")
    big = judged(workers=20, hits=3, texts=2, name="big")
    Membership.objects.create(study=big, user_id=reviewer.session["_auth_user_id"], role="reviewer")
    for one in (study, big):
        with django_assert_max_num_queries(14):
            reviewer.get(to("review", one))


def test_proposals_can_be_listed_by_themselves(study, enter):
    reviewer, one = enter("reviewer", "ada"), first(study)
    reject.propose_rejection(study, one, reason=REASON, actor=Membership.objects.get().user, now=timezone.now())
    page = reviewer.get(to("review", study), {"state": "proposed"}).content.decode()
    assert page.count("rejection proposed") == 1


def test_workers_are_listed_by_pseudonym(study, enter):
    page = enter("reviewer").get(to("workers", study)).content.decode()
    assert all(one.pseudonym in page for one in Worker.objects.all())
