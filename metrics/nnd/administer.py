"""A model takes the tests: it passes where the better candidate is strictly likelier (Laban et al. 2022, eq. 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from metrics.data.frames import Frame, is_frame
from metrics.errors import BadInput, InsufficientData, join_names
from metrics.likelihood.records import Pair, Scored
from metrics.nnd.records import NndTest, TestSet
from metrics.nnd.scores import FromFile, FromModel, Scores, candidates_of, log_likelihood, read_scores

MAX_MISSING = 0.05

Ties = Literal["fail", "second"]
Source = Scores | Callable[[Sequence[Pair]], Sequence[Scored]] | Mapping[Pair, Scored]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One test taken: both likelihoods (nats per token, -inf allowed), passed or not; a tie is marked."""

    test: NndTest
    high: float
    low: float
    passed: bool

    @property
    def tied(self) -> bool:
        """Equal likelihoods, both -inf included."""
        return self.high == self.low

    @property
    def gap(self) -> float:
        """LL(better) - LL(worse); positive passes. 0 where both are -inf."""
        return 0.0 if self.tied else self.high - self.low


@dataclass(frozen=True)
class Administered:
    """All tests one model took, in their order; `missing`: candidates without a score, whose tests are excluded.

    scored_by: the signature of the scores, where it is known.
    """

    model: str
    tests: TestSet
    outcomes: tuple[Outcome, ...]
    missing: tuple[str, ...]
    ties: Ties
    scored_by: str = ""

    @property
    def left_out(self) -> int:
        """Return the number of tests excluded without a score."""
        return len(self.tests) - len(self.outcomes)


def administer_tests(
    tests: TestSet, scores: Source | Frame, *, model: str = "", ties: Ties = "fail", scored_by: str = ""
) -> Administered:
    """Administer near-negative distinction tests to a model by its log-probabilities.

    A test is passed where the better candidate has the higher log-probability per token.

    Args:
        tests: as `build_tests` gives them.
        scores: a backend's `score`, a function or mapping from (context, candidate) to a `Scored` (total natural
            log-probability, tokens), what `metrics.nnd.scores.read_scores` read from a file, or a DataFrame with the
            columns `log_prob`, `tokens`, and `id` or `context` and `candidate`.
        model: the model's name, for the record.
        ties: `fail` (the definition: strictly higher) or `second`, the original code's rule (on a tie the candidate
            listed second is chosen, so a constant model passes half of the tests): for replication only.
        scored_by: signature of the scores, for the record.

    Returns:
        The outcome of each test in order, with both log-probabilities per token in [-inf, 0]; candidates without a
        score, whose tests are excluded.

    Raises:
        InsufficientData: more than 5% of the tests have no score, or a model needs texts that the tests do not hold.
        BadInput: a score, or a row of the DataFrame, breaks a rule.

    Source:
        Laban, Wu, Murdoch and Xiong (2022), equations 1 and 2.

    Example:
        >>> from metrics import Candidate, administer_tests, build_tests
        >>> from metrics.likelihood import Scored
        >>> from metrics.nnd.orders import Ranks
        >>> good = Candidate("a", "q1", "Who wrote Faust?", "Goethe.", "No error")
        >>> bad = Candidate("b", "q1", "Who wrote Faust?", "Schiller.", "Wrong")
        >>> tests = build_tests([good, bad], Ranks({"No error": 1, "Wrong": 0}), "two answers")
        >>> scores = {(good.context, good.text): Scored(-6.0, 3), (bad.context, bad.text): Scored(-9.0, 4)}
        >>> outcome = administer_tests(tests, scores).outcomes[0]
        >>> outcome.passed, outcome.gap
        (True, 0.25)
    """
    if ties not in ("fail", "second"):
        raise BadInput("ties must be 'fail' or 'second'", column="ties")
    candidates = candidates_of(tests)
    likelihood: dict[str, float] = {}
    missing = []
    for candidate, scored in zip(candidates, _source(scores).of(candidates), strict=True):
        if scored is None:
            missing.append(candidate.id)
        else:
            likelihood[candidate.id] = log_likelihood(scored, candidate.id)
    outcomes = tuple(
        _take(test, likelihood[test.high.id], likelihood[test.low.id], ties)
        for test in tests.tests
        if test.high.id in likelihood and test.low.id in likelihood
    )
    lost = len(tests) - len(outcomes)
    if lost > MAX_MISSING * len(tests):
        raise InsufficientData(
            f"{lost} of {len(tests)} tests have no score, and at most 5% may have none: "
            f"{len(missing)} candidate(s) without a score ({join_names(missing)})."
        )
    return Administered(model, tests, outcomes, tuple(missing), ties, scored_by)


def _take(test: NndTest, high: float, low: float, ties: Ties) -> Outcome:
    passed = high > low if high != low else ties == "second" and not test.high_first
    return Outcome(test, high, low, passed)


def _source(scores: Source | Frame) -> Scores:
    if is_frame(scores):
        return read_scores(scores)
    if isinstance(scores, Mapping):
        return FromFile({}, scores)
    return FromModel(scores) if callable(scores) else cast(Scores, scores)
