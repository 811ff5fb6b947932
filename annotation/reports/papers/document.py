"""A paper as parts, written as Markdown, HTML or Word (DOCX)."""

from __future__ import annotations

import html
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from docx import Document
from docx.shared import Cm, Pt

ZIP_DAY = (1980, 1, 1, 0, 0, 0)
STYLE = (
    "@page{size:A4;margin:22mm 20mm}body{font:11pt/1.5 Georgia,'Times New Roman',serif;color:#1a1a1a;max-width:44em;"
    "margin:0 auto}h1{font-size:20pt;line-height:1.2;margin:0 0 .3em}h2{font-size:14pt;margin:1.4em 0 .3em}"
    "h3{font-size:11pt;margin:1em 0 .1em}h2,h3{break-after:avoid}p{margin:.3em 0 .6em}ul{margin:.3em 0 .6em;"
    "padding-left:1.3em}li{margin:.15em 0}.quiet{color:#555;font-size:9.5pt;overflow-wrap:anywhere}"
    ".new{break-before:page}"
)


@dataclass(frozen=True, slots=True)
class PaperPart:
    """A heading with what stands below it. level: 2 or 3. starts_page: of the printed paper."""

    title: str
    paragraphs: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    level: int = 2
    starts_page: bool = False


@dataclass(frozen=True, slots=True)
class PaperDocument:
    """A paper. notes: what it is, its version, its digest. at: the day in its file."""

    title: str
    language: str
    at: datetime
    notes: tuple[str, ...]
    parts: tuple[PaperPart, ...]

    def markdown(self) -> str:
        """The paper as Markdown."""
        lines = [f"# {self.title}", "", *(f"*{note}*  " for note in self.notes), ""]
        for part in self.parts:
            lines += [f"{'#' * part.level} {part.title}", ""]
            lines += [line for text in part.paragraphs for line in (_plain(text), "")]
            lines += [*(f"- {_plain(item)}" for item in part.items), *([""] if part.items else [])]
        return "\n".join(lines).rstrip() + "\n"

    def html(self) -> str:
        """The paper as a page to print: no script, no address outside."""
        body = [f"<h1>{html.escape(self.title)}</h1>", *(f'<p class="quiet">{html.escape(n)}</p>' for n in self.notes)]
        for part in self.parts:
            new = ' class="new"' if part.starts_page else ""
            body.append(f"<h{part.level}{new}>{html.escape(part.title)}</h{part.level}>")
            body += [f"<p>{_with_breaks(text)}</p>" for text in part.paragraphs]
            if part.items:
                body.append("<ul>" + "".join(f"<li>{_with_breaks(item)}</li>" for item in part.items) + "</ul>")
        title = html.escape(self.title)
        return (
            f'<!doctype html><html lang="{self.language}"><head><meta charset="utf-8"><title>{title}</title>'
            f"<style>{STYLE}</style></head><body>{''.join(body)}</body></html>"
        )

    def docx(self) -> bytes:
        """The paper as a Word file: the same bytes for the same paper."""
        document = Document()
        section = document.sections[0]
        section.page_width, section.page_height = Cm(21), Cm(29.7)
        section.left_margin = section.right_margin = Cm(2.2)
        document.styles["Normal"].font.size = Pt(11)
        properties = document.core_properties
        properties.title, properties.author, properties.comments = self.title, "Assay", ""
        properties.language = self.language
        properties.created = properties.modified = self.at.astimezone(UTC).replace(tzinfo=None, microsecond=0)
        document.add_heading(self.title, 0)
        for note in self.notes:
            run = document.add_paragraph().add_run(note)
            run.italic, run.font.size = True, Pt(9)
        for part in self.parts:
            heading = document.add_heading(part.title, part.level - 1)
            heading.paragraph_format.page_break_before = part.starts_page
            for text in part.paragraphs:
                document.add_paragraph(text)
            for item in part.items:
                document.add_paragraph(item, style="List Bullet")
        out = io.BytesIO()
        document.save(out)
        return _undated(out.getvalue())


def _undated(content: bytes) -> bytes:
    """The same archive without the times at which its parts were written."""
    out = io.BytesIO()
    with ZipFile(io.BytesIO(content)) as source, ZipFile(out, "w", ZIP_DEFLATED) as target:
        for entry in source.infolist():
            target.writestr(ZipInfo(entry.filename, ZIP_DAY), source.read(entry), ZIP_DEFLATED)
    return out.getvalue()


def _plain(text: str) -> str:
    """A paragraph of Markdown: what could be read as markup is escaped, lines stay apart."""
    escaped = "".join(f"\\{letter}" if letter in "\\`*_[]<>#|" else letter for letter in text)
    return "  \n".join(line.strip() for line in escaped.splitlines())


def _with_breaks(text: str) -> str:
    return "<br>".join(html.escape(line) for line in text.splitlines())


def sentences(parts: Iterable[PaperPart]) -> Sequence[str]:
    """Every paragraph and item, in order."""
    return [text for part in parts for text in (*part.paragraphs, *part.items)]
