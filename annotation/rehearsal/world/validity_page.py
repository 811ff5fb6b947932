"""The demo's part of `docs/validity.md`: the truths and the coverage of the intervals as tables."""

from __future__ import annotations

from collections.abc import Iterable

from .truths import Truth, Truths

TITLES = {"huse": "HUSE", "huse_q": "HUSE-Q", "huse_d": "HUSE-D"}

HEAD = """\
## The demo's world

The rehearsal world knows the probability of every headline under the reference and under the model, so three truths
can be compared with an estimate. They are different numbers:

- **L\\*** = 1 - TV(p_ref, p_model): what the best judge with any features would leave.
- **L(phi)**: twice the Bayes error on (log p_model a token, expected label code over honest raters), and the same on
  the label code alone for HUSE-Q; HUSE-D is 1 + L(phi) - that.
- **E[estimator]**: the mean of the estimator itself over studies of this size. This is what the intervals are for.
"""


def page(truths: Truths) -> str:
    """The whole page as Markdown."""
    return "\n".join([HEAD, _setting(truths), _truth_table(truths), _coverage_table(truths), _cell_table(truths)])


def _setting(truths: Truths) -> str:
    d = truths.design
    return (
        f"Each study: {d.references} references and {d.generated} headlines at each temperature, "
        f"{d.ratings} raters a text out of a crowd of {d.crowd} ({d.spam_share:.0%} spammers), "
        f"{d.texts_per_hit} texts a HIT, k = {d.k}, exact ties. Texts are independent draws; repeats stay in.\n"
        f"Expectations: {truths.studies} studies. Intervals: {truths.coverage_studies} others, method "
        f"`{truths.interval}` with {truths.draws} draws. L* and L(phi): {truths.texts_per_source:,} texts of each "
        f"source. Seed {truths.seed}. Monte-Carlo standard errors follow ±.\n"
    )


def _truth_table(truths: Truths) -> str:
    rows = [
        [
            f"{truth.temperature:.1f}",
            title,
            _number(truth.l_star.value, truth.l_star.se) if name == "huse" else "",
            _number(truth.l_phi[name].value, truth.l_phi[name].se),
            _number(truth.expected[name].value, truth.expected[name].se),
            f"{truth.expected[name].sd:.3f}",
        ]
        for truth in truths.temperatures
        for name, title in TITLES.items()
    ]
    head = ["t", "measure", "L*", "L(phi)", "E[estimator]", "sd of one study"]
    return "### The three truths\n\n" + _table(head, rows)


def _coverage_table(truths: Truths) -> str:
    levels = sorted(truths.temperatures[0].expected["huse"].coverage)
    head = ["t", "measure", *(f"{float(level):.0%} covers | mean half-width" for level in levels)]
    rows = [
        [f"{truth.temperature:.1f}", title, *_coverage_cells(truth, name, levels)]
        for truth in truths.temperatures
        for name, title in TITLES.items()
    ]
    return "### How often the intervals hold E[estimator]\n\n" + _table(head, rows)


def _coverage_cells(truth: Truth, name: str, levels: Iterable[str]) -> list[str]:
    expected = truth.expected[name]
    return [
        f"{100 * expected.coverage[level].value:.1f} ± {100 * expected.coverage[level].se:.1f}% | "
        f"{expected.half_width[level]:.3f}"
        for level in levels
    ]


def _cell_table(truths: Truths) -> str:
    rows = [
        [f"{truth.temperature:.1f}", size, f"{l_phi.value:.4f}", f"{l_phi.in_sample:.4f}", f"{l_phi.se:.4f}"]
        for truth in truths.temperatures
        for size, l_phi in truth.l_phi_by_cell.items()
    ]
    note = (
        f"L(phi) is quoted at cells of {truths.cell:g} nats a token by {truths.cell:g} steps of the scale. The rule is "
        "learnt on one half of the texts and judged on the other; in-sample is the optimistic counterpart. The world "
        "has finitely many headlines, each at a point of its own, so L(phi) keeps falling towards L* as cells shrink: "
        "the cell belongs to the number.\n"
    )
    return f"### L(phi) and the size of the cells\n\n{note}\n" + _table(
        ["t", "cell", "held out", "in-sample", "±"], rows
    )


def _table(head: list[str], rows: list[list[str]]) -> str:
    columns = " | ".join(head).count("|") + 1
    lines = [" | ".join(head), " | ".join(["---"] * columns), *(" | ".join(row) for row in rows)]
    return "".join(f"| {line} |\n" for line in lines)


def _number(value: float, se: float) -> str:
    return f"{value:.4f} ± {se:.4f}"
