"""A text coloured by how likely a model found each token, after GLTR (Gehrmann et al. 2019): pattern and colour."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from metrics.data.number_format import DASH, number
from metrics.pages.frame import page
from metrics.text_scores.h_score import BUCKETS, Thresholds, rank_bucket, score_text
from metrics.text_scores.token_predictions import Predictions

# GLTR's colours; the underline says the same without colour.
COLOURS = ("#ADFF80", "#FFEA80", "#FF9280", "#E5B0FF")
LINES = ("none", "underline dotted", "underline dashed", "underline double")
NAMES = ("none", "dotted", "dashed", "double")
VERDICTS = {"h": "human-like", "u": "undecided", "m": "machine-like"}
STYLE = "".join(
    f".b{at}{{background:{colour};text-decoration:{line};text-decoration-thickness:2px;text-underline-offset:3px}}"
    for at, (colour, line) in enumerate(zip(COLOURS, LINES, strict=True))
) + (
    ".text{white-space:pre-wrap;overflow-wrap:anywhere;line-height:2;font-size:17px;max-width:70ch}"
    ".text span,.key span{color:#1b1f24;border-radius:2px;padding:1px 0 6px}.key span{padding:1px 6px}"
    ".key{display:flex;flex-wrap:wrap;gap:8px 16px;padding:0;list-style:none}"
    ".bars{display:block;max-width:100%;height:auto}.bars rect{fill:var(--s3)}"
    ".bars text{fill:var(--quiet);font-size:11px}"
    ".pair{display:flex;flex-wrap:wrap;gap:0 48px}"
    "@media print{.pair{break-inside:avoid}}"
)


def token_page(
    texts: Sequence[Predictions],
    thresholds: Thresholds,
    *,
    title: str = "How likely each token was",
    human_share: Mapping[str, float] | None = None,
    note: str = "",
) -> str:
    """One HTML file with every text: its verdict, the coloured tokens (hover or hold for the numbers), histograms.

    texts: with predictions, in the order shown. human_share: share of people who said human, by text, shown with its
    facts. note: a sentence before the texts. Without calibrated thresholds the page says so first.
    """
    shares = human_share or {}
    remark = f"<p>{escape(note)}</p>" if note else ""
    sections = (_section(text, thresholds, shares.get(text.id)) for text in texts)
    parts = [_warning(thresholds), remark, _key(), *sections]
    return page(title, "\n".join(part for part in parts if part), STYLE)


def _warning(thresholds: Thresholds) -> str:
    if thresholds.calibrated:
        return f'<p class="quiet">Thresholds: {escape(thresholds.origin)}.</p>'
    return (
        '<p class="warn"><b>Uncalibrated.</b> The verdicts rest on a threshold that was not calibrated on texts of '
        f"known origin ({escape(thresholds.origin)}, {number(thresholds.low)}). Read the numbers, not the verdicts.</p>"
    )


def _key() -> str:
    limits = [f"among the {BUCKETS[0]} likeliest", *(f"among the {top}" for top in BUCKETS[1:]), "further down"]
    items = "".join(
        f'<li><span class="b{at}">token</span> {limit} (underline: {NAMES[at]})</li>' for at, limit in enumerate(limits)
    )
    return f'<ul class="key">{items}</ul>'


def _section(text: Predictions, thresholds: Thresholds, share: float | None) -> str:
    score = score_text(text, thresholds)
    entropy = DASH if score.mean_entropy is None else f"{number(score.mean_entropy)} nats ({escape(score.entropy_of)})"
    backend = text.backend
    model = " ".join(part for part in (backend.model, backend.revision, backend.dtype) if part) or "not recorded"
    facts = (
        f"Fp {number(score.fp, 3)} (0 to 1, high: machine-like), {VERDICTS[score.verdict]}; {score.n} tokens; "
        f"mean rank {number(score.mean_rank, 1)}; mean entropy {entropy}; model: {escape(model)}."
    )
    if share is not None:
        facts += f" People: {number(100 * share, 0)}% said human."
    place = rank_bucket(text.rank)
    tokens = "".join(_token(text, at, int(place[at])) for at in range(len(text)))
    bars = [_bars("frac(p) of the tokens, 0 to 1", score.fractions, "0", "1")]
    if score.entropies is not None:
        bars.append(_bars("entropy, 0 to log 10 nats", score.entropies, "0", number(math.log(10))))
    return (
        f"<section><h2>{escape(text.id)}</h2>\n<p>{facts}</p>\n"
        f'<div class="pair">{"".join(bars)}</div>\n<p class="text">{tokens}</p></section>'
    )


def _token(text: Predictions, at: int, place: int) -> str:
    label = f"p {text.probability[at]:.3g}, likeliest {text.top_probability[at]:.3g}, rank {text.rank[at]}"
    return f'<span class="b{place}" title="{label}">{escape(text.tokens[at])}</span>'


def _bars(title: str, counts: Sequence[int], first: str, last: str) -> str:
    """A histogram as inline SVG with its counts in the alternative text."""
    width, height, max_count = 24, 80, max(counts) or 1
    bars = "".join(
        f'<rect x="{at * width + 1}" y="{height - count / max_count * height + 4:.1f}" width="{width - 2}" '
        f'height="{count / max_count * height:.1f}"/>'
        for at, count in enumerate(counts)
    )
    wide = width * len(counts)
    label = escape(f"{title}: {', '.join(map(str, counts))}")
    return (
        f'<figure style="margin:8px 0"><figcaption class="quiet">{escape(title)}</figcaption>'
        f'<svg class="bars" viewBox="0 0 {wide} {height + 20}" width="{wide}" role="img" aria-label="{label}">{bars}'
        f'<text x="0" y="{height + 17}">{first}</text>'
        f'<text x="{wide}" y="{height + 17}" text-anchor="end">{last}</text></svg></figure>'
    )
