"""Reading a file of texts (and, where references are shared, a file of their likelihoods)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotation.readers.cells import name_of
from annotation.readers.columns import Names, load_names, read_cells
from annotation.readers.foreign.text_mapping import TextMapping, read_mapped
from annotation.readers.lines import Progress
from annotation.readers.problem_codes import Code
from annotation.readers.problems import FileProblems, Findings, ProblemSummary, Sink
from annotation.readers.records import Provenance, TextRecord
from annotation.readers.spool import Spool
from annotation.readers.tabular import FileForm, sha256_of
from annotation.readers.text_likelihoods import with_likelihoods
from annotation.readers.text_rows import FileTextReader

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
PREVIEW = 5


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
    problems: ProblemSummary = field(default_factory=ProblemSummary)
    warnings: ProblemSummary = field(default_factory=ProblemSummary)


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
        return sum(file.problems.total for file in self.faults)

    @property
    def total_warnings(self) -> int:
        return sum(file.warnings.total for file in self.faults)

    def raise_if_any(self) -> None:
        """Raises FileProblems where a rule is broken."""
        for file in self.faults:
            if file.problems.total:
                raise FileProblems(file.file, file.problems.listed, file.problems.total, file.problems.by_code)


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
    examination = examine_texts(
        path, names=names, likelihoods=likelihoods, generator=generator, form=FileForm(delimiter), allow=allow
    )
    examination.raise_if_any()
    assert examination.provenance is not None  # noqa: S101 (there are no problems)
    return TextFile(examination.texts, examination.provenance, warning_sentences(examination), examination.notes)


def warning_sentences(examination: Examination) -> tuple[str, ...]:
    """The warnings of an examination as sentences."""
    sentences = []
    for file in examination.faults:
        sentences += [f"{file.file}, {warning}" for warning in file.warnings.listed]
        if file.warnings.total > len(file.warnings.listed):
            sentences.append(f"{file.file}: {file.warnings.total - len(file.warnings.listed)} more warnings.")
    return tuple(sentences)


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
    mapping: TextMapping | None = None,
    joined: Path | None = None,
) -> Examination:
    """Read and check a whole file or datasets folder of texts, and note every problem; change nothing.

    names: what the file calls our columns. likelihoods: a second file with text, generator, log_prob.
    generator: the generator of model texts whose row names none. form: delimiter, encoding, split.
    allow: codes (of ALLOWABLE) that only warn. sink: takes every problem, listed or not.
    mapping: how any file's columns become texts; names and form are then not used. joined: its second file.
    """
    allow = {*allow, *mapping.allows()} if mapping else allow
    findings = Findings(path, allow=allow, sink=sink)
    texts: Spool[TextRecord] = Spool()
    generator = generator or (mapping.generator_name if mapping else None)
    reader = FileTextReader(findings, texts, default_generator=_default_generator(generator, findings))
    preview: list[PreviewRow] = []
    rows = 0
    try:
        known = (*NEEDED, *OPTIONAL)
        content = (
            read_mapped(path, findings, mapping, joined=joined, progress=progress)
            if mapping
            else read_cells(path, findings, names or Names(), needed=NEEDED, known=known, form=form, progress=progress)
        )
        for cells in content:
            rows += 1
            if rows <= PREVIEW:
                preview.append(
                    PreviewRow(cells.row, {column: cells.get(column) for column in known if cells.has(column)})
                )
            reader.take(cells)
        texts = reader.finished_texts()
    except FileProblems:
        pass  # noted in the findings
    faults = [Faults(findings.file, findings.summarize_problems(), findings.summarize_warnings())]
    if likelihoods is not None:
        more = Findings(likelihoods, allow=allow, sink=sink)
        try:
            if not findings.total:
                texts = with_likelihoods(
                    texts, likelihoods, more, form,
                    known=reader.rows, generators=reader.generators, scored=reader.scored,
                )  # fmt: skip
        except FileProblems:
            pass
        faults.append(Faults(more.file, more.summarize_problems(), more.summarize_warnings()))
        findings.notes += more.notes
    notes = tuple(findings.notes)
    if any(file.problems.total for file in faults):
        return Examination(rows, tuple(preview), notes, tuple(faults))
    provenance = Provenance(path.resolve().name, sha256_of(path), rows, "texts")
    return Examination(rows, tuple(preview), notes, tuple(faults), texts, provenance)


def _default_generator(generator: str | None, findings: Findings) -> str:
    return name_of(generator or "", None, "--generator", findings, limit=100)
