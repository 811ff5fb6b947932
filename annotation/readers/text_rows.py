"""Rows of texts: each read and held against the rules, and the rules that need the whole file."""

from __future__ import annotations

from dataclasses import replace

from annotation.readers.cells import (
    MAX_BIG_INTEGER,
    has_ink,
    integer_of,
    key_of,
    name_of,
    optional_text,
    plain_text,
    short,
    text_of,
)
from annotation.readers.columns import Cells
from annotation.readers.cross_checks import Pile, digest
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.records import LikelihoodRecord, Source, TextRecord
from annotation.readers.spool import Spool
from annotation.readers.text_likelihoods import likelihood_of
from metrics.data.name_forms import NameForms

MAX_LABEL_CHARS = 100
MAX_CONTEXT = 1_000_000


class TextReader:
    """Takes rows of texts one by one. What becomes of a text that keeps all rules is for the subclass to say."""

    def __init__(self, findings: Findings, *, default_generator: str = "") -> None:
        self.findings, self.default_generator = findings, default_generator
        self.rows: dict[str, int] = {}
        self.forms = NameForms()
        self.contexts: dict[str, tuple[bytes, int]] = {}
        self.numbered: dict[bytes, str] = {}
        self.decodings: dict[str, tuple[str, int]] = {}

    def keep(self, text: TextRecord, likelihood: LikelihoodRecord | None) -> None:
        """Take a text; the likelihood's generator is "" where the row names none."""
        raise NotImplementedError

    def lose(self, context: str | None, source: Source | None, generator: str, row: int) -> None:
        """A row that broke a rule; the subclass may note what it would have been."""

    def take(self, cells: Cells) -> None:
        """Read one row."""
        findings, row = self.findings, cells.row
        key = key_of(cells.get("id"), row, cells.name("id"), findings)
        body = self._body(cells)
        source = source_of(cells, findings)
        generator = self._generator(cells, source)
        context, context_body = self._context(cells)
        likelihood = likelihood_of(cells, body, findings, decoding="log_prob_decoding")
        corpus = self._corpus(cells)
        domain = optional_text(cells.get("domain"), row, cells.name("domain"), findings, limit=60).strip()
        corpus_name = optional_text(
            cells.get("corpus_name"), row, cells.name("corpus_name"), findings, limit=200
        ).strip()
        known_label = optional_text(
            cells.get("known_label"), row, cells.name("known_label"), findings, limit=MAX_LABEL_CHARS
        ).strip()
        if key is not None and key in self.rows:
            rule = f"duplicate ID {key!r} (first in row {self.rows[key]})"
            findings.problem(row, cells.name("id"), rule, Code.DUPLICATE_ID)
            key = None
        elif key is not None and (rule := self.forms.rule(key, row)):
            findings.problem(row, cells.name("id"), rule, Code.DUPLICATE_ID)
            key = None
        if key is not None:
            self.rows[key] = row
        if key is None or body is None or source is None:
            self.lose(context, source, generator, row)
            return
        text = TextRecord(
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
            known_label=known_label,
            row=row,
        )
        if likelihood is not None and generator:
            likelihood = replace(likelihood, generator=generator)
            if source == "model" and text.decoding != likelihood.decoding and likelihood.decoding:
                rule = f"log p is of the decoding {likelihood.decoding!r}, the text was drawn by {text.decoding!r}"
                findings.warn(row, cells.name("log_prob_decoding"), rule, Code.DECODING_DIFFERS)
        self.keep(text, likelihood)

    def _body(self, cells: Cells) -> str | None:
        name, cell = cells.name("text"), cells.get("text")
        codes = (Code.EMPTY_TEXT, Code.BLANK_TEXT)
        body = text_of(cell, cells.row, name, self.findings, long=Code.TEXT_TOO_LONG, blank=codes)
        return body if body is not None and plain_text(body, cells.row, name, self.findings) else None

    def _generator(self, cells: Cells, source: Source | None) -> str:
        name = name_of(cells.get("generator"), cells.row, cells.name("generator"), self.findings, limit=100)
        if not name and has_ink(cells.get("generator")):
            return ""  # an invalid name, which was noted
        name = name or (self.default_generator if source == "model" else "")
        if source == "model" and not name:
            rule = "a model's text must name its generator"
            self.findings.problem(cells.row, cells.name("generator"), rule, Code.MISSING_GENERATOR)
        return name

    def _decoding(self, cells: Cells, generator: str) -> str:
        decoding = optional_text(cells.get("decoding"), cells.row, cells.name("decoding"), self.findings, limit=200)
        before, row = self.decodings.setdefault(generator, (decoding, cells.row))
        if decoding != before:
            rule = f"{generator!r} is decoded by {before!r} in row {row}; name each setting as a generator of its own"
            self.findings.problem(cells.row, cells.name("decoding"), rule, Code.TWO_DECODINGS)
        return decoding

    def _context(self, cells: Cells) -> tuple[str | None, str]:
        name, row, cell = cells.name("context_text"), cells.row, cells.get("context_text")
        body = optional_text(cell, row, name, self.findings, limit=MAX_CONTEXT, long=Code.CONTEXT_TOO_LONG)
        if body and not plain_text(body, row, name, self.findings):
            body = ""
        if not cells.get("context").strip():
            return (self.numbered.setdefault(digest(body), f"c{len(self.numbered) + 1}"), body) if body else (None, "")
        key = key_of(cells.get("context"), row, cells.name("context"), self.findings)
        if key is None:
            return None, ""
        body_digest = digest(body) if body else b""
        before, first = self.contexts.setdefault(key, (body_digest, row))
        if body_digest and before and body_digest != before:
            rule = f"the context {key!r} has another text in row {first}"
            self.findings.problem(row, name, rule, Code.CONTEXT_DIFFERS)
        elif body_digest and not before:
            self.contexts[key] = body_digest, row
        return key, body

    def _corpus(self, cells: Cells) -> tuple[int | None, int | None]:
        values: list[int | None] = []
        for name, minimum in (("corpus_count", 0), ("corpus_size", 1)):
            cell, place = cells.get(name), (cells.row, cells.name(name), self.findings)
            odd, below = Code.FREQUENCY_NOT_INTEGER, Code.NEGATIVE_FREQUENCY
            number = (
                integer_of(cell, *place, minimum=minimum, maximum=MAX_BIG_INTEGER, odd=odd, below=below)
                if cell.strip()
                else None
            )
            values.append(number)
        count, size = values
        if count is not None and size is not None and count > size:
            rule = f"is above the corpus size {size}"
            self.findings.problem(cells.row, cells.name("corpus_count"), rule, Code.FREQUENCY_ABOVE_CORPUS)
        return count, size


class FileTextReader(TextReader):
    """Keeps texts in a spool; rules that need the whole file are checked by `finished_texts`."""

    def __init__(self, findings: Findings, texts: Spool[TextRecord], *, default_generator: str = "") -> None:
        super().__init__(findings, default_generator=default_generator)
        self.texts = texts
        self.pile = Pile(findings)
        self.generators: set[str] = set()
        self.unsure = False  # whether a row broke its source or its generator: then these are not all
        self.loose: list[int] = []  # rows of references whose log p names no generator
        self.named: dict[str, int] = {}  # generators that references name, and the first row of each
        self.scored: dict[str, str] = {}  # text: the generator whose log p it has

    def keep(self, text: TextRecord, likelihood: LikelihoodRecord | None) -> None:
        self.pile.take(text)
        self._meet(text.source, text.generator or "")
        if likelihood is not None:
            text = replace(text, likelihoods=(likelihood,))
            if not likelihood.generator and text.source == "reference":
                self.loose.append(text.row or 0)
            elif text.source == "reference":
                self.named.setdefault(likelihood.generator, text.row or 0)
            self.scored[text.id] = likelihood.generator
        self.texts.append(text)

    def _meet(self, source: Source | None, generator: str) -> None:
        if source == "model" and generator:
            self.generators.add(generator)
        elif source != "reference":
            self.unsure = True

    def lose(self, context: str | None, source: Source | None, generator: str, row: int) -> None:
        self._meet(source, generator)
        if context and source:
            self.pile.expect(context, generator or "?" if source == "model" else None, row)

    def finished_texts(self) -> Spool[TextRecord]:
        """All texts, after the rules that need them all; a log p that names no generator has got the only one."""
        if len(self.generators) > 1 or not (self.generators or self.unsure):
            for row in self.loose:
                self.findings.problem(row, "log_prob", self._whose(), Code.LOG_P_WHOSE)
        for name, row in self.named.items():
            if name not in self.generators and not self.unsure:
                rule = f"no model text of the file has the generator {name!r}"
                self.findings.problem(row, "generator", rule, Code.UNKNOWN_GENERATOR)
        self.pile.finish()
        if self.findings.total or not self.loose:
            return self.texts
        only = next(iter(self.generators))
        self.scored = {key: name or only for key, name in self.scored.items()}
        return Spool(_with_generator(text, only) for text in self.texts)

    def _whose(self) -> str:
        if not self.generators:
            return "log p of a reference must name its generator: the file has no model text"
        return f"log p of a reference must name one of {len(self.generators)} generators; use a likelihoods file"


def _with_generator(text: TextRecord, generator: str) -> TextRecord:
    if all(likelihood.generator for likelihood in text.likelihoods):
        return text
    return replace(text, likelihoods=tuple(replace(likelihood, generator=generator) for likelihood in text.likelihoods))


def source_of(cells: Cells, findings: Findings) -> Source | None:
    """reference or model, by the file's words for them."""
    word = cells.get("source").strip()
    if word in cells.names.sources:
        return cells.names.sources[word]
    rule = f"the source must be one of {', '.join(cells.names.sources)}, not {short(word)}"
    findings.problem(cells.row, cells.name("source"), rule, Code.UNKNOWN_SOURCE)
    return None
