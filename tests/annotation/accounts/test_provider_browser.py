"""Sign-in through an OpenID Connect provider in Chromium, with the second factor after it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pyotp
import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from annotation.accounts import vault
from annotation.accounts.models import SecondFactor, User
from tests.annotation.accounts.identity_provider import IdentityProvider, serving
from tests.browsing import wrong_at_each_width

SECRET = "JBSWY3DPEHPK3PXP" * 2


@pytest.fixture
def provider(site: str, settings: Any) -> Iterator[IdentityProvider]:
    with serving(IdentityProvider("assay", "a secret")) as served:
        settings.CONSOLE_ORIGIN = site
        settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID = served.issuer, served.client_id
        settings.OIDC_CLIENT_SECRET, settings.OIDC_NAME = served.secret, "the University"
        yield served


def sign_in(browsing: BrowserContext, site: str) -> Page:
    page = browsing.new_page()
    page.goto(f"{site}/console/sign-in/?next=/console/settings/sessions/")
    page.get_by_text("Sign in with the University").click()
    expect(page).to_have_url(re.compile("/console/second-factor/"))
    return page


def enter(page: Page, secret: str) -> None:
    page.locator("input[name=code]").fill(pyotp.TOTP(secret).now())
    page.locator("input[name=code]").press("Enter")


def test_a_browser_goes_by_the_provider_and_the_second_factor_to_the_page_that_was_opened(
    site: str, provider: IdentityProvider, browsing: BrowserContext
) -> None:
    ada = User.objects.create_user("ada", email="ada@example.org")
    SecondFactor.objects.create(user=ada, sealed_secret=vault.seal(SECRET), confirmed_at=timezone.now())
    page = sign_in(browsing, site)
    assert wrong_at_each_width(page) == []
    enter(page, SECRET)
    expect(page).to_have_url(f"{site}/console/settings/sessions/")


def test_an_owner_without_a_second_factor_adds_it_after_the_provider(
    site: str, provider: IdentityProvider, browsing: BrowserContext, settings: Any
) -> None:
    settings.SECOND_FACTOR_FOR_OWNERS = True
    owner = User.objects.create_superuser("ada", email="ada@example.org")
    page = sign_in(browsing, site)
    assert wrong_at_each_width(page) == []
    secret = re.search(r"(?:[A-Z2-7]{4} ){3,}[A-Z2-7]{4}", page.locator("main").inner_text())
    assert secret
    enter(page, secret[0].replace(" ", ""))
    page.wait_for_function("document.querySelector('input[name=code]') === null")
    assert wrong_at_each_width(page) == []
    assert SecondFactor.objects.get(user=owner).confirmed_at
