"""Review, rules and coding by the API: the desk's deeds, each with its window, its second person and its note."""

from __future__ import annotations

import pytest
from django.utils import timezone

from annotation.jobs.run import run_due
from annotation.models import Decision, Remark, Reply, Study, Submission
from annotation.quality.assess import assess
from tests.annotation.api.conftest import Caller, fault
from tests.annotation.review.factories import make

pytestmark = pytest.mark.django_db
REASON = {"reason": "One label was given for all of the texts of this HIT."}


@pytest.fixture
def study(db: None) -> Study:
    made = make(workers=3, hits=2, texts=4, reasons=True, now=timezone.now())
    assess(made, now=timezone.now())
    return made


@pytest.fixture
def rita(study: Study) -> Caller:
    return Caller("rita", study, "reviewer")


@pytest.fixture
def at(study: Study) -> str:
    return f"/studies/{study.uuid}"


def verdicts() -> set[tuple[str, str]]:
    return set(Decision.objects.values_list("matter", "verdict"))


@pytest.mark.database
def test_the_queue_comes_with_the_most_urgent_first_and_nobody_by_their_id(rita: Caller, at: str) -> None:
    told = rita("get", f"{at}/review?limit=4").json()
    assert (len(told["items"]), told["count"]) == (4, 6)
    due = [one["due"] for one in rita("get", f"{at}/review").json()["items"]]
    assert len(due) == 6
    assert "REALID" not in str(told)
    one = told["items"][0]["assignment"]
    seen = rita("get", f"{at}/assignments/{one}").json()
    assert (len(seen["lines"]), seen["decisions"], seen["until"]) == (4, [], None)
    assert "source" not in str(seen["lines"][0])


def test_a_person_is_decided_with_all_their_work_and_taken_back(rita: Caller, at: str) -> None:
    listed = rita("get", f"{at}/review/people").json()
    assert (listed["count"], [row["submissions"] for row in listed["items"]]) == (3, [2, 2, 2])
    assert "REALID" not in str(listed)
    person = f"{at}/review/people/{listed['items'][0]['pseudonym']}/decision"
    assert fault(rita("post", person, {"action": "exclude"}))[:2] == (409, "state")
    assert rita("post", person, {"action": "exclude", **REASON}).json() == {"submissions": 2}
    assert verdicts() == {("payment", "approve"), ("analysis", "exclude")}
    assert rita("get", f"{at}/review/people").json()["count"] == 2
    assert fault(rita("post", person, {"action": "keep"}))[:2] == (409, "state")
    other = f"{at}/review/people/{listed['items'][1]['pseudonym']}/decision"
    assert rita("post", other, {"action": "propose_rejection", **REASON}).json() == {"submissions": 2}
    # The latest first: the proposal, then the decision.
    undone = [rita("post", f"{at}/review/people/undo").json()["worker"] for _ in range(2)]
    assert undone == [row["pseudonym"] for row in listed["items"][1::-1]]
    assert verdicts() == set()
    assert fault(rita("post", f"{at}/review/people/undo"))[:2] == (409, "state")


def test_an_approval_can_be_taken_back(rita: Caller, at: str) -> None:
    one = f"{at}/assignments/{Submission.objects.first().market_id}"
    assert rita("post", f"{one}/approve", {}).status_code == 204
    assert rita("get", one).json()["until"]
    assert fault(rita("post", f"{one}/approve", {}))[:2] == (409, "state")
    assert rita("post", f"{one}/undo").status_code == 204
    assert verdicts() == set()
    assert fault(rita("post", f"{one}/undo"))[:2] == (409, "state")


def test_refusing_payment_takes_a_second_person(study: Study, rita: Caller, at: str) -> None:
    one = f"{at}/assignments/{Submission.objects.first().market_id}"
    assert fault(rita("post", f"{one}/proposal", {"reason": "short"})) == (422, "input", ["reason"])
    assert rita("post", f"{one}/proposal", REASON).status_code == 204
    assert rita("get", f"{at}/review?state=proposed").json()["count"] == 1
    assert fault(rita("post", f"{one}/second", {}))[:2] == (409, "state")
    rolf = Caller("rolf", study, "reviewer")
    assert fault(rolf("post", f"{one}/second", {"beyond_guard": True}))[:2] == (403, "role")
    assert rolf("post", f"{one}/second", {}).status_code == 204
    assert verdicts() == {("payment", "reject")}


def test_an_answer_to_a_rejection_is_read_and_the_rejection_kept(study: Study, rita: Caller, at: str) -> None:
    one = Submission.objects.first()
    here = f"{at}/assignments/{one.market_id}"
    rita("post", f"{here}/proposal", REASON)
    Caller("rolf", study, "reviewer")("post", f"{here}/second", {})
    assert fault(rita("post", f"{here}/uphold"))[:2] == (409, "state")
    Reply.objects.create(submission=one, body="I read it all.", at=timezone.now())
    waits = rita("get", f"{at}/review?state=answered").json()
    assert [row["assignment"] for row in waits["items"]] == [one.market_id]
    assert rita("post", f"{here}/uphold").status_code == 204
    assert rita("get", f"{at}/review?state=answered").json()["count"] == 0
    (told,) = rita("get", here).json()["replies"]
    assert (told["body"], told["by"], bool(told["heeded"])) == ("I read it all.", None, True)


@pytest.mark.parametrize(("width", "most"), [(1, 2**31), (1, 1_000_001), ("Infinity", 99), ("NaN", 99)])
@pytest.mark.database
def test_a_rule_of_stopping_beyond_all_counting_is_refused(study: Study, at: str, width: object, most: int) -> None:
    told = Caller("edda", study, "editor")("put", f"{at}/stopping-rule", {"width": width, "most": most})
    assert fault(told)[0] in (409, 422)
    assert not study.audit.filter(verb="declare_rule").exists()


def test_a_price_of_more_gold_than_a_hit_holds_is_refused_by_field(study: Study, at: str) -> None:
    told = Caller("edda", study, "editor")("post", f"{at}/price", {"gold_per_hit": 10**400})
    assert fault(told) == (422, "input", ["gold_per_hit"])


def test_a_reason_of_blanks_is_refused_and_approves_nobody(rita: Caller, at: str) -> None:
    one = Submission.objects.first().market_id
    assert fault(rita("post", f"{at}/assignments/{one}/approve", {"leave_out": "  "})) == (422, "input", ["leave_out"])
    many = {"assignments": [one], "leave_out": "\n", "dry_run": False}
    assert fault(rita("post", f"{at}/approvals", many)) == (422, "input", ["leave_out"])
    assert verdicts() == set()


def test_a_program_reads_the_reason_that_it_agrees_to(study: Study, rita: Caller, at: str) -> None:
    one = f"{at}/assignments/{Submission.objects.first().market_id}"
    rolf = Caller("rolf", study, "reviewer")
    assert rolf("get", one).json()["proposal"] is None
    rita("post", f"{one}/proposal", REASON)
    read = rolf("get", one).json()["proposal"]
    assert (read["reason"], read["by"]) == (REASON["reason"], "rita")
    rita("post", f"{one}/proposal", {"reason": "Worded anew, and not as kindly as before."})
    assert fault(rolf("post", f"{one}/second", {"read": read["at"]}))[:2] == (409, "state")
    assert rolf("post", f"{one}/second", {"read": rolf("get", one).json()["proposal"]["at"]}).status_code == 204
    assert rolf("get", one).json()["proposal"] is None


def test_many_are_previewed_then_approved(rita: Caller, at: str) -> None:
    tried = rita("post", f"{at}/approvals", {}).json()
    assert (tried["decided"], tried["already"]) == (6, 0)
    assert tried["cents"] == 6 * 100
    assert verdicts() == set()
    two = list(Submission.objects.order_by("pk").values_list("market_id", flat=True)[:2])
    assert rita("post", f"{at}/approvals", {"assignments": two, "dry_run": False}).json()["decided"] == 2
    # Everything that waits is approved only as it was shown: the first dry run told of two more.
    assert fault(rita("post", f"{at}/approvals", {"dry_run": False})) == (409, "state", ["shown"])
    assert fault(rita("post", f"{at}/approvals", {"dry_run": False, "shown": tried["shown"]}))[:2] == (409, "state")
    assert Submission.objects.filter(decisions__matter="payment").count() == 2
    shown = rita("post", f"{at}/approvals", {}).json()["shown"]
    rest = rita("post", f"{at}/approvals", {"dry_run": False, "shown": shown}).json()
    assert (rest["decided"], rest["already"], rest["cents"]) == (4, 2, 400)


@pytest.mark.database
def test_work_is_left_out_and_taken_back_in(rita: Caller, at: str) -> None:
    one = f"{at}/assignments/{Submission.objects.first().market_id}"
    rita("put", f"{one}/exclusion", REASON)
    assert verdicts() == {("analysis", "exclude")}
    rita("delete", f"{one}/exclusion")
    assert verdicts() == {("analysis", "include")}


def test_rules_are_fixed_before_anybody_looks_and_applied(study: Study, at: str) -> None:
    editor = Caller("eve", study, "editor")
    assert "one_answer" in {one["kind"] for one in editor("get", "/filters?limit=200").json()["items"]}
    made = editor("post", f"{at}/rules", {"name": "strict", "rules": [{"kind": "one_answer"}]})
    assert (made.status_code, made.json()["number"], made.json()["blind"]) == (201, 1, True)
    assert fault(editor("post", f"{at}/rules", {"name": "x", "rules": [{"kind": "nonsense"}]}))[:2] == (409, "state")
    measuring = editor("post", f"{at}/quality/measure").json()
    run_due()
    assert editor("get", f"/jobs/{measuring['uuid']}").json()["outcome"]["submissions"] == 6
    applied = editor("post", f"{at}/rules/1/apply").json()
    told = editor("get", f"{at}/quality").json()
    assert (told["holds"], told["left_out"]) == (1, applied["left_out"])
    # Three people, two submissions each, all of whose explanations are of seven sentences.
    alike = next(one for one in told["flags"] if one["kind"] == "repeated_reasons")
    assert (alike["submissions"], alike["workers"], alike["left_out"]) == (6, 3, applied["left_out"])
    assert told["doubted_gold"] == []
    unblinding = editor("post", f"{at}/unblind")
    assert unblinding.status_code == 202
    assert editor("post", f"{at}/unblind").json()["uuid"] == unblinding.json()["uuid"]
    run_due()
    assert editor("get", f"/jobs/{unblinding.json()['uuid']}").json()["outcome"] == {"first": True}
    assert editor("post", f"{at}/rules", {"name": "late", "rules": []}).json()["blind"] is False


def test_the_papers_rules_are_a_named_set_that_is_switched_on_and_numbered(study: Study, at: str) -> None:
    editor, style = Caller("eve", study, "editor"), {"short_reasons", "repeated_reasons", "other_language", "pasted"}
    filters = editor("get", "/filters?limit=200").json()["items"]
    assert {
        one["kind"] for one in filters if one["style"] and not one["default"] and one["sets"] == ["papers"]
    } == style
    default = editor("post", f"{at}/rules", {"name": "ours", "set": "default"}).json()
    given = {"name": "as published", "set": "papers", "rules": [{"kind": "pasted", "threshold": 0.7}]}
    papers = editor("post", f"{at}/rules", given).json()
    assert (default["number"], papers["number"]) == (1, 2)
    kinds = [{rule["kind"] for rule in one["rules"]} for one in (default, papers)]
    assert (kinds[1] - kinds[0], kinds[0] - kinds[1]) == (style, set())
    assert {"kind": "pasted", "threshold": 0.7} in papers["rules"]
    # All explanations of this study are alike: the papers' rules leave all six out, ours none.
    assert [editor("post", f"{at}/rules/{n}/apply").json()["left_out"] for n in (1, 2)] == [0, 6]
    assert fault(editor("post", f"{at}/rules", {"name": "neither"}))[:2] == (409, "state")


def test_two_people_code_an_explanation_and_a_third_word_settles_it(study: Study, rita: Caller, at: str) -> None:
    editor, remark = Caller("eve", study, "editor"), Remark.objects.first().pk
    assert editor("put", f"{at}/coding/comments", {"lines": "form: grammar, genre"}).status_code == 204
    assert rita("put", f"{at}/coding/comments/{remark}", {"codes": ["grammar"]}).status_code == 204
    assert editor("put", f"{at}/coding/comments/{remark}", {"codes": ["genre"]}).status_code == 204
    told = next(one for one in rita("get", f"{at}/coding").json()["items"] if one["purpose"] == "comments")
    assert (told["coded_twice"], told["unsettled"]) == (1, [remark])
    assert editor("put", f"{at}/coding/comments/{remark}/settled", {"codes": ["grammar"]}).status_code == 204
    assert fault(rita("put", f"{at}/coding/comments/999999", {}))[:2] == (404, "absent")


def test_a_worker_is_shown_by_pseudonym_and_held_out_of_new_studies(study: Study, at: str) -> None:
    editor = Caller("eve", study, "editor")
    first = editor("get", f"{at}/workers").json()["items"][0]["pseudonym"]
    hold = f"{at}/workers/{first}/hold"
    assert fault(editor("put", hold, {"reason": "x", "until": "2001-01-01"}))[:2] == (409, "state")
    assert editor("put", hold, {"reason": "Shared a device.", "until": "2099-01-01"}).status_code == 204
    assert editor("get", f"{at}/workers/{first}").json()["held_until"] == "2099-01-01"
    assert editor("delete", hold).status_code == 204
    assert editor("get", f"{at}/workers/{first}").json()["held_until"] is None
    assert editor("get", f"{at}/workers/nobody").status_code == 404


def test_a_notice_to_a_stranger_is_refused_and_nobody_is_written_to(study: Study, at: str) -> None:
    editor = Caller("eve", study, "editor")
    known = Submission.objects.order_by("pk").first()
    Decision.objects.create(submission=known, matter="payment", verdict="approve", at=timezone.now())
    words = {"subject": "Thank you", "text": "Your ratings are in use."}
    both = [known.worker.pseudonym, "nobody"]
    assert editor("post", f"{at}/notices", {**words, "workers": both}).status_code == 404
    assert not study.intents.filter(kind="notify").exists()
    told = editor("post", f"{at}/notices", {**words, "workers": both[:1]}).json()
    assert told == {"people": 1, "already": 0, "undecided": 0}
