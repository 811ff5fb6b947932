"""Building near-negative tests: 2,686 from annotations of the shape of Quiz Design, and putting a model to them.

The annotations are made here (452 groups of 5 or 6 questions, labels in the published proportions), so the number of
tests is near 2,686, not equal to it. Where the real file is named on the command line, it is used instead.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from metrics.likelihood import Scored
from metrics.nnd.administer import administer_tests
from metrics.nnd.formats.quiz_design import quiz_design_tests
from metrics.nnd.rates import pass_rates

GROUPS, QUESTIONS, ROUNDS = 452, 2458, 5
LABELS = {"No error": 1130, "wrong_context": 512, "off_target": 433, "disfluent": 383}


def made(path: Path) -> Path:
    """A file of annotations of that size; contexts of about 150 words."""
    rng = random.Random(0)
    words = [f"word{n}" for n in range(5000)]
    groups = [
        {
            "group_id": n,
            "answer_span": " ".join(rng.choices(words, k=5)),
            "context": " ".join(rng.choices(words, k=150)),
        }
        for n in range(GROUPS)
    ]
    for number in range(QUESTIONS):
        text = f"{' '.join(rng.choices(words, k=10))} {number}?"
        label = rng.choices(list(LABELS), weights=list(LABELS.values()))[0]
        groups[number % GROUPS].setdefault("questions", []).append({"question": text, "reason": label})
    path.write_text("".join(json.dumps(group) + "\n" for group in groups), encoding="utf-8")
    return path


def best(action: Callable[[], object]) -> float:
    """The shortest of some runs, in seconds."""
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return min(times)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else made(Path(folder) / "groups.jsonl")
        tests = quiz_design_tests(path)
        taken = administer_tests(tests, lambda pairs: [Scored(-float(len(text)), 1) for _, text in pairs])
        print(f"{len(tests)} tests from {tests.candidates} candidates, best of {ROUNDS}")
        print(f"read and build            {best(lambda: quiz_design_tests(path)):.3f} s (at most 1 s)")
        seconds = best(lambda: administer_tests(tests, lambda pairs: [Scored(-1.0, 1)] * len(pairs)))
        print(f"put a model's scores      {seconds:.3f} s")
        print(f"rates, 2,000 draws        {best(lambda: pass_rates(taken)):.3f} s")


if __name__ == "__main__":
    main()
