"""Small sets of annotated candidates for tests."""

from __future__ import annotations

from metrics.likelihood import Scored
from metrics.nnd.build import build_tests
from metrics.nnd.orders import best_above_others
from metrics.nnd.records import Candidate, TestSet


def candidate(name: str, label: str, context: str = "c", text: str | None = "", **more: object) -> Candidate:
    """A candidate whose text is its name unless one is given."""
    return Candidate(name, context, f"context {context}", name if text == "" else text, label, **more)  # type: ignore[arg-type]


def small_tests(contexts: int = 3) -> TestSet:
    """In each context: a good text against one of kind x and one of kind y, so 2 tests a context."""
    candidates = [
        candidate(f"{kind}{at}", kind, context=str(at)) for at in range(contexts) for kind in ("good", "x", "y")
    ]
    return build_tests(candidates, best_above_others("good", ["x", "y"]), "small")


def scores(tests: TestSet, passed: list[bool]) -> dict[tuple[str, str], Scored]:
    """Scores by which the tests pass as listed; each candidate that is worse decides its own test."""
    found = {}
    for test, good in zip(tests.tests, passed, strict=True):
        found[test.high.context or "", test.high.text or ""] = Scored(-10.0, 5)
        found[test.low.context or "", test.low.text or ""] = Scored(-30.0 if good else -5.0, 10 if good else 5)
    return found
