"""How the columns of any file become texts: one text per row, or several side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from annotation.readers.columns import Cells, Names
from annotation.readers.foreign.open_file import open_table
from annotation.readers.lines import Progress
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.rows import Row
from annotation.readers.tabular import FileForm

Shape = Literal["long", "wide"]
Side = Literal["column", "reference", "model"]
MORE = (
    "domain",
    "log_prob",
    "length",
    "length_unit",
    "decoding",
    "log_prob_decoding",
    "known_label",
    "corpus_count",
    "corpus_name",
    "corpus_size",
)
# The name under which a value that no column holds is read.
BUILT = "(no column)"
MAX_JOINED = 1_000_000


@dataclass(frozen=True, slots=True)
class TextMapping:
    """Which column holds what; "" where none does. A column of nested records is a path, such as `doc.question`.

    side: whether a column (`source`) says who wrote a text, or all are of people or of models (shape `long`).
    references: the words of `source` that mean a person; every other word is a model.
    generator: a column; generator_name: for texts whose row names none.
    reference, models: the columns of texts by people and by models (shape `wide`), each model called by its column
    or by `model_names`. more: our further columns. joined, joined_text: the columns of a second file in which the
    contexts are looked up by the value of `context`.
    """

    shape: Shape = "long"
    id: str = ""
    context: str = ""
    context_text: str = ""
    text: str = ""
    side: Side = "column"
    source: str = ""
    references: tuple[str, ...] = ()
    generator: str = ""
    generator_name: str = ""
    reference: str = ""
    models: tuple[str, ...] = ()
    model_names: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, str] = field(default_factory=dict)
    encoding: str = ""
    delimiter: str = ""
    sheet: str = ""
    joined: str = ""
    joined_text: str = ""
    layout: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def form(self) -> FileForm:
        return FileForm(self.delimiter or None, self.encoding or None, self.sheet or None)

    def columns(self) -> tuple[str, ...]:
        """The columns of the file that are read."""
        names = [self.id, self.context, self.more.get("domain", "")]
        if not self.joined:
            names.append(self.context_text)
        if self.shape == "wide":
            names += [self.reference, *self.models]
        else:
            names += [self.text, self.generator, *self.more.values()]
            names += [self.source] if self.side == "column" else []
        return tuple(dict.fromkeys(name for name in names if name))

    def allows(self) -> frozenset[Code]:
        """Faults that say nothing about a file with one side only: the other side comes in another file."""
        has_single_side = self.side != "column" if self.shape == "long" else not (self.reference and self.models)
        return frozenset({Code.UNPAIRED_CONTEXT}) if has_single_side else frozenset()


def mapping_from_json(stored: Mapping[str, Any]) -> TextMapping:
    """Read what `as_json` wrote, or a person. Raises ValueError naming what is wrong."""
    known = {entry.name: entry for entry in fields(TextMapping)}
    if unknown := sorted(set(stored) - set(known)):
        raise ValueError(f"{unknown[0]!r} is not a key of a mapping; use one of {', '.join(known)}")
    values: dict[str, Any] = {}
    for name, value in stored.items():
        if name in ("references", "models"):
            correct = isinstance(value, list | tuple) and all(isinstance(part, str) for part in value)
            value = tuple(value) if correct else value
        elif name in ("model_names", "more"):
            correct = isinstance(value, Mapping) and all(isinstance(part, str) for part in value.values())
        else:
            correct = isinstance(value, str)
        if not correct:
            raise ValueError(f"{name!r} has a value of the wrong kind")
        values[name] = value
    mapping = TextMapping(**values)
    if mapping.shape not in ("long", "wide") or mapping.side not in ("column", "reference", "model"):
        raise ValueError("shape is long or wide; side is column, reference or model")
    if unknown := sorted(set(mapping.more) - set(MORE)):
        raise ValueError(f"{unknown[0]!r} is not one of {', '.join(MORE)}")
    return mapping


def missing_choice(mapping: TextMapping) -> str:
    """Return a sentence about the choice that is still missing; "" where there is none."""
    if mapping.shape == "wide":
        return "" if mapping.reference or mapping.models else "Choose at least one column of texts."
    if not mapping.text:
        return "Choose the column of the texts."
    if mapping.side == "column" and not mapping.source:
        return "Choose the column that says who wrote a text, or say that all are of one side."
    return ""


def read_mapped(
    path: Path,
    findings: Findings,
    mapping: TextMapping,
    *,
    joined: Path | None = None,
    progress: Progress | None = None,
) -> Iterator[Cells]:
    """Yield each text of the file as a row under our names; note a column that the file lacks."""
    table = open_table(path, findings, form=mapping.form, read=mapping.columns(), progress=progress)
    bodies = _joined_texts(joined, mapping, findings) if joined is not None and mapping.joined else {}
    rows: Iterable[Row] = table.rows
    if table.fields:
        _require(mapping, table.fields, 1, findings)
        findings.raise_if_any()
    else:
        first = next(iter(table.rows), None)
        rows = chain([first] if first else [], table.rows)
    for place, row in enumerate(rows):
        if not table.fields and place == 0:
            _require(mapping, row.cells, row.line, findings, sparse=True)
            findings.raise_if_any()
        yield from cells_of_row(row, mapping, bodies)


def _require(
    mapping: TextMapping, present: Iterable[str], line: int, findings: Findings, *, sparse: bool = False
) -> None:
    """Note the columns that are missing. sparse: the first record may lack optional members."""
    required = (mapping.reference, *mapping.models) if mapping.shape == "wide" else (mapping.text,)
    available = set(present)
    for name in required if sparse else mapping.columns():
        if name and name not in available and not (sparse and mapping.shape == "wide" and name in mapping.models):
            findings.problem(line, name, "this column is missing from the file", Code.MISSING_COLUMN, column=name)


def _joined_texts(path: Path, mapping: TextMapping, findings: Findings) -> dict[str, str]:
    """The contexts' texts of a second file, by the value of its key."""
    others = Findings(path)
    bodies: dict[str, str] = {}
    size = 0
    for row in open_table(path, others, read=(mapping.joined, mapping.joined_text)).rows:
        key, body = row.cells.get(mapping.joined, ""), row.cells.get(mapping.joined_text, "")
        size += len(body)
        if key and size < 64 * MAX_JOINED:
            bodies[key] = body
    if not bodies:
        rule = f"the second file has no values in {mapping.joined!r}"
        findings.problem(None, mapping.joined, rule, Code.MISSING_COLUMN, column=mapping.joined)
    return bodies


def cells_of_row(row: Row, mapping: TextMapping, bodies: Mapping[str, str] | None = None) -> Iterator[Cells]:
    """The texts of one row."""
    cells = {name: row.cells.get(name, "") for name in mapping.columns()}
    context, context_text = _context(row, mapping, bodies or {})
    if mapping.shape == "long":
        yield _long(row, cells, mapping, context, context_text)
        return
    key = cells.get(mapping.id, "") or cells.get(mapping.context, "") or str(row.line)
    sides = [(mapping.reference, "reference")] if mapping.reference else []
    for column, source in (*sides, *((name, "model") for name in mapping.models)):
        if source == "model" and not cells[column].strip():
            continue  # a model that answered nothing here; contexts without its text are counted
        generator = mapping.model_names.get(column) or (
            mapping.generator_name if len(mapping.models) == 1 and mapping.generator_name else column
        )
        values = {
            "id": f"{key}-{'reference' if source == 'reference' else generator}"[:200],
            "source": source,
            "generator": generator if source == "model" else "",
            "context": context or f"row {row.line}",
            "context_text": context_text,
        }
        yield _cells(row, values, {"text": column, "domain": mapping.more.get("domain", "")}, cells)


def _context(row: Row, mapping: TextMapping, bodies: Mapping[str, str]) -> tuple[str, str]:
    """The context's id and text. Side by side, equal prompts without an id are numbered by the reader of texts."""
    key = row.cells.get(mapping.context, "").strip()
    body = bodies.get(key, "") if mapping.joined else row.cells.get(mapping.context_text, "")
    return key, body


def _long(row: Row, cells: Mapping[str, str], mapping: TextMapping, context: str, context_text: str) -> Cells:
    values: dict[str, str] = {"context_text": context_text}
    names = {"text": mapping.text, "context": mapping.context, **mapping.more}
    if mapping.id:
        names["id"] = mapping.id
    else:
        values["id"] = f"t{row.line}"
    if mapping.side == "column":
        word = cells[mapping.source].strip()
        values["source"] = word and ("reference" if word in mapping.references else "model")
    else:
        values["source"] = mapping.side
    if values["source"] == "model":
        values["generator"] = (cells.get(mapping.generator, "") or mapping.generator_name).strip()
    return _cells(row, values, names, cells)


def _cells(row: Row, values: Mapping[str, str], names: Mapping[str, str], cells: Mapping[str, str]) -> Cells:
    """A row under our names: `values` by our names, `names` by the file's."""
    columns = {column: name for column, name in names.items() if name}
    columns |= {column: f"{BUILT} {column}" for column in values}
    content = {name: cells.get(name, "") for name in names.values() if name}
    content |= {f"{BUILT} {column}": value for column, value in values.items()}
    return Cells(row.line, Names(columns), content)


def with_form(mapping: TextMapping, form: FileForm) -> TextMapping:
    """The mapping for a file that is read in this form."""
    return replace(mapping, encoding=form.encoding or "", delimiter=form.delimiter or "", sheet=form.split or "")
