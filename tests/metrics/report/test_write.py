"""What stands in the files of a report."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import os
import re
import resource
import subprocess
import sys
import zlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from lxml import html as lxml_html

from metrics.__main__ import main
from metrics.errors import BadInput
from metrics.figures import embed
from metrics.figures.embed import PLOTLY
from metrics.report.build import build_report
from metrics.report.formats.csv import slugs
from metrics.report.formats.data_columns import format_decimal
from metrics.report.formats.html import html
from metrics.report.formats.write import write_report
from metrics.report.records import FlagFacts, ReportInput, SelectionStep
from metrics.report.result import Report
from metrics.tables.delimited import safe
from tests.metrics.report.samples import NOW, study, with_truth

LACKS = {"t=1.0": (1.1, 0.1), "t=0.7": (0.2, 1.4)}
AROUND = {f"{name}-{at}" for name in ("huse-by-raters", "huse-by-texts") for at in (1, 2)}
EVIL = "<script>alert('x')</script>"


@pytest.fixture(scope="module")
def given() -> ReportInput:
    return study(LACKS)


@pytest.fixture(scope="module")
def report(given: ReportInput) -> Report:
    return build_report(given, seed=7)


@pytest.fixture(scope="module")
def folder(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report")
    write_report(report, out, now=NOW)
    return out


def page(folder: Path) -> Any:
    return lxml_html.fromstring((folder / "report.html").read_text(encoding="utf-8"))


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


def test_the_files_are_written_and_nothing_else_is_left(report: Report, tmp_path: Path) -> None:
    paths = write_report(report, tmp_path / "new", now=NOW)
    names = {"report.html", "report.json", "items.csv", "items-t=1.0.csv", "items-t=0.7.csv", "ratings.csv"}
    names |= {"huse.csv", "huse.tex", "raters.csv", "results.csv", "dictionary.csv"}
    names |= {"report.schema.json", "references.bib"}
    assert {path.name for path in paths} == names == {path.name for path in (tmp_path / "new").iterdir()}


def test_equal_input_gives_equal_bytes(given: ReportInput, folder: Path, tmp_path: Path) -> None:
    for path in write_report(build_report(given, seed=7), tmp_path, now=NOW):
        assert path.read_bytes() == (folder / path.name).read_bytes(), path.name


def test_only_the_date_differs_from_one_day_to_the_next(report: Report, folder: Path, tmp_path: Path) -> None:
    write_report(report, tmp_path, now=NOW + timedelta(days=1))
    for name in ("items.csv", "ratings.csv"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()
    differing = [
        (old, new)
        for name in ("report.html", "report.json")
        for old, new in zip(
            (folder / name).read_text().splitlines(), (tmp_path / name).read_text().splitlines(), strict=True
        )
        if old != new
    ]
    assert len(differing) == 2
    assert all("2026-11-20" in old and "2026-11-21" in new for old, new in differing)


def test_a_date_without_a_zone_is_refused(report: Report, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="time zone"):
        write_report(report, tmp_path, now=datetime(2026, 11, 20, tzinfo=UTC).replace(tzinfo=None))
    assert not list(tmp_path.iterdir())


def test_a_failure_leaves_the_old_report_whole(report: Report, folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    _, highest = limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, highest))  # no file can be larger
    try:
        with pytest.raises(OSError, match="File too large"):
            write_report(report, folder, now=NOW + timedelta(days=9))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_the_page_loads_nothing_from_anywhere(folder: Path) -> None:
    root = page(folder)
    assert not root.xpath("//@src | //@srcset | //link | //iframe | //object | //embed | //base | //form | //img")
    assert all(href.startswith("#") for href in root.xpath("//@href"))
    styles = " ".join(root.xpath("//style/text() | //@style"))
    assert "@import" not in styles
    assert "url(" not in styles


def test_the_policy_lets_exactly_the_scripts_of_the_page_run(folder: Path) -> None:
    root = page(folder)
    policy = root.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    text = (folder / "report.html").read_text(encoding="utf-8")
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    library = zlib.decompress(base64.b64decode(root.xpath("string(//script[@id='library'])"))).decode()
    assert library == PLOTLY.read_text(encoding="utf-8").strip()
    digests = {base64.b64encode(hashlib.sha256(run.encode()).digest()).decode() for run in (library, *scripts)}
    assert len(scripts) == 2
    assert set(re.findall(r"'sha256-([^']+)'", policy)) == digests
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    assert "http" not in policy


def test_without_script_every_figure_has_its_still_picture_and_words(report: Report, folder: Path) -> None:
    figures = page(folder).xpath("//figure")
    assert len(figures) == 10
    for figure in figures[:6]:
        assert figure.xpath(".//svg/@aria-label")[0] == figure.xpath("./div[@class='live']/@aria-label")[0]
        texts = 60 if figure.get("id").split("-")[1] in ("hj", "scatter") else 2
        assert len(figure.xpath(".//svg//*[self::rect or self::circle or self::path[parent::g[@class='s0']]]")) >= texts
        assert figure.xpath("string(./figcaption)")


def test_the_live_figures_are_those_of_the_page(folder: Path) -> None:
    root = page(folder)
    drawn = json.loads(embed.unpack(root.xpath("//script[@id='figures']/text()")[0]))["figures"]
    assert (
        set(drawn)
        == set(root.xpath("//@data-figure"))
        == {*("hj-by-source", "scatter-1", "scatter-2", "ratings-1", "ratings-2", "tradeoff"), *AROUND}
    )


def test_numbers_of_the_table_are_the_estimates_with_their_signatures(report: Report, folder: Path) -> None:
    shown = page(folder).xpath("//div[@id='huse']//table[1]")[0].xpath(".//span[@class='est']")
    expected = [
        getattr(result, name)
        for generator in report.generators
        for result in generator.modes.values()
        for name in ("huse", "huse_q", "huse_d", "log_prob_only")
    ]
    assert [span.get("aria-description") for span in shown] == [estimate.signature for estimate in expected]
    for span, estimate in zip(shown, expected, strict=True):
        text = f"{estimate.value:.2f} [{estimate.interval.low:.2f}, {estimate.interval.high:.2f}]".replace("-", "−")
        assert " ".join(span.text_content().split()) == text
        assert span.get("tabindex") == "0"


def test_the_page_says_what_the_intervals_are_for(folder: Path) -> None:
    (methods,) = page(folder).xpath("//p[@class='methods']")
    words = " ".join(methods.text_content().split())
    assert "Intervals of HUSE are for the expectation of the estimator at this number of texts and ratings" in words
    assert "over new texts" in words


def test_people_planned_for_a_cell_are_not_raters_planned_for_a_text(
    given: ReportInput, report: Report, folder: Path
) -> None:
    plan = replace(given, study=replace(given.study, raters_per_text=None), settings=(("evaluators_per_cell", 30),))
    by_cell = lxml_html.fromstring(html(replace(report, input=plan), now=NOW))
    people, text = "Evaluators planned per condition", "Raters planned per text"
    found = [design_facts(own) for own in (by_cell, page(folder))]
    assert [(own.get(people), own.get(text)) for own in found] == [("30", None), (None, "20")]


def design_facts(page: Any) -> dict[str, str]:
    """What the section on the design says, by its name."""
    return {one.text: one.getnext().text for one in page.xpath("//section[@id='design']//dt")}


def test_sections_stand_in_the_order_of_the_method(folder: Path) -> None:
    names = "summary paper design items raters results datasheet reproducibility limitations not-recorded"
    root = page(folder)
    assert root.xpath("//section/@id") == names.split()
    linked = [href.lstrip("#") for href in root.xpath("//nav//@href")]
    assert [key for key in linked if key in names.split()] == [key for key in names.split() if key in linked]
    assert set(linked) - set(names.split()) == {"methods", "appendix"}
    assert all(len(root.xpath(f"//*[@id='{key}']")) == 1 for key in linked)


def test_truths_stand_beside_estimates_in_page_and_json(given: ReportInput, tmp_path: Path) -> None:
    write_report(build_report(with_truth(given)), tmp_path, now=NOW)
    body = json.loads((tmp_path / "report.json").read_text())
    assert body["truth"]["t=0.7"]["expected"]["huse"] == {"value": 0.72, "error": 0.004}
    text = page(tmp_path).xpath("string(//div[@aria-label='Known truths'])")
    assert "0.61" in text
    assert "± 0.004" in text


def test_a_study_without_truth_shows_none(folder: Path) -> None:
    assert "truth" not in json.loads((folder / "report.json").read_text())
    assert not page(folder).xpath("//div[@aria-label='Known truths']")


def test_what_is_missing_is_listed_once(given: ReportInput, tmp_path: Path) -> None:
    bare = ReportInput(given.study, given.generators, given.texts)
    write_report(build_report(bare), tmp_path, now=NOW)
    root = page(tmp_path)
    assert root.text_content().count("Not recorded") == 1
    assert not root.xpath("//div[@aria-label='Money']")
    assert "Total charged; " in root.xpath("string(//section[@id='not-recorded'])")
    assert root.xpath("//ul[@class='missing']/li/@data-key")[:2] == ["ethics", "consent"]
    assert json.loads((tmp_path / "report.json").read_text())["money"]["total_cents"] is None


def test_an_unknown_question_is_not_quoted(given: ReportInput, tmp_path: Path) -> None:
    write_report(build_report(replace(given, study=replace(given.study, question=""))), tmp_path, now=NOW)
    lead = page(tmp_path).xpath("//p[@class='lead']")[0]
    assert " ".join(lead.text_content().split()).endswith("93 raters; the question they were asked is not known.")
    assert not lead.xpath(".//q")


def test_quality_rules_are_shown_with_what_they_found(given: ReportInput, tmp_path: Path) -> None:
    flagged = replace(given, flags=(FlagFacts("F9", "one answer throughout", 2, 160, 0),))
    write_report(build_report(flagged), tmp_path, now=NOW)
    cells = page(tmp_path).xpath("//section[@id='quality']//tbody/tr[1]/*/text()")
    assert cells == ["F9", "one answer throughout", "2", "160", "0"]


def test_a_script_in_a_text_is_text_everywhere(given: ReportInput, tmp_path: Path) -> None:
    texts = tuple(replace(text, body=EVIL, context=EVIL) for text in given.texts)
    evil = replace(given, texts=texts, study=replace(given.study, name=EVIL, question=EVIL))
    write_report(build_report(evil), tmp_path, now=NOW)
    source = (tmp_path / "report.html").read_text()
    assert EVIL not in source
    assert source.count("<script") == len(page(tmp_path).xpath("//script")) == 4
    assert page(tmp_path).xpath("//h1/text()") == [EVIL]


def test_warnings_are_listed_in_page_and_json(report: Report, folder: Path) -> None:
    sentences = [warn.sentence for warn in report.warnings]
    assert page(folder).xpath("//ul[@class='warnings']/li/text()") == sentences
    assert [warn["sentence"] for warn in json.loads((folder / "report.json").read_text())["warnings"]] == sentences


def test_json_holds_a_modes_block_for_each_generator(report: Report, folder: Path) -> None:
    body = json.loads((folder / "report.json").read_text())
    assert body["schema_version"] == 2
    assert datetime.fromisoformat(body["created"]) == NOW
    for generator in report.generators:
        block = body["generators"][generator.facts.name]
        assert block["n"] == 60
        for mode, result in generator.modes.items():
            huse = block["modes"][mode]["huse"]
            assert huse["value"] == result.huse.value
            assert huse["interval"]["low"] == result.huse.interval.low  # type: ignore[union-attr]
            assert set(huse) == {"value", "n", "interval", "settings", "flags", "signature"}
    assert "modes" not in body


def test_the_command_line_gives_the_same_numbers_from_the_items_of_one_generator(
    report: Report, tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for generator in report.generators:
        items = str(folder / f"items-{generator.facts.name}.csv")
        assert main(["huse", items, "--seed", "7", "--json"]) == 0
        modes = json.loads(capsys.readouterr().out)["modes"]
        for mode, result in generator.modes.items():
            assert modes[mode]["huse"]["value"] == result.huse.value
            assert modes[mode]["huse_q"]["value"] == result.huse_q.value
            assert modes[mode]["huse"]["interval"]["low"] == result.huse.interval.low  # type: ignore[union-attr]


@pytest.mark.parametrize("raters", [3, 20])
def test_items_and_ratings_together_are_exact_for_any_number_of_raters(
    raters: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = build_report(study({"only": (0.5, 0.5)}, raters=raters))
    write_report(report, tmp_path, now=NOW)
    assert main(["huse", str(tmp_path / "items.csv"), "--ratings", str(tmp_path / "ratings.csv"), "--json"]) == 0
    modes = json.loads(capsys.readouterr().out)["modes"]
    assert modes["exact"]["huse_q"]["value"] == report.generators[0].modes["exact"].huse_q.value
    assert not (tmp_path / "items-only.csv").exists()


def test_items_without_contexts_can_be_read_by_the_command_line(given: ReportInput, tmp_path: Path) -> None:
    items = tuple(replace(item, context=None) for item in given.generators[0].items)
    bare = replace(given, generators=(replace(given.generators[0], items=items),))
    write_report(build_report(bare), tmp_path, now=NOW)
    assert main(["huse", str(tmp_path / "items.csv"), "--json", "--out", str(tmp_path / "out.json")]) == 0


def test_every_row_of_the_items_says_how_its_hj_came_about(report: Report, folder: Path) -> None:
    written = rows(folder / "items.csv")
    assert len(written) == 120
    for row, judged in zip(written, (one for own in report.generators for one in own.judged), strict=True):
        assert Fraction(row["hj"]) == judged.hj == Fraction(row["hj_sum"]) / int(row["ratings"])
        assert float(row["hj_low"]) <= Fraction(row["hj"]) <= float(row["hj_high"])
        assert float(row["log_prob"]) == judged.item.log_prob


def test_excluded_judgments_stand_apart(given: ReportInput, tmp_path: Path) -> None:
    extra = replace(given.ratings[0], rater="spammer", kept=False)
    crowd = replace(given.crowd, workers=94)
    write_report(build_report(replace(given, ratings=(*given.ratings, extra), crowd=crowd)), tmp_path, now=NOW)
    assert "spammer" not in {row["rater"] for row in rows(tmp_path / "ratings.csv")}
    assert [row["rater"] for row in rows(tmp_path / "ratings-excluded.csv")] == ["spammer"]


NUMBER = re.compile(r"-?[0-9.]+(e-?[0-9]+)?")


def test_no_cell_is_a_formula(given: ReportInput, tmp_path: Path) -> None:
    texts = tuple(replace(text, body="=1+1", context="@SUM(A1)") for text in given.texts)
    ratings = tuple(replace(rating, rater=f"+{rating.rater}", label="-2+3") for rating in given.ratings)
    write_report(build_report(replace(given, texts=texts, ratings=ratings)), tmp_path, now=NOW)
    assert {row["text"] for row in rows(tmp_path / "items.csv")} == {"'=1+1"}
    for path in tmp_path.glob("*.csv"):
        for row in rows(path):
            words = [cell for cell in row.values() if cell and not NUMBER.fullmatch(cell)]
            assert not any(cell[:1] in ("=", "+", "-", "@", "\t", "\r") for cell in words)


def test_a_scale_of_half_points_is_written_as_decimals(given: ReportInput, tmp_path: Path) -> None:
    scale = tuple(replace(label, code=Fraction(label.code, 2)) for label in given.study.scale)
    half = replace(given.study, scale=scale)
    ratings = tuple(replace(rating, value=Fraction(rating.value, 2)) for rating in given.ratings)
    items = tuple(replace(item, hj=item.hj / 2) for item in given.generators[0].items if item.hj is not None)
    facts = replace(given.generators[0], items=items)
    write_report(build_report(replace(given, study=half, ratings=ratings, generators=(facts,))), tmp_path, now=NOW)
    assert "2.5" in page(tmp_path).xpath("//div[@aria-label='Scale']//td/text()")
    assert {row["value"] for row in rows(tmp_path / "ratings.csv")} <= {"0", "0.5", "1", "1.5", "2", "2.5"}
    assert json.loads((tmp_path / "report.json").read_text())["study"]["scale"][0]["code"] == 2.5


@pytest.mark.parametrize("text", ["plain", "a=b", "", "1-2", "ünïcode"])
def test_harmless_text_is_left_as_it_is(text: str) -> None:
    assert safe(text) == text


def test_csv_files_end_their_lines_with_lf_and_are_utf8(given: ReportInput, tmp_path: Path) -> None:
    texts = tuple(replace(text, body='Übung, "neu"') for text in given.texts)
    write_report(build_report(replace(given, texts=texts)), tmp_path, now=NOW)
    data = (tmp_path / "items.csv").read_bytes()
    assert b"\r" not in data
    assert "Übung".encode() in data
    assert {row["text"] for row in rows(tmp_path / "items.csv")} == {'Übung, "neu"'}


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (Fraction(17, 4), "4.25"),
        (Fraction(5), "5"),
        (Fraction(1, 3), "0.33333333333333333333"),
        (Fraction(2, 3), "0.66666666666666666667"),
        (Fraction(-1, 20), "-0.05"),
        (None, ""),
    ],
)
def test_hj_is_written_exactly_where_a_decimal_can(value: Fraction | None, written: str) -> None:
    assert format_decimal(value) == written


def test_names_of_generators_become_different_file_names() -> None:
    assert slugs(["a/b", "a b", "A-B", "..", "t=0.7"]) == ["a-b", "a-b-2", "A-B-3", "generator", "t=0.7"]


def test_file_names_keep_letters_of_every_script_and_fit_every_file_system() -> None:
    assert slugs(["生成器一号", "Ünïcødé 2", "a_b"]) == ["生成器一号", "Ünïcødé-2", "a-b"]
    long = slugs(["字" * 100, "字" * 100])
    assert long[0] != long[1]
    assert all(len(f"items-{one}.csv".encode()) <= 255 for one in long)


def test_neither_the_measures_nor_building_a_report_loads_the_drawing_library() -> None:
    code = "import sys, metrics, metrics.report.build; sys.exit('plotly' in sys.modules or 'django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_funnel_of_a_selection_is_on_the_page_and_in_the_data(given: ReportInput, tmp_path: Path) -> None:
    funnel = (
        SelectionStep(f"begins with {EVIL}", 9, 4, 5, 0, (("reference", 4, 3), ("t=0.7", 5, 2))),
        SelectionStep("cut at 5 words", 5, 1, 4, 2, (("reference", 3, 2),), "a note"),
    )
    chosen = build_report(replace(given, study=replace(given.study, selection=funnel)), seed=7)
    write_report(chosen, tmp_path, now=NOW)
    page = lxml_html.parse(str(tmp_path / "report.html"))
    table = page.xpath('//section[@id="items"]//table[contains(caption, "Selection of texts")]')[0]
    assert [[cell.text_content() for cell in row] for row in table.xpath(".//tr")] == [
        ["Rule", "Before", "Removed", "Cut", "After", "reference after", "t=0.7 after"],
        [f"begins with {EVIL}", "9", "4", "–", "5", "3", "2"],
        ["cut at 5 words (a note)", "5", "1", "2", "4", "2", "0"],
    ]
    data = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert [step["after"] for step in data["study"]["selection"]] == [5, 4]


def test_a_name_that_this_system_cannot_write_is_told_and_nothing_is_left(tmp_path: Path) -> None:
    told = (
        "from metrics.report.formats.write import write_files; import pathlib, sys; "
        "write_files(pathlib.Path(sys.argv[1]), {chr(0x751f): b''})"
    )
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "-c", told, str(tmp_path)],
        cwd=Path(__file__).parents[3],
        env=ascii_only,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "names of files are written in ascii here" in done.stderr
    assert not list(tmp_path.iterdir())
