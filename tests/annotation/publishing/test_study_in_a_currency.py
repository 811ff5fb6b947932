"""A live study in euros and one in yen, from the bill to the report: every page, file and row has the right amount."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
from django.db.models import Q
from django.test import Client
from django.urls import reverse
from lxml import html

from annotation import ledger
from annotation.accounts.models import ApiToken, User
from annotation.collecting.collect import collect
from annotation.collecting.parse_submissions import read
from annotation.design.configure import configure
from annotation.design.lay_out import design
from annotation.exceptions import StateError
from annotation.importing.add_texts import add_texts
from annotation.marketplace.core import clock
from annotation.marketplace.models import Requester
from annotation.marketplace.money.balance_check import check_balances
from annotation.marketplace.workers import payouts as site_payouts
from annotation.models import Membership, Role, Statement, Study, Submission
from annotation.mturk import payouts as payout_calls
from annotation.mturk.channels import ChannelSettings
from annotation.mturk.client import Market
from annotation.mturk.records import Endpoint
from annotation.outbox.worker import work
from annotation.publishing.preflight import preflight
from annotation.publishing.publish import publish
from annotation.readers.records import LikelihoodRecord, TextRecord
from annotation.recruiting.open_channel import ChannelPlan, open_channel
from annotation.reports.gather import score
from annotation.review.approve import approve
from annotation.studies.create import Plan, create
from annotation.workers import payouts
from metrics.report.build import build_report
from metrics.report.formats.csv import csv_files
from metrics.report.formats.html import html as report_page
from metrics.report.formats.json import payload
from metrics.report.formats.json_schema import document_schema
from metrics.report.formats.latex import latex
from metrics.report.pay import sentences as pay_sentences
from tests.annotation.conftest import NOW, told
from tests.marketplace.channels.guests import Comer, Guest
from tests.marketplace.people import task_on

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("mturk_fees")]


@dataclass(frozen=True)
class Case:
    """Two HITs of two places each at `reward`, with MTurk's fee of 20%: rewards, fees and total of the four, in minor
    units and as people read them."""

    currency: str
    minor: int
    reward: str
    fees: str
    total: str
    total_minor: int
    german: str
    plain: str
    twice: str
    floor: str


# By hand: 4 x 1.25 = 5.00, and 20% of it 1.00; 4 x 150 = 600, and 120.
EUROS = Case("EUR", 125, "€1.25", "€1.00", "€6.00", 600, "1,25\u00a0€", "1.25", "2.50", "€100.00")
YEN = Case("JPY", 150, "¥150", "¥120", "¥720", 720, "150\u00a0¥", "150", "300", "¥10,000")


def _study(case: Case) -> Study:
    plan = Plan(
        noun="headline",
        raters_per_text=2,
        texts_per_hit=4,
        currency=case.currency,
        reward_cents=case.minor,
        budget_cents=10 * case.minor,
    )
    made = create("headlines", mode="live", plan=plan, actor="ada", now=NOW)
    scores = [(LikelihoodRecord("tiny", -4.5 - i, 3, "whitespace"),) for i in range(4)]
    texts = [TextRecord(f"r{i}", f"Reference {i}", "reference", likelihoods=scores[i]) for i in range(4)]
    texts += [TextRecord(f"m{i}", f"Model {i}", "model", generator="tiny", likelihoods=scores[i]) for i in range(4)]
    add_texts(made, texts, actor="ada", now=NOW)
    design(made, actor="ada", now=NOW)
    return made


@pytest.mark.parametrize("case", [EUROS, YEN], ids=["EUR", "JPY"])
def test_a_study_pays_in_its_currency_from_the_bill_to_the_report(
    case: Case, endpoint: Endpoint, everybody_rates: Callable[..., None], settings: Any, tmp_path: Path
) -> None:
    settings.MTURK_ENDPOINT_URL = endpoint.url
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = endpoint.access_key, endpoint.secret_key
    market = Market(replace(endpoint, provider="assay"))
    study, owner = _study(case), Client()
    user = User.objects.create_user("ada")
    Membership.objects.create(study=study, user=user, role=Role.OWNER)
    owner.force_login(user)
    token = {"Authorization": f"Bearer {ApiToken.objects.issue(user, name='script', now=NOW)[1]}"}

    # The bill, before anything is published: the account has dollars only, and none of them counts.
    bill = preflight(study, market=market)
    assert (bill.reward_cents, bill.fee_cents) == (4 * case.minor, case.total_minor - 4 * case.minor)
    sentences = {finding.rule: finding.sentence for finding in bill.findings}
    assert f"{case.total} are missing" in sentences["balance"]
    assert f"No minimum hourly pay in {case.currency} is set" in sentences["no_floor"]
    # A floor is one of the study's own currency: 100 euros an hour, or 10,000 yen.
    assert "wage" not in sentences
    below = [row.sentence for row in preflight(study, floor=10_000).findings if row.rule == "wage"]
    assert all(f"at {case.reward} make" in sentence and f"below {case.floor};" in sentence for sentence in below)
    assert below
    told("create_requester", "lab", "--balance", f"{10 * int(float(case.plain) + 1)} {case.currency}")
    assert "balance" not in {finding.rule for finding in preflight(study, market=market).findings}
    price = owner.get(f"/api/v1/studies/{study.uuid}/price", headers=token)
    assert price.status_code == 200, price.content
    assert (price.json()["reward_cents"], price.json()["total_cents"]) == (4 * case.minor, case.total_minor)

    # Two people come: one by a link, who is paid elsewhere, and one with an account, whom this site pays.
    ways = [("link", "elsewhere"), ("accounts", "ledger")]
    plans = [ChannelPlan(kind, "", ChannelSettings(pays=pays, places=9)) for kind, pays in ways]
    link, _ = (open_channel(study, plan, market=market, actor="ada", now=NOW).link for plan in plans)
    publish(study, actor="ada", now=NOW)
    work(Q(), market=market, clock=lambda: NOW)
    requester = Requester.objects.get()
    assert requester.balances.get(currency=case.currency).held_cents == case.total_minor
    with httpx.Client(trust_env=False, follow_redirects=True, headers={"Accept-Language": "de"}) as browser:
        guest = Guest(browser)
        assert f">{case.german} je Aufgabe (" in browser.get(link).text
        _rate_all(guest.enter(link))
    everybody_rates("bea")
    collect(study, market=market, now=NOW)
    read(study, now=NOW)
    approve(study, Submission.objects.filter(hit__study=study), actor=None, now=NOW)
    work(Q(), market=market, clock=lambda: NOW)

    # The books of both sides, and the files by which people are paid.
    study.refresh_from_db()
    assert (study.spent_cents, study.reserved_cents) == (case.total_minor, 0)
    assert ledger.money_spent(study) == {"reward": 4 * case.minor, "fee": case.total_minor - 4 * case.minor}
    assert check_balances().faults == ()
    (row,) = csv.DictReader(io.StringIO(_site_payouts()))
    assert (row["amount"], row["currency"]) == (case.twice, case.currency)
    owed = payout_calls.list_owed(market, payouts.work_of(study))  # type: ignore[arg-type]
    assert [(sum_.currency, sum_.amount_minor) for sum_ in owed.by_site] == [(case.currency, 2 * case.minor)]
    ids = [person.worker_id for person in owed.rows]
    file = payouts.create_payout_file(study, ids, with_unpaid=False, market=market, actor="ada", now=NOW)
    (row,) = csv.DictReader(io.StringIO(payouts.as_csv(payouts.find_file(study, file.file_id, market=market))))
    assert (row["amount"], row["currency"]) == (case.twice, case.currency)

    # The console and the web API.
    for name in ("console:money", "console:progress"):
        address = reverse(name, args=[study.uuid] if name.endswith("progress") else [])
        assert case.total in owner.get(address).content.decode(), name
    shown = owner.get(f"/api/v1/studies/{study.uuid}", headers=token).json()
    assert shown["currency"] == case.currency

    # The report in every format.
    _report(study, case, tmp_path)

    with pytest.raises(StateError, match="its settings are fixed"):
        configure(study, {"currency": "USD", "reward_cents": 100}, actor="ada", now=NOW)


def _rate_all(person: Comer) -> None:
    """Do every task with the first answer to each question."""
    while person.offers():
        page = person.post("/hits/", "/hits/start/")
        task = task_on(page)
        form = html.fromstring(httpx.get(task.frame, trust_env=False).content).forms[0]
        fields = {name: value for name, value in form.form_values() if value}
        fields |= {radio.get("name"): radio.get("value") for radio in form.xpath(".//input[@type='radio']")}
        assert person.hand_in(task, [("assignmentId", task.id), *fields.items()][1:]).status_code == 200


def _site_payouts() -> str:
    """The file of the marketplace's own payouts."""
    out = io.StringIO()
    site_payouts.write(site_payouts.make_batch(now=clock.now()) or "", out)
    return out.getvalue()


def _report(study: Study, case: Case, folder: Path) -> None:
    # People paid in another way are told so in words, with the signs of currencies.
    Statement.objects.create(study=study, key="payment", body="Half were paid by bank: 5 € or ¥700.")
    report = build_report(score(study), k=2, seed=1)
    money = f"{case.plain} {case.currency}"
    document = json.loads(json.dumps(payload(report, now=NOW)))
    jsonschema.Draft202012Validator(document_schema()).validate(document)
    facts = document["money"]
    assert (facts["currency"], facts["reward_cents"], facts["total_cents"]) == (
        case.currency,
        case.minor,
        case.total_minor,
    )
    rows = list(csv.DictReader(csv_files(report)["assignments.csv"]))
    assert {(row["reward"], row["currency"]) for row in rows} == {(case.plain, case.currency)}
    sentences = " ".join(pay_sentences(report.input))
    assert f"The reward was {money} per assignment" in sentences
    assert f"{case.currency} per hour" in sentences
    assert f"The reward was {money}" in report_page(report, now=NOW)
    source = latex(report, has_figures=False)
    assert f"The reward was {money}" in source
    assert "USD" not in source
    assert "5 € or ¥700" in source or "5 \\texteuro" in source
    if shutil.which("lualatex") is None:
        return
    (folder / "report.tex").write_text(source, encoding="utf-8")
    command = ["lualatex", "-interaction=nonstopmode", "-halt-on-error", "report.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Missing character" not in (folder / "report.log").read_text(encoding="utf-8", errors="replace")
