"""BibTeX of the methods that a report used: what its sections cite, and what every report does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from metrics.report.result import Report
from metrics.report.section import Reference, Section

BELZ = Reference(
    "belz2025heds",
    "inproceedings",
    (
        ("author", "Belz, Anya and Thomson, Craig"),
        ("title", "{HEDS} 3.0: The Human Evaluation Data Sheet Version 3.0"),
        ("booktitle", "Proceedings of the Fourth Workshop on Generation, Evaluation and Metrics (GEM2)"),
        ("pages", "60--81"),
        ("year", "2025"),
    ),
)
KARPINSKA = Reference(
    "karpinska2021perils",
    "inproceedings",
    (
        ("author", "Karpinska, Marzena and Akoury, Nader and Iyyer, Mohit"),
        ("title", "The Perils of Using {Mechanical Turk} to Evaluate Open-Ended Text Generation"),
        ("booktitle", "Proceedings of EMNLP 2021"),
        ("year", "2021"),
    ),
)
VANDERLEE = Reference(
    "vanderlee2019best",
    "inproceedings",
    (
        (
            "author",
            "van der Lee, Chris and Gatt, Albert and van Miltenburg, Emiel and Wubben, Sander and Krahmer, Emiel",
        ),
        ("title", "Best practices for the human evaluation of automatically generated text"),
        ("booktitle", "Proceedings of INLG 2019"),
        ("year", "2019"),
    ),
)
ALWAYS = (BELZ, KARPINSKA, VANDERLEE)


def cited(report: Report) -> tuple[Reference, ...]:
    """What the report cites, in the order of its sections, each once."""
    return tuple(dict.fromkeys((*cited_by(report.sections), *ALWAYS)))


def cited_by(sections: Sequence[Section]) -> tuple[Reference, ...]:
    """What the sections cite, each once."""
    return tuple(dict.fromkeys(reference for section in sections for reference in section.references))


def bibtex(report: Report) -> str:
    """The entries, one block each. Ends with LF."""
    return entries(cited(report))


def entries(references: Iterable[Reference]) -> str:
    """Those entries, one block each. Ends with LF."""
    return "\n".join(_entry(reference) for reference in references)


def _entry(reference: Reference) -> str:
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in reference.fields)
    return f"@{reference.entry_type}{{{reference.key},\n{lines}}}\n"
