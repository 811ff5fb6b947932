"""A panel: one completion code for its study, and the ids that it adds to the address."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import CommandError
from lxml import html

from annotation.marketplace.core import clock
from annotation.marketplace.invitations import retention
from annotation.marketplace.models import ParticipantIdentity
from tests.marketplace.channels.guests import channel, tasks, told

PROLIFIC = "https://app.prolific.com/submissions/complete?cc="
ADDED = {"PROLIFIC_PID": "5f3a", "STUDY_ID": "64cd", "SESSION_ID": "99be"}


def panel(*words: str) -> str:
    return channel("panel", "--id-parameter", "PROLIFIC_PID", *words)


def test_a_code_for_each_person_is_refused_on_the_way_back_to_prolific(lab):
    tasks(lab)
    with pytest.raises(CommandError, match="one completion code"):
        panel("--return-url", PROLIFIC + "{code}")
    with pytest.raises(CommandError, match="--completion-code"):
        panel("--return-url", PROLIFIC + "{code}")
    assert panel("--return-url", PROLIFIC + "{code}", "--completion-code", "C1ABCDEF")


def test_everybody_of_a_panel_gets_the_one_code_of_the_study(lab, guest):
    tasks(lab, 1)
    link = panel("--return-url", PROLIFIC + "{code}", "--completion-code", "C1ABCDEF")
    for person_id in ("5f3a", "77aa"):
        ann = guest().enter(f"{link}?PROLIFIC_PID={person_id}")
        ann.do({"HITId": ann.offers()[0]})
        end = ann.get("/hits/end/")
        assert html.fromstring(end.content).xpath("string(//strong[@aria-labelledby='code'])") == "C1ABCDEF"
        back = ann.site.get(f"{ann.origin}/hits/end/back/", follow_redirects=False)
        assert back.headers["location"] == f"{PROLIFIC}C1ABCDEF"
        again = ann.site.get(f"{link}?PROLIFIC_PID={person_id}").text
        assert "C1ABCDEF" in again


@pytest.mark.database
def test_the_ids_that_a_panel_adds_are_kept_with_the_persons_id_and_deleted_with_it(lab, guest):
    tasks(lab, 1)
    link = panel("--keep-parameter", "wave")
    query = "&".join(f"{name}={value}" for name, value in {**ADDED, "wave": "2", "gclid": "tracker"}.items())
    guest().enter(f"{link}?{query}")
    assert ParticipantIdentity.objects.get().panel_ids == {**ADDED, "wave": "2"}
    (row,) = told("status", "panel", "--names")["people"]
    assert row["external_id"] == "5f3a"
    assert row["panel_ids"] == {**ADDED, "wave": "2"}
    (row,) = told("status", "panel")["people"]
    assert not {"external_id", "panel_ids"} & row.keys()
    told("change", "panel", "--retain-until", "2026-12-01")
    retention.purge(now=clock.now() + timedelta(days=800), dry_run=False)
    assert not ParticipantIdentity.objects.exists()


def test_whoever_comes_again_in_a_new_session_has_the_latest_ids(lab, guest):
    tasks(lab, 2)
    link = panel()
    guest().enter(f"{link}?PROLIFIC_PID=5f3a&SESSION_ID=first")
    guest().enter(f"{link}?PROLIFIC_PID=5f3a&SESSION_ID=second")
    assert ParticipantIdentity.objects.get().panel_ids == {"PROLIFIC_PID": "5f3a", "SESSION_ID": "second"}


def test_a_link_that_names_no_id_keeps_nothing_of_the_address(lab, guest):
    tasks(lab, 1)
    guest().enter(f"{channel()}?PROLIFIC_PID=5f3a&SESSION_ID=first")
    assert not ParticipantIdentity.objects.exists()


@pytest.mark.parametrize("value", ["x" * 201, "a%00b"])
@pytest.mark.database
def test_an_odd_id_of_a_session_is_left_out(lab, guest, value):
    tasks(lab, 1)
    guest().enter(f"{panel()}?PROLIFIC_PID=5f3a&SESSION_ID={value}")
    assert ParticipantIdentity.objects.get().panel_ids == {"PROLIFIC_PID": "5f3a"}
