"""Colours and shapes of every figure, in their one home.

The pair is blue and vermilion after Okabe and Ito (2008), told apart by all common kinds of colour blindness; the blue
is lightened so that both keep 3:1 against a white and against a dark page. Shape repeats what colour says (filled
square, open circle), so that a figure also reads in grey.
"""

from __future__ import annotations

from typing import Literal

from metrics.types import MODEL, REFERENCE, Source

COLOURS: dict[Source, str] = {REFERENCE: "#2389CC", MODEL: "#D55E00"}
SYMBOLS: dict[Source, Literal["square", "circle"]] = {REFERENCE: "square", MODEL: "circle"}
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
SHADE_ALPHA = 0.34
SHADE_STEPS = 9

LIGHT = {"ink": "#1b1f24", "quiet": "#59636e", "paper": "#ffffff", "line": "#d8dde3", "grid": "#e9ecf0"}
DARK = {"ink": "#e4e7eb", "quiet": "#a0a9b4", "paper": "#15181c", "line": "#3a424c", "grid": "#272d34"}


def rgba(source: Source, alpha: float) -> str:
    """The colour of a source at an opacity in [0, 1], as CSS."""
    red, green, blue = (int(COLOURS[source][at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:.3g})"


def shade(share: float) -> tuple[Source, float]:
    """Whose colour, and how opaque, for a share of reference neighbours in [0, 1] (one half is clear)."""
    lean = 2 * share - 1
    return (REFERENCE if lean >= 0 else MODEL), SHADE_ALPHA * abs(lean)


def variables(palette: dict[str, str]) -> str:
    """CSS variables of a palette and of the two sources."""
    pairs = palette | {"reference": COLOURS[REFERENCE], "model": COLOURS[MODEL]}
    return "".join(f"--{name}:{value};" for name, value in pairs.items())
