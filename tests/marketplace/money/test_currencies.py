"""Pay in several currencies: on the wire in each one's own decimals, and paid as it was shown."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from annotation.marketplace.core import clock
from annotation.marketplace.models import Assignment, Hit, Requester, RequesterBalance, WorkerBalance
from annotation.marketplace.money.balance_check import check_balances
from annotation.marketplace.money.ledger import set_balance
from annotation.marketplace.workers import payouts
from tests.marketplace.question_samples import hit_parameters

pytestmark = pytest.mark.database


def _fund(currency, minor):
    set_balance(Requester.objects.get(), balance=minor, now=clock.now(), currency=currency)


def test_yen_and_euros_go_from_the_wire_to_the_payouts(lab, people):
    _fund("JPY", 1_000)
    _fund("EUR", 1_000)
    yen = lab.hit(Reward="150", Keywords="assay:currency=JPY")
    euros = lab.hit(Reward="1.25", Keywords="assay:currency=EUR, assay:minutes=7")
    assert lab.client.get_hit(HITId=yen["HITId"])["HIT"]["Reward"] == "150"
    assert lab.client.get_hit(HITId=euros["HITId"])["HIT"]["Reward"] == "1.25"
    # The fee of each place, 20%, is on hold with its reward.
    assert dict(RequesterBalance.objects.values_list("currency", "balance_cents")) == {"JPY": 820, "EUR": 850}
    (worker,) = people(1)
    for hit in (yen, euros):
        lab.client.approve_assignment(AssignmentId=worker.do(hit))
    shown = Assignment.objects.order_by("pk").values_list("shown_reward_cents", "shown_currency", "shown_minutes")
    assert list(shown) == [(150, "JPY", None), (125, "EUR", 7)]
    assert dict(WorkerBalance.objects.values_list("currency", "owed_cents")) == {"JPY": 150, "EUR": 125}
    assert check_balances().faults == ()
    payouts.make_batch(now=clock.now())
    assert check_balances().faults == ()
    assert not WorkerBalance.objects.filter(owed_cents__gt=0).exists()

    Assignment.objects.filter(shown_currency="EUR").update(shown_reward_cents=130)
    assert any("125 EUR were paid, 130 EUR had been shown" in fault for fault in check_balances().faults)


@pytest.mark.parametrize(
    ("reward", "keywords", "sentence"),
    [
        ("1.5", "assay:currency=JPY", "Reward must be a whole number of JPY, such as 150; it is 1.5."),
        ("1.50", "assay:currency=DEM", "it is 'DEM'"),
        ("1.50", "assay:currency=KWD", "at most two decimals"),
        ("1.50", "assay:currency=EUR", "1.80 EUR are needed, 0.00 EUR are available"),
    ],
)
def test_a_bad_amount_or_currency_is_refused(lab, settings, reward, keywords, sentence):
    settings.MARKETPLACE_PUBLISH_UNFUNDED = False
    with pytest.raises(ClientError) as refused:
        lab.hit(Reward=reward, Keywords=keywords)
    assert sentence in str(refused.value)


def test_a_study_has_one_currency_and_without_a_word_it_is_dollars(lab, people):
    _fund("EUR", 10_000)
    first = lab.hit(Reward="1.25", Keywords="assay:study=one, assay:currency=EUR")
    code, sentence = lab.refused("create_hit", **hit_parameters(Reward="1.25", Keywords="assay:study=one"))
    assert code == "ParameterValidationError"
    assert "the study one pays in EUR, this HIT type in USD. A study has one currency" in sentence
    dollars = lab.hit(Reward="1.25")
    assert dict(Hit.objects.values_list("hit_id", "hit_type__currency")) == {
        first["HITId"]: "EUR",
        dollars["HITId"]: "USD",
    }
    # A floor in dollars is not held against yen, and 150 yen are no 1.50 dollars.
    _fund("JPY", 10_000)
    lab.hit(Reward="150", Keywords="assay:currency=JPY")
    (worker,) = people(1)
    assert worker.get("/hits/?pay=1.00").text.count('<li class="task"') == 1
    assert worker.get("/hits/?sort=reward").status_code == 200
