"""Every address of the console for the eyes of axe: narrow and wide, light and dark, full, empty and failed.

The addresses come from the register of addresses itself: a page that nobody thought of is looked at too, and an address
with a part that nobody knows here fails the test.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from annotation import settings as conf
from annotation.accounts import links
from annotation.accounts.models import User
from annotation.console.urls import urlpatterns
from annotation.design.kinds import default_wording
from annotation.jobs.run import run_due
from annotation.models import Job, Membership, Role, Study, Submission
from annotation.mturk import prolific
from annotation.mturk.channels import ChannelSettings, GuestRecord
from annotation.mturk.client import Market
from annotation.mturk.prolific import ChosenFilter, ProlificDraft
from annotation.quality.assess import assess
from annotation.quality.detect import detect
from annotation.quality.detectors import Declared, by_file
from annotation.quality.rules import Rule
from annotation.recruiting.invite_people import invite_people
from annotation.recruiting.open_channel import ChannelPlan, open_channel
from annotation.recruiting.publish_prolific import set_draft
from annotation.rehearsal.prolific_stub.controls import Controls
from annotation.reports.share import share
from annotation.review.exclude import fix_rules
from annotation.studies.create import reword
from annotation.studies.unblind import unblind
from tests.annotation.conftest import told
from tests.annotation.console.factories import BROKEN, brought, csv, draft_batch
from tests.annotation.importing import batches
from tests.annotation.review.factories import make
from tests.browsing import fresh, wrong_at_each_width, wrong_with

# So many processes can look at the pages beside each other.
PARTS_OF_ALL = 3
# Parts of pages that htmx fetches, which are looked at inside their page; files; and the documentation site.
PARTS = {
    "help-page",
    "design-precision",
    "everybody-processing",
    "workers-processing",
    "plan-file",
    "ethics-file",
    "publish-check",
    "design-training-example",
    "design-training-export",
    "design-wording-file",
    "recruit-funnel",
    "recruit-needs",
    "provider",
    "provider-return",
}


class World(NamedTuple):
    """What is shown: a study that runs, one that is finished with its report, and a draft; and who looks."""

    owner: User
    running: Study
    finished: Study
    draft: Study
    report: Job
    faulty: Job
    failed: Job
    shared: str
    channel: str
    prolific_channel: str
    looked: dict[str, Job]
    batch: str


@pytest.fixture
def world(site: str, study: Study, tmp_path: Path, settings: Any, prolific_stub: Controls) -> World:
    settings.VAR, settings.CHROMIUM, settings.DETECTOR_MODEL = tmp_path, "", str(tmp_path)
    owner = User.objects.create_superuser("owner")
    call_command("import_batch", batches.written(tmp_path / "batch.csv", batches.rows()), study="finished")
    running, finished = make(workers=3, hits=2, texts=4, reasons=True), Study.objects.get(name="finished")
    reword(running, default_wording("typicality"), now=timezone.now())
    sniffer = Declared("Sniffer", "2.1", 0.5)
    detect(running, sniffer, score=by_file({}), actor="owner", now=timezone.now())
    assess(running, now=timezone.now())
    fix_rules(running, "strict", [Rule("one_answer")], actor=owner, now=timezone.now())
    client = Client()
    client.force_login(owner)
    faulty = brought(client, reverse("console:texts-add", args=[study.uuid]), BROKEN)
    client.post(reverse("console:results-compute", args=[finished.uuid]))
    unblind(running, actor="owner", now=timezone.now())
    run_due(clock=timezone.now)
    report = Job.objects.get(study=finished, kind="report")
    assert report.state == "done", report.problem
    failed = Job.objects.create(
        study=study, kind="report", state="failed", problem="There are no ratings.", created_at=timezone.now()
    )
    token = share(report, by=owner, now=timezone.now()).token
    shared = reverse("shared-report", args=[token])
    channel = recruited(study, site, settings)
    on_prolific = drafted(study, prolific_stub, settings)
    looked = looked_at_files(client, study)
    batch = str(draft_batch(owner, tmp_path, timezone.now()).uuid)
    return World(owner, running, finished, study, report, faulty, failed, shared, channel, on_prolific, looked, batch)


def looked_at_files(client: Client, study: Study) -> dict[str, Job]:
    """Files whose columns are to be chosen, by the name of the address where that is done."""
    file = csv("prompt,human,gpt2\nRain?,The rain falls on us,The rain is falling\n", "wide.csv")
    ratings = csv("item,rater,value\nt1,ann,3\nt2,ann,4\n", "ratings.csv")
    texts = client.post(reverse("console:texts-add", args=[study.uuid]), {"file": file})["Location"]
    rated = client.post(reverse("console:studies-ratings"), {"name": "rated", "file": ratings})["Location"]
    jobs = {"texts-columns": texts, "studies-ratings-columns": rated}
    return {name: Job.objects.get(uuid=address.rstrip("/").split("/")[-1]) for name, address in jobs.items()}


def recruited(study: Study, site: str, settings: Any) -> str:
    """A list channel of a live draft, with one person."""
    key = told("create_requester", "console-requester", "--display-name", "Ada Lovelace")
    settings.MTURK_ENDPOINT_URL = f"{site}/mturk/"
    settings.MTURK_ACCESS_KEY, settings.MTURK_SECRET_KEY = key["access_key"], key["secret_key"]
    Study.objects.filter(pk=study.pk).update(mode="live")
    study.refresh_from_db()
    by: dict[str, Any] = {"market": Market(conf.endpoint()), "actor": "owner", "now": timezone.now()}
    texts = ChannelSettings(pays="volunteer", consent="Ada asks you to take part.", debrief="Thank you.")
    channel = open_channel(study, ChannelPlan("list", settings=texts), **by)
    invite_people(study, channel.channel_id, [GuestRecord("kim@example.org", "", "Kim", 2)], **by)
    return channel.channel_id


def drafted(study: Study, stub: Controls, settings: Any) -> str:
    """A channel to the stand-in for Prolific, with a draft."""
    settings.PROLIFIC_API_URL = stub.url
    by: dict[str, Any] = {"market": Market(conf.endpoint()), "actor": "owner", "now": timezone.now()}
    prolific.connect_account(by["market"], stub.token)
    prolific.choose_project(by["market"], workspace_id=stub.workspace, project_id=stub.project)
    channel = open_channel(study, ChannelPlan("prolific"), **by).channel_id
    chosen = (ChosenFilter("age", lower=18, upper=60),)
    draft = ProlificDraft(description="You read.", minutes=5, reward_minor=100, places=3, filters=chosen)
    set_draft(study, channel, draft, **by)
    return channel


def names(patterns: Any, before: dict[str, str] | None = None) -> Iterator[tuple[str, dict[str, str]]]:
    """Name of every address, and the kind of each of its parts."""
    for one in patterns:
        wanted = {**(before or {}), **{part: type(kind).__name__ for part, kind in one.pattern.converters.items()}}
        if hasattr(one, "url_patterns"):
            yield from names(one.url_patterns, wanted)
        else:
            yield one.name, wanted


def addresses(world: World) -> list[str]:
    """Every address of the console with something to show, and the same of a draft; a strange part is a KeyError."""
    work = Submission.objects.filter(hit__study=world.running).select_related("worker").order_by("pk")[0]
    link = links.new_link(User.objects.create_user("newcomer"), now=timezone.now())
    parts = {
        "assignment": work.market_id, "pseudonym": work.worker.pseudonym, "purpose": "criteria", "number": 1,
        "remark": 1, "version": 1, "what": "go-on", "key_id": "x", "token": 1, "link": 1, "name": "huse-2019",
        "arm": "comparison", "file_format": "csv", "file_id": "3F", "channel_id": world.channel,
        "registry": "osf", "language": "de", "kind": "link", "deed": "pause", "batch_id": world.batch,
    }  # fmt: skip
    found = []
    for name, wanted in names(urlpatterns):
        if name == "enter":
            found.append(link[link.index("/console/") :])
            continue
        jobs = [world.report, world.faulty, world.failed, *world.looked.values()] if name == "job" else [world.report]
        jobs = [world.looked[name]] if name in world.looked else jobs
        for study in (world.running, world.draft, world.finished) if "study_id" in wanted else (world.running,):
            for job in jobs if "job_id" in wanted else jobs[:1]:
                given = {"study_id": study.uuid, "job_id": job.uuid, **parts}
                if name not in PARTS:
                    found.append(reverse(f"console:{name}", kwargs={part: given[part] for part in wanted}))
                if "prolific" in name and "channel_id" in wanted:
                    given["channel_id"] = world.prolific_channel
                    found.append(reverse(f"console:{name}", kwargs={part: given[part] for part in wanted}))
    return list(dict.fromkeys(found))


def signed_in(user: User, site: str) -> list[dict[str, Any]]:
    client = Client()
    client.force_login(user)
    return [{"name": settings.SESSION_COOKIE_NAME, "value": client.session.session_key, "url": site}]


def looked_at(page: Page, address: str) -> list[str]:
    """What is wrong with a page at each width."""
    expect(page.locator(".htmx-request, .htmx-swapping, .htmx-settling")).to_have_count(0)
    return [f"{address} {one}" for one in wrong_at_each_width(page)] + several_main_buttons(page, address)


# A button without a class, or a link that looks like one: what a page wants pressed. A page has one at most.
MAIN_BUTTONS = "main button:not([class]):visible, main .button:not(.second, .danger):visible"
ALL_COMPONENTS = "/console/components/"


def several_main_buttons(page: Page, address: str) -> list[str]:
    if not address.startswith("/console/") or address == ALL_COMPONENTS:
        return []
    buttons = page.locator(MAIN_BUTTONS).all_inner_texts()
    return [f"{address}: main buttons {buttons}"] if len(buttons) > 1 else []


def shows(client: Client, address: str) -> bool:
    """Whether a page comes (not: only posted to, a file, a sheet, a way on, a study in which it is not there)."""
    answer = client.get(address)
    assert answer.status_code in {200, 302, 404, 405, 409}, (address, answer.status_code)
    answer.close()
    return answer.status_code == 200 and answer["Content-Type"].startswith("text/html") and not answer.streaming


@pytest.mark.timeout(900)  # dozens of pages; a busy machine is slow, not wrong
@pytest.mark.parametrize("part", range(PARTS_OF_ALL))
def test_no_page_of_the_console_has_faults(browser: Browser, site: str, world: World, part: int) -> None:
    owner = Client(headers={"host": site.removeprefix("http://")})
    owner.force_login(world.owner)
    pages = [one for one in addresses(world)[part::PARTS_OF_ALL] if shows(owner, one)]
    assert len(pages) > 45 // PARTS_OF_ALL
    wrong = []
    with fresh(browser, base_url=site) as context:
        context.add_cookies(signed_in(world.owner, site))  # type: ignore[arg-type]
        page = context.new_page()
        for address in pages:
            page.goto(address)
            wrong += looked_at(page, address)
            if address == reverse("console:results", args=[world.finished.uuid]):
                wrong += answer_out_of_view(page)
    assert wrong == []


def answer_out_of_view(page: Page) -> list[str]:
    """What is wrong with the answer that leads the results: it stands on the first screen, in at most 60 words."""
    answer, wrong = page.locator("main p.lead"), []
    for width, height in ((1440, 900), (360, 740)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        box = answer.bounding_box()
        if box is None or box["y"] < 0 or box["y"] + box["height"] > height:
            wrong.append(f"the answer at {width} x {height}: {box}")
    words = len(answer.inner_text().split())
    return [*wrong, *([f"the answer has {words} words"] if words > 60 else [])]


def test_no_page_for_strangers_and_newcomers_has_faults(browser: Browser, site: str, world: World) -> None:
    newcomer = User.objects.create_user("newcomer")
    wrong = []
    for user, places in ((None, ["/console/sign-in/", "/console/enter/nothing/", world.shared]), (newcomer, RAILS)):
        with fresh(browser, base_url=site) as context:
            context.add_cookies(signed_in(user, site) if user else [])  # type: ignore[arg-type]
            page = context.new_page()
            for address in places:
                page.goto(address)
                wrong += looked_at(page, address)
    assert wrong == []


RAILS = ["/console/", "/console/workers/", "/console/results/", "/console/money/", "/console/activity/"]


def test_the_sweep_fails_for_an_address_with_a_part_that_nobody_knows(
    person: Any, study: Study, monkeypatch: Any
) -> None:
    from django.urls import path

    person(Role.OWNER)
    owner, running = User.objects.get(username="owner"), make(workers=1, hits=1, texts=2)
    job = Job.objects.create(study=study, kind="report", created_at=timezone.now())
    world = World(
        owner,
        running,
        study,
        study,
        job,
        job,
        job,
        shared="",
        channel="3C",
        prolific_channel="3P",
        looked={},
        batch=str(study.uuid),
    )
    assert addresses(world)
    strange = path("new/<str:unheard_of>/", lambda request, unheard_of: None, name="unheard-of")
    monkeypatch.setattr("tests.annotation.console.test_browser.urlpatterns", [*urlpatterns, strange])
    User.objects.filter(username="newcomer").delete()
    with pytest.raises(KeyError, match="unheard_of"):
        addresses(world)


def test_a_fault_planted_in_a_page_of_the_console_is_found(browser: Browser, site: str, study: Study) -> None:
    owner = User.objects.create_user("owner")
    Membership.objects.create(study=study, user=owner, role=Role.OWNER)
    with fresh(browser, base_url=site) as context:
        page = context.new_page()
        page.goto("/console/sign-in/")
        page.evaluate("document.querySelector('label').remove()")
        assert wrong_with(page) == ["label: #id_username"]
