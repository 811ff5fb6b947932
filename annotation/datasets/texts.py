"""Reading a file of texts (and, where references are shared, a file of their likelihoods)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from annotation.datasets.cells import (
    MOST_COUNT,
    has_ink,
    key_of,
    log_prob_of,
    optional_text,
    plain_text,
    short,
    text_of,
    whitespace_tokens,
    whole_of,
)
from annotation.datasets.codes import Code
from annotation.datasets.columns import Cells, Names, load_names, read_cells
from annotation.datasets.lines import Progress
from annotation.datasets.pile import Pile, digest
from annotation.datasets.problems import FileProblems, Findings, Sink, Told
from annotation.datasets.records import UNITS, LikelihoodRecord, Provenance, Source, TextRecord, Unit
from annotation.datasets.spool import Spool
from annotation.datasets.tabular import FileForm, sha256_of

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
    "known_label",
)
MOST_LABEL = 100
LIKELIHOOD_NEEDED = ("text", "generator", "log_prob")
LIKELIHOOD_OPTIONAL = ("length", "length_unit", "decoding")
MAX_CONTEXT = 1_000_000
PREVIEW = 5
UNCOUNTED = 0  # a length that is counted when the text is at hand


@dataclass(frozen=True, slots=True)
class TextFile:
    """Texts ready to be added, where they come from, and what a reader should know of them."""

    texts: Sequence[TextRecord]
    provenance: Provenance
    warnings: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A row as it was read, before any rule: cells by our names of the columns."""

    row: int
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Faults:
    """What one file broke and what it only warns of."""

    file: str
    problems: Told = field(default_factory=Told)
    warnings: Told = field(default_factory=Told)


@dataclass(frozen=True, slots=True)
class Examination:
    """What a dry run shows. `texts` and `provenance` are there only where no rule is broken.

    rows: rows read. notes: what was taken for granted in reading (delimiter, encoding), a sentence each.
    faults: of the file of texts, then of the file of likelihoods.
    """

    rows: int
    preview: tuple[PreviewRow, ...]
    notes: tuple[str, ...]
    faults: tuple[Faults, ...]
    texts: Sequence[TextRecord] = ()
    provenance: Provenance | None = None

    @property
    def total_problems(self) -> int:
        return sum(one.problems.total for one in self.faults)

    @property
    def total_warnings(self) -> int:
        return sum(one.warnings.total for one in self.faults)

    def raise_if_any(self) -> None:
        """Raises FileProblems where a rule is broken."""
        for one in self.faults:
            if one.problems.total:
                raise FileProblems(one.file, one.problems.listed, one.problems.total, one.problems.by_code)


def read_texts(
    path: Path,
    *,
    mapping: Path | None = None,
    likelihoods: Path | None = None,
    generator: str | None = None,
    delimiter: str | None = None,
    allow: Collection[Code] = (),
) -> TextFile:
    """Read and check a whole file of texts as `examine_texts` does; raises FileProblems where a rule is broken."""
    names = load_names(mapping, (*NEEDED, *OPTIONAL))
    found = examine_texts(
        path, names=names, likelihoods=likelihoods, generator=generator, form=FileForm(delimiter), allow=allow
    )
    found.raise_if_any()
    assert found.provenance is not None  # noqa: S101 (there are no problems)
    return TextFile(found.texts, found.provenance, told_warnings(found), found.notes)


def told_warnings(found: Examination) -> tuple[str, ...]:
    """The warnings of an examination as sentences."""
    told = []
    for one in found.faults:
        told += [f"{one.file}, {warning}" for warning in one.warnings.listed]
        if one.warnings.total > len(one.warnings.listed):
            told.append(f"{one.file}: {one.warnings.total - len(one.warnings.listed)} more warnings.")
    return tuple(told)


def examine_texts(
    path: Path,
    *,
    names: Names | None = None,
    likelihoods: Path | None = None,
    generator: str | None = None,
    form: FileForm | None = None,
    allow: Collection[Code] = (),
    sink: Sink | None = None,
    progress: Progress | None = None,
) -> Examination:
    """Read and check a whole file or datasets folder of texts, and tell of every problem; changes nothing.

    names: what the file calls our columns. likelihoods: a second file with text, generator, log_prob.
    generator: the generator of model texts whose row names none. form: delimiter, encoding, split.
    allow: codes (of ALLOWABLE) that only warn. sink: takes every problem, listed or not.
    """
    findings = Findings(path, allow=allow, sink=sink)
    texts: Spool[TextRecord] = Spool()
    reader = FileTextReader(findings, texts, default_generator=_default(generator, findings))
    preview: list[PreviewRow] = []
    rows = 0
    try:
        known = (*NEEDED, *OPTIONAL)
        for cells in read_cells(
            path, findings, names or Names(), needed=NEEDED, known=known, form=form, progress=progress
        ):
            rows += 1
            if rows <= PREVIEW:
                preview.append(PreviewRow(cells.row, {ours: cells.get(ours) for ours in known if cells.has(ours)}))
            reader.take(cells)
        texts = reader.finished_texts()
    except FileProblems:
        pass  # told by the findings
    faults = [Faults(findings.file, findings.told_problems(), findings.warned())]
    if likelihoods is not None:
        more = Findings(likelihoods, allow=allow, sink=sink)
        try:
            if not findings.total:
                texts = _with_likelihoods(texts, reader, likelihoods, more, form)
        except FileProblems:
            pass
        faults.append(Faults(more.file, more.told_problems(), more.warned()))
        findings.notes += more.notes
    notes = tuple(findings.notes)
    if any(one.problems.total for one in faults):
        return Examination(rows, tuple(preview), notes, tuple(faults))
    provenance = Provenance(path.resolve().name, sha256_of(path), rows, "texts")
    return Examination(rows, tuple(preview), notes, tuple(faults), texts, provenance)


def _default(generator: str | None, findings: Findings) -> str:
    return optional_text(generator or "", None, "--generator", findings, limit=100).strip()


class TextReader:
    """Takes rows of texts one by one. What becomes of a text that keeps all rules is for the subclass to say."""

    def __init__(self, findings: Findings, *, default_generator: str = "") -> None:
        self.findings, self.default_generator = findings, default_generator
        self.rows: dict[str, int] = {}
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
            cells.get("known_label"), row, cells.name("known_label"), findings, limit=MOST_LABEL
        ).strip()
        if key is not None and key in self.rows:
            rule = f"the id {key!r} stands in row {self.rows[key]} already"
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
                rule = f"log p stands for {likelihood.decoding!r}, the text was decoded by {text.decoding!r}"
                findings.warn(row, cells.name("log_prob_decoding"), rule, Code.DECODING_DIFFERS)
        self.keep(text, likelihood)

    def _body(self, cells: Cells) -> str | None:
        name, cell = cells.name("text"), cells.get("text")
        codes = (Code.EMPTY_TEXT, Code.BLANK_TEXT)
        body = text_of(cell, cells.row, name, self.findings, long=Code.TEXT_TOO_LONG, blank=codes)
        return body if body is not None and plain_text(body, cells.row, name, self.findings) else None

    def _generator(self, cells: Cells, source: Source | None) -> str:
        name = optional_text(cells.get("generator"), cells.row, cells.name("generator"), self.findings, limit=100)
        name = name.strip() or (self.default_generator if source == "model" else "")
        if source == "model" and not name and not has_ink(cells.get("generator")):
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
        told = digest(body) if body else b""
        before, first = self.contexts.setdefault(key, (told, row))
        if told and before and told != before:
            rule = f"the context {key!r} has another text in row {first}"
            self.findings.problem(row, name, rule, Code.CONTEXT_DIFFERS)
        elif told and not before:
            self.contexts[key] = told, row
        return key, body

    def _corpus(self, cells: Cells) -> tuple[int | None, int | None]:
        values: list[int | None] = []
        for name, least in (("corpus_count", 0), ("corpus_size", 1)):
            cell, given = cells.get(name), (cells.row, cells.name(name), self.findings)
            odd, below = Code.FREQUENCY_NOT_WHOLE, Code.NEGATIVE_FREQUENCY
            whole = whole_of(cell, *given, least=least, most=MOST_COUNT, odd=odd, below=below) if cell.strip() else None
            values.append(whole)
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
        self.loose: list[int] = []  # rows of references whose log p names no generator
        self.named: dict[str, int] = {}  # generators that references name, and the first row of each
        self.scored: dict[str, str] = {}  # text: the generator whose log p it has

    def keep(self, text: TextRecord, likelihood: LikelihoodRecord | None) -> None:
        self.pile.take(text)
        if text.generator:
            self.generators.add(text.generator)
        if likelihood is not None:
            text = replace(text, likelihoods=(likelihood,))
            if not likelihood.generator:
                self.loose.append(text.row or 0)
            elif text.source == "reference":
                self.named.setdefault(likelihood.generator, text.row or 0)
            self.scored[text.id] = likelihood.generator
        self.texts.append(text)

    def lose(self, context: str | None, source: Source | None, generator: str, row: int) -> None:
        if context and source:
            self.pile.expect(context, generator or "?" if source == "model" else None, row)

    def finished_texts(self) -> Spool[TextRecord]:
        """All texts, after the rules that need them all; a log p that names no generator has got the only one."""
        if len(self.generators) != 1:
            rule = f"log p of a reference must name one of {len(self.generators)} generators; use a likelihoods file"
            for row in self.loose:
                self.findings.problem(row, "log_prob", rule, Code.LOG_P_WHOSE)
        for name, row in self.named.items():
            if name not in self.generators:
                rule = f"no model text of the file has the generator {name!r}"
                self.findings.problem(row, "generator", rule, Code.UNKNOWN_GENERATOR)
        self.pile.finish()
        if self.findings.total or not self.loose:
            return self.texts
        only = next(iter(self.generators))
        self.scored = {key: name or only for key, name in self.scored.items()}
        return Spool(_given(text, only) for text in self.texts)


def _given(text: TextRecord, generator: str) -> TextRecord:
    if all(one.generator for one in text.likelihoods):
        return text
    return replace(text, likelihoods=tuple(replace(one, generator=generator) for one in text.likelihoods))


def source_of(cells: Cells, findings: Findings) -> Source | None:
    """reference or model, by the file's words for them."""
    word = cells.get("source").strip()
    if word in cells.names.sources:
        return cells.names.sources[word]
    rule = f"the source must be one of {', '.join(cells.names.sources)}, not {short(word)}"
    findings.problem(cells.row, cells.name("source"), rule, Code.UNKNOWN_SOURCE)
    return None


def likelihood_of(cells: Cells, body: str | None, findings: Findings, *, decoding: str) -> LikelihoodRecord | None:
    """log p with its length and unit; the generator is left open. None where the cell is blank or a rule is broken.

    body: the text, from which a length that is not given is counted; UNCOUNTED where it is None.
    """
    row, written = cells.row, cells.get("log_prob").strip()
    length, unit = cells.get("length").strip(), cells.get("length_unit").strip()
    if unit and unit not in UNITS:
        rule = f"must be one of {', '.join(UNITS)}, not {short(unit)}"
        findings.problem(row, cells.name("length_unit"), rule, Code.LENGTH_UNIT_UNKNOWN)
        unit = "char"  # the other cells are still looked at
    place = row, cells.name("length"), findings
    odd, below = Code.LENGTH_NOT_WHOLE, Code.LENGTH_BELOW_ONE
    whole = whole_of(length, *place, least=1, odd=odd, below=below) if length else None
    if not written:
        return None
    value = log_prob_of(written, row, cells.name("log_prob"), findings)
    if length and not unit:
        rule = f"a length needs its unit ({', '.join(UNITS)})"
        findings.problem(row, cells.name("length_unit"), rule, Code.LENGTH_UNIT_MISSING)
    elif not length and unit == "model_token":
        rule = "model tokens cannot be counted here; give the length"
        findings.problem(row, cells.name("length"), rule, Code.LENGTH_MISSING)
    elif value is not None and (whole is not None or not length):
        kept = optional_text(cells.get(decoding), row, cells.name(decoding), findings, limit=200)
        return LikelihoodRecord("", value, whole or _counted(body, unit), _unit(unit), kept, written)
    return None


def _counted(body: str | None, unit: str) -> int:
    if body is None:
        return UNCOUNTED
    return len(body) if unit == "char" else whitespace_tokens(body)


def _unit(word: str) -> Unit:
    return next((unit for unit in UNITS if unit == word), "whitespace")


def _with_likelihoods(
    texts: Iterable[TextRecord], reader: FileTextReader, path: Path, findings: Findings, form: FileForm | None
) -> Spool[TextRecord]:
    """The texts with the log p that a second file gives them."""
    found: dict[str, list[LikelihoodRecord]] = {}
    known = (*LIKELIHOOD_NEEDED, *LIKELIHOOD_OPTIONAL)
    form = replace(form or FileForm(), split=None)
    for cells in read_cells(path, findings, Names(), needed=LIKELIHOOD_NEEDED, known=known, form=form):
        key, generator, row = cells.get("text").strip(), cells.get("generator").strip(), cells.row
        mine = found.setdefault(key, [])
        if key not in reader.rows:
            findings.problem(row, "text", f"no text has the id {short(key)}", Code.UNKNOWN_TEXT)
        elif generator not in reader.generators:
            rule = f"no model text has the generator {short(generator)}"
            findings.problem(row, "generator", rule, Code.UNKNOWN_GENERATOR)
        elif reader.scored.get(key) == generator or any(one.generator == generator for one in mine):
            rule = f"the text {key!r} has a log p under {generator!r} already"
            findings.problem(row, "generator", rule, Code.DUPLICATE_LOG_P)
        elif not cells.get("log_prob").strip():
            findings.problem(row, "log_prob", "must not be empty", Code.MISSING_LOG_P)
        else:
            one = likelihood_of(cells, None, findings, decoding="decoding")
            if one is not None:
                mine.append(replace(one, generator=generator))
    findings.raise_if_any()
    return Spool(_attached(text, found.get(text.id, ())) for text in texts)


def _attached(text: TextRecord, more: Iterable[LikelihoodRecord]) -> TextRecord:
    counted = [replace(one, length=one.length or _counted(text.body, one.unit)) for one in more]
    return replace(text, likelihoods=(*text.likelihoods, *counted)) if counted else text
