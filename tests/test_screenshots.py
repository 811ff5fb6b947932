"""Every page of the console and of the worker site has a picture, or it is said here why it has none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from django.test import Client
from django.urls import resolve, reverse
from playwright.sync_api import Browser

from annotation.console.urls import urlpatterns as console
from annotation.marketplace.urls import urlpatterns as worker_site
from tests.metrics.report.kinds_of_study import KINDS
from tests.report_checker import studies
from tests.screenshots import reports
from tests.screenshots.__main__ import DOCUMENTED, registered
from tests.screenshots.shots import World, replacing
from tests.screenshots.world import ROOT

# What answers with no page of its own.
PARTS = {
    "console:provider": "the way to the provider of the installation",
    "console:provider-return": "the way back from it",
    "console:help-page": "the documentation site, which has pictures of its own",
    "console:design-precision": "a part of the design's page, which fetches it",
    "console:publish-check": "a part of the publish page, which fetches it",
    "console:recruit-funnel": "a part of the channel's page, which fetches it",
    "console:recruit-needs": "a part of the progress page, which fetches it",
    "console:recruit-code": "an image",
    "console:figures-sheet": "a style sheet",
    "console:job-file": "a file",
    "console:everybody-processing": "a file",
    "console:workers-processing": "a file",
    "console:plan-file": "a file",
    "console:ethics-file": "a file",
    "console:design-wording-file": "a file",
    "console:design-training-export": "a file",
    "console:design-training-example": "a file",
    "console:workers-payouts-download": "a file",
    "hits:frame": "what stands in the frame of a task",
    "hits:test-frame": "what stands in the frame of a test",
    "hits:state": "an answer for the page's script",
    "hits:download": "a file",
    "hits:submit": "where answers are posted",
    "hits:submit-for": "where answers are posted",
    "hits:draft": "where a page keeps its draft",
    "hits:way-back": "the way out, to another site",
    "hits:language": "a choice that is posted",
    "hits:start": "a button, which leads to a task",
}
ONE_OF_EACH: dict[str, Any] = {
    "UUIDConverter": UUID(int=1), "IntConverter": 1, "SlugConverter": "a", "StringConverter": "a",
    "PathConverter": "index.html", "PublicId": "3" + "A" * 29,
}  # fmt: skip
OF_THE_MARKETPLACE = {
    "hit", "closed_hit", "invited_hit", "group", "held", "approved", "rejected", "submitted", "qualification",
    "to_take", "attempt", "undrawn", "drawn",
}  # fmt: skip


class Ids(dict[str, str]):
    """Any id that is asked for."""

    def __missing__(self, name: str) -> str:
        return ONE_OF_EACH["PublicId"] if name in OF_THE_MARKETPLACE else str(UUID(int=1))


def addresses(patterns: Any, room: str, before: dict[str, str] | None = None) -> Iterator[tuple[str, str]]:
    """Name and an address of everything in a register of addresses."""
    for one in patterns:
        parts = {**(before or {}), **{part: type(kind).__name__ for part, kind in one.pattern.converters.items()}}
        if hasattr(one, "url_patterns"):
            yield from addresses(one.url_patterns, room, parts)
        else:
            name = f"{room}:{one.name}"
            yield name, reverse(name, kwargs={part: ONE_OF_EACH[kind] for part, kind in parts.items()})


def pictured(tmp_path: Path) -> set[str]:
    """Names of the addresses that pictures are taken of."""
    world = World("http://127.0.0.1", tmp_path, {}, Ids())
    found = [shot.address(world) for shot in registered()]
    return {resolve(urlsplit(one).path).view_name for one in found if one.startswith(world.origin)}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("patterns", "room"), [(console, "console"), (worker_site, "hits")], ids=["console", "workers"]
)
def test_every_page_that_can_be_opened_has_a_picture(patterns: Any, room: str, tmp_path: Path) -> None:
    shown = pictured(tmp_path)
    opened = {name for name, address in addresses(patterns, room) if Client().get(address).status_code != 405}
    assert opened - shown - PARTS.keys() == set()
    assert not shown & PARTS.keys()


def test_no_two_pictures_have_one_name() -> None:
    names = [one.name for one in registered()]
    assert len(names) == len(set(names))


def test_every_picture_of_the_documentation_is_taken_by_a_command() -> None:
    taken = sorted(path for files in DOCUMENTED.values() for path in files)
    assert taken == sorted((ROOT / "docs").rglob("*.png"))
    assert len(taken) == len(set(taken))


@pytest.mark.parametrize("fails", [True, False])
def test_pictures_are_replaced_when_all_were_taken(tmp_path: Path, fails: bool) -> None:
    before = {"1-door.png": b"door", "9-old.png": b"old"}
    for name, content in before.items():
        (tmp_path / name).write_bytes(content)
    try:
        with replacing(tmp_path, all_pictures=True) as out:
            (out / "1-door.png").write_bytes(b"new door")
            if fails:
                raise RuntimeError
    except RuntimeError:
        pass
    after = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert after == (before if fails else {"1-door.png": b"new door"})


def test_every_kind_of_report_has_a_picture() -> None:
    """Of studies that are rehearsed: each task, each outcome, each way to seal a plan."""
    shown, drawn = reports.kinds(), [studies.draw(seed) for seed in reports.SEEDS]
    assert {name.replace(" ", "-") for name in KINDS} <= shown.keys()
    assert {one.kind for one in drawn} == {*studies.KINDS, *(kind for kind, _ in studies.FURTHER)}
    assert {one.outcome for one in drawn} >= {*studies.OUTCOMES}
    assert {one.plan for one in drawn} == {"", "sealed", "amended", "late"}
    assert {one.split("-")[0] for one in shown} >= {"checked", "case", "compared", "release", "stranger"}


def test_what_is_wrong_with_a_report_is_measured(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(
        "<!doctype html><style>body{margin:0}p{overflow:hidden;width:9px;white-space:nowrap}</style>"
        "<div style='width:500px;height:7000px'></div><details><summary>More</summary><p>Cut off.</p></details>"
        "<script>console.error('Failed.')</script>"
    )
    columns, pictures, wrong = reports.take(browser, file, "360-light")
    assert wrong == ["console: Failed.", "140 pixels too wide", "cut: p “Cut off.”"]
    # Letters of a phone at 350 of 360 pixels: four columns a sheet, and two sheets at once of at most ten columns.
    heights = [int.from_bytes(picture[20:24], "big") for picture in pictures]
    assert (columns, len(pictures)) == (4, 1)
    assert 7000 * 350 / 360 < heights[0] < 7100 * 350 / 360
