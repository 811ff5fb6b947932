"""Amounts of a study's currency: read by its rules, written as people read them."""

from __future__ import annotations

import pytest
from django.utils import timezone

from annotation.design.configure import configure
from annotation.exceptions import DesignError, StateError
from annotation.models import Study
from annotation.pricing.currency import check_currency, format_money, is_currency, parse_amount
from annotation.studies.create import Plan, create
from metrics.data.currency import minor_digits, plain_amount
from tests.annotation.review.factories import make

# Minor units as ISO 4217 lists them; the data that babel formats by round the Serbian dinar and the afghani to 0.
ISO = {"USD": 2, "EUR": 2, "JPY": 0, "KRW": 0, "ISK": 0, "KWD": 3, "TND": 3, "RSD": 2, "AFN": 2, "HUF": 2, "CHF": 2}


@pytest.mark.parametrize(("currency", "digits"), ISO.items())
def test_minor_units_are_those_of_iso_4217(currency: str, digits: int) -> None:
    assert minor_digits(currency) == digits
    assert is_currency(currency)


@pytest.mark.parametrize(
    ("text", "currency", "minor"),
    [
        ("1.25", "USD", 125),
        ("1.25 EUR", "EUR", 125),
        ("1.2", "EUR", 120),
        ("7", "EUR", 700),
        ("150", "JPY", 150),
        ("1.250", "KWD", 1250),
        (" 0 ", "EUR", 0),
    ],
)
def test_an_amount_is_read_in_the_decimals_of_its_currency(text: str, currency: str, minor: int) -> None:
    assert parse_amount(text, currency) == minor
    assert parse_amount(plain_amount(minor, currency), currency) == minor


@pytest.mark.parametrize(
    ("text", "currency", "sentence"),
    [
        ("1.255 EUR", "EUR", "1.255 is not an amount of EUR, which has at most 2 decimals. Write 1.25."),
        ("1.5", "JPY", "1.5 is not an amount of JPY, which has no decimals. Write 150."),
        ("500 USD", "EUR", "500 USD is in USD. The amounts of this study are in EUR; none is converted."),
        ("1,5", "EUR", "'1,5' is not an amount of EUR. Write digits without separators, such as 1.25."),
        ("-1", "EUR", "'-1' is not an amount of EUR. Write digits without separators, such as 1.25."),
        ("", "JPY", "'' is not an amount of JPY. Write digits without separators, such as 150."),
        ("9" * 14, "JPY", "99999999999999 is more than 1000000000000 JPY."),
    ],
)
def test_a_bad_amount_is_refused_with_the_rule(text: str, currency: str, sentence: str) -> None:
    with pytest.raises(DesignError) as refused:
        parse_amount(text, currency)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("code", ["DEM", "XXX", "EURO", "", "€"])
def test_only_a_currency_in_use_is_accepted(code: str) -> None:
    with pytest.raises(DesignError, match="is not a currency in use"):
        check_currency(code)
    assert check_currency("eur") == "EUR"


def test_money_is_written_with_its_sign_and_the_currencys_decimals() -> None:
    shown = [format_money(123450, code) for code in ("USD", "EUR", "JPY", "KWD", "CHF")]
    assert shown == [
        "$1,234.50",
        "€1,234.50",
        "¥123,450",
        "KWD\N{NO-BREAK SPACE}123.450",
        "CHF\N{NO-BREAK SPACE}1,234.50",
    ]
    assert format_money(-5, "EUR") == "−€0.05"
    assert format_money(None, "EUR") == "–"


def _draft(**plan: object) -> Study:
    return create("money", mode="rehearsal", plan=Plan(**plan), actor="ada", now=timezone.now())  # type: ignore[arg-type]


@pytest.mark.django_db
def test_a_change_of_currency_needs_every_amount_again() -> None:
    study = _draft(budget_cents=5000)
    with pytest.raises(
        DesignError, match=r"The reward per task of money is in USD and is not converted\. Enter it in JPY"
    ):
        configure(study, {"currency": "JPY"}, actor="ada", now=timezone.now())
    with pytest.raises(DesignError, match="The budget of money is in USD"):
        configure(study, {"currency": "JPY", "reward_cents": 150}, actor="ada", now=timezone.now())
    changes = {"currency": "JPY", "reward_cents": 150, "budget_cents": 90_000}
    configure(study, changes, actor="ada", now=timezone.now())
    study.refresh_from_db()
    assert (study.currency, study.reward_cents, study.budget_cents) == ("JPY", 150, 90_000)


@pytest.mark.django_db
def test_an_unknown_currency_is_no_study() -> None:
    with pytest.raises(DesignError, match="'EURO' is not a currency in use"):
        _draft(currency="EURO")
    assert not Study.objects.exists()


@pytest.mark.django_db
def test_the_currency_is_fixed_once_tasks_exist() -> None:
    study = make(workers=1, hits=1, texts=2)
    Study.objects.filter(pk=study.pk).update(status="draft")
    with pytest.raises(StateError, match="Discard the tasks, then change it"):
        configure(study, {"currency": "EUR", "reward_cents": 100}, actor="ada", now=timezone.now())
