"""The banned words of names, the banned phrases of texts, and where a tree uses them."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("annotation", "metrics")

# What a part of a name may not be, and what to write in its place.
BANNED = {
    "told": "context, message, payload, names",
    "given": "data, report_input, options, request",
    "found": "result, rows, matches, differences",
    "one": "the item: rating, hit, field",
    "asked": "requested, required, expected",
    "wanted": "requested, required, expected",
    "said": "statement, reason",
    "heard": "received",
    "own": "local, internal, study_...",
    "ours": "local, internal, study_...",
    "kept": "included, stored",
    "whole": "total, full",
    "made": "created, built",
    "mend": "fix, remedy",
    "gone": "deleted",
    "taken": "used, assigned",
    "beside": "adjacent, separate",
    "apart": "adjacent, separate",
    "standing": "progress, status",
    "most": "max_...",
    "least": "min_...",
    "here": "the place",
    "nobody": "none",
    "doors": "views, commands",
}

UNITS = "one|rows?|people|places?|ratings?|HITs?|figures?|minutes?|assignments?|categor(?:y|ies)"
# What a text may not say: the phrase as the list names it, and the pattern with its inflections and gaps.
PHRASES = {
    phrase: re.compile(pattern, re.IGNORECASE)
    for phrase, pattern in {
        "tell": r"\b(?:tells?|told|telling)\b",
        "nobody": r"\b(?:nobody|somebody|whoever)\b",
        "refuse": r"\b(?:refus(?:e|es|ed|ing|als?))\b",
        "leave out": r"\b(?:leaves?|left|leaving)(?:\s+\S+){0,2}?\s+out\b",
        "stand": r"\b(?:stands?|stood|standing)\b",
        "beside": r"\bbeside\b",
        "take back": r"\b(?:takes?|took|taken|taking)(?:\s+\S+){0,3}?\s+back\b",
        "hand in": r"\bhand(?:s|ed|ing)?(?:\s+(?:it|them))?\s+in\b",
        "apart": r"\bapart\b",
        "is none": r"(?<!there )\bis\s+(?:none\b|no\s+(?!longer\b|more\b)\w+)",
        "by itself": r"\bby\s+(?:itself|themselves)\b",
        "lay out": r"\b(?:la(?:y|ys|id|ying)(?:\s+\S+){0,2}?\s+out|layouts?)\b",
        "anew": r"\banew\b",
        "a line (for per)": rf"\b(?:{UNITS})\s+an?\s+(?:line|hour|HIT|text|day|cell|person|row|study|page)\b",
        "lack": r"\black(?:s|ed|ing)?\b",
        "mend": r"\bmend(?:s|ed|ing)?\b",
        "by hand": r"\b(?:by\s+hand|for\s+ever)\b",
        "ours": r"\bof\s+(?:our\s+own|ours)\b",
        "so many": r"\bso\s+many\b",
        "give back": r"\b(?:gives?|gave|given|giving)(?:\s+\S+){0,3}?\s+back\b",
    }.items()
}

PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
MESSAGES = re.compile(
    r"{%\s*(?:translate|trans)\s+(?:\"([^\"]*)\"|'([^']*)')"
    r"|{%\s*blocktrans(?:late)?\b[^%]*%}(.*?){%\s*endblocktrans(?:late)?\s*%}",
    re.DOTALL,
)
CODE = re.compile(r"^(```|~~~).*?^\1\s*$|`[^`\n]*`", re.DOTALL | re.MULTILINE)

Counts = dict[str, dict[str, dict[str, int]]]


def banned_parts(name: str) -> list[str]:
    """The parts of a name, split at underscores and capitals, that are banned words."""
    return [part.lower() for part in PART.findall(name) if part.lower() in BANNED]


def bound_names(tree: ast.AST) -> Iterator[str]:
    """Every name that a module binds: classes, functions, their parameters, variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
            yield from (arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def strings(tree: ast.AST) -> Iterator[str]:
    """Every string constant with an inner space that is no docstring."""
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, owners) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if id(node) not in docstrings and " " in node.value.strip():
            yield node.value


def docstrings_and_comments(source: str, tree: ast.AST) -> Iterator[str]:
    """What a module says to its readers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""
    yield from re.findall(r"(?m)(?:^|\s)#\s(.*)$", source)


def phrases_in(texts: Iterator[str]) -> Counter[str]:
    """How often each phrase occurs."""
    counts: Counter[str] = Counter()
    for text in texts:
        for phrase, pattern in PHRASES.items():
            counts[phrase] += len(pattern.findall(text))
    return +counts


def python_files(root: Path) -> Iterator[tuple[str, str, ast.Module]]:
    """Path, source and tree of each module of the product, without migrations."""
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            if "migrations" not in path.parts:
                source = path.read_text(encoding="utf-8")
                yield path.relative_to(root).as_posix(), source, ast.parse(source)


def messages(root: Path) -> Iterator[tuple[str, list[str]]]:
    """The translated messages of each template."""
    for path in sorted((root / "annotation").rglob("*.html")):
        matches = MESSAGES.findall(path.read_text(encoding="utf-8"))
        yield path.relative_to(root).as_posix(), ["".join(groups) for groups in matches]


def documents(root: Path) -> Iterator[tuple[str, str]]:
    """The prose of each document, without code."""
    paths = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    for path in [*paths, *sorted((root / "docs").glob("*.md"))]:
        yield path.relative_to(root).as_posix(), CODE.sub(" ", path.read_text(encoding="utf-8"))


def count(root: Path = ROOT) -> Counts:
    """Banned words and phrases: by rule, file and word."""
    names: dict[str, dict[str, int]] = {}
    texts: dict[str, dict[str, int]] = {}
    comments: dict[str, dict[str, int]] = {}
    for path, source, tree in python_files(root):
        stem = Path(path).stem
        bound = [part for name in [stem, *bound_names(tree)] for part in banned_parts(name)]
        names[path] = dict(sorted(Counter(bound).items()))
        texts[path] = dict(sorted(phrases_in(strings(tree)).items()))
        comments[path] = dict(sorted(phrases_in(docstrings_and_comments(source, tree)).items()))
    for path, words in messages(root):
        texts[path] = dict(sorted(phrases_in(iter(words)).items()))
    prose = {path: dict(sorted(phrases_in(iter([text])).items())) for path, text in documents(root)}
    rules = {"names": names, "texts": texts, "documents": prose, "docstrings": comments}
    return {rule: {path: words for path, words in files.items() if words} for rule, files in rules.items()}


def total(files: dict[str, dict[str, int]]) -> int:
    """All hits of one rule."""
    return sum(sum(words.values()) for words in files.values())
