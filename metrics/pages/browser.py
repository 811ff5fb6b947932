"""A browser of near-negative tests with the likelihoods of both candidates (Laban et al. 2022, Tables A1 to A3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from metrics.data.number_format import DASH, estimate, interval, number
from metrics.errors import BadInput
from metrics.nnd.administer import Administered, Outcome
from metrics.nnd.rates import PassRate, PassRates
from metrics.pages.frame import page

SHOWN = 200

Which = Literal["failed", "passed", "tied", "all"]
STYLE = (
    ".test{display:grid;grid-template-columns:1fr 1fr;gap:4px 24px;padding:8px 0;border-bottom:1px solid var(--grid)}"
    ".test>div{overflow-wrap:anywhere;white-space:pre-line}.side{font-size:13px;color:var(--quiet);display:block}"
    "@media (max-width:600px){.test{grid-template-columns:1fr}}"
    "details{margin:4px 0}summary{cursor:pointer;padding:4px 0;overflow-wrap:anywhere}"
    "@media print{.test{break-inside:avoid}summary{break-after:avoid}}"
    ".context{white-space:pre-line;overflow-wrap:anywhere;max-width:76ch}"
)


@dataclass(frozen=True, slots=True)
class Selection:
    """Which tests to show: by outcome, by category (None: all), and how many at most (a cut is named on the page)."""

    which: Which = "all"
    category: str | None = None
    max_tests: int = SHOWN


def select_outcomes(administered: Administered, selection: Selection) -> list[Outcome]:
    """The chosen outcomes, the lowest gap (worst failures) first. Raises BadInput for a category no test has."""
    if selection.which not in ("failed", "passed", "tied", "all") or selection.max_tests < 1:
        raise BadInput("choose failed, passed, tied or all, and at least one test", column="which")
    if selection.category is not None and selection.category not in administered.tests.by_category:
        raise BadInput(f"no test has the category {selection.category!r}", column="category")
    selected = [outcome for outcome in administered.outcomes if _is_selected(outcome, selection)]
    return sorted(selected, key=lambda outcome: outcome.gap)


def browser_page(administered: Administered, rates: PassRates, selection: Selection | None = None) -> str:
    """One HTML file: the pass rates, then the chosen tests by context with both likelihoods (nats per token)."""
    chosen = selection or Selection()
    outcomes = select_outcomes(administered, chosen)
    shown = outcomes[: chosen.max_tests]
    cut = (
        f" The first {len(shown)} of {len(outcomes)} follow, the lowest gap first."
        if len(outcomes) > len(shown)
        else ""
    )
    which = "" if chosen.which == "all" else f"{chosen.which} "
    of_category = "" if chosen.category is None else f" of {chosen.category}"
    what = f"{which}{'test' if len(outcomes) == 1 else 'tests'}{of_category}"
    head = f"<p>{len(outcomes)} {escape(what)}.{cut} LL is the mean log-probability of a token, in nats.</p>"
    if administered.left_out:
        head += f'<p class="warn">{administered.left_out} tests without a score are excluded.</p>'
    body = "\n".join((_rates(rates), head, *_by_context(shown)))
    return page(f"Near-negative tests: {administered.model or 'unnamed model'}", body, STYLE)


def _is_selected(outcome: Outcome, selection: Selection) -> bool:
    if selection.category is not None and selection.category not in outcome.test.categories:
        return False
    states = {"all": True, "passed": outcome.passed, "failed": not outcome.passed, "tied": outcome.tied}
    return states[selection.which]


def _rates(rates: PassRates) -> str:
    rows = [_rate("All tests", rates.overall), *(_rate(name, rate) for name, rate in rates.by_category.items())]
    return (
        '<div class="scroll"><table><caption>Pass rates; intervals in brackets are for new contexts.</caption><thead>'
        '<tr><th scope="col">Category</th><th class="n" scope="col">n</th><th scope="col">Pass rate</th>'
        '<th scope="col">Wilson</th><th class="n" scope="col">Ties</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _rate(name: str, rate: PassRate) -> str:
    signature = escape(rate.estimate.signature, quote=True)
    return (
        f'<tr><th scope="row">{escape(name)}</th><td class="n">{rate.estimate.n}</td>'
        f'<td title="{signature}">{escape(estimate(rate.estimate, 3))}</td>'
        f'<td>{escape(interval(rate.wilson, 3))}</td><td class="n">{rate.ties}</td></tr>'
    )


def _by_context(outcomes: Sequence[Outcome]) -> list[str]:
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.test.context_id, []).append(outcome)
    return [_context(name, group) for name, group in groups.items()]


def _context(name: str, outcomes: Sequence[Outcome]) -> str:
    text = outcomes[0].test.high.context
    first = f"{escape(text[:120])}{'...' if len(text) > 120 else ''}" if text else "no text"
    paragraph = f'<p class="context">{escape(text)}</p>' if text else ""
    tests = "".join(_test(outcome) for outcome in outcomes)
    return f"<section><details><summary><b>{escape(name)}</b> {first}</summary>{paragraph}</details>{tests}</section>"


def _test(outcome: Outcome) -> str:
    word = "tie" if outcome.tied else "passed" if outcome.passed else "failed"
    test = outcome.test
    mark = "✓" if outcome.passed else "✗"
    left = f"{mark} {word} · better, {escape(test.high.label)} · LL {number(outcome.high, 3)}"
    right = f"worse, {escape(test.combination)} · LL {number(outcome.low, 3)}"
    return (
        f'<div class="test"><div><span class="side">{left}</span>{_text(test.high.text)}</div>'
        f'<div><span class="side">{right}</span>{_text(test.low.text)}</div></div>'
    )


def _text(text: str | None) -> str:
    return DASH if text is None else escape(text)
