"""Rules about several texts: duplicates, one text with both sources, contexts and their sides."""

from __future__ import annotations

import hashlib
from collections import defaultdict

from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.records import TextRecord

REFERENCE = ""


def digest(*parts: str | None) -> bytes:
    """Return a 16-byte digest of some strings, so that many texts need little memory."""
    hasher = hashlib.blake2b(digest_size=16)
    for part in parts:
        content = b"" if part is None else part.encode("utf-8", "surrogatepass")
        hasher.update(b"%d:" % (-1 if part is None else len(content)) + content)
    return hasher.digest()


class Pile:
    """Compare texts with each other, one by one, and note the rules that they break together."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self._seen: dict[bytes, int | None] = {}
        self._sources: dict[bytes, str] = {}
        self._references: dict[bytes, tuple[str, int | None]] = {}
        # context: generator ("" the reference): how many texts, and the row of the first
        self._sides: defaultdict[str, dict[str, list[int]]] = defaultdict(dict)

    def take(self, text: TextRecord) -> None:
        """Compare a text with those before it."""
        self._compare(text)
        # A gold text is not compared with the other side of its context.
        if text.context and not text.known_label:
            side = self._sides[text.context].setdefault(text.generator or REFERENCE, [0, text.row or 0])
            side[0] += 1
            if side[0] == 2 and text.source == "reference":
                rule = f"the context {text.context!r} has another reference in row {side[1]}"
                self.findings.problem(text.row, "context", rule, Code.TWO_REFERENCES)

    def expect(self, context: str, generator: str | None, row: int) -> None:
        """Count a text that broke a rule as present in its context."""
        self._sides[context].setdefault(generator or REFERENCE, [0, row])

    def _compare(self, text: TextRecord) -> None:
        what = digest(text.context, text.body, text.source, text.generator)
        if what in self._seen:
            rule = f"row {self._seen[what]} has the same text, source and context"
            self.findings.problem(text.row, "text", rule, Code.DUPLICATE_TEXT)
        self._seen.setdefault(what, text.row)
        if text.source == "reference" and text.context:
            context, row = self._references.setdefault(digest(text.body), (text.context, text.row))
            if context != text.context:
                rule = f"the same reference text belongs to the context {context!r} in row {row}"
                self.findings.warn(text.row, "context", rule, Code.SAME_REFERENCE)
        if self._sources.setdefault(digest(text.body), text.source) != text.source:
            self.findings.warn(text.row, "text", "the same text has both sources", Code.BOTH_SOURCES)

    def finish(self) -> None:
        """Note the contexts without a reference or without a model text, after the last text."""
        generators = sorted({name for sides in self._sides.values() for name in sides if name != REFERENCE})
        missing: dict[str, int] = dict.fromkeys(generators, 0)
        for context, sides in self._sides.items():
            row = min(row for _, row in sides.values())
            if REFERENCE not in sides or len(sides) == 1:
                what = "model text" if REFERENCE in sides else "reference"
                rule = f"the context {context!r} has no {what}"
                self.findings.problem(row or None, "context", rule, Code.UNPAIRED_CONTEXT)
                continue
            for name in generators:
                missing[name] += name not in sides
        for name, count in missing.items():
            if count:
                rule = f"{name!r} has no text for {count} of {len(self._sides)} contexts"
                self.findings.warn(None, "context", rule, Code.INCOMPLETE_CONTEXT)
