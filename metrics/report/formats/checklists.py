"""HEDS 3.0 and the responsible NLP checklist as JSON, Markdown and LaTeX, filled from the facts of the report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby

from metrics.report.checklists.heds import Entry, count_answered
from metrics.report.checklists.responsible_nlp import fill_checklist
from metrics.report.result import Report
from metrics.tables import scripts
from metrics.tables.column import prose

OPEN = "To be answered by the authors."
TITLES = {
    "heds": ("Human evaluation datasheet", "After HEDS 3.0 (Belz and Thomson, 2025), in our words."),
    "responsible-nlp": ("Responsible NLP checklist", "After the checklist of ACL Rolling Review, in our words."),
}


def checklist_files(report: Report) -> dict[str, str]:
    """Name and content of each file."""
    limits = [*(warn.sentence for warn in report.warnings), *report.limits]
    filled = {"heds": report.sheet, "responsible-nlp": fill_checklist(report.input, limits)}
    files = {}
    for name, entries in filled.items():
        files[f"{name}.json"] = _json(name, entries)
        files[f"{name}.md"] = _markdown(name, entries)
        files[f"{name}.tex"] = _latex(name, entries)
    return files


def _json(name: str, entries: Sequence[Entry]) -> str:
    title, source = TITLES[name]
    rows = [{"part": entry.part, "question": entry.question, "answer": entry.answer} for entry in entries]
    document = {"title": title, "source": source, "answered": count_answered(tuple(entries)), "entries": rows}
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _markdown(name: str, entries: Sequence[Entry]) -> str:
    title, source = TITLES[name]
    lines = [f"# {title}", "", source, f"Answered: {count_answered(tuple(entries))}.", ""]
    for part, members in groupby(entries, key=lambda entry: entry.part):
        lines += [f"## {part}", ""]
        for entry in members:
            lines += [f"**{entry.question}**", "", _quoted(entry.answer) if entry.answer else f"*{OPEN}*", ""]
    return "\n".join(lines)


def _quoted(answer: str) -> str:
    """The answer as a quotation, in which nothing is a heading, a list or HTML."""
    safe = answer.replace("\\", "\\\\")
    for sign in "*_`[]<>#|":
        safe = safe.replace(sign, f"\\{sign}")
    return "\n".join(f"> {line}".rstrip() for line in safe.splitlines())


def _latex(name: str, entries: Sequence[Entry]) -> str:
    r"""A section for an appendix: `\input` it."""
    title, source = TITLES[name]
    lines = [rf"\section{{{title}}}", source, ""]
    for part, members in groupby(entries, key=lambda entry: entry.part):
        lines += [rf"\subsection*{{{prose(part)}}}", r"\begin{description}"]
        for entry in members:
            lines.append(rf"\item[{{{prose(entry.question)}}}] {prose(entry.answer or OPEN)}")
        lines += [r"\end{description}", ""]
    body = "\n".join(lines)
    return scripts.command_preamble(body) + body
