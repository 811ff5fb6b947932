"""A study from elsewhere: names from right to left, signs that LaTeX and HTML read as commands, pictures as letters."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from metrics.report.build import build_report
from metrics.report.result import Report
from tests.metrics.report.samples import study

SIGNS = "50%_#1 & ~^\\{x}"
HEBREW, ARABIC = "\u05de\u05d5\u05d3\u05dc", "\u0646\u0645\u0648\u0630\u062c"
NAMES = (f"{HEBREW} {SIGNS}", f"{ARABIC}-2 \U0001f642 a-very-long-name/with_parts" + "x" * 40)


@cache
def report() -> Report:
    records = study({NAMES[0]: (0.4, 0.6), NAMES[1]: (0.2, 0.3)}, texts=12, raters=4)
    facts = replace(records.study, name=f"{HEBREW} <b>{SIGNS}</b>", question=f"{HEBREW} “{{output}}”? {SIGNS} <i>")
    crowd = replace(records.crowd, provider=f"{ARABIC} {SIGNS}", ethics=f"{HEBREW} {SIGNS}", consent=SIGNS)
    texts = tuple(replace(text, body=f"{text.body} {HEBREW} {SIGNS} \U0001f642") for text in records.texts)
    return build_report(replace(records, study=facts, crowd=crowd, texts=texts), k=5)
