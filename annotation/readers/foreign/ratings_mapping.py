"""How the columns of any file become ratings: one a row, a person a row, a text a row, or votes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal

from annotation.readers.columns import Cells, Names
from annotation.readers.cross_checks import digest
from annotation.readers.foreign.guess import CONTEXT, ID, PROMPT, TEXT, guess_mapping, plain_name
from annotation.readers.foreign.layouts import NO_TEXTS
from annotation.readers.foreign.look import ColumnLook, FileLook
from annotation.readers.foreign.open_file import open_table
from annotation.readers.foreign.votes import VoteReader, guess_pair, preview_votes
from annotation.readers.lines import Progress
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.ratings import RAW_FORMAT, ItemReader, RatingReader
from annotation.readers.records import CollectedWork, Provenance
from annotation.readers.rows import Row
from annotation.readers.tabular import FileForm, sha256_of

Shape = Literal["long", "people", "texts", "pairs"]
SHAPES: tuple[Shape, ...] = ("long", "people", "texts", "pairs")
LISTS = ("values", "references", "first_words", "second_words", "tie_words")
PAIRS = "pairwise"  # the kind of task
RATER = (
    "rater",
    "annotator",
    "annotator_id",
    "worker",
    "worker_id",
    "rater_id",
    "user",
    "user_id",
    "participant",
    "participant_id",
    "prolific_pid",
    "prolific_id",
    "respondent",
    "person",
    "response_id",
    "evaluator",
    "judge",
    "completed_by",
    "email_address",
    "username",
)
VALUE = ("value", "rating", "score", "judgment", "judgement", "answer", "grade", "likert", "label", "response")
MAX_VALUE_COLUMNS = 500
LONGEST_ID_WORDS = 3
LEADING_NUMBER = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*(?:[-–—=:.)(]\s*([^\W\d].*\S|[^\W\d]))?\s*\Z", re.DOTALL)
# Answers in words, from best to worst, by the usual scales.
WORDS = (
    ("strongly agree", "agree", "neither agree nor disagree", "disagree", "strongly disagree"),
    ("strongly agree", "agree", "neutral", "disagree", "strongly disagree"),
    ("strongly agree", "somewhat agree", "neither agree nor disagree", "somewhat disagree", "strongly disagree"),
    ("excellent", "good", "fair", "poor", "bad"),
    ("very good", "good", "fair", "poor", "very poor"),
    ("good", "fair", "bad"),
    ("high", "medium", "low"),
    ("yes", "no"),
    ("true", "false"),
)
PER_PERSON = re.compile(r"(?:^|\.)(?:annotations|responses|individual_human_scores|label_annotations)(?:\.|$)")


@dataclass(frozen=True, slots=True)
class RatingsMapping:
    """Which column holds what; "" where none does.

    shape: `long`, one rating a row; `people`, a person a row, each of `values` the answers to one text; `texts`, a text
    a row, each of `values` one person's rating; `pairs`, a vote between two systems a row, `value` the winner and
    `item` what both texts were written for. side, source, references, generator: who wrote the texts. sides: `left`
    where the first of a pair stood on the left, "" where that is not known. first_words, second_words, tie_words: what
    the winner is called, where not by a usual word.
    """

    shape: Shape = "long"
    item: str = ""
    text: str = ""
    rater: str = ""
    value: str = ""
    values: tuple[str, ...] = ()
    side: Literal["column", "reference", "model"] = "model"
    source: str = ""
    references: tuple[str, ...] = ()
    generator: str = ""
    generator_name: str = "model"
    context_text: str = ""
    encoding: str = ""
    delimiter: str = ""
    sheet: str = ""
    layout: str = ""
    first: str = ""
    second: str = ""
    first_text: str = ""
    second_text: str = ""
    sides: Literal["", "left"] = ""
    first_words: tuple[str, ...] = ()
    second_words: tuple[str, ...] = ()
    tie_words: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def form(self) -> FileForm:
        return FileForm(self.delimiter or None, self.encoding or None, self.sheet or None)

    def columns(self) -> tuple[str, ...]:
        """The columns of the file that are read."""
        if self.shape == "pairs":
            systems = (self.first, self.second, self.first_text, self.second_text)
            votes = (*systems, self.value, self.rater, self.item, self.context_text)
            return tuple(dict.fromkeys(name for name in votes if name))
        names = (self.item, self.text, self.rater, self.value, *self.values, self.generator, self.context_text)
        source = (self.source,) if self.side == "column" else ()
        return tuple(dict.fromkeys(name for name in (*names, *source) if name))


def ratings_mapping_from_json(stored: Mapping[str, Any]) -> RatingsMapping:
    """Read what `as_json` wrote, or a person. Raises ValueError naming what is wrong."""
    known = {entry.name for entry in fields(RatingsMapping)}
    if unknown := sorted(set(stored) - known):
        raise ValueError(f"{unknown[0]!r} is not a key of a mapping; use one of {', '.join(sorted(known))}")
    values: dict[str, Any] = {
        name: tuple(value) if name in LISTS and isinstance(value, list) else value for name, value in stored.items()
    }
    for name, value in values.items():
        parts = value if name in LISTS and isinstance(value, tuple) else (value,)
        if not all(isinstance(part, str) for part in parts):
            raise ValueError(f"{name!r} has a value of the wrong kind")
    mapping = RatingsMapping(**values)
    if mapping.shape not in SHAPES or mapping.side not in ("column", "reference", "model"):
        raise ValueError("shape is long, people, texts or pairs; side is column, reference or model")
    if mapping.sides not in ("", "left"):
        raise ValueError("sides is left, or empty where they are not known")
    return mapping


def missing_choice(mapping: RatingsMapping) -> str:
    """Return a sentence about the choice that is still missing; "" where there is none."""
    if mapping.shape == "pairs":
        if not mapping.first or not mapping.second:
            return "Choose the columns of the two systems."
        return "" if mapping.value else "Choose the column of the winner."
    if mapping.shape == "long":
        if not mapping.value:
            return "Choose the column of the ratings."
        if not mapping.item and not mapping.text:
            return "Choose the column of the texts, or of their IDs."
        return "" if mapping.rater else "Choose the column of the raters."
    if not mapping.values:
        return "Choose the columns of the ratings."
    if mapping.shape == "texts" and not mapping.item and not mapping.text:
        return "Choose the column of the texts, or of their IDs."
    return ""


def guess_ratings(look: FileLook) -> RatingsMapping:
    """Return the likeliest mapping of a file of ratings."""
    plain = {plain_name(column.name): column for column in look.columns}
    for name, fits, _ in NO_TEXTS:
        if fits(look):
            return _people(look, plain, name)
    texts = guess_mapping(look)
    who = RatingsMapping(
        side=texts.side,
        source=texts.source,
        references=texts.references,
        generator=texts.generator,
        generator_name=texts.generator_name,
        context_text=texts.context_text,
        layout=texts.layout,
    )
    ratings = _rating_columns(look)
    if ratings:
        return replace(who, shape="texts", text=texts.text, item=texts.id, values=ratings)
    value, rater = _first(plain, VALUE), _first(plain, RATER)
    if pair := guess_pair({name: column.name for name, column in plain.items()}, lambda names: _named(plain, names)):
        prompt = look.column(pair["item"])
        if prompt and prompt.mean_words > LONGEST_ID_WORDS:
            pair |= {"item": "", "context_text": prompt.name}
        return replace(RatingsMapping(shape="pairs", rater=rater.name if rater else ""), **pair)  # type: ignore[arg-type]
    item, text = _first(plain, (*ID, *CONTEXT)), _first(plain, TEXT)
    if value is None and rater is not None:
        return _people(look, plain, "")
    text_name = text.name if text and text is not value and not text.numeric else ""
    return replace(
        who,
        item=item.name if item else "",
        text=text_name,
        rater=rater.name if rater else "",
        value=value.name if value else "",
        context_text=_prompt(plain, text),
    )


def _prompt(plain: Mapping[str, ColumnLook], text: ColumnLook | None) -> str:
    prompt = _first(plain, PROMPT)
    return prompt.name if prompt and prompt is not text else ""


def _first(plain: Mapping[str, ColumnLook], names: tuple[str, ...]) -> ColumnLook | None:
    return next((plain[name] for name in names if name in plain), None)


def _named(plain: Mapping[str, ColumnLook], names: tuple[str, ...]) -> str:
    column = _first(plain, names)
    return column.name if column else ""


def _people(look: FileLook, plain: Mapping[str, ColumnLook], layout: str) -> RatingsMapping:
    """A person a row: every column that holds numbers or words of a scale, but the tool's own ones, is a text."""
    rater = _first(plain, RATER)
    internal = {
        "Duration (in seconds)",
        "Progress",
        "Finished",
        "Status",
        "RecipientLastName",
        "LocationLatitude",
        "LocationLongitude",
        "Timestamp",
        "ExternalReference",
    }
    values = tuple(
        column.name
        for column in look.columns
        if column is not rater and column.name not in internal and column.filled and _is_rated(column)
    )
    return RatingsMapping(
        shape="people", rater=rater.name if rater else "", values=values[:MAX_VALUE_COLUMNS], layout=layout
    )


def _is_rated(column: ColumnLook) -> bool:
    return column.numeric or (bool(column.sample) and _code_of(column.sample) is not None)


def _rating_columns(look: FileLook) -> tuple[str, ...]:
    """Columns of nested records that hold one person's rating each."""
    columns = [column for column in look.columns if PER_PERSON.search(column.name) and _is_rated(column)]
    named = [column for column in columns if re.search(r"rating|value|score|choices|label_annotations", column.name)]
    ids = re.compile(r"\.(id|completed_by|task|project|lead_time|user_id|created_username)$|lead_time|mean_human")
    usable = [column.name for column in (named or columns) if not ids.search(column.name)]
    stem = re.sub(r"\d+", "#", usable[0]) if usable else ""
    same = [name for name in usable if re.sub(r"\d+", "#", name) == stem]
    return tuple(same if not stem.startswith("label_annotations") else usable)[:MAX_VALUE_COLUMNS]


def _code_of(answer: str) -> tuple[str, str] | None:
    """Return the number and the label of an answer: `4`, `4 - good`, or the words of a usual scale; None of another."""
    match = LEADING_NUMBER.match(answer)
    if match:
        return match[1], (match[2] or match[1]).strip()
    word = answer.strip().casefold()
    for scale in WORDS:
        if word in scale:
            return str(len(scale) - scale.index(word)), answer.strip()
    return None


def read_mapped_ratings(path: Path, mapping: RatingsMapping, *, progress: Progress | None = None) -> CollectedWork:
    """Read and check the whole file; raises FileProblems and hands over nothing where a rule is broken."""
    findings = Findings(path, allow={Code.MARKUP})
    table = open_table(path, findings, form=mapping.form, read=mapping.columns(), progress=progress)
    if table.fields:
        for name in mapping.columns():
            if name not in table.fields:
                rule = "this column is missing from the file"
                findings.problem(1, name, rule, Code.MISSING_COLUMN, column=name)
        findings.raise_if_any()
    items = ItemReader(findings)
    if mapping.shape == "pairs":
        return _votes(path, mapping, items, table.rows, findings)
    ratings = RatingReader(findings, items.rows)
    rows = 0
    for row in table.rows:
        rows += 1
        for item, rater, answer, column in _ratings_of(row, mapping):
            key = _take_item(items, row, mapping, item)
            cells = _rating(row, key, rater, answer, column, findings)
            if cells is not None and key in items.rows:
                ratings.take(cells)
    texts = items.finished()
    findings.raise_if_any()
    hits, submissions = ratings.submissions()
    findings.raise_if_any()
    if not submissions:
        raise findings.stop(None, "", "the file holds no ratings in these columns", Code.NO_ROWS)
    return CollectedWork(
        texts=texts,
        hits=hits,
        submissions=submissions,
        scale=ratings.scale(),
        provider="",
        raw_format=RAW_FORMAT,
        provenance=(Provenance(path.name, sha256_of(path), rows, mapping.layout or "ratings"),),
        warnings=findings.warning_sentences(),
    )


def _votes(
    path: Path, mapping: RatingsMapping, items: ItemReader, rows: Iterable[Row], findings: Findings
) -> CollectedWork:
    """As `read_mapped_ratings`, of votes."""
    votes, read = VoteReader(findings, items, mapping), 0
    for row in rows:
        read += 1
        votes.take(row)
    texts = items.finished()
    findings.raise_if_any()
    if not votes.submissions:
        raise findings.stop(None, "", "the file holds no votes in these columns", Code.NO_ROWS)
    return CollectedWork(
        texts=texts,
        hits=votes.hits(),
        submissions=votes.submissions,
        scale=votes.scale(),
        provider="",
        raw_format=RAW_FORMAT,
        provenance=(Provenance(path.name, sha256_of(path), read, mapping.layout or "votes"),),
        warnings=findings.warning_sentences(),
        task=PAIRS,
    )


def _ratings_of(row: Row, mapping: RatingsMapping) -> Iterator[tuple[str, str, str, str]]:
    """The ratings of a row: item (a column's name where people are rows), rater, answer, column."""
    cells = row.cells
    rater = cells.get(mapping.rater, "").strip() if mapping.rater else ""
    if mapping.shape == "long":
        yield cells.get(mapping.item, ""), rater, cells.get(mapping.value, ""), mapping.value
        return
    for at, column in enumerate(mapping.values, start=1):
        answer = cells.get(column, "")
        if not answer.strip():
            continue  # this person did not rate this text
        if mapping.shape == "people":
            yield column, rater or f"row {row.line}", answer, column
        else:
            yield cells.get(mapping.item, ""), rater or f"rater {at}", answer, column


def _take_item(items: ItemReader, row: Row, mapping: RatingsMapping, item: str) -> str:
    """Take the text of a rating where it is new; return its id."""
    body = item if mapping.shape == "people" else row.cells.get(mapping.text, "")
    context = row.cells.get(mapping.context_text, "")
    source, generator = _who(row, mapping)
    key = item.strip()[:200] or f"t-{digest(context, body, source, generator).hex()[:12]}"
    if mapping.shape == "people" and len(item) > 200:
        key = f"t-{digest(item).hex()[:12]}"
    if key in items.rows:
        return key
    values = {"id": key, "text": body, "source": source, "context_text": context}
    values |= {"generator": generator} if source == "model" else {}
    items.take(Cells(row.line, Names({"text": mapping.text or "text"}), {**values, (mapping.text or "text"): body}))
    return key


def _who(row: Row, mapping: RatingsMapping) -> tuple[str, str]:
    if mapping.side == "column":
        word = row.cells.get(mapping.source, "").strip()
        source = word and ("reference" if word in mapping.references else "model")
    else:
        source = mapping.side
    name = row.cells.get(mapping.generator, "").strip() if mapping.generator else ""
    return source, (name or mapping.generator_name or "model") if source == "model" else ""


def _rating(row: Row, item: str, rater: str, answer: str, column: str, findings: Findings) -> Cells | None:
    code = _code_of(answer)
    if code is None:
        rule = f"{answer[:60]!r} is not a number, does not begin with one, and is not of a usual scale"
        findings.problem(row.line, column, rule)
        return None
    value, label = code
    return Cells(row.line, Names(), {"item": item, "rater": rater, "value": value, "label": label, "hit": ""})


def preview_ratings(rows: Iterable[Row], mapping: RatingsMapping) -> Iterator[dict[str, str]]:
    """The ratings of some rows as they would be read."""
    if mapping.shape == "pairs":
        yield from preview_votes(rows, mapping)
        return
    for row in rows:
        for item, rater, answer, _ in _ratings_of(row, mapping):
            code = _code_of(answer)
            source, generator = _who(row, mapping)
            text = item if mapping.shape == "people" else row.cells.get(mapping.text, "") or item
            yield {
                "row": str(row.line),
                "rater": rater,
                "value": code[0] if code else "?",
                "answer": answer,
                "source": source,
                "generator": generator,
                "text": text,
            }
