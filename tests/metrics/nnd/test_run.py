"""Several models on one set of tests: where the order of two models turns round on a category."""

from __future__ import annotations

from metrics.likelihood import Scored
from metrics.nnd.administer import Administered, administer_tests
from metrics.nnd.build import build_tests
from metrics.nnd.orders import Ranks
from metrics.nnd.records import Candidate
from metrics.nnd.run import findings_json, summarise_models

LABELS = {"Good": 1, "Vague": 0, "False": 0}


def take(name: str, likes: dict[str, int]) -> Administered:
    """A model that prefers `likes[label]` of ten good texts to the text with that label."""
    candidates = [
        Candidate(f"{label}{at}", f"c{at}", f"Context {at}", f"{label} text {at}", label)
        for at in range(10)
        for label in LABELS
    ]
    tests = build_tests(candidates, Ranks(LABELS), "hand-made")
    scores = {
        (candidate.context or "", candidate.text or ""): Scored(
            -2.0 if candidate.label == "Good" else -3.0 if int(candidate.id[-1]) < likes[candidate.label] else -1.0, 1
        )
        for candidate in candidates
    }
    return administer_tests(tests, scores, model=name)


def test_a_category_on_which_the_weaker_model_is_the_better_is_named() -> None:
    # Overall 12 of 20 against 11 of 20; on False 4 against 9.
    findings = summarise_models([take("strong", {"Vague": 8, "False": 4}), take("weak", {"Vague": 2, "False": 9})])
    document = findings_json(findings)
    assert [(r["first"], r["second"], r["category"]) for r in document["reversals"]] == [("strong", "weak", "False")]
    assert document["reversals"][0]["overall"]["value"] == 1 / 20
    assert document["reversals"][0]["difference"]["value"] == -5 / 10


def test_models_with_one_order_everywhere_or_equal_overall_reverse_nothing() -> None:
    same = summarise_models([take("a", {"Vague": 8, "False": 9}), take("b", {"Vague": 2, "False": 4})])
    equal = summarise_models([take("a", {"Vague": 8, "False": 2}), take("b", {"Vague": 2, "False": 8})])
    assert same.reversals == equal.reversals == []
