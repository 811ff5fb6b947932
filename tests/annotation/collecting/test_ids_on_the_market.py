"""A study on a marketplace that knows real ids: no comparison, outbox or mend tells one to who may not see it."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Q
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.accounts.models import ApiToken, User
from annotation.collecting.collect import collect
from annotation.exceptions import MarketError
from annotation.models import AuditEvent, Hit, Intent, Membership, Study, WorkerIdentity
from annotation.mturk.client import Market
from annotation.mturk.records import Endpoint
from annotation.outbox.worker import work
from annotation.publishing.publish import publish
from tests.annotation.conftest import told

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def people(
    study: Study, market: Market, endpoint: Endpoint, everybody_rates: Callable[..., None], settings: object
) -> list[str]:
    """Real ids of two people: Ann's work is collected, Bob's only handed in. A HIT was lost, another is a ghost."""
    settings.MTURK_ENDPOINT_URL = endpoint.url  # type: ignore[attr-defined]
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = endpoint.access_key, endpoint.secret_key  # type: ignore[attr-defined]
    publish(study, actor="ada", now=timezone.now())
    work(Q(), market=market, clock=timezone.now)
    everybody_rates("ann")
    collect(study, market=market, now=timezone.now())
    everybody_rates("bob")
    first, last = study.hits.order_by("slot")
    Hit.objects.filter(pk=last.pk).update(market_id=None)
    Hit.objects.filter(pk=first.pk).update(market_id="3ELSEWHERE")
    Intent.objects.filter(kind="create_hit", subject=first.pk).update(key="0" * 64)
    ids = [told("create_worker", name)["worker_id"] for name in ("ann", "bob")]
    assert WorkerIdentity.objects.filter(external_id=ids[0]).exists()
    return ids


@pytest.fixture
def owner(study: Study) -> User:
    made = User.objects.create_user("olga")
    Membership.objects.create(study=study, user=made, role="owner")
    return made


def test_comparing_and_every_mend_tell_pseudonyms_at_most(
    study: Study, people: list[str], owner: User, caplog: pytest.LogCaptureFixture
) -> None:
    page, api = Client(), Client()
    page.force_login(owner)
    _, token = ApiToken.objects.issue(owner, name="test", now=timezone.now())
    headers, base = {"authorization": f"Bearer {token}"}, f"/api/v1/studies/{study.uuid}/comparison"
    compared = page.get(reverse("console:running-compare", args=[study.uuid]))
    for words in ("its id was not written here", "no longer lists it", "No study here knows it"):
        assert words in compared.content.decode()
    answers = [compared, api.get(base, headers=headers)]
    for mend, body in (("adopt", {}), ("write-off", {}), ("ghosts", {"market_id": people[0]}), ("ghosts", {})):
        answers.append(api.post(f"{base}/{mend}", body, content_type="application/json", headers=headers))
    out = io.StringIO()
    call_command("reconcile", str(study), stdout=out, stderr=out)
    assert [one.status_code for one in answers[:4]] == [200] * 4
    said = [out.getvalue(), caplog.text, *(one.content.decode() + str(one.headers) for one in answers)]
    for person in people:
        # The one answer with an id is to the mend that was sent one for a HIT's, by whoever knew it.
        assert [text for text in said if person in text] == []


def test_only_a_hit_that_the_comparison_calls_unknown_can_be_closed(
    study: Study, people: list[str], owner: User
) -> None:
    """Not one that nobody has, and not one of a study here whose id was lost."""
    lost = Intent.objects.get(kind="create_hit", subject=study.hits.get(market_id=None).pk).outcome
    assert lost
    _, token = ApiToken.objects.issue(owner, name="test", now=timezone.now())
    address = f"/api/v1/studies/{study.uuid}/comparison/ghosts"
    for name in ("3NOSUCHHIT", lost):
        answer = Client().post(
            address,
            {"market_id": name},
            content_type="application/json",
            headers={"authorization": f"Bearer {token}"},
        )
        assert (answer.status_code, "Nothing was closed" in answer.content.decode()) == (409, True)
    assert not Intent.objects.filter(kind="expire").exists()
    assert not AuditEvent.objects.filter(verb="close_ghost").exists()


def test_what_a_marketplace_says_of_a_worker_is_kept_without_the_id(
    study: Study, market: Market, people: list[str], owner: User
) -> None:
    """It names the worker whom it does not know; the outbox is read by everybody who may see the study."""
    stranger = "A1STRANGER0000"
    with pytest.raises(MarketError) as refused:
        market.grant("3UNKNOWNTYPE", stranger, 1)
    assert stranger not in str(refused.value)
    identity = WorkerIdentity.objects.get(external_id=people[0])
    WorkerIdentity.objects.filter(pk=identity.pk).update(external_id=stranger)
    details = {"type": market.hold_mark("a mark")}
    Intent.of(study, Intent.Kind.GRANT, identity.worker_id, slot="x", details=details).save(force_insert=True)
    assert work(Q(kind="grant"), market=market, clock=timezone.now).failed == 1
    told_why = Intent.objects.get(kind="grant").outcome
    assert "Marketplace error: Worker (id not shown) does not exist" in told_why
    out = io.StringIO()
    with pytest.raises(CommandError):
        call_command("outbox", str(study), stdout=out, stderr=out)
    assert "(id not shown)" in out.getvalue()
    assert stranger not in out.getvalue()
