"""Payouts and retention from the console to the marketplace: nobody is paid twice, nothing stays past its date."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.accounts.models import ApiToken, User
from annotation.exceptions import ChangedError
from annotation.jobs.celery_tasks import keep_house
from annotation.marketplace.models import (
    Channel,
    LedgerEntry,
    Participant,
    ParticipantIdentity,
    PayoutFile,
    PurgeMark,
    Requester,
    SettledEntry,
    Settlement,
    WorkerAccount,
)
from annotation.models import AuditEvent, HousekeepingMark, Membership, Role, Study, WorkerIdentity
from annotation.mturk import payouts as calls
from annotation.mturk.client import Market
from annotation.mturk.records import Endpoint
from annotation.workers import payouts, study_retention
from tests.annotation.review.factories import make
from tests.marketplace import owed

pytestmark = pytest.mark.django_db(transaction=True)
TAG = "judged-1"
NOW = timezone.now()


class Desk:
    """A closed study with three people: two paid elsewhere, one a volunteer; and a stranger's study beside it."""

    def __init__(self, market: Market) -> None:
        self.market, self.study = market, make(workers=2, hits=1, texts=2)
        Study.objects.filter(pk=self.study.pk).update(channel_tag=TAG, status="closed")
        self.study.refresh_from_db()
        self.requester = Requester.objects.get(user__username="lab")
        self.hit = owed.hit(self.requester, TAG, now=NOW)
        self.way = owed.channel(self.requester, TAG, now=NOW)
        self.ann = owed.person(self.way, now=NOW, name="=HYPERLINK(1)", email="ann@example.org")
        self.bea = owed.person(self.way, now=NOW, external_id="5f3e")
        volunteers = owed.channel(self.requester, TAG, pays="volunteer", now=NOW)
        self.vic = owed.person(volunteers, now=NOW, name="Vic")
        for worker in (self.ann, self.bea, self.vic):
            owed.work(worker, self.hit, now=NOW)
        owed.work(self.bea, owed.hit(self.requester, TAG, now=NOW), now=NOW, state="Rejected")
        elsewhere = owed.channel(self.requester, "other", now=NOW)
        owed.work(owed.person(elsewhere, now=NOW, name="Odd"), owed.hit(self.requester, "other", now=NOW), now=NOW)

    @property
    def both(self) -> list[str]:
        return [self.ann.worker_id, self.bea.worker_id]

    def owed(self, **how: bool) -> dict[str, int]:
        work = payouts.work_of(self.study)
        assert work is not None
        return {row.worker_id: row.amount_minor for row in calls.list_owed(self.market, work, **how).rows}

    def create(self, *worker_ids: str) -> calls.PayoutRecord:
        chosen = worker_ids or tuple(self.both)
        return payouts.create_payout_file(
            self.study, chosen, with_unpaid=False, market=self.market, actor="olga", now=NOW
        )

    def mark(self, file: calls.PayoutRecord, **other: int) -> bool:
        shown = {"people": file.people, "amount_minor": file.amount_minor, **other}
        return payouts.mark_payout_sent(self.study, file.file_id, market=self.market, actor="olga", now=NOW, **shown)


@pytest.fixture
def desk(endpoint: Endpoint, settings: Any) -> Desk:
    settings.MTURK_ENDPOINT_URL = endpoint.url
    settings.WORKER_ORIGIN = endpoint.url.removesuffix("/mturk/")
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = endpoint.access_key, endpoint.secret_key
    return Desk(Market(endpoint))


def test_rejected_and_unpaid_work_and_other_studies_are_not_owed(desk: Desk) -> None:
    assert desk.owed() == {desk.ann.worker_id: 120, desk.bea.worker_id: 120}
    assert desk.owed(with_unpaid=True) == {**desk.owed(), desk.vic.worker_id: 0}
    sums = {(row.tag, row.pays): (row.people, row.amount_minor) for row in calls.sum_owed(desk.market)}
    assert sums == {(TAG, "elsewhere"): (2, 240), ("other", "elsewhere"): (1, 120)}


def test_withdrawn_answers_stay_paid_and_bonuses_are_owed(desk: Desk) -> None:
    done = desk.ann.assignments.get()
    done.withdrawn_at = NOW
    done.save()
    owed.reward(done, 35, now=NOW, purpose="bonus")
    assert desk.owed()[desk.ann.worker_id] == 155


def test_whom_the_site_pays_itself_is_counted_and_not_in_a_file(desk: Desk, person: Callable[..., Client]) -> None:
    registered = owed.channel(desk.requester, TAG, pays="ledger", now=NOW)
    owed.work(owed.person(registered, now=NOW, name="Hal"), desk.hit, now=NOW)
    work = payouts.work_of(desk.study)
    assert work is not None
    answer = calls.list_owed(desk.market, work)
    assert (len(answer.rows), answer.by_site) == (2, (calls.SiteSum("USD", 1, 120),))
    (unpayable,) = answer.without_payee
    hal = Participant.objects.get(worker__worker_id=unpayable.worker_id)
    assert (unpayable.code, unpayable.amount_minor) == (hal.shown_code, 120)
    assert "No payment details" in signed_in(desk, person).get(at(desk, "workers-payouts")).content.decode()
    WorkerAccount.objects.filter(worker_id=unpayable.worker_id).update(payee="DE00 1234")
    assert calls.list_owed(desk.market, work).without_payee == ()


def test_what_is_in_a_file_is_not_owed_and_work_approved_later_is(desk: Desk) -> None:
    file = desk.create()
    assert (file.people, file.amount_minor, desk.owed()) == (2, 240, {})
    owed.work(desk.ann, owed.hit(desk.requester, TAG, now=NOW), now=NOW)
    assert desk.mark(file)
    assert desk.owed() == {desk.ann.worker_id: 120}
    assert PayoutFile.objects.get().amount_minor == 240


def test_two_owners_at_once_make_one_file(desk: Desk) -> None:
    work = payouts.work_of(desk.study)
    assert work is not None
    rows = calls.list_owed(desk.market, work).rows
    calls.create_file(desk.market, work, rows, actor="olga", with_unpaid=False)
    with pytest.raises(ChangedError, match="No file was made"):
        calls.create_file(desk.market, work, rows, actor="otto", with_unpaid=False)
    with pytest.raises(ChangedError, match="No file was created"):
        desk.create()
    assert PayoutFile.objects.get().created_by == "olga"


def test_the_database_lets_no_reward_be_in_two_files(desk: Desk) -> None:
    desk.create()
    entry = SettledEntry.objects.first()
    assert entry is not None
    with pytest.raises(IntegrityError), transaction.atomic():
        SettledEntry.objects.create(entry_id=entry.entry_id, settlement=Settlement.objects.last())
    assert {row.entry.purpose for row in SettledEntry.objects.select_related("entry")} == {"reward"}


def test_marking_twice_marks_once_and_only_the_amounts_of_the_file(desk: Desk) -> None:
    file = desk.create()
    with pytest.raises(ChangedError, match="not the amounts of this file"):
        desk.mark(file, amount_minor=241)
    assert [desk.mark(file), desk.mark(file)] == [True, False]
    deeds = AuditEvent.objects.filter(verb="mark_payout_sent")
    assert [deed.facts for deed in deeds] == [{"file": file.file_id, "people": 2, "amount": "2.40 USD"}]
    stored = str(list(AuditEvent.objects.values_list("facts", flat=True)))
    assert not any(secret in stored for secret in (*desk.both, "ann@example.org", "5f3e"))


def test_a_mark_is_undone_for_a_day_and_a_file_discarded_before_it(desk: Desk) -> None:
    file = desk.create()
    act = {"market": desk.market, "actor": "olga", "now": NOW}
    desk.mark(file)
    with pytest.raises(ChangedError, match="not marked as sent can be discarded"):
        payouts.discard_payout_file(desk.study, file.file_id, **act)
    payouts.undo_payout_sent(desk.study, file.file_id, **act)
    assert PayoutFile.objects.get().state == "open"
    desk.mark(file)
    PayoutFile.objects.update(settled_at=NOW - timedelta(hours=24, minutes=1))
    with pytest.raises(ChangedError, match="over a day ago"):
        payouts.undo_payout_sent(desk.study, file.file_id, **act)
    PayoutFile.objects.update(state="open", settled_at=None)
    payouts.discard_payout_file(desk.study, file.file_id, **act)
    assert set(desk.owed()) == set(desk.both)
    with pytest.raises(ChangedError, match="was discarded"):
        desk.mark(file)


def test_the_file_is_the_same_whenever_it_is_downloaded_and_runs_nothing(desk: Desk) -> None:
    file = desk.create()
    text = payouts.as_csv(payouts.find_file(desk.study, file.file_id, market=desk.market))
    assert text == payouts.as_csv(payouts.find_file(desk.study, file.file_id, market=desk.market))
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    ann, bea = rows
    assert (ann["name"], ann["email"], ann["amount"], ann["currency"]) == (
        "'=HYPERLINK(1)",
        "ann@example.org",
        "1.20",
        "USD",
    )
    assert (bea["panel_id"], bea["payment"], bea["paid_by"]) == ("5f3e", f"{file.file_id}-2", "elsewhere")
    assert all(row["completion_code"].startswith("CODE") for row in rows)


@pytest.mark.parametrize(
    ("minor", "currency", "text"),
    [
        (1234, "USD", "12.34"),
        (5, "EUR", "0.05"),
        (1234, "JPY", "1234"),
        (1, "KWD", "0.001"),
        (10**12, "USD", "10000000000.00"),
    ],
)
def test_amounts_have_exactly_the_digits_of_their_currency(minor: int, currency: str, text: str) -> None:
    assert payouts.plain_amount(minor, currency) == text


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\tx", "\rx"])
def test_no_cell_is_run_by_a_spreadsheet(cell: str) -> None:
    assert payouts.disarm(cell) == f"'{cell}"
    assert payouts.disarm(f"a{cell}") == f"a{cell}"


def test_an_owner_pays_from_the_pages(desk: Desk, person: Callable[..., Client]) -> None:
    owner = signed_in(desk, person)
    page = owner.get(at(desk, "workers-payouts")).content.decode()
    assert "2 participants are owed $2.40." in page
    assert "ann@example.org" in page
    assert "Vic" not in page
    assert "Vic" in owner.get(at(desk, "workers-payouts"), {"unpaid": "1"}).content.decode()
    assert "judged" in owner.get(reverse("console:money-payouts")).content.decode()
    none = owner.post(at(desk, "workers-payouts-create"))
    assert (none.status_code, "Choose at least one participant." in none.content.decode()) == (422, True)
    answer = owner.post(at(desk, "workers-payouts-create"), {"chosen": desk.both}, follow=True)
    page = answer.content.decode()
    assert "2 payouts, $2.40." in page
    assert "Mark 2 payouts ($2.40) as sent" in page
    file = PayoutFile.objects.get()
    waiting = owner.get(at(desk, "workers-payouts")).content.decode()
    assert "Files that are not marked as sent" in waiting
    assert "No payouts due." in waiting
    download = owner.get(at(desk, "workers-payouts-download", file.file_id))
    assert download["Content-Disposition"] == f'attachment; filename="payouts-judged-{file.file_id}.csv"'
    shown = {"people": 2, "amount_minor": 240}
    sent = [owner.post(at(desk, "workers-payouts-sent", file.file_id), shown, follow=True) for _ in range(2)]
    assert "You can undo this for 24 hours" in sent[0].content.decode()
    assert "It was marked as sent before." in sent[1].content.decode()
    assert (
        "no longer marked" in owner.post(at(desk, "workers-payouts-undo", file.file_id), follow=True).content.decode()
    )
    assert (
        "are owed again" in owner.post(at(desk, "workers-payouts-discard", file.file_id), follow=True).content.decode()
    )
    again = owner.post(at(desk, "workers-payouts-sent", file.file_id), shown)
    assert (again.status_code, "was discarded" in again.content.decode()) == (409, True)


def test_programs_pay_and_delete_without_reading_who_people_are(desk: Desk) -> None:
    olga = User.objects.create_user("olga")
    Membership.objects.create(study=desk.study, user=olga, role=Role.OWNER)
    token = ApiToken.objects.issue(olga, name="x", now=NOW)[1]
    place, told_all = f"/api/v1/studies/{desk.study.uuid}", []

    def call(method: str, path: str, body: Any = None) -> Any:
        options = {"headers": {"Authorization": f"Bearer {token}"}, "content_type": "application/json"}
        answer = Client().generic(method, f"{place}/{path}", json.dumps(body), **options)
        told_all.append(answer.content.decode())
        assert answer.status_code < 300, answer.content
        return answer.json() if answer.content else None

    assert call("GET", "payouts")["owed"] == [{"currency": "USD", "people": 2, "amount_minor": 240}]
    file = call("POST", "payouts", {"currency": "USD"})
    sent = f"payouts/{file['file_id']}/sent"
    call("PUT", sent, {"people": 2, "amount_minor": 240})
    call("DELETE", sent)
    call("DELETE", f"payouts/{file['file_id']}")
    assert [row["state"] for row in call("GET", "payouts")["files"]] == ["discarded"]
    call(
        "PUT",
        sent.replace(file["file_id"], call("POST", "payouts", {"currency": "USD"})["file_id"]),
        {
            "people": 2,
            "amount_minor": 240,
        },
    )
    stored = call("GET", "retention")
    assert (stored["worker_ids"], [row["identities"] for row in stored["channels"]], stored["owed"]) == (2, [2, 1], 0)
    call("PUT", "retention", {"retain_until": "2099-01-01T00:00:00Z"})
    call("DELETE", "retention", {"workers": 2, "identities": 3})
    assert call("GET", "retention")["worker_ids"] == 0
    assert not any(secret in " ".join(told_all) for secret in (*desk.both, "ann@example.org", "5f3e", "HYPERLINK"))


def test_only_owners_see_payouts_and_only_their_study(desk: Desk, person: Callable[..., Client]) -> None:
    file = desk.create()
    editor = signed_in(desk, person, Role.EDITOR)
    places = ("workers-payouts", "workers-payouts-file", "workers-payouts-download")
    for place in places:
        parts = () if place == "workers-payouts" else (file.file_id,)
        assert editor.get(at(desk, place, *parts)).status_code == 403
    other = make(workers=1, hits=1, texts=1, name="other")
    Study.objects.filter(pk=other.pk).update(channel_tag="other", status="closed")
    owner = signed_in(desk, person, Role.OWNER, study=other)
    refused = owner.get(reverse("console:workers-payouts-file", args=[other.uuid, file.file_id]))
    assert refused.status_code == 409
    assert "ann@example.org" not in refused.content.decode()
    across = owner.get(reverse("console:money-payouts")).content.decode()
    assert "judged" not in across


def test_ids_are_deleted_at_once_when_nobody_is_owed_anything(desk: Desk, person: Callable[..., Client]) -> None:
    owner = signed_in(desk, person)
    place = at(desk, "workers-retention")
    page = owner.get(place).content.decode()
    assert "2 participants are still owed payouts." in page
    assert "Delete IDs now" not in page
    typed = {"workers": 2, "identities": 3, "name": "judged"}
    stopped = owner.post(at(desk, "workers-retention-delete"), typed)
    assert stopped.status_code == 409
    file = desk.create()
    assert "2 participants are in a payout file" not in (page := owner.get(place).content.decode())
    assert "2 participants are in payout files that are not marked as sent." in page
    desk.mark(file)
    page = owner.get(place).content.decode()
    assert "worker IDs 2; names, email addresses or panel IDs 3." in page
    wrong = owner.post(at(desk, "workers-retention-delete"), {**typed, "identities": 2})
    assert (wrong.status_code, ParticipantIdentity.objects.count()) == (409, 4)
    assert WorkerIdentity.objects.count() == 2
    assert (
        "Type the name exactly"
        in owner.post(at(desk, "workers-retention-delete"), {**typed, "name": "x"}).content.decode()
    )
    assert "5 records deleted." in owner.post(at(desk, "workers-retention-delete"), typed, follow=True).content.decode()
    assert ParticipantIdentity.objects.get().name == "Odd"
    assert not WorkerIdentity.objects.exists()
    page = owner.get(place).content.decode()
    assert "The worker IDs of this study were deleted on" in page
    page = owner.get(at(desk, "workers-payouts-file", file.file_id)).content.decode()
    assert "were deleted on" in page
    assert desk.ann.worker_id in page
    assert "ann@example.org" not in page + payouts.as_csv(calls.get_file(desk.market, file.file_id))
    assert owner.get(at(desk, "workers-payouts")).status_code == 200
    assert LedgerEntry.objects.filter(account="outside", purpose="reward").count() == 4


def test_a_running_study_keeps_its_ids(desk: Desk, person: Callable[..., Client]) -> None:
    Study.objects.filter(pk=desk.study.pk).update(status="paused")
    owner = signed_in(desk, person)
    assert "Close it first" in owner.get(at(desk, "workers-retention")).content.decode()
    typed = {"workers": 2, "identities": 3, "name": "judged"}
    assert owner.post(at(desk, "workers-retention-delete"), typed).status_code == 409
    assert WorkerIdentity.objects.count() == 2


def test_who_is_in_another_study_stays_known(desk: Desk) -> None:
    other = make(workers=1, hits=1, texts=1, name="other")
    kept = desk.study.participations.order_by("pk")[0].worker
    other.participations.update(worker=kept)
    assert study_retention.stored_ids(desk.study, now=NOW) == study_retention.StoredIds(2, 1, 0)


def test_a_date_goes_to_the_study_and_its_channels_and_the_loop_keeps_it(
    desk: Desk, person: Callable[..., Client], settings: Any, tmp_path: Any
) -> None:
    settings.VAR = tmp_path
    owner = signed_in(desk, person)
    past = owner.post(at(desk, "workers-retention-date"), {"retain_until": "2020-01-01"})
    assert (past.status_code, "Enter a date in the future" in past.content.decode()) == (422, True)
    owner.post(at(desk, "workers-retention-date"), {"retain_until": "2099-01-31"})
    desk.study.refresh_from_db()
    assert desk.study.retain_until is not None
    assert desk.study.retain_until.isoformat() == "2099-01-31T00:00:00+00:00"
    dates = set(Channel.objects.filter(study=TAG).values_list("retain_until", flat=True))
    assert dates == {desk.study.retain_until}
    assert "does not seem to run" in owner.get(at(desk, "workers-retention")).content.decode()
    Study.objects.update(retain_until=timezone.now())
    Channel.objects.filter(study=TAG).update(retain_until=timezone.now())
    assert keep_house().workers == 2
    assert ParticipantIdentity.objects.get().name == "Odd"
    assert PurgeMark.objects.get().identities == 3
    page = owner.get(at(desk, "workers-retention")).content.decode()
    assert "does not seem to run" not in page
    assert "The work loop last looked for IDs past their date on" in page
    assert "2099" not in owner.get(reverse("console:everybody-retention")).content.decode()


def test_the_loop_asks_the_marketplace_every_ten_minutes(
    db: None, settings: Any, tmp_path: Any, monkeypatch: Any
) -> None:
    settings.VAR = tmp_path
    asked: list[str] = []
    monkeypatch.setattr("annotation.jobs.celery_tasks.call_command", lambda name, **_: asked.append(name))
    for _ in range(3):
        keep_house()
    assert asked == ["marketplace_sweep"]
    HousekeepingMark.objects.update(swept_at=timezone.now() - timedelta(minutes=11))
    keep_house()
    assert asked == ["marketplace_sweep"] * 2


def at(desk: Desk, place: str, *parts: str) -> str:
    return reverse(f"console:{place}", args=[desk.study.uuid, *parts])


def signed_in(
    desk: Desk, person: Callable[..., Client], role: str = Role.OWNER, *, study: Study | None = None
) -> Client:
    user = User.objects.create_user(f"{role}-{(study or desk.study).name}")
    Membership.objects.create(study=study or desk.study, user=user, role=role)
    client = Client()
    client.force_login(user)
    return client
