"""Guides keep to their length, and name columns as pages do."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_guide_to_reviewing_raters_has_at_most_900_words() -> None:
    assert len((ROOT / "docs/judging.md").read_text(encoding="utf-8").split()) <= 900


def test_the_guide_to_reviewing_raters_names_the_columns_of_the_rules() -> None:
    guide = " ".join((ROOT / "docs/judging.md").read_text(encoding="utf-8").split())
    page = (ROOT / "annotation/console/templates/console/rules_now.html").read_text(encoding="utf-8")
    for column in ("If everybody is honest (simulated)", "Headline measures without and with the rule"):
        assert f"*{column}*" in guide
        assert f'{{% translate "{column}" %}}' in page
