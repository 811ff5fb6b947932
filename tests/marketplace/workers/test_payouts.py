"""What workers are owed, paid out in batches, and never twice."""

from __future__ import annotations

import csv
import io

import pytest
from django.core.management import CommandError, call_command

from annotation.marketplace.models import LedgerEntry, Payout, WorkerAccount
from annotation.marketplace.money.balance_check import check_balances

pytestmark = pytest.mark.database


@pytest.fixture(autouse=True)
def money_adds_up(site):
    yield
    assert check_balances().faults == ()


@pytest.fixture
def earners(lab, sign_in) -> None:
    """Ann is owed 50 cents, Bob a dollar and a half."""
    hit = lab.hit(Reward="0.50", MaxAssignments=2)
    for name, payee in (("ann", "=1+1"), ("bob", "bob@bank")):
        worker = sign_in(name, payee=payee)
        work = worker.do(hit)
        lab.client.approve_assignment(AssignmentId=work)
    lab.client.send_bonus(AssignmentId=work, WorkerId=worker.worker_id, BonusAmount="1.00", Reason="r")


def export(*arguments: str) -> list[dict[str, str]]:
    out = io.StringIO()
    call_command("payouts", "export", *arguments, stdout=out, stderr=io.StringIO())
    return list(csv.DictReader(io.StringIO(out.getvalue())))


def mark(folder, rows: list[dict[str, str]]) -> str:
    file = folder / "batch.csv"
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    told = io.StringIO()
    call_command("payouts", "mark", str(file), stdout=told)
    return told.getvalue()


def owed() -> dict[str, int]:
    return dict(WorkerAccount.objects.values_list("name", "owed_cents"))


def test_a_batch_holds_what_is_owed_and_the_next_does_not(earners):
    rows = export()
    assert [(row["payee"], row["amount"], row["currency"]) for row in rows] == [
        ("'=1+1", "0.50", "USD"),
        ("bob@bank", "1.50", "USD"),
    ]
    assert owed() == {"ann": 0, "bob": 0}
    assert export() == []
    assert export("--batch", Payout.objects.first().batch) == rows


def test_where_nothing_is_due_the_file_has_the_header_and_no_file_is_replaced(earners, tmp_path):
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    export("--out", str(first))
    said = io.StringIO()
    call_command("payouts", "export", "--out", str(second), stderr=said)
    assert second.read_text() == first.read_text().splitlines(keepends=True)[0]
    assert "No payouts due" in said.getvalue()
    before = first.read_text()
    with pytest.raises(CommandError, match="exists already"):
        export("--out", str(first))
    assert first.read_text() == before
    call_command("payouts", "mark", str(second), stdout=said)
    assert said.getvalue().endswith("0 paid, 0 failed, 0 were marked before.\n")


def test_paid_stays_paid_and_failed_is_owed_again(earners, tmp_path):
    ann, bob = export()
    marked = [ann | {"status": "paid", "reference": "tx-1"}, bob | {"status": "failed"}]
    assert mark(tmp_path, marked).startswith("1 paid, 1 failed, 0 were")
    assert owed() == {"ann": 0, "bob": 150}
    assert mark(tmp_path, marked).startswith("0 paid, 0 failed, 2 were")
    assert owed() == {"ann": 0, "bob": 150}
    assert [row["amount"] for row in export()] == ["1.50"]
    assert LedgerEntry.objects.filter(purpose="payout", account="outside").count() == 1


def test_a_contradiction_marks_nothing(earners, tmp_path):
    ann, bob = export()
    mark(tmp_path, [ann | {"status": "failed"}])
    with pytest.raises(CommandError, match=r"Line 3: payout .* was marked as failed before. Nothing was marked"):
        mark(tmp_path, [bob | {"status": "paid"}, ann | {"status": "paid"}])
    assert owed() == {"ann": 50, "bob": 0}
    assert Payout.objects.get(payout_id=bob["payout"]).state == "sent"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"status": "perhaps"}, "Line 2: status must be paid, failed or empty"),
        ({"payout": "3NONE", "status": "paid"}, "Line 2: there is no payout '3NONE'"),
        ({"status": "paid", "reference": "x" * 201}, "Line 2: reference is at most 200"),
    ],
)
def test_a_line_that_cannot_be_is_named(earners, tmp_path, changes, sentence):
    with pytest.raises(CommandError, match=sentence):
        mark(tmp_path, [export()[0] | changes])


def test_a_file_that_is_no_batch_is_refused(site, tmp_path):
    for name, content, sentence in (
        ("other.csv", b"a,b\n1,2\n", "The column 'payout' is missing"),
        ("binary.csv", b"\xff\xfe\x00", "cannot be read"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(CommandError, match=sentence):
            call_command("payouts", "mark", str(tmp_path / name))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("payouts", "mark", str(tmp_path / "absent.csv"))


def test_lines_without_a_status_wait(earners, tmp_path):
    assert mark(tmp_path, export()).startswith("0 paid, 0 failed, 0 were")
    assert set(Payout.objects.values_list("state", flat=True)) == {"sent"}


@pytest.mark.parametrize(
    ("pays", "words"), [("volunteer", "this is volunteer work"), ("elsewhere", "paid elsewhere, not by this site")]
)
def test_who_is_not_paid_here_is_told_before_accepting_and_owed_nothing(lab, ann, pays, words):
    call_command("create_requester", "lab", "--pays", pays, "--json", stdout=io.StringIO())
    hit = lab.hit()
    assert words in ann.get("/hits/").text
    assert words in ann.get(f"/hits/{hit['HITId']}/").text
    work = ann.do(hit)
    lab.client.approve_assignment(AssignmentId=work)
    assert words in ann.get(f"/hits/work/{work}/done/").text
    assert owed() == {"ann": 0}
    assert lab.money() == ("9999.40", "0.00")
