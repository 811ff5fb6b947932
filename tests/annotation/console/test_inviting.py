"""Publishing to invited people in the console ends with the link; participants read a name that the owner sets."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.accounts.models import User
from annotation.jobs.run import run_due
from annotation.models import Role, Study
from tests.annotation.collecting.test_ways_in import by_preset
from tests.annotation.conftest import told
from tests.marketplace.channels.guests import Guest
from tests.marketplace.channels.guests import told as invite

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(site: str, settings: Any) -> Study:
    """Live, laid out, by the preset of HUSE; the console has the account that `serve` opens for it."""
    key = told("create_requester", "console-requester", "--balance", "1000.00")
    settings.MTURK_ENDPOINT_URL = f"{site}/mturk/"
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = key["access_key"], key["secret_key"]
    return by_preset("huse-2019")


def at(study: Study, place: str) -> str:
    return reverse(f"console:{place}", args=[study.uuid])


def checked(client: Client, study: Study) -> str:
    client.post(at(study, "publish-recheck"))
    run_due(clock=timezone.now)
    return client.get(at(study, "publish")).content.decode()


def test_an_owner_sets_the_name_publishes_and_gets_the_link(study: Study, person: Callable[..., Client]) -> None:
    owner = person()
    page = checked(owner, study)
    assert "“console-requester”" in page
    assert at(study, "publish-confirm") not in page
    answer = owner.post(at(study, "publish-name"), {"shown_name": "Ada Lovelace"})
    assert answer["location"] == at(study, "publish")
    page = checked(owner, study)
    assert "Fix before publishing to accounts:" in page
    assert "This marketplace has no accounts yet" in page
    refused = owner.post(at(study, "publish-confirm"), {"name": study.name})
    assert "Nothing was published: No worker could enter" in refused.content.decode()
    answer = owner.post(at(study, "publish-confirm"), {"name": study.name, "by_invitation": "on"})
    assert answer["location"] == at(study, "publish-invitation")
    page = owner.get(answer["location"]).content.decode()
    link = re.search(r"http://[^\s<]+/hits/in/[^\s<]+/", page)
    assert link
    assert "Next steps" in page
    assert "--completion-code CODE" in page
    with httpx.Client(trust_env=False, follow_redirects=True) as browser:
        assert Guest(browser).open(link[0]) == "not-yet"
        assert "console-requester" not in browser.get(link[0]).text
    for place in ("progress", "publish"):
        assert at(study, "publish-invitation") in owner.get(at(study, place)).content.decode()


def test_a_closed_link_is_not_shown_as_open(study: Study, person: Callable[..., Client]) -> None:
    owner = person()
    owner.post(at(study, "publish-name"), {"shown_name": "Ada Lovelace"})
    checked(owner, study)
    owner.post(at(study, "publish-confirm"), {"name": study.name, "by_invitation": "on"})
    study.refresh_from_db()
    invite("close", study.channel_tag)
    page = owner.get(at(study, "publish-invitation")).content.decode()
    assert "/hits/in/" not in page
    assert "No open link" in page


def test_a_full_name_is_proposed_and_not_set(study: Study, person: Callable[..., Client]) -> None:
    owner = person()
    User.objects.filter(username="owner").update(first_name="Ada", last_name="Lovelace")
    page = owner.get(at(study, "publish-name")).content.decode()
    assert 'value="Ada Lovelace"' in page
    assert "No name is set" in page
    assert owner.post(at(study, "publish-name"), {"shown_name": " "}).status_code == 422


def test_an_editor_sees_the_link_and_a_viewer_does_not(study: Study, person: Callable[..., Client]) -> None:
    Study.objects.filter(pk=study.pk).update(channel_tag="a-tag", status="published")
    assert person(Role.EDITOR).get(at(study, "publish-invitation")).status_code == 200
    assert person(Role.VIEWER).get(at(study, "publish-invitation")).status_code == 403
    assert person(Role.EDITOR, "second").get(at(study, "publish-name")).status_code == 403
