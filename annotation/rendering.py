"""From a HIT's texts to the page a worker sees: one self-contained HTML document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.template.loader import render_to_string


@dataclass(frozen=True, slots=True)
class ShownText:
    """A text as the page shows it; `context` is what it answers, "" for none."""

    body: str
    context: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """A label of the scale and its gloss."""

    label: str
    gloss: str


def rating_field(position: int) -> str:
    """The form field that carries the label chosen for the text at `position` (from 0)."""
    return f"rating-{position}"


def active_field(position: int) -> str:
    """The form field that carries the active milliseconds spent on the text at `position`."""
    return f"active-ms-{position}"


def typicality_page(texts: Sequence[ShownText], *, choices: Sequence[Choice], noun: str) -> str:
    """The typicality HIT: each text with every label of the scale, all required."""
    items = [
        {"number": i + 1, "text": text, "field": rating_field(i), "active": active_field(i)}
        for i, text in enumerate(texts)
    ]
    return render_to_string("typicality.html", {"items": items, "choices": choices, "noun": noun})
