"""`python -m tests.language`: what is left, by rule and word.

`--lower` writes lower counts into the allow-list; `--moved` does so after modules have moved, whose entries move with
them, and only where no rule's total is above the list's.
"""

from __future__ import annotations

import sys
from collections import Counter

from tests.language import allow_list, words


def main(arguments: list[str]) -> int:
    """Print the counts; with an option, store them where none is higher than the list allows."""
    counts = words.count()
    for rule, files in counts.items():
        by_word: Counter[str] = Counter()
        for file_counts in files.values():
            by_word.update(file_counts)
        parts = ", ".join(f"{word} {number}" for word, number in by_word.most_common())
        print(f"{rule}: {words.total(files)} in {len(files)} files ({parts})")
    if not {"--lower", "--moved"} & set(arguments):
        return 0
    allowed = allow_list.load()
    raised = allow_list.excess(counts, allowed) if "--lower" in arguments else allow_list.grown(counts, allowed)
    if raised:
        print("Not written, as these counts are above the list:", *raised, sep="\n")
        return 1
    allow_list.store(counts)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
