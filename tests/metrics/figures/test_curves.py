"""Curves with bands, labels that keep clear of each other, and the part of Plotly that a page carries."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from lxml import html as lxml_html

from metrics import figures
from metrics.errors import DegenerateInput
from metrics.figures import curves, embed, hj_by_source, huse_scatter, theme, tradeoff
from metrics.figures.chart import Axis, Chart, Points, place_decades
from metrics.figures.curves import At, Panel, Series
from metrics.figures.huse_scatter import Point
from metrics.figures.interactive import figure
from metrics.figures.labels import add_labels
from metrics.figures.scale import Scale
from metrics.figures.static import svg
from metrics.types import MODEL, Estimate, Interval
from tests.metrics.figures.test_charts import luminance, panel, rows
from tests.metrics.figures.test_papers import BY_KIND

SVG = "{http://www.w3.org/2000/svg}"
SIZES = Series("small", (At(1e6, 0.5, 0.4, 0.6, 300), At(1e9, 0.7, 0.6, 0.8, 300)))
PANEL = Panel("sizes", "Pass rate by size", (SIZES,), "parameters", "pass rate", x_log=True, level=(0.5, "chance"))


def test_a_curve_on_a_log_scale_has_its_band_and_ticks_at_powers_of_ten() -> None:
    chart = curves.chart(PANEL)
    assert chart.curves[0].x == pytest.approx((6, 9))
    assert (chart.curves[0].low, chart.curves[0].high) == ((0.4, 0.6), (0.6, 0.8))
    assert [label for _, label in chart.x.ticks] == ["1M", "10M", "100M", "1B"]
    assert "small rises from 0.50 [0.40, 0.60] at 1 million to 0.70 [0.60, 0.80] at 1 billion." in chart.alt


def test_a_band_needs_both_ends_everywhere() -> None:
    open_end = Series("s", (At(1, 0.5), At(2, 0.6, 0.5, 0.7)))
    assert curves.chart(replace(PANEL, series=(open_end,), x_log=False)).curves[0].low == ()


def test_a_curve_that_stays_and_one_of_a_single_place_are_said_so() -> None:
    flat, single = Series("flat", (At(1, 0.5), At(2, 0.501))), Series("one", (At(4, 0.25),))
    words = curves.alt(replace(PANEL, series=(flat, single)))
    assert "flat stays at 0.50 at 2." in words
    assert "one is 0.25 at 4." in words


@pytest.mark.parametrize("series", [(), (Series("none", ()),), (Series("zero", (At(0, 1.0),)),)])
def test_a_curve_without_a_place_is_refused(series: tuple[Series, ...]) -> None:
    with pytest.raises(DegenerateInput):
        curves.chart(replace(PANEL, series=series))


def test_many_curves_have_a_legend_and_few_have_names_at_their_ends() -> None:
    many = tuple(replace(SIZES, name=f"s{at}") for at in range(6))
    assert curves.chart(replace(PANEL, series=many)).named
    few = curves.chart(replace(PANEL, series=many[:3]))
    assert not few.named
    assert {"s0", "s1", "s2"} <= {note.text for note in few.notes}


def boxes(chart: Chart) -> list[tuple[float, float, float, float]]:
    scale = Scale(chart)
    found = []
    for note in chart.notes:
        width = 6.0 * len(note.text)
        left = scale.x(note.x) - {"start": 0.0, "middle": width / 2, "end": width}[note.anchor]
        found.append((left, scale.y(note.y) - 10, left + width, scale.y(note.y)))
    return found


def test_labels_of_neighbours_do_not_cover_each_other() -> None:
    close = ((0.5, 0.5), (0.5, 0.5), (0.52, 0.5), (0.5, 0.53))
    points = Points("s0", "", tuple(x for x, _ in close), tuple(y for _, y in close), ("",) * 4)
    plain = Chart("c", "c", "c", Axis("x", 0, 1), Axis("y", 0, 1), points=(points,))
    placed = boxes(add_labels(plain, [(x, y, f"name {at}") for at, (x, y) in enumerate(close)]))
    for at, (left, top, right, bottom) in enumerate(placed):
        for left2, top2, right2, bottom2 in placed[at + 1 :]:
            assert right <= left2 or right2 <= left or bottom <= top2 or bottom2 <= top


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_label_stays_within_the_picture(x: float, y: float) -> None:
    points = Points("s0", "", (x,), (y,), ("",))
    plain = Chart("c", "c", "c", Axis("x", 0, 1), Axis("y", 0, 1), points=(points,))
    left, _, right, _ = boxes(add_labels(plain, [(x, y, "a name")]))[0]
    assert left >= 0
    assert right <= 400


@pytest.mark.parametrize(("power", "label"), [(-3, "1e−3"), (0, "1"), (3, "1,000"), (4, "10k"), (8, "100M"), (9, "1B")])
def test_powers_of_ten_are_labelled_shortly(power: int, label: str) -> None:
    assert place_decades(power, power) == ((float(power), label),)


TEXT = re.compile(r'<text class="halo[^>]* x="([-\d.]+)" y="([-\d.]+)"(?: text-anchor="(\w+)")?>([^<]*)<')


def covered(drawing: str) -> list[tuple[str, str]]:
    """Pairs of labels that lie over each other in a drawing of letters about 6 wide and 11 high."""
    placed = []
    for x, y, anchor, words in TEXT.findall(drawing):
        left = float(x) - 6 * len(words) * {"": 0.0, "middle": 0.5, "end": 1.0}[anchor]
        placed.append((words, left, left + 6 * len(words), float(y) - 9, float(y) + 2))
    return [
        (one[0], other[0])
        for one, other in combinations(placed, 2)
        if one[1] < other[2] and other[1] < one[2] and one[3] < other[4] and other[3] < one[4]
    ]


def beyond(drawing: str) -> list[str]:
    """Labels that leave a drawing of letters about 6 wide to the left or to the right."""
    width = {"": 0.0, "middle": 0.5, "end": 1.0}
    placed = [(float(x) - 6 * len(words) * width[anchor], words) for x, _, anchor, words in TEXT.findall(drawing)]
    return [words for left, words in placed if left < 0 or left + 6 * len(words) > 400]


@pytest.mark.parametrize("name", ["t=0.{}", "a-generator-{}0"])
@pytest.mark.parametrize("number", [2, 3, 4])
def test_curves_that_end_at_one_place_have_names_that_can_be_read(number: int, name: str) -> None:
    """As of generators with the same value under the same exclusions; also where the value is that of chance."""
    series = [curves.Series(name.format(at), (curves.At(1, 0.3), curves.At(5, 0.5))) for at in range(number)]
    drawing = svg(curves.chart(curves.Panel("x", "Accuracy", tuple(series), "x", "y", level=(0.5, "chance"))))
    assert len(TEXT.findall(drawing)) == number + 1
    assert covered(drawing) == beyond(drawing) == []


@pytest.mark.parametrize("place", [0.1, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("name", ["a model of version {}", "a model with a very long name {}"])
@pytest.mark.parametrize("number", [2, 5, 8])
def test_models_at_one_place_of_quality_and_diversity_have_names_that_can_be_read(
    number: int, name: str, place: float
) -> None:
    value = Estimate(place, 60, Interval(place - 0.2, place + 0.2, 0.95, "wilson", "texts"), {}, (), "s")
    systems = [tradeoff.System(name.format(at), "news", value, value, value) for at in range(number)]
    chart = tradeoff.chart(systems)
    drawing, numbered = svg(chart), number > tradeoff.MAX_NAMES or (number > 2 and len(name) > 22)
    labels = [str(at) for at in range(1, number + 1)] if numbered else [system.name for system in systems]
    assert [note.text for note in chart.notes if not note.quiet] == labels
    assert (f" Numbers: (1) {systems[0].name}; (2) {systems[1].name}" in chart.caption) == numbered
    assert covered(drawing) == beyond(drawing) == []


def test_an_axis_of_less_than_two_powers_of_ten_has_labels_between_them():
    assert [label for _, label in place_decades(8.05, 8.6)] == ["150M", "200M", "250M", "300M", "350M"]
    assert [label for _, label in place_decades(1.75, 1.95)] == ["60", "70", "80"]
    assert [(round(at, 3), label) for at, label in place_decades(2.2, 3.4)] == [
        (2.301, "200"),
        (2.699, "500"),
        (3.0, "1,000"),
        (3.301, "2,000"),
    ]


@pytest.mark.parametrize("paper", [theme.LIGHT["paper"], theme.DARK["paper"]])
@pytest.mark.parametrize("colour", theme.SERIES.values())
def test_every_series_keeps_three_to_one_on_light_and_dark_paper(colour: str, paper: str) -> None:
    low, high = sorted((luminance(colour), luminance(paper)))
    assert (high + 0.05) / (low + 0.05) >= 3


def test_neighbouring_series_differ_in_colour_shape_and_dash() -> None:
    for at in range(12):
        assert theme.series_look(at) != theme.series_look(at + 1)
        assert theme.series_shape(at) != theme.series_shape(at + 1)
        assert theme.series_dash(at) != theme.series_dash(at + 1)


def test_histograms_beside_the_scatter_hold_every_text_in_bins_of_three_tenths_of_a_standard_deviation() -> None:
    chart = huse_scatter.chart(panel(), margins=True)
    assert [margin.look for margin in chart.top] == ["reference", "model"]
    assert all(sum(margin.shares) == pytest.approx(1) for margin in (*chart.top, *chart.right))
    assert chart.top[0].width == pytest.approx(0.3 * (1.25**0.5))  # HJ 4, 5, 2, 3: variance 1.25
    assert not huse_scatter.chart(panel()).top


def test_histograms_beside_the_scatter_have_few_bins_even_on_a_wide_axis() -> None:
    wide = panel(hj_range=(0.0, 1000.0))
    assert len(huse_scatter.chart(wide, margins=True).top[0].shares) == 80


def test_histograms_beside_the_scatter_share_one_scale() -> None:
    lone = Point("lone", MODEL, 2.0, -1.0)
    chart = huse_scatter.chart(panel(points=(*panel().points[:2], lone)), margins=True)
    assert [max(margin.shares) for margin in chart.top] == [0.5, 1.0]
    root = etree.fromstring(svg(chart, standalone=True).encode())
    above = [path for path in root.iter(f"{SVG}path") if "margin" in path.get("class", "")][:2]
    heights = [max(map(float, re.findall(r"V([\d.]+)H", path.get("d")))) for path in above]
    tops = [min(map(float, re.findall(r"V([\d.]+)H", path.get("d")))) for path in above]
    reference, model = (floor - top for floor, top in zip(heights, tops, strict=True))
    assert model == pytest.approx(2 * reference, rel=0.02)


def test_live_histograms_beside_the_scatter_have_axes_of_their_own() -> None:
    bars = [trace for trace in figure(huse_scatter.chart(panel(), margins=True)).data if trace.type == "bar"]
    assert {(bar.xaxis, bar.yaxis) for bar in bars} == {(None, "y2"), ("x2", None)}


def test_the_models_side_of_the_ground_is_hatched_for_grey_paper() -> None:
    root = etree.fromstring(svg(huse_scatter.chart(panel()), standalone=True).encode())
    hatch = next(path for path in root.iter(f"{SVG}path") if path.get("class") == "hatch")
    pattern = root.find(f"{SVG}pattern")
    assert hatch.get("fill") == f"url(#{pattern.get('id')})"
    assert hatch.get("d").count("M") == 1


GALLERY = {
    **BY_KIND,
    hj_by_source: hj_by_source.chart(rows()),
    huse_scatter: huse_scatter.chart(panel(), margins=True),
    curves: curves.chart(PANEL),
}
ALL = tuple(GALLERY.values())


def test_every_kind_of_figure_is_in_the_gallery() -> None:
    modules = [
        importlib.import_module(f"{figures.__name__}.{one.name}") for one in pkgutil.iter_modules(figures.__path__)
    ]
    assert {one.__name__ for one in GALLERY} == {one.__name__ for one in modules if hasattr(one, "alt")}


def test_the_part_of_plotly_that_is_carried_is_of_the_version_that_draws() -> None:
    from plotly.offline import get_plotlyjs

    version = re.search(r"plotly\.js v([\d.]+)", get_plotlyjs()[:500])
    assert version is not None
    assert f"basic - minified) v{version[1]}" in embed.PLOTLY.read_text(encoding="utf-8")[:500]
    assert version[1] in embed.PLOTLY.name


def test_every_figure_is_drawn_by_that_part() -> None:
    carried = embed.PLOTLY.read_text(encoding="utf-8")
    for kind in {trace.type for chart in ALL for trace in figure(chart).data}:
        assert kind in ("scatter", "bar")
        assert re.search(rf'moduleType:"trace",name:"{kind}"', carried), kind


def test_a_page_of_figures_stands_alone_and_says_each_finding() -> None:
    page = embed.page(ALL, title="Figures <of> a study")
    root = lxml_html.fromstring(page)
    assert not root.xpath("//@src | //link | //img | //@href")
    assert root.xpath("//h1/text()") == ["Figures <of> a study"]
    assert [figure.xpath(".//svg/@aria-label")[0] for figure in root.xpath("//figure")] == [chart.alt for chart in ALL]
    drawn = json.loads(embed.unpack(root.xpath("//script[@id='figures']/text()")[0]))
    assert set(drawn["figures"]) == {chart.name for chart in ALL}
    assert drawn["palette"] == theme.LIGHT


def test_every_colour_of_ink_or_paper_in_a_live_figure_can_be_repainted() -> None:
    drawn = json.loads(embed.payload(ALL))["figures"]
    used = set(re.findall(r"#[0-9a-f]{6}", json.dumps(drawn)))
    assert used <= set(theme.LIGHT.values())
    fixed = set(re.findall(r"#[0-9A-F]{6}", json.dumps(drawn)))
    assert fixed <= {*theme.COLOURS.values(), *theme.SERIES.values()}


def test_a_name_in_a_figure_is_text_and_never_mark_up() -> None:
    evil = replace(PANEL, series=(replace(SIZES, name="<b>x</b>"), replace(SIZES, name="<i>y</i>")))
    names = [trace.name for trace in figure(curves.chart(evil)).data if trace.name]
    assert names == ["&lt;b&gt;x&lt;/b&gt;", "&lt;i&gt;y&lt;/i&gt;"]
    assert "<b>x</b>" not in svg(curves.chart(evil))
    assert "<script>" not in embed.payload([replace(curves.chart(evil), title="<script>")])


def test_pages_of_equal_figures_are_equal() -> None:
    assert embed.page(ALL, title="Figures") == embed.page(ALL, title="Figures")


def test_the_name_of_a_level_covers_no_mark_and_no_curve() -> None:
    places = tuple(curves.At(float(at), 0.5 + 0.01 * at) for at in range(1, 9))
    chart = curves.chart(
        curves.Panel("p", "t", (curves.Series("a", places),), "x", "y", level=(0.56, "chance"), y_range=(0.0, 1.0))
    )
    assert [note.text for note in chart.notes] == ["chance"]
    assert covered(svg(chart)) == []
