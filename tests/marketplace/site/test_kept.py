"""Parts of pages that are made once (`kept`)."""

from __future__ import annotations

from django.template import Context, Template
from django.utils import translation

PART = Template("{% load marketplace %}{% cached place %}{{ place }} {{ count }}{% endcached %}")


def shown(place: str, count: int) -> str:
    return PART.render(Context({"place": place, "count": count}))


def test_a_part_is_made_once_for_each_value_and_language() -> None:
    assert shown("here", 1) == "here 1"
    assert shown("here", 2) == "here 1"
    assert shown("there", 3) == "there 3"
    with translation.override("de"):
        assert shown("here", 4) == "here 4"


def test_what_was_escaped_stays_escaped() -> None:
    assert shown("<b>", 1) == "&lt;b&gt; 1" == shown("<b>", 1)
