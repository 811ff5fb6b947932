"""BibTeX of the methods that a report used."""

from __future__ import annotations

from collections.abc import Iterable

from metrics.report.result import Report
from metrics.report.sections import condition_assignment, equivalence

ENTRIES: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "hashimoto2019huse": (
        "inproceedings",
        (
            ("author", "Hashimoto, Tatsunori B. and Zhang, Hugh and Liang, Percy"),
            ("title", "Unifying Human and Statistical Evaluation for Natural Language Generation"),
            ("booktitle", "Proceedings of NAACL-HLT 2019"),
            ("pages", "1689--1701"),
            ("year", "2019"),
        ),
    ),
    "clark2021human": (
        "inproceedings",
        (
            (
                "author",
                "Clark, Elizabeth and August, Tal and Serrano, Sofia and Haduong, Nikita and Gururangan, Suchin and "
                "Smith, Noah A.",
            ),
            ("title", "All That's `Human' Is Not Gold: Evaluating Human Evaluation of Generated Text"),
            ("booktitle", "Proceedings of ACL-IJCNLP 2021"),
            ("year", "2021"),
        ),
    ),
    "laban2022nnd": (
        "inproceedings",
        (
            ("author", "Laban, Philippe and Wu, Chien-Sheng and Liu, Wenhao and Xiong, Caiming"),
            ("title", "Near-Negative Distinction: Giving a Second Life to Human Evaluation Datasets"),
            ("booktitle", "Proceedings of EMNLP 2022"),
            ("year", "2022"),
        ),
    ),
    "cano2020human": (
        "article",
        (
            ("author", "{\\c{C}}ano, Erion and Bojar, Ond{\\v{r}}ej"),
            ("title", "Human or Machine: Automating Human Likeliness Evaluation of {NLG} Texts"),
            ("journal", "arXiv preprint arXiv:2006.03189"),
            ("year", "2020"),
        ),
    ),
    "krippendorff2011alpha": (
        "techreport",
        (
            ("author", "Krippendorff, Klaus"),
            ("title", "Computing Krippendorff's Alpha-Reliability"),
            ("institution", "University of Pennsylvania"),
            ("year", "2011"),
        ),
    ),
    "lakens2017equivalence": (
        "article",
        (
            ("author", 'Lakens, Dani{\\"e}l'),
            ("title", "Equivalence Tests: A Practical Primer for t Tests, Correlations, and Meta-Analyses"),
            ("journal", "Social Psychological and Personality Science"),
            ("volume", "8"),
            ("number", "4"),
            ("pages", "355--362"),
            ("year", "2017"),
        ),
    ),
    "zhou2016pitfall": (
        "article",
        (
            ("author", "Zhou, Haotian and Fishbach, Ayelet"),
            (
                "title",
                "The Pitfall of Experimenting on the Web: How Unattended Selective Attrition Leads to Surprising "
                "(Yet False) Research Conclusions",
            ),
            ("journal", "Journal of Personality and Social Psychology"),
            ("volume", "111"),
            ("number", "4"),
            ("pages", "493--504"),
            ("year", "2016"),
        ),
    ),
    "newcombe1998interval": (
        "article",
        (
            ("author", "Newcombe, Robert G."),
            (
                "title",
                "Interval estimation for the difference between independent proportions: comparison of eleven methods",
            ),
            ("journal", "Statistics in Medicine"),
            ("volume", "17"),
            ("number", "8"),
            ("pages", "873--890"),
            ("year", "1998"),
        ),
    ),
    "belz2025heds": (
        "inproceedings",
        (
            ("author", "Belz, Anya and Thomson, Craig"),
            ("title", "{HEDS} 3.0: The Human Evaluation Data Sheet Version 3.0"),
            ("booktitle", "Proceedings of the Fourth Workshop on Generation, Evaluation and Metrics (GEM2)"),
            ("pages", "60--81"),
            ("year", "2025"),
        ),
    ),
    "karpinska2021perils": (
        "inproceedings",
        (
            ("author", "Karpinska, Marzena and Akoury, Nader and Iyyer, Mohit"),
            ("title", "The Perils of Using {Mechanical Turk} to Evaluate Open-Ended Text Generation"),
            ("booktitle", "Proceedings of EMNLP 2021"),
            ("year", "2021"),
        ),
    ),
    "vanderlee2019best": (
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
    ),
}
ALWAYS = ("belz2025heds", "karpinska2021perils", "vanderlee2019best")
BY_SECTION = {
    "huse": "hashimoto2019huse",
    "human-or-machine": "clark2021human",
    "nnd": "laban2022nnd",
    "automatic": "cano2020human",
    "agreement": "krippendorff2011alpha",
}
BY_TABLE = {
    equivalence.TABLE: ("lakens2017equivalence",),
    condition_assignment.TABLE: ("zhou2016pitfall", "newcombe1998interval"),
}


def keys(report: Report) -> tuple[str, ...]:
    """Keys of what the report used, in the order of its sections."""
    used = [BY_SECTION[section.key] for section in report.sections if section.key in BY_SECTION and section.recorded]
    tables = [table.name for section in report.sections for table in section.tables]
    return (*used, *(key for name in tables for key in BY_TABLE.get(name, ())), *ALWAYS)


def bibtex(report: Report) -> str:
    """The entries, one block each. Ends with LF."""
    return entries(keys(report))


def entries(keys: Iterable[str]) -> str:
    """Those entries, one block each. Ends with LF."""
    return "\n".join(_entry(key) for key in keys)


def _entry(key: str) -> str:
    kind, fields = ENTRIES[key]
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields)
    return f"@{kind}{{{key},\n{lines}}}\n"
