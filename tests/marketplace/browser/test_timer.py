"""The time left: seen every second, told to screen readers twice."""

from __future__ import annotations

import re

import pytest


@pytest.fixture
def working(lab, sign_in, visitor):
    """Ann's page of a task of ten minutes, in a browser whose clock the test moves."""
    task = sign_in("ann").take(lab.hit(AssignmentDurationInSeconds=600))
    page = visitor("ann")
    page.clock.install()
    page.goto(task.page)
    return page


def test_the_time_counts_down_without_telling_screen_readers_every_second(working):
    left = working.locator("#left")
    first = left.text_content()
    working.clock.run_for(2_000)
    assert re.fullmatch(r"09:5\d|10:00", first)
    assert left.text_content() != first
    assert left.evaluate("found => found.closest('[aria-live], [role=timer], [role=status]')") is None
    assert working.locator(".bar [role=status]").text_content() == ""


def test_five_minutes_and_one_minute_before_the_end_it_is_said(working):
    said = working.locator(".bar [role=status]")
    working.clock.run_for(301_000)
    assert said.text_content() == "Five minutes left."
    working.clock.run_for(240_000)
    assert said.text_content().startswith("One minute left.")
    working.clock.run_for(61_000)
    assert said.text_content() == "The time is over."
    assert working.locator("#left").text_content() == "00:00"
