"""Codes, the way back, leaving with one's answers, retention, and how people are paid."""

from __future__ import annotations

import io
import json
import re
from datetime import timedelta

import pytest
from axes.models import AccessLog
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotation.marketplace.channels import kinds
from annotation.marketplace.core import clock
from annotation.marketplace.invitations import retention
from annotation.marketplace.models import (
    Assignment,
    Channel,
    LedgerEntry,
    Link,
    Participant,
    ParticipantIdentity,
    Requester,
    Submission,
    WorkerAccount,
)
from annotation.marketplace.money.balance_check import check_balances
from annotation.marketplace.site.invitations import MISSES
from annotation.marketplace.workers.open_accounts import fund
from tests.marketplace.channels.guests import channel, tasks, told, written
from tests.marketplace.people import Lab, Person, post_form, reason

RETURN = "https://panel.example.org/done?who={external_id}&cc={code}"


def everything(person: Person) -> str:
    """Do every task on offer; the completion code."""
    for hit in person.offers():
        person.do({"HITId": hit})
    end = person.get("/hits/")
    assert end.url.path == "/hits/end/"
    return re.search(r'class="code"[^>]*>([0-9A-Z-]+)<', end.text)[1]


def token_of(person: Person) -> str:
    return re.search(r'name="token" value="([0-9A-Z-]+)"', person.get("/hits/your-data/").text)[1]


def take_back(person: Person, token: str, **fields: str) -> str:
    person.get("/hits/withdraw/")
    sent = {"token": token, "csrfmiddlewaretoken": person.site.cookies["csrftoken"], **fields}
    return reason(person.site.post(f"{person.origin}/hits/withdraw/", data=sent))


def answers(lab: Lab, hit: dict) -> list[str]:
    return [row["Answer"] for row in lab.work(hit)]


@pytest.mark.database
def test_the_way_back_carries_code_and_id_to_the_configured_address_only(lab, guest):
    tasks(lab, 1)
    link = channel("panel", "--id-parameter", "pid", "--return-url", RETURN)
    bob = guest().enter(f"{link}?pid=a%26b%2F%3D7&return_url=https://evil.example&next=//evil.example")
    assert bob.site.get(f"{bob.origin}/hits/end/back/", follow_redirects=False).status_code == 404
    code = everything(bob)
    answer = bob.site.get(f"{bob.origin}/hits/end/back/?next=//evil.example", follow_redirects=False)
    assert answer.headers["location"] == f"https://panel.example.org/done?who=a%26b%2F%3D7&cc={code}"
    assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "address",
    [
        "http://panel.example.org/",
        "https://{external_id}/",
        "https://a@panel.example.org/",
        "//panel.example.org/",
        "javascript:alert(1)",
        "https://panel.example.org/{session}",
        "https://panel.example.org/ x",
        "https://panel.example.org:x/",
    ],
)
def test_a_return_address_that_could_lead_elsewhere_is_not_configured(lab, address):
    with pytest.raises(CommandError, match=r"return address|is not a valid address"):
        channel("panel", "--return-url", address)
    assert Channel.objects.count() == 0


def test_a_code_is_nobody_s_until_the_work_is_stored(lab, guest):
    tasks(lab)
    bob = guest().enter(channel())
    assert Participant.objects.get().code == ""
    assert bob.get("/hits/end/").url.path != "/hits/end/"
    with pytest.raises(CommandError, match="Unknown completion code"):
        told("verify", "0000-0000-0000")
    with pytest.raises(CommandError, match="Unknown completion code"):
        told("verify", "")


def test_who_stops_early_has_finished(lab, guest):
    first, second = tasks(lab)
    bob = guest().enter(channel())
    bob.do(first)
    assert bob.post("/hits/stop/", "/hits/stop/").url.path == "/hits/end/"
    assert bob.accept(second).url.path == "/hits/end/"
    assert [row["code"] for row in told("codes", "class")["codes"]] == [Participant.objects.get().code]


def test_taking_answers_back_erases_them_and_pays(lab, guest):
    first, second = tasks(lab)
    bob = guest().enter(channel())
    bob.do(first, [("why", "because I say so")])
    bob.take(second)
    token = token_of(bob)
    assert take_back(bob, token) == "sure"
    assert "because" in answers(lab, first)[0]
    assert take_back(bob, token.lower().replace("-", " "), sure="1") == "withdrawn"
    (row,) = lab.work(first)
    assert row["AssignmentStatus"] == "Approved"
    assert re.findall(r"<QuestionIdentifier>(.*?)<", row["Answer"]) == ["assay:withdrawn"]
    assert (Submission.objects.get().raw, lab.places(second)[1:]) == ("[]", (9, 0, 0))
    assert WorkerAccount.objects.get().earned_cents == 50
    assert take_back(bob, token, sure="1") == "withdrawn"
    assert WorkerAccount.objects.get().earned_cents == 50
    assert check_balances().faults == ()


def test_a_token_works_in_another_browser_and_a_wrong_one_tells_nothing(lab, guest):
    tasks(lab, 1)
    bob = guest().enter(channel("c", "--id-parameter", "pid") + "?pid=7")
    everything(bob)
    token = token_of(bob)
    stranger = Person("", guest().browser, bob.origin)
    assert take_back(stranger, "0000-0000-0000-0000-0000-0000", sure="1") == "unknown"
    assert take_back(stranger, token, sure="1") == "withdrawn"
    assert bob.get("/hits/").url.path == "/hits/end/"
    assert told("verify", Participant.objects.get().code)["withdrawn"] is True
    for _ in range(MISSES.max_tries):
        take_back(stranger, "wrong")
    assert take_back(stranger, "wrong") == "too-often"


def test_what_was_taken_back_is_paid_as_soon_as_there_is_money_and_never_rejected(open_lab, guest):
    lab = open_lab("lab", balance=0)
    first, second = tasks(lab, MaxAssignments=1)
    bob = guest().enter(channel())
    rejected, unpaid = bob.do(first), bob.do(second)
    lab.client.reject_assignment(AssignmentId=rejected, RequesterFeedback="No.")
    assert take_back(bob, token_of(bob), sure="1") == "withdrawn"
    code, _ = lab.refused("reject_assignment", AssignmentId=unpaid, RequesterFeedback="No.")
    assert code == "InvalidAssignmentState"
    fund(Requester.objects.get(), balance=1_000, now=clock.now())
    bob.get("/hits/")
    states = dict(Assignment.objects.values_list("assignment_id", "state"))
    assert (states[rejected], states[unpaid]) == ("Rejected", "Approved")
    assert {row.withdrawn_at is not None for row in Assignment.objects.all()} == {True}
    assert check_balances().faults == ()


def test_no_form_can_pretend_to_be_withdrawn(lab, guest):
    (hit,) = tasks(lab, 1)
    bob = guest().enter(channel())
    task = bob.take(hit)
    post_form(task.fields["turkSubmitTo"], [("assignmentId", task.id), ("assay:withdrawn", "2026-01-01"), ("a", "b")])
    assert re.findall(r"<QuestionIdentifier>(.*?)<", answers(lab, hit)[0]) == ["a"]


def test_registered_workers_take_back_what_they_gave_to_one_requester(lab, open_lab, ann):
    other = open_lab("other")
    mine, theirs = lab.hit(), other.hit()
    ann.do(mine)
    ann.do(theirs)
    tokens = re.findall(r'name="token" value="([0-9A-Z-]+)"', ann.get("/hits/your-data/").text)
    assert len(tokens) == 2
    assert take_back(ann, tokens[0], sure="1") == "withdrawn"
    assert ("assay:withdrawn" in answers(lab, mine)[0], "assay:withdrawn" in answers(other, theirs)[0]) == (True, False)


@pytest.mark.parametrize(("pays", "owed"), [("volunteer", 0), ("elsewhere", 0), ("ledger", 50)])
def test_people_of_a_channel_are_paid_as_it_says(lab, guest, pays, owed):
    (hit,) = tasks(lab, 1)
    bob = guest().enter(channel("c", "--pays", pays, "--pay-words", "by a voucher"))
    page = bob.get("/hits/").text
    assert ("volunteer work" in page, "by a voucher" in page) == (pays == "volunteer", pays == "elsewhere")
    lab.client.approve_assignment(AssignmentId=bob.do(hit))
    assert WorkerAccount.objects.get().owed_cents == owed
    assert LedgerEntry.objects.filter(purpose="reward", account="outside").exists() == (pays != "ledger")


def test_the_people_of_a_channel_are_forgotten_after_its_date(lab, guest, pass_time):
    tasks(lab)
    date = (clock.now() + timedelta(days=2)).date().isoformat()
    link = channel("c", "--id-parameter", "pid", "--retain-until", date)
    bob = guest().enter(f"{link}?pid=7")
    everything(bob)
    AccessLog.objects.create(username="ada", ip_address="127.0.0.1", attempt_time=timezone.now())
    AccessLog.objects.update(attempt_time=timezone.now() - timedelta(days=91))
    assert retention.purge(now=clock.now(), dry_run=True).identities == 0
    pass_time(3 * 86_400)
    out = io.StringIO()
    call_command("marketplace_purge", "--dry-run", stdout=out)
    planned = json.loads(out.getvalue())
    assert (planned["channels"], planned["identities"], planned["sign_in_logs"]) == (1, 1, 1)
    assert ParticipantIdentity.objects.count() == 1
    call_command("marketplace_sweep", stdout=out)
    assert (ParticipantIdentity.objects.count(), AccessLog.objects.count()) == (0, 0)
    assert (Submission.objects.count(), Participant.objects.count()) == (2, 1)
    assert bob.get("/hits/").status_code == 401
    assert guest().open(f"{link}?pid=8") == "closed"
    call_command("marketplace_purge", stdout=out)
    assert '"channels": 0' in out.getvalue()


def test_a_tagged_study_is_open_by_channels_only(lab, ann, guest):
    (hit,) = tasks(lab, 1)
    plain = lab.hit(Keywords="study, assay:study=")
    assert ann.offers() == [plain["HITId"]]
    assert reason(ann.accept(hit)) == "uninvited"
    bob = guest().enter(channel())
    assert bob.offers() == [hit["HITId"]]
    assert reason(bob.accept(plain)) == "uninvited"
    told("create", "all", "--requester", "lab", "--study", "Spring", "--kind", "accounts")
    assert set(ann.offers()) == {hit["HITId"], plain["HITId"]}
    told("close", "all")
    assert ann.offers() == [plain["HITId"]]


def test_a_channel_may_name_hit_types_and_leads_to_no_other_requester(lab, open_lab, ann, guest):
    hit, foreign = lab.hit(), open_lab("other").hit(Keywords="assay:study=spring")
    assert hit["HITId"] in ann.offers()
    link = told("create", "c", "--requester", "lab", "--hit-type", hit["HITTypeId"])["link"]
    assert ann.offers() == []
    bob = guest().enter(link)
    assert bob.offers() == [hit["HITId"]]
    assert reason(bob.accept(foreign)) == "uninvited"
    with pytest.raises(CommandError, match="no HIT type"):
        told("create", "d", "--requester", "lab", "--hit-type", foreign["HITTypeId"])


def test_registered_workers_agree_to_a_requester_s_text_before_its_hits(lab, ann, tmp_path):
    hit = lab.hit()
    told("texts", "--requester", "lab", "--consent", written(tmp_path, "c.txt", "Be kind."))
    page = ann.get(f"/hits/{hit['HITId']}/")
    assert (reason(page), "Be kind." in page.text) == ("consent", True)
    refused = ann.site.post(str(page.url), data={"no": "1", "csrfmiddlewaretoken": ann.site.cookies["csrftoken"]})
    assert reason(refused) == "declined"
    version = re.search(r'name="version" value="(\w+)"', page.text)[1]
    fields = {"version": version, "csrfmiddlewaretoken": ann.site.cookies["csrftoken"]}
    assert ann.site.post(str(page.url), data=fields).url.path == f"/hits/{hit['HITId']}/"
    ann.take(hit)


class Panel:
    """A platform as somebody might add it: ids of its own, one way back, and it wants to be told."""

    by_link = True

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    def id_parameters(self, link: Link) -> tuple[str, ...]:
        return ("PROLIFIC_PID",)

    def way_back(self, link: Link, *, external_id: str, code: str) -> str:
        return f"https://panel.example.org/submissions/complete?cc=FIXED&of={external_id}"

    def notify(self, participant: Participant, *, what: str) -> None:
        self.heard.append((participant.identity.external_id, what))
        raise RuntimeError("the platform cannot be reached")


def test_another_kind_of_channel_is_one_object_in_the_registry(lab, guest, monkeypatch):
    panel = Panel()
    monkeypatch.setitem(kinds.KINDS, "panel", panel)
    tasks(lab, 1)
    link = channel("p", "--kind", "panel")
    bob = guest().enter(f"{link}?PROLIFIC_PID=5f3a")
    everything(bob)
    back = bob.site.get(f"{bob.origin}/hits/end/back/", follow_redirects=False)
    assert back.headers["location"].endswith("cc=FIXED&of=5f3a")
    take_back(bob, token_of(bob), sure="1")
    assert panel.heard == [("5f3a", "finished"), ("5f3a", "withdrew")]
