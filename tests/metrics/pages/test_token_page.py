"""GLTR's view of texts: what a model predicted, and what people said."""

from __future__ import annotations

from metrics.pages.tokens import token_page
from metrics.text_scores.h_score import DEFAULT
from metrics.text_scores.token_predictions import check_predictions


def test_what_people_said_is_shown_with_the_text_they_judged() -> None:
    texts = [
        check_predictions(name, ["A", " <b>"], [0.2, 0.1], [0.4, 0.5], rank=[2, 500]) for name in ("judged", "unjudged")
    ]
    page = token_page(texts, DEFAULT, human_share={"judged": 0.625}, note="The first 2 of 9 texts.")
    judged, unjudged = page.split("<h2>unjudged</h2>")
    assert "People: 62% said human." in judged or "People: 63% said human." in judged
    assert "People:" not in unjudged
    assert "<p>The first 2 of 9 texts.</p>" in page
    assert (page.count('class="b0" title'), page.count('class="b2" title')) == (2, 2)
    assert "&lt;b&gt;" in page
    assert "<b>" not in page.replace("<b>Uncalibrated.</b>", "")
