"""Reading a mapping file: strict TOML, every unknown or missing key named."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields as fields_of
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from annotation.readers.cells import decimal_of
from annotation.readers.mapping import NUMBER, BatchMapping, Columns, ItemGroup, Place
from annotation.readers.problems import Findings
from annotation.readers.records import UNITS, LabelRecord, ScaleRecord, Source

SHIPPED = Path(__file__).parent / "mappings"
SOURCES: dict[str, Source] = {"reference": "reference", "model": "model"}
ANYTHING: tuple[str, ...] = ()
RANGE = re.compile(r"(-?\d+)\s*-\s*(-?\d+)\Z")
PLACES = ("text", "rating", "source", "generator", "context", "context_id", "id", "log_prob", "length")


class Section:
    """One table of the file; notes what is odd about its keys, and which were never read."""

    def __init__(self, data: Mapping[str, Any], path: str, findings: Findings) -> None:
        self.data, self.path, self.findings = dict(data), path, findings

    def key(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def word(self, name: str, default: str = "", *, among: tuple[str, ...] = ANYTHING, limit: int = 200) -> str:
        """A string (or number, as written) of at most `limit` characters, one of `among` where that is given."""
        value = self.data.pop(name, default)
        if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
            self.findings.problem(None, self.key(name), "must be a text")
            return default
        if among and value not in among:
            self.findings.problem(None, self.key(name), f"must be one of {', '.join(among)}, not {value!r}")
            return default
        if len(str(value)) > limit:
            self.findings.problem(None, self.key(name), f"has {len(str(value))} characters; the limit is {limit}")
        return str(value)

    def section(self, name: str) -> Section:
        value = self.data.pop(name, {})
        if not isinstance(value, dict):
            self.findings.problem(None, self.key(name), "must be a table")
            value = {}
        return Section(value, self.key(name), self.findings)

    def sections(self, name: str) -> list[Section]:
        """An array of tables; a single table counts as one."""
        value = self.data.pop(name, [])
        rows = [value] if isinstance(value, dict) else value
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            self.findings.problem(None, self.key(name), "must be tables")
            rows = []
        return [Section(row, f"{self.key(name)}[{at}]", self.findings) for at, row in enumerate(rows, start=1)]

    def place(self, name: str, *, required: bool = False) -> Place | None:
        """A column's name, or { value = "the same everywhere" }."""
        value = self.data.pop(name, None)
        if isinstance(value, str) and value.strip():
            return Place(column=value)
        if isinstance(value, dict) and set(value) == {"value"} and isinstance(value["value"], str):
            return Place(value=value["value"])
        if value is not None:
            self.findings.problem(None, self.key(name), 'must be a column\'s name or { value = "..." }')
        elif required:
            self.findings.problem(None, self.key(name), "is missing")
        return None

    def close(self) -> None:
        """Note the keys that were not read."""
        for name in self.data:
            self.findings.problem(None, self.key(name), "is not a key that a mapping has")


def load_mapping(path: Path) -> BatchMapping:
    """Read a mapping. Raises FileProblems naming each odd key."""
    findings = Findings(path)
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    except OSError as error:
        raise findings.stop(None, "", f"the mapping cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise findings.stop(None, "", "the mapping is not UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise findings.stop(None, "", f"the mapping is not TOML: {error}") from None
    root = Section(data, "", findings)
    mapping = _mapping(root, path.stem, findings)
    root.close()
    findings.raise_if_any()
    return mapping


def shipped_mappings() -> tuple[BatchMapping, ...]:
    """The mappings that come with Assay."""
    return tuple(load_mapping(path) for path in sorted(SHIPPED.glob("*.toml")))


def _mapping(root: Section, name: str, findings: Findings) -> BatchMapping:
    scale, answers, blank = _scale(root.section("scale"), findings)
    length, decoding = root.section("length"), root.section("decoding")
    mapping = BatchMapping(
        name=root.word("name", name),
        question=root.word("question", limit=10_000),
        noun=root.word("noun", "text", limit=40),
        provider=root.word("provider", "mturk", limit=60),
        identity=cast(Any, root.word("identity", "hit", among=("hit", "text"))),
        items=tuple(_group(section, findings) for section in root.sections("items")),
        sources=_sources(root.section("sources"), findings),
        columns=_columns(root.section("columns")),
        scale=scale,
        answers=answers,
        blank=cast(Any, blank),
        unit=cast(Any, length.word("unit", "whitespace", among=UNITS)),
        count=cast(Any, length.word("count", "whitespace", among=("whitespace", "single blanks"))),
        decoding=decoding.word("output"),
        log_prob_decoding=decoding.word("log_prob"),
    )
    length.close()
    decoding.close()
    if not mapping.items:
        findings.problem(None, "items", "is missing; a mapping has at least one [[items]] table")
    return mapping


def _group(section: Section, findings: Findings) -> ItemGroup:
    required = {"text", "rating", "source"}
    places = {name: section.place(name, required=name in required) for name in PLACES}
    by_generator = section.section("log_probs")
    log_probs = [(name, by_generator.place(name)) for name in list(by_generator.data)]
    section.close()
    nowhere = Place()
    for name in ("text", "rating"):
        place = places[name]
        if place is not None and not place.column:
            findings.problem(None, section.key(name), "must be a column's name")
    for name, place in places.items():
        numbered = NUMBER in (places["text"] or nowhere).column
        if place is not None and NUMBER in place.column and not numbered:
            findings.problem(None, section.key(name), "holds {i} although the column of `text` does not")
    return ItemGroup(
        text=places["text"] or nowhere,
        rating=places["rating"] or nowhere,
        source=places["source"] or nowhere,
        generator=places["generator"] or Place(value="model"),
        context=places["context"],
        context_id=places["context_id"],
        id=places["id"],
        log_prob=places["log_prob"],
        length=places["length"],
        log_probs=tuple((name, place) for name, place in log_probs if place is not None),
    )


def _sources(section: Section, findings: Findings) -> dict[str, Source]:
    words = {word: section.word(word, among=("reference", "model")) for word in list(section.data)}
    return cast(dict[str, Source], words) or dict(SOURCES)


def _columns(section: Section) -> Columns:
    names = {field.name: section.word(field.name) for field in fields_of(Columns) if field.name in section.data}
    section.close()
    return Columns(**names)


def _scale(section: Section, findings: Findings) -> tuple[ScaleRecord, dict[str, str], str]:
    """The scale, how the file writes each label, and what to do with a blank answer."""
    name, blank = section.word("name", limit=120), section.word("blank", "refuse", among=("refuse", "skip"))
    labels: list[LabelRecord] = []
    answers: dict[str, str] = {}
    numbers = section.word("numbers")
    span = RANGE.match(numbers)
    if span and int(span[1]) < int(span[2]) <= int(span[1]) + 1000:
        labels = [LabelRecord(str(number), str(number)) for number in range(int(span[1]), int(span[2]) + 1)]
        answers = {record.label: record.label for record in labels}
    elif numbers:
        findings.problem(None, section.key("numbers"), f"must be a range such as 1-7, not {numbers!r}")
    for row in section.sections("labels"):
        label, written = _label(row, findings)
        labels.append(label)
        answers.update(dict.fromkeys(written, label.label))
    section.close()
    _check_labels(labels, findings)
    return ScaleRecord(name, tuple(labels)), answers, blank


def _label(row: Section, findings: Findings) -> tuple[LabelRecord, list[str]]:
    record = LabelRecord(row.word("label", limit=100), row.word("code"), row.word("gloss", limit=2000))
    answer = row.data.pop("answer", record.label)
    row.close()
    if not record.label:
        findings.problem(None, row.key("label"), "is missing")
    decimal_of(record.code, None, row.key("code"), findings)
    return record, [str(written).strip() for written in (answer if isinstance(answer, list) else [answer])]


def _check_labels(labels: list[LabelRecord], findings: Findings) -> None:
    if len(labels) < 2:
        findings.problem(None, "scale", 'needs at least two labels, or numbers = "1-7"')
    for what, values in (("label", [label.label for label in labels]), ("code", [label.code for label in labels])):
        for value in sorted({candidate for candidate in values if values.count(candidate) > 1}):
            findings.problem(None, "scale.labels", f"duplicate {what} {value!r}")
