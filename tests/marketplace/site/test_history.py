"""What workers see of their work and their money."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta

from lxml import html

from annotation.marketplace.core import clock
from annotation.marketplace.models import Payout, Requester, WorkerAccount
from annotation.marketplace.site.earnings import days_of, sums_of
from annotation.marketplace.workers import payouts
from tests.marketplace.people import Person


def lines(person: Person) -> list[dict[str, str]]:
    answer = person.get("/hits/history/download/")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert "attachment" in answer.headers["content-disposition"]
    return list(csv.DictReader(io.StringIO(answer.text)))


def test_history_shows_states_feedback_bonuses_and_when_work_is_approved_by_itself(lab, ann):
    good, bad, waits = (ann.do(lab.hit(Title=title, Reward="1.25")) for title in ("Good", "Bad", "Waits"))
    lab.client.approve_assignment(AssignmentId=good, RequesterFeedback="Well done")
    lab.client.send_bonus(WorkerId=ann.worker_id, AssignmentId=good, BonusAmount="0.75", Reason="For the comments")
    lab.client.reject_assignment(AssignmentId=bad, RequesterFeedback="Too <fast>")
    due = lab.client.get_assignment(AssignmentId=waits)["Assignment"]["AutoApprovalTime"]
    page = ann.get("/hits/history/").text
    for words in ("Well done", "For the comments", "$0.75", "Too &lt;fast&gt;", "Waiting for a decision", "$1.25"):
        assert words in page
    at = due.astimezone(UTC)
    shown = f"{at:%B} {at.day}, {at.year} at {at:%I:%M %p} UTC".replace(" at 0", " at ")
    (moment,) = html.fromstring(page).xpath("//time[@data-moment][text()=$words]", words=shown)
    assert datetime.fromisoformat(moment.get("datetime")) == due.replace(microsecond=0)
    rejected = ann.get("/hits/history/?state=Rejected").text
    assert "Bad" in rejected
    assert "Well done" not in rejected
    assert ann.get("/hits/history/?state=nonsense&before=%00").status_code == 200


def test_a_long_history_has_pages(lab, ann, site):
    for number in range(27):
        task = ann.take(lab.hit(Title=f"Task <{number}>", Description="d"))
        ann.give_back(task)
    first = ann.get("/hits/history/").text
    assert "Task &lt;26&gt;" in first
    assert "Task &lt;1&gt;" not in first
    older = first.split('rel="next" href="')[1].split('"')[0]
    second = ann.get(f"/hits/history/{older}").text
    assert [f"Task &lt;{number}&gt;" in second for number in (0, 1, 2)] == [True, True, False]


def test_the_work_of_others_is_not_in_it(lab, sign_in):
    sign_in("bob").do(lab.hit(Title="Bob's"))
    ann = sign_in("ann")
    assert "You have not accepted a task yet." in ann.get("/hits/history/").text
    assert lines(ann) == []


def test_the_download_holds_everything_and_nothing_that_a_spreadsheet_would_run(lab, ann):
    work = ann.do(lab.hit(Title='=HYPERLINK("http://example.org","x")', Reward="1.25"))
    lab.client.approve_assignment(AssignmentId=work, RequesterFeedback="@SUM(A1)\nsecond, line")
    lab.client.send_bonus(WorkerId=ann.worker_id, AssignmentId=work, BonusAmount="0.75", Reason="r")
    ann.give_back(ann.take(lab.hit(Title="Returned")))
    returned, paid = lines(ann)
    assert paid["title"] == '\'=HYPERLINK("http://example.org","x")'
    assert paid["feedback"] == "'@SUM(A1)\nsecond, line"
    assert (paid["assignment"], paid["state"], paid["reward_usd"], paid["bonus_usd"]) == (
        work, "Approved", "1.25", "0.75",
    )  # fmt: skip
    assert (returned["state"], returned["reward_usd"], returned["submitted_at"]) == ("Returned", "", "")


def test_earnings_are_told_apart_by_where_they_are(lab, ann):
    approved, rejected, _ = (ann.do(lab.hit(Reward=pay)) for pay in ("1.00", "0.20", "0.05"))
    lab.client.approve_assignment(AssignmentId=approved)
    lab.client.reject_assignment(AssignmentId=rejected, RequesterFeedback="no")
    lab.client.send_bonus(WorkerId=ann.worker_id, AssignmentId=approved, BonusAmount="0.50", Reason="r")
    worker = WorkerAccount.objects.get()
    (sums,) = sums_of(worker)
    assert (sums.earned, sums.pending, sums.rejected, sums.owed, sums.sent, sums.paid) == (150, 5, 20, 150, 0, 0)
    payouts.make_batch(now=clock.now())
    (sums,) = sums_of(WorkerAccount.objects.get())
    assert (sums.owed, sums.sent, sums.paid) == (0, 150, 0)
    payouts.settle([payouts.Mark(1, Payout.objects.get().payout_id, "paid", "REF 1")], now=clock.now())
    (sums,) = sums_of(WorkerAccount.objects.get())
    assert (sums.earned, sums.owed, sums.sent, sums.paid) == (150, 0, 0, 150)
    page = ann.get("/hits/earnings/").text
    assert "REF 1" in page
    assert "$1.50" in page


def test_days_add_up_what_was_approved_on_them(lab, ann, pass_time):
    first, second = ann.do(lab.hit(Reward="1.00")), ann.do(lab.hit(Reward="0.10"))
    lab.client.approve_assignment(AssignmentId=first)
    lab.client.send_bonus(WorkerId=ann.worker_id, AssignmentId=first, BonusAmount="0.50", Reason="r")
    pass_time(86_400)
    lab.client.approve_assignment(AssignmentId=second)
    later, day = days_of(WorkerAccount.objects.get())
    assert (day.approved, day.rewards, day.bonuses, day.total) == (1, 100, 50, 150)
    assert (later.approved, later.total) == (1, 10)
    assert later.day - day.day == timedelta(days=1)
    assert [found.total for found in days_of(WorkerAccount.objects.get(), before=later.day)] == [150]
    assert ann.get("/hits/earnings/?before=2026-99-99").status_code == 200


def test_work_that_is_paid_elsewhere_is_not_in_the_sums(lab, ann):
    Requester.objects.update(pays=Requester.Pays.ELSEWHERE)
    lab.client.approve_assignment(AssignmentId=ann.do(lab.hit(Reward="1.00")))
    ann.do(lab.hit(Reward="1.00"))
    (sums,) = sums_of(WorkerAccount.objects.get())
    assert (sums.earned, sums.pending, sums.owed) == (0, 0, 0)
    assert "not paid by this site" in ann.get("/hits/history/").text


def test_qualifications_are_shown_as_they_stand(lab, ann):
    def made(name: str, **more: object) -> str:
        found = lab.client.create_qualification_type(
            Name=name, Description=f"About {name}", QualificationTypeStatus="Active", **more
        )
        return found["QualificationType"]["QualificationTypeId"]

    held, revoked, asked, declined, open_one = (made(n) for n in ("held", "revoked", "asked", "declined", "open one"))
    for found, score in ((held, 87), (revoked, 1)):
        lab.client.associate_qualification_with_worker(
            QualificationTypeId=found, WorkerId=ann.worker_id, IntegerValue=score, SendNotification=False
        )
    lab.client.disassociate_qualification_from_worker(QualificationTypeId=revoked, WorkerId=ann.worker_id)
    for found in (asked, declined):
        ann.post(f"/hits/qualifications/{found}/", f"/hits/qualifications/{found}/ask/")
    request = lab.client.list_qualification_requests(QualificationTypeId=declined)["QualificationRequests"][0]
    lab.client.reject_qualification_request(QualificationRequestId=request["QualificationRequestId"], Reason="Sorry")
    page = ann.get("/hits/qualifications/").text
    parts = dict(zip(("top", "have", "asked", "back", "ask"), page.split("<h2>"), strict=True))
    assert "score 87" in parts["have"]
    assert "waits for the requester" in parts["asked"]
    assert "Sorry" in parts["asked"]
    assert "revoked" in parts["back"]
    assert "open one" in parts["ask"]
    assert "held" not in parts["ask"]
    assert "About asked" not in parts["ask"]
    assert "No matching qualifications." in ann.get("/hits/qualifications/?q=zebra%00").text
    assert open_one in ann.get("/hits/qualifications/?q=OPEN&page=99").text


def test_pages_say_their_name_and_where_one_is(ann):
    for path, name in {"": "Tasks", "history/": "History", "earnings/": "Earnings", "messages/": "Messages"}.items():
        page = ann.get(f"/hits/{path}").text
        assert page.split('aria-current="page">')[1].startswith(name)
        assert "<title>" in page
