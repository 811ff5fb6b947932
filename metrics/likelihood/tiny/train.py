"""`python -m metrics.likelihood.tiny.train README.md docs/*.md`: count the n-grams of Markdown files for assay-tiny.

It writes assay-tiny.npz beside this module and prints the SHA-256, which belongs into `model.py`. Same files, same
counts: the counted prose is that of the commit that last changed assay-tiny.npz.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from metrics.likelihood.tiny.model import WEIGHTS, write_ngrams
from metrics.likelihood.tiny.ngrams import count_ngrams

ORDER = 5
MIN_CHARS = 40
NOT_PROSE = "|#<"  # tables, headings, HTML
CODE = re.compile(r"```.*?```", re.DOTALL)
MARKS = re.compile(r"[`*]|\[([^\]]*)\]\([^)]*\)")


def read_prose(documents: Iterable[str]) -> list[str]:
    """The paragraphs of Markdown documents, without code, tables, headings and marks; one line each."""
    paragraphs = []
    for document in documents:
        for part in re.split(r"\n\s*\n", CODE.sub("", document)):
            line = " ".join(part.split())
            if len(line) >= MIN_CHARS and line[0] not in NOT_PROSE:
                paragraphs.append(MARKS.sub(lambda match: match[1] or "", line))
    return paragraphs


def main(names: Sequence[str], out: Path = WEIGHTS) -> str:
    """Count the files' prose, write the model, and return what to print."""
    documents = [Path(name).read_text(encoding="utf-8") for name in sorted(names)]
    ngrams = count_ngrams(read_prose(documents), ORDER)
    digest = write_ngrams(ngrams, out)
    return f"{len(ngrams.grams)} {ORDER}-grams in {out.stat().st_size} bytes, SHA-256 {digest}"


if __name__ == "__main__":
    sys.stdout.write(main(sys.argv[1:]) + "\n")
