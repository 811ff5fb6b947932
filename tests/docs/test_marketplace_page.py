"""The page on the marketplace names every operation of ours, and every answer that a person gets at a link."""

from __future__ import annotations

import re

from annotation.marketplace.channels.kinds import KINDS
from annotation.marketplace.operations.registry import EXTENSIONS
from annotation.marketplace.site.invitations import REFUSED, STATUS
from tests.docs.paths import ROOT

PAGE = (ROOT / "docs" / "marketplace.md").read_text(encoding="utf-8")
CHANNELS = PAGE.partition("\n## Channels\n")[2].partition("\n## ")[0]


def first_cells(text: str) -> list[str]:
    """The names in the first column of every table."""
    rows = re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE)
    return [name for row in rows for name in re.split(r", ?", row)]


def test_each_operation_of_ours_is_in_a_table() -> None:
    named = set(first_cells(PAGE))
    assert sorted(set(EXTENSIONS) - named) == []


def test_each_answer_at_a_link_is_in_the_table_with_its_status() -> None:
    rows = re.findall(r"^\| ([a-z, -]+) \| (\d{3}) \|", CHANNELS, re.MULTILINE)
    statuses = {word: int(status) for words, status in rows for word in words.split(", ")}
    assert {word: statuses.get(word) for word in STATUS} == STATUS
    assert set(statuses) >= REFUSED


def test_each_kind_of_channel_is_named() -> None:
    assert [kind for kind in KINDS if f"`{kind}`" not in CHANNELS] == []
