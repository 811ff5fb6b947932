"""Payouts, retention and invitations as somebody sees them who has people to pay: without faults, by keyboard too."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, expect

from annotation.accounts.models import User
from annotation.models import Membership, Role
from annotation.studies.invite_member import invite_member
from tests.annotation.console.test_browser import looked_at, signed_in
from tests.annotation.console.test_payouts import Desk
from tests.annotation.console.test_payouts import desk as desk
from tests.browsing import fresh

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]


def test_an_owner_pays_and_no_page_on_the_way_has_faults(desk: Desk, browser: Browser, site: str) -> None:
    olga = User.objects.create_user("olga")
    Membership.objects.create(study=desk.study, user=olga, role=Role.OWNER)
    join = reverse("console:join", args=[invite_member(desk.study, "editor", by=olga, now=timezone.now()).token])
    place, wrong = reverse("console:workers-payouts", args=[desk.study.uuid]), []
    with fresh(browser, base_url=site) as context:
        page = context.new_page()
        page.goto(join)
        wrong += looked_at(page, "join")
        context.add_cookies(signed_in(olga, site))  # type: ignore[arg-type]
        page.goto(place)
        wrong += looked_at(page, "payouts")
        page.get_by_role("checkbox").first.uncheck()
        page.get_by_role("button", name="Create payout file").press("Enter")
        expect(page.get_by_text("1 payout, $1.20.")).to_be_visible()
        wrong += looked_at(page, "file")
        with page.expect_download() as download:
            page.get_by_role("link", name="Download the file (CSV)").click()
        assert download.value.suggested_filename.endswith(".csv")
        page.get_by_role("button", name="Mark 1 payout ($1.20) as sent").click()
        expect(page.get_by_text("You can undo this for 24 hours")).to_be_visible()
        wrong += looked_at(page, "sent")
        page.goto(reverse("console:workers-retention", args=[desk.study.uuid]))
        expect(page.get_by_text("1 participant is still owed a payout.")).to_be_visible()
        wrong += looked_at(page, "retention")
    assert wrong == []
