"""The texts that the HITs of a batch-results file show."""

from __future__ import annotations

from dataclasses import dataclass, replace

from annotation.readers.cells import (
    has_ink,
    integer_of,
    key_of,
    log_prob_of,
    name_of,
    optional_text,
    single_blank_tokens,
    text_of,
    whitespace_tokens,
)
from annotation.readers.mapping import BatchMapping, ItemGroup, Place
from annotation.readers.problems import Findings
from annotation.readers.records import LikelihoodRecord, TextRecord
from annotation.readers.tabular import Row

COUNTS = {"whitespace": whitespace_tokens, "single blanks": single_blank_tokens}


@dataclass(frozen=True, slots=True)
class _Loose:
    """A likelihood whose generator is known only when the whole file has been read."""

    text: str
    named: str
    column: str
    record: LikelihoodRecord
    row: int


class TextPile:
    """Collects texts in the order of the file and gives each the id by which it is known."""

    def __init__(self, mapping: BatchMapping, findings: Findings) -> None:
        self.mapping, self.findings = mapping, findings
        self.texts: dict[str, TextRecord] = {}
        self.same: dict[tuple[str, ...], str] = {}
        self.contexts: dict[str, str] = {}
        self.loose: list[_Loose] = []

    def add(self, hit: str, slot: int, group: ItemGroup, number: str, row: Row) -> str:
        """Take the text of one slot of a HIT; returns its id ("" where a rule is broken)."""
        body = text_of(self._cell(group.text, number, row), row.line, group.text.name(number), self.findings)
        source = self._source(group, number, row)
        named = group.generator.name(number)
        cell = self._cell(group.generator, number, row)
        generator = name_of(cell, row.line, named, self.findings, limit=100)
        if source == "model" and not generator and not has_ink(cell):
            self.findings.problem(row.line, named, "a model's text must name its generator")
        if body is None or source is None:
            return ""
        context, context_body = self._context(group, number, row)
        record = TextRecord(
            id="",
            body=body,
            source="model" if source == "model" else "reference",
            generator=generator if source == "model" else None,
            decoding=self.mapping.decoding if source == "model" else "",
            context=context,
            context_body=context_body,
            row=row.line,
        )
        return self._placed(record, hit, slot, group, number, row)

    def _placed(self, record: TextRecord, hit: str, slot: int, group: ItemGroup, number: str, row: Row) -> str:
        """Give the text its id; a text met before must be the same."""
        what = (record.context or "", record.body, record.source, record.generator or "")
        if group.id is not None:
            name = group.id.name(number)
            key = key_of(self._cell(group.id, number, row), row.line, name, self.findings) or ""
        elif self.mapping.identity == "text":
            key = self.same.setdefault(what, f"{hit}-{slot}")
        else:
            key = f"{hit}-{slot}"
        known = self.texts.get(key)
        if known is None:
            self.texts[key] = replace(record, id=key)
            self._likelihoods(key, record, group, number, row)
        elif what != (known.context or "", known.body, known.source, known.generator or ""):
            self.findings.problem(row.line, group.text.name(number), f"the text {key!r} differs from row {known.row}")
        return key

    def _cell(self, place: Place, number: str, row: Row) -> str:
        return place.read(row.cells, number)

    def _source(self, group: ItemGroup, number: str, row: Row) -> str | None:
        word = self._cell(group.source, number, row).strip()
        if word in self.mapping.sources:
            return self.mapping.sources[word]
        if not group.source.column and word in {"reference", "model"}:
            return word
        known = ", ".join(self.mapping.sources)
        rule = f"the source must be one of {known}, not {word!r}"
        self.findings.problem(row.line, group.source.name(number), rule)
        return None

    def _context(self, group: ItemGroup, number: str, row: Row) -> tuple[str | None, str]:
        """The context's key and body: keyed by its id, or numbered in the order in which bodies are first met."""
        body = ""
        if group.context is not None:
            name = group.context.name(number)
            body = optional_text(self._cell(group.context, number, row), row.line, name, self.findings, limit=1_000_000)
        if group.context_id is not None and self._cell(group.context_id, number, row).strip():
            name = group.context_id.name(number)
            return key_of(self._cell(group.context_id, number, row), row.line, name, self.findings), body
        if not body:
            return None, ""
        return self.contexts.setdefault(body, f"c{len(self.contexts) + 1}"), body

    def _likelihoods(self, key: str, text: TextRecord, group: ItemGroup, number: str, row: Row) -> None:
        length = self._length(text.body, group, number, row)
        named = [(place, generator) for generator, place in group.log_probs if text.generator in (None, generator)]
        if group.log_prob is not None and not any(generator == text.generator for _, generator in named):
            named.append((group.log_prob, text.generator or ""))
        for place, generator in named:
            name, cell = place.name(number), self._cell(place, number, row).strip()
            if not cell:
                self.findings.warn(row.line, name, "is blank; HUSE needs a log p for every text")
                continue
            value = log_prob_of(cell, row.line, name, self.findings)
            if value is None or length is None:
                continue
            decoding = self.mapping.log_prob_decoding
            record = LikelihoodRecord(generator, value, length, self.mapping.unit, decoding, cell)
            if generator:
                self._attach(key, record)
            else:
                self.loose.append(_Loose(key, self._cell(group.generator, number, row).strip(), name, record, row.line))

    def _length(self, body: str, group: ItemGroup, number: str, row: Row) -> int | None:
        if group.length is not None:
            cell = self._cell(group.length, number, row)
            return integer_of(cell, row.line, group.length.name(number), self.findings, minimum=1)
        return len(body) if self.mapping.unit == "char" else COUNTS[self.mapping.count](body)

    def _attach(self, key: str, record: LikelihoodRecord) -> None:
        text = self.texts[key]
        self.texts[key] = replace(text, likelihoods=(*text.likelihoods, record))

    def finished(self) -> tuple[TextRecord, ...]:
        """All texts, the references' log p given to the generator it belongs to."""
        generators = {text.generator for text in self.texts.values() if text.generator}
        for loose in self.loose:
            if loose.named in generators:
                self._attach(loose.text, replace(loose.record, generator=loose.named))
            elif len(generators) == 1:
                self._attach(loose.text, replace(loose.record, generator=next(iter(generators))))
            else:
                rule = f"a reference's log p must name one of the {len(generators)} generators"
                self.findings.problem(loose.row, loose.column, f"{rule}; map it in [items.log_probs]")
        return tuple(self.texts.values())
