"""The paper page: one page of two columns, no box too wide, each of ten questions answered on it or one link away."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import html as lxml_html
from lxml.html import HtmlElement
from playwright.sync_api import Browser

from metrics.report.build import build_report
from metrics.report.formats import figures
from metrics.report.formats.html import html
from metrics.report.formats.paper_latex import METHODS, PACKAGES, PAGE, TABLE, paper_files
from metrics.report.paper.page import MAX_FIGURES, compose_page
from metrics.report.records import ReportInput
from metrics.report.result import Report
from metrics.report.row_records import Attached
from tests.annotation.reports.round_trips import ESTIMATE, SCORES
from tests.browsing import beyond_paper, fresh, sideways
from tests.metrics.report import stranger
from tests.metrics.report.headings import count_not_recorded, empty_headings
from tests.metrics.report.kinds_of_study import KINDS, LONG, page_of, report_of
from tests.metrics.report.latex import ENGINES, blank_pdf, compile_tex, needs, overfull, pages
from tests.metrics.report.samples import NOW

MAX_OVERFULL = 1.0  # points
MAX_WORDS = 1500


def files_of(name: str) -> dict[str, str]:
    return pieces_of(report_of(name), name)


def pieces_of(report: Report, name: str) -> dict[str, str]:
    charts = figures.charts(report)
    return paper_files(compose_page(report, charts), name=name, charts=charts, has_figures=bool(charts))


# pdflatex prints codes for letters that its fonts lack: of such a page see test_strangers.
STRANGERS: dict[str, Callable[[], dict[str, Report]]] = {
    "pdflatex": dict,
    "lualatex": lambda: {"stranger": stranger.report()},
    "xelatex": lambda: {"stranger": stranger.report()},
}


def test_there_are_over_twelve_kinds_and_among_them_every_task() -> None:
    tasks = {report_of(name).input.study.task for name in KINDS}
    assert len(KINDS) > 12
    assert {"which_machine", "direct_assessment", "document_rating", "error_labels"} <= tasks


@pytest.mark.parametrize("engine", ENGINES)
def test_each_kind_fits_one_page_of_two_columns_and_no_box_is_wider_than_its_column(
    engine: str, tmp_path: Path
) -> None:
    """All kinds in one run, each from a page of its own: as many pages as kinds if each has one."""
    needs(engine)
    bodies, head = [], ""
    reports = {**{name: report_of(name) for name in KINDS}, **STRANGERS[engine]()}
    for at, (name, report) in enumerate(reports.items()):
        heights = [chart.height for chart in figures.charts(report)]
        pieces = pieces_of(report, name)
        (tmp_path / f"k{at}-figures.pdf").write_bytes(blank_pdf(heights or [100]))
        for file, text in pieces.items():
            (tmp_path / f"k{at}-{file}").write_text(text.replace("{figures.pdf}", f"{{k{at}-figures.pdf}}"))
        head, _, body = pieces[PAGE].partition(r"\begin{document}")
        body = body.partition(r"\bibliographystyle")[0]
        bodies.append(body.replace(r"\input{", rf"\input{{k{at}-").replace(r"\label{", rf"\label{{k{at}-"))
    # That of the stranger, who comes last, has the commands for other scripts.
    commands = head.replace(r"\documentclass[10pt,twocolumn]{article}", r"\documentclass{acl-like}").replace(
        PACKAGES, ""
    )
    document = commands + r"\begin{document}" + r"\clearpage".join(bodies) + r"\end{document}"
    (tmp_path / "all.tex").write_text(document)
    log = compile_tex(tmp_path, "all.tex", engine)
    assert [points for points in overfull(log) if points > MAX_OVERFULL] == []
    assert pages(log) == len(reports)
    assert "Missing character" not in log


def test_the_page_compiles_alone_with_its_references(tmp_path: Path) -> None:
    needs("pdflatex")
    charts = figures.charts(report_of("typicality"))
    (tmp_path / "figures.pdf").write_bytes(blank_pdf([chart.height for chart in charts]))
    for file, text in files_of("typicality").items():
        (tmp_path / file).write_text(text)
    log = compile_tex(tmp_path, PAGE, "pdflatex")
    assert (pages(log), [points for points in overfull(log) if points > MAX_OVERFULL]) == (1, [])


def test_a_table_wider_than_a_column_is_found(tmp_path: Path) -> None:
    """The check itself: what the report's full table did in a column."""
    needs("pdflatex")
    wide = r"\begin{tabular}{llllll}" + " & ".join(["0.53 [0.41, 0.65]"] * 6) + r"\\\end{tabular}"
    (tmp_path / "wide.tex").write_text(rf"\documentclass{{acl-like}}\begin{{document}}{wide}\end{{document}}")
    assert max(overfull(compile_tex(tmp_path, "wide.tex", "pdflatex"))) > 100


def test_every_kind_has_a_verdict_in_words() -> None:
    """Of labels alone, too; files of scores are results, although no person rated anything."""
    verdicts = {name: " ".join(report_of(name).verdicts) for name in KINDS}
    assert all(verdicts.values())
    assert not [name for name, words in verdicts.items() if "missing_hj" in words]
    assert "The most frequent label (error) was “No Error” for the references" in verdicts["error labels"]
    assert "no results" in verdicts["unrated"]
    assert "no results" not in verdicts["near-negative"]


@pytest.mark.parametrize("name", KINDS)
def test_there_is_one_table_and_at_most_two_figures(name: str) -> None:
    files = files_of(name)
    tables = sum(text.count(r"\begin{table}") for text in files.values())
    drawn = sum(text.count(r"\begin{figure}") for text in files.values())
    assert tables == (TABLE in files) <= 1
    assert drawn == sum(file.startswith("paper-figure") for file in files) <= MAX_FIGURES
    for file in set(files) - {PAGE}:
        assert files[PAGE].count(rf"\input{{{file.removesuffix('.tex')}}}") == 1, "each piece is read once"


@pytest.mark.parametrize(
    ("room", "before", "notes"),
    [(8, "comparison, tiny", ()), (7, "examples, tiny", ("The appendix has 2 more rows.",))],
)
def test_a_table_of_many_conditions_keeps_the_row_of_all_of_them(
    monkeypatch: pytest.MonkeyPatch, room: int, before: str, notes: tuple[str, ...]
) -> None:
    """Of 8 conditions and all: a single row more takes no more room than the note on it."""
    monkeypatch.setattr("metrics.report.paper.table.MAX_ROWS", room)
    table = compose_page(report_of("evaluators"), ()).table
    assert table is not None
    assert [row[0] for row in table.rows][-2:] == [before, "all"]
    assert table.notes == notes


def test_the_tie_mode_is_said_once() -> None:
    """Of HUSE it decides the value, so that a reader must know it; said twice, it could be said otherwise."""
    said = "".join(text for file, text in files_of("typicality").items() if file != PAGE)
    assert len(re.findall(r"\bties\b", said.replace("\n", " "))) == 1
    assert "ties by exact arithmetic" in files_of("typicality")[METHODS].replace("\n", " ")
    assert shown_paper("typicality").count(" ties ") == 1


# --- the page as shown ---


def tree_of(name: str) -> HtmlElement:
    return lxml_html.document_fromstring(page_of(name))


def text_of(element: HtmlElement) -> str:
    """What is read of it: no scripts, no closed details, no pictures' own words."""
    copied = lxml_html.fromstring(lxml_html.tostring(element))
    for hidden in copied.xpath("//script | //style | //details | //svg"):
        hidden.drop_tree()
    return " ".join(copied.text_content().split())


def shown_paper(name: str) -> str:
    """The page without its appendix."""
    tree = tree_of(name)
    return " ".join(text_of(tree.get_element_by_id(key)) for key in ("summary", "paper"))


def linked(name: str) -> str:
    """What one link from the page leads to: every section of the appendix that the list of contents names."""
    tree = tree_of(name)
    keys = [link.get("href").removeprefix("#") for link in tree.xpath("//nav//a")]
    return " ".join(text_of(tree.get_element_by_id(key)) for key in keys)


def raters(given: ReportInput) -> str:
    return f"judged by {given.crowd.workers or len({rating.rater for rating in given.ratings})} rater".lower()


def per_text(given: ReportInput) -> str:
    people = {(rating.text, rating.criterion, rating.rater) for rating in given.ratings if rating.kept}
    counts = Counter((text, criterion) for text, criterion, _ in people)
    low, high = min(counts.values()), max(counts.values())
    return f"received {low}" if low == high else f"received {low} to {high}"


# Ten questions that reviewers ask, with patterns of what answers each: the study's own number or a whole clause, or the
# entry among what is missing where nobody has stated it.
QUESTIONS: dict[str, Callable[[ReportInput], str]] = {
    "how many raters": lambda given: re.escape(raters(given)),
    "how many for each text": lambda given: re.escape(per_text(given)),
    "who are they": lambda given: r"took part through|\d raters took part|who the raters are:|recruitment:",
    "paid what": lambda given: r"the reward was [\d.]+|volunteers and were paid nothing|payment:|raters were paid",
    "assigned how": lambda given: (
        "mixing and order of sources|conditions were assigned at random|assignment to arms (?:was not random|is)"
    ),
    "left out why": lambda given: (
        r"\d (?:\([\d.]+%\) )?(?:was|were) excluded|no rater, assignment or item was excluded|"
        r"excluded from the analysis;"
    ),
    "agreement": lambda given: r"krippendorff.s (?:α|alpha)",
    "interval of what": lambda given: "intervals of huse are for|% intervals over|% interval is for",
    "which tie mode": lambda given: "ties by exact arithmetic",
    "planned before": lambda given: "the plan was|planned, as|plan of the study:",
}
# Words of a page that answers nothing.
VAGUE = "raters judged texts; hits, payment, excluded work, intervals, ties and the plan received attention"


def answers(words: str, name: str, question: str) -> bool:
    pattern = QUESTIONS[question](KINDS[name]())
    return re.search(pattern, words.lower().replace("simulated raters", "raters")) is not None


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("name", ["typicality", "evaluators", "scales", "likert", "bare"])
def test_each_question_is_answered_on_the_page_or_one_link_from_it(name: str, question: str) -> None:
    asked = question != "which tie mode" or bool(KINDS[name]().generators)
    assert answers(f"{shown_paper(name)} {linked(name)}", name, question) is asked
    assert not answers(VAGUE, name, question), "words that a page has in any case are no answer"


@pytest.mark.parametrize("name", KINDS)
def test_the_page_without_its_appendix_has_at_most_1500_words(name: str) -> None:
    assert len(shown_paper(name).split()) <= MAX_WORDS


@pytest.mark.parametrize("name", KINDS)
def test_the_first_screen_has_verdict_figure_and_key_facts_where_there_are_any(name: str) -> None:
    first = tree_of(name).get_element_by_id("summary")
    report = report_of(name)
    assert len(first.xpath(".//ul[@class='verdicts']/li")) == len(report.verdicts)
    assert len(first.xpath(".//figure")) == min(1, len(figures.charts(report)))
    facts = {text_of(term): text_of(term.getnext()) for term in first.iter("dt")}
    assert facts["Texts"] == str(len(report.input.texts))
    if report.input.ratings:
        assert any(label.endswith("aters") for label in facts)


# --- the appendix ---


@pytest.mark.parametrize("name", KINDS)
def test_page_and_appendix_have_no_empty_heading_and_say_not_recorded_once(name: str) -> None:
    assert empty_headings(page_of(name)) == []
    assert count_not_recorded(page_of(name)) <= 1


def test_a_criterion_is_named_in_words_wherever_it_is_read() -> None:
    shown = text_of(tree_of("documents"))
    assert "for quality of the document; " in shown
    assert "quality_of_the_document" not in shown


EMPTY_HEADINGS = {
    "the end of its section": "<section><h2>Scale</h2> <dl> </dl></section><p>More.</p>",
    "a heading of its rank": "<h3>Scale</h3><h3>Raters</h3><p>Three.</p>",
    "a heading of a higher rank": "<h3>Scale</h3><h2>Raters</h2><p>Three.</p>",
    "nothing in its part": "<div><h3>Scale</h3></div><div><h3>Raters</h3><p>Three.</p></div>",
}


@pytest.mark.parametrize("followed", EMPTY_HEADINGS)
def test_an_empty_heading_is_found(followed: str) -> None:
    assert empty_headings(EMPTY_HEADINGS[followed]) == ["Scale"]


def test_scores_of_a_file_without_any_text_are_a_report_that_says_so() -> None:
    scores = {**SCORES, **dict.fromkeys(("h", "u", "m", "mean_fp"), ESTIMATE)}
    alone = replace(
        KINDS["nothing but texts"](), texts=(), attached=(Attached("automatic", "h.json", "0" * 64, scores),)
    )
    page = html(build_report(alone), now=NOW)
    assert empty_headings(page) == []
    assert count_not_recorded(page) <= 1
    shown = text_of(lxml_html.document_fromstring(page))
    for words in ("No text is recorded.", "the results are those of h.json.", "Fp 0.4; not calibrated"):
        assert words in shown
    assert "no ratings yet" not in shown


def test_a_second_not_recorded_is_found_in_a_fold_as_well() -> None:
    page = "<p>Not recorded: the scale.</p><details><p>Pay: not  recorded.</p></details><script>not recorded</script>"
    assert count_not_recorded(page) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_no_fold_is_inside_another_of_the_same_title(kind: str) -> None:
    for fold in lxml_html.document_fromstring(page_of(kind)).xpath("//details//details"):
        title = fold.findtext("summary")
        assert title not in [outer.findtext("summary") for outer in fold.iterancestors("details")]


def test_labels_above_rows_of_a_figure_are_no_longer_than_a_phone_is_wide() -> None:
    """In Chromium, a long name of 52 letters with a number ended 16 pixels beyond a screen of 360."""
    likert = KINDS["likert"]()
    texts = tuple(replace(text, generator=text.generator and LONG) for text in likert.texts)
    charts = figures.charts(build_report(replace(likert, texts=texts), k=5))
    charts += figures.charts(report_of("one generator of a long name"))
    labels = [note.text for chart in charts for note in chart.notes if "…" in note.text]
    assert len(labels) > 3
    assert [label for label in labels if len(label) > 46] == []


def test_a_report_does_not_scroll_sideways_and_none_of_its_tables_is_wider_than_the_paper(browser: Browser) -> None:
    """Evaluators have the widest tables. Without its script the page has the same words and tables at once."""
    with fresh(browser, java_script_enabled=False) as context:
        page = context.new_page()
        page.set_content(page_of("evaluators"))
        for width in (360, 768, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            assert sideways(page) == 0, width
        assert beyond_paper(page) == []
        page.evaluate("document.querySelectorAll('.part td').forEach(cell => { cell.style.minWidth = '12ch'; })")
        assert beyond_paper(page), "a table that is too wide is seen"
