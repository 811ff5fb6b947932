"""A team rates a study over several sessions: everybody everything, or each text by so many of the team."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from lxml import html

from annotation.design.lay_out import design
from annotation.importing.add_texts import add_texts
from annotation.marketplace.models import Assignment, Channel, Participant
from annotation.models import Role, Study
from annotation.mturk.channels import ChannelRecord, GuestRecord
from annotation.mturk.client import Market
from annotation.readers.records import TextRecord
from annotation.recruiting.invite_people import invite_people
from annotation.recruiting.queries import channels_of, people_of
from annotation.studies.create import Plan, create
from tests.annotation.api.conftest import Caller
from tests.annotation.conftest import NOW
from tests.annotation.recruiting.test_channels import publish_now
from tests.annotation.recruiting.test_codes_run_out import page_text
from tests.annotation.recruiting.test_three_ways import at, by_settings, console
from tests.marketplace.channels.guests import Comer
from tests.marketplace.channels.guests import Guest as Visitor

pytestmark = pytest.mark.django_db(transaction=True)
Opened = Callable[..., ChannelRecord]
TASKS, RATERS = 3, 3
__all__ = ["by_settings"]


@pytest.fixture
def live(db: None) -> Study:
    """Three tasks of two texts, each for three raters."""
    made = create("headlines", mode="live", plan=Plan(raters_per_text=RATERS, texts_per_hit=2), actor="ada", now=NOW)
    texts = [TextRecord(f"r{i}", f"Reference {i}", "reference") for i in range(3)]
    texts += [TextRecord(f"m{i}", f"Model {i}", "model", generator="tiny") for i in range(3)]
    add_texts(made, texts, actor="ada", now=NOW)
    design(made, actor="ada", now=NOW)
    assert [hit.max_assignments for hit in made.hits.all()] == [RATERS] * TASKS
    return made


@pytest.fixture
def team(live: Study, ours: Market, opened: Opened) -> Callable[..., dict[str, str]]:
    """Opens a team of these people to the published study: the link of each."""

    def make(*names: str, **settings: Any) -> dict[str, str]:
        channel = opened("team", pays="volunteer", **settings)
        guests = [GuestRecord(f"{name}@example.org", name=name) for name in names]
        invited = invite_people(live, channel.channel_id, guests, market=ours, actor="ada", now=NOW)
        publish_now(live, ours)
        return {person.name: person.link for person in invited.new}

    return make


def submit_one(person: Comer) -> bool:
    """Do the next task, where there is one."""
    if offers := person.offers():
        person.do({"HITId": offers[0]})
    return bool(offers)


def raters() -> Counter[str]:
    """How many different people have submitted each task."""
    rows = (
        Assignment.objects.filter(state__in=Assignment.SUBMITTED_STATES).values_list("hit__hit_id", "worker").distinct()
    )
    return Counter(hit for hit, _ in rows)


def test_everybody_rates_everything_over_several_sessions_with_a_progress_each(
    live: Study, ours: Market, team: Callable[..., dict[str, str]], visitor: Callable[[], Visitor]
) -> None:
    links = team("Ann", "Ben")
    first_day = visitor().enter(links["Ann"])
    assert submit_one(first_day)
    # Another day, another device, the same link: she goes on.
    second_day = visitor().enter(links["Ann"])
    assert second_day.worker_id == first_day.worker_id
    while submit_one(second_day):
        pass
    second_day.get("/hits/end/")
    ben = visitor().enter(links["Ben"])
    assert submit_one(ben)
    assert sorted(raters().values()) == [1, 1, 2]
    (channel,) = channels_of(live, ours)
    progress = [(row.name, row.submitted) for row in people_of(live, channel.channel_id, ours)]
    assert progress == [("Ann", TASKS), ("Ben", 1)]
    page = console(live, Role.EDITOR).get(at(live, "recruit-channel", channel.channel_id))
    assert f"Everyone rates everything: {TASKS} tasks each, over as many sessions as they like." in page_text(page)
    rows = [[cell.text_content().strip() for cell in row] for row in html.fromstring(page.content).xpath("//tbody/tr")]
    assert [row[1:3] for row in rows] == [["Finished", "3 of 3"], ["Began", "1 of 3"]]


def test_who_lost_the_link_gets_another_one_and_is_the_same_person(
    live: Study, ours: Market, team: Callable[..., dict[str, str]], visitor: Callable[[], Visitor]
) -> None:
    first = visitor().enter(team("Ann")["Ann"])
    (channel,) = channels_of(live, ours)
    editor = console(live, Role.EDITOR)
    page = html.fromstring(editor.get(at(live, "recruit-channel", channel.channel_id)).content)
    form = next(form for form in page.forms if (form.action or "").endswith("/new-link/"))
    shown = editor.post(form.action, dict(form.form_values()))
    (link,) = html.fromstring(shown.content).xpath("//td[contains(@class, 'id')]/text()")
    assert visitor().enter(link).worker_id == first.worker_id
    assert editor.post(form.action, {"person": "3ABC"}).status_code == 404


def test_each_text_is_rated_by_two_of_a_team_of_three(
    live: Study, ours: Market, team: Callable[..., dict[str, str]], visitor: Callable[[], Visitor]
) -> None:
    links = team("Ann", "Ben", "Cem", overlap=2)
    people = [visitor().enter(link) for link in links.values()]
    for person in people * TASKS:
        submit_one(person)
    assert sorted(raters().values()) == [2] * TASKS
    (channel,) = channels_of(live, ours)
    page = page_text(console(live, Role.EDITOR).get(at(live, "recruit-channel", channel.channel_id)))
    assert "Each text is rated by 2 people of the team. The team has submitted 6 of 6 tasks." in page
    # Nothing is left: everybody has a code.
    for person in people:
        assert "All your answers are recorded." in person.get("/hits/end/").text


def test_a_text_that_a_colleague_returns_comes_to_another_who_had_done_all_the_rest(
    live: Study, team: Callable[..., dict[str, str]], visitor: Callable[[], Visitor]
) -> None:
    links = team("Ann", "Ben", overlap=1)
    ann = visitor().enter(links["Ann"])
    held = Assignment.objects.get(worker__worker_id=ann.worker_id, state="Accepted")
    ben = visitor().enter(links["Ben"])
    while submit_one(ben):
        pass
    # One task is Ann's still: Ben is not at the end.
    assert "All your answers are recorded." not in ben.get("/hits/end/").text
    assert not Participant.objects.filter(finished_at__isnull=False).exists()
    assert "A task that they return can come to you: open this page again later." in ben.get("/hits/").text
    ann.post(f"/hits/work/{held.assignment_id}/", f"/hits/work/{held.assignment_id}/return/")
    assert submit_one(ben)
    assert sorted(raters().values()) == [1] * TASKS
    assert "All your answers are recorded." in ben.get("/hits/end/").text


def test_who_has_done_their_maximum_is_at_the_end_and_leaves_the_rest_to_others(
    live: Study, ours: Market, team: Callable[..., dict[str, str]], visitor: Callable[[], Visitor]
) -> None:
    links = team("Ann", "Ben", overlap=1, max_tasks=2)
    ann = visitor().enter(links["Ann"])
    assert "Task 1 of 2" in ann.get("/hits/").text
    assert [submit_one(ann) for _ in range(TASKS)] == [True, True, False]
    assert "All your answers are recorded." in ann.get("/hits/end/").text
    ben = visitor().enter(links["Ben"])
    assert [submit_one(ben) for _ in range(2)] == [True, False]
    assert sorted(raters().values()) == [1] * TASKS
    (channel,) = channels_of(live, ours)
    editor, address = console(live, Role.EDITOR), at(live, "recruit-channel", channel.channel_id)
    assert "Each person does at most 2 tasks." in page_text(editor.get(address))
    one = f"/studies/{live.uuid}/channels/{channel.channel_id}"
    assert Caller("pia", live, Role.EDITOR)("patch", one, {"max_tasks": 1}).json()["max_tasks"] == 1
    warning = "The people invited can do 2 of 3 tasks. Invite more people, or raise the maximum."
    assert warning in page_text(editor.get(address))
    call_command("recruit", "headlines", "change", "--max-tasks", "none", stdout=io.StringIO())
    assert channels_of(live, ours)[0].max_tasks is None
    link = Caller("pio", live, Role.EDITOR)("post", f"/studies/{live.uuid}/channels", {"kind": "link", "max_tasks": 2})
    assert link.json()["errors"] == [
        {"field": "max_tasks", "rule": "Only the people of a team have a maximum of tasks."}
    ]


@pytest.mark.database
def test_of_a_whole_team_at_one_moment_no_more_than_two_get_a_text(
    live: Study, team: Callable[..., dict[str, str]], visitor: Callable[[], Visitor]
) -> None:
    names = [f"p{number}" for number in range(6)]
    links = team(*names, overlap=2)
    visitors = [visitor() for _ in names]
    with ThreadPoolExecutor(len(names)) as pool:
        list(pool.map(lambda pair: pair[0].press(pair[1]), zip(visitors, links.values(), strict=True)))
    held = Counter(Assignment.objects.filter(state="Accepted").values_list("hit", flat=True))
    assert max(held.values()) <= 2
    assert sum(held.values()) <= 2 * TASKS


def test_a_number_that_the_study_cannot_hold_is_refused_at_each_way(live: Study, ours: Market, opened: Opened) -> None:
    program, path = Caller("pam", live, Role.EDITOR), f"/studies/{live.uuid}/channels"
    sentence = "Each text has 3 raters in this study, so at most 3 of the team rate it."
    refused = program("post", path, {"kind": "team", "overlap": 4})
    assert (refused.status_code, refused.json()["errors"][0]) == (409, {"field": "overlap", "rule": sentence})
    with pytest.raises(CommandError, match=sentence):
        call_command("recruit", "headlines", "team", "--overlap", "4", stdout=io.StringIO())
    client = console(live)
    page = at(live, "recruit-new", "team")
    answer = client.post(page, {"pays": "volunteer", "shown_name": "Ada", "overlap": "4"})
    assert answer.status_code == 422
    assert sentence in html.fromstring(answer.content).xpath("//ul[@id='id_overlap_error']")[0].text_content()
    other = program("post", path, {"kind": "link", "overlap": 2})
    assert other.json()["detail"] == "Only the people of a team share the texts among themselves."
    assert channels_of(live, ours) == []
    Study.objects.filter(pk=live.pk).update(once=True)
    once = program("post", path, {"kind": "team", "overlap": 2})
    assert once.json()["detail"].startswith("In this study each person does one task")
    plain = program("post", path, {"kind": "team", "name": "plain"}).json()["channel_id"]
    said = page_text(client.get(at(live, "recruit-channel", plain)))
    assert ("In this study each person does one task." in said, "Everyone rates everything" in said) == (True, False)
    program("post", f"{path}/{plain}/close")
    Study.objects.filter(pk=live.pk).update(once=False)
    assert client.post(page, {"pays": "volunteer", "shown_name": "Ada", "overlap": "2"}).status_code == 302
    live.refresh_from_db()
    assert channels_of(live, ours)[1].overlap == 2
    Channel.objects.filter(channel_id=plain).delete()
    out = io.StringIO()
    call_command("recruit", "headlines", "status", stdout=out)
    assert "each text is rated by 2 of the team" in out.getvalue()
    call_command("recruit", "headlines", "change", "--overlap", "none", stdout=io.StringIO())
    assert channels_of(live, ours)[0].overlap is None


def test_a_team_that_is_too_small_or_too_large_is_said_on_its_page(live: Study, ours: Market, opened: Opened) -> None:
    client = console(live)
    shared, all_of_it = opened("team", "shared", overlap=3), opened("team", "all")
    guests = [GuestRecord(f"p{number}@example.org") for number in range(4)]
    invite_people(live, shared.channel_id, guests[:2], market=ours, actor="ada", now=NOW)
    invite_people(live, all_of_it.channel_id, guests, market=ours, actor="ada", now=NOW)
    page = page_text(client.get(at(live, "recruit-channel", shared.channel_id)))
    assert "2 people are invited, and each text needs 3. Invite more people." in page
    assert "fair share" not in page
    invite_people(live, shared.channel_id, guests[2:], market=ours, actor="ada", now=NOW)
    page = page_text(client.get(at(live, "recruit-channel", shared.channel_id)))
    # Three tasks, each done by three of four people.
    assert live.hits.count() == 3
    assert "A fair share is 3 tasks per person. Without a maximum, one person can do more. Set a maximum" in page
    page = page_text(client.get(at(live, "recruit-channel", all_of_it.channel_id)))
    assert "4 people are invited, and each text has 3 raters in this study. Not everyone can rate everything." in page
