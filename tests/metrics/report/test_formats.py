"""A report in every format: it reads back, validates, compiles, prints with its fonts, differs by a date alone."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
import subprocess
import zipfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import jsonschema
import pytest
from lxml import html as lxml_html
from pypdf import PdfReader

from metrics import evaluate_judgments
from metrics.errors import BadInput
from metrics.figures.images import NoBrowser
from metrics.report.build import build_report
from metrics.report.formats.figures import charts
from metrics.report.formats.html import CLAUSE, html
from metrics.report.formats.html_to_text import take_pictures
from metrics.report.formats.json import payload, read
from metrics.report.formats.json_schema import document_schema
from metrics.report.formats.latex import render_document as latex_document
from metrics.report.formats.latex import render_figures
from metrics.report.formats.write import write_report
from metrics.report.record_codec import decode, encode
from metrics.report.records import ReportInput, ScaleLabel
from metrics.report.result import Report
from metrics.report.row_records import Attached, PageFacts
from metrics.report.sections.external_scores import kind_of
from metrics.report.sections.judgments import judgments
from tests.metrics.report.evaluators_study import PAGE, evaluators
from tests.metrics.report.samples import NOW, study, with_rules, with_truth

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
needs_chromium = pytest.mark.skipif(not CHROMIUM.is_file(), reason="no Chromium")


@pytest.fixture(scope="module")
def typicality() -> Report:
    given = with_rules(with_truth(study({"t=1.0": (1.1, 0.1), "t=0.7": (0.2, 1.4)})))
    odd = replace(given.texts[0], body="標題 “日本語” עברית Ünï & 50% $x_1$ \\end{table} #")
    gone = replace(given.ratings[0], rater="spammer", kept=False)
    crowd = replace(given.crowd, workers=None)
    known = replace(given, texts=(odd, *given.texts[1:]), ratings=(*given.ratings, gone), crowd=crowd)
    return build_report(known, seed=7)


@pytest.fixture(scope="module")
def told_apart() -> Report:
    return build_report(evaluators(), seed=7)


@pytest.fixture(scope="module")
def folder(told_apart: Report, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("evaluators")
    write_report(told_apart, out, now=NOW, formats=("html", "json", "csv", "latex"))
    return out


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


def document(report: Report) -> dict:
    return json.loads(json.dumps(payload(report, now=NOW), allow_nan=False))


@pytest.mark.parametrize("name", ["typicality", "told_apart"])
def test_the_json_fits_its_schema_and_gives_the_same_report_again(name, request) -> None:
    report = request.getfixturevalue(name)
    told, schema = document(report), document_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(told)
    assert read(told) == report.input
    assert document(build_report(read(told), seed=7)) == told


def test_the_schema_refuses_a_field_too_many_and_one_too_few(told_apart: Report) -> None:
    validator = jsonschema.Draft202012Validator(document_schema())
    told = document(told_apart)
    for broken in ({**told, "more": 1}, {name: part for name, part in told.items() if name != "study"}):
        assert not validator.is_valid(broken)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d["data"]["ratings"]["rows"][3].__setitem__(3, "x/y"), "ratings, row 4"),
        (lambda d: d["data"]["ratings"]["columns"].__setitem__(0, "who"), "no column 'who'"),
        (lambda d: d["study"].__setitem__("hits", "8"), "study.hits: a whole number was expected"),
        (lambda d: d["study"].__setitem__("mode", "guess"), "study.mode: one of"),
        (lambda d: d["data"].pop("texts"), "texts"),
        (lambda d: d.__setitem__("schema_version", 99), "version 99"),
        (lambda d: d.pop("data"), "not a report of Assay"),
    ],
)
def test_a_broken_report_is_refused_by_its_place(told_apart: Report, change, words: str) -> None:
    told = document(told_apart)
    change(told)
    with pytest.raises(BadInput, match=re.escape(words)):
        read(told)


def test_a_mean_of_three_ratings_stays_exact() -> None:
    given = study({"only": (0.5, 0.5)}, raters=3)
    again = decode(ReportInput, json.loads(json.dumps(encode(given))))
    assert again == given
    assert any(item.hj.denominator == 3 for item in again.generators[0].items)


def test_minus_infinity_comes_back() -> None:
    given = study({"only": (0.5, 0.5)})
    items = (replace(given.generators[0].items[0], log_prob=float("-inf")), *given.generators[0].items[1:])
    endless = replace(given, generators=(replace(given.generators[0], items=items),))
    assert decode(ReportInput, json.loads(json.dumps(encode(endless), allow_nan=False))) == endless


# --- human or machine ---


def test_the_table_of_evaluators_holds_what_the_measures_give(told_apart: Report) -> None:
    section = next(one for one in told_apart.sections if one.key == "human-or-machine")
    found = evaluate_judgments(judgments(told_apart.input), ["training"])
    table = section.tables[0]
    columns = {column.key: at for at, column in enumerate(table.columns)}
    shown = {row[columns["training"]]: row for row in table.rows}
    for name, condition in found.conditions.items():
        row = shown[name.split("=")[-1]]
        assert row[columns["accuracy"]] == condition.accuracy.accuracy
        assert row[columns["f1"]].value == condition.accuracy.f1.value
        assert row[columns["human"]].value == condition.accuracy.percent_human.value


def test_an_excluded_answer_is_in_no_number(told_apart: Report, folder: Path) -> None:
    assert len(judgments(told_apart.input)) == 115
    assert len(rows(folder / "judgments.csv")) == 115


def test_a_part_of_the_method_is_there_where_it_applies_and_absent_elsewhere(told_apart: Report, folder: Path) -> None:
    root = lxml_html.parse(str(folder / "report.html")).getroot()
    parts = root.xpath("//div[@class='part']/@id")
    assert parts == ["answer", "human-or-machine", "explanations", "agreement", "pooled-judgments"]
    absent = ("HUSE", "Sensitivity to exclusions", "HJ and corpus frequency", "Near-negative distinction")
    titles = root.xpath("//section[@id='results']//h4/text()")
    assert not [title for title in absent if title in titles]
    assert "Welch" in root.xpath("string(//div[@id='human-or-machine'])")


def test_the_page_that_raters_saw_is_in_the_report_without_its_script(folder: Path) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "Who wrote this?" in text
    assert "no()" not in text


def test_completeness_counts_what_is_there(told_apart: Report) -> None:
    absent = {one.item for one in told_apart.checklist if not one.recorded}
    assert absent == set()
    bare = ReportInput(told_apart.input.study, (), told_apart.input.texts, told_apart.input.ratings)
    absent = {one.item for one in build_report(bare).checklist if not one.recorded}
    assert absent == {"Qualifications of raters", "Pay", "Exclusions", "Interface", "Ethics and consent"}


# --- files ---


def test_no_cell_runs_as_a_formula(folder: Path) -> None:
    row = rows(folder / "comments.csv")[0]
    assert row["comment"] == '\'=HYPERLINK("x")'


def test_the_page_tells_the_hash_of_each_data_file(folder: Path) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    for path in folder.glob("*.csv"):
        assert hashlib.sha256(path.read_bytes()).hexdigest() in text


def test_results_hold_every_estimate_with_n_interval_and_signature(typicality: Report, tmp_path: Path) -> None:
    write_report(typicality, tmp_path, now=NOW, formats=("csv",))
    found = rows(tmp_path / "results.csv")
    main = [row for row in found if row["table"] == "huse" and row["column"] == "huse"]
    assert len(main) == 4
    assert all(row["n"] == "60" and row["low"] and row["signature"].startswith("huse|") for row in main)
    signed = {line for section in typicality.sections for table in section.tables for line in table.signatures}
    assert signed <= {row["signature"] for row in found}


def test_a_format_that_there_is_not_and_pdf_without_a_browser_are_refused(told_apart: Report, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="a format is one of"):
        write_report(told_apart, tmp_path, now=NOW, formats=("docx",))
    with pytest.raises(NoBrowser, match="needs a Chromium"):
        write_report(told_apart, tmp_path, now=NOW, formats=("pdf",))
    assert not list(tmp_path.iterdir())


@needs_chromium
def test_two_exports_are_equal_but_for_the_date_and_the_pdf_carries_its_fonts_and_repeats_heads_of_tables(
    tmp_path: Path,
) -> None:
    given = evaluators()
    texts = tuple(replace(text, id=f"{text.id}-{at}") for at in range(4) for text in given.texts)
    ratings = tuple(replace(rating, text=f"{rating.text}-{at}") for at in range(4) for rating in given.ratings)
    facts = replace(given.study, texts_per_hit=len(texts))
    told_apart = build_report(replace(given, study=facts, texts=texts, ratings=ratings), seed=7)
    for name, when in (("a", NOW), ("b", NOW), ("c", NOW + timedelta(days=1))):
        formats = ("pdf", "zip") if name != "c" else ("html", "json", "csv")
        write_report(told_apart, tmp_path / name, now=when, formats=formats, chromium=CHROMIUM, sandbox=False)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path.name
    content = (tmp_path / "a" / "report.pdf").read_bytes()
    places = {int(number) for number in re.findall(rb"\(node(\d{8})\)", content)}
    assert places == set(range(1, len(places) + 1)), "Chromium's own numbers differ between prints on a busy machine"
    # A font is embedded by its file, or (Type3) by its drawings.
    assert content.count(b"/FontFile2") + content.count(b"/Subtype /Type3") >= 2
    fonts = re.findall(rb"/Subtype /(Type0|Type1|TrueType)\b", content)
    assert len(fonts) == len(re.findall(rb"/FontFile[23]?\b", content))
    # A table that can be sorted, of 80 rows.
    pages = [" ".join(page.extract_text().split()) for page in PdfReader(tmp_path / "a" / "report.pdf").pages]
    assert sum("Text Written by Right Ratings" in page for page in pages) > 1
    with zipfile.ZipFile(tmp_path / "a" / "report.zip") as packed:
        crate = json.loads(packed.read("ro-crate-metadata.json"))
        files = [entry for entry in crate["@graph"] if entry["@type"] == "File"]
        assert {entry["@id"] for entry in files} == set(packed.namelist()) - {"ro-crate-metadata.json"}
        for entry in files:
            assert hashlib.sha256(packed.read(entry["@id"])).hexdigest() == entry["sha256"]
        for name in ("items.csv", "judgments.csv"):
            assert packed.read(name) == (tmp_path / "c" / name).read_bytes()


def test_the_latex_compiles_alone_whatever_the_texts_say(typicality: Report, tmp_path: Path) -> None:
    if os.environ.get("CI") is None and subprocess.run(["which", "pdflatex"], capture_output=True).returncode:
        pytest.skip("no pdflatex")
    write_report(typicality, tmp_path, now=NOW, formats=("latex",))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "study.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "study.pdf").stat().st_size > 20_000


def test_a_figure_of_many_generators_has_a_sentence_that_latex_can_set(typicality: Report, tmp_path: Path) -> None:
    if os.environ.get("CI") is None and subprocess.run(["which", "pdflatex"], capture_output=True).returncode:
        pytest.skip("no pdflatex")
    told = "; ".join(f"generator number {at} 3.03 [2.25, 3.81], n = 6" for at in range(100))
    body = "\n".join(render_figures([replace(charts(typicality)[0], caption=told)]))
    assert "generator number 99" in body
    without_picture = re.sub(r"\\includegraphics.*", r"\\rule{1cm}{1cm}", body)
    (tmp_path / "study.tex").write_text(latex_document("A", "B", [without_picture]))
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "study.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]


# --- numbers from files ---


def rates() -> dict:
    estimate = {"value": 0.6, "n": 5, "interval": None, "settings": {}, "flags": [], "signature": "nnd|n:5"}
    counts = {"passed": 3, "failed": 2, "ties": 1, "contexts": 4, "wilson": None, "bootstrap": None}
    model = {"model": "tiny", "overall": {**estimate, **counts}, "by_category": {"grammar": {**estimate, **counts}}}
    return {"schema_version": 1, "models": [model], "comparisons": [], "curve": []}


def test_near_negative_tests_handed_over_stand_in_their_part() -> None:
    given = replace(evaluators(), attached=(Attached("nnd", "nnd.json", "0" * 64, rates()),))
    section = next(one for one in build_report(given).sections if one.key == "nnd")
    assert [row[1] for row in section.tables[0].rows] == ["all tests", "grammar"]
    assert section.tables[0].rows[0][2].value == 0.6


def test_a_file_that_is_neither_is_refused() -> None:
    with pytest.raises(BadInput, match="neither"):
        kind_of({"schema_version": 1})
    assert kind_of(rates()) == "nnd"


def test_a_code_below_zero_has_a_minus_sign() -> None:
    asked = study({"t=1.0": (1.0, 0.0)})
    scale = (ScaleLabel("Worse", -1), ScaleLabel("Better", 1))
    page = lxml_html.fromstring(html(build_report(replace(asked, study=replace(asked.study, scale=scale))), now=NOW))
    codes = page.xpath('//section[@id="design"]//table[caption][.//th="Code"]//td[@class="n"]/text()')
    assert codes == ["\u22121", "1"]


def test_the_words_of_a_page_are_its_text(told_apart: Report) -> None:
    from metrics.report.formats.html_to_text import text_of_html

    assert text_of_html(PAGE) == "Who wrote this?\n読む שלום"


@needs_chromium
def test_a_page_from_elsewhere_shows_no_file_of_this_machine(tmp_path: Path) -> None:
    """The picture is the same whatever stands in the file that the page tries to show; its script may write."""
    secret, taken = tmp_path / "secret.html", []
    address = secret.as_uri()
    ways = f"<iframe src='{address}'></iframe><object data='{address}'></object><embed src='{address}'>"
    for colour in ("red", "lime"):
        secret.write_text(f"<body style='background:{colour}'>secret")
        taken.append(
            take_pictures((PageFacts("page", "The task", f"<p>hello</p>{ways}"),), CHROMIUM, sandbox=False)["page"]
        )
    assert taken[0] == taken[1]
    plain = PageFacts("page", "The task", "<p id=p>hello</p>")
    written = replace(plain, html=plain.html + "<script>document.getElementById('p').textContent='other'</script>")
    before, after = (take_pictures((one,), CHROMIUM, sandbox=False)["page"] for one in (plain, written))
    assert before != after


def test_the_name_of_a_result_ends_with_its_first_clause_but_not_within_brackets() -> None:
    assert CLAUSE.split("Correlations of texts (same source, same id), by rank.")[0].endswith("(same source, same id)")
    assert CLAUSE.split("HUSE by other choices, one changed at a time.")[0] == "HUSE by other choices"
