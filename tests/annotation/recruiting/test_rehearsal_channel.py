"""A rehearsal has a channel of its own: simulated people come by it, and its funnel says how far."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Q
from django.utils import timezone

from annotation.marketplace.models import Assignment, Draw
from annotation.models import Role, Study
from annotation.mturk.client import Market
from annotation.outbox.worker import work
from annotation.publishing.publish import publish
from annotation.recruiting.queries import channels_of
from tests.annotation.api.conftest import Caller, fault
from tests.annotation.recruiting.test_three_ways import by_settings

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
PEOPLE, PLACES = 2, 4  # two tasks with two places each: two people do both
__all__ = ["by_settings"]


def told(command: str, *words: str) -> str:
    out = io.StringIO()
    call_command(command, "headlines", *words, stdout=out)
    return out.getvalue()


def publish_now(study: Study, market: Market) -> None:
    publish(study, actor="ada", now=timezone.now())
    work(Q(study=study), market=market, clock=timezone.now)


def test_simulated_people_come_by_the_channel_of_a_rehearsal(study: Study, ours: Market, tmp_path: Path) -> None:
    text = tmp_path / "consent.txt"
    text.write_text("I agree to read.", encoding="utf-8")
    said = told("recruit", "rehearsal", "--consent", str(text))
    assert "Channel Rehearsal (rehearsal) is open to the study headlines." in said
    study.refresh_from_db()
    publish_now(study, ours)
    assert f"{PLACES} assignments were submitted; 0 could not be accepted." in told("rehearsal_crowd")
    (channel,) = channels_of(study, ours)
    funnel = channel.funnel
    assert (channel.kind, channel.link, channel.state(timezone.now())) == ("rehearsal", "", "open")
    assert (funnel.consented, funnel.began, funnel.finished, funnel.returned) == (PEOPLE, PEOPLE, PEOPLE, 0)
    assert Assignment.objects.filter(state__in=Assignment.SUBMITTED_STATES).count() == PLACES
    assert Draw.objects.count() == 0
    status = told("recruit", "status")
    assert f"began {PEOPLE}, finished {PEOPLE}" in status


def test_a_closed_channel_keeps_simulated_people_out_until_it_is_reopened(study: Study, ours: Market) -> None:
    told("recruit", "rehearsal")
    study.refresh_from_db()
    publish_now(study, ours)
    assert "Rehearsal: closed." in told("recruit", "close")
    with pytest.raises(CommandError, match=f"Nothing was submitted: {PLACES} assignments could not be accepted"):
        told("rehearsal_crowd")
    assert Assignment.objects.count() == 0
    told("recruit", "reopen")
    assert f"{PLACES} assignments were submitted" in told("rehearsal_crowd", "--seed", "2")


def test_a_rehearsal_has_no_channel_for_people_and_a_live_study_none_for_simulated_ones(
    study: Study, ours: Market
) -> None:
    program = Caller("pam", study, Role.EDITOR)
    path = f"/studies/{study.uuid}/channels"
    refused = program("post", path, {"kind": "link"})
    assert fault(refused)[2] == ["kind"]
    assert refused.json()["detail"] == (
        "The study headlines is a rehearsal, in which only simulated workers take part. Create it as live."
    )
    Study.objects.filter(pk=study.pk).update(mode=Study.Mode.LIVE)
    refused = program("post", path, {"kind": "rehearsal"})
    assert (
        refused.json()["detail"]
        == "The study headlines is live: real people take part, so it has no rehearsal channel."
    )
    study.refresh_from_db()
    assert channels_of(study, ours) == []
