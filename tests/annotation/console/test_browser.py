"""Every place of the console for the eyes of axe: narrow and wide, light and dark, full and empty."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, Page

from annotation.accounts.models import User
from annotation.console.places import RAIL, TABS
from annotation.models import Membership, Role, Study
from tests.browsing import LOOKS, fresh, wrong_with

STRANGERS = ["/console/sign-in/", "/console/enter/nothing/"]


def signed_in(user: User, site: str) -> list[dict[str, Any]]:
    client = Client()
    client.force_login(user)
    return [{"name": settings.SESSION_COOKIE_NAME, "value": client.session.session_key, "url": site}]


def faulty(page: Page, addresses: list[str]) -> dict[str, list[str]]:
    found = {}
    for address in addresses:
        page.goto(address)
        found[address] = wrong_with(page)
    return {address: wrong for address, wrong in found.items() if wrong}


@pytest.mark.parametrize("look", LOOKS.values(), ids=list(LOOKS))
def test_no_place_of_the_console_has_faults(browser: Browser, site: str, study: Study, look: dict[str, Any]) -> None:
    owner, newcomer = (User.objects.create_user(name) for name in ("owner", "newcomer"))
    Membership.objects.create(study=study, user=owner, role=Role.OWNER)
    of_study = [reverse(f"console:{tab.key}", args=[study.uuid]) for tab in TABS]
    rail = [reverse(f"console:{place.key}") for place in RAIL]
    found = {}
    for user, addresses in ((None, STRANGERS), (newcomer, rail), (owner, rail + of_study)):
        with fresh(browser, base_url=site, **look) as context:
            context.add_cookies(signed_in(user, site) if user else [])  # type: ignore[arg-type]
            found |= faulty(context.new_page(), addresses)
    assert found == {}


def test_a_fault_planted_in_a_page_of_the_console_is_found(browser: Browser, site: str, study: Study) -> None:
    with fresh(browser, base_url=site) as context:
        page = context.new_page()
        page.goto("/console/sign-in/")
        page.evaluate("document.querySelector('label').remove()")
        assert wrong_with(page) == ["label: #id_username"]
