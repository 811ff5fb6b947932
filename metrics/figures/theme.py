"""Colors and shapes of every figure.

The pair is blue and vermilion after Okabe and Ito (2008), distinguishable in all common kinds of color blindness; the
blue is lightened so that both keep 3:1 against a white and against a dark page. Shape repeats what colour says (filled
square, open circle), so that a figure also reads in grey. Models, tasks and conditions other than the pair are series:
each has a colour, a shape and a dash of its own, and the same 3:1.
"""

from __future__ import annotations

import math
from typing import Literal

from metrics.types import MODEL, REFERENCE, Source

Look = str  # `reference`, `model`, `ink`, `quiet`, or one of SERIES
Shape = Literal["square", "circle", "diamond", "triangle-up", "triangle-down", "cross", "x"]
Dash = Literal["solid", "dash", "dot", "dashdot"]

COLOURS: dict[Look, str] = {REFERENCE: "#2389CC", MODEL: "#D55E00"}
SYMBOLS: dict[Look, Literal["square", "circle"]] = {REFERENCE: "square", MODEL: "circle"}
SERIES: dict[Look, str] = {"s0": "#00916E", "s1": "#B5559B", "s2": "#97750A", "s3": "#5F72D0", "s4": "#7A828C"}
SERIES_SHAPES: tuple[Shape, ...] = ("diamond", "triangle-up", "circle", "triangle-down", "square", "cross", "x")
DASHES: tuple[Dash, ...] = ("solid", "dash", "dot", "dashdot")
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
SHADE_ALPHA = 0.34
SHADE_STEPS = 9
BAND_ALPHA = 0.16
AREA_ALPHA = 0.28

LIGHT = {"ink": "#1b1f24", "quiet": "#59636e", "paper": "#ffffff", "line": "#d8dde3", "grid": "#e9ecf0"}
DARK = {"ink": "#e4e7eb", "quiet": "#a0a9b4", "paper": "#15181c", "line": "#3a424c", "grid": "#272d34"}


def series_look(at: int) -> Look:
    """The look of the series number `at` (from 0); colours come round after five, with other shapes and dashes."""
    return list(SERIES)[at % len(SERIES)]


def series_shape(at: int) -> Shape:
    """The shape of the series number `at`."""
    return SERIES_SHAPES[at % len(SERIES_SHAPES)]


def series_dash(at: int) -> Dash:
    """The dash of the series number `at`."""
    return DASHES[at % len(DASHES)]


def look_color(look: Look) -> str:
    """The colour of a look in the light palette, as #rrggbb."""
    return (COLOURS | SERIES | LIGHT)[look]


def mark_scale(marks: int) -> float:
    """Return the size of each of n marks, in shares of the usual one: smaller from 400 on, to cover less."""
    return max(0.4, min(1.0, math.sqrt(400 / max(marks, 1))))


def look_shape(look: Look) -> Shape:
    """The shape that goes with a look: the square of references, else the circle."""
    return "square" if look == REFERENCE else "circle"


def look_rgba(look: Look, alpha: float) -> str:
    """The colour of a look at an opacity in [0, 1], as CSS. Ink is opaque: a dark page replaces it by name."""
    if look in LIGHT:
        return look_color(look)
    red, green, blue = (int(look_color(look)[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:.3g})"


def shade_look(share: float) -> tuple[Source, float]:
    """Whose colour, and how opaque, for a share of reference neighbours in [0, 1] (one half is clear)."""
    lean = 2 * share - 1
    return (REFERENCE if lean >= 0 else MODEL), SHADE_ALPHA * abs(lean)


def css_variables(palette: dict[str, str]) -> str:
    """CSS variables of a palette, of the two sources and of the series."""
    pairs = palette | {"reference": COLOURS[REFERENCE], "model": COLOURS[MODEL]} | SERIES
    return "".join(f"--{name}:{value};" for name, value in pairs.items())
