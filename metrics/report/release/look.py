"""What a person looks at before a release: comments that may name somebody, rare combinations, what a scan finds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from metrics.report.records import ReportInput
from metrics.report.release.public import raters_of
from metrics.report.row_records import AssignmentRow, CommentRow

# Simple patterns: they find what is written plainly, and miss the rest, so that somebody reads every comment.
DETECTORS: Mapping[str, re.Pattern[str]] = {
    "email address": re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+"),
    "web address": re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE),
    "handle": re.compile(r"(?<![\w@.])@\w{2,}|\b(?:u|r)/\w{3,}"),
    "phone number": re.compile(r"(?<!\w)\+?\d[\d ()/.-]{7,}\d(?!\w)"),
    "worker or panel ID": re.compile(r"\bA[0-9A-Z]{11,14}\b|\b[0-9a-f]{24}\b"),
    "postal address": re.compile(
        r"\b\d{1,5}\s+(?:\w+\s){0,3}(?:street|st|avenue|ave|road|rd|lane|drive|blvd|way)\b"
        r"|\b\w+(?:straße|strasse|weg|platz|gasse)\s+\d+|\b(?:calle|avenida)\s+\w+",
        re.IGNORECASE,
    ),
    "name": re.compile(
        r"(?:\b(?i:my name is|i am called|call me|mein name ist|ich hei(?:ß|ss)e|me llamo|mi nombre es)\s+\w+"
        r"|\b(?:I am|I'm|Ich bin|Soy|Mr\.?|Mrs\.?|Ms\.?|Dr\.?|Frau|Herr)\s+[A-ZÄÖÜ]\w+)"
    ),
    "age or place": re.compile(
        r"\b(?i:i am|i'm)\s+\d{1,2}\b|\b(?i:i (?:live|work|study) (?:in|at))\s+\w+|\b\d{1,2}[- ]years?[- ]old\b"
    ),
}
CAPITALS = re.compile(r"(?<=[a-z,;] )[A-ZÄÖÜ][a-zäöüß]{2,}")


@dataclass(frozen=True, slots=True)
class FlaggedComment:
    """A comment that may say who wrote it. flags: (what, where it says so)."""

    comment: CommentRow
    flags: tuple[tuple[str, str], ...]


def flag_comments(comments: Iterable[CommentRow], judged: Mapping[str, str]) -> tuple[FlaggedComment, ...]:
    """Every comment with what the detectors find in it; those with flags first.

    A capitalized word within a sentence counts as a possible name unless the judged text has it too.

    Args:
        judged: by the ID of a text, its words and those of its context.
    """
    flagged = [FlaggedComment(row, tuple(_flags(row.body, judged.get(row.text, "")))) for row in comments]
    return tuple(sorted(flagged, key=lambda item: (not item.flags, item.comment.text, item.comment.rater)))


def _flags(body: str, judged: str) -> Iterator[tuple[str, str]]:
    for kind, pattern in DETECTORS.items():
        for match in pattern.finditer(body):
            yield kind, match.group()
    for match in CAPITALS.finditer(body):
        if match.group() not in judged:
            yield "capitalized word", match.group()


@dataclass(frozen=True, slots=True)
class Combination:
    """Values that raters have together in the public tables, and how many raters have them."""

    values: tuple[tuple[str, str], ...]
    raters: int

    def __str__(self) -> str:
        return ", ".join(f"{name}: {value}" for name, value in self.values)


def rare_combinations(assignments: Iterable[AssignmentRow], *, max_raters: int = 4) -> tuple[Combination, ...]:
    """Combinations of what the tables say of a rater that at most so many raters share, the rarest first.

    Condition, number of tasks, of excluded and of rejected tasks, quality flags: what is known of one person elsewhere
    may point to their row here.
    """
    by_rater: dict[str, list[AssignmentRow]] = {}
    for row in assignments:
        by_rater.setdefault(row.rater, []).append(row)
    counts = Counter(_combination(rows) for rows in by_rater.values())
    rare = [Combination(values, number) for values, number in counts.items() if number <= max_raters]
    return tuple(sorted(rare, key=lambda combination: (combination.raters, combination.values)))


def _combination(rows: Sequence[AssignmentRow]) -> tuple[tuple[str, str], ...]:
    return (
        ("conditions", " + ".join(sorted({row.condition for row in rows})) or "the only one"),
        ("tasks", str(len(rows))),
        ("excluded", str(sum(not row.kept for row in rows))),
        ("rejected", str(sum(row.payment == "rejected" for row in rows))),
        ("flags", " + ".join(sorted({flag for row in rows for flag in row.flags})) or "none"),
    )


# What no file of a release contains, whatever else is in it.
FORBIDDEN: Mapping[str, re.Pattern[str]] = {
    "time of day": re.compile(r"\d{4}-\d\d-\d\d[T ](?!00:00(?::00)?)\d\d:\d\d"),
    "worker ID": re.compile(r"\bA(?=[A-Z]*\d)[0-9A-Z]{12,14}\b"),
    "ID of a panel": re.compile(r"(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])"),
    "internal ID": re.compile(r"\b3[A-Z0-9]{29}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"),
    "pseudonym of the study": re.compile(r"\bw[0-9a-f]{16}\b"),
}
PUBLIC_NAME = re.compile(r"\b[pc][0-9a-f]{12}\b")


@dataclass(frozen=True, slots=True)
class ScanFinding:
    """Something in a file that may lead to a person."""

    file: str
    kind: str
    excerpt: str


def scan_files(files: Mapping[str, bytes], data: ReportInput) -> tuple[ScanFinding, ...]:
    """Look for ids, times of day and strange pseudonyms in every file. Judged texts are not searched.

    data: of the public snapshot: names of the form of a public pseudonym that it lacks are another release's.
    """
    known = raters_of(data)
    judged = "\n".join(f"{text.body}\n{text.context or ''}" for text in data.texts)
    findings: list[ScanFinding] = []
    for name, content in sorted(files.items()):
        text = content.decode("utf-8", errors="replace")
        for kind, pattern in FORBIDDEN.items():
            matches = sorted({match.group() for match in pattern.finditer(text)})
            findings += [ScanFinding(name, kind, match) for match in matches if match not in judged]
        strange = sorted({match.group() for match in PUBLIC_NAME.finditer(text)} - known)
        findings += [ScanFinding(name, "pseudonym of another release", match) for match in strange]
    return tuple(findings)
