"""F23 the whole way: from a worker's browser through the marketplace's answers to the flag, and no further."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.db.models import Q

from annotation.collecting.collect import collect
from annotation.models import Device, Evidence, Flag, Study, Submission
from annotation.mturk.client import Market
from annotation.outbox.worker import work
from annotation.publishing.publish import publish
from annotation.quality.assess import assess
from annotation.rehearsal.crowd.browser import Answer, Browser
from annotation.workers.retention import forget_devices
from tests.annotation.conftest import NOW, told

pytestmark = pytest.mark.django_db(transaction=True)
COOKIE = "assay_device"
People = Callable[..., Browser]


@pytest.fixture
def people(site: str) -> Iterator[People]:
    """Signs people in, each in a browser of their own, or in that of somebody who worked before."""
    with ExitStack() as stack:

        def signed_in(name: str, *, where: Browser | None = None) -> Browser:
            one = stack.enter_context(Browser(told("create_worker", name)["sign_in_url"]))
            if where is not None:
                one._site.cookies.set(COOKIE, number_of(where))
            return one

        yield signed_in


@pytest.fixture
def published(study: Study, market: Market) -> Study:
    """Two HITs, each for two people."""
    publish(study, actor="ada", now=NOW)
    work(Q(), market=market, clock=lambda: NOW)
    return study


def number_of(browser: Browser) -> str:
    """The random number in the browser's cookie."""
    return next(one.value for one in browser._site.cookies.jar if one.name == COOKIE)


def does_all(browser: Browser) -> None:
    for offer in list(browser.offers()):
        sheet = browser.accept(offer)
        browser.hand_in(sheet, [Answer("Typical", 1500)] * len(sheet.fields))


def flagged(study: Study, market: Market) -> set[str]:
    """Collected and measured: the marketplace's names of the workers with the flag."""
    collect(study, market=market, now=NOW)
    assess(study, now=NOW)
    rows = Flag.objects.filter(kind="shared_device")
    return set(rows.values_list("submission__worker__identity__external_id", flat=True))


def ids(*names: str) -> set[str]:
    return {told("create_worker", name)["worker_id"] for name in names}


def everything_stored() -> str:
    """All rows of the requester side and of the marketplace."""
    models = [model for label in ("annotation", "marketplace") for model in apps.get_app_config(label).get_models()]
    return "\n".join(str(row) for model in models for row in model.objects.values_list())


def test_two_people_in_one_browser_are_both_flagged_in_every_hit(published: Study, market: Market, people: People):
    ann = people("ann")
    does_all(ann)
    does_all(people("bob", where=ann))
    assert flagged(published, market) == ids("ann", "bob")
    # By which channel they came is told beside the device, and is no answer either.
    assert list(published.ways_in.values_list("kind", "pays")) == [("accounts", "ledger")]
    assert not Submission.objects.filter(raw__contains="assay:channel").exists()
    assert set(Flag.objects.filter(kind="shared_device").values_list("value", "threshold")) == {(1.0, 0.0)}
    assert Flag.objects.filter(kind="shared_device").count() == 4
    assert "Other workers on the same device: 1." in Flag.objects.filter(kind="shared_device")[0].sentence


def test_two_people_in_two_browsers_are_not(published: Study, market: Market, people: People):
    for name in ("ann", "bob"):
        does_all(people(name))
    assert flagged(published, market) == set()
    assert Device.objects.values("code").distinct().count() == 2
    assert set(Evidence.objects.values_list("findings__shared_device__0", flat=True)) == {0.0}


@pytest.mark.database
def test_after_the_days_for_which_codes_are_kept_nobody_is(published: Study, market: Market, people: People):
    ann = people("ann")
    does_all(ann)
    does_all(people("bob", where=ann))
    assert flagged(published, market) == ids("ann", "bob")
    assert forget_devices(now=NOW + timedelta(days=89), days=90) == 0
    assert forget_devices(now=NOW + timedelta(days=90), days=90) == 4
    assert flagged(published, market) == set()
    assert not any("shared_device" in found for found in Evidence.objects.values_list("findings", flat=True))


def test_the_number_in_the_browser_is_stored_nowhere_and_the_code_beside_the_answers_only(
    published: Study, market: Market, people: People
):
    ann = people("ann")
    does_all(ann)
    flagged(published, market)
    number = number_of(ann)
    assert len(number) >= 32
    assert number not in everything_stored()
    (code,) = Device.objects.values_list("code", flat=True).distinct()
    assert re.fullmatch("[0-9a-f]{16}", code)
    assert not Submission.objects.filter(raw__contains=code).exists()


def test_who_does_not_ask_for_devices_is_told_of_none(study: Study, market: Market, people: People, settings: Any):
    settings.NOTE_DEVICES = False
    publish(study, actor="ada", now=NOW)
    work(Q(), market=market, clock=lambda: NOW)
    ann = people("ann")
    does_all(ann)
    assert COOKIE not in [one.name for one in ann._site.cookies.jar]
    assert flagged(study, market) == set()
    assert not Device.objects.exists()
