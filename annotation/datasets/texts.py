"""Reading a file of texts (and, where references are shared, a file of their likelihoods)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from annotation.datasets.cells import (
    MOST_COUNT,
    key_of,
    log_prob_of,
    optional_text,
    short,
    text_of,
    whitespace_tokens,
    whole_of,
)
from annotation.datasets.columns import Cells, Names, load_names, read_cells
from annotation.datasets.problems import Findings
from annotation.datasets.records import UNITS, LikelihoodRecord, Provenance, Source, TextRecord, Unit
from annotation.datasets.tabular import sha256_of

NEEDED = ("id", "text", "source")
OPTIONAL = (
    "generator",
    "context",
    "context_text",
    "domain",
    "log_prob",
    "length",
    "length_unit",
    "decoding",
    "log_prob_decoding",
    "corpus_count",
    "corpus_name",
    "corpus_size",
)
LIKELIHOOD_NEEDED = ("text", "generator", "log_prob")
LIKELIHOOD_OPTIONAL = ("length", "length_unit", "decoding")
MAX_CONTEXT = 1_000_000


@dataclass(frozen=True, slots=True)
class TextFile:
    """Texts ready to be added, where they come from, and what a reader should know of them."""

    texts: tuple[TextRecord, ...]
    provenance: Provenance
    warnings: tuple[str, ...]


def read_texts(
    path: Path,
    *,
    mapping: Path | None = None,
    likelihoods: Path | None = None,
    generator: str | None = None,
    delimiter: str | None = None,
) -> TextFile:
    """Read and check a whole CSV or JSON Lines file of texts; raises FileProblems where a rule is broken.

    mapping: what the file calls our columns. likelihoods: a second file with text, generator, log_prob.
    generator: the generator of model texts whose row names none.
    """
    findings = Findings(path)
    names = load_names(mapping, (*NEEDED, *OPTIONAL))
    generator = optional_text(generator or "", None, "--generator", findings, limit=100).strip()
    reader = TextReader(findings, default_generator=generator)
    rows = 0
    for cells in read_cells(path, findings, names, needed=NEEDED, known=(*NEEDED, *OPTIONAL), delimiter=delimiter):
        rows += 1
        reader.take(cells)
    texts = reader.finished()
    findings.raise_if_any()
    warnings = findings.told_warnings()
    if likelihoods is not None:
        more = Findings(likelihoods)
        texts = _with_likelihoods(texts, likelihoods, more, delimiter)
        more.raise_if_any()
        warnings += more.told_warnings()
    return TextFile(texts, Provenance(path.name, sha256_of(path), rows, "texts"), warnings)


class TextReader:
    """Takes rows of texts one by one; rules that need the whole file are checked by `finished`."""

    def __init__(self, findings: Findings, *, default_generator: str = "") -> None:
        self.findings, self.default_generator = findings, default_generator
        self.texts: dict[str, TextRecord] = {}
        self.contexts: dict[str, tuple[str, int]] = {}
        self.numbered: dict[str, str] = {}
        self.decodings: dict[str, tuple[str, int]] = {}
        self.loose: dict[str, LikelihoodRecord] = {}

    def take(self, cells: Cells) -> None:
        """Read one row."""
        findings, row = self.findings, cells.row
        key = key_of(cells.get("id"), row, cells.name("id"), findings)
        body = text_of(cells.get("text"), row, cells.name("text"), findings)
        source = source_of(cells, findings)
        generator = self._generator(cells, source)
        context, context_body = self._context(cells)
        likelihood = likelihood_of(cells, body, findings, decoding="log_prob_decoding")
        corpus = self._corpus(cells)
        domain = optional_text(cells.get("domain"), row, cells.name("domain"), findings, limit=60).strip()
        corpus_name = optional_text(
            cells.get("corpus_name"), row, cells.name("corpus_name"), findings, limit=200
        ).strip()
        if key is not None and key in self.texts:
            findings.problem(row, cells.name("id"), f"the id {key!r} stands in row {self.texts[key].row} already")
            return
        if key is None or body is None or source is None:
            return
        self.texts[key] = TextRecord(
            id=key,
            body=body,
            source=source,
            generator=generator if source == "model" else None,
            decoding=self._decoding(cells, generator) if source == "model" else "",
            context=context,
            context_body=context_body,
            domain=domain,
            corpus_count=corpus[0],
            corpus_name=corpus_name,
            corpus_size=corpus[1],
            row=row,
        )
        self._attach(key, likelihood, generator)

    def _generator(self, cells: Cells, source: Source | None) -> str:
        name = optional_text(cells.get("generator"), cells.row, cells.name("generator"), self.findings, limit=100)
        name = name.strip() or (self.default_generator if source == "model" else "")
        if source == "model" and not name and not cells.get("generator").strip():
            self.findings.problem(cells.row, cells.name("generator"), "a model's text must name its generator")
        return name

    def _decoding(self, cells: Cells, generator: str) -> str:
        decoding = optional_text(cells.get("decoding"), cells.row, cells.name("decoding"), self.findings, limit=200)
        before, row = self.decodings.setdefault(generator, (decoding, cells.row))
        if decoding != before:
            rule = f"{generator!r} is decoded by {before!r} in row {row}; name each setting as a generator of its own"
            self.findings.problem(cells.row, cells.name("decoding"), rule)
        return decoding

    def _context(self, cells: Cells) -> tuple[str | None, str]:
        name, row = cells.name("context_text"), cells.row
        body = optional_text(cells.get("context_text"), row, name, self.findings, limit=MAX_CONTEXT)
        if not cells.get("context").strip():
            return (self.numbered.setdefault(body, f"c{len(self.numbered) + 1}"), body) if body else (None, "")
        key = key_of(cells.get("context"), row, cells.name("context"), self.findings)
        if key is None:
            return None, ""
        before, first = self.contexts.setdefault(key, (body, row))
        if body and before and body != before:
            self.findings.problem(row, name, f"the context {key!r} has another text in row {first}")
        elif body and not before:
            self.contexts[key] = body, row
        return key, body or before

    def _corpus(self, cells: Cells) -> tuple[int | None, int | None]:
        values: list[int | None] = []
        for name, least in (("corpus_count", 0), ("corpus_size", 1)):
            cell, given = cells.get(name), (cells.row, cells.name(name), self.findings)
            values.append(whole_of(cell, *given, least=least, most=MOST_COUNT) if cell.strip() else None)
        count, size = values
        if count is not None and size is not None and count > size:
            self.findings.problem(cells.row, cells.name("corpus_count"), f"is above the corpus size {size}")
        return count, size

    def _attach(self, key: str, likelihood: LikelihoodRecord | None, generator: str) -> None:
        if likelihood is None:
            return
        text = self.texts[key]
        if not generator:
            self.loose[key] = likelihood
            return
        if text.source == "model" and text.decoding != likelihood.decoding and likelihood.decoding:
            rule = f"log p stands for {likelihood.decoding!r}, the text was decoded by {text.decoding!r}"
            self.findings.warn(text.row, "log_prob_decoding", rule)
        self.texts[key] = replace(text, likelihoods=(replace(likelihood, generator=generator),))

    def finished(self) -> tuple[TextRecord, ...]:
        """All texts, after the rules that need them all."""
        generators = sorted({text.generator for text in self.texts.values() if text.generator})
        for key, likelihood in self.loose.items():
            text = self.texts[key]
            if len(generators) == 1:
                self.texts[key] = replace(text, likelihoods=(replace(likelihood, generator=generators[0]),))
            else:
                rule = f"log p of a reference must name one of {len(generators)} generators; use a likelihoods file"
                self.findings.problem(text.row, "log_prob", rule)
        for text in self.texts.values():
            if text.source == "reference" and any(one.generator not in generators for one in text.likelihoods):
                self.findings.problem(text.row, "generator", "no model text of the file has this generator")
        check_pile(self.texts.values(), self.findings)
        return tuple(self.texts.values())


def source_of(cells: Cells, findings: Findings) -> Source | None:
    """reference or model, by the file's words for them."""
    word = cells.get("source").strip()
    if word in cells.names.sources:
        return cells.names.sources[word]
    rule = f"the source must be one of {', '.join(cells.names.sources)}, not {short(word)}"
    findings.problem(cells.row, cells.name("source"), rule)
    return None


def likelihood_of(cells: Cells, body: str | None, findings: Findings, *, decoding: str) -> LikelihoodRecord | None:
    """log p with its length and unit; the generator is left open. None where the cell is blank or a rule is broken."""
    row, written = cells.row, cells.get("log_prob").strip()
    length, unit = cells.get("length").strip(), cells.get("length_unit").strip()
    if unit and unit not in UNITS:
        findings.problem(row, cells.name("length_unit"), f"must be one of {', '.join(UNITS)}, not {unit!r}")
        return None
    whole = whole_of(length, row, cells.name("length"), findings, least=1) if length else None
    if not written:
        return None
    value = log_prob_of(written, row, cells.name("log_prob"), findings)
    if length and not unit:
        findings.problem(row, cells.name("length_unit"), f"a length needs its unit ({', '.join(UNITS)})")
        return None
    if not length and unit == "model_token":
        findings.problem(row, cells.name("length"), "model tokens cannot be counted here; give the length")
        return None
    if value is None or body is None or (length and whole is None):
        return None
    counted = len(body) if unit == "char" else whitespace_tokens(body)
    kept = optional_text(cells.get(decoding), row, cells.name(decoding), findings, limit=200)
    return LikelihoodRecord("", value, whole or counted, _unit(unit), kept, written)


def _unit(word: str) -> Unit:
    return next((unit for unit in UNITS if unit == word), "whitespace")


def check_pile(texts: Iterable[TextRecord], findings: Findings) -> None:
    """Rules about texts together: duplicates stop, one body under both sources and odd pairs are warned of."""
    seen: dict[tuple[str | None, str, str, str | None], int | None] = {}
    sources: defaultdict[str, set[str]] = defaultdict(set)
    sides: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        what = (text.context, text.body, text.source, text.generator)
        if what in seen:
            rule = f"the same text of the same source and context stands in row {seen[what]}"
            # Without a context, the same short text may well be drawn twice.
            (findings.problem if text.context else findings.warn)(text.row, "text", rule)
        seen.setdefault(what, text.row)
        sources[text.body].add(text.source)
        if len(sources[text.body]) == 2:
            findings.warn(text.row, "text", "the same text stands under both sources")
        if text.context:
            sides[text.context][text.generator or ""] += 1
    _check_pairs(sides, findings)


def _check_pairs(sides: dict[str, Counter[str]], findings: Findings) -> None:
    for context, counts in sides.items():
        if counts[""] > 1:
            findings.warn(None, "context", f"the context {context!r} has {counts['']} references")
        elif not counts[""] or len(counts) == 1:
            lacking = "a model text" if counts[""] else "a reference"
            findings.warn(None, "context", f"the context {context!r} lacks {lacking}")


def _with_likelihoods(
    texts: tuple[TextRecord, ...], path: Path, findings: Findings, delimiter: str | None
) -> tuple[TextRecord, ...]:
    by_id = {text.id: text for text in texts}
    generators = {text.generator for text in texts if text.generator}
    known = (*LIKELIHOOD_NEEDED, *LIKELIHOOD_OPTIONAL)
    for cells in read_cells(path, findings, Names(), needed=LIKELIHOOD_NEEDED, known=known, delimiter=delimiter):
        text, generator = by_id.get(cells.get("text").strip()), cells.get("generator").strip()
        if text is None:
            findings.problem(cells.row, "text", f"no text has the id {cells.get('text').strip()!r}")
        elif generator not in generators:
            findings.problem(cells.row, "generator", f"no model text has the generator {generator!r}")
        elif any(one.generator == generator for one in text.likelihoods):
            findings.problem(cells.row, "generator", f"the text {text.id!r} has a log p under {generator!r} already")
        elif not cells.get("log_prob").strip():
            findings.problem(cells.row, "log_prob", "must not be empty")
        else:
            found = likelihood_of(cells, text.body, findings, decoding="decoding")
            if found is not None:
                by_id[text.id] = replace(text, likelihoods=(*text.likelihoods, replace(found, generator=generator)))
    return tuple(by_id.values())
