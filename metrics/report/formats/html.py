"""The report as one HTML file: no network, no framework; readable without script, on paper, and by a screen reader."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from metrics.figures import embed, huse_scatter
from metrics.figures.chart import Chart
from metrics.report import wording
from metrics.report.checklists.unrecorded import list_unrecorded
from metrics.report.formats import figures, html_to_text
from metrics.report.formats.csv import main_table
from metrics.report.formats.isolation import isolate_words
from metrics.report.paper.page import compose_page
from metrics.report.pay import arms_by_reward, describe_rewards, for_whom
from metrics.report.prose import shortened
from metrics.report.prose.methods import asks_who_wrote, describe_extras, describe_scales
from metrics.report.prose.page_sentences import page_sentences
from metrics.report.records import TextRow
from metrics.report.result import MEASURES, TITLES, JudgedText, Report
from metrics.report.section import Section
from metrics.report.sections import exclusions, submissions
from metrics.tables.huse import interval_targets
from metrics.tables.markup import halve_title, hold_words, table_html
from metrics.tables.record import Table
from metrics.types import MODEL, REFERENCE, Estimate, Item

TEMPLATES = Path(__file__).parent / "templates"
SHOWN_TEXTS = 500  # rows of the list of texts in the page; all of them are in items.csv
MANY_ROWS = 12  # from which on a table of results is folded
SHOWN_ROWS = 500  # of a table of results
SHOWN_DAYS = 40
JSON = "report.json"  # holds every row of every table
LONGEST_PART = 30  # letters of a part of a signature, which fit on a line
HEADING = re.compile(r"(</?h)([2-4])\b")
CLAUSE = re.compile(r"[;:,.](?=\s|$)(?![^(]*\))")  # not within brackets
NO_AMOUNT = "not what raters were paid: see how raters were paid"
Contents = Sequence[tuple[str, str]]
CONTENTS = (
    ("summary", "Summary"),
    ("methods", "Methods"),
    ("appendix", "Appendix"),
    ("design", "Design"),
    ("items", "Items"),
    ("raters", "Raters and money"),
    ("quality", "Quality"),
    ("results", "Results"),
    ("datasheet", "Datasheet"),
    ("reproducibility", "Reproducibility"),
    ("limitations", "Warnings"),
)


def html(
    report: Report,
    *,
    now: datetime,
    hashes: Mapping[str, str] | None = None,
    pictures: Mapping[str, bytes] | None = None,
) -> str:
    """The whole page. `now` (aware) is printed as the day it was made, and nowhere else.

    hashes: SHA-256 of the data files by name. pictures: PNG of pages as raters saw them, by the page's name.
    """
    charts = figures.charts(report)
    page = compose_page(report, charts)
    rest = [chart for chart in figures.headline(report) if chart not in page.charts]
    texts, days = _texts(report), report.days
    varied = any(section.key == exclusions.KEY and section.tables for section in report.sections)
    excluded = any(table.name.endswith("-exclusions") for section in report.sections for table in section.tables)
    worked = any(section.key == submissions.KEY for section in report.sections)
    context: dict[str, Any] = {
        **page_context(f"{report.input.study.name}: evaluation report", CONTENTS, charts, now=now),
        "page": page,
        "page_figures": [Markup(render_figure(chart)) for chart in page.charts],  # noqa: S704 - escaped by element()
        "page_table": Markup(table_html(page.table)) if page.table else "",  # noqa: S704 - escaped by table_html()
        "report": report,
        "given": report.input,
        "study": report.input.study,
        "raters": report.raters,
        "said": page_sentences(report),
        "figures": [Markup(render_figure(chart)) for chart in rest],  # noqa: S704 - escaped by element() and render_figure()
        "parts": [render_part(section, page.charts) for section in report.sections if section.key != submissions.KEY],
        "work_parts": [render_part(section) for section in report.sections if section.key == submissions.KEY],
        "items_part": render_part(report.items),
        "study_asks_who": asks_who_wrote(report.input),
        "extras": describe_extras(report.input.study),
        "scales": describe_scales(report.input),
        "rewards": describe_rewards(report.input) or (NO_AMOUNT if report.input.crowd.pays else ""),
        "for_whom": for_whom(report.input),
        "one_reward": len(arms_by_reward(report.input)) < 2,
        "many": MANY_ROWS,
        "source_rows": _source_rows(report),
        "texts": texts[:SHOWN_TEXTS],
        "number_of_texts": len(texts),
        "cut_texts": shortened.count_texts_shown(SHOWN_TEXTS, len(texts), "items.csv"),
        "days": days[:SHOWN_DAYS],
        "cut_days": shortened.count_further_days(len(days) - SHOWN_DAYS),
        "main_table": Markup(_main_table(report)),  # noqa: S704 - escaped by table_html()
        "targets": interval_targets(generator.modes["exact"] for generator in report.generators),
        "signatures": _signatures(report),
        "units": huse_scatter.UNITS,
        "pages": html_to_text.show_pages(report.input.pages, pictures or {}),
        "hashes": sorted((hashes or {}).items()),
        "varied": varied,
        "has_quality": report.input.flags is not None or bool(report.input.quality) or varied or excluded or worked,
        "excluded": excluded,
        "list_unrecorded": list_unrecorded,
    }
    rendered = environment().get_template("report.html").render(context)
    return isolate_words(_without_dead_links(rendered))


def _without_dead_links(page: str) -> str:
    """The page, its contents naming only the sections that it has."""
    for key, name in CONTENTS:
        if f' id="{key}"' not in page:
            page = page.replace(f'<li><a href="#{key}">{escape(name)}</a></li>\n', "", 1)
    return page


def page_context(title: str, contents: Contents, charts: Sequence[Chart], *, now: datetime) -> dict[str, Any]:
    """Return the context of every page: head, list of contents (id, words), figures and scripts."""
    scripts = _scripts()
    return {
        "title": title,
        "contents": contents,
        "now": now,
        "policy": embed.policy(scripts),
        "library": Markup(embed.packed_library()),  # noqa: S704 - base64
        "scripts": [Markup(script) for script in scripts],  # noqa: S704 - our own files and Plotly's
        "style": Markup(_style()),  # noqa: S704 - our own file
        "payload": Markup(embed.packed_payload(charts)),  # noqa: S704 - base64
    }


def _scripts() -> tuple[str, ...]:
    """This page's figures, the sorting of tables."""
    return (embed.script(), (TEMPLATES.parent / "sorting.js").read_text(encoding="utf-8").strip())


def _main_table(report: Report) -> str:
    return table_html(replace(main_table(report), notes=()), group=True) if report.generators else ""


def render_part(section: Section, shown: Sequence[Chart] = (), file: str = JSON) -> dict[str, Any]:
    """A part of the results as the templates take it. shown: figures elsewhere on the page; file: with all rows."""
    charts = [chart for chart in figures.several(section.charts) if chart not in shown]
    return {
        "key": section.key,
        "title": section.title,
        "lead": section.lead,
        "recorded": section.recorded,
        "missing": section.missing,
        "figures": [Markup(render_figure(chart)) for chart in charts],  # noqa: S704 - escaped by element()
        "tables": [_table(table, file) for table in section.tables],
    }


def _table(table: Table, file: str) -> dict[str, Any]:
    """The table as HTML; a very long one shows its first rows and says where the others are."""
    cut = shortened.shorten_table(table.without_empty_columns(), SHOWN_ROWS, file)
    html = Markup(table_html(cut, sortable=True))  # noqa: S704 - escaped by table_html()
    return {"title": table.title, "rows": len(table.rows), "html": html}


def environment() -> Environment:
    """The templates, with the filters that write values for people."""
    loader = FileSystemLoader(TEMPLATES, encoding="utf-8")
    result = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.do"],
    )
    result.globals["unknown"] = []  # names of facts that are not recorded, of the section that is being written
    for name in ("number", "interval", "estimate", "money", "duration", "moment", "known", "plural", "bind_values"):
        result.filters[name] = getattr(wording, name)
    result.filters["halve_title"] = lambda title: Markup(halve_title(title))  # noqa: S704 - escaped
    result.filters["hold_words"] = _hold_words
    result.filters["hold_parts"] = _hold_parts
    result.filters["lower_headings"] = _lower_headings
    return result


def _hold_words(sentence: object) -> Markup:
    """The sentence, escaped, what is read as one word each on one line."""
    return Markup(hold_words(str(sentence)))  # noqa: S704 - escaped


def _hold_parts(signature: str) -> Markup:
    """The signature, escaped: a line may end behind a bar, and within a part only where the part is a line too long."""
    parts = (
        f'<span class="whole">{escape(part)}</span>'
        if {"-", " "} & set(part) and len(part) <= LONGEST_PART
        else escape(part)
        for part in signature.split("|")
    )
    return Markup("|<wbr>".join(parts))  # noqa: S704 - escaped


def _lower_headings(part: Markup) -> Markup:
    """The part of a page, its headings one rank below that of the whole part."""
    lowered = HEADING.sub(lambda found: f"{found[1]}{int(found[2]) + 1}", part)
    return Markup(lowered)  # noqa: S704 - a rendered template, in which every `<` of text is escaped


def _style() -> str:
    """Palettes, figures, text and tables."""
    return embed.style() + (TEMPLATES / "report.css").read_text(encoding="utf-8")


def render_figure(chart: Chart) -> str:
    """A figure with its words: what is drawn, not the numbers that it shows."""
    words = f"<b>{escape(chart.title)}</b>. {hold_words(wording.bind_values(chart.legend_words))}"
    return embed.element(chart, words)


def _source_rows(report: Report) -> list[dict[str, Any]]:
    """What the items are, by source: counts, lengths, log-probabilities, contexts."""
    rows = []
    for generator in report.generators:
        for source, name in ((REFERENCE, f"reference, under {generator.facts.name}"), (MODEL, generator.facts.name)):
            items = [item for item in generator.facts.items if item.source == source]
            rates = [item.log_prob / item.length for item in items if _finite(item)]  # type: ignore[operator]
            rows.append(
                {
                    "name": name,
                    "n": len(items),
                    "contexts": len({item.context for item in items if item.context is not None}) or None,
                    "length": sum(item.length for item in items) / len(items) if items else None,
                    "rate": sum(rates) / len(rates) if rates else None,
                    "unit": huse_scatter.UNITS.get(generator.facts.length_unit, generator.facts.length_unit),
                    "zero": sum(item.log_prob == float("-inf") for item in items),
                    "missing": sum(item.log_prob is None for item in items),
                }
            )
    return rows or _unscored_rows(report.input.texts)


def _unscored_rows(texts: Sequence[TextRow]) -> list[dict[str, Any]]:
    """Return the same of texts without log-probabilities, as where evaluators judge who wrote a text."""
    side = {text.id: text.generator or "reference" for text in texts}
    rows = []
    for name in sorted(set(side.values()), key=lambda name: (name != "reference", name)):
        texts_of_source = [text for text in texts if side[text.id] == name]
        rows.append(
            {
                "name": name,
                "n": len(texts_of_source),
                "contexts": len({text.context_id for text in texts_of_source if text.context_id is not None}) or None,
                "length": sum(len(text.body.split()) for text in texts_of_source) / len(texts_of_source),
                "rate": None,
                "unit": huse_scatter.UNITS["whitespace"],
                "zero": None,
                "missing": len(texts_of_source),
            }
        )
    return rows


def _finite(item: Item) -> bool:
    return item.log_prob is not None and item.log_prob != float("-inf")


def _texts(report: Report) -> list[dict[str, Any]]:
    """Every text once, as judged; a reference has one log p a generator, so it is shown with one generator only."""
    rows = {text.id: text for text in report.input.texts}
    several = len(report.generators) > 1
    seen: dict[str, dict[str, Any]] = {}
    for generator in report.generators:
        for judged in generator.judged:
            if judged.item.id not in seen:
                name = "reference" if judged.item.source == REFERENCE else generator.facts.name
                hide = several and judged.item.source == REFERENCE
                seen[judged.item.id] = {
                    "name": name,
                    "text": rows[judged.item.id],
                    "hj": None if judged.hj is None else float(judged.hj),
                    "rate": None if hide else _rate(judged),
                    "ratings": judged.ratings,
                    "interval": judged.interval,
                }
    return list(seen.values()) if report.generators else _counted_texts(report)


def _counted_texts(report: Report) -> list[dict[str, Any]]:
    """Every text with the number of kept answers about it, on whatever was asked first."""
    included = [rating for rating in report.input.ratings if rating.kept]
    first = included[0].criterion if included else ""
    # Several labels of one answer count once.
    answers = {(rating.unit, rating.text, rating.partner) for rating in included if rating.criterion == first}
    counts = Counter(text for _, *texts in answers for text in texts)
    bare = {"hj": None, "rate": None, "interval": None}
    return [
        {**bare, "name": text.generator or "reference", "text": text, "ratings": counts[text.id]}
        for text in report.input.texts
    ]


def _rate(judged: JudgedText) -> float | None:
    return None if judged.item.log_prob is None else judged.item.log_prob / judged.item.length


def _signatures(report: Report) -> list[tuple[str, Mapping[str, str]]]:
    """For each generator and mode, the line that identifies each number."""
    out: list[tuple[str, Mapping[str, str]]] = []
    for generator in report.generators:
        for mode, result in generator.modes.items():
            out.append(
                (f"{generator.facts.name}, {mode}", _once((TITLES[name], getattr(result, name)) for name in MEASURES))
            )
    if report.sources:
        out.append(("HJ by source", _once((row.name, row.mean) for row in report.sources)))
    return [*out, *section_signatures(report.sections)]


def section_signatures(sections: Sequence[Section]) -> list[tuple[str, Mapping[str, str]]]:
    """For each table, the lines that identify its numbers, each once."""
    out: list[tuple[str, Mapping[str, str]]] = []
    for section in sections:
        for table in section.tables:
            if lines := _once(table.estimates()):
                out.append((CLAUSE.split(table.title)[0], lines))
    return out


def _once(named: Iterable[tuple[str, Estimate]]) -> Mapping[str, str]:
    """Each line by the name of the first number that it identifies."""
    first: dict[str, str] = {}
    for name, estimate in named:
        first.setdefault(estimate.signature, name)
    return {name: line for line, name in first.items()}
