"""The figures: shapes, colours, shading, labels and words."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from metrics.figures import hj_by_source, huse_scatter, images, theme
from metrics.figures.chart import Shade, place_ticks
from metrics.figures.hj_by_source import SourceRow
from metrics.figures.huse_scatter import Panel, Point
from metrics.figures.interactive import figure
from metrics.figures.static import svg
from metrics.figures.traces import format_hover
from metrics.types import MODEL, REFERENCE, Estimate, Interval

SVG = "{http://www.w3.org/2000/svg}"


def estimate(value: float | None, low: float = 0.4, high: float = 0.66, n: int = 4) -> Estimate:
    interval = None if value is None else Interval(low, high, 0.95, "half-samples")
    return Estimate(value, n, interval, {}, () if value is not None else ("none",), "huse|n:4")


def panel(**changed: object) -> Panel:
    points = (
        Point("a", REFERENCE, 4.0, -3.0, "a quiet <b>river</b>"),
        Point("b", REFERENCE, 5.0, -4.0, "b"),
        Point("c", MODEL, 2.0, -1.0, "c"),
        Point("d", MODEL, 3.0, -2.0, "d"),
    )
    shade = Shade((2.0, 4.0), (-4.0, -1.0), ((0.0, 1.0), (0.5, None)))
    values: dict[str, object] = {
        "name": "scatter-1",
        "generator": "t=0.7",
        "points": points,
        "unit": "whitespace",
        "huse": estimate(0.53),
        "shade": shade,
    }
    return Panel(**(values | changed))  # type: ignore[arg-type]


def rows() -> tuple[SourceRow, ...]:
    reference = tuple((f"r{at}", 4.0 + at / 10, "") for at in range(4))
    model = tuple((f"m{at}", 3.0, "same place") for at in range(4))
    return (
        SourceRow("reference", REFERENCE, reference, estimate(4.15, 4.0, 4.3)),
        SourceRow("t=0.7", MODEL, model, estimate(3.0, 2.9, 3.1)),
    )


def test_reference_is_a_square_and_model_a_circle_in_the_two_colours_of_the_theme() -> None:
    traces = {trace.name: trace.marker for trace in figure(huse_scatter.chart(panel())).data}
    assert traces["reference (2)"].symbol == "square"
    assert traces["t=0.7 (2)"].symbol == "circle"
    assert traces["reference (2)"].color.startswith("rgba(35,137,204")
    assert traces["t=0.7 (2)"].line.color == theme.COLOURS[MODEL]


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("paper", [theme.LIGHT["paper"], theme.DARK["paper"]])
@pytest.mark.parametrize("colour", theme.COLOURS.values())
def test_both_colours_keep_three_to_one_on_light_and_dark_paper(colour: str, paper: str) -> None:
    low, high = sorted((luminance(colour), luminance(paper)))
    assert (high + 0.05) / (low + 0.05) >= 3


def test_the_scatter_shows_hj_against_log_p_per_unit_with_units_on_the_axes() -> None:
    drawn = figure(huse_scatter.chart(panel()))
    assert list(drawn.data[0].x) == [4.0, 5.0]
    assert list(drawn.data[0].y) == [-3.0, -4.0]
    assert drawn.layout.yaxis.title.text == "log p per word (nats)"
    assert "HJ" in drawn.layout.xaxis.title.text


def test_shading_takes_the_reference_colour_where_neighbours_are_references() -> None:
    assert theme.shade_look(1.0) == (REFERENCE, theme.SHADE_ALPHA)
    assert theme.shade_look(0.0) == (MODEL, theme.SHADE_ALPHA)
    assert theme.shade_look(0.5)[1] == 0
    chart = huse_scatter.chart(panel())
    assert chart.shade.share == ((0.0, 1.0), (0.5, None))
    shapes = figure(chart).layout.shapes
    # One box of each colour; what leans to neither side, or is not known, is clear.
    assert [shape.fillcolor for shape in shapes] == [
        theme.look_rgba(source, theme.SHADE_ALPHA) for source in (MODEL, REFERENCE)
    ]
    assert all(shape.path.count("M") == 1 for shape in shapes)


def test_a_text_of_probability_zero_stands_at_the_bottom_on_a_line_called_minus_infinity() -> None:
    points = (*panel().points, Point("e", MODEL, 3.0, -math.inf))
    chart = huse_scatter.chart(panel(points=points))
    assert chart.y.ticks[0][1] == "−∞"
    assert chart.points[1].y[-1] == chart.y.ticks[0][0] < min(chart.points[0].y)


def test_hover_text_is_text_and_never_mark_up() -> None:
    shown = figure(huse_scatter.chart(panel())).data[0].text[0]
    assert "&lt;b&gt;river&lt;/b&gt;" in shown
    assert format_hover("one\ntwo") == "one<br>two"
    assert all(len(line) <= 70 for line in format_hover("word " * 60).split("<br>"))


def test_alt_text_of_the_scatter_states_the_finding() -> None:
    text = huse_scatter.alt(panel())
    assert "74% of 4 texts" in text  # 1 - 0.53 / 2 = 0.735
    assert "Mean HJ is 2.50 for t=0.7 and 4.50 for the references" in text
    assert "−1.50 and −3.50" in text
    assert "not defined" in huse_scatter.alt(panel(huse=estimate(None)))


def test_hj_by_source_draws_every_text_and_every_interval() -> None:
    drawn = figure(hj_by_source.chart(rows()))
    means = drawn.data[-1]
    assert list(means.x) == [4.15, 3.0]
    assert means.error_x.array == pytest.approx((0.15, 0.1))
    assert means.error_x.arrayminus == pytest.approx((0.15, 0.1))
    assert sum(len(trace.x) for trace in drawn.data[:-1]) == 8


def test_equal_hj_are_stacked_so_that_no_text_hides_another() -> None:
    dots = hj_by_source.chart(rows()).points[1]
    assert len(set(zip(dots.x, dots.y, strict=True))) == 4


def test_hj_by_source_labels_directly_and_says_who_is_rated_lower() -> None:
    chart = hj_by_source.chart(rows())
    assert [note.text for note in chart.notes] == [
        "reference 4.15 [4.00, 4.30], n = 4",
        "t=0.7 3.00 [2.90, 3.10], n = 4",
    ]
    assert "t=0.7 is rated 1.15 lower than the references" in chart.alt


def test_the_still_picture_is_well_formed_with_one_shape_a_text_and_its_alt_text() -> None:
    chart = huse_scatter.chart(panel())
    root = etree.fromstring(svg(chart, standalone=True).encode())
    assert len(root.findall(f".//{SVG}rect")) == 3  # two texts and the key
    assert len(root.findall(f".//{SVG}circle")) == 3
    assert root.get("aria-label") == chart.alt
    assert root.find(f".//{SVG}rect/{SVG}title").text == "reference a: HJ 4.00, log p per unit −3.00"


def test_the_still_shading_covers_known_cells_only() -> None:
    root = etree.fromstring(svg(huse_scatter.chart(panel()), standalone=True).encode())
    shaded = [path for path in root.iter(f"{SVG}path") if path.get("class") == "shade"]
    assert sorted(path.get("fill") for path in shaded) == ["var(--model)", "var(--reference)"]
    assert all(path.get("d").count("M") == 1 for path in shaded)


def test_equal_charts_give_equal_bytes() -> None:
    assert figure(huse_scatter.chart(panel())).to_json() == figure(huse_scatter.chart(panel())).to_json()
    assert json.loads(figure(hj_by_source.chart(rows())).to_json())["layout"]["height"] == 274
    assert svg(hj_by_source.chart(rows())) == svg(hj_by_source.chart(rows()))


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_lie_within_the_range_in_even_steps(low: float, width: float) -> None:
    places = [value for value, _ in place_ticks(low, low + width)]
    assert 2 <= len(places) <= 11
    assert low - width * 1e-6 <= places[0]
    assert places[-1] <= low + width * (1 + 1e-6)
    steps = [b - a for a, b in itertools.pairwise(places)]
    assert max(steps) == pytest.approx(min(steps), rel=1e-3)


def svg_file(folder: Path) -> Path:
    path = folder / "hj.svg"
    path.write_text(svg(hj_by_source.chart(rows()), standalone=True), encoding="utf-8")
    return path


def test_an_svg_file_needs_no_browser(tmp_path: Path) -> None:
    path = svg_file(tmp_path)
    assert etree.fromstring(path.read_bytes()).tag == f"{SVG}svg"


@pytest.mark.parametrize("chromium", [None, Path("/nowhere/chromium")])
def test_png_and_pdf_without_a_browser_refuse_with_a_sentence(tmp_path: Path, chromium: Path | None) -> None:
    page = svg_file(tmp_path)
    with pytest.raises(images.NoBrowser, match="PNG needs a Chromium"):
        images.png(page, tmp_path / "hj.png", chromium=chromium)
    with pytest.raises(images.NoBrowser, match="PDF needs a Chromium"):
        images.pdf(page, tmp_path / "hj.pdf", chromium=chromium)


def browser(tmp_path: Path, script: str) -> Path:
    path = tmp_path / "browser"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_the_browser_is_sandboxed_unless_told_otherwise(tmp_path: Path) -> None:
    chromium = browser(tmp_path, f'echo "$@" > {tmp_path}/said; touch {tmp_path}/out.pdf')
    page = svg_file(tmp_path)
    images.pdf(page, tmp_path / "out.pdf", chromium=chromium)
    assert "--no-sandbox" not in (tmp_path / "said").read_text()
    images.pdf(page, tmp_path / "out.pdf", chromium=chromium, sandbox=False)
    assert "--no-sandbox" in (tmp_path / "said").read_text()


def test_a_browser_that_fails_is_quoted(tmp_path: Path) -> None:
    chromium = browser(tmp_path, "echo no display >&2; exit 3")
    with pytest.raises(images.NoBrowser, match=r"could not make x\.png: no display"):
        images.png(tmp_path / "hj.svg", tmp_path / "x.png", chromium=chromium)


def test_a_browser_that_hangs_is_ended(tmp_path: Path) -> None:
    chromium = browser(tmp_path, "exec sleep 30")
    with pytest.raises(images.NoBrowser, match=r"did not finish x\.png"):
        images.png(tmp_path / "hj.svg", tmp_path / "x.png", chromium=chromium, timeout=0.2)
