"""Reading the tidy form: a file of items and a file of ratings, from anywhere (Assay's reports included)."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from annotation.readers.cells import decimal_of, integer_of, key_of, optional_text
from annotation.readers.columns import Cells, Names, read_cells
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.rating_buffer import RatingBuffer
from annotation.readers.records import (
    CollectedWork,
    HitRecord,
    LabelRecord,
    LikelihoodRecord,
    Provenance,
    ScaleRecord,
    SubmissionRecord,
    TextRecord,
)
from annotation.readers.tabular import FileForm, sha256_of
from annotation.readers.text_likelihoods import likelihood_of
from annotation.readers.text_rows import TextReader
from metrics.data.name_forms import NameForms, other_forms, state_other_form

RAW_FORMAT = "ratings-csv-rows"
ITEM_NEEDED = ("id", "source")
ITEM_OPTIONAL = (
    "text",
    "generator",
    "context",
    "context_text",
    "domain",
    "log_prob",
    "length",
    "length_unit",
    "decoding",
    "log_prob_decoding",
)
# Further columns of Assay's report: computed from the ratings, so not read back.
ITEM_COMPUTED = ("hj", "hj_low", "hj_high", "hj_sum", "ratings")
RATING_NEEDED = ("item", "rater", "value")
RATING_OPTIONAL = ("label", "hit", "position")
READ = (*RATING_NEEDED, *RATING_OPTIONAL)
GENERATOR = "model"


def read_ratings(items: Path, ratings: Path, *, delimiter: str | None = None) -> CollectedWork:
    """Read and check both files; raises FileProblems and hands over nothing when a rule is broken."""
    # They have been judged as they are.
    item_findings = Findings(items, allow={Code.MARKUP})
    pile = ItemReader(item_findings)
    item_rows = 0
    known = (*ITEM_NEEDED, *ITEM_OPTIONAL, *ITEM_COMPUTED)
    for cells in read_cells(items, item_findings, Names(), needed=ITEM_NEEDED, known=known, form=FileForm(delimiter)):
        item_rows += 1
        pile.take(cells)
    texts = pile.finished()
    item_findings.raise_if_any()
    rating_findings = Findings(ratings)
    reader = RatingReader(rating_findings, {text.id for text in texts})
    rating_rows = 0
    for cells in read_cells(
        ratings, rating_findings, Names(), needed=RATING_NEEDED, known=READ, form=FileForm(delimiter)
    ):
        rating_rows += 1
        reader.take(cells)
    rating_findings.raise_if_any()
    hits, submissions = reader.submissions()
    rating_findings.raise_if_any()
    for key in (text.id for text in texts if text.id not in reader.rated):
        rating_findings.warn(None, "item", f"the item {key!r} has no rating")
    return CollectedWork(
        texts=texts,
        hits=hits,
        submissions=submissions,
        scale=reader.scale(),
        provider="",
        raw_format=RAW_FORMAT,
        provenance=(
            Provenance(items.name, sha256_of(items), item_rows, "items"),
            Provenance(ratings.name, sha256_of(ratings), rating_rows, "ratings"),
        ),
        warnings=(*item_findings.warning_sentences(), *rating_findings.warning_sentences()),
    )


class ItemReader(TextReader):
    """Items are texts whose wording, length and generator may be absent; a reference may have a row per generator."""

    def __init__(self, findings: Findings) -> None:
        super().__init__(findings, default_generator=GENERATOR)
        self.texts: dict[str, TextRecord] = {}

    def take(self, cells: Cells) -> None:
        """Read one row; a second row of a reference adds its log p under another generator."""
        filled = _fill_blanks(cells)
        known = self.texts.get(cells.get("id").strip())
        generator = cells.get("generator").strip()
        if known is None or known.source != "reference" or not generator:
            super().take(filled)
        elif any(likelihood.generator == generator for likelihood in known.likelihoods):
            rule = f"duplicate ID {known.id!r} (first in row {known.row})"
            self.findings.problem(cells.row, "id", rule, Code.DUPLICATE_ID)
        elif (known.body, known.source) != (filled.get("text"), filled.get("source").strip()):
            self.findings.problem(cells.row, "text", f"the item {known.id!r} differs from row {known.row}")
        else:
            likelihood = likelihood_of(filled, known.body, self.findings, decoding="log_prob_decoding")
            if likelihood is not None:
                added = (*known.likelihoods, replace(likelihood, generator=generator))
                self.texts[known.id] = replace(known, likelihoods=added)

    def keep(self, text: TextRecord, likelihood: LikelihoodRecord | None) -> None:
        self.texts[text.id] = replace(text, likelihoods=(likelihood,)) if likelihood else text

    def finished(self) -> tuple[TextRecord, ...]:
        """All items. What one can say of them together is said of texts that are to be judged, not of judged ones."""
        generators = {text.generator for text in self.texts.values() if text.generator}
        name = next(iter(sorted(generators)), GENERATOR)
        for key, text in self.texts.items():
            if all(likelihood.generator for likelihood in text.likelihoods):
                continue
            if len(generators) > 1 and text.source == "reference":
                rule = f"log p of a reference must name one of {len(generators)} generators"
                self.findings.problem(text.row, "generator", rule, Code.LOG_P_WHOSE)
            named = tuple(
                replace(likelihood, generator=likelihood.generator or name) for likelihood in text.likelihoods
            )
            self.texts[key] = replace(text, likelihoods=named)
        return tuple(self.texts.values())


def _fill_blanks(cells: Cells) -> Cells:
    """Return the row with optional cells filled: an item without its text has its id, lengths are in words.

    A context too long to be an id is the context's text.
    """
    more: dict[str, str] = {}
    if not cells.get("text").strip():
        more["text"] = cells.get("id").strip()
    if cells.get("length").strip() and not cells.get("length_unit").strip():
        more["length_unit"] = "whitespace"
    context = cells.get("context")
    if not cells.get("context_text") and len(context) > 200:
        more |= {"context": "", "context_text": context}
    return Cells(cells.row, cells.names, {**cells.cells, **more})


class RatingReader:
    """Takes the ratings one by one and gathers them by HIT and rater.

    items: the ids that may be rated; they may still become more.
    """

    def __init__(self, findings: Findings, items: Container[str]) -> None:
        self.findings, self.items = findings, items
        self.buffer = RatingBuffer()
        self.codes: dict[Decimal, str] = {}
        self.labels: dict[Decimal, str] = {}
        # Cells that were read before and broke no rule.
        self._known_values: dict[tuple[str, str], int] = {}
        self._known_raters: dict[str, int] = {}
        self._known_hits: dict[str, str] = {}
        self._forms = NameForms()
        self._names: Names | None = None
        self._columns: tuple[str, ...] = ()  # what the file calls `READ`

    @property
    def rated(self) -> Container[str]:
        """The items with a rating."""
        return self.buffer.items

    def take(self, cells: Cells) -> None:
        """Read one rating."""
        findings, row, before = self.findings, cells.row, self.findings.total
        if cells.names is not self._names:
            self._names, self._columns = cells.names, tuple(map(cells.names.of, READ))
        cell_of = cells.cells.get
        item, rater_cell, value_cell, label_cell, hit_cell, place = [cell_of(name, "") for name in self._columns]
        item, place = item.strip(), place.strip()
        if item not in self.items:
            in_other_form = any(form in self.items for form in other_forms(item))
            rule = state_other_form(item) if in_other_form else f"no item has the id {item!r}"
            findings.problem(row, "item", rule)
        rater = self._known_raters.get(rater_cell)
        if rater is None:
            rater = self._rater_of(cells)
        label = self._known_values.get((value_cell, label_cell))
        if label is None:
            label = self._label_of(cells)
        hit = self._known_hits.get(hit_cell)
        if hit is None:
            hit = self._hit_of(cells)
        position = integer_of(place, row, "position", findings, minimum=1) if place else None
        if rater is not None and (first := self.buffer.row_of(item, rater)) is not None:
            name = cells.get("rater").strip()
            findings.problem(row, "rater", f"{name!r} rates {item!r} in row {first} already")
        if label is None or rater is None or findings.total > before:
            return
        self.buffer.add(row, item, rater, hit=hit, label=label, position=position, cells=cells.cells)

    def _rater_of(self, cells: Cells) -> int | None:
        """The rater's number; None where the cell breaks a rule."""
        written, warned = cells.get("rater"), self.findings.total_warnings
        rater = key_of(written, cells.row, "rater", self.findings, limit=100)
        if rater is None:
            return None
        if rule := self._forms.rule(rater, cells.row):
            self.findings.problem(cells.row, "rater", rule, Code.DUPLICATE_ID)
            return None
        number = self.buffer.raters.setdefault(rater, len(self.buffer.raters))
        if self.findings.total_warnings == warned:  # what is warned of is warned of in every row
            self._known_raters[written] = number
        return number

    def _hit_of(self, cells: Cells) -> str:
        """The HIT's id; "" where there is none or the cell breaks a rule, which is noted."""
        written, before = cells.get("hit"), self.findings.total
        hit = optional_text(written, cells.row, "hit", self.findings, limit=64).strip()
        if self.findings.total > before:
            return ""
        self._known_hits[written] = hit
        return hit

    def _label_of(self, cells: Cells) -> int | None:
        """The number of the value's label; None where a rule is broken."""
        written = cells.get("value"), cells.get("label")
        value = decimal_of(written[0], cells.row, "value", self.findings)
        if value is None or not self._labelled(cells, value):
            return None
        label = self.labels[value]
        if label not in self.buffer.labels:
            self.buffer.labels.append(label)
        self._known_values[written] = self.buffer.labels.index(label)
        return self._known_values[written]

    def _labelled(self, cells: Cells, value: Decimal) -> bool:
        """Whether the label, where there is one, has this value in every row."""
        code = self.codes.setdefault(value, cells.get("value").strip())
        label = optional_text(cells.get("label"), cells.row, "label", self.findings, limit=100).strip() or code
        before = self.labels.setdefault(value, label)
        if before != label:
            self.findings.problem(cells.row, "label", f"the value {code} is labelled {before!r} in another row")
        elif any(other == label and number != value for number, other in self.labels.items()):
            self.findings.problem(cells.row, "label", f"the label {label!r} has another value in another row")
        else:
            return True
        return False

    def scale(self) -> ScaleRecord:
        """Return a scale of the values that occur, highest first."""
        values = sorted(self.codes, reverse=True)
        return ScaleRecord("", tuple(LabelRecord(self.labels[value], self.codes[value]) for value in values))

    def submissions(self) -> tuple[tuple[HitRecord, ...], Sequence[SubmissionRecord]]:
        """HITs and submissions in the order of the file; without a column `hit`, one HIT without a name. A submission
        is made when it is asked for."""

        def twice(row: int, position: int) -> None:
            self.findings.problem(row, "position", f"the position {position} is used twice in this HIT")

        return self.buffer.submissions(twice)
