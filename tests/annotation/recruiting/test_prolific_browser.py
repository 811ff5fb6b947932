"""A researcher recruits on Prolific, decides and pays from the console alone, in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from annotation.accounts.models import User
from annotation.jobs.run import run_due
from tests.annotation.console.researcher import CONSENT, Researcher
from tests.annotation.console.test_browser import signed_in
from tests.annotation.recruiting.prolific_recruitment import Recruitment
from tests.annotation.recruiting.test_prolific import LONG
from tests.annotation.review.factories import member
from tests.browsing import fresh

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def opened(browser: Browser, site: str) -> Iterator[Callable[[User], Page]]:
    """A page of somebody who is signed in, in a browser of their own."""
    with ExitStack() as stack:

        def open_page(user: User) -> Page:
            context = stack.enter_context(fresh(browser, base_url=site))
            context.add_cookies(signed_in(user, site))  # type: ignore[arg-type]
            return context.new_page()

        yield open_page


def test_a_study_goes_from_the_token_to_the_booked_fees(
    recruitment: Recruitment, opened: Callable[[User], Page], site: str
) -> None:
    stub, study = recruitment.stub, recruitment.study
    page = opened(User.objects.create_superuser("olga"))
    olga, main = Researcher(page), page.locator("main")

    page.goto(reverse("console:keys-prolific"))
    olga.fill("API token", "not-a-token-of-prolific")
    olga.press("Connect Prolific")
    expect(main.get_by_role("alert")).to_be_visible()
    olga.fill("API token", stub.token)
    olga.press("Connect Prolific")
    olga.count(page.get_by_label("Project").select_option, f"{stub.workspace} {stub.project}")
    olga.press("Save project")
    expect(main).to_contain_text("$5,000.00")
    expect(main).to_contain_text(stub.token[-4:])
    assert stub.token not in page.content()

    page.goto(reverse("console:recruit-new", args=[study.uuid, "prolific"]))
    olga.fill("Consent text", CONSENT)
    olga.fill("Name", "The Reading Lab", exact=True)
    olga.press("Open channel")
    olga.fill("Description", "You read sentences.")
    olga.fill("Estimated minutes", "5")
    olga.fill("Reward per person", "1.00")
    olga.fill("Places", "3")
    olga.press("Save and choose filters")
    olga.press("Age In years.")
    olga.fill("From", "18")
    olga.press("Save filter")
    # 83 of 83 ages from 18 on: everybody of the panel.
    expect(main).to_contain_text("120,000 people fit these filters")
    olga.press("Continue", exact=True)
    channel = page.url

    page.goto(reverse("console:publish", args=[study.uuid]))
    expect(main).to_contain_text("Checking the study")
    run_due()
    expect(page.get_by_role("heading", name="What will be created")).to_be_visible(timeout=15_000)
    olga.press("Publish", exact=True)
    recruitment.run()
    page.goto(channel)
    olga.press("View cost and publish on Prolific")
    # 3.00, a third as fee 1.00 (0.999), a fifth of it as tax 0.20.
    olga.press("Publish for $4.20")
    recruitment.run()
    assert [row["status"] for row in stub.read_facts()["studies"]] == ["ACTIVE"]

    for number in (1, 2, 3):
        recruitment.finish(number)
    recruitment.run()
    page.goto(reverse("console:review", args=[study.uuid]))
    olga.count(main.locator("tbody").get_by_role("link").first.click)
    proposed = page.url
    main.locator("summary", has_text="Propose rejection").click()
    olga.choose("Category", "Bad code")
    olga.fill("Reason (the participant will read it on Prolific)", LONG)
    olga.press("Propose rejection")
    expect(main).to_contain_text("Rejection proposed. A second reviewer must confirm it.")
    ben = opened(member(study, "owner", "ben"))
    ben.goto(proposed)
    ben.get_by_label("override the limit of 5% rejected submissions").check()
    ben.get_by_role("button", name="Confirm rejection").click()
    page.goto(reverse("console:progress-approve-all", args=[study.uuid]))
    olga.press("Approve 2 submissions")
    study.intents.update(not_before=None)
    recruitment.run()
    page.goto(channel)
    # One button ends it, there and here.
    expect(main.get_by_role("button", name="Close channel")).to_have_count(0)
    olga.press("Stop recruitment")
    recruitment.run()
    page.reload()
    expect(main).to_contain_text("No one new can enter")
    expect(main.get_by_role("button", name="Reopen channel")).to_have_count(0)
    olga.press("Book fees and release the rest")
    facts = stub.read_facts()
    assert facts["statuses"] == {"APPROVED": 2, "REJECTED": 1}
    # Two rewards of 1.00, a third of each as fee, a fifth of that as tax.
    expect(main).to_contain_text("$2.00")
    page.goto(reverse("console:money"))
    total = facts["studies"][0]["paid_rewards"]["total_amount"]
    expect(main).to_contain_text(f"${total / 100:.2f}")
    assert site in channel
