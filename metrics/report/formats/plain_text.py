"""The report's table as plain text for a terminal: at most 100 columns."""

from __future__ import annotations

from textwrap import wrap

from metrics.data.number_format import SPACE
from metrics.report.pay import for_whom
from metrics.report.records import KnownValue, Truth
from metrics.report.result import GeneratorReport, Report
from metrics.report.sections import answer
from metrics.report.wording import NOT_RECORDED, duration, estimate, known, money, number, plural
from metrics.tables.huse import interval_targets

NAME, CELL, TRUTH, LABEL = 16, 20, 8, 9
MEASURES = (("huse", "HUSE"), ("huse_q", "HUSE-Q"), ("huse_d", "HUSE-D"))


def table(report: Report) -> str:
    """Estimates with intervals, with the truths where known, then n, raters, cost and wage. Ends with LF."""
    lines = [*_answer(report), *_huse(report)] if report.generators else list(report.verdicts)
    return "\n".join([*lines, "", *_facts(report), ""])


def _answer(report: Report) -> list[str]:
    """The sentence that leads the results, in lines of at most 100 columns."""
    sentences = [line for section in report.sections if section.key == answer.KEY for line in section.lead]
    return [*(_ascii(line) for sentence in sentences for line in wrap(sentence, 100)), *([""] if sentences else [])]


def _huse(report: Report) -> list[str]:
    truths = any(generator.facts.truth for generator in report.generators)
    head = "generator".ljust(NAME) + "".join(title.ljust(CELL) for _, title in MEASURES)
    head += "L*".rjust(TRUTH) + "L(phi)".rjust(TRUTH) if truths else ""
    lines = [head.rstrip(), "-" * len(head.rstrip())]
    for generator in report.generators:
        lines += _generator(generator, truths)
    return lines


def _generator(generator: GeneratorReport, truths: bool) -> list[str]:
    exact, truth = generator.modes["exact"], generator.facts.truth
    cells = [_ascii(estimate(getattr(exact, measure))) for measure, _ in MEASURES]
    line = _fitted(generator.facts.name) + "".join(cell.ljust(CELL) for cell in cells)
    if truths:
        line += _value(truth.l_star if truth else None) + _value(truth.l_phi if truth else None)
    return [line.rstrip(), *([_expected(truth)] if truth else [])]


def _expected(truth: Truth) -> str:
    values = (truth.huse, truth.huse_q, truth.huse_d)
    return ("  E[estimator]".ljust(NAME) + "".join(f"{_ascii(number(v.value))}".ljust(CELL) for v in values)).rstrip()


def _value(value: KnownValue | None) -> str:
    return ("-" if value is None else number(value.value)).rjust(TRUTH)


def _fitted(name: str) -> str:
    return (name if len(name) < NAME else f"{name[: NAME - 4]}...").ljust(NAME)


def _facts(report: Report) -> list[str]:
    report_input = report.input
    texts = sum(row.mean.n for row in report.sources) or len(report_input.texts)
    no_ratings = "0" if report_input.ratings else "unknown"  # a mean says not how many ratings it is of
    counts = report.ratings_per_text
    raters = ", ".join(f"{count or no_ratings} on {plural(number, 'text')}" for count, number in counts)
    people = f"raters: {known(report.raters)}, assignments: {known(report_input.crowd.submitted)}"
    seconds = report_input.money.median_seconds
    wage = report_input.money.wage_cents
    per_hour = (
        NOT_RECORDED if wage is None else f"{money(wage, report_input.money.currency)} per hour{for_whom(report_input)}"
    )
    return [
        f"n        {texts} texts rated{_in_huse(report)}",
        f"ratings  {raters}; {people}",
        f"cost     {money(report_input.money.total_cents, report_input.money.currency)}",
        f"wage     {per_hour}" + ("" if seconds is None else f" (median {duration(seconds)} per assignment)"),
        f"settings k = {report.k}, exact ties, {report.level:.0%} intervals, seed {report.seed}",
        *_targets(report),
    ]


def _targets(report: Report) -> list[str]:
    """What the intervals are for, in lines of at most 100 columns."""
    targets = "; or the ".join(interval_targets(generator.modes["exact"] for generator in report.generators))
    lines = wrap(f"of HUSE, for the {targets}", 100 - LABEL) if targets else []
    return ["interval".ljust(LABEL) * (at == 0) + " " * LABEL * (at > 0) + line for at, line in enumerate(lines)]


def _in_huse(report: Report) -> str:
    return "".join(
        f"{'; ' if at == 0 else ', '}{generator.facts.name}: {generator.n}"
        for at, generator in enumerate(report.generators)
    ) + (" in HUSE" if report.generators else "")


def _ascii(text: str) -> str:
    return text.replace("−", "-").replace("–", "-").replace(SPACE, " ")
