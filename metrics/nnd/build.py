"""Tests from annotated candidates: all pairs of differing quality within a context (Laban et al. 2022, section 2.1)."""

from __future__ import annotations

import itertools
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from metrics.data.frames import Frame, check_records, is_frame
from metrics.errors import BadInput, InsufficientData
from metrics.nnd.candidate_rows import read_candidates
from metrics.nnd.orders import Numbers, Order
from metrics.nnd.records import Candidate, NndTest, TestSet
from metrics.types import Setting

NO_TEXTS = "without_texts"


@dataclass(frozen=True, slots=True)
class Options:
    """What else keeps a pair from being a test.

    must_include: one of the two carries this label (None: any pair). keep_equal_texts: pairs whose texts are equal
    after normalising (Unicode NFC, blanks joined) are kept, as in the original; otherwise they are excluded.
    fold_case: texts that differ only in case count as equal.
    """

    must_include: str | None = None
    keep_equal_texts: bool = False
    fold_case: bool = False


def build_tests(
    candidates: Iterable[Candidate] | Frame,
    order: Order | None = None,
    source: str = "table",
    *,
    options: Options | None = None,
    skipped: Mapping[str, int] | None = None,
    settings: Mapping[str, Setting] | None = None,
    blank_texts: bool = False,
) -> TestSet:
    """Build every test of a better against a worse candidate of the same context.

    Args:
        candidates: annotated texts in any order; those of one context and part meet. Or a DataFrame with the columns
            `context_id`, `candidate` and `quality` (with `label` for an order of labels; optional `id`, `context`,
            `category`, `system`, `part`).
        order: says which of two candidates is better (`metrics.nnd.orders`: by rank, by partial order, by number);
            None: the higher `quality`.
        source: where the annotations come from, for the record.
        options: what else keeps a pair from being a test; None: the defaults of `Options`.
        skipped: how many rows or candidates reading the annotations skipped, by reason.
        settings: how the annotations were read.
        blank_texts: whether a candidate may be an empty text.

    Returns:
        Tests in the order of the candidates, and how many pairs are no test, by reason.

    Raises:
        BadInput: a blank text, one id with two texts, one context with two texts, a label the order does not know, or a
            fault of a row of the DataFrame.
        InsufficientData: no pair makes a test.

    Source:
        Laban, Wu, Murdoch and Xiong (2022), section 2.1.

    Example:
        >>> from metrics import Candidate, build_tests
        >>> from metrics.nnd.orders import Ranks
        >>> candidates = [
        ...     Candidate("a", "q1", "Who wrote Faust?", "Goethe wrote it.", "No error"),
        ...     Candidate("b", "q1", "Who wrote Faust?", "Schiller wrote it.", "Wrong"),
        ... ]
        >>> tests = build_tests(candidates, Ranks({"No error": 1, "Wrong": 0}), "two answers")
        >>> len(tests), tests.tests[0].high.id, tests.by_category
        (1, 'a', {'Wrong': 1})
    """
    rules = options or Options()
    order = order or Numbers()
    listed = (
        read_candidates(candidates, order)
        if is_frame(candidates)
        else check_records(candidates, Candidate, "candidates")
    )
    _check(listed, blank_texts)
    counts = Counter(skipped or {})
    tests = [test for group in _groups(listed).values() for test in _pairs(group, order, rules, counts)]
    if not tests:
        reasons = ", ".join(f"{name} {count}" for name, count in counts.items() if count) or "no two candidates meet"
        raise InsufficientData(f"{source}: no pair of candidates makes a test ({reasons}).")
    facts = {
        "must_include": rules.must_include,
        "keep_equal_texts": rules.keep_equal_texts,
        "fold_case": rules.fold_case,
        **(settings or {}),
    }
    flags = (NO_TEXTS,) if any(candidate.text is None for candidate in listed) else ()
    contexts = len({candidate.context_id for candidate in listed})
    left_out = {name: count for name, count in counts.items() if count}
    return TestSet(tuple(tests), source, contexts, len(listed), left_out, facts, flags)


def _groups(candidates: list[Candidate]) -> dict[tuple[str, str], list[Candidate]]:
    groups: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault((candidate.part, candidate.context_id), []).append(candidate)
    return groups


def _pairs(group: list[Candidate], order: Order, rules: Options, counts: Counter[str]) -> list[NndTest]:
    same = {id(candidate): _normal(candidate, rules) for candidate in group}
    tests = []
    for first, second in itertools.combinations(group, 2):
        verdict = order.compare(first, second)
        if verdict not in ("first", "second"):
            counts[verdict] += 1
        elif rules.must_include is not None and rules.must_include not in (first.label, second.label):
            counts["without_required_label"] += 1
        elif same[id(first)] is not None and same[id(first)] == same[id(second)]:
            counts["equal_texts"] += 1
        elif verdict == "first":
            tests.append(NndTest(first, second, high_first=True))
        else:
            tests.append(NndTest(second, first, high_first=False))
    return tests


def _normal(candidate: Candidate, rules: Options) -> str | None:
    """The text as compared; None where there is nothing to compare."""
    if candidate.text is None or rules.keep_equal_texts:
        return None
    text = " ".join(unicodedata.normalize("NFC", candidate.text).split())
    return text.casefold() if rules.fold_case else text


def _check(candidates: list[Candidate], blank_texts: bool) -> None:
    """No blank text unless they may be, one text to an id, one text to a context."""
    texts: dict[str, tuple[str, str | None]] = {}
    contexts: dict[str, str | None] = {}
    for candidate in candidates:
        if candidate.text is not None and not blank_texts and not candidate.text.strip():
            raise BadInput("the text is blank", where=f"candidate {candidate.id}", column="text")
        known_text = (candidate.context_id, candidate.text)
        if texts.setdefault(candidate.id, known_text) != known_text:
            raise BadInput("one id is used for two texts", where=f"candidate {candidate.id}", column="id")
        if contexts.setdefault(candidate.context_id, candidate.context) != candidate.context:
            raise BadInput("one id is used for two contexts", where=f"context {candidate.context_id}", column="context")
