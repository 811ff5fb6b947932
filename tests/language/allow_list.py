"""The words that are still there: `allowed.json`, `{rule: {file: {word: count}}}`, a list that only shrinks."""

from __future__ import annotations

import json
from pathlib import Path

from tests.language.words import Counts, total

PATH = Path(__file__).with_name("allowed.json")
# Docstrings and comments are counted and printed; they are not held yet.
HELD = ("names", "texts", "documents")


def load() -> Counts:
    """The list as it is stored; empty where it was deleted, to be written from the tree as it is."""
    if not PATH.exists():
        return {rule: {} for rule in HELD}
    counts: Counts = json.loads(PATH.read_text(encoding="utf-8"))
    return counts


def store(counts: Counts) -> None:
    """Write the counts of the held rules."""
    held = {rule: counts[rule] for rule in HELD}
    PATH.write_text(json.dumps(held, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def excess(counts: Counts, allowed: Counts) -> list[str]:
    """One line for each word that a file uses more often than the list allows."""
    return _differences(counts, allowed, "more than")


def grown(counts: Counts, allowed: Counts) -> list[str]:
    """One line for each rule whose total is above the list's, whichever files it is in."""
    totals = {rule: (total(counts[rule]), total(allowed[rule])) for rule in HELD}
    return [
        f"{rule}: {now}, and the list allows {before}" for rule, (now, before) in totals.items() if now > before > 0
    ]


def slack(counts: Counts, allowed: Counts) -> list[str]:
    """One line for each word that a file uses less often than the list allows."""
    return _differences(allowed, counts, "fewer than", swapped=True)


def _differences(larger: Counts, smaller: Counts, relation: str, *, swapped: bool = False) -> list[str]:
    lines = []
    for rule in HELD:
        for path, words in larger[rule].items():
            for word, number in words.items():
                other = smaller[rule].get(path, {}).get(word, 0)
                if number > other:
                    used, allowed = (other, number) if swapped else (number, other)
                    lines.append(f'{path}: {rule}: "{word}" {used} times, {relation} the {allowed} allowed')
    return lines
