"""Where workers say to live: stated by themselves, changed rarely, every change kept."""

from __future__ import annotations

from datetime import datetime, timedelta

import httpx
import pytest
from django.utils import timezone
from lxml import html

from annotation.marketplace.models import CountryStatement, WorkerAccount
from annotation.marketplace.workers import close_account as closing
from annotation.marketplace.workers import countries
from annotation.marketplace.workers.open_accounts import Record, open_worker
from tests.marketplace.people import Person

pytestmark = pytest.mark.database
NOW = timezone.now()


def worker(**record: str) -> WorkerAccount:
    return open_worker("ann", worker_id=None, record=Record(**record), now=NOW)


def stated(found: WorkerAccount, place: str, now: datetime = NOW) -> str:
    countries.state(found, *countries.place_of(place), now=now)
    return countries.stated_place(WorkerAccount.objects.get(pk=found.pk))


@pytest.mark.parametrize(
    ("words", "place"),
    [("DE", ("DE", "")), (" us-ca ", ("US", "CA")), ("XX", None), ("DE-BY", None), ("Germany", None), ("", None)],
)
def test_a_place_is_a_country_or_a_state_of_the_united_states(words: str, place: tuple[str, str] | None) -> None:
    assert countries.place_of(words) == place


def test_a_country_is_changed_after_half_a_year_and_not_before(db: None) -> None:
    ann = worker()
    assert stated(ann, "DE") == "DE"
    with pytest.raises(countries.TooSoonError) as refusal:
        stated(ann, "FR", NOW + timedelta(days=181))
    assert refusal.value.until == NOW + timedelta(days=182)
    assert stated(ann, "DE", NOW + timedelta(days=1)) == "DE"
    assert stated(ann, "FR", NOW + timedelta(days=182)) == "FR"
    kept = CountryStatement.objects.order_by("pk").values_list("before", "after")
    assert list(kept) == [("", "DE"), ("DE", "FR")]


def test_what_an_operator_has_set_is_not_the_workers_to_change(db: None) -> None:
    with pytest.raises(countries.TooSoonError):
        stated(worker(locale="US-CA"), "DE")


def test_a_closed_account_leaves_no_statement(db: None) -> None:
    ann = worker()
    stated(ann, "DE")
    closing.close(ann, now=NOW)
    assert not CountryStatement.objects.exists()


def filled(ann: Person, **given: str) -> httpx.Response:
    """The form of the account, filled in."""
    page = ann.origin + "/hits/account/"
    form = html.fromstring(ann.site.get(page).content).forms[-1]
    return ann.site.post(page, data={**dict(form.form_values()), **given})


def test_a_stated_country_opens_tasks_for_it(lab, sign_in):
    row = {"QualificationTypeId": "00000000000000000071", "Comparator": "EqualTo", "LocaleValues": [{"Country": "DE"}]}
    hit, ann = lab.hit(QualificationRequirements=[row]), sign_in("ann")
    assert ann.accept(hit).status_code == 403
    assert filled(ann, country="de").status_code == 200
    assert ann.accept(hit).status_code == 200
    assert "can be changed from" in filled(ann, country="FR").text
    assert "Enter a two-letter country code" in filled(ann, country="Germany").text
