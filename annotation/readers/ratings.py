"""Reading the tidy form: a file of items and a file of ratings, from anywhere (Assay's reports included)."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

from annotation.readers.cells import decimal_of, integer_of, key_of, optional_text
from annotation.readers.columns import Cells, Names, read_cells
from annotation.readers.problem_codes import Code
from annotation.readers.problems import Findings
from annotation.readers.records import (
    CollectedWork,
    HitRecord,
    JudgmentRecord,
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
    read = (*RATING_NEEDED, *RATING_OPTIONAL)
    for cells in read_cells(
        ratings, rating_findings, Names(), needed=RATING_NEEDED, known=read, form=FileForm(delimiter)
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


@dataclass(frozen=True, slots=True)
class _Rating:
    row: int
    item: str
    value: Decimal
    position: int | None
    cells: dict[str, str]


class RatingReader:
    """Takes the ratings one by one and gathers them by HIT and rater."""

    def __init__(self, findings: Findings, items: set[str]) -> None:
        self.findings, self.items = findings, items
        self.rated: set[str] = set()
        self.rows: dict[tuple[str, str], int] = {}
        self.by_hit: dict[str, dict[str, list[_Rating]]] = defaultdict(lambda: defaultdict(list))
        self.codes: dict[Decimal, str] = {}
        self.labels: dict[Decimal, str] = {}

    def take(self, cells: Cells) -> None:
        """Read one rating."""
        findings, row, before = self.findings, cells.row, self.findings.total
        item = cells.get("item").strip()
        if item not in self.items:
            findings.problem(row, "item", f"no item has the id {item!r}")
        rater = key_of(cells.get("rater"), row, "rater", findings, limit=100)
        value = decimal_of(cells.get("value"), row, "value", findings)
        hit = optional_text(cells.get("hit"), row, "hit", findings, limit=64).strip()
        place = cells.get("position").strip()
        position = integer_of(place, row, "position", findings, minimum=1) if place else None
        if rater is not None and (item, rater) in self.rows:
            findings.problem(row, "rater", f"{rater!r} rates {item!r} in row {self.rows[item, rater]} already")
        if value is None or rater is None or not self._labelled(cells, value) or findings.total > before:
            return
        self.rows[item, rater] = row
        self.rated.add(item)
        raw = {name: cell for name, cell in cells.cells.items() if name != "rater"}
        self.by_hit[hit][rater].append(_Rating(row, item, value, position, raw))

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

    def submissions(self) -> tuple[tuple[HitRecord, ...], tuple[SubmissionRecord, ...]]:
        """HITs and submissions in the order of the file; without a column `hit`, one HIT without a name."""
        hits, submissions = [], []
        used: Counter[str] = Counter()
        for hit, by_rater in self.by_hit.items():
            for rater, ratings in by_rater.items():
                judgments = self._judgments(ratings)
                raw = tuple((f"row {rating.row}", json.dumps(rating.cells)) for rating in ratings)
                name = f"rows-{ratings[0].row}"
                used[name] += 1  # a row of somebody's file may hold the ratings of several raters
                name = name if used[name] == 1 else f"{name}-{used[name]}"
                submissions.append(SubmissionRecord(hit, name, rater, raw, judgments))
            hits.append(HitRecord(hit, self._texts(by_rater), len(by_rater)))
        return tuple(hits), tuple(submissions)

    def _texts(self, by_rater: Mapping[str, list[_Rating]]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(rating.item for ratings in by_rater.values() for rating in ratings))

    def _judgments(self, ratings: list[_Rating]) -> tuple[JudgmentRecord, ...]:
        """Return the judgments by position: from the column, from 1, or by the order of the file."""
        has_positions = all(rating.position is not None for rating in ratings)
        judgments: dict[int, JudgmentRecord] = {}
        for order, rating in enumerate(ratings):
            position = rating.position - 1 if has_positions and rating.position is not None else order
            if position in judgments:
                self.findings.problem(rating.row, "position", f"the position {position + 1} is used twice in this HIT")
            judgments[position] = JudgmentRecord(rating.item, position, self.labels[rating.value])
        return tuple(judgments.values())
